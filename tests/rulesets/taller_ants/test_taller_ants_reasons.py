"""Every order with every reason to drop it (page, section 4).

The reason is reported, and the order uses up nothing.
"""

from __future__ import annotations

import copy
import re

import pytest

from tprules.taller_ants import RULESET
from tprules.taller_ants.orders import ILLEGAL

N, E, S = 0, 2, 4
CAPTIVE, COCOONED, EGGS = 1, 2, 3
FOOD = 1
SMALL, LARGE = 1, 2
NEAR, FAR = 1, 2
BODY, WEB_POINT = 1, 2

BRIDGE = "B2@(5,4){bridge=S}"

OF_SPIDERS = [
    ("no path", "S@(5,4)", "Move", {"Square": (5, 5)}),
    ("below", "S@(5,4)", "Move", {"Square": (5, 4, True)}),
    ("not carried", "S@(5,4)10{captives=1b}", "Eat", {"Captives": 2, "Cocooned": 0}),
    ("not carried", "S@(5,4){captives=1b,eggs=1}", "Drop", {"Goods": [[CAPTIVE, 1], [EGGS, 2]]}),
    ("not touching", "S@(5,4) C1@(7,4)", "Pick Up", {"Square": (7, 4), "Goods": COCOONED}),
    ("nothing there", "S@(5,4) C1@(5,3)", "Pick Up", {"Square": (5, 3), "Goods": EGGS}),
    ("not touching", "S@(5,4){cocooned=1} c3@(7,4)", "Feed Egg", {"Egg": "c1", "With": COCOONED, "Number": 1}),
    ("no egg", "S@(5,4){cocooned=2,eggs=1}", "Feed Egg", {"Egg": "S1", "With": COCOONED, "Number": 2}),
    ("no egg", "S@(5,4){cocooned=1} c0+1@(5,4)", "Feed Egg", {"Egg": "c1", "With": COCOONED, "Number": 1}),
    ("no ant", "S@(5,4){cocooned=1} c3@(5,4)", "Feed Egg", {"Egg": "c1", "With": COCOONED, "Number": 2}),
    ("no ant", "S@(5,4){cocooned=1} c3@(5,4)", "Feed Egg", {"Egg": "c1", "With": CAPTIVE, "Number": 1}),
    ("not touching", "S@(5,4)", "Build Web", {"Square": (7, 4)}),
    ("not touching", "S@(5,4)", "Build Web", {"Square": (5, 4, True)}),
    ("web there", "S@(5,4) W@(5,3)", "Build Web", {"Square": (5, 3)}),
    ("ants there", "S@(5,4) Q@(5,3)", "Build Web", {"Square": (5, 3)}),
    ("wide water", "S@(5,4)", "Build Web", {"Square": (5, 5)}),
    ("no far bank", "S@(5,4)", "Span Web", {"Direction": N}),
    ("no far bank", "S@(5,4) W@(5,5)", "Span Web", {"Direction": S}),
    ("occupied", "S@(5,4) B2@(5,7){bridge=N}", "Span Web", {"Direction": S}),
    ("not touching", "S@(5,4) W@(7,4)", "Destroy Web", {"Square": (7, 4)}),
    ("no web", "S@(5,4)", "Destroy Web", {"Square": (5, 3)}),
    ("occupied water", "S@(5,5) W@(5,5)", "Destroy Web", {"Square": (5, 5)}),
    ("not touching", "S@(5,4) B2@(7,4) W@(7,4)", "Cocoon", {"Group": "B1", "Size": SMALL, "Number": 1}),
    ("not touching", "S@(5,4) B2@(5,4)_", "Cocoon", {"Group": "B1", "Size": SMALL, "Number": 1}),
    ("not on web", "S@(5,4) B2@(5,3) W@(5,4)", "Cocoon", {"Group": "B1", "Size": LARGE, "Number": 1}),
    ("too many", "S@(5,4) B1@(5,3) W@(5,3)", "Cocoon", {"Group": "B1", "Size": SMALL, "Number": 2}),
    ("hp", "S@(5,4)1 B2@(5,3) W@(5,3)", "Cocoon", {"Group": "B1", "Size": SMALL, "Number": 1}),
    ("hp", "S@(5,4)3 B2@(5,3) W@(5,3)", "Cocoon", {"Group": "B1", "Size": LARGE, "Number": 1}),
    ("no captive", "S@(5,4){cocooned=3}", "Wrap", {"Number": 1}),
    ("not touching", "S@(5,4) B2@(7,4)", "Attack", {"Target": "B1", "Choice": 1, "Limit": 0}),
    ("below", "S@(5,4) Q@(5,4)_", "Attack", {"Target": "Q1", "Choice": 1, "Limit": 0}),
]

OF_ANTS = [
    ("bridging", BRIDGE, "Move", {"Square": (5, 3)}),
    ("no path", "B2@(5,4)_", "Move", {"Square": (5, 3, True)}),
    ("not carried", "B2@(5,4){food=4}", "Drop", {"Goods": [[FOOD, 5]]}),
    ("bridging", "B2@(5,4){bridge=S,food=5}", "Drop", {"Goods": [[FOOD, 5]]}),
    ("bridging", "B3@(5,5){food=5} B2@(5,4){bridge=S}", "Drop", {"Goods": [[FOOD, 5]]}),
    ("not touching", "B2@(5,4) f5@(7,4)", "Pick Up", {"Square": (7, 4), "Goods": [[FOOD, 5]]}),
    ("not touching", "B2@(5,4) f5@(5,4)_", "Pick Up", {"Square": (5, 4, True), "Goods": [[FOOD, 5]]}),
    ("nothing there", "B2@(5,4)", "Pick Up", {"Square": (5, 3), "Goods": [[FOOD, 5]]}),
    ("nothing there", "B1@(5,4){food=4} c3@(5,3)", "Pick Up", {"Square": (5, 3), "Goods": [[EGGS, 1]]}),
    ("above ground", "B2@(5,4)", "Excavate", {"Directions": N}),
    ("edge", "B2@(5,0)_", "Excavate", {"Directions": [N, S]}),
    ("already open", "B2@(5,4)_ D@(5,3)", "Excavate", {"Directions": [N, S]}),
    ("no web", "B2@(5,4) W@(5,3)", "Collect Web", {}),
    ("below", "B2@(5,4)_ W@(5,4)", "Collect Web", {}),
    ("water", "B2@(5,5) W@(5,5)", "Collect Web", {}),
    ("bridging", BRIDGE, "Bridge", {"Direction": S}),
    ("no far bank", "B2@(5,4)", "Bridge", {"Direction": N}),
    ("no far bank", "B2@(5,4)_", "Bridge", {"Direction": S}),
    ("no far bank", "B2@(5,5) W@(5,5)", "Bridge", {"Direction": S}),
    ("too few ants", "B1@(5,4)", "Bridge", {"Direction": S}),
    ("occupied", "B2@(5,4) B1@(5,5) W@(5,5)", "Bridge", {"Direction": S}),
    ("not bridging", "B2@(5,4)", "Unbridge", {"End": NEAR}),
    ("occupied", f"{BRIDGE} S@(5,7)", "Unbridge", {"End": FAR}),
    ("occupied", f"{BRIDGE} B1@(5,6)", "Unbridge", {"End": NEAR}),
    ("not touching", "B2@(3,4) F@(5,4)", "Harvest", {"Square": (5, 4)}),
    ("not touching", "B2@(4,4) F@(5,4)", "Harvest", {"Square": (4, 3)}),
    ("ward", "B2@(4,4) V@(5,4)", "Harvest", {"Square": (5, 4)}),
    ("no capacity", "B1@(4,4){food=5} F@(5,4)", "Harvest", {"Square": (5, 4)}),
    ("not touching", "B2@(5,4){food=4}", "Ward", {"Square": (7, 4)}),
    *[
        ("not free", f"B2@(5,4){{food=4}} {what}", "Ward", {"Square": (5, 3)})
        for what in ("W@(5,3)", "H@(5,3)", "F@(5,3)", "V@(5,3)", "S@(5,3)")
    ],
    ("not free", "B2@(5,4){food=4}", "Ward", {"Square": (5, 5)}),
    ("not touching", "B2@(5,4)_{food=4}", "Ward", {"Square": (5, 4)}),
    ("not free", "B2@(5,4)_{food=4}", "Ward", {"Square": (5, 4, True)}),
    ("no food", "B2@(5,4){food=1} f5@(5,4)", "Ward", {"Square": (5, 3)}),
    ("not touching", "B2@(5,4) S@(7,4)", "Group Attack", {"Target": "S1"}),
    ("not touching", "B2@(5,4)_ S@(5,4)", "Group Attack", {"Target": "S1"}),
    ("covered hole", "B2@(5,4)_ S@(5,4) H@(5,4) W@(5,4)", "Group Attack", {"Target": "S1"}),
    ("queen lives", "B2@(5,4){food=5,eggs=b} Q@(1,1)", "Raise Queen", {"Egg": "B1"}),
    ("no egg", "B2@(5,4){food=5}", "Raise Queen", {"Egg": "B1"}),
    ("no egg", "B2@(5,4){food=5} eb@(7,4)", "Raise Queen", {"Egg": "e1"}),
    ("no food", "B2@(5,4){food=2,eggs=b} f2@(5,3)", "Raise Queen", {"Egg": "B1"}),
    ("not together", "B2@(5,4) B2@(5,3)", "Merge", {"Group": "B2", "Number": 1}),
    ("not together", "B2@(5,4) 2:B2@(5,4)", "Merge", {"Group": "B2", "Number": 1}),
    ("not together", "B2@(5,4) B2@(5,4)_", "Merge", {"Group": "B2", "Number": 1}),
    ("not together", "B2@(5,4)", "Merge", {"Group": "B1", "Number": 1}),
    ("colour", "B2@(5,4) R2@(5,4)", "Merge", {"Group": "R1", "Number": 1}),
    ("too big", "B2@(5,4) B5@(5,4)", "Merge", {"Group": "B2", "Number": 2}),
    ("too big", "B2@(5,4) B2@(5,4)", "Merge", {"Group": "B2", "Number": 3}),
    ("too many", "B2@(5,4)", "Split", {"Number": 2}),
    ("bridging", "B3@(5,4){bridge=S}", "Split", {"Number": 1}),
]

OF_QUEENS = [
    ("hp", "Q@(5,4)_1", "Lay", {"Red": 0, "Black": 1, "With": BODY}),
    ("no web point", "Q@(5,4)_ p3@(7,4)_", "Lay", {"Red": 1, "Black": 0, "With": WEB_POINT}),
    ("no food", "Q@(5,4)_5 f5@(7,4)_", "Feed Queen", {"Number": 1}),
    ("full", "Q@(5,4)_10 f5@(5,4)_", "Feed Queen", {"Number": 1}),
    ("no path", "Q@(5,4)_", "Move", {"Square": (5, 3, True)}),
]

CASES = [
    *((0, "S1", *case) for case in OF_SPIDERS),
    *((1, "B1", *case) for case in OF_ANTS),
    *((1, "Q1", *case) for case in OF_QUEENS),
]


@pytest.mark.parametrize(("seat", "name", "reason", "text", "kind", "args"), CASES)
def test_an_order_that_cannot_be_carried_out_is_dropped_with_its_reason(position, seat, name, reason, text, kind, args):
    """The reason word of the page; the unit and what is around are as before, and dice are not drawn."""
    game = position(f"{text} F@(0,0)" if " F@" not in text else text, seat, meadow=True)
    before = copy.deepcopy(game[name]), RULESET.dump(game.world)
    game.order(
        name, kind, **{key: game.square(*value) if isinstance(value, tuple) else value for key, value in args.items()}
    )
    game.close()
    assert game.reasons == [reason]
    assert game.queue(name) == []
    if kind in ("Merge", "Split"):
        before[0].ended = True  # R80: until the group's next phase
    assert game[name] == before[0]
    after = RULESET.dump(game.world)
    for part in ("webs", "wards", "food", "web_points", "dug", "goods"):
        assert after[part] == before[1][part]
    (told,) = (report for report in game.reports if report.subject == "Order Invalid")
    assert told.to == seat
    assert told.body == f"{kind}: Illegal: {ILLEGAL[reason]} ({reason})."


@pytest.mark.parametrize("growth", ["F", "V"])
def test_no_web_is_built_on_fungus_or_a_ward(position, growth):
    """R18; the spider that is so near dies afterwards (R15)."""
    game = position(f"S@(5,4) {growth}@(5,3)")
    game.order("S1", "Build Web", Square=game.square(5, 3))
    game.close()
    assert game.reasons == ["fungus"]
    assert game.webs() == set()


def test_no_queen_is_raised_from_an_egg_of_another_colony(position):
    """R53: it must be an egg of the same colony. That of the other colony hatches in its phase (R65)."""
    game = position("B2@(5,4){food=5} 2:eb@(5,4)", 1)
    game.order("B1", "Raise Queen", Egg="e1")
    game.close()
    assert game.reasons == ["no egg"]
    assert game.has("B2@(5,4){food=5}")
    assert game.has("2:B1@(5,4)")


def test_every_reason_is_given_somewhere():
    """The words of this module and those of vectors that need more than one order."""
    elsewhere = {"bad start", "bad hole", "fungus", "cap", "already attacked", "exhausted", "limit"}
    assert {case[2] for case in CASES} | elsewhere == set(ILLEGAL)
    assert all(re.fullmatch(r"[a-z ]+", reason) for reason in ILLEGAL)
