"""Decisions of the Colony Battle bot, and games between its two styles.

Positions are written as on the rule page.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.rulesets.pairings import play_pairing
from tprules.api import Dice
from tprules.api.bots import bot_orders
from tprules.colony_battle import RULESET
from tprules.colony_battle.bot import play as play_style
from tprules.colony_battle.orders import Spawn, spawned_kind
from tprules.colony_battle.world import ANTLION, DRONE, SOLDIER, WORKER, YOUNG_QUEEN
from tprules.testing import play


def chosen(game, style="race", seat=0):
    """Return the orders that the bot gives in a position: unit, type, and square or target."""
    given = bot_orders(RULESET, game.state, seat, Dice.named(b"bot"), lambda turn: play_style(turn, style))
    return [(order.on, order.type, dict(order.args)) for order in given]


def moves(game, orders):
    """Return where units are ordered to go, by their names on the page."""
    names = {oid: name for name, oid in game.names.items()}
    return {
        names[on]: game.world.layout.name(game.world.square_of(args["destination"]))
        for on, kind, args in orders
        if kind == "Move"
    }


def test_the_queen_goes_down_an_open_entrance(position):
    """And onto the throne, which wins."""
    game = position("Q0@0:8,6 S(e1)=0")
    game.changed(0)
    assert moves(game, chosen(game)) == {"Q0": "1:8,6"}
    game = position("Q0@2:8,2 S(th)=0")
    game.changed(0)
    assert moves(game, chosen(game)) == {"Q0": "2:8,1"}


def test_the_queen_waits_near_a_closed_site(position):
    """Two squares away; further off she comes nearer."""
    game = position("Q0@0:6,6")
    game.changed(0)
    assert moves(game, chosen(game)) == {}
    game = position("Q0@0:3,6")
    game.changed(0)
    assert moves(game, chosen(game)) == {"Q0": "0:4,6"}


def test_a_unit_in_the_queens_way_goes_aside_first(position):
    """Otherwise units of the colony box her in."""
    game = position("Q0@0:6,6 W0@0:7,6 S(e1)=0")
    game.changed(0)
    assert list(moves(game, chosen(game)).items()) == [("W0", "0:7,7"), ("Q0", "0:7,6")]


def test_the_queen_does_not_step_before_a_worm_or_into_a_web(position):
    """She waits, or goes around."""
    game = position("Q0@0:6,5 S(e1)=0 worm@0:4,6-2,6 right")
    game.changed(0)
    assert moves(game, chosen(game)).get("Q0") != "0:6,6"
    game = position("Q0@0:6,6 S(e1)=0 spider@0:8,8 r=3")
    game.changed(0)
    assert moves(game, chosen(game)).get("Q0") not in ("0:7,6", "0:6,7")


def test_two_workers_dig_and_others_fetch(position):
    """The nearest go to the site; an item within reach is picked up; carriers come home."""
    game = position("Q0@0:6,6 W0a@0:6,9 W0b@0:5,7 W0c@0:3,3 antlion@0:3,5")
    game.changed(0)
    orders = chosen(game)
    assert moves(game, orders)["W0c"] in ("0:3,4", "0:3,5")
    assert (game.names["W0c"], "PickUp", {"item": game.names["item"]}) in orders
    assert {"W0a", "W0b"} <= moves(game, orders).keys()
    game = position("Q0@0:6,6 W0a@0:7,6 W0b@0:9,6 W0c@0:3,6 +I")
    game.changed(0)
    assert moves(game, chosen(game)) == {"W0c": "0:5,6"}


def test_fighters_attack_the_queen_first(position):
    """Then soldiers, then others."""
    game = position("Q0@0:1,1 S0@0:9,5 Q1@0:9,6 W1@0:9,4 S1@0:8,5")
    game.changed(0)
    assert (game.names["S0"], "Attack", {"target": game.names["Q1"]}) in chosen(game)


def test_a_young_queen_converts_a_soldier(position):
    """Rather than to attack."""
    game = position("Q0@0:1,1 Y0@0:9,5 W1@0:9,4 S1@0:8,5 Q1@0:9,6")
    game.changed(0)
    assert (game.names["Y0"], "Convert", {"target": game.names["S1"]}) in chosen(game, "fight")


def test_an_antlion_is_put_near_the_enemy_queen(position):
    """As near as there is room."""
    game = position("Q0@0:1,6 Q1@0:9,9").give(ANTLION, 0)
    ((_, kind, args),) = chosen(game)
    assert kind == "PlaceItem"
    assert game.world.layout.within(game.world.square_of(args["where"]), game.square("9,9"), 1)


def test_the_queen_is_guarded(position):
    """Units near her fight enemies that come, racing workers too, and she broods soldiers in place of workers."""
    game = position("Q0@0:3,6 W0a@0:4,7 W0b@0:2,6 W1a@0:5,7 W1b@0:9,6 Q1@0:15,6")
    game.changed(0)
    orders = chosen(game)
    assert (game.names["W0a"], "Attack", {"target": game.names["W1a"]}) in orders
    assert moves(game, orders).keys() == {"W0b"}
    assert [spawned_kind(order) for order in bot_orders(RULESET, game.state, 0, Dice.named(b"bot"))
            if order.type == Spawn.name] == [SOLDIER]  # fmt: skip


def test_enemies_far_away_alarm_nobody(position):
    """The queen goes her way, and spawns a worker."""
    game = position("Q0@0:3,6 W0a@0:4,7 W1a@0:14,6 Q1@0:15,6")
    game.changed(0)
    orders = chosen(game)
    assert moves(game, orders)["Q0"] == "0:4,6"
    assert "Attack" not in [kind for _, kind, _ in orders]


def test_units_step_out_of_the_way_of_a_worm(position):
    """A worker that digs is no exception."""
    game = position("Q0@0:1,1 W0a@0:7,6 worm@0:5,6-1,6 right")
    game.changed(0)
    assert moves(game, chosen(game))["W0a"] in ("0:7,7", "0:7,5")


def test_no_bomb_goes_off_beside_the_own_queen(position):
    """The rule holds for bombs of both players. Farther away the bot attacks the enemy queen."""
    game = position("Q0@0:1,6 S0@0:6,6 T1@0:7,6")
    game.changed(0)
    assert (game.names["S0"], "Attack", {"target": game.names["T1"]}) in chosen(game)
    game = position("Q0@0:1,6 S0@0:4,6 T1@0:5,6")
    game.changed(0)
    assert "Attack" not in [kind for _, kind, _ in chosen(game)]


@pytest.mark.thorough
@pytest.mark.parametrize(("rival", "games", "least"), [("rush", 20, 15), ("random", 6, 6)])
def test_it_wins(rival, games, least):
    """Nearly all games against a worker rush, and all against chance; 100 of each are measured by hand."""
    row = play_pairing("colony_battle", ("bot", rival), range(1, games + 1))
    assert row.won[0] >= least, row.line()


@pytest.mark.thorough
def test_games_between_bots_end_as_the_page_leads_to_expect():
    """Six games, 14 to 80 rounds long on the page: none reaches the round limit, and both ways of winning occur."""
    reasons: Counter[str] = Counter()
    for number, styles in enumerate((("race", "race"), ("fight", "fight"), ("race", "fight")) * 2):
        played = play(RULESET, {}, 2, number, lambda turn, styles=styles: play_style(turn, styles[turn.seat]))
        reasons[played.outcome.why] += 1
        assert 10 < played.state.world.round < 120
    assert set(reasons) == {"throne", "queen"}


@pytest.mark.parametrize("first", range(2))
def test_the_first_mover_fights_and_the_other_one_races(position, first):
    """A bot has no memory: its style follows from the first mover. A fighter spawns no fifth worker."""
    workers = " ".join(f"W{seat}{mark}@2:{x},{1 + seat}" for seat in range(2) for x, mark in enumerate("abcd"))
    game = position(f"Q0@0:6,6 Q1@0:10,6 {workers}")
    kinds = []
    for seat in range(2):
        game.changed(seat, first)
        orders = bot_orders(RULESET, game.state, seat, Dice.named(b"bot"))
        kinds += [spawned_kind(order) for order in orders if order.type == Spawn.name]
    assert kinds[1 - first] == WORKER
    assert kinds[first] in (SOLDIER, DRONE, YOUNG_QUEEN)


def test_nobody_gives_orders_in_the_turn_of_the_other(position):
    """The bot may be asked then, too, because orders may be planned."""
    game = position("Q0@0:3,6")
    game.changed(0)
    assert chosen(game, seat=1) == []
