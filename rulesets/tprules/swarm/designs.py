"""The designs of cubes."""

from __future__ import annotations

from tprules import api
from tprules.kit.designs import alone, constant, named
from tprules.kit.words import called, with_article
from tprules.swarm.world import COLOURS

CUBE = (1, 2)
"""The design of a cube, by seat."""

_SYMBOL = (
    '<svg viewBox="0 0 24 24"><polygon points="12,2 21,7 12,12 3,7" fill="currentColor" opacity="0.55"/>'
    '<polygon points="3,8.2 11.4,13 11.4,22.4 3,17.6" fill="currentColor"/>'
    '<polygon points="21,8.2 12.6,13 12.6,22.4 21,17.6" fill="currentColor" opacity="0.8"/></svg>'
)

_COLOUR = 1


def _cube(number: int, colour: str) -> api.Design:
    words = f"{colour.lower()} cube"
    text, look = with_article(words).capitalize(), called(words, symbol=_SYMBOL)
    return api.Design(number, f"{colour}Cube", text, {number: 1}, {_COLOUR: colour}, look)


def _paint(number: int, colour: str) -> api.Component:
    text, values = f"What makes a cube {colour.lower()}", {_COLOUR: constant(number)}
    return api.Component(number, f"{colour}Paint", text, alone("A cube has one colour"), values)


CATALOGUE = api.Catalogue(
    "Cubes",
    "The pieces of both players",
    designs=tuple(map(_cube, CUBE, COLOURS)),
    components=tuple(map(_paint, CUBE, COLOURS)),
    properties=(api.DesignProperty(_COLOUR, "Colour", "Colour", "Whose cube it is", 0, named(enumerate(COLOURS, 1))),),
)
