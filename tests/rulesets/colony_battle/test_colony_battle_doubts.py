"""Doubts about an order before it is given: objections, and earlier moves.

Objections refer to the present position. Units that act earlier may change it.
"""

from __future__ import annotations

from tprules.api import legal
from tprules.api.order_checks import apply, insertion
from tprules.colony_battle import RULESET


def target(game, spot):
    return game.world.system(game.world.layout.square(spot))


def said(game, unit, spot):
    """Return the server's sentence about a Move of this unit to a square, after the queued orders."""
    oid = game.names[unit]
    seat = game.world.units[oid].owner
    chosen = [target(game, spot)]
    found = legal.legal_values(RULESET, game.state, seat, 2, oid, "Move", chosen, 0, lambda: False)
    assert found.refusal is None, "it is accepted all the same: things may change"
    return found.doubt


def test_an_entrance_that_is_not_dug_out_says_how_long_it_takes(position):
    """R49: where a queen was sent, and nothing was said but that this would be accepted."""
    game = position("Q0@0:8,5 S(e1)=3")
    entrance = game.world.layout.name(game.world.layout.square((0, 8, 6)))
    assert said(game, "Q0", (0, 8, 6)) == f"{entrance} needs 3 more rounds of digging by a worker beside it"
    game.world.left[0] = 1
    assert said(game, "Q0", (0, 8, 6)) == f"{entrance} needs 1 more round of digging by a worker beside it"
    game.world.left[0] = 0
    assert said(game, "Q0", (0, 8, 6)) == ""


def test_a_square_that_somebody_holds_or_that_cannot_be_reached_now(position):
    """The way is looked for as the execution does, but for what others do until then."""
    game = position("W0a@0:0,0 W0b@0:1,0 S(e1)=3")
    beside = game.world.layout.name(game.world.layout.square((0, 1, 0)))
    assert said(game, "W0a", (0, 1, 0)) == f"as things are now, {beside} is occupied"
    below = game.world.layout.name(game.world.layout.square((1, 3, 3)))
    assert said(game, "W0a", (1, 3, 3)) == f"as things are now, there is no free way to {below}"
    assert said(game, "W0a", (0, 0, 1)) == ""
    assert said(game, "W0a", (0, 5, 5)) == "the way takes more than this turn, and others move meanwhile"


def test_after_another_move_it_is_not_known_from_where_it_sets_out(position):
    game = position("W0@0:0,0 S(e1)=3")
    oid = game.names["W0"]
    first = insertion(RULESET, game.state, 0, oid, "Move", {"destination": target(game, (0, 4, 4))})
    apply(game.state, first)
    assert (
        said(game, "W0", (1, 3, 3))
        == "it is carried out after the orders before it, and things may have changed by then"
    )
    assert "needs 3 more rounds" in said(game, "W0", (0, 8, 6))


def test_the_room_for_a_brood(position):
    """R12: the check before the order is that of its execution."""
    game = position("Q0@0:8,5 Y0@0:0,0")
    queen = game.names["Q0"]
    found = legal.legal_values(RULESET, game.state, 0, 2, queen, "Spawn", [[[4, 1]], 0], 0, lambda: False)
    assert found.doubt == "as things are now, you have as many young queens as you may"
