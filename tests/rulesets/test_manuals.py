"""Rules for players: checks of `ruleset check`, met by shipped games."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from test_games import auction

from tprules.antshouse import RULESET as ANTSHOUSE
from tprules.api import Ruleset
from tprules.colony_battle import RULESET as COLONY_BATTLE
from tprules.manuals import LONGEST, goal_of, headings_of, manual_of, skeleton_of, unfit_manual
from tprules.swarm import RULESET as SWARM
from tprules.tae import RULESET as TAE
from tprules.taller_ants import RULESET as TALLER_ANTS
from tprules.testing import Nonconforming, check

SHIPPED = [ANTSHOUSE, COLONY_BATTLE, SWARM, TAE, TALLER_ANTS]


def auction_with(manual: Any) -> Ruleset[Any]:
    return type("Auction", (auction.Auction,), {"manual": manual})()


@pytest.mark.parametrize("rules", SHIPPED, ids=lambda rules: rules.name)
def test_each_shipped_game_has_its_rules_beside_it(rules: Ruleset[Any]):
    """In the file that is in the wheel; every design, order type and option is in its place."""
    assert unfit_manual(rules) == ""
    text = manual_of(rules)
    assert text == (Path(__file__).parents[2] / "rulesets" / "tprules" / rules.name / "PLAY.md").read_text("utf-8")
    assert len(text.split()) > 800
    headings = headings_of(text, "Orders")
    assert all({kind.name, kind.words.name if kind.words else ""} & headings for kind in rules.orders)


def test_rules_of_another_system_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """With a byte order mark and other ends of lines, from the file and from the class."""
    folder = tmp_path / "far_auction"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from test_games import auction\nclass Auction(auction.Auction):\n    manual = ''\n"
    )
    text = skeleton_of(auction.RULESET)
    (folder / "PLAY.md").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    monkeypatch.syspath_prepend(str(tmp_path))
    assert manual_of(importlib.import_module("far_auction").Auction()) == text
    assert manual_of(auction_with("\ufeff" + text.replace("\n", "\r\n"))) == text


@pytest.mark.parametrize("rules", SHIPPED, ids=lambda rules: rules.name)
def test_rule_numbers_in_it_are_those_of_the_authority(rules: Ruleset[Any]):
    """Each R25 of the text is a rule of RULES.md."""
    folder = Path(__file__).parents[2] / "rulesets" / "tprules" / rules.name
    known = set(re.findall(r"\bR\d+\b", (folder / "RULES.md").read_text("utf-8")))
    named = set(re.findall(r"\bR\d+\b", manual_of(rules)))
    assert len(named) > 10
    assert named <= known


@pytest.mark.parametrize("rules", [*SHIPPED, auction.RULESET], ids=lambda rules: rules.name)
def test_a_skeleton_is_a_beginning(rules: Ruleset[Any]):
    """The author of a game starts with a text that has all headings."""
    text = skeleton_of(rules)
    plain = type("Plain", (type(rules),), {"manual": text})()
    assert unfit_manual(plain) == ""


FAULTS: Mapping[str, tuple[str, str, str]] = {
    "no title": ("# Auction\n", "", "begin with"),
    "another title": ("# Auction\n", "# Mastermind\n", "begin with 'Mastermind', not with # Auction"),
    "no goal": ("Sealed bids.\n", "", "the goal, the first paragraph, is missing"),
    "two sentences": ("Sealed bids.", "Sealed. Bids.", "it is one sentence of at most 200 characters"),
    "no end": ("Sealed bids.", "Sealed bids", "it is one sentence"),
    "long": ("Sealed bids.", "x" * 200 + ".", "it is one sentence"),
    "no section": ("## Scoring\n", "", "the section ## Scoring is missing"),
    "out of order": (
        "## A turn\n\n## Pieces\n",
        "## Pieces\n\n## A turn\n",
        "the section ## Pieces is missing, or not in",
    ),
    "no order": ("### Bid\n", "", "in the section Orders there is no heading ### Bid"),
    "no option": ("- **gold**", "- gold", "in the section Options there is no item - **gold**"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_missing_is_said(fault: str):
    """In one sentence, and `check` fails with it."""
    there, instead, why = FAULTS[fault]
    text = skeleton_of(auction.RULESET)
    assert there in text
    rules = auction_with(text.replace(there, instead, 1))
    assert why in unfit_manual(rules)
    with pytest.raises(Nonconforming, match=r"tprules\.manuals has the form"):
        check(rules, games=1, processes=False)


def test_a_design_without_a_heading_is_said():
    text = manual_of(SWARM).replace("### Red cube, Blue cube", "### RedCube")
    assert "no heading ### Blue cube" in unfit_manual(type("Swarm", (type(SWARM),), {"manual": text})())


def test_none_and_endless_ones_are_said():
    assert "there are no rules for players" in unfit_manual(auction_with(""))
    endless = auction_with(skeleton_of(auction.RULESET) + "x" * LONGEST)
    assert "longer than 65536 characters" in unfit_manual(endless)
    assert len(manual_of(endless)) == LONGEST


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("# T\n\nWin it.\n", "Win it."),
        ("# T\nWin\nit.\n\nMore.\n", "Win it."),
        ("\n# T\n\n\n  Win it.", "Win it."),
        ("# T\n\n## Set-up\n\nWin it.\n", ""),
        ("# T\n\n- Win it.\n", ""),
        ("Win it.\n", ""),
        ("# T", ""),
        ("", ""),
    ],
)
def test_the_goal_is_the_first_paragraph(text: str, goal: str):
    assert goal_of(text) == goal
