"""Abuse reports: messages reported to the moderators, with their text at that time."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields

from sqlalchemy import ColumnElement, Connection, and_, func, insert, not_, or_, select, update

from tpserver.network_counts import may_take
from tpserver.store import audit, known_accounts
from tpserver.store import tables as t
from tpserver.store.audit import AuditEntry
from tpserver.store.errors import StoreError
from tpserver.store.games.boards import StoredMessage
from tpserver.store.people import blocks
from tpserver.store.people.blocks import Silence


@dataclass(frozen=True, slots=True)
class ReportedLetter:
    """One abuse report. Times are UTC unix seconds.

    ``account`` is the reporter, on whose board the message is. ``writer`` is the account that had the sender's seat at
    that time; None: unknown. ``decision`` is empty while the report is open.
    """

    id: int
    at: float
    account: int
    writer: int | None
    game: int
    board: int
    number: int
    sender: int
    turn: int
    written: float
    subject: str
    body: str
    reason: str
    decision: str
    closed: float | None
    closed_by: str
    answer: str


_TABLE = t.reported_letters
_SELECT = select(*(_TABLE.c[each.name] for each in fields(ReportedLetter)))
_OPEN = _TABLE.c.decision == ""


class TooManyReports(Exception):
    """No more messages can be reported now. Its message is one sentence without a full stop."""


def add(
    c: Connection,
    account: int,
    letter: StoredMessage,
    reason: str,
    now: float,
    most_open: int,
    most_of_all: int,
    writer: int | None = None,
) -> int:
    """Add a report of a message, and return its id.

    With ``writer`` the message is a spectator's, else a player's. Raises TooManyReports if ``most_open`` reports of the
    account, or ``most_of_all`` in total, are open. Half of the total is reserved for known accounts. Raises StoreError,
    code ``reported``, if the message was reported before.
    """
    assert letter.sender is not None
    of_letter = and_(_TABLE.c.game == letter.game, _TABLE.c.board == letter.board, _TABLE.c.number == letter.number)
    if c.execute(select(_TABLE.c.id).where(of_letter)).first() is not None:
        raise StoreError("You have already reported this message.", code="reported")
    count = select(func.count()).select_from(_TABLE).where(_OPEN)
    if c.scalar(count.where(_TABLE.c.account == account)) >= most_open:  # type: ignore[operator]
        raise TooManyReports(f"{most_open} letters that you have reported are not looked at yet; try again later")
    is_known = known_accounts.is_known(c, account, now)
    if not may_take(c.scalar(count) or 0, most_of_all, is_new=False, is_known=is_known):
        raise TooManyReports("the moderators have more to look at than they can; try again later")
    values = {
        "at": now,
        "account": account,
        "writer": holder(c, letter.game, letter.sender - 1, letter.at) if writer is None else writer,
        "game": letter.game,
        "board": letter.board,
        "number": letter.number,
        "sender": letter.sender,
        "turn": letter.turn,
        "written": letter.at,
        "subject": letter.subject,
        "body": letter.body,
        "reason": reason,
        "decision": "",
        "closed_by": "",
        "answer": "",
    }
    found: int = c.execute(insert(_TABLE).values(values).returning(_TABLE.c.id)).scalar_one()
    return found


def holder(c: Connection, game: int, seat: int, at: float) -> int | None:
    """Return the account that had a seat at a time: from the journal, else the present one."""
    taking = (t.journal.c.game == game) & (t.journal.c.seat == seat) & t.journal.c.kind.in_(("seat", "player"))
    query = select(t.journal.c.body).where(taking, t.journal.c.at <= at).order_by(t.journal.c.number.desc()).limit(1)
    body = c.scalar(query)
    if isinstance(body, dict) and isinstance(body.get("account"), int):
        return int(body["account"])
    return c.scalar(select(t.seats.c.account).where(t.seats.c.game == game, t.seats.c.seat == seat))


def _for(moderator: int | None) -> ColumnElement[bool]:
    """Return the condition for reports that a moderator may see.

    None stands for the operator, who may see all. Moderators may not decide about themselves, nor about a running game
    that they play.
    """
    if moderator is None:
        return _TABLE.c.id > 0
    plays = select(t.seats.c.game).join(t.games, t.games.c.id == t.seats.c.game)
    own = plays.where(t.seats.c.account == moderator, t.games.c.state != "over")
    mine = or_(_TABLE.c.account == moderator, and_(_TABLE.c.writer.is_not(None), _TABLE.c.writer == moderator))
    return and_(not_(mine), _TABLE.c.game.not_in(own))


def listed(c: Connection, moderator: int | None, closed: bool, start: int, most: int) -> list[ReportedLetter]:
    """Return at most ``most`` reports, open or closed, from the id ``start`` on."""
    query = _SELECT.where(_for(moderator), _TABLE.c.id >= start, not_(_OPEN) if closed else _OPEN)
    return [ReportedLetter(*row) for row in c.execute(query.order_by(_TABLE.c.id).limit(most))]


def of_account(c: Connection, account: int) -> list[ReportedLetter]:
    """Return the reports by an account."""
    query = _SELECT.where(_TABLE.c.account == account).order_by(_TABLE.c.id)
    return [ReportedLetter(*row) for row in c.execute(query)]


def one(c: Connection, number: int, moderator: int | None) -> ReportedLetter | None:
    """Return a report that a moderator may see, or None."""
    row = c.execute(_SELECT.where(_TABLE.c.id == number, _for(moderator))).first()
    return None if row is None else ReportedLetter(*row)


def close(
    c: Connection,
    number: int,
    decision: str,
    who: str,
    answer: str,
    now: float,
    silence: tuple[int, Silence] | None,
    entry: AuditEntry | None,
) -> bool:
    """Close an open report, silence an account if so decided, and add an audit entry.

    Returns False, without changes, if it is closed already.
    """
    values = {"decision": decision, "closed": now, "closed_by": who, "answer": answer}
    if c.execute(update(_TABLE).where(_TABLE.c.id == number, _OPEN).values(values)).rowcount != 1:
        return False
    if silence is not None:
        blocks.silence(c, *silence)
    if entry is not None:
        audit.add(c, entry)
    return True


def names_of(c: Connection, accounts: Collection[int]) -> dict[int, str]:
    """Return the names of accounts, by id."""
    rows = c.execute(select(t.accounts.c.id, t.accounts.c.name).where(t.accounts.c.id.in_(accounts)))
    return {row.id: row.name for row in rows}
