"""Restoring of a game: newest snapshot, later journal, other tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from tprules.api import Order, Ruleset, Seat, order_checks
from tprules.api.advance import load_state
from tprules.api.order_checks import State
from tprules.api.ruleset import from_stored_order
from tpserver.games.core.errors import GameError
from tpserver.games.core.game import Game
from tpserver.games.core.message_board import Board, board_of
from tpserver.games.core.next_turn import outcome_from
from tpserver.games.core.player import player_of
from tpserver.games.core.views import Projector, restore_times, waiting_view
from tpserver.games.terms.clock import parse_clock
from tpserver.games.terms.seat_policy import policy_from
from tpserver.games.turns import order_intake
from tpserver.rules.call_limits import LOAD_SECONDS, WATCHDOG, Caller
from tpserver.rules.descriptions import description_of
from tpserver.store.database import Reader
from tpserver.store.games import changes as stored_changes
from tpserver.store.games import journal as stored_journal
from tpserver.store.games.journal import (
    ABORT,
    AUTOPILOT,
    INSERT,
    MORE_TIME,
    ORDER_KINDS,
    OTHER_CLOCK,
    PLAYER,
    QUEUES,
    REPLACE,
    SEAT_POLICY,
    JournalEntry,
)
from tpserver.store.games.rows import GameRow


def read_game(
    store: Reader, row: GameRow, rules: Ruleset[Any], now: float, steady: Callable[[], float] = monotonic
) -> Game:
    """Return a game from the store. Raises GameError, TooSlow, or an error of the ruleset."""
    stored = store.read(stored_changes.stored_game, row.id)
    if stored is None:
        raise GameError("it has no snapshot")
    seats, snapshot, entries = stored.seats, stored.snapshot, stored.entries
    caller = Caller(row.id, row.ruleset)
    description, state = WATCHDOG.call(
        LOAD_SECONDS, lambda: (description_of(rules), load_state(rules, snapshot.state)), caller
    )
    game = Game(
        row=row,
        rules=rules,
        description=description,
        clock=parse_clock(row.clock),
        state=state,
        players=[player_of(row, seat) for seat in seats],
        policy=policy_from(row.policy),
        steady=steady,
        digest=snapshot.digest,
        outcome=outcome_from(snapshot.outcome),
        banks={seat.seat: seat.bank for seat in seats if seat.bank is not None},
        snapshot_entry=snapshot.journal_number,
        last_entry=entries[-1].number if entries else snapshot.journal_number,
    )
    game.turn_began = max(snapshot.at, row.started or 0.0)
    game.first_stamp = game.state.stamp
    game.propose(stored.proposals)
    if stored.closing is not None and stored.closing.kind == "close":
        game.can_go_back = stored.closing.body.get("open", False) is True
        game.waited = {seat: float(seconds) for seat, seconds in stored.closing.body.get("waited", ())}
    for vacation in stored.vacations:
        seat = game.seat_of(vacation.account)
        if seat is not None:
            game.players[seat].vacations = (*game.players[seat].vacations, vacation)
    if row.state == "paused":
        paused = store.read(stored_journal.newest, row.id, "pause")
        game.paused_by_players = paused is not None and paused.body is not None
    for entry in entries:
        if entry.kind in ("seat", PLAYER) and entry.seat is not None:
            # The records have the changes after the start.
            since = int(entry.at) if game.started else game.next_player_time(entry.seat, entry.at)
            game.players[entry.seat].since = since
            game.waited.pop(entry.seat, None)
    if row.anonymous and game.over:  # all got their names then
        ended = int(max(snapshot.at, *(entry.at for entry in entries if entry.kind == ABORT), 0))
        for player in game.players:
            player.since = max(player.since, ended)
    for player in game.players:
        number = player.seat + 1
        game.boards[number] = Board(number, 0, stored.last_numbers.get(number, 0))
    for message in stored.listed:
        game.boards[message.board].put(message)
    game.spectators = board_of(len(game.players) + 1, stored.spectator_letters, game.modtime, int(now))
    for board in game.boards.values():
        # Each added or removed message, and each new player, has raised the modification time by one, or to the
        # present.
        changes = 2 * board.last - len(board) + sum(1 for seat in seats if seat.name)
        board.modtime = int(now) + changes
    WATCHDOG.call(LOAD_SECONDS, lambda: _project(game, stored.views, int(now)), caller)
    for entry in entries:
        if entry.kind in ORDER_KINDS:
            again(rules, game.state, entry)
            game.order_entries += 1
            _show_change(game, entry)
    # A finished mark during the save of a turn follows the closing in the journal, but belongs to the turn before.
    for entry in entries:
        if entry.turn != game.state.turn:
            continue
        if entry.kind in (MORE_TIME, OTHER_CLOCK) and entry.body["maker"]:
            game.counts.clock_changes += 1
            if entry.kind == MORE_TIME:
                game.counts.note_given(entry.body["seconds"])
        if entry.kind == SEAT_POLICY and entry.body["maker"]:
            game.counts.policy_changes += 1
        if entry.seat is None:
            continue
        if entry.kind == "finished":
            game.finished |= {entry.seat}
            if entry.body:
                game.used[entry.seat] = float(entry.body)
        elif entry.kind == AUTOPILOT and entry.body["turns"]:
            game.counts.autopilots[entry.seat] += 1
        elif entry.kind == PLAYER:
            game.forget_player(entry.seat)
        elif entry.kind == "unfinished":
            game.finished -= {entry.seat}
            game.used.pop(entry.seat, None)
            game.counts.unfinished[entry.seat] += 1
    return game


def _show_change(game: Game, entry: JournalEntry) -> None:
    """Update the views after an entry about orders.

    The result is the same as if a client had fetched them after each change. So no modification time is earlier than
    before.
    """
    times = entry.body["times"] if entry.kind == QUEUES else [[entry.seat, entry.body[0], 0]]
    for seat, on, time in times:
        game.reordered[on] = seat
        order_intake.show_queue(game, seat, on, entry.at)
        view = game.views[seat]
        if on in view.objects:
            view.changed[on] = max(view.time(on), time)
        view.tell(on)


def _project(game: Game, blobs: Mapping[Seat | None, bytes | None], now: int) -> None:
    """Project the views of a game and restore their times from the stored views, ``blobs``."""
    if not game.started:
        for player in game.players:
            game.views[player.seat] = waiting_view(game.rules, player.seat, game.modtime)
        return
    projector = Projector(game.rules, game.description, game.state)
    for seat, blob in blobs.items():
        if seat is None and blob is None:
            continue  # the game had no spectator
        view = projector.view(seat, None, now)
        if blob is not None:
            restore_times(view, blob, game.mark)
        game.views[seat] = view
    game.projected = projector.done()


def change_of(rules: Ruleset[Any], state: State[Any], entry: JournalEntry) -> order_checks.Change:
    """Return the change that an entry of kind insert, replace or remove made to ``state``."""
    if entry.kind in (INSERT, REPLACE):
        on, name, args, draft, slot = entry.body
        order = from_stored_order(rules, Order(_seat(entry), on, name, args, 0, draft))
        replayed = order_checks.replayed_insertion if entry.kind == INSERT else order_checks.replayed_replacement
        return replayed(state, order, slot)
    on, slot = entry.body
    return order_checks.replayed_removal(state, on, slot)


def again(rules: Ruleset[Any], state: State[Any], entry: JournalEntry) -> None:
    """Apply an entry about orders to ``state``."""
    if entry.kind == QUEUES:
        state.stamp = entry.body["stamp"]
        state.queues = {
            on: [from_stored_order(rules, Order.load(order)) for order in queue] for on, queue in entry.body["queues"]
        }
        state.planned.clear()
    else:
        order_checks.apply(state, change_of(rules, state, entry))


def _seat(entry: JournalEntry) -> Seat:
    if entry.seat is None:
        raise ValueError(f"journal entry {entry.number} of kind {entry.kind} names no seat")
    return entry.seat
