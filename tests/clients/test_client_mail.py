"""The own message board, while another client of the same player removes messages: slots and news stay right."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpclient.errors import RequestFailed
from tpclient.events import MessagesCame, MessagesGone
from tpclient.following import Game
from tpclient.login import Login
from tpclient.mail import Mail
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04, Dialect

DIALECTS = pytest.mark.parametrize("dialect", [TP03, TP04, PB], ids=lambda dialect: dialect.name)


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 240))


def subjects(messages: Sequence[tp.Message]) -> list[str]:
    return [message.subject for message in messages]


def board(messages: Sequence[tp.Message]) -> list[tuple[int, str]]:
    return [(message.slot, message.subject) for message in messages]


async def follow(server: Any, dialect: Dialect = TP04) -> Game:
    async def dial() -> Any:
        return server.link(dialect)

    game = Game(Login(dial, "ann", "secret"))
    await game.start()
    return game


@DIALECTS
def test_removed_by_another_client_and_a_new_one_came(fake_server: Any, fake_game: Any, dialect: Dialect) -> None:
    """As many messages as before, but others: the new one is told as news, the removed one as gone, slots are right."""

    async def scene() -> None:
        server = fake_server(fake_game("ann"))
        for subject in ("one", "two", "three"):
            server.game.write(1, subject, "")
        game = await follow(server, dialect)
        kept = game.mail[1]
        server.game.remove_letters(1, 0)
        server.game.write(1, "four", "")
        await game.refresh()
        assert board(game.mail) == [(0, "two"), (1, "three"), (2, "four")]
        assert game.mail[0] is kept
        (gone,) = [event for event in game._events if isinstance(event, MessagesGone)]
        (came,) = [event for event in game._events if isinstance(event, MessagesCame)]
        assert (subjects(gone.messages), subjects(came.messages)) == (["one"], ["four"])
        await game.close()

    run(scene())


def test_all_removed_and_fewer_came(fake_server: Any, fake_game: Any) -> None:
    """A board that is shorter than the known one still has news."""

    async def scene() -> None:
        server = fake_server(fake_game("ann"))
        for number in range(5):
            server.game.write(1, f"old {number}", "")
            server.game.turn += 1
        game = await follow(server)
        server.game.remove_letters(1, 4, 3, 2, 1, 0)
        server.game.write(1, "new", "")
        await game.refresh()
        assert board(game.mail) == [(0, "new")]
        assert [subjects(event.messages) for event in game._events if isinstance(event, MessagesCame)] == [["new"]]
        await game.close()

    run(scene())


def test_nothing_is_read_twice_without_need(fake_server: Any, fake_game: Any) -> None:
    """A board that has not changed is not read; one that grew from the newest known turn on, one message before it."""

    async def scene() -> None:
        server = fake_server(fake_game("ann"))
        for turn in range(1, 51):
            server.game.turn = turn
            server.game.write(1, f"report {turn}", "")
        game = await follow(server)
        asked: list[list[int]] = []
        answer = server.answer

        def noted(wire: Any, kind: str, message: Any) -> Any:
            if kind == "get_message":
                asked.append(list(message.slots))
            return answer(wire, kind, message)

        server.answer = noted
        await game.refresh()
        assert asked == []
        server.game.turn = 51
        server.game.write(1, "report 51", "")
        await game.refresh()
        assert asked == [[48, 49, 50]]
        await game.close()

    run(scene())


def test_the_board_changes_while_it_is_read(fake_server: Any, fake_game: Any) -> None:
    """What is read is only taken if the board is the same before and after; else it is read again."""

    async def scene() -> None:
        server = fake_server(fake_game("ann"))
        for subject in ("one", "two", "three"):
            server.game.write(1, subject, "")
        game = await follow(server)
        server.game.write(1, "four", "")

        def quicker() -> None:
            server.reading = lambda: None
            server.game.remove_letters(1, 2, 0)
            server.game.write(1, "five", "")

        server.reading = quicker
        await game.refresh()
        assert board(game.mail) == [(0, "two"), (1, "four"), (2, "five")]
        assert [subjects(event.messages) for event in game._events if isinstance(event, MessagesCame)] == [
            ["four", "five"]
        ]
        await game.close()

    run(scene())


def test_a_server_that_is_just_computing_takes_no_mail_away(fake_server: Any, fake_game: Any) -> None:
    """A refusal for now is no removal: the copy stays, and the next look goes on."""

    async def scene() -> None:
        server = fake_server(fake_game("ann"))
        server.game.write(1, "one", "")
        connection = await server.connect("ann")
        mail = Mail()
        await mail.read(connection)
        server.game.write(1, "two", "")
        letter = server.letter
        server.letter = lambda mail, slot: ("fail", tp.Fail(code=3, result="The turn is being computed."))
        with pytest.raises(RequestFailed):
            await mail.read(connection)
        assert subjects(mail.messages) == ["one"]
        server.letter = letter
        assert subjects((await mail.read(connection)).fresh) == ["two"]

    run(scene())


@DIALECTS
def test_removing(fake_server: Any, fake_game: Any, dialect: Dialect) -> None:
    """Messages are removed by what they are: another client that was quicker moves no other under the knife."""

    async def scene() -> None:
        server = fake_server(fake_game("ann"))
        for subject in ("one", "two", "three", "four", "five"):
            server.game.write(1, subject, "")
        game = await follow(server, dialect)
        chosen = [game.mail[1], game.mail[3]]
        server.game.remove_letters(1, 0)
        assert await game.remove_messages(*chosen) == 2
        assert board(server.game.mail[1]) == board(game.mail) == [(0, "three"), (1, "five")]
        assert await game.remove_messages(*chosen) == 0
        assert board(server.game.mail[1]) == [(0, "three"), (1, "five")]
        told = [
            subject for event in game._events if isinstance(event, MessagesGone) for subject in subjects(event.messages)
        ]
        assert sorted(told) == ["four", "one", "two"]
        await game.close()

    run(scene())


Steps = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from(["a", "b"])),
        st.tuples(st.just("remove"), st.integers(0, 5)),
        st.tuples(st.just("turn"), st.none()),
        st.tuples(st.just("read"), st.none()),
    ),
    max_size=30,
)


@given(Steps)
def test_the_copy_is_the_board_whatever_was_done(steps: list[tuple[str, Any]]) -> None:
    """After each reading the copy is the board, news and removals add up, and nothing that stands there was missed:
    texts may repeat, so of equal ones of the same turn it is only counted that one stands for the other."""
    scripted = Scripted()
    mail = Mail()
    told: list[tuple[int, str]] = []

    async def read() -> None:
        changes = await mail.read(scripted)  # type: ignore[arg-type] # it has the two methods that are used
        for message in changes.gone:
            told.remove((message.turn, message.subject))
        told.extend((message.turn, message.subject) for message in changes.fresh)
        assert board(mail.messages) == [(slot, subject) for slot, (_, subject) in enumerate(scripted.board)]
        assert sorted(told) == sorted(scripted.board)

    async def scene() -> None:
        for what, value in [*steps, ("read", None)]:
            if what == "write":
                scripted.board.append((scripted.turn, value))
                scripted.changed += 1
            elif what == "remove" and value < len(scripted.board):
                del scripted.board[value]
                scripted.changed += 1
            elif what == "turn":
                scripted.turn += 1
            elif what == "read":
                await read()

    asyncio.run(scene())


class Scripted:
    """A connection that answers from a list of turns and subjects."""

    def __init__(self) -> None:
        self.board: list[tuple[int, str]] = []
        self.turn = 1
        self.changed = 1

    async def ask(self, kind: str, message: Any) -> Any:
        (answer,) = await self.ask_all([Asked(kind, message)])
        return answer

    async def ask_all(self, requests: Sequence[Any]) -> list[Any]:
        return [Told(self, request) for request in requests]


class Asked:
    def __init__(self, kind: str, message: Any) -> None:
        self.kind, self.message = kind, message


class Told:
    """The answer to a request, made when it is asked."""

    def __init__(self, scripted: Scripted, request: Any) -> None:
        self.board = tp.Board(id=1, messages=len(scripted.board), modtime=scripted.changed)
        slots = request.message.slots if request.kind == "get_message" else ()
        self.found = [
            tp.Message(slot=slot, turn=scripted.board[slot][0], subject=scripted.board[slot][1]) for slot in slots
        ]

    def one(self, wanted: type) -> tp.Board:
        return self.board

    def items(self, wanted: type) -> list[tp.Message]:
        return self.found


def test_the_blocking_game(serve: Callable[[Any], Any], fake_game: Any) -> None:
    """The same for scripts."""
    from tpclient import open_game

    served = serve(fake_game("ann"))
    for subject in ("one", "two"):
        served.game.write(1, subject, "")
    with open_game(served.address, "ann", "secret", "one") as game:
        assert game.remove_messages(game.messages()[0]) == 1
        assert board(game.messages()) == [(0, "two")]
