"""The library against a real server process, over TCP and WebSocket.

Tested are a restart, a replaced game, and a script that plays.
"""

import asyncio
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tpclient.blocking import open_game
from tpclient.errors import RequestFailed
from tpclient.events import ConnectionBack, ConnectionLost, GameReplaced, OrderSettled
from tpclient.following import Game
from tpclient.orders import choices
from tpclient.reconnect import Persistence

PROGRAM = Path(sys.executable).with_name("tpserver")


class RealServer:
    """`tpserver run` with one game of TaE, a bot in one of two seats; stopped and started again on the same ports."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tp = self.web = 0
        self.process: subprocess.Popen[str] | None = None
        self.create()

    def create(self) -> None:
        words = ["game", "create", "friday", "--ruleset", "tae", "--seats", "2", "--bots", "1", "--seed", "7"]
        subprocess.run([PROGRAM, *words, "--data", self.folder], check=True, capture_output=True)

    def start(self) -> None:
        words = ["run", "--data", self.folder, "--accounts", "open", "--port", self.tp, "--web-port", self.web]
        self.process = subprocess.Popen(
            [str(PROGRAM), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self.process.stdout is not None
        said = next(
            found
            for line in self.process.stdout
            if (found := re.search(r"tp://127\.0\.0\.1:(\d+);.*http://127\.0\.0\.1:(\d+)", line))
        )
        self.tp, self.web = int(said[1]), int(said[2])

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.process.communicate(timeout=240)
            self.process = None

    def address(self, scheme: str) -> str:
        return f"{scheme}://127.0.0.1:{self.tp if scheme == 'tp' else self.web}"


@pytest.fixture
def real_server(tmp_path: Path) -> Iterator[RealServer]:
    server = RealServer(tmp_path / "data")
    server.start()
    yield server
    server.stop()


async def joined(address: str, **more: Any) -> Game:
    """The game once it has started: both seats are taken."""
    game = await Game.open(address, "ann", "secret", "friday", timeout=240, **more)
    while not game.is_awaited:
        await anext(game.events())
    await game.refresh()
    return game


async def until(game: Game, kind: type) -> list[Any]:
    found: list[Any] = []
    async for event in game.events():
        found.append(event)
        if isinstance(event, kind):
            break
    return found


@pytest.mark.thorough
def test_a_restart_and_a_replacement_of_the_real_server(real_server: RealServer) -> None:
    """Orders from before the restart are known without a download. A new game is read again."""
    again: list[asyncio.Event] = []

    async def sleep(seconds: float) -> None:
        await again[0].wait()

    async def run() -> None:
        again.append(asyncio.Event())
        persistence = Persistence(sleep=sleep, patience=20)
        game = await joined(real_server.address("tp"), persistence=persistence)
        settler = next(
            thing for thing in game.universe.own() if [o.name for o in game.universe.offers(thing)] == ["Colonize"]
        )
        where = next(icon for icon in game.universe.of_kind("Star System") if icon.name == "0, 5")
        order = await game.order(settler.queue, "Colonize", {"Star System": where.id})
        universe, known = game.universe, len(game.universe.objects)
        assert known > 350

        await asyncio.to_thread(real_server.stop)
        lost = (await until(game, ConnectionLost))[-1]
        assert str(lost.error).startswith("The server closed the connection")
        await asyncio.to_thread(real_server.start)
        again[0].set()
        found = await until(game, ConnectionBack)
        assert not any(isinstance(event, GameReplaced | OrderSettled) for event in found)
        assert game.universe is universe
        assert [choices(one) for one in game.orders[settler.queue]] == [choices(order)]
        with pytest.raises(RequestFailed):
            await game.order(settler.queue, "Colonize", {"Star System": settler.id})
        await game.finish_turn()
        number = await game.wait_for_turn(timeout=240)
        assert number == game.turn
        assert settler.id not in game.universe.objects

        again[0].clear()
        await asyncio.to_thread(real_server.stop)
        shutil.rmtree(real_server.folder)
        await asyncio.to_thread(real_server.create)
        await asyncio.to_thread(real_server.start)
        again[0].set()
        replaced = (await until(game, GameReplaced))[-1]
        assert replaced.why in (
            "The game friday was created again.",
            f"The game went back from turn {number} to turn 0.",
        )
        assert game.universe is not universe
        await game.close()

    asyncio.run(asyncio.wait_for(run(), 240))


@pytest.mark.thorough
def test_a_script_plays_over_a_websocket(real_server: RealServer) -> None:
    """The blocking facade: look, give an order, finish, wait, read what became of it."""
    told: list[tuple[int, int]] = []
    with open_game(
        real_server.address("ws"), "ann", "secret", "friday", progress=lambda done, all_: told.append((done, all_))
    ) as game:
        while not game.is_awaited:
            game.wait_for_turn(timeout=240)
        game.refresh()
        settler = next(thing for thing in game.own() if [one.name for one in game.offers(thing)] == ["Colonize"])
        where = next(icon.thing for icon in game.map().icons.values() if icon.thing.name == "0, 5")
        game.order(settler, "Colonize", {"Star System": where.id})
        before = game.turn
        game.finish()
        assert game.wait_for_turn(timeout=240) > before
        subjects = [message.subject for message in game.messages(since=before)]
        assert any("Colonize" in subject for subject in subjects)
    assert told[-1][0] == told[-1][1]


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["tp", "ws"])
def test_two_clients_of_one_player_share_a_board(real_server: RealServer, scheme: str) -> None:
    """Messages that one removes are gone for the other, which still gets all new ones. Slots are the server's."""

    async def run() -> None:
        here = await joined(real_server.address(scheme))
        there = await joined(real_server.address("tp"))
        for number in range(4):
            await there.post(here.me, f"note {number}", "to myself")
        await asyncio.gather(here.refresh(), there.refresh())
        assert [one.subject for one in here.mail][-4:] == [f"note {number}" for number in range(4)]
        chosen = [one for one in here.mail if one.subject in ("note 0", "note 2")]
        assert await here.remove_messages(*chosen) == 2
        await there.post(here.me, "note 4", "to myself")
        await there.post(here.me, "note 5", "to myself")
        before = {id(one) for one in there.mail}
        await there.refresh()
        assert [one.subject for one in there.mail if id(one) not in before] == ["note 4", "note 5"]
        assert [one.subject for one in there.mail][-4:] == ["note 1", "note 3", "note 4", "note 5"]
        assert [one.slot for one in there.mail] == list(range(len(there.mail)))
        await here.refresh()
        assert [(one.slot, one.subject) for one in here.mail] == [(one.slot, one.subject) for one in there.mail]
        assert await there.remove_messages(*there.mail) == len(before)
        assert there.mail == []
        await asyncio.gather(here.close(), there.close())

    asyncio.run(asyncio.wait_for(run(), 240))
