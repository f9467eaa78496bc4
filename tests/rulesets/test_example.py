"""The game of `rulesets/docs/tutorial.md`: each of its steps checked and played.

The last step is installed with pip as a project outside of the tree, then found and played.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from tprules.api import Ruleset
from tprules.manuals import goal_of, manual_of, skeleton_of
from tprules.testing import Nonconforming, check, play
from tpserver.rules.discovery import GROUP, fault_of

EXAMPLE = Path(__file__).parent / "example"
TUTORIAL = Path(__file__).parents[2] / "rulesets" / "docs" / "tutorial.md"
PROGRAM = Path(sys.executable).with_name("tpserver")
SECONDS = 240.0
"""Maximum seconds for any process on a busy machine. Usually it is a few seconds."""

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


def shown(language: str) -> list[str]:
    """Return the blocks of the tutorial in a language, from first to last."""
    text = TUTORIAL.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.fixture(params=[1, 2, 3])
def step(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ruleset[Any]:
    """One step of the game, imported as the package of which the tutorial shows the module, without PLAY.md."""
    file = tmp_path / "__init__.py"
    file.write_text(shown("python")[request.param - 1], encoding="utf-8")
    spec = importlib.util.spec_from_file_location(f"picnic_step_{request.param}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    rules: Ruleset[Any] = module.RULESET
    return rules


@pytest.mark.thorough
def test_each_step_is_a_game(step: Ruleset[Any], tmp_path: Path):
    """The server accepts each step, and games of any number of players end with a winner.

    The check passes with the text that `ruleset manual --skeleton` prints, and fails without it.
    """
    assert fault_of(step, EntryPoint("picnic", "picnic:RULESET", GROUP)) == ""
    with pytest.raises(Nonconforming, match=r"PLAY\.md"):
        check(step, processes=False)
    (tmp_path / "PLAY.md").write_text(skeleton_of(step), encoding="utf-8")
    assert goal_of(manual_of(step)) == f"{step.help}."
    summary = check(step, games=len(step.seats), twins=8, processes=False)
    assert summary.moves_tried
    for seats in step.seats:
        played = play(step, seats=seats, seed=7)
        assert played.outcome is not None
        assert sorted(played.outcome.places) == list(range(seats))
        assert played.outcome.winners()
        assert played.reports


def test_the_game_grows():
    """From about fifty lines that say something to at most a hundred, in three steps."""
    first, second, third = (sum(bool(line.strip()) for line in step.splitlines()) for step in shown("python"))
    assert first <= 55
    assert first < second < third <= 100


@pytest.mark.parametrize(
    ("file", "language"), [("picnic/__init__.py", "python"), ("picnic/PLAY.md", "markdown"), ("pyproject.toml", "toml")]
)
def test_the_tutorial_shows_the_very_files(file: str, language: str):
    """The files in the tutorial are the installed and played ones."""
    assert shown(language)[-1] == (EXAMPLE / file).read_text(encoding="utf-8")


@pytest.mark.thorough
def test_the_server_finds_it(tpserver: Run, site: Path):
    """From the installed package, which is not in this tree; and `show` prints what the game declares."""
    assert (site / "picnic" / "PLAY.md").is_file()
    assert re.search(r"^picnic +1 +2 to 4 +Picnic$", tpserver("ruleset", "list"), re.MULTILINE)
    page = tpserver("ruleset", "show", "picnic")
    for words in ("rounds", "a whole number from 2 to 20", "Send (on hill)", "Which party", "Home Planet"):
        assert words in page


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
