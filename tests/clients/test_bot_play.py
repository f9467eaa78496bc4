"""Turns of a bot: when it acts, waits and ends, and that it never hangs.

It never acts in the wrong turn.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import pytest

from tests.support.memory_client import MemoryServer, Request, fail
from tests.support.server_in_memory import Client
from tests.support.workshop import BOAT, PLACE, SMALL_YARD, YARD, Wish
from tpclient.bots.play import Ending, Policy, Turn, play
from tpclient.bots.random import MOST_QUESTIONS, RandomPolicy
from tpclient.connection import Login
from tpclient.errors import BadArgument, ConnectionClosed, RequestFailed, TurnPassed
from tpclient.following import Game
from tpclient.parameters import Kind
from tpclient.reconnect import Persistence
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04, Dialect

T = TypeVar("T")

LIMIT = 240.0
"""Seconds after which a test gives up; everything takes a few milliseconds."""

Deed = Callable[[Turn], Awaitable[None]]


async def nothing(turn: Turn) -> None:
    pass


class Recorder:
    """A policy that tunes its yard in each turn, and remembers the turns and what came of the orders."""

    def __init__(self, first: Deed = nothing, then: Deed = nothing) -> None:
        self.turns: list[int] = []
        self.results: list[Any] = []
        self.first = first
        self.then = then

    async def give_orders(self, turn: Turn) -> None:
        self.turns.append(turn.number)
        await self.first(turn)
        yard = next(thing for thing in turn.universe.own() if thing.kind == "Port")
        self.results.append(await turn.order(yard.queue, "Tune", {"Level": 1, "Turns": 1}))
        await self.then(turn)


async def follow(server: MemoryServer, user: str = "ann", dialect: Dialect = TP04, pauses: int = 5) -> Game:
    async def dial() -> Any:
        return server.link(dialect)

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(0)

    persistence = Persistence(lambda: iter([0.0] * pauses), sleep, LIMIT)
    game = Game(Login(dial, user, f"{user}'s word"), persistence=persistence)
    await game.start()
    return game


async def played(server: MemoryServer, policy: Policy, user: str = "ann", **more: Any) -> Ending:
    game = await follow(server, user, **more)
    try:
        return await play(game, policy, "seed")
    finally:
        await game.close()


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, LIMIT))


async def settled() -> None:
    """Let everything that is on its way in memory arrive."""
    for _ in range(100):
        await asyncio.sleep(0)


def alone(server: MemoryServer, rounds: int = 3) -> None:
    """Make a game of the workshop for ann alone, which ends after so many turns."""
    server.create("first", "workshop", 1, options={"rounds": rounds})


def together(server: MemoryServer, rounds: int = 3) -> Client:
    """Make a game for ann and ben, in which both are; return ben."""
    return server.begin("ann", "ben", options={"rounds": rounds})[1]


def test_it_takes_every_turn_until_the_game_is_over(server: MemoryServer) -> None:
    alone(server)
    policy = Recorder()
    ending = run(played(server, policy))
    assert policy.turns == [0, 1, 2]
    assert ending == Ending(turns=3, accepted=3, refused=0, last_turn=3)
    assert server.game().over


def test_it_waits_for_the_game_to_begin_and_for_the_others(server: MemoryServer) -> None:
    """Nothing is done before all are there, once in each turn, and not again before the next one."""
    server.create("first", "workshop", 2, options={"rounds": 3})

    async def work() -> None:
        policy = Recorder()
        bot = asyncio.create_task(played(server, policy))
        await settled()
        assert policy.turns == []
        ben = server.player("ben")
        await settled()
        assert (policy.turns, server.game().finished) == ([0], {0})
        for turn in (1, 2):
            ben.ask("finished_turn")
            server.settle()
            await settled()
            assert policy.turns == list(range(turn + 1))
        ben.ask("finished_turn")
        server.settle()
        assert (await bot).turns == 3

    run(work())


def test_a_player_cannot_end_the_game_by_saying_so(server: MemoryServer) -> None:
    """A message "Game over" is talk while any player is awaited."""
    ben = together(server)

    async def work() -> None:
        bot = asyncio.create_task(played(server, Recorder()))
        await settled()
        assert ben.ask("post_message", id=1, slot=-1, subject="Game over", body="ann wins").name == "okay"
        for _ in range(3):
            ben.ask("finished_turn")
            server.settle()
            await settled()
        assert (await bot).turns == 3

    run(work())


def test_refusals_are_returned_and_counted(server: MemoryServer) -> None:
    alone(server, 1)
    server.scripts["order_insert"] = fail(3, "No.")
    policy = Recorder()
    ending = run(played(server, policy))
    assert isinstance(policy.results[0], RequestFailed)
    assert (ending.accepted, ending.refused, ending.turns) == (0, 1, 1)


@pytest.mark.parametrize("when", ["first", "then"])
def test_what_was_meant_for_a_turn_that_has_passed_is_dropped(server: MemoryServer, when: str) -> None:
    """The turn ends while the policy is choosing: it gets TurnPassed, and may act in the new turn again."""
    together(server)

    async def work() -> None:
        closed: list[int] = []

        async def close(turn: Turn) -> None:
            if not closed:
                closed.append(turn.number)
                server.close_turn("first")
                await settled()

        policy = Recorder(**{when: close})
        bot = asyncio.create_task(played(server, policy))
        while server.game().finished != {0}:
            await settled()
        assert policy.turns == [0, 1]
        assert len(server.game().state.queues[YARD]) == 1
        bot.cancel()

    run(work())


def test_a_turn_that_passes_during_an_order_is_told_by_turn_passed(server: MemoryServer) -> None:
    together(server)

    async def work() -> None:
        game = await follow(server)
        turn = Turn(game, "seed", Ending())
        server.close_turn("first")
        with pytest.raises(TurnPassed):
            await turn.order(YARD, "Tune", {"Level": 1, "Turns": 1})
        await game.close()

    run(work())


def test_the_end_may_be_told_by_a_refusal_only(server: MemoryServer) -> None:
    """FinishedTurn answered with Fail UnavailablePermanently."""
    alone(server)
    server.scripts["finished_turn"] = fail(2, "The game is over.")
    assert run(played(server, Recorder())).turns == 1


def test_other_refusals_to_finish_are_errors(server: MemoryServer) -> None:
    alone(server)
    server.scripts["finished_turn"] = fail(5, "Not you.")
    with pytest.raises(RequestFailed, match="Not you"):
        run(played(server, Recorder()))


def test_a_turn_that_is_being_computed_is_waited_for(server: MemoryServer) -> None:
    """FinishedTurn comes too late (Fail UnavailableTemporarily): the next turn is played as ever."""
    together(server)

    async def work() -> None:

        def late(request: Request) -> Any:
            server.close_turn("first")
            return [("fail", tp.Fail(code=3, result="The turn is being computed."))]

        server.next_time("finished_turn", late)
        policy = Recorder()
        bot = asyncio.create_task(played(server, policy))
        await settled()
        assert (policy.turns, server.game().finished) == ([0, 1], {0})
        bot.cancel()

    run(work())


def test_a_lost_connection_comes_back_and_the_game_goes_on(server: MemoryServer) -> None:
    """Lost in the middle of a turn, before the order: it is given in the same turn, once."""
    alone(server)
    lost: list[int] = []

    async def cut(turn: Turn) -> None:
        if not lost:
            lost.append(turn.number)
            server.hang_up()

    ending = run(played(server, Recorder(first=cut)))
    assert (ending.turns, ending.accepted) == (3, 3)


def test_a_server_that_stays_away_ends_the_bot(server: MemoryServer) -> None:
    alone(server)

    async def work() -> None:
        game = await follow(server, pauses=0)
        server.hang_up()
        with pytest.raises(ConnectionClosed):
            await play(game, Recorder(), "seed")
        await game.close()

    run(work())


def test_tp03_has_no_turn_numbers(server: MemoryServer) -> None:
    alone(server)
    with pytest.raises(BadArgument, match="Bots need TP04 or Protocol Buffers"):
        run(played(server, Recorder(), dialect=TP03))


def test_the_same_seed_plays_the_same_game(make_server: Callable[..., MemoryServer]) -> None:
    """In another dialect, too: the same orders in the same sequence; another seed, other orders."""

    def orders(dialect: Dialect, seed: str) -> list[Any]:
        server = make_server()
        alone(server, 6)

        async def work() -> None:
            game = await follow(server, dialect=dialect)
            await play(game, RandomPolicy(), seed)
            await game.close()

        run(work())
        return journaled(server)

    first = orders(TP04, "one")
    assert len(first) > 6
    assert orders(PB, "one") == first
    assert orders(TP04, "two") != first


def journaled(server: MemoryServer) -> list[Any]:
    """Return the orders that were accepted."""
    from tpserver.store.games import journal

    entries = server.store.read(lambda connection: journal.after(connection, server.game().row.id, 0))
    return [entry.body for entry in entries if entry.kind == "insert"]


# --- the random bot ---------------------------------------------------------------------------------------------------


def test_random_orders_are_those_that_objects_offer(server: MemoryServer) -> None:
    """Only own objects, only types that their queues offer, with bounded questions in a turn."""
    together(server, 12)

    async def work() -> None:
        game = await follow(server)
        bot = asyncio.create_task(play(game, RandomPolicy(), "seed"))
        for _ in range(12):
            await settled()
            while server.game().finished != {0} and not server.game().over:
                await settled()
            server.close_turn("first")
        await bot
        await game.close()

    run(work())
    given = journaled(server)
    assert {body[0] for body in given} == {YARD, BOAT}
    assert {body[1] for body in given if body[0] == BOAT} == {"Move"}
    assert len({body[1] for body in given}) >= 4
    assert sum(kind in ("order_insert", "order_probe") for _, kind in server.asked) <= 12 * MOST_QUESTIONS


def test_random_play_ends_its_turn_when_all_is_refused(server: MemoryServer) -> None:
    alone(server, 1)
    server.scripts |= dict.fromkeys(("order_insert", "order_probe"), fail(3, "No."))
    ending = run(played(server, RandomPolicy()))
    questions = [kind for _, kind in server.asked if kind in ("order_insert", "order_probe")]
    assert (ending.accepted, ending.turns) == (0, 1)
    assert MOST_QUESTIONS - 1 <= len(questions) <= MOST_QUESTIONS


def test_random_play_learns_what_targets_are_accepted(server: MemoryServer) -> None:
    """Only star systems will do, and nobody says so: after the first success most targets are star systems."""
    alone(server, 30)
    tried: list[bool] = []

    def insert(request: Request) -> Any:
        order = request.message
        if order.otype != Wish.number:
            return [("fail", tp.Fail(code=2, result="No."))]
        tried.append(order.parameters[0].object.object_id in (PLACE, SMALL_YARD))
        return [("order", order)] if tried[-1] else [("fail", tp.Fail(code=1, result="Not there."))]

    server.take(("To", Kind.OBJECT))
    server.scripts["order_insert"] = insert
    run(played(server, RandomPolicy()))
    later = tried[tried.index(True) + 1 :]
    assert len(later) > 10
    assert sum(later) > 0.6 * len(later)  # by chance alone it would be two of seven


def test_random_play_without_anything_to_do(server: MemoryServer) -> None:
    (ann,) = server.begin("ann", options={"rounds": 3})
    server.carry_out(ann, f"hide {YARD}", f"hide {BOAT}")
    ending = run(played(server, RandomPolicy()))
    assert (ending.turns, ending.accepted, ending.refused) == (2, 0, 0)
