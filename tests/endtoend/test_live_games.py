"""Games over real sockets from login to end, with a server process."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from tests.support.orders import number, order, text
from tests.support.process import TPCLIENT, TPSERVER, run
from tests.support.rulesets import shipped
from tests.support.server import ServerProcess
from tests.support.wire import Failed, Line, everything
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04

ROUNDS = 3
GAME_SECONDS = 600.0
"""Maximum seconds for a game of bots. A longer one is stuck."""


def bid(home: int, gold: int) -> tp.Order:
    """An offer in the test ruleset `auction`."""
    return order(home, 1, number(gold), text(""))


async def own_home(line: Line) -> int:
    """The number of the player's home, found by reading all objects as a client does."""
    await line.learn_objects()
    me = await line.one("get_player", tp.GetWithID(ids=[0]), tp.Player)
    listed = await line.one("get_object_ids", everything(), tp.IDSequence)
    things = await line.ask("get_objects_by_id", tp.GetWithID(ids=[item.id for item in listed.ids]))
    found = [thing for thing in things if isinstance(thing, tp.Object | tp.ClassicObject)]
    return next(thing.id for thing in found if thing.name == f"{me.name}'s home")


async def next_turn(pushes: asyncio.Queue[int]) -> None:
    """Wait as a TP03 client must, which learns from seconds alone: none while a turn is computed, then some again."""
    while await asyncio.wait_for(pushes.get(), 30):
        pass
    while not await asyncio.wait_for(pushes.get(), 30):
        pass


class Watching:
    """Looks into the database of a server for the only game in it."""

    def __init__(self, server: ServerProcess) -> None:
        self.database = server.database

    def turn(self) -> int:
        return int(self._column("turn"))

    def is_over(self) -> bool:
        return bool(self._column("state") == "over")

    def _column(self, name: str) -> Any:
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            return connection.execute(f"SELECT {name} FROM games").fetchone()[0]


async def bid_to_the_end(line: Line, gold: int) -> list[tuple[int, str]]:
    """Offer the same in each round until the game is over; return turn and subject of all messages."""
    pushes: asyncio.Queue[int] = asyncio.Queue()
    line.pushed = lambda clock: pushes.put_nowait(clock.time)
    home = await own_home(line)
    await line.learn_orders()
    for _ in range(ROUNDS):
        answer = (await line.ask("order_insert", bid(home, gold)))[0]
        assert isinstance(answer, tp.Okay if line.dialect is TP03 else tp.Order), answer
        assert (await line.one("get_order", tp.GetWithIDSlot(id=home, slots=[0]), tp.Order)).otype == 1
        await line.finish()
        await next_turn(pushes)
    with pytest.raises(Failed, match="is over") as refusal:
        await line.one("order_insert", bid(home, 0), tp.Order)
    assert refusal.value.code == 2
    return [(message.turn, message.subject) for message in await line.messages()]


@pytest.mark.thorough
def test_clients_of_three_dialects_play_one_game_to_its_end(live: Callable[..., ServerProcess]) -> None:
    """TP03, TP04 and Protocol Buffers play one game: each turn waits for all, and all get the same."""
    server = live()
    server.start()
    server.create_game("sale", "auction", 3, seed="1", rounds=ROUNDS)

    async def play() -> list[list[tuple[int, str]]]:
        lines = [await Line.open(server.port, dialect) for dialect in (TP03, TP04, PB)]
        for place, line in enumerate(lines):
            await line.enter(f"bidder{place}")
        await lines[1].wait_for(lambda clock: clock.time > 0 and len(clock.waiting) == 3)
        boards = await asyncio.gather(*[bid_to_the_end(line, gold) for gold, line in enumerate(lines, 1)])
        assert "bidder2 won" in (await lines[2].time()).turn_name
        assert not any(line.strange for line in lines)
        for line in lines:
            line.close()
        return boards

    boards = asyncio.run(play())
    for board in boards:
        sales = [(turn, "Sold") for turn in range(1, ROUNDS + 1)]
        assert board == [(0, "Welcome"), *sales, (ROUNDS, "Game over")]
    assert "over" in server.command("game", "show", "sale")
    assert server.stop() == 0
    assert f"{ROUNDS} turns" in server.command("replay", "sale")


@pytest.mark.thorough
def test_two_bots_of_the_client_package_finish_a_game_as_anybody_could(live: Callable[..., ServerProcess]) -> None:
    """`tpclient bots` against `tpserver run`: nothing but the socket between them."""
    server = live()
    server.start()
    server.create_game("tae", "tae", 2, seed="7")
    address = f"127.0.0.1:{server.port}"
    options = ["--address", address, "--user", "a", "--user", "b", "--password", "secret", "--seed", "1"]
    done = run(TPCLIENT, "bots", *options)
    assert (done.code, done.err) == (0, "")
    assert done.out.count("the game is over after turn") == 2
    assert "over" in server.command("game", "show", "tae")


@pytest.mark.thorough
def test_a_game_of_bots_goes_on_when_the_server_was_killed(live: Callable[..., ServerProcess]) -> None:
    """The next server plays the game to its end, and nothing that was saved is played twice."""
    server = live()
    server.start()
    server.command("game", "create", "bots", "--ruleset", "tae", "--seats", "2", "--bots", "2", "--seed", "3")
    watching = Watching(server)
    server.wait_until(lambda: watching.turn() >= 5, "does not get to turn 5")
    server.kill()
    before = watching.turn()
    server.start()
    server.wait_until(watching.is_over, "does not finish the game")
    assert watching.turn() > before
    assert server.stop() == 0
    assert f"{watching.turn()} turns" in server.command("replay", "bots")


def play_out(game: str, seats: int, seed: int, *options: str) -> str:
    """Let `tpserver play` play a game of bots to its end, where each of them has a place; return the digest."""
    words = ["play", game, "--seats", seats, "--bots", seats, "--seed", seed, "--until-end", *options]
    done = run(TPSERVER, *words, "--port", 0, "--web", "off", seconds=GAME_SECONDS)
    assert done.code == 0, done.err
    places = re.findall(r"^ *\d+  bot-(\d+)\b", done.out[done.out.rindex("\nPLACE ") :], re.MULTILINE)
    assert sorted(map(int, places)) == list(range(1, seats + 1)), done.out
    found = re.search(r"^\d+ turns; digest ([0-9a-f]{64})$", done.out, re.MULTILINE)
    assert found, done.out
    return found[1]


@pytest.mark.thorough
def test_the_same_seed_plays_the_same_game() -> None:
    """Bots, sockets and threads decide nothing: two plays of a seed end with one digest."""
    ends = {play_out("tae", 4, 7, "--option", "pool=16,20,16,16") for _ in range(2)}
    assert len(ends) == 1


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 21))
@pytest.mark.parametrize("which", [0, -1], ids=["fewest", "most"])
@pytest.mark.parametrize("game", shipped())
def test_bots_play_every_shipped_game_to_its_end(game: str, which: int, seed: int) -> None:
    """With the fewest seats and with the most, for many seeds; the first and the last are played twice."""
    seats = shipped()[game].load().seats[which]
    ends = {play_out(game, seats, seed) for _ in range(2 if seed in (1, 20) else 1)}
    assert len(ends) == 1
