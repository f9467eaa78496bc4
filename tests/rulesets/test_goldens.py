"""Golden playthroughs: every ruleset has one, and each plays as written."""

from __future__ import annotations

import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = sorted(str(path.relative_to(HERE)) for path in HERE.glob("*/goldens/*.txt"))


@pytest.mark.parametrize("file", FILES)
def test_a_golden_playthrough_is_as_it_was(goldens, file):
    """The same orders, reports, boards and digests, line by line. After a deliberate change: make goldens."""
    game = next(game for game in goldens.GAMES if game.file == file)
    assert goldens.text_of(game).splitlines() == (goldens.HERE / file).read_text(encoding="utf-8").splitlines()


def test_all_golden_files_are_compared(goldens):
    """No file is left over, no game is without its file."""
    assert FILES
    assert set(FILES) == {game.file for game in goldens.GAMES}


def test_every_shipped_ruleset_has_a_golden_playthrough(goldens):
    """Each installed ruleset of this project is played in one at least."""
    shipped = {entry.name for entry in entry_points(group="tpserver.rulesets") if entry.value.startswith("tprules.")}
    assert shipped
    assert shipped <= {game.rules.name for game in goldens.GAMES}


def test_the_goldens_of_tae_show_what_matters(goldens):
    """Both kinds of combat, reinforcements, artifacts taken, failed orders, and an end are in them."""
    text = "\n".join((goldens.HERE / file).read_text(encoding="utf-8") for file in FILES if file.startswith("tae/"))
    for wanted in (
        "event internal combat",
        "event external combat",
        "orders Reinforce",
        "Alien artifacts",
        "Order failed",
        "orders Exchange",
        "orders Attack",
        "GAME OVER!",
    ):
        assert re.search(wanted, text), wanted
