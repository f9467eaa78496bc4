"""The message board while another client of the same player deletes.

Slots and news stay right.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.memory_client import MemoryServer, Request, Served, write
from tests.support.server_in_memory import Client
from tpclient import open_game
from tpclient.connection import Connection, Login
from tpclient.errors import RequestFailed
from tpclient.events import MessagesCame, MessagesGone
from tpclient.following import Game
from tpclient.mail import Mail
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04, Dialect

DIALECTS = pytest.mark.parametrize("dialect", [TP03, PB], ids=lambda dialect: dialect.name)


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 240))


def subjects(messages: Sequence[tp.Message]) -> list[str]:
    return [message.subject for message in messages]


def board(messages: Sequence[tp.Message]) -> list[tuple[int, str]]:
    return [(message.slot, message.subject) for message in messages]


def begun(server: MemoryServer, *posted: str) -> Client:
    """Begin a game of ann's in which these stand on her board, and return a connection of hers."""
    (ann,) = server.begin("ann")
    remove(ann, *range(len(ann.messages())))
    for subject in posted:
        write(ann, 0, subject)
    return ann


def remove(player: Client, *slots: int) -> None:
    if slots:
        player.ask("remove_message", id=0, slots=slots)


async def follow(server: MemoryServer, dialect: Dialect = TP04) -> Game:
    async def dial() -> Connection:
        return server.link(dialect)

    game = Game(Login(dial, "ann", "ann's word"))
    await game.start()
    return game


def told(game: Game, kind: type[MessagesCame | MessagesGone]) -> list[list[str]]:
    return [subjects(event.messages) for event in game.unread if isinstance(event, kind)]


@DIALECTS
def test_removed_by_another_client_and_a_new_one_came(server: MemoryServer, dialect: Dialect) -> None:
    """The number of messages is the same: the new one is news, the removed one is gone, slots are right."""

    async def scene() -> None:
        ann = begun(server, "one", "two", "three")
        game = await follow(server, dialect)
        kept = game.mail[1]
        remove(ann, 0)
        write(ann, 0, "four")
        await game.refresh()
        assert board(game.mail) == [(0, "two"), (1, "three"), (2, "four")]
        assert game.mail[0] is kept
        assert (told(game, MessagesGone), told(game, MessagesCame)) == ([["one"]], [["four"]])
        await game.close()

    run(scene())


def test_all_removed_and_fewer_came(server: MemoryServer) -> None:
    """A board that is shorter than the known one still has news."""

    async def scene() -> None:
        ann = begun(server)
        for number in range(5):
            write(ann, 0, f"old {number}")
            server.close_turn()
        game = await follow(server)
        remove(ann, 4, 3, 2, 1, 0)
        write(ann, 0, "new")
        await game.refresh()
        assert board(game.mail) == [(0, "new")]
        assert told(game, MessagesCame) == [["new"]]
        await game.close()

    run(scene())


def test_nothing_is_read_twice_without_need(server: MemoryServer) -> None:
    """A board that has not changed is not read; one that grew from the newest known turn on, one message before it."""

    async def scene() -> None:
        ann = begun(server)
        for turn in range(50):
            write(ann, 0, f"report {turn}")
            server.close_turn()
        game = await follow(server)
        asked: list[list[int]] = []
        server.scripts["get_message"] = lambda request: asked.append(list(request.message.slots))
        await game.refresh()
        assert asked == []
        write(ann, 0, "report 50")
        await game.refresh()
        assert asked == [[48, 49, 50]]
        await game.close()

    run(scene())


def test_the_board_changes_while_it_is_read(server: MemoryServer) -> None:
    """A reading counts only if the board is the same before and after. Otherwise it is repeated."""

    async def scene() -> None:
        ann = begun(server, "one", "two", "three")
        game = await follow(server)
        write(ann, 0, "four")

        def quicker(request: Request) -> None:
            remove(ann, 2, 0)
            write(ann, 0, "five")

        server.next_time("get_message", quicker)
        await game.refresh()
        assert board(game.mail) == [(0, "two"), (1, "four"), (2, "five")]
        assert told(game, MessagesCame) == [["four", "five"]]
        await game.close()

    run(scene())


def test_a_server_that_is_just_computing_takes_no_mail_away(server: MemoryServer) -> None:
    """A refusal for now is no removal: the copy stays, and the next look goes on."""

    async def scene() -> None:
        ann = begun(server, "one")
        connection = await server.join("ann")
        mail = Mail()
        await mail.read(connection)
        write(ann, 0, "two")
        server.scripts["get_message"] = lambda request: [
            ("sequence_of", tp.Sequence(number=len(request.message.slots))),
            *[("fail", tp.Fail(code=3, result="The turn is being computed."))] * len(request.message.slots),
        ]
        with pytest.raises(RequestFailed):
            await mail.read(connection)
        assert subjects(mail.messages) == ["one"]
        server.scripts.clear()
        assert subjects((await mail.read(connection)).fresh) == ["two"]

    run(scene())


@DIALECTS
def test_removing(server: MemoryServer, dialect: Dialect) -> None:
    """Messages are removed by what they are: another client that was quicker moves no other under the knife."""

    async def scene() -> None:
        ann = begun(server, "one", "two", "three", "four", "five")
        game = await follow(server, dialect)
        chosen = [game.mail[1], game.mail[3]]
        remove(ann, 0)
        assert await game.remove_messages(*chosen) == 2
        assert board(ann.messages()) == board(game.mail) == [(0, "three"), (1, "five")]
        assert await game.remove_messages(*chosen) == 0
        assert board(ann.messages()) == [(0, "three"), (1, "five")]
        assert sorted(subject for gone in told(game, MessagesGone) for subject in gone) == ["four", "one", "two"]
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

    texts may repeat, so of equal ones of the same turn it is only counted that one stands for the other.
    """
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


def test_the_blocking_game(served: Served) -> None:
    """The same for scripts."""
    served.do(begun, served.server, "one", "two")
    with open_game(served.address, "ann", "ann's word", "first") as game:
        assert game.remove_messages(game.messages()[0]) == 1
        assert board(game.messages()) == [(0, "two")]
