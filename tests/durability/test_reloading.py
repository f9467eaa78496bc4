"""Reload of a game after a kill at the worst moment: nothing has changed.

The game that is read from the store equals the game that was in memory. The store of these tests commits when the test
says so. So each test can stop between a change and its saving. A kill is a second registry that reads the database of
the first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from tests.support.server_in_memory import DelayedStore
from tpserver.concurrency import at_once
from tpserver.games.core.game import Game
from tpserver.games.core.saving import NotSaved
from tpserver.games.core.time_left import TimeLeft
from tpserver.games.hall import messages
from tpserver.games.hall.game_factory import NewGame
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.hall.stale_games import FIRST_RETRY_SECONDS, RETRY_SECONDS
from tpserver.games.terms.seat_policy import WAITS_FOR_ALL, SeatPolicy
from tpserver.games.turns import order_intake
from tpserver.rules.discovery import discover
from tpserver.store import Store, StoreError
from tpserver.store.games import boards as stored_boards
from tpserver.store.games import journal
from tpserver.store.games import rows as stored_games
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people.accounts import Account
from tpserver.store.schema import configuration, newest_version

T = TypeVar("T")

EPOCH = 1_800_000_000.0
HOMES = (2, 3)
"""Of the two players of `auction`."""
FLEETS = (4, 10)
"""Of the first of two players of `synthetic`."""


class Table:
    """One game of two on a registry of its own."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.before = 0.0
        """Seconds from EPOCH to the time when the registry was opened."""
        self.open()

    def open(self) -> None:
        """Begin with what the database has."""
        self.clock = Clock()
        self.opened = Store.open(self.url, reactor=None)
        self.store = DelayedStore(self.opened)
        late: Any = self.store
        timers: Any = self.clock
        self.registry = GameRegistry(
            late, discover(), timers, at_once, lambda: EPOCH + self.before + self.clock.seconds()
        )

    def close(self) -> None:
        """Forget everything that is not saved, as a kill does."""
        self.registry.clocks.stop()
        self.opened.close()

    def killed(self, seconds: float = 0.0) -> Game:
        """Read the game again, as the next server does, which runs that much later."""
        self.close()
        self.before += self.clock.seconds() + seconds
        self.open()
        self.registry.load_all()
        return self.registry.named("game")

    def result(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end, saving whatever it waits for."""
        results: list[T | Failure] = []
        Deferred.fromCoroutine(work).addBoth(results.append)
        self.store.commit()
        (result,) = results
        if isinstance(result, Failure):
            result.raiseException()
        return result

    def begin(
        self,
        clock: str = "all-done",
        ruleset: str = "auction",
        policy: SeatPolicy = WAITS_FOR_ALL,
        saved: int | None = None,
    ) -> Game:
        """Make a game and seat two; of what the second one changes only so much is ``saved``, None: all of it."""
        game = self.result(
            self.registry.lobby.create(NewGame("game", ruleset, 2, seed="1", clock=clock, policy=policy))
        )
        for name in ("ann", "bob"):
            accounts: list[Account] = []
            add = partial(stored_accounts.add, name=name, password_hash="hash", now=EPOCH)
            self.opened.write(add).addCallback(accounts.append)
            taking = self.registry.lobby.take_seat(game, accounts[0].id, name)
            if name == "bob" and saved is not None:
                Deferred.fromCoroutine(taking).addErrback(lambda failure: None)
                self.store.commit(saved)
            else:
                self.result(taking)
        assert game.started or game.roll_is_called()
        return game

    def subjects(self, game: Game, board: int) -> list[str]:
        """Return the subjects on a board, read for the numbers that memory has."""
        numbers = game.boards[board].numbers
        texts = self.store.read(lambda c: stored_boards.texts(c, game.row.id, board, numbers))
        return [texts[number].subject for number in numbers]

    def bid(self, game: Game, seat: int, gold: int) -> None:
        arguments = {"gold": gold, "words": ""}
        change = order_intake.insertion(game, seat, HOMES[seat], "Bid", arguments, -1, self.registry.now())
        order_intake.make(game, change, self.registry.now())
        self.registry.turns.ordered(game, change.order)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(f"sqlite:///{tmp_path}/file.sqlite")
    yield made
    made.close()


def test_a_mark_that_comes_while_the_turn_is_saved_is_not_one_for_the_next_turn(table: Table) -> None:
    """The turn's closing is on its way to the store when somebody says that it is done: with the turn that closes."""
    game = table.begin()
    table.registry.turns.close_turn(game)
    table.registry.turns.finished(game, 0)
    table.store.commit()
    assert (game.state.turn, game.finished) == (1, set())
    again = table.killed()
    assert (again.state.turn, again.finished) == (1, set())


def test_a_letter_that_comes_while_the_turn_is_saved_stands_where_it_will_stand_after_a_restart(table: Table) -> None:
    game = table.begin()
    table.bid(game, 0, 1)
    table.store.commit()
    table.registry.turns.close_turn(game)
    messages.post(game, 1, {2: []}, "letter", "", table.registry.now())
    table.store.commit()
    assert table.subjects(game, 2) == ["Welcome", "Sold", "letter"]
    assert table.subjects(table.killed(), 2) == ["Welcome", "Sold", "letter"]


def test_a_pause_that_comes_while_the_turn_is_saved_is_a_pause_of_the_next_turn(table: Table) -> None:
    """Memory and store agree on it: the game is paused, its new turn has all of its time left."""
    game = table.begin(clock="interval:60")
    table.registry.turns.close_turn(game)
    table.result(table.registry.control.pause(game))
    assert (game.state.turn, game.row.state, game.row.deadline) == (1, "paused", None)
    assert table.killed().row == game.row


class Listening:
    """A connection that records its time frames."""

    def __init__(self, heard: list[str]) -> None:
        self.heard = heard

    def time_left(self, left: TimeLeft) -> None:
        self.heard.append(f"turn {left.turn}, {'begins' if left.seconds else 'is computed'}")

    def game_deleted(self, name: str) -> None:
        pass

    def game_reloaded(self, game: Game) -> None:
        self.heard.append("moved")


def test_an_answer_made_in_the_old_turn_leaves_before_the_new_turn_is_told(table: Table) -> None:
    """Else a client that asks for the time would hear last that the turn is being computed, and wait."""
    heard: list[str] = []
    game = table.begin()
    game.subscribers.add(Listening(heard))
    table.registry.turns.close_turn(game)
    waiting = game.saving.when_durable()
    assert waiting is not None
    waiting.addCallback(lambda _: heard.append("answer"))
    table.store.commit()
    assert heard == ["turn 0, is computed", "answer", "turn 1, begins"]


def test_what_was_saved_is_told_though_what_follows_from_it_is_refused_at_once(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mark is saved as the server stops, and the deadline that follows from it is given to a store that is closed."""
    heard: list[str] = []
    game = table.begin(clock="threshold:50:30")
    table.registry.turns.finished(game, 0)
    answer = game.saving.when_durable()
    assert answer is not None
    answer.addCallbacks(lambda _: heard.append("saved"), lambda failure: heard.append(failure.getErrorMessage()))
    monkeypatch.setattr(table.store, "write", lambda *_: fail(StoreError("the store is closed")))
    table.store.commit(1)
    assert (heard, game.saving.stale) == (["saved"], True)


def test_a_turn_that_is_computed_while_the_server_stops_is_left_to_the_next_one(table: Table) -> None:
    """Nothing of it reaches a store that may be closed by then; the marks are saved, and close the turn again."""
    computing: list[tuple[Callable[[], Any], Deferred[Any]]] = []

    def later(work: Callable[[], Any]) -> Deferred[Any]:
        result: Deferred[Any] = Deferred()
        computing.append((work, result))
        return result

    game = table.begin()
    table.registry.turns.compute = later
    for seat in (0, 1):
        table.registry.turns.finished(game, seat)
    table.store.commit()
    ((work, result),) = computing
    table.registry.clocks.stop()
    result.callback(work())
    assert (table.store.pending, game.saving.stale) == (1, False), (
        "all there is to save is that the clocks ran until now"
    )
    game = table.killed()
    table.clock.advance(0)
    table.store.commit()
    assert game.state.turn == 1


def test_a_deadline_that_passes_while_no_server_runs_closes_the_turn_when_one_does(table: Table) -> None:
    """One that has not passed is where it was, not a whole turn away; more than a minute is given back."""
    game = table.begin(clock="interval:100")
    deadline = game.row.deadline
    assert deadline == table.registry.now() + 100
    game = table.killed(seconds=59)
    table.clock.advance(0)
    table.store.commit()
    assert (game.state.turn, game.row.deadline) == (0, deadline)
    game = table.killed(seconds=59)
    table.clock.advance(0)
    table.store.commit()
    assert (game.state.turn, game.row.deadline) == (1, table.registry.now() + 100)
    game = table.killed(seconds=1000)
    table.clock.advance(0)
    table.store.commit()
    assert (game.state.turn, game.row.deadline) == (1, table.registry.now() + 100)


@pytest.mark.parametrize("by", ["this server", "another"])
def test_once_time_was_given_back_it_is_noted_again_that_the_clock_runs(table: Table, by: str) -> None:
    """Else a next server, within a minute, would give it back a second time."""
    game = table.begin(clock="interval:200")
    table.killed(seconds=1000)
    table.clock.advance(0)
    if by == "another":  # node of a cluster, as this one could not
        table.store.fail()
        given = stored_games.clocks_run, table.registry.now(), [game.row.id]
        table.opened.write(*given).addErrback(pytest.fail)
        table.clock.advance(RETRY_SECONDS)
    table.store.commit()
    deadline = table.registry.named("game").row.deadline
    table.clock.advance(31)
    table.store.commit()
    again = table.killed(seconds=40)
    table.clock.advance(0)
    assert again.row.deadline == deadline


def test_what_could_not_be_given_back_is_left_to_the_next_server_by_one_that_stops(table: Table) -> None:
    table.begin(clock="interval:100")
    table.killed(seconds=1000)
    table.clock.advance(0)
    table.store.fail()
    table.registry.clocks.stop()
    table.store.commit()
    table.clock.advance(RETRY_SECONDS)
    table.store.commit()
    row = table.store.read(stored_games.by_id, table.registry.named("game").row.id)
    assert row is not None and row.deadline == EPOCH + 100


@pytest.mark.parametrize("roll_call", [0, 600])
def test_a_game_whose_last_seat_was_saved_before_a_kill_begins_after_it(table: Table, roll_call: int) -> None:
    """Its start or roll call was not saved. Otherwise it would wait forever, as no other player comes."""
    table.begin(policy=SeatPolicy(roll_call=roll_call), saved=1)
    again = table.killed()
    assert (again.open_seats(), again.started, again.roll_is_called()) == ([], False, False)
    table.clock.advance(0)
    table.store.commit()
    assert (again.started, again.roll_is_called()) == (not roll_call, bool(roll_call))
    if roll_call:
        for seat in (0, 1):
            table.registry.seat_changes.back(again, seat)
        assert again.started


def test_a_game_whose_last_seat_was_saved_is_left_to_the_next_server_by_one_that_stops(table: Table) -> None:
    table.begin(saved=1)
    again = table.killed()
    table.registry.clocks.stop()
    table.clock.advance(0)
    assert not again.started


def test_a_game_all_of_whose_players_were_here_before_a_kill_begins_after_it(table: Table) -> None:
    """That the last one is here was saved, and the start was not."""
    game = table.begin(policy=SeatPolicy(roll_call=600))
    table.registry.seat_changes.back(game, 0)
    table.store.commit(1)
    again = table.killed()
    assert not again.started
    table.clock.advance(0)
    table.store.commit()
    assert again.started


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("rests", [False, True])
def test_time_that_could_not_be_given_back_is_given_back_later(table: Table, rests: bool, stops: bool) -> None:
    """The disk is full for a moment at the start. The turn goes on then with its remaining time.

    The new start of the clocks is not noted before the time is given back. Otherwise the next server would lose it,
    too, if this one stops before its second try.
    """
    table.begin(clock="interval:100")
    if rests:
        table.registry.stop()
        table.store.commit()
    table.killed(seconds=1000)
    table.clock.advance(0)
    table.store.fail()
    table.clock.advance(0)
    table.store.commit()
    if stops:
        table.registry.clocks.stop()
        table.store.commit()
        table.killed()
        table.clock.advance(0)
    else:
        table.clock.advance(RETRY_SECONDS)
    table.store.commit()
    game = table.registry.named("game")
    left = 100 if stops else 100 - RETRY_SECONDS
    assert (game.state.turn, game.row.deadline) == (0, table.registry.now() + left)
    table.clock.advance(left - 1)
    table.store.commit()
    assert table.registry.named("game").state.turn == 0
    table.clock.advance(2)
    table.store.commit()
    assert table.registry.named("game").state.turn == 1


def test_a_threshold_that_was_reached_before_a_kill_closes_the_turn_after_it(table: Table) -> None:
    """The mark is saved and the deadline that follows from it is not: the next server sets it, else nobody would."""
    game = table.begin(clock="threshold:50:30")
    table.registry.turns.finished(game, 0)
    table.store.commit(1)
    again = table.killed()
    table.clock.advance(0)
    table.store.commit()
    assert again.row.deadline == table.registry.now() + 30
    table.clock.advance(31)
    table.store.commit()
    assert again.state.turn == 1


def test_a_server_that_stops_right_after_it_began_changes_nothing_more(table: Table) -> None:
    """Due turns at the load are left to the next server, as the store may be closed by then."""
    game = table.begin(clock="threshold:50:30")
    table.registry.turns.finished(game, 0)
    table.store.commit(1)
    again = table.killed()
    table.registry.clocks.stop()
    table.clock.advance(0)
    assert again.row.deadline is None
    assert table.store.pending == 3, "until when the clocks ran, and which games were to be read"


def test_an_order_that_closes_its_phase_does_so_after_a_kill_too(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A phase that closes after each order: the order is saved, the closing is not."""
    game = table.begin()
    (phase,) = game.rules.phases
    each = dataclasses.replace(phase, ends_after="each")
    monkeypatch.setattr(type(game.rules), "phases", (each,))
    table.bid(game, 0, 1)
    table.store.commit(1)
    again = table.killed()
    assert again.state.turn == 0
    table.clock.advance(0)
    table.store.commit()
    assert again.state.turn == 1


def times(game: Game) -> dict[Any, int]:
    """Every modification time that the first player can learn."""
    board = game.boards[1]
    view = game.views[0]
    return {"board": board.modtime, "told": view.newest(), **{oid: view.time(oid) for oid in view.objects}}


def test_modification_times_do_not_go_back(table: Table) -> None:
    """Any number of changes may fall in one second, each of which a client has seen."""
    game = table.begin(ruleset="synthetic")
    registry = table.registry
    for effort in range(1, 6):
        for fleet in FLEETS:
            change = order_intake.insertion(game, 0, fleet, "Work", {"effort": effort}, -1, registry.now())
            order_intake.make(game, change, registry.now())
            game.views[0].newest()
        order_intake.make(game, order_intake.removal(game, 0, FLEETS[0], 0, registry.now()), registry.now())
        messages.post(game, 2, {1: []}, f"letter {effort}", "", registry.now())
        messages.remove(game, 1, [0], registry.now())
    table.store.commit()
    before = times(game)
    after = times(table.killed())
    assert {key: (before[key], after[key]) for key in before if after[key] < before[key]} == {}


def test_the_newest_migration_is_the_one_that_its_file_names() -> None:
    """A server that finds this version in a database does not look at the migrations at all."""
    from alembic.script import ScriptDirectory

    assert ScriptDirectory.from_config(configuration()).get_current_head() == newest_version()


def test_nothing_is_saved_on_top_of_what_was_not_saved(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client cannot change a game in memory after the database has failed.

    The database cannot be read either, so the game is not reloaded at once. It works again before the reload. A change
    in between would get a number behind entries that are missing.
    """
    game = table.begin()

    def there() -> tuple[list[int], list[int]]:
        entries = table.opened.read(journal.after, game.row.id, 0)
        letters = table.opened.read(stored_boards.listing, game.row.id)
        return [entry.number for entry in entries], [letter.number for letter in letters]

    before = there()

    def away(*words: Any) -> Any:
        raise StoreError("The database is away.")

    table.bid(game, 0, 1)
    with monkeypatch.context() as patched:
        patched.setattr(table.store, "read", away)
        table.store.fail()
    assert game.saving.stale and game.row.id not in table.registry.games
    messages.remove(game, 1, [0], table.registry.now())
    told: list[Failure] = []
    game.saving.write(stored_games.update, game.row.id, turn=7).addErrback(told.append)
    assert table.store.commit() == 0 and isinstance(told[0].value, NotSaved)
    assert there() == before
    table.clock.advance(FIRST_RETRY_SECONDS)
    again = table.registry.games[game.row.id]
    assert again is not game and not again.state.queues
    table.bid(again, 1, 2)
    table.store.commit()
    assert there() == ([*before[0], before[0][-1] + 1], before[1])
