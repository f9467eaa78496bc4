"""First minute of `tpserver play`: install message, browser, final words."""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from tprules.api import Outcome
from tpserver.admin.game_listing import final_table
from tpserver.cli import playing
from tpserver.cli.playing import NO_BROWSER, has_desktop, result_words, wants_browser

NAMES = ("ann", "bob", "cid")
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("goal", "arguments", "last"),
    [
        ("play", "", "/tpserver play tae"),
        ("play", "swarm --no-browser", "/tpserver play swarm --no-browser"),
        ("play", "--no-browser", "/tpserver play tae --no-browser"),
        ("test", "-k clock", " -k clock"),
    ],
)
def test_make_says_what_it_installs_before_it_does_and_hands_its_arguments_on(
    tmp_path: Path, goal: str, arguments: str, last: str
) -> None:
    """In a fresh clone. Warnings of pip are not shown."""
    words = ("make", "--dry-run", "--no-print-directory", goal, f"VENV={tmp_path}/new", f"ARGS={arguments}")
    lines = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    installs = [number for number, line in enumerate(lines) if " pip install " in line]
    assert lines[installs[0] - 1].startswith('echo "Installing tpserver and what ')
    assert " once) ..." in lines[installs[0] - 1]
    assert all(" --quiet --quiet " in lines[number] for number in installs)
    assert " ".join(lines[-1].split()).endswith(last)


@pytest.mark.parametrize(
    ("platform", "environment", "has"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("darwin", {}, True),
        ("darwin", {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, False),
        ("linux", {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22", "DISPLAY": "localhost:10"}, True),
    ],
)
def test_where_there_is_a_desktop(platform: str, environment: Mapping[str, str], has: bool) -> None:
    assert has_desktop(platform, environment) == has


def test_a_browser_is_opened_for_a_person_who_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where the output goes to a file or program, nor against an option or a variable."""
    options = argparse.Namespace(no_browser=False)
    monkeypatch.setattr(playing, "has_desktop", lambda platform, environment: True)
    monkeypatch.delenv(NO_BROWSER, raising=False)
    monkeypatch.setattr(playing.sys, "stdout", SimpleNamespace(isatty=lambda: True))
    assert wants_browser(options)
    assert not wants_browser(argparse.Namespace(no_browser=True))
    monkeypatch.setenv(NO_BROWSER, "1")
    assert not wants_browser(options)
    monkeypatch.delenv(NO_BROWSER)
    monkeypatch.setattr(playing.sys, "stdout", SimpleNamespace(isatty=lambda: False))
    assert not wants_browser(options)


@pytest.mark.parametrize(
    ("places", "roles", "words"),
    [
        ({0: 2, 1: 1}, {}, "bob has won."),
        ({0: 1, 1: 2}, {0: "spider", 1: "ants"}, "ann (spider) has won."),
        ({0: 1, 1: 1, 2: 3}, {}, "ann and bob have won."),
        ({0: 1, 1: 1}, {}, "A draw: ann, bob."),
    ],
)
def test_who_has_won(places: dict[int, int], roles: dict[int, str], words: str) -> None:
    assert result_words(Outcome(places, "over"), NAMES.__getitem__, roles) == words


def test_the_final_table_has_the_roles_where_there_are_some() -> None:
    outcome = Outcome({0: 2, 1: 1}, "over", {0: {"Score": 3}, 1: {"Score": 7}})
    assert final_table(outcome, NAMES.__getitem__, {0: "spider", 1: "ants"}) == [
        "PLACE  NAME  ROLE    SCORE",
        "    1  bob   ants        7",
        "    2  ann   spider      3",
    ]
    assert "ROLE" not in final_table(outcome, NAMES.__getitem__)[0]
