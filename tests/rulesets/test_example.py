"""The complete game of `rulesets/README.md`: a project outside of the tree, installed with pip, found and played."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent / "example"
README = Path(__file__).parents[2] / "rulesets" / "README.md"
PROGRAM = Path(sys.executable).with_name("tpserver")
SECONDS = 240.0
"""What any process may take on a busy machine; usually it is a few seconds."""

Run = Callable[..., str]


@pytest.fixture
def tpserver(site: Path, tmp_path: Path) -> Run:
    """Run a command of the server where the example is installed, and return what it prints."""

    def run(*words: str) -> str:
        path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))
        done = subprocess.run(
            [str(PROGRAM), *words],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.mark.parametrize(
    ("file", "language"), [("picnic/__init__.py", "python"), ("picnic/PLAY.md", "markdown"), ("pyproject.toml", "toml")]
)
def test_the_readme_shows_the_very_files(file: str, language: str):
    """What is read is what is installed and played."""
    shown = re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert (EXAMPLE / file).read_text(encoding="utf-8") in shown


def test_the_game_is_small():
    """60 to 100 lines that say something."""
    lines = (EXAMPLE / "picnic" / "__init__.py").read_text(encoding="utf-8").splitlines()
    assert 60 <= sum(bool(line.strip()) for line in lines) <= 100


def test_the_server_finds_it(tpserver: Run, site: Path):
    """From the installed package, which is not in this tree; and `show` prints what the game declares."""
    assert (site / "picnic" / "PLAY.md").is_file()
    assert re.search(r"^picnic +1 +2 to 4 +Picnic$", tpserver("ruleset", "list"), re.MULTILINE)
    shown = tpserver("ruleset", "show", "picnic")
    for words in ("rounds", "a whole number from 2 to 20", "Send (on hill)", "Which party", "Home Planet"):
        assert words in shown


def test_it_conforms(tpserver: Run):
    """The conformance test passes, and did compare what worlds with other secrets answer."""
    said = tpserver("ruleset", "check", "picnic")
    assert "picnic: conforms" in said
    assert re.search(r"^  [1-9]\d* answers were the same in worlds that look the same$", said, re.MULTILINE)


@pytest.mark.parametrize("seats", [2, pytest.param(4, marks=pytest.mark.thorough)])
def test_random_bots_play_it_to_the_end(tpserver: Run, seats: int):
    """No client knows the game: the bots play by order descriptions and probes."""
    words = ["play", "picnic", "--port", "0", "--web", "off", "--seed", "7"]
    words += ["--seats", str(seats), "--bots", str(seats)]
    said = tpserver(*words, "--option", "rounds=5", "--until-end")
    assert len(re.findall(r"^      A crumb of [1-5]: ", said, re.MULTILINE)) == 5
    assert re.search(r"^5 turns; digest [0-9a-f]{64}$", said, re.MULTILINE)
    assert re.search(r"^PLACE +NAME +CRUMBS$", said, re.MULTILINE)
