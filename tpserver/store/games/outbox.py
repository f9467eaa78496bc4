"""Outbox: notifications to deliver, written with the changes they report.

A row is a notification of one kind, for one contact, about one game. While it waits it has a ``next_try``. A newer
notification replaces it, delivered or not, so there is never a second row of these three. A sender first takes rows.
Its result for a row counts only if the row still has the same notification.

In a cluster the node that holds the game takes its notifications, as it knows which players are online. Any node takes
notifications about no game.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Protocol, TypeVar

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, delete, func, insert, select, true, update

from tpserver.day_times import DayTimes
from tpserver.store.games import nodes
from tpserver.store.games import rows as games
from tpserver.store.tables import (
    notice_addresses,
    notice_times,
    notice_wishes,
    outbox,
    seats,
)

TURN, DEADLINE, OVER, DIGEST, CODE = "turn", "deadline", "over", "digest", "code"
"""Kinds of notifications.

A turn awaits its player, a turn ends soon, a game is over, a daily list of games, and a code that verifies a contact.
"""

LOOKED_AT, LOOKS = 256, 8
"""Maximum notices that are examined in a step of taking some, and the maximum steps."""
NO_GAME = 0
NOTICE_BYTES = 12


@dataclass(frozen=True, slots=True)
class TurnBegins:
    """A turn that begins.

    ``awaited`` are the seats for which it waits, ``absent`` those that had not finished the turn before.
    """

    awaited: Collection[int]
    absent: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """A notification taken from the outbox, and the contact that it goes to.

    ``notice`` identifies it in every try. ``message`` is the receiver's id of a message that this one may replace;
    empty: none. ``tries`` counts this try, too. ``created`` is the time from which it is valid, and its age counts from
    then. It may be long after the row was written.
    """

    id: int
    game: int
    kind: str
    turn: int
    notice: str
    created: float
    tries: int
    message: str
    address: int
    account: int
    channel: str
    target: str
    secret: str
    code: str


class _Recipient(NamedTuple):
    """A contact of a player, with the notifications chosen for it."""

    seat: int
    address: int
    mode: str
    hours: int
    times: DayTimes


_OWN, _GENERAL = notice_wishes.alias(), notice_wishes.alias()
_TIMES = tuple(
    func.coalesce(notice_times.c[name], default).label(name)
    for name, default in ((field.name, getattr(DayTimes(), field.name)) for field in fields(DayTimes))
)
# Compiled once: it runs in every closing of every game, mostly without a recipient.
_RECIPIENTS = (
    select(
        seats.c.seat,
        notice_addresses.c.id,
        func.coalesce(_OWN.c.mode, _GENERAL.c.mode, TURN).label("mode"),
        func.coalesce(_OWN.c.hours, _GENERAL.c.hours, 0).label("hours"),
        *_TIMES,
    )
    .select_from(
        seats.join(notice_addresses, notice_addresses.c.account == seats.c.account)
        .outerjoin(_OWN, and_(_OWN.c.account == seats.c.account, _OWN.c.game == seats.c.game))
        .outerjoin(_GENERAL, and_(_GENERAL.c.account == seats.c.account, _GENERAL.c.game == NO_GAME))
        .outerjoin(notice_times, notice_times.c.account == seats.c.account)
    )
    .where(seats.c.game == bindparam("which_game"), notice_addresses.c.state == "verified")
)
_OF_GAME = select(
    *(outbox.c[name] for name in ("id", "address", "kind", "turn", "next_try", "tries", "message"))
).where(outbox.c.game == bindparam("which_game"))
_INSERT = insert(outbox)
_FRESH = ("turn", "notice", "created", "next_try", "tries", "taken", "message")
_REPLACE = (
    update(outbox).where(outbox.c.id == bindparam("which")).values({name: bindparam(f"new_{name}") for name in _FRESH})
)


# --- writing, with what is told ---------------------------------------------------------------------------------------


def note(c: Connection, game: int, begins: TurnBegins | None, now: float) -> None:
    """Write the notifications that follow from a change of a game's row.

    A turn begins, its end was moved, or the game is over.
    """
    found = c.execute(_RECIPIENTS, {"which_game": game}).all()
    if not found:
        return
    people = [_Recipient(seat, address, mode, hours, DayTimes(*rest)) for seat, address, mode, hours, *rest in found]
    row = games.by_id(c, game)
    assert row is not None
    rows = {(one.address, one.kind): one for one in c.execute(_OF_GAME, {"which_game": game})}
    if row.state == "over":
        c.execute(delete(outbox).where(outbox.c.game == game, outbox.c.kind != OVER))
        _put(c, game, row.turn, OVER, [(one, one.times.loud(now), "") for one in people if one.mode != "off"], {}, now)
        return
    if begins is not None:
        _turn_begins(c, game, row.turn, begins, people, rows, now)
    _deadline(c, row, begins is not None, people, rows, now)


def remind(c: Connection, game: int, seats: Collection[int], now: float) -> None:
    """Remind these seats that the current turn awaits them.

    Only players with a notification of each turn get one. Players with a daily digest get it there.
    """
    found = c.execute(_RECIPIENTS, {"which_game": game}).all()
    people = [_Recipient(seat, address, mode, hours, DayTimes(*rest)) for seat, address, mode, hours, *rest in found]
    told = [(one, one.times.loud(now), "") for one in people if one.seat in seats and one.mode == TURN]
    row = games.by_id(c, game)
    if told and row is not None:
        rows = {(one.address, one.kind): one for one in c.execute(_OF_GAME, {"which_game": game})}
        _put(c, game, row.turn, TURN, told, rows, now)


def _turn_begins(
    c: Connection, game: int, turn: int, begins: TurnBegins, people: Sequence[_Recipient], rows: Any, now: float
) -> None:
    awaited = [one for one in people if one.seat in begins.awaited]
    told = []
    for one in awaited:
        if one.mode == TURN:
            before = rows.get((one.address, TURN))
            # A player who has not come since the last message gets no new one: that message is changed.
            kept = before.message if before is not None and one.seat in begins.absent else ""
            told.append((one, one.times.loud(now), kept))
    _put(c, game, turn, TURN, told, rows, now)
    daily = {one.address: one for one in awaited if one.mode == DIGEST}
    if daily:
        waiting = and_(outbox.c.kind == DIGEST, outbox.c.address.in_(daily))
        for address in c.scalars(select(outbox.c.address).where(outbox.c.game == NO_GAME, waiting)).all():
            del daily[address]
        _put(c, NO_GAME, 0, DIGEST, [(one, one.times.next_digest(now), "") for one in daily.values()], {}, now)


def _deadline(
    c: Connection, row: games.GameRow, is_new: bool, people: Sequence[_Recipient], rows: Any, now: float
) -> None:
    """Write the time of the notification about the end of the turn.

    The end may have moved. The time is the chosen time before the turn is due, as players count its time. A turn gets
    no second such notification if the first one was delivered or is being delivered. A shorter turn gets only the
    notification of its begin, if any. A row without a try records that, so that nobody is notified when its end moves a
    little.
    """
    waiting = and_(outbox.c.game == row.id, outbox.c.kind == DEADLINE, outbox.c.next_try.is_not(None))
    end = row.next_end(now)
    if end is None:
        if any(one.kind == DEADLINE and one.next_try is not None for one in rows.values()):
            c.execute(delete(outbox).where(waiting))
        return
    told: list[tuple[_Recipient, float | None, str]] = []
    for one in people:
        before = rows.get((one.address, DEADLINE))
        if one.hours == 0 or one.mode == "off":
            continue
        at = end - 3600 * one.hours
        if before is not None and before.turn == row.turn:
            is_shorter = before.next_try is None and before.tries == 0
            if (before.tries and (before.next_try is None or at <= now)) or (is_shorter and at <= now):
                continue
        elif is_new and at <= now:
            told.append((one, None, ""))
            continue
        told.append((one, one.times.before_quiet(max(at, now), now), ""))
    _put(c, row.id, row.turn, DEADLINE, told, rows, now)


def _put(
    c: Connection,
    game: int,
    turn: int,
    kind: str,
    told: Sequence[tuple[_Recipient, float | None, str]],
    rows: Any,
    now: float,
) -> None:
    """Write notices, or replace those of the same address and kind.

    Each has a recipient, the time of its first try (None: no try), and a message.
    """
    added, replaced = [], []
    for one, at, message in told:
        values: dict[str, Any] = {
            "turn": turn,
            "created": now if at is None else at,
            "next_try": at,
            "tries": 0,
            "taken": False,
            "message": message,
        }
        values["notice"] = secrets.token_hex(NOTICE_BYTES)
        before = rows.get((one.address, kind))
        if before is None:
            added.append({"game": game, "address": one.address, "kind": kind, **values})
        else:
            replaced.append({"which": before.id, **{f"new_{name}": values[name] for name in _FRESH}})
    if added:
        c.execute(_INSERT, added)
    if replaced:
        c.execute(_REPLACE, replaced)


def put_code(c: Connection, address: int, now: float) -> None:
    """Write the notification of a code to an address, in place of an earlier one."""
    c.execute(delete(outbox).where(outbox.c.address == address, outbox.c.kind == CODE))
    values = {"turn": 0, "created": now, "next_try": now, "tries": 0, "taken": False, "message": ""}
    notice = secrets.token_hex(NOTICE_BYTES)
    c.execute(_INSERT, [{"game": NO_GAME, "address": address, "kind": CODE, "notice": notice, **values}])


# --- looking from outside ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OutboxState:
    """State of the outbox.

    ``waiting``, ``due`` and ``failed`` are numbers of notifications that wait, are due, and were tried in vain.
    ``oldest`` is the time when the oldest failed one was written (unix seconds; None without any). ``given_up`` is the
    number of contacts given up.
    """

    waiting: int
    due: int
    failed: int
    oldest: float | None
    given_up: int


def state_of(c: Connection, now: float) -> OutboxState:
    """Return the state of the outbox."""
    waits = outbox.c.next_try.is_not(None)
    # One that was taken just now is on its way, and has not failed yet.
    failed = waits & (outbox.c.tries > 0) & ~(outbox.c.taken & (outbox.c.tries == 1))
    row = c.execute(
        select(
            func.count(),
            func.count().filter(outbox.c.next_try <= now),
            func.count().filter(failed),
            func.min(outbox.c.created).filter(failed),
        ).where(waits)
    ).one()
    lost = select(func.count()).select_from(notice_addresses).where(notice_addresses.c.state == "failing")
    return OutboxState(row[0], row[1], row[2], row[3], c.scalar(lost) or 0)


# --- delivering -------------------------------------------------------------------------------------------------------

_DUE = (
    select(
        *(outbox.c[name] for name in ("id", "game", "kind", "turn", "notice", "created", "tries", "message")),
        notice_addresses.c.id.label("address"),
        notice_addresses.c.account,
        notice_addresses.c.kind.label("channel"),
        *(notice_addresses.c[name] for name in ("target", "secret", "code")),
    )
    .join_from(outbox, notice_addresses, outbox.c.address == notice_addresses.c.id)
    .order_by(outbox.c.next_try, outbox.c.id)
)


def _may_take(node: str | ColumnElement[str] | None) -> ColumnElement[bool]:
    """Return the condition that a node may take a notice; None: there is no other."""
    return true() if node is None else ~nodes.is_of_another(outbox.c.game, node)


def _least(column: ColumnElement[float], when: ColumnElement[bool], of_nodes: bool) -> Select[float]:
    """Return the query for the least of a column over the notices that go by one of the ``channels``."""
    by = notice_addresses.c.kind.in_(bindparam("channels", expanding=True))
    may_take = _may_take(bindparam("node") if of_nodes else None)
    return select(func.min(column)).join_from(outbox, notice_addresses).where(by, may_take, when)


# Whichever is later of the two, over all rows, without a function that only some databases have; then with a node.
_EARLY = [_least(outbox.c.next_try, outbox.c.next_try >= notice_addresses.c.rest, one) for one in (False, True)]
_LATE = [_least(notice_addresses.c.rest, outbox.c.next_try < notice_addresses.c.rest, one) for one in (False, True)]


def next_try(c: Connection, channels: Collection[str], node: str | None = None) -> float | None:
    """Return when the next notice of these channels is due; None if none waits.

    With ``node`` only notices count that this node may take.
    """
    of_nodes = node is not None
    given = {"channels": list(channels), **({"node": node} if of_nodes else {})}
    found = (c.scalar(query[of_nodes], given) for query in (_EARLY, _LATE))
    return min((one for one in found if one is not None), default=None)


class Chooser(Protocol):
    """Decides which notices are taken (`tpserver.notices.lanes.Choice`)."""

    @property
    def excluded(self) -> Collection[int]:
        """The accounts whose notifications are not taken."""
        ...

    @property
    def is_full(self) -> bool:
        """True if no further notification may be taken."""
        ...

    def take(self, account: int, channel: str, target: str) -> bool:
        """Return whether to take a notice, and count it then."""
        ...


C = TypeVar("C", bound=Chooser)


def take(
    c: Connection,
    channels: Collection[str],
    choose: Callable[[], C],
    lease: float,
    now: float,
    node: str | None = None,
) -> tuple[list[Notice], C]:
    """Take due notices that a ``node`` may take, each for another address, and count the try.

    ``choose`` creates the chooser, which is returned, too. Notices for addresses that another node is serving are left
    to it. A taken notice is due again after ``lease`` seconds, unless its result is recorded before.
    """
    chooser = choose()
    due = _DUE.where(
        outbox.c.next_try <= now, notice_addresses.c.rest <= now, notice_addresses.c.kind.in_(channels)
    ).limit(LOOKED_AT)
    if node is not None:
        due = due.where(_may_take(node)).with_for_update(skip_locked=True, of=notice_addresses)
    found: dict[int, Notice] = {}
    for _ in range(LOOKS):
        rows = c.execute(due.where(notice_addresses.c.account.not_in(chooser.excluded))).all()
        for row in rows:
            if not chooser.is_full and row.address not in found and chooser.take(row.account, row.channel, row.target):
                found[row.address] = Notice(**{**row._asdict(), "tries": row.tries + 1})
        if chooser.is_full or len(rows) < LOOKED_AT:
            break  # otherwise those behind them, of other accounts, are looked at
    if found:
        ids = [notice.id for notice in found.values()]
        taken = {"next_try": now + lease, "tries": outbox.c.tries + 1, "taken": True}
        c.execute(update(outbox).where(outbox.c.id.in_(ids)).values(taken))
        resting = notice_addresses.c.id.in_(found)
        c.execute(update(notice_addresses).where(resting).values(rest=now + lease))
    return list(found.values()), chooser


def release(c: Connection, now: float) -> int:
    """Make notices due again that another process had taken when it ended; return their number."""
    ours = select(outbox.c.address).where(outbox.c.taken)
    c.execute(update(notice_addresses).where(notice_addresses.c.id.in_(ours)).values(rest=now))
    return c.execute(update(outbox).where(outbox.c.taken).values(next_try=now, taken=False)).rowcount


def delivered(c: Connection, notice: Notice, message: str, rest: float) -> None:
    """Record that a notification was delivered.

    ``message`` is the receiver's id of it. The contact gets no other one until ``rest``.
    """
    _rest(c, notice.address, rest, problem="")
    if notice.kind in (TURN, DEADLINE):
        c.execute(_same(update(outbox), notice).values(next_try=None, taken=False, message=message))
    else:
        c.execute(_same(delete(outbox), notice))


def put_off(c: Connection, notice: Notice, until: float, rest: float, *, problem: str | None = None) -> None:
    """Postpone a notice to ``until``. With a ``problem`` it has failed; without one the try does not count."""
    _rest(c, notice.address, rest, problem)
    tries = notice.tries if problem is not None else notice.tries - 1
    c.execute(_same(update(outbox), notice).values(next_try=until, taken=False, tries=tries))


def again(c: Connection, notice: Notice, at: float, rest: float) -> None:
    """Record that a notice was delivered or is not needed, and that the next of its kind is due at ``at``."""
    _rest(c, notice.address, rest, None)
    fresh = {"notice": secrets.token_hex(NOTICE_BYTES), "created": at, "next_try": at, "tries": 0, "taken": False}
    c.execute(_same(update(outbox), notice).values(fresh))


def drop(c: Connection, notice: Notice, now: float) -> None:
    """Record that a notification is no longer needed."""
    _rest(c, notice.address, now, None)
    if notice.kind in (TURN, DEADLINE):
        c.execute(_same(update(outbox), notice).values(next_try=None, taken=False))
    else:
        c.execute(_same(delete(outbox), notice))


def give_up(c: Connection, notice: Notice, problem: str, now: float) -> bool:
    """Record that nothing can be delivered to a contact.

    Return whether it still exists. It gets no notifications until its owner verifies it again.
    """
    values = {"state": "failing", "problem": problem, "rest": now}
    found = c.execute(update(notice_addresses).where(notice_addresses.c.id == notice.address).values(values)).rowcount
    c.execute(delete(outbox).where(outbox.c.address == notice.address))
    return found == 1


def _same(statement: Any, notice: Notice) -> Any:
    return statement.where(outbox.c.id == notice.id, outbox.c.notice == notice.notice)


def _rest(c: Connection, address: int, until: float, problem: str | None) -> None:
    values: dict[str, Any] = {"rest": until}
    if problem is not None:
        values["problem"] = problem
    c.execute(update(notice_addresses).where(notice_addresses.c.id == address).values(values))
