"""The bots of the README are run as they stand there."""

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parents[2] / "clients" / "README.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
BLOCKING, POLICY = (program for program in PROGRAMS if program.startswith("import"))


def three_turns(tae_game: Any) -> Any:
    """A game for one player that is over in its third turn."""
    game = tae_game(". . . / . s . / . . #", "mr", "s")
    game.seats, game.actions = [1], 1000

    def closed() -> None:
        game.turn += 1
        game.over = game.turn == 3
        game.turn_name = "Game over" if game.over else ""

    game.closed = closed
    return game


def test_the_script_of_the_readme_plays(
    serve: Any, tae_game: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It gives orders to what it owns, reads refusals, and ends when the game is over."""
    game = three_turns(tae_game)
    game.actions = 7
    served = serve(game)
    monkeypatch.setattr(sys, "argv", ["bot.py", served.address, "player0", "secret", "first"])
    exec(compile(BLOCKING, str(README), "exec"), {"__name__": "__main__"})
    assert served.server.logins == ["player0@first"]
    assert {piece for name, piece, _ in game.read() if name == "Move"} == {"0M", "0S", "0P", "0R"}
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "7 orders accepted until turn 3"
    assert lines[0].startswith("The server refused OrderInsert: You have given all orders of this turn.")


def test_the_policy_of_the_readme_plays(
    fake_server: Any, tae_game: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It gives orders to what it owns, and ends when the game is over."""
    game = three_turns(tae_game)
    mains: list[Any] = []
    monkeypatch.setattr(asyncio, "run", mains.append)
    server = fake_server(game)

    async def run() -> None:
        listener, port = await server.listen()
        monkeypatch.setattr(sys, "argv", ["bot.py", f"127.0.0.1:{port}", "player0", "secret"])
        exec(compile(POLICY, str(README), "exec"), {"__name__": "__main__"})
        async with listener:
            await asyncio.wait_for(mains.pop(), 240)

    with asyncio.Runner() as runner:
        runner.run(run())
    moves = {piece for name, piece, _ in game.read() if name == "Move"}
    assert moves == {"0M", "0S", "0P", "0R"}
    assert capsys.readouterr().out == f"{len(game.given)} orders accepted in 2 turns\n"


@pytest.mark.parametrize("program", [BLOCKING, POLICY], ids=["blocking", "policy"])
def test_the_bots_of_the_readme_are_as_short_as_promised(program: str) -> None:
    """A bot in twenty lines, imports and blank lines not counted."""
    lines = [line for line in program.splitlines() if line.strip() and not line.startswith(("import", "from"))]
    assert len(lines) <= 20


def test_all_programs_of_the_readme_are_python() -> None:
    """The pieces without imports are at least sentences of the language."""
    for program in PROGRAMS:
        compile("async def example():\n" + re.sub("^", "    ", program, flags=re.MULTILINE), str(README), "exec")
