"""Changes of a game that one transaction writes."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection

from tpserver.store import reliability
from tpserver.store.games import (
    boards,
    journal,
    outbox,
    ownership,
    proposals,
    scores,
    snapshots,
    spectator_letters,
    summaries,
    vacations,
    views,
)
from tpserver.store.games import rows as games
from tpserver.store.games.boards import Delivery, StoredMessage
from tpserver.store.games.journal import JournalEntry
from tpserver.store.games.outbox import TurnBegins
from tpserver.store.games.ownership import Creator
from tpserver.store.games.proposals import Proposal
from tpserver.store.games.rows import GameRow, SeatRow
from tpserver.store.games.scores import Rows
from tpserver.store.games.snapshots import Snapshot
from tpserver.store.games.summaries import TurnReport
from tpserver.store.games.vacations import Vacation


@dataclass(frozen=True, slots=True)
class CompactedOrders:
    """A journal entry that replaces the ``replaced`` entries about orders with numbers above ``after``.

    ``body`` returns the entry's body as JSON. It is called in the writer's thread, as there may be many orders.
    """

    entry: JournalEntry
    body: Callable[[], str]
    after: int
    replaced: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GameChanges:
    """Changes of a game; omitted fields stay unchanged.

    ``columns`` are those of the game's row. ``seat`` is an open seat as it is taken, ``banks`` are the time banks of
    seats. ``player`` is the new player of a seat. ``removed_account`` was removed. ``owner`` is the new owner: an
    account, or None for the operator. ``records`` are the new records of seats. ``due`` has the accounts from which a
    turn was due, and whether each kept it. With ``due_counts_later`` that counts at the end of the game.

    ``views`` are the stored views by seat (None: spectators). ``summary`` is a new turn with the reports to each seat,
    ``scores`` a new turn with the scores. ``removed`` has the numbers of messages by board. ``proposals`` are new, or
    have new votes or another state. ``forgotten`` has the numbers of removed ones. ``reminded`` are the seats that get
    another notification that their turn awaits them. ``begins`` has the awaited seats of a new turn. Notifications
    follow from these fields and the columns. ``at`` is the time of the change in UTC unix seconds.
    """

    entry: JournalEntry | None = None
    compacted: CompactedOrders | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    seat: SeatRow | None = None
    player: SeatRow | None = None
    removed_account: int | None = None
    owner: tuple[int | None] | None = None
    banks: Mapping[int, float | None] = field(default_factory=dict)
    records: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    due: Mapping[int, bool] = field(default_factory=dict)
    due_counts_later: bool = False
    snapshot: Snapshot | None = None
    views: Mapping[int | None, bytes] = field(default_factory=dict)
    delivery: Delivery | None = None
    summary: tuple[int, Mapping[int | None, Sequence[TurnReport]]] | None = None
    scores: tuple[int, Mapping[int | None, Rows]] | None = None
    removed: Mapping[int, Sequence[int]] = field(default_factory=dict)
    proposals: Sequence[Proposal] = ()
    forgotten: Sequence[int] = ()
    reminded: Collection[int] = ()
    begins: TurnBegins | None = None
    at: float = 0.0


_TOLD = frozenset({"turn", "state", "deadline"})
"""Columns of a game that the notifications of its players depend on."""


def save(c: Connection, game: int, changes: GameChanges) -> None:
    """Write the changes of a game. Raises the errors of the functions called, such as StoreError."""
    if (compacted := changes.compacted) is not None:
        journal.replace_orders(c, compacted.entry, compacted.body(), compacted.after, compacted.replaced)
    if changes.entry is not None:
        journal.append(c, changes.entry)
    if (seat := changes.seat) is not None:
        games.take_seat(c, game, seat.seat, seat.account, seat.name, bot=seat.bot)
    if (player := changes.player) is not None:
        games.set_player(c, game, player.seat, player.account, player.name, bot=player.bot)
    if changes.removed_account is not None:
        ownership.remove_player(c, game, changes.removed_account)
    if changes.owner is not None:
        ownership.hand_over(c, game, *changes.owner)
    if changes.snapshot is not None:
        snapshots.put(c, changes.snapshot)
    games.update(c, game, **changes.columns)
    games.set_banks(c, game, changes.banks)
    games.set_records(c, game, changes.records)
    if changes.due_counts_later:
        reliability.count_at_end(c, game, changes.due)
    else:
        reliability.count(c, changes.due)
    if changes.columns.get("state") == "over":
        reliability.count_hidden(c, game)
    views.put_all(c, game, changes.views)
    if changes.delivery is not None:
        boards.deliver(c, changes.delivery)
    if changes.summary is not None:
        summaries.put(c, game, *changes.summary)
    if changes.scores is not None:
        scores.put(c, game, *changes.scores)
    for proposal in changes.proposals:
        proposals.put(c, proposal)
    if changes.forgotten:
        proposals.forget(c, game, changes.forgotten)
    for board, numbers in changes.removed.items():
        boards.remove(c, game, board, numbers)
    if changes.begins is not None or not _TOLD.isdisjoint(changes.columns):
        outbox.note(c, game, changes.begins, changes.at)
    if changes.reminded:
        outbox.remind(c, game, changes.reminded, changes.at)


def create_game(
    c: Connection, /, name: str, opening: Snapshot, *, creator: Creator | None = None, now: float, **values: Any
) -> GameRow:
    """Add a game with the snapshot of its opening.

    The ``game`` of the snapshot is ignored. ``values`` are those of ``games.create``. Raises NameTaken, and
    TooManyGames for an account that has created too many.
    """
    made = games.create(c, name, now=now, **values)
    if creator is not None:
        ownership.add(c, made.id, creator, now)
    snapshots.put(c, replace(opening, game=made.id))
    return made


def hold(c: Connection, held: Iterable[tuple[GameRow, str]], subject: str, body: str, at: float) -> None:
    """Suspend games, each for a reason (for the operator only), and notify their players on each board."""
    for row, reason in held:
        number = journal.last_number(c, row.id) + 1
        journal.append(c, JournalEntry(row.id, number, row.turn, at, None, "hold", {"reason": reason}))
        games.update(c, row.id, state="held", held_reason=reason, deadline=None, due=None, **games.AWAKE)
        last = boards.last_numbers(c, row.id)
        boards.post_all(
            c,
            [
                StoredMessage(
                    game=row.id,
                    board=seat.seat + 1,
                    number=last.get(seat.seat + 1, 0) + 1,
                    turn=row.turn,
                    at=at,
                    sender=None,
                    subject=subject,
                    body=body,
                    references=[],
                )
                for seat in games.seats(c, row.id)
            ],
        )


def move(c: Connection, moved: Iterable[tuple[int, Mapping[str, Any]]], at: float) -> None:
    """Set columns of games that are not in memory, by id, and update the notifications of their deadlines."""
    for game, columns in moved:
        games.update(c, game, **columns)
        outbox.note(c, game, None, at)


@dataclass(frozen=True, slots=True)
class StoredGame:
    """All data to restore a game: its newest snapshot, and the data stored with it and after it."""

    seats: list[SeatRow]
    snapshot: Snapshot
    entries: list[JournalEntry]
    """Journal entries after the snapshot."""
    listed: list[boards.Listed]
    last_numbers: dict[int, int]
    """The highest number ever used on each board."""
    views: dict[int | None, bytes | None]
    proposals: list[Proposal]
    vacations: list[Vacation]
    """The vacations of the accounts with a seat."""
    spectator_letters: list[tuple[int, int, int]]
    """Number, account and bytes of the spectators' messages."""
    closing: JournalEntry | None
    """The entry with which the snapshot was saved; None at the opening."""


def stored_game(c: Connection, game: int) -> StoredGame | None:
    """Return everything stored of a game; None if it has no snapshot."""
    snapshot = snapshots.newest(c, game)
    if snapshot is None:
        return None
    seats = games.seats(c, game)
    return StoredGame(
        seats,
        snapshot,
        journal.after(c, game, snapshot.journal_number),
        boards.listing(c, game),
        boards.last_numbers(c, game),
        {seat: views.get(c, game, seat) for seat in (None, *(row.seat for row in seats))},
        proposals.of_game(c, game),
        vacations.of_accounts(c, [row.account for row in seats if row.account is not None]),
        spectator_letters.listing(c, game),
        journal.by_number(c, game, snapshot.journal_number),
    )
