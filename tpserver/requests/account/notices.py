"""Requests about notifications: contacts, choices, and times."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.printable import quoted
from tpserver.day_times import DayTimes
from tpserver.requests.entry.login import check_proof
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer, okay
from tpserver.requests.session.session import Session
from tpserver.store.games import outbox
from tpserver.store.games import rows as stored_games
from tpserver.store.people.accounts import Account
from tpserver.store.people.notices import Address, Wish

NOTICES, NOTICE_ADDRESS = BY_NAME["notices"].number, BY_NAME["notice_address"].number
CALENDAR, PUSH_KEY = BY_NAME["calendar"].number, BY_NAME["push_key"].number

MOST_WISHES = 200
"""Maximum games whose notification choices are in a response."""


@handles("get_notices")
def get_notices(session: Session, message: tp.GetNotices) -> Answer:
    account, book, registry = _account(session), session.host.notices, session.host.registry
    said, times = book.wishes(account.id), book.times(account.id)
    told = tp.Notices(
        channels=list(book.terms.channels),
        addresses=[_told(address) for address in book.addresses(account.id)],
        usual=_wish("", said.get(outbox.NO_GAME, Wish())),
        zone=times.zone,
        quiet_from=times.quiet_from,
        quiet_to=times.quiet_to,
        digest=times.digest,
    )
    rows = [row for row in registry.directory.rows_of(account.id) if row.id in said]
    told.wishes.extend(_wish(row.name, said[row.id]) for row in rows[:MOST_WISHES])
    return [session.payload(NOTICES, told)]


@handles("add_notice_address")
async def add_notice_address(session: Session, message: tp.AddNoticeAddress) -> Answer:
    """Add a contact, and send it a code. Raises NotKept."""
    book, account = session.host.notices, _account(session)
    if account.is_guest:
        raise refusals.not_as_guest("addresses for notices")
    await check_proof(session, message.password)
    added = await book.add(account.id, message.kind, message.target, message.token, resets=message.resets)
    told = _told(added)
    if added.kind not in ("mail", "matrix", "push"):
        told.secret = added.secret
    return [session.payload(NOTICE_ADDRESS, told)]


@handles("verify_notice_address")
async def verify_notice_address(session: Session, message: tp.VerifyNoticeAddress) -> Answer:
    """Verify a contact by its code, or send another code. Raises NotKept."""
    done = await session.host.notices.verify(_account(session).id, message.id, message.code)
    return [okay(session.dialect, done[:1].upper() + done[1:])]


@handles("set_reset_address")
async def set_reset_address(session: Session, message: tp.SetResetAddress) -> Answer:
    """Allow or forbid password resets by a mail address. Raises NotKept."""
    if message.resets:
        await check_proof(session, message.password)
    await session.host.notices.set_resets(_account(session).id, message.id, message.resets)
    done = "A forgotten password can be reset" if message.resets else "No forgotten password is reset"
    return [okay(session.dialect, f"{done} by this address")]


@handles("remove_notice_address")
async def remove_notice_address(session: Session, message: tp.RemoveNoticeAddress) -> Answer:
    await session.host.notices.remove(_account(session).id, message.id)
    return [okay(session.dialect, "Notices no longer go to this address")]


@handles("set_notice_wish")
async def set_notice_wish(session: Session, message: tp.SetNoticeWish) -> Answer:
    """Set the notifications of an account about one of its games, or about all others. Raises NotKept, RequestError."""
    account, wish, game = _account(session), message.wish, outbox.NO_GAME
    if wish.game:
        registry = session.host.registry
        row = registry.directory.row_named(wish.game)
        if row is None or row.id not in registry.store.read(stored_games.with_seat_of, account.id):
            raise RequestError(FailCode.NO_SUCH_THING, f"you have no seat in a game {quoted(wish.game)}")
        game = row.id
    await session.host.notices.set_wish(account.id, game, wish.mode, wish.hours)
    return [okay(session.dialect, "Your choice of notices is saved")]


@handles("set_notice_times")
async def set_notice_times(session: Session, message: tp.SetNoticeTimes) -> Answer:
    """Set the quiet hours of an account and the time of its digest. Raises NotKept."""
    times = DayTimes(message.zone, message.quiet_from, message.quiet_to, message.digest)
    await session.host.notices.set_times(_account(session).id, times)
    return [okay(session.dialect, "Your times are saved")]


@handles("get_push_key")
def get_push_key(session: Session, message: tp.GetPushKey) -> Answer:
    return [session.payload(PUSH_KEY, tp.PushKey(key=session.host.notices.terms.push_key))]


@handles("get_calendar")
def get_calendar(session: Session, message: tp.GetCalendar) -> Answer:
    return [session.payload(CALENDAR, _calendar(session))]


def _calendar(session: Session) -> tp.Calendar:
    book = session.host.notices
    return tp.Calendar(offered=book.terms.calendar, made=int(book.calendar_made(_account(session).id) or 0))


@handles("make_calendar")
async def make_calendar(session: Session, message: tp.MakeCalendar) -> Answer:
    """Give the account a link to its calendar. Raises NotKept."""
    await check_proof(session, message.password)
    book = session.host.notices
    path = await book.make_calendar(_account(session).id)
    site, told = book.terms.site.rstrip("/"), _calendar(session)
    told.path, told.url = path, f"{site}{path}" if site else ""
    return [session.payload(CALENDAR, told)]


@handles("revoke_calendar")
async def revoke_calendar(session: Session, message: tp.RevokeCalendar) -> Answer:
    """Revoke the link to the account's calendar. Raises NotKept."""
    await session.host.notices.revoke_calendar(_account(session).id)
    return [okay(session.dialect, "Calendar link revoked")]


def _told(address: Address) -> tp.NoticeAddress:
    return tp.NoticeAddress(
        id=address.id, kind=address.kind, target=address.target, state=address.state, problem=address.problem,
        resets=address.resets,
    )  # fmt: skip


def _wish(game: str, wish: Wish) -> tp.NoticeWish:
    return tp.NoticeWish(game=game, mode=wish.mode, hours=wish.hours)


def _account(session: Session) -> Account:
    """Return the account of a session with a login."""
    assert session.account is not None
    return session.account
