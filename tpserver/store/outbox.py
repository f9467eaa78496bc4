"""The outbox: notices that are to be delivered, written in the transaction of what they tell.

A row is a notice of one kind, for one address, about one game. While it waits it has a ``next_try``; a newer notice
takes its place, delivered or not, so there are never more rows than addresses times games. Who delivers takes rows
first, and whatever it then finds out about one counts only if that is still the same notice.

In a cluster a notice is taken by the node that holds its game, as that knows who is there, and one of no game by any.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, delete, func, insert, select, true, update

from tpserver.day_times import DayTimes
from tpserver.store import games, nodes
from tpserver.store.tables import (
    notice_addresses,
    notice_times,
    notice_wishes,
    outbox,
    seats,
)

TURN, DEADLINE, OVER, DIGEST, CODE = "turn", "deadline", "over", "digest", "code"
"""Kinds of notices: a turn awaits its player, it ends soon, a game is over, all games that await their player, and the
code that shows whose an address is."""

NO_GAME = 0
NOTICE_BYTES = 12


@dataclass(frozen=True, slots=True)
class TurnBegins:
    """A turn that begins: the seats that are ``awaited`` in it, and those that were ``absent``, which is that they had
    not finished the one before."""

    awaited: Collection[int]
    absent: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice that was taken from the outbox, and the address where it goes.

    ``notice`` identifies it, in every try.  ``message`` is what the receiver calls a message that this one may take
    the place of; empty: none.  ``tries`` counts this one.  ``created`` is from when on it is to be told, which may be
    long after it was written: from then on it grows old.
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
    """An address of a player, and what is wanted there."""

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
# Compiled once: it runs in every closing of every game, most of which have nobody to tell.
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
    """Write what the players of a game are to be told, after its row was changed: a turn begins, its end was moved, or
    the game is over."""
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
    """Write that these seats are to be told once more that the present turn awaits them, where they want to be told of
    each turn; who wants that once a day is told of it so."""
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
            # Whoever has not come since the last message is not rung up again: that message is changed.
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
    """Write when to tell of the end of the turn, which may have been moved: so long before the turn is due, as players
    count its time.

    Of a turn that is told of, or that somebody is just told of, nothing more is. One that is shorter is told of as it
    begins, if at all: that is noted by a row without a try, so that nobody is told when its end moves a little.
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
    """Write notices, each for a recipient, with the time of its first try (None: there is to be none) and the message
    that it may replace."""
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
    """Write that an address is to be sent its code, in place of an earlier one."""
    c.execute(delete(outbox).where(outbox.c.address == address, outbox.c.kind == CODE))
    values = {"turn": 0, "created": now, "next_try": now, "tries": 0, "taken": False, "message": ""}
    notice = secrets.token_hex(NOTICE_BYTES)
    c.execute(_INSERT, [{"game": NO_GAME, "address": address, "kind": CODE, "notice": notice, **values}])


# --- looking from outside ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OutboxState:
    """How the outbox is: notices that ``wait``, those of them that are ``due``, those that were tried in vain, when the
    oldest of these was written (unix seconds; None if there are none), and addresses that are given up."""

    waiting: int
    due: int
    failed: int
    oldest: float | None
    given_up: int


def state_of(c: Connection, now: float) -> OutboxState:
    """Return how the outbox is."""
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
    """Return when the next notice is due that goes by one of these channels, and that a ``node`` may take; None if none
    waits."""
    of_nodes = node is not None
    given = {"channels": list(channels), **({"node": node} if of_nodes else {})}
    found = (c.scalar(query[of_nodes], given) for query in (_EARLY, _LATE))
    return min((one for one in found if one is not None), default=None)


def take(
    c: Connection, channels: Collection[str], most: int, lease: float, now: float, node: str | None = None
) -> list[Notice]:
    """Take at most ``most`` notices that are due and that a ``node`` may take, each for another address, and count the
    try.

    Those for addresses that another node is just taking some for are left to it.  They are due again after ``lease``
    seconds, if nobody has said what has become of them.
    """
    due = _DUE.where(
        outbox.c.next_try <= now, notice_addresses.c.rest <= now, notice_addresses.c.kind.in_(channels)
    ).limit(4 * most)
    if node is not None:
        due = due.where(_may_take(node)).with_for_update(skip_locked=True, of=notice_addresses)
    found: dict[int, Notice] = {}
    for row in c.execute(due):
        if len(found) < most:
            found.setdefault(row.address, Notice(**{**row._asdict(), "tries": row.tries + 1}))
    if found:
        ids = [notice.id for notice in found.values()]
        taken = {"next_try": now + lease, "tries": outbox.c.tries + 1, "taken": True}
        c.execute(update(outbox).where(outbox.c.id.in_(ids)).values(taken))
        resting = notice_addresses.c.id.in_(found)
        c.execute(update(notice_addresses).where(resting).values(rest=now + lease))
    return list(found.values())


def release(c: Connection, now: float) -> int:
    """Make due what another process had taken when it ended; return how many notices those are."""
    ours = select(outbox.c.address).where(outbox.c.taken)
    c.execute(update(notice_addresses).where(notice_addresses.c.id.in_(ours)).values(rest=now))
    return c.execute(update(outbox).where(outbox.c.taken).values(next_try=now, taken=False)).rowcount


def delivered(c: Connection, notice: Notice, message: str, rest: float) -> None:
    """Note that a notice was delivered, and what the receiver calls its message; the address rests until ``rest``."""
    _rest(c, notice.address, rest, problem="")
    if notice.kind in (TURN, DEADLINE):
        c.execute(_same(update(outbox), notice).values(next_try=None, taken=False, message=message))
    else:
        c.execute(_same(delete(outbox), notice))


def put_off(c: Connection, notice: Notice, until: float, rest: float, *, problem: str | None = None) -> None:
    """Note that a notice is tried at ``until``; with a ``problem`` because it failed, else the try does not count."""
    _rest(c, notice.address, rest, problem)
    tries = notice.tries if problem is not None else notice.tries - 1
    c.execute(_same(update(outbox), notice).values(next_try=until, taken=False, tries=tries))


def again(c: Connection, notice: Notice, at: float, rest: float) -> None:
    """Note that a notice was delivered or is not needed, and that the next of its kind is due at ``at``."""
    _rest(c, notice.address, rest, None)
    fresh = {"notice": secrets.token_hex(NOTICE_BYTES), "created": at, "next_try": at, "tries": 0, "taken": False}
    c.execute(_same(update(outbox), notice).values(fresh))


def drop(c: Connection, notice: Notice, now: float) -> None:
    """Note that a notice is not needed any more."""
    _rest(c, notice.address, now, None)
    if notice.kind in (TURN, DEADLINE):
        c.execute(_same(update(outbox), notice).values(next_try=None, taken=False))
    else:
        c.execute(_same(delete(outbox), notice))


def give_up(c: Connection, notice: Notice, problem: str, now: float) -> bool:
    """Note that nothing can be delivered at an address: it gets no notices until its owner shows again whose it is.

    Return whether that address is still there.
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
