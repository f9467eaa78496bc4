"""The bots of the README are run as they stand there."""

import random
import re
import sys
from pathlib import Path

import pytest

from tests.support.memory_client import Served

README = Path(__file__).parents[2] / "clients" / "README.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
BLOCKING, POLICY = (program for program in PROGRAMS if program.startswith("import"))


def six_turns(served: Served) -> None:
    served.do(served.server.begin, "ann", options={"rounds": 6})


def test_the_script_of_the_readme_plays(
    served: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It gives orders to what it owns, reads refusals, and ends when the game is over."""
    six_turns(served)
    random.seed(7)
    monkeypatch.setattr(sys, "argv", ["bot.py", served.address, "ann", "ann's word", "first"])
    exec(compile(BLOCKING, str(README), "exec"), {"__name__": "__main__"})
    *refusals, last = capsys.readouterr().out.splitlines()
    assert 0 < len(refusals) < 6
    assert set(refusals) == {"The server refused OrderInsert: The boat is there already. (code 3)."}
    assert last == f"{6 - len(refusals)} orders accepted until turn 6"


def test_the_policy_of_the_readme_plays(
    served: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It gives orders to what it owns, and ends when the game is over."""
    six_turns(served)
    monkeypatch.setattr(sys, "argv", ["bot.py", served.address, "ann", "ann's word"])
    exec(compile(POLICY, str(README), "exec"), {"__name__": "__main__"})
    said = re.fullmatch(r"(\d) orders accepted in 6 turns\n", capsys.readouterr().out)
    assert said
    assert 0 < int(said[1]) <= served.server.asked.count((0, "order_insert"))


@pytest.mark.parametrize("program", [BLOCKING, POLICY], ids=["blocking", "policy"])
def test_the_bots_of_the_readme_are_as_short_as_promised(program: str) -> None:
    """A bot in twenty lines, imports and blank lines not counted."""
    lines = [line for line in program.splitlines() if line.strip() and not line.startswith(("import", "from"))]
    assert len(lines) <= 20


def test_all_programs_of_the_readme_are_python() -> None:
    """The pieces without imports are at least sentences of the language."""
    for program in PROGRAMS:
        compile("async def example():\n" + re.sub("^", "    ", program, flags=re.MULTILINE), str(README), "exec")
