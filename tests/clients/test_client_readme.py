"""The bot of the README is run as it stands there."""

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parents[2] / "clients" / "README.md"


def test_the_bot_of_the_readme_plays(
    fake_server: Any, tae_game: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It gives orders to what it owns, and ends when the game is over."""
    program, _ = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    game = tae_game(". . . / . s . / . . #", "mr", "s")
    game.seats, game.actions = [1], 1000

    def closed() -> None:
        game.turn += 1
        game.over = game.turn == 3
        game.turn_name = "Game over" if game.over else ""

    game.closed = closed
    mains: list[Any] = []
    monkeypatch.setattr(asyncio, "run", mains.append)
    server = fake_server(game)

    async def run() -> None:
        listener, port = await server.listen()
        monkeypatch.setattr(sys, "argv", ["bot.py", f"127.0.0.1:{port}", "player0", "secret"])
        exec(compile(program, str(README), "exec"), {"__name__": "__main__"})
        async with listener:
            await asyncio.wait_for(mains.pop(), 10)

    with asyncio.Runner() as runner:
        runner.run(run())
    moves = {piece for name, piece, _ in game.read() if name == "Move"}
    assert moves == {"0M", "0S", "0P", "0R"}
    assert capsys.readouterr().out == f"{len(game.given)} orders accepted in 2 turns\n"


def test_the_bot_of_the_readme_is_as_short_as_promised() -> None:
    """A bot in about twenty lines, imports and blank lines not counted."""
    program = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[0]
    lines = [line for line in program.splitlines() if line.strip() and not line.startswith(("import", "from"))]
    assert len(lines) <= 20
