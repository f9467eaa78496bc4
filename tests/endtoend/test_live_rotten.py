"""Harmful rules beside a healthy game: a restart, and nothing is lost."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.orders import number, order, text
from tests.support.process import is_running
from tests.support.server import ServerProcess
from tests.support.wire import Failed, Gone, Line
from tpproto import tp_pb2 as tp

HOME, TEMPORARILY = 2, 3


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The turns of these rules have a second, not a minute."""
    monkeypatch.setenv("ROTTEN_TURN_SECONDS", "1")


def bid(words: str, gold: int = 0) -> tp.Order:
    return order(HOME, 1, number(gold), text(words))


async def at_the_table(server: ServerProcess, game: str, name: str = "ann") -> Line:
    line = await Line.open(server.port)
    await line.enter(f"{name}@{game}")
    await line.learn_orders()
    return line


def games(server: ServerProcess) -> None:
    server.create_game("good", "auction", 1, clock="manual")
    server.create_game("bad", "rotten", 1, clock="manual")


async def end_the_server(server: ServerProcess, words: str) -> None:
    """Give the good game an order and the bad one a bid that ends the server. Then log in to both."""
    good, bad = await at_the_table(server, "good"), await at_the_table(server, "bad")
    await good.one("order_insert", bid("kept"), tp.Order)
    with pytest.raises(Gone):
        await bad.one("order_insert", bid(words), tp.Order)
    good = await at_the_table(server, "good")
    order = await good.one("get_order", tp.GetWithIDSlot(id=HOME, slots=[0]), tp.Order)
    assert order.parameters[1].string.string == "kept"
    bad = await at_the_table(server, "bad")
    with pytest.raises(Failed, match="held"):
        await bad.one("order_insert", bid(""), tp.Order)
    assert [message.subject for message in await bad.messages()][-1] == "The game is held"


@pytest.mark.thorough
def test_rules_that_stay_inside_c_end_the_server_once_and_are_held(supervised: Callable[..., ServerProcess]) -> None:
    """It says where they were; the game goes on when its operator wants it to."""
    server = supervised()
    server.start()
    games(server)
    asyncio.run(end_the_server(server, "check in-c"))
    shown = server.command("game", "show", "bad")
    assert re.search(r"held: a call of its rules did not end in [\d.]+ s \(rotten.py line \d+\)", shown)
    assert "state      running" in server.command("game", "show", "good")
    assert "in _in_c" in server.said
    server.command("game", "resume", "bad")

    async def again() -> None:
        line = await at_the_table(server, "bad")
        await line.one("order_insert", bid("well"), tp.Order)

    asyncio.run(again())
    assert server.stop() == 0


@pytest.mark.thorough
@pytest.mark.parametrize(("deed", "how"), [("crash", "signal 11"), ("leave", "code 0")])
def test_rules_that_end_the_server_are_held(supervised: Callable[..., ServerProcess], deed: str, how: str) -> None:
    server = supervised()
    server.start()
    games(server)
    asyncio.run(end_the_server(server, f"check {deed}"))
    assert f"held: its rules ended the server ({how})" in server.command("game", "show", "bad")
    assert "state      running" in server.command("game", "show", "good")
    assert server.stop() == 0


@pytest.mark.thorough
def test_rules_that_eat_memory_end_the_server_and_are_held(
    directory: Path, supervised: Callable[..., ServerProcess]
) -> None:
    configuration = directory / "tpserver.toml"
    configuration.write_text("[limits]\nmemory_bytes = 268435456\n")
    server = supervised("--config", str(configuration))
    server.start()
    games(server)

    async def eat() -> None:
        good, bad = await at_the_table(server, "good"), await at_the_table(server, "bad")
        await good.one("order_insert", bid("kept"), tp.Order)
        with pytest.raises(Gone):
            for _ in range(100):
                await bad.ask("order_probe", bid("check grow"))
                await asyncio.sleep(0.05)
        good = await at_the_table(server, "good")
        order = await good.one("get_order", tp.GetWithIDSlot(id=HOME, slots=[0]), tp.Order)
        assert order.parameters[1].string.string == "kept"

    asyncio.run(eat())
    # Where one piece is too large at once, Python says so first.
    assert re.search(r"held: (the server held|MemoryError)", server.command("game", "show", "bad"))
    assert re.search(r"ruleset rotten, game number 2: the server held \d+ MiB of memory", server.said)
    assert "state      running" in server.command("game", "show", "good")
    assert server.stop() == 0


@pytest.mark.thorough
def test_a_turn_that_keeps_the_interpreter_to_itself_ends_the_server(supervised: Callable[..., ServerProcess]) -> None:
    """In the thread of the turn: the reactor only waits."""
    server = supervised()
    server.start()
    games(server)

    async def close() -> None:
        bad = await at_the_table(server, "bad")
        await bad.one("order_insert", bid("stage in-c"), tp.Order)

    asyncio.run(close())
    with pytest.raises(Exception, match="hung up"):
        server.command("game", "close-turn", "bad")
    assert "rotten.py" in server.command("game", "show", "bad")
    assert server.stop() == 0


@pytest.mark.thorough
def test_a_server_killed_by_anybody_else_comes_back_and_holds_no_game(supervised: Callable[..., ServerProcess]) -> None:
    server = supervised()
    server.start()
    games(server)

    async def kill() -> None:
        good = await at_the_table(server, "good")
        await at_the_table(server, "bad")
        await good.one("order_insert", bid("kept"), tp.Order)
        os.kill(server.serving(), signal.SIGKILL)
        await good.gone.wait()
        good = await at_the_table(server, "good")
        await good.one("get_order", tp.GetWithIDSlot(id=HOME, slots=[0]), tp.Order)

    asyncio.run(kill())
    assert "held" not in server.command("game", "list")
    assert server.stop() == 0


def test_a_server_ends_with_its_parent(supervised: Callable[..., ServerProcess]) -> None:
    """Also if that is killed: neither store nor port are kept."""
    server = supervised()
    server.start()
    child = server.serving()
    server.kill()
    server.start()
    assert not is_running(child)
    assert server.stop() == 0


@pytest.mark.thorough
def test_a_server_without_a_parent_ends_when_it_is_frozen_and_holds_the_game_when_it_starts(
    supervised: Callable[..., ServerProcess],
) -> None:
    """Code 1 is for a service manager, which starts it again. One that was killed holds nothing."""
    server = supervised("--no-parent")
    server.start()
    games(server)
    server.kill()
    server.start()
    assert "held" not in server.command("game", "list")

    async def freeze() -> None:
        bad = await at_the_table(server, "bad")
        with pytest.raises(Gone):
            await bad.one("order_insert", bid("check in-c"), tp.Order)

    asyncio.run(freeze())
    assert server.end() == 1
    server.start()
    assert re.search(r"held: its rules froze the server \(rotten.py line \d+\)", server.command("game", "show", "bad"))
    assert "held" not in server.command("game", "show", "good")
    assert server.stop() == 0
    assert not list(server.data.glob("rules.*"))
