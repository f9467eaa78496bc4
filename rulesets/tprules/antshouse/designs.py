"""The designs of pieces (RULES.md, section 7). An ant is a medium pyramid on its side, unlike water (R36)."""

from __future__ import annotations

from tprules import api
from tprules.kit.designs import alone, constant, named
from tprules.kit.words import called

ANT, PINE_CONE = 1, 2

_SIZE = 1
_SIZES = ((1, "small"), (2, "medium"), (3, "large"))
_ALONE = alone("A piece is one pyramid")

CATALOGUE = api.Catalogue(
    "Pyramids",
    "The pieces on the pavement",
    designs=(
        api.Design(ANT, "Ant", "A medium pyramid that lies on its side", {ANT: 1}, {_SIZE: "medium"}, called("ant")),
        api.Design(
            PINE_CONE, "PineCone", "A small pyramid that stands", {PINE_CONE: 1}, {_SIZE: "small"}, called("pine cone")
        ),
    ),
    components=(
        api.Component(ANT, "LyingPyramid", "What an ant is made of", _ALONE, {_SIZE: constant(2)}),
        api.Component(PINE_CONE, "SmallPyramid", "What a pine cone is made of", _ALONE, {_SIZE: constant(1)}),
    ),
    properties=(api.DesignProperty(_SIZE, "Size", "Size", "How large the pyramid is", 0, named(_SIZES)),),
)
