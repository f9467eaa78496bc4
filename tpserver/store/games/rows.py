"""Games and their seats."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, insert, select
from sqlalchemy import delete as delete_rows
from sqlalchemy import update as update_rows

from tpserver.store import audit, tables
from tpserver.store.audit import AuditEntry
from tpserver.store.errors import NameTaken, StoreError
from tpserver.store.games import ownership
from tpserver.store.tables import name_key


@dataclass(frozen=True, slots=True)
class GameRow:
    """One game.

    ``ruleset_version`` is that of the newest snapshot. ``join`` is "open" or "invited"; ``state`` is "waiting",
    "running", "paused", "held" or "over", with ``held_reason`` empty unless held. ``created``, ``started`` and
    ``deadline`` are in UTC unix seconds. ``bots`` is the number of seats meant for bots.

    The turn is ``due`` when its time is up. It ends at the ``deadline``, which is later by grace and time banks.
    ``left`` is the seconds left until it was due when the game was paused. ``ran`` is the last time at which its clock
    is known to have run.

    ``policy`` is its rule for absent players (`tpserver.games.terms.seat_policy`). ``press`` is its rule for messages
    of players, None in old games (`tpserver.games.terms.chat_rules`). ``anonymous`` hides its players until it is over
    (`tpserver.games.terms.anonymity`). ``watch_delay`` is the number of turns by which spectators see it later, None in
    old games (`tpserver.games.terms.delay`). ``guests`` is its rule for guests, None in old games
    (`tpserver.games.terms.guests`).

    While it is not in memory, ``resting`` is its summary as JSON (`tpserver.games.hall.summary`). ``wake`` is the
    latest time to load it, in UTC unix seconds; None: nothing is due. Its clock runs then, and ``ran`` has no meaning.
    ``resting`` becomes None with its first change in memory. From then on only the game itself is up to date, and after
    a crash its journal.
    """

    id: int
    name: str
    ruleset: str
    ruleset_version: int
    options: dict[str, Any]
    seed: bytes
    clock: str
    join: str
    state: str
    held_reason: str
    turn: int
    created: float
    started: float | None
    deadline: float | None
    left: float | None
    bots: int
    due: float | None = None
    ran: float | None = None
    policy: dict[str, Any] | None = None
    press: str | None = None
    anonymous: bool | None = None
    watch_delay: int | None = None
    guests: str | None = None
    wake: float | None = None
    resting: str | None = None

    def next_end(self, now: float) -> float | None:
        """Return the end of the running turn, as players see it; None without a deadline.

        That is the time at which the turn is due. Once that has passed, it is the end of grace and time banks. The
        result is None if the game does not run.
        """
        if self.state != "running" or self.deadline is None:
            return None
        return self.due if self.due is not None and now < self.due else self.deadline


@dataclass(frozen=True, slots=True)
class SeatRow:
    """One seat, counted from 0; open while ``account`` is None and ``name`` is empty.

    ``bank`` is the seconds in its time bank as the turn began; None: as many as at the beginning. ``record`` is what
    is kept of its turns (`tpserver.games.terms.seat_policy`).
    """

    game: int
    seat: int
    account: int | None
    name: str
    bot: bool
    bank: float | None = None
    record: dict[str, Any] | None = None

    @property
    def empty(self) -> bool:
        """True if the seat is open."""
        return self.account is None and not self.name


_OF_THE_STORE = ("name_key", "node", "epoch")
_SELECT = select(*(column for column in tables.games.c if column.name not in _OF_THE_STORE))
_SELECT_SEATS = select(tables.seats).order_by(tables.seats.c.game, tables.seats.c.seat)

IDS_AT_ONCE = 500
"""Maximum ids in a statement."""

LACKING = "lacking"
"""Key of a connection's ``info`` with the columns that the tables of an older version lack."""


def there(c: Connection, query: Select[Any]) -> Select[Any]:
    """Return a query without the columns that the tables of this connection lack."""
    lacking = c.info.get(LACKING)
    if not lacking:
        return query
    there = (column for column in query.selected_columns if f"{column.table.name}.{column.name}" not in lacking)
    return query.with_only_columns(*there)


def _read(c: Connection, query: Select[Any]) -> Iterator[GameRow]:
    return (GameRow(**row) for row in c.execute(there(c, query)).mappings().all())


def _read_seats(c: Connection, query: Select[Any]) -> list[SeatRow]:
    return [SeatRow(**row) for row in c.execute(there(c, query)).mappings()]


def create(
    c: Connection,
    name: str,
    *,
    ruleset: str,
    ruleset_version: int,
    options: Mapping[str, Any],
    seed: bytes,
    clock: str,
    join: str,
    seats: int,
    bots: int = 0,
    policy: Mapping[str, Any] | None = None,
    press: str | None = None,
    anonymous: bool = False,
    watch_delay: int | None = None,
    guests: str | None = None,
    now: float,
) -> GameRow:
    """Add a game that waits for players and return it. Raises NameTaken if the name exists, ignoring case."""
    if by_name(c, name) is not None:
        raise NameTaken("a game", name)
    values: dict[str, Any] = {
        "name": name,
        "ruleset": ruleset,
        "ruleset_version": ruleset_version,
        "options": dict(options),
        "seed": seed,
        "clock": clock,
        "join": join,
        "state": "waiting",
        "held_reason": "",
        "turn": 0,
        "created": now,
        "bots": bots,
        "policy": None if policy is None else dict(policy),
        "press": press,
        "anonymous": anonymous,
        "watch_delay": watch_delay,
        "guests": guests,
        "wake": 0.0,
    }
    added = c.execute(insert(tables.games).values(name_key=name_key(name), **values).returning(tables.games.c.id))
    game = added.scalar_one()
    empty = [{"game": game, "seat": seat, "account": None, "name": "", "bot": False} for seat in range(seats)]
    if empty:
        c.execute(insert(tables.seats), empty)
    return GameRow(id=game, started=None, deadline=None, left=None, **values)


def by_name(c: Connection, name: str) -> GameRow | None:
    """Return the game of this name, ignoring case; None if there is none."""
    return next(_read(c, _SELECT.where(tables.games.c.name_key == name_key(name))), None)


def by_id(c: Connection, game: int) -> GameRow | None:
    """Return the game with this id; None if there is none."""
    return next(_read(c, _SELECT.where(tables.games.c.id == game)), None)


def all(c: Connection, only: Collection[int] | None = None) -> list[GameRow]:  # noqa: A001 - always read as games.all
    """Return every game, or only those with these ids, oldest first."""
    query = _SELECT if only is None else _SELECT.where(tables.games.c.id.in_(only))
    return list(_read(c, query.order_by(tables.games.c.id)))


def seats(c: Connection, game: int) -> list[SeatRow]:
    """Return the seats of a game in order, taken and open."""
    return _read_seats(c, _SELECT_SEATS.where(tables.seats.c.game == game))


def seats_by_game(c: Connection, only: Collection[int] | None = None) -> dict[int, list[SeatRow]]:
    """Return the seats of all games, or only of those with these ids, by game id."""
    found: dict[int, list[SeatRow]] = {}
    query = _SELECT_SEATS if only is None else _SELECT_SEATS.where(tables.seats.c.game.in_(only))
    for seat in _read_seats(c, query):
        found.setdefault(seat.game, []).append(seat)
    return found


def with_removed_players(c: Connection) -> set[int]:
    """Return the ids of the games that are not over and in which removed accounts have seats."""
    seats, games, accounts = tables.seats, tables.games, tables.accounts
    query = select(seats.c.game).join(accounts, accounts.c.id == seats.c.account)
    query = query.join(games, games.c.id == seats.c.game)
    return set(c.scalars(query.where(accounts.c.removed.is_not(None), games.c.state != "over")))


def with_seat_of(c: Connection, account: int) -> set[int]:
    """Return the ids of the games in which an account has a seat."""
    return set(c.scalars(select(tables.seats.c.game).where(tables.seats.c.account == account)))


def due(c: Connection, until: float) -> list[int]:
    """Return the ids of the games to load by then if they are not in memory, the earliest first."""
    games = tables.games
    return list(c.scalars(select(games.c.id).where(games.c.wake <= until).order_by(games.c.wake, games.c.id)))


def next_wake(c: Connection) -> float | None:
    """Return when the next hibernated game has to be loaded; None if nothing is due."""
    wake: float | None = c.scalar(select(func.min(tables.games.c.wake)))
    return wake


def seat_names(c: Connection, only: Collection[int] | None = None) -> dict[int, tuple[str, ...]]:
    """Return the names of the players of all games, or only of those with these ids, by seat; empty: it is open."""
    seats = tables.seats
    query = select(seats.c.game, seats.c.name).order_by(seats.c.game, seats.c.seat)
    found: dict[int, list[str]] = {}
    for game, name in c.execute(query if only is None else query.where(seats.c.game.in_(only))).all():
        found.setdefault(game, []).append(name)
    return {game: tuple(names) for game, names in found.items()}


def take_seat(c: Connection, game: int, seat: int, account: int | None, name: str, *, bot: bool = False) -> None:
    """Give an open seat to an account (None: a bot of the server itself) under ``name``.

    Raises StoreError, code ``seat-taken``, if the seat is taken or does not exist. Raises sqlalchemy's IntegrityError
    if the account has a seat in the game already.
    """
    seats = tables.seats
    is_open = seats.c.account.is_(None) & (seats.c.name == "")
    change = update_rows(seats).where(seats.c.game == game, seats.c.seat == seat, is_open)
    if c.execute(change.values(account=account, name=name, bot=bot)).rowcount != 1:
        raise StoreError(f"Seat {seat} of game {game} is taken, or there is no such seat.", code="seat-taken")
    ownership.note_player(c, game, account)


def set_player(c: Connection, game: int, seat: int, account: int | None, name: str, *, bot: bool) -> None:
    """Give a seat to another player, or to a bot of the server; with an empty name it is open.

    Raises sqlalchemy's IntegrityError if the account has a seat in the game already.
    """
    seats = tables.seats
    change = update_rows(seats).where(seats.c.game == game, seats.c.seat == seat)
    c.execute(change.values(account=account, name=name, bot=bot))
    if name:
        ownership.note_player(c, game, account)


def set_banks(c: Connection, game: int, banks: Mapping[int, float | None]) -> None:
    """Set the seconds in the time banks of seats."""
    seats = tables.seats
    for seat, seconds in banks.items():
        c.execute(update_rows(seats).where(seats.c.game == game, seats.c.seat == seat).values(bank=seconds))


def set_records(c: Connection, game: int, records: Mapping[int, Mapping[str, Any]]) -> None:
    """Set the records of seats."""
    seats = tables.seats
    for seat, record in records.items():
        c.execute(update_rows(seats).where(seats.c.game == game, seats.c.seat == seat).values(record=dict(record)))


AWAKE: Mapping[str, Any] = {"resting": None, "wake": None}
"""The columns of a game that has changed in memory."""


def set_awake(c: Connection, game: int, columns: Mapping[str, Any]) -> None:
    """Record that a game changes, so that only the game in memory, or its journal, is up to date."""
    update(c, game, **columns)


def rest(c: Connection, rested: Sequence[tuple[int, str, float | None]], holder: str | None = None) -> None:
    """Save the summaries of games that leave memory.

    Each has the id of the game, the summary and the time to load it. In a cluster only games that this node holds are
    saved.
    """
    games = tables.games
    change = (
        update_rows(games)
        .where(games.c.id == bindparam("which"), *([] if holder is None else [games.c.node == holder]))
        .values(resting=bindparam("told"), wake=bindparam("at"))
    )
    if rested:
        c.execute(change, [{"which": game, "told": told, "at": at} for game, told, at in rested])


def clocks_run(c: Connection, now: float, games: Collection[int], holder: str | None = None) -> None:
    """Record that the clocks of these games, and of all hibernated ones, have run until ``now``.

    In a cluster, only games of the node ``holder`` count.
    """
    rows, clocks = tables.games, tables.game_clocks
    ids = list(games)
    for first in range(0, len(ids), IDS_AT_ONCE):
        some = rows.c.id.in_(ids[first : first + IDS_AT_ONCE])
        running = (rows.c.state == "running") & rows.c.deadline.is_not(None)
        if holder is not None:
            running &= rows.c.node == holder
        c.execute(update_rows(rows).where(some, running).values(ran=now))
    if not c.execute(update_rows(clocks).values(ran=now)).rowcount:
        c.execute(insert(clocks).values(id=1, ran=now))


def clocks_ran(c: Connection) -> float | None:
    """Return the last time at which the clocks of games not in memory are known to have run; None if unknown."""
    ran: float | None = c.scalar(select(tables.game_clocks.c.ran))
    return ran


def wake_all(c: Connection, stood_since: float | None) -> None:
    """Mark the games that a starting server has to load at once.

    They are the games without a valid summary. With ``stood_since``, the time since which their clocks could not run,
    they are also all games whose turns have deadlines.
    """
    games = tables.games
    if stood_since is not None:
        standing = (games.c.state == "running") & games.c.deadline.is_not(None) & games.c.resting.is_not(None)
        c.execute(update_rows(games).where(standing).values(ran=stood_since, **AWAKE))
    unknown = games.c.state.in_(("waiting", "running")) & games.c.resting.is_(None)
    c.execute(update_rows(games).where(unknown).values(wake=0.0))


def clock_stands(c: Connection, game: int, since: float) -> None:
    """Record that a game cannot be read, so that its clock stops; it stopped at ``since`` if it ran until then."""
    games = tables.games
    rested = (games.c.id == game) & games.c.resting.is_not(None)
    c.execute(update_rows(games).where(rested).values(ran=since, resting=None))


def rename(c: Connection, game: int, name: str, entry: AuditEntry | None = None) -> None:
    """Give a game another name, with an ``entry`` for the audit.

    Raises NameTaken if another game has the name, ignoring case.
    """
    other = by_name(c, name)
    if other is not None and other.id != game:
        raise NameTaken("a game", name)
    update(c, game, name=name, name_key=name_key(name))
    if entry is not None:
        audit.add(c, entry)


def delete(c: Connection, game: int) -> None:
    """Remove a game and all its data from every table, except reported messages."""
    for table in reversed(tables.metadata.sorted_tables):
        if "game" in table.c and table is not tables.reported_letters:
            c.execute(delete_rows(table).where(table.c.game == game))
    c.execute(delete_rows(tables.games).where(tables.games.c.id == game))


def update(c: Connection, game: int, **columns: Any) -> None:
    """Change columns of a game. Raises StoreError, code ``no-such-game``."""
    if columns and c.execute(update_rows(tables.games).where(tables.games.c.id == game).values(columns)).rowcount != 1:
        raise StoreError(f"There is no game with the number {game}.", code="no-such-game")
