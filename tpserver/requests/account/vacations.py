"""Requests about the vacations of an account."""

from __future__ import annotations

from datetime import UTC, datetime

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tpserver.games.terms.clock import duration
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.responses import Answer, okay
from tpserver.requests.session.session import Session

VACATIONS = BY_NAME["vacations"].number


@handles("get_vacations")
def get_vacations(session: Session, message: tp.GetVacations) -> Answer:
    """Return the vacations of the account, and the days that are left this year."""
    registry, account = session.host.registry, _account(session)
    year = datetime.fromtimestamp(registry.now(), UTC).year
    told = tp.Vacations(left=int(registry.vacations.seconds_left(account, year)))
    for one in registry.vacations.of_account(account):
        told.vacations.add(id=one.id, begins=int(one.begins), ends=int(one.ends))
    return [session.payload(VACATIONS, told)]


@handles("add_vacation")
async def add_vacation(session: Session, message: tp.AddVacation) -> Answer:
    """Add a vacation of the account. Raises GameError, NotNow."""
    vacations = session.host.registry.vacations
    added = await vacations.add(_account(session), float(message.begins), float(message.ends))
    words = duration(added.ends - added.begins)
    return [okay(session.dialect, f"You are on vacation for {words}; games whose clocks say so wait for you")]


@handles("end_vacation")
async def end_vacation(session: Session, message: tp.EndVacation) -> Answer:
    """End a vacation of the account, or cancel it. Raises NoSuchVacation."""
    await session.host.registry.vacations.end(_account(session), message.id)
    return [okay(session.dialect, "This vacation is over")]


def _account(session: Session) -> int:
    """Return the account of a session with a login."""
    assert session.account is not None
    return session.account.id
