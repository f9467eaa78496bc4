"""`ruleset check --games` and `replay` with games of other versions.

Another version of their ruleset saved the games.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tprules.colony_battle import RULESET as COLONY_BATTLE
from tprules.swarm import RULESET as SWARM

Run = Callable[..., Any]
BEFORE = Path(__file__).parents[1] / "games" / "before_versions.sqlite.gz"
"""Of Colony Battle, saved by version 2 at last ("hill"), and of Swarm, saved by version 1 ("pond", "lobby")."""


@pytest.fixture
def old(data: Path) -> Path:
    """A data directory of before."""
    data.mkdir()
    (data / "tpserver.sqlite").write_bytes(gzip.decompress(BEFORE.read_bytes()))
    return data


def content(directory: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in directory.iterdir()}


def test_all_games_are_tried_and_nothing_is_changed(old: Path, tpserver: Run):
    before = content(old)
    said = tpserver("ruleset", "check", "--games", "--data", old)
    assert said.code == 0
    assert said.lines == [
        "hill: colony_battle version 2, turn 3, running: loaded, and one turn computed",
        f"pond: swarm version 1 (installed: {SWARM.version}), turn 1, running: loaded, and one turn computed",
        f"lobby: swarm version 1 (installed: {SWARM.version}), turn 0, waiting: loaded, and one turn computed",
        "All can go on: 3 games tried.",
    ]
    assert content(old) == before


def test_a_name_is_a_ruleset_or_a_game(old: Path, tpserver: Run):
    def tried(name: str) -> list[str]:
        said = tpserver("ruleset", "check", name, "--games", "--data", old)
        assert said.code == 0
        return [line.partition(":")[0] for line in said.lines[:-1]]

    assert tried("swarm") == ["pond", "lobby"]
    assert tried("HILL") == ["hill"]
    assert tried("tae") == []
    said = tpserver("ruleset", "check", "nonsense", "--games", "--data", old)
    assert (said.code, said.err) == (1, "tpserver: there is neither a game nor a ruleset 'nonsense'\n")


def test_a_newer_game_a_missing_ruleset_and_rules_that_fail(old: Path, tpserver: Run, monkeypatch: pytest.MonkeyPatch):
    """Each is one line, and the others are tried anyway."""

    def fails(*_: Any) -> Any:
        raise KeyError("\x1b[2Jcube\n")

    monkeypatch.setattr(type(COLONY_BATTLE), "version", 1)
    monkeypatch.setattr(type(SWARM), "load", fails)
    said = tpserver("ruleset", "check", "--games", "--data", old)
    assert said.code == 1
    assert said.err.startswith("tpserver: 3 of 3 games cannot go on")
    hill, pond, _ = said.lines
    assert hill.startswith("hill: colony_battle version 2 (installed: 1), turn 3, running: CANNOT GO ON: game 'hill'")
    assert "Install version 2 or a newer one" in hill
    assert "CANNOT GO ON: it cannot be loaded: KeyError: " in pond
    assert said.out.replace("\n", "").isprintable()


@pytest.mark.thorough
def test_beside_a_running_server(old: Path, process: Run, serve: Any):
    serve()
    said = process("ruleset", "check", "--games", "pond", "--data", old)
    assert said.code == 0
    assert said.lines[-1] == "All can go on: 1 game tried."


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "R is missing; --games tries all stored games"),
        (["tae", "--data", "somewhere"], "--data and --config go with --games"),
    ],
)
def test_wrong_command_lines(tpserver: Run, arguments: list[str], words: str):
    said = tpserver("ruleset", "check", *arguments)
    assert said.code == 2
    assert words in said.err


def test_a_replay_goes_on_from_what_another_version_has_saved(old: Path, tpserver: Run):
    """Its turns cannot have the same digests: the version is part of the state. Nothing is changed."""
    before = content(old)
    said = tpserver("replay", "hill", "--data", old)
    assert said.code == 0
    assert said.lines[0] == (
        "hill: version 1 of ruleset colony_battle has saved turn 2, and version 2 is installed; what comes after that "
        "turn is run again."
    )
    assert said.lines[1].startswith("turn    3  ")
    assert said.lines[-1] == "hill: 1 turn and 1 journal entry run again; every digest is the same."
    said = tpserver("replay", "pond", "--data", old)
    assert said.code == 0
    assert said.lines[-1].endswith("run again; no turn is of version 2 yet.")
    assert content(old) == before


def test_a_replay_of_a_newer_game_is_refused(old: Path, tpserver: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(type(COLONY_BATTLE), "version", 1)
    said = tpserver("replay", "hill", "--data", old)
    assert said.code == 1
    assert said.out == ""
    assert "was saved by version 2 of ruleset colony_battle, and version 1 is installed" in said.err
