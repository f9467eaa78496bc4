"""TaE's vectors V1 and V2, played by two clients in TP03 and TP04.

V1 is an internal combat, V2 an external one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.requests.frame_players import View, end_turn, order_type, players, told
from tests.support.server_in_memory import Client, Server, target


@dataclass(frozen=True)
class Vector:
    """A vector as it can be played from the opening: its board and options, and what to do turn by turn.

    A move is (player, order, x, y): ``cm`` colonize with merchants, ``cp`` with settlers, ``lM`` move the merchant
    leader, ``+m`` reinforce with merchants. ``before`` and ``after`` are the board as the rule page draws it, without
    artifacts.
    """

    options: dict[str, str]
    opening: tuple[tuple[int, str, int, int], ...]
    before: str
    connecting: tuple[int, str, int, int]
    combat: str
    reinforcing: tuple[tuple[int, str, int, int], ...]
    won: tuple[str, ...]
    after: str


VECTORS = {
    "v1": Vector(
        options={"board": "AAA./...A", "min_artifacts": "1", "pool": "60,0,0,0"},
        opening=((0, "cm", 3, 1), (0, "lM", 0, 0)),
        before="s s s m / 0M . . s",
        connecting=(1, "lM", 2, 0),
        combat="internal",
        reinforcing=(),
        won=("ben has won the internal combat", "2 to 1"),
        after="s s s m / . . 1M s",
    ),
    "v2": Vector(
        options={"board": "A...../MMMMMM/.A..A.", "pool": "30,0,30,0"},
        opening=((0, "cm", 3, 0), (0, "lM", 5, 0), (1, "lM", 0, 0)),
        before="s . . . . . / # # # # # # / 1M s . m s 0M",
        connecting=(1, "cp", 2, 0),
        combat="external",
        reinforcing=((1, "+m", 0, 0), (1, "+m", 0, 0)),
        won=("ben has won the external combat", "2 to 1"),
        after="s . . . . . / # # # # # # / 1M s p . s .",
    ),
}

LETTERS = {
    "Monetary Asset": "m",
    "Technological Advancement": "s",
    "Team of People": "p",
    "Raw Material": "r",
}
"""Pieces that a colony leaves on its planet, by the name of the resource."""

SHIPS = {"m": "MerchantShip", "p": "SettlerShip"}
LEADERS = {"Merchant Leader": "M", "Scientist Leader": "S", "Settler Leader": "P", "Mining Leader": "R"}
UNINHABITABLE = "Uninhabitable planet"


SEED = "vectors"
"""With it Ben has two merchants and a settler in his first hand of V2, and Ann a merchant."""


def drawing(view: View) -> str:
    """Return the board as the rule page draws it, north first, without artifacts."""
    places = {}
    for one in view.objects.values():
        parts = one.name.split(", ")
        if len(parts) == 2 and all(part.isdigit() for part in parts):
            places[int(parts[0]), int(parts[1])] = square(view, one)
    width, height = (max(place[axis] for place in places) + 1 for axis in (0, 1))
    return " / ".join(" ".join(places[x, y] for x in range(width)) for y in reversed(range(height)))


def square(view: View, system: Any) -> str:
    inside = [view.objects[number] for number in view.below(system)]
    for one in inside:
        if one.name in LEADERS:
            return f"{view.owner(one) - 1}{LEADERS[one.name]}"
    named = [name for one in inside for name in view.on_planet(one)]
    letters = [LETTERS[name] for name in named if name in LETTERS]
    return letters[0] if letters else "#" if UNINHABITABLE in named else "."


def give(player: Client, what: str, x: int, y: int) -> None:
    """Give one order, choosing a fleet that has none yet."""
    view = View(player)
    own = [one for one in view.objects.values() if view.owner(one) == player.ask("get_player", ids=[0]).message.id]
    if what == "lM":
        fleets, name = [one for one in own if one.name == "Merchant Leader"], "Move"
    else:
        fleets = [one for one in own if SHIPS[what[-1]] in view.ships(one)]
        name = "Reinforce" if what[0] == "+" else "Colonize"
    free = next(one for one in fleets if not player.queue(one.id))
    places = [] if what[0] == "+" else [target(view.named(f"{x}, {y}").id)]
    answer = player.insert(free.id, order_type(player, name), *places)
    assert answer.name == ("okay" if player.classic else "order"), answer


@pytest.mark.parametrize("dialect", ["tp03", "tp04"])
@pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS)
def test_a_vector_is_played_over_the_wire_as_the_page_has_it(server: Server, vector: Vector, dialect: str):
    """Both see the combat and the boards of the page, drawn from frames alone."""
    server.create("vector", "tae", 2, seed=SEED, options=vector.options)
    both = players(server, dialect)
    for seat, what, x, y in vector.opening:
        give(both[seat], what, x, y)
    end_turn(both, 1)
    assert drawing(View(both[0])) == vector.before
    seat, what, x, y = vector.connecting
    give(both[seat], what, x, y)
    end_turn(both, 2)
    for player in both:
        assert vector.combat in told(player, "COMBAT!").lower()
    for seat, what, x, y in vector.reinforcing:
        give(both[seat], what, x, y)
    end_turn(both, 3)
    for player in both:
        text = told(player, "Combat Complete!")
        assert all(words in text for words in vector.won), text
        assert drawing(View(player)) == vector.after
