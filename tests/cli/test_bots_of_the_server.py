"""The bots of a server: accounts, seats and processes, with a reactor whose time and processes are made up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from tpserver.accounts.accounts import Accounts
from tpserver.bots import FIRST_WAIT, GRACE, LONGEST_WAIT, STEADY, BotProcess, Bots
from tpserver.concurrency import at_once
from tpserver.games.creation import NewGame
from tpserver.games.game import Game
from tpserver.games.registry import GameRegistry
from tpserver.rules.discovery import discover
from tpserver.store import Store
from tpserver.store import accounts as stored_accounts


class Process:
    """A process as the reactor gives it."""

    pid = 4711

    def __init__(self, conversation: BotProcess, arguments: list[str]) -> None:
        self.arguments = arguments
        self.signals: list[str] = []
        self.input = b""
        self.conversation = conversation
        conversation.transport = self  # type: ignore[assignment] # what a bot's conversation needs of a transport

    def write(self, data: bytes) -> None:
        self.input += data

    def closeStdin(self) -> None:
        self.input += b"<end>"

    def signalProcess(self, name: str) -> None:
        self.signals.append(name)

    def value(self, option: str) -> list[str]:
        return [after for before, after in zip(self.arguments, self.arguments[1:], strict=False) if before == option]

    def die(self, code: int) -> None:
        reason = ProcessDone(0) if code == 0 else ProcessTerminated(code)
        self.conversation.processEnded(Failure(reason))


class Reactor(Clock):
    """Time that goes on when told to, and processes that are only written down."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[Process] = []

    def spawnProcess(self, conversation: BotProcess, program: str, arguments: list[str], env: Any) -> Process:
        self.processes.append(Process(conversation, arguments))
        conversation.connectionMade()
        return self.processes[-1]


class Place:
    """A server's registry and people in a store of their own, with bots."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.open()

    def open(self) -> None:
        self.store = Store.open(f"sqlite:///{self.path}", reactor=None)
        self.reactor = Reactor()
        self.registry = GameRegistry(self.store, discover(), self.reactor, at_once, lambda: 5.0)
        hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        self.accounts = Accounts(self.store, "closed", at_once, lambda: 5.0, hasher)
        self.bots = Bots(self.reactor, self.registry, self.accounts, lambda: "tp://127.0.0.1:6923")

    def again(self) -> None:
        """What a restart of the server leaves: the store."""
        self.store.close()
        self.open()
        self.registry.load_all()

    def game(self, name: str = "lots", seats: int = 2, bots: int = 2) -> Game:
        made = self._now(self.registry.create(NewGame(name, "auction", seats, seed="secret seed", bots=bots)))
        assert isinstance(made, Game)
        return made

    def _now(self, work: Any) -> Any:
        results: list[Any] = []
        Deferred.fromCoroutine(work).addBoth(results.append)
        (result,) = results
        if isinstance(result, Failure):
            result.raiseException()
        return result


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path / "tpserver.sqlite")
    yield made
    made.registry.stop()
    made.store.close()


def test_bots_get_accounts_and_seats_and_one_process(place: Place) -> None:
    """The seats are taken in order before any client comes, so the same seed gives the same game."""
    game = place.game()
    place.bots.look(game)
    assert [(seat.name, seat.bot) for seat in game.players] == [("bot-1", True), ("bot-2", True)]
    assert game.started
    (process,) = place.reactor.processes
    assert process.arguments[1:4] == ["-m", "tpclient", "bots"]
    assert process.value("--user") == ["bot-1", "bot-2"]
    assert process.value("--game") == ["lots"]
    assert process.value("--address") == ["tp://127.0.0.1:6923"]


def test_secrets_are_not_on_the_command_line(place: Place) -> None:
    """The password goes over standard input; the seed that the bots get does not tell the game's."""
    place.bots.look(place.game())
    (process,) = place.reactor.processes
    password, end = process.input.decode().split("\n")
    assert end == "<end>"
    assert len(password) >= 32
    assert not any(password in argument or "secret" in argument for argument in process.arguments)
    account = place.store.read(lambda connection: stored_accounts.by_name(connection, "bot-1"))
    assert account is not None
    assert account.bot
    assert password not in account.password_hash


def test_a_game_gets_its_bots_once(place: Place) -> None:
    game = place.game()
    place.bots.look(game)
    place.bots.look(game)
    assert len(place.reactor.processes) == 1


def test_seats_that_are_not_for_bots_stay_open(place: Place) -> None:
    game = place.game(seats=3, bots=1)
    place.bots.look(game)
    assert [seat.name for seat in game.players] == ["bot-1", "", ""]
    assert not game.started


def test_several_games_share_accounts_but_no_process(place: Place) -> None:
    place.bots.look(place.game("one", bots=1))
    place.bots.look(place.game("two", bots=2))
    assert [process.value("--user") for process in place.reactor.processes] == [["bot-1"], ["bot-1", "bot-2"]]
    assert [process.value("--game") for process in place.reactor.processes] == [["one"], ["two"]]


def test_a_person_with_a_bots_name_keeps_it(place: Place) -> None:
    """Neither seat nor password of that account is touched."""

    def add(connection: Any) -> Any:
        return stored_accounts.add(connection, "Bot-1", "theirs", now=1.0)

    place.store.write(add)
    place.bots.look(place.game())
    assert place.reactor.processes[0].value("--user") == ["bot-2", "bot-3"]
    account = place.store.read(lambda connection: stored_accounts.by_name(connection, "bot-1"))
    assert account is not None
    assert account.password_hash == "theirs"


def test_bots_come_back_after_a_restart_with_a_new_password(place: Place) -> None:
    place.bots.look(place.game())
    before = place.reactor.processes[0].input
    place.again()
    place.bots.look_at_all()
    (process,) = place.reactor.processes
    assert process.value("--user") == ["bot-1", "bot-2"]
    assert process.input != before


def test_a_bot_that_dies_comes_back_later_each_time(place: Place) -> None:
    """Twice the wait each time, up to a limit; one that was well for a while begins anew."""
    place.bots.look(place.game())
    waits = []
    for _ in range(9):
        count = len(place.reactor.processes)
        place.reactor.processes[-1].die(1)
        (call,) = [call for call in place.reactor.getDelayedCalls() if call.func.__name__ == "_start"]
        waits.append(call.getTime() - place.reactor.seconds())
        place.reactor.advance(waits[-1])
        assert len(place.reactor.processes) == count + 1
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert (waits[0], waits[-1]) == (FIRST_WAIT, LONGEST_WAIT)
    place.reactor.advance(STEADY)
    place.reactor.processes[-1].die(0)
    place.reactor.advance(FIRST_WAIT)
    assert len(place.reactor.processes) == 11


def test_a_client_that_knows_no_such_game_plays_as_usual(place: Place) -> None:
    """The client has policies by the rulesets' names, or none: exit code 2 says so."""
    place.bots.look(place.game())
    assert place.reactor.processes[0].value("--policy") == ["auction"]
    place.reactor.processes[0].die(2)
    assert [process.value("--policy") for process in place.reactor.processes] == [["auction"], ["random"]]
    place.reactor.processes[1].die(2)
    assert len(place.reactor.processes) == 2


def test_bots_stay_away_when_the_game_is_over(place: Place) -> None:
    from dataclasses import replace

    game = place.game()
    place.bots.look(game)
    game.row = replace(game.row, state="over")
    place.reactor.processes[0].die(0)
    place.reactor.advance(10 * LONGEST_WAIT)
    place.bots.look(game)
    assert len(place.reactor.processes) == 1


def test_stopping_asks_bots_to_go_and_then_makes_them(place: Place) -> None:
    place.bots.look(place.game("one"))
    place.bots.look(place.game("two"))
    stopped: list[Any] = []
    Deferred.fromCoroutine(place.bots.stop()).addBoth(stopped.append)
    one, two = place.reactor.processes
    assert (one.signals, two.signals) == (["TERM"], ["TERM"])
    one.die(1)
    assert stopped == []
    place.reactor.advance(GRACE)
    assert two.signals == ["TERM", "KILL"]
    two.die(1)
    assert stopped == [None]
    place.reactor.advance(10 * LONGEST_WAIT)
    assert len(place.reactor.processes) == 2


def test_what_a_bot_says_is_told_line_by_line_and_bounded() -> None:
    """Lines that come in pieces are put together; one without end is cut."""
    said: list[str] = []
    ended: list[int | None] = []
    conversation = BotProcess("password", said.append, ended.append)
    conversation.errReceived(b"tpclient: can")
    conversation.errReceived(b"not connect\nmo\xffre")
    assert said == ["tpclient: cannot connect"]
    conversation.outReceived(b"x" * 1_000_000)
    conversation.processEnded(Failure(ProcessTerminated(1)))
    assert len(said) == 2
    assert len(said[1]) < 5000
    assert ended == [1]
