"""What clients are told about: two colours of cube, resources, designs (RULES.md, section 7)."""

from __future__ import annotations

from tprules.api import Amount, Catalogue, Component, Design, DesignProperty, Resource

COLOURS = ("Red", "Blue")
"""The colour of each seat."""

ON_BOARD, IN_SUPPLY, DIE, MOVEMENT, TO_PLACE, DOUBLES, CAPTURES, RED, BLUE, LEAVES = range(1, 11)
HOME = 11

RESOURCES = (
    Resource(ON_BOARD, "cube on board", "cubes on board", "cube", "cubes", "Obtainable: those in the supply"),
    Resource(IN_SUPPLY, "cube in supply", "cubes in supply", "cube", "cubes", "Cubes that can come to the board"),
    Resource(DIE, "die", "dice", "pip", "pips", "What the die showed that decided the last movement"),
    Resource(MOVEMENT, "movement", "movement", "step", "steps", "Steps of this turn; not obtainable: those that lapse"),
    Resource(TO_PLACE, "cube to place", "cubes to place", "cube", "cubes", "Placements to come after this roll"),
    Resource(DOUBLES, "double cube", "double cubes", "cube", "cubes", "Placed for doubles in this round"),
    Resource(CAPTURES, "capture", "captures", "cube", "cubes", "Enemy cubes turned into own ones"),
    Resource(RED, "red cube", "red cubes", "cube", "cubes", "A cube of the player whose edge is in the south"),
    Resource(BLUE, "blue cube", "blue cubes", "cube", "cubes", "A cube of the player whose edge is in the north"),
    Resource(LEAVES, "must leave", "must leave", "cube", "cubes", "1 while your orders end where the cube began (R16)"),
    Resource(HOME, "Home Planet", "Home Planets", help="Where a player's orders are given"),
)

CUBE_ON_TILE = (Amount(RED, 1), Amount(BLUE, 1))
HOME_PLANET = Amount(HOME, 1)
MUST_LEAVE = Amount(LEAVES, 1)

CUBE = (1, 2)
"""The design of a cube, by seat."""

_COLOUR = 1
_SHOWN = (
    '(lambda (design bits) (let ((n (apply + bits))) (cons n (cond ((= n 1) "Red") ((= n 2) "Blue") (else "None")))))'
)
_ALONE = (
    '(lambda (design) (if (= (designType._num-components design) 1) (cons #t "") (cons #f "A cube has one colour")))'
)

CATALOGUE = Catalogue(
    "Cubes",
    "The pieces of both players",
    designs=tuple(
        Design(CUBE[seat], f"{colour}Cube", f"A {colour.lower()} cube", {CUBE[seat]: 1}, {_COLOUR: colour})
        for seat, colour in enumerate(COLOURS)
    ),
    components=tuple(
        Component(
            CUBE[seat],
            f"{colour}Paint",
            f"What makes a cube {colour.lower()}",
            _ALONE,
            {_COLOUR: f"(lambda (design) {1 + seat})"},
        )
        for seat, colour in enumerate(COLOURS)
    ),
    properties=(DesignProperty(_COLOUR, "Colour", "Colour", "Whose cube it is", 0, _SHOWN),),
)
