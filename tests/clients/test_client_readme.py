"""The bots of the pages for client authors run as printed."""

import random
import re
import sys
from pathlib import Path

import pytest

from tests.clients.conftest import opened
from tests.support.memory_client import Served

CLIENTS = Path(__file__).parents[2] / "clients"
BOTS = CLIENTS / "docs" / "bots.md"
PAGES = (CLIENTS / "README.md", *sorted((CLIENTS / "docs").glob("*.md")))


def programs(page: Path) -> list[str]:
    """Return the Python programs of a page."""
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


BLOCKING, POLICY = programs(BOTS)
PYTHON = pytest.mark.parametrize("program", [BLOCKING, POLICY], ids=["blocking", "policy"])


def play(program: str, monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    random.seed(7)
    monkeypatch.setattr(sys, "argv", ["bot.py", *words])
    exec(compile(program, str(BOTS), "exec"), {"__name__": "__main__"})


@PYTHON
def test_the_programs_of_the_readme_play(
    program: str, served: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They give orders to what they own, and end when the game is over."""
    served.do(served.server.begin, "ann", options={"rounds": 6})
    play(program, monkeypatch, served.address, "ann", "ann's word")
    *_, last = capsys.readouterr().out.splitlines()
    said = re.fullmatch(r"(\d+) orders accepted (until turn 6|in 6 turns)", last)
    assert said
    assert 0 < int(said[1]) <= served.server.asked.count((0, "order_insert"))


@pytest.mark.thorough
@PYTHON
def test_the_programs_of_the_readme_play_a_game_to_the_end(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Against the bot of the server, on a real socket."""
    with opened("antshouse") as address:
        play(program, monkeypatch, address, "me", "me's word")
    *_, last = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"[1-9]\d* orders accepted (until turn|in) [1-9]\d*( turns)?", last)


@PYTHON
def test_the_bots_of_the_readme_are_as_short_as_promised(program: str) -> None:
    """A bot in twenty lines, imports and blank lines not counted."""
    lines = [line for line in program.splitlines() if line.strip() and not line.startswith(("import", "from"))]
    assert len(lines) <= 20


def test_all_programs_of_the_readme_are_python() -> None:
    """The pieces without imports are at least sentences of the language."""
    texts = [(page, program) for page in PAGES for program in programs(page)]
    assert len(texts) >= 5
    for page, program in texts:
        compile("async def example():\n" + re.sub("^", "    ", program, flags=re.MULTILINE), str(page), "exec")
