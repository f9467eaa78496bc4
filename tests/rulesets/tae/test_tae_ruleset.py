"""TaE beyond its vectors: views, reports, and the order of reasons."""

from __future__ import annotations

from typing import Any

import pytest

from tprules.api import Amount, Dice, OptionError, Order, Refusal, Role, Ships, parse_options
from tprules.api.advance import advance, opening
from tprules.api.bots import bot_orders
from tprules.api.order_checks import State, apply, insertion, probe, removal
from tprules.api.ruleset import find_order_type, find_phase
from tprules.tae import RULESET
from tprules.tae.orders import BOARD_REASONS, ORDER_REASONS, SHIPS, TARGET
from tprules.tae.world import AT_HOME, MERCHANTS, ROBOTS, SCIENTISTS, SETTLERS, Combat, World
from tprules.testing import view

MAP = "...A/.A.M/A..."
"""Systems 0, 0 to 3, 2; artifacts at 0, 0; 1, 1; 3, 2."""


def opened(seats: int = 2, seed: bytes = b"x", **options: Any) -> State[World]:
    """Return a game that has just opened."""
    return opening(RULESET, parse_options(RULESET.options, options), seats, seed).state


@pytest.fixture
def small() -> State[World]:
    """Two players on the small map; hands of three merchants, two scientists and a robot, to be exact."""
    state = opened(board=MAP)
    for player in state.world.players:
        kinds = [MERCHANTS, MERCHANTS, SCIENTISTS, SCIENTISTS, SETTLERS, ROBOTS]
        player.colonists = dict(zip(player.colonists, kinds, strict=True))
    return state


def at(x: int, y: int, width: int = 4) -> int:
    """Return the number of a system."""
    return 2 + 2 * (y * width + x)


def ship(state: State[World], seat: int, kind: int, which: int = 0) -> int:
    """Return a ship in a hand."""
    return [oid for oid, found in state.world.players[seat].colonists.items() if found == kind][which]


def give(state: State[World], seat: int, on: int, name: str, args: dict[str, Any]) -> Order:
    """Insert an order that is accepted."""
    change = insertion(RULESET, state, seat, on, name, args)
    apply(state, change)
    return change.order


def why(state: State[World], seat: int, on: int, name: str, args: dict[str, Any]) -> str:
    """Return the reason of a refusal, or nothing."""
    try:
        insertion(RULESET, state, seat, on, name, args)
    except Refusal as refusal:
        return refusal.reason
    return ""


# The object tree.


def test_the_object_tree_of_the_default_map():
    """Numbers, names, places and sizes as the old server gave them."""
    state = opened()
    seen = view(RULESET, state.world, 0)
    assert len(seen) == 2 + 2 * 16 * 11 + 2 * (2 + 6 + 4 + 2)
    assert seen[0][:5] == ("universe", "The Universe", 0, (0, 0, 0), 10**12)
    assert seen[1][:5] == ("galaxy", "The Fertile Galaxy", 0, (0, -6000, 0), 10**11)
    assert seen[2][:5] == ("system", "0, 0", 1, (1, 80001, 0), 60000)
    assert seen[3][:5] == ("planet", "Planet 0, 0", 2, (1, 80001, 0), 2)
    assert seen[352][:5] == ("system", "15, 10", 1, (1200001, 880001, 0), 60000)
    assert seen[354][:5] == ("system", "{player 0}'s System", 1, (80001, 1, 0), 60000)
    assert seen[355][:6] == ("planet", "{player 0}'s Home Planet", 354, (80001, 1, 0), 2, 0)
    assert seen[state.world.players[1].home][:4] == ("system", "{player 1}'s System", 1, (160001, 1, 0))
    names = sorted(shown.name for shown in seen.values() if shown.parent == 355)
    leaders = ["Merchant Leader", "Mining Leader", "Scientist Leader", "Settler Leader"]
    assert names == sorted(["Colonist Fleet"] * 6 + leaders + ["Bomber"] * 2)
    assert [RULESET.kinds[kind].role for kind in ("universe", "galaxy", "system", "planet", "fleet")] == [0, 1, 2, 3, 4]
    assert RULESET.kinds["fleet"].role is Role.FLEET


def test_what_is_on_a_system_shows_on_its_planet():
    """Resources one unit each on the planet; Inhabitable, Destroyed and Region on the system."""
    state = opened(board=MAP)
    world = state.world
    world.colonies[0], world.destroyed = MERCHANTS, {3}
    world.colonies[6 + 0] = ROBOTS
    world.artifacts.discard(0)
    world.renumber()
    seen = view(RULESET, world, None)
    assert seen[2].numbers == (1, 0, 1)
    assert seen[3].resources == (Amount(4, 1),)
    assert seen[at(3, 0)].numbers == (1, 1, 0)
    assert seen[at(3, 0) + 1].resources == (Amount(2, 1),)
    assert seen[at(1, 1) + 1].resources == (Amount(3, 1), Amount(5, 1))
    assert seen[at(3, 1)].numbers == (0, 0, 0)
    assert seen[at(3, 1) + 1].resources == (Amount(1, 1),)
    assert {resource.id: resource.name for resource in RULESET.resources} == {
        1: "Uninhabitable planet",
        2: "Destroyed Star System",
        3: "Alien Artifact",
        4: "Monetary Asset",
        5: "Technological Advancement",
        6: "Team of People",
        7: "Raw Material",
        8: "Home Planet",
    }


def test_clients_find_their_home_planet():
    """The resource with exactly this name is on the owned home planet and nowhere else."""
    seen = view(RULESET, opened(4).world, 2)
    homes = [shown for shown in seen.values() if Amount(8, 1) in shown.resources]
    assert [shown.owner for shown in homes] == [0, 1, 2, 3]


def test_a_leader_on_the_board_is_in_its_system(small):
    """It leaves the home planet for the star system and stands at its place."""
    leader = small.world.players[1].leaders[SETTLERS]
    small.world.players[1].places[SETTLERS] = 1
    shown = view(RULESET, small.world, 0)[leader]
    assert (shown.parent, shown.at, shown.owner, shown.name) == (at(1, 0), (80001, 80001, 0), 1, "Settler Leader")
    assert shown.ships == (Ships(7, 1),)


def test_only_the_owner_sees_what_a_colonist_ship_carries(small):
    """Others and spectators see one ship of the unknown design; leaders and bombers are public."""
    world = small.world
    for viewer in (None, 0, 1):
        seen = view(RULESET, world, viewer)
        for seat, player in enumerate(world.players):
            for oid, kind in player.colonists.items():
                assert seen[oid].ships == (Ships(1 + kind if viewer == seat else 10, 1),)
            assert [seen[oid].ships[0].design for oid in player.leaders] == [5, 6, 7, 8]
            assert {seen[oid].ships[0].design for oid in player.bombers} == {9}


def test_designs_say_who_is_aboard():
    """The names that the old server used, one component a design, and one design for the unknown."""
    designs = {design.name: list(design.values.items()) for design in RULESET.catalogue.designs}
    assert designs == {
        "MerchantShip": [(1, "Merchants")],
        "ScientistShip": [(1, "Scientists")],
        "SettlerShip": [(1, "Settlers")],
        "MiningShip": [(1, "Mining Robots")],
        "MerchantLeaderShip": [(1, "Merchant Leader")],
        "ScientistLeaderShip": [(1, "Lead Scientist")],
        "SettlerLeaderShip": [(1, "Government Official")],
        "MiningLeaderShip": [(1, "Mining Foreman")],
        "Bomber": [(2, "1 bombs")],
        "ColonistShip": [(1, "Unknown")],
    }
    assert all(len(design.components) == 1 for design in RULESET.catalogue.designs)
    assert RULESET.catalogue.category == "Ships"


def test_orders_have_their_numbers():
    """The old server's, and Exchange after them."""
    assert {kind.name: kind.number for kind in RULESET.orders} == {
        "ColonizeMining": 0,
        "Colonize": 1,
        "Move": 2,
        "Attack": 3,
        "Reinforce": 4,
        "Exchange": 5,
    }


def test_each_piece_is_offered_its_orders(small):
    """Robots mine, other colonists settle, leaders move, bombers attack, the home planet exchanges."""
    world = small.world
    player = world.players[0]
    seen = view(RULESET, world, 0)

    def offered(oid: int) -> list[str]:
        kinds = [kind() for kind in RULESET.orders if seen[oid].kind in kind.kinds]
        return [kind.name for kind in kinds if kind.offered(world, 0, oid, seen[oid])]

    assert offered(ship(small, 0, ROBOTS)) == ["ColonizeMining"]
    assert offered(ship(small, 0, MERCHANTS)) == ["Colonize"]
    assert offered(player.leaders[0]) == ["Move"]
    assert offered(player.bombers[0]) == ["Attack"]
    assert offered(player.home + 1) == ["Exchange"]
    world.combat = Combat("internal", 0, MERCHANTS, (0, 1), (1, 1))
    assert "Reinforce" in offered(ship(small, 0, SCIENTISTS))
    assert "Reinforce" not in offered(ship(small, 0, MERCHANTS))
    world.combat = Combat("external", 0, MERCHANTS, (1, 0), (1, 1))
    assert "Reinforce" in offered(ship(small, 0, MERCHANTS))


# Options.


@pytest.mark.parametrize(
    ("options", "option", "says"),
    [
        ({"board": "A.A/A.?"}, "board", "line 2, column 3: unknown character '?'"),
        ({"board": "A.A/A..."}, "board", "line 2, column 4: unequal length"),
        ({"board": "A" * 65}, "board", "line 1, column 65"),
        ({"board": "\n".join("A" * 65)}, "board", "line 65, column 1"),
        ({"board": ""}, "board", "line 1, column 1"),
        ({"board": "AAA", "min_artifacts": 4}, "board", "line 1, column 3: too few artifacts"),
        ({"pool": "1,2,3,4"}, "pool", "need 12"),
        ({"pool": "1,2,3"}, "pool", "4 whole numbers"),
        ({"pool": "501,2,3,4"}, "pool", "0 to 500"),
        ({"bombers": 10}, "bombers", "0 to 9"),
        ({"actions": 0}, "actions", "1 to 6"),
        ({"max_turns": 9}, "max_turns", "10 to 100000"),
        ({"min_artifacts": 100}, "min_artifacts", "1 to 99"),
        ({"exchange": "perhaps"}, "exchange", "on or off"),
        ({"hand": 5}, "hand", "did you mean hand_size?"),
    ],
)
def test_a_bad_option_is_named(options, option, says):
    """R1 and R2: which one, where, and what is allowed."""
    with pytest.raises(OptionError) as refused:
        opened(**options)
    assert refused.value.option == option
    assert says in refused.value.text


def test_the_largest_board_opens():
    """64 by 64 is allowed."""
    world = opened(4, board="\n".join(["A" + "." * 62 + "A"] * 64)).world
    assert len(world.board.ground) == 4096
    assert max(world.regions) == 4095


# Reasons.


def test_the_first_reason_on_the_list_is_given(small):
    """Section 4: each order deserves the reasons from its own on; the earliest is named."""
    world = small.world
    me, other = world.players
    mine, robot = ship(small, 0, MERCHANTS), ship(small, 0, ROBOTS)
    theirs = ship(small, 1, MERCHANTS)
    nowhere, planet, board = 10**6, 3, at(0, 0)
    home = me.home + 1
    assert why(small, 0, nowhere, "Reinforce", {}) == "phase"
    assert why(small, 0, nowhere, "Colonize", {TARGET: nowhere}) == "nosuch"
    assert why(small, 0, theirs, "Colonize", {TARGET: nowhere}) == "nosuch"
    assert why(small, 0, theirs, "Colonize", {TARGET: planet}) == "notsystem"
    assert why(small, 0, theirs, "Colonize", {TARGET: 1}) == "notsystem"
    assert why(small, 0, theirs, "Colonize", {TARGET: other.home}) == "offboard"
    assert why(small, 0, robot, "Colonize", {TARGET: me.home}) == "offboard"
    assert why(small, 0, home, "Exchange", {SHIPS: [[nowhere, 1], [nowhere, 1]]}) == "nosuch"
    assert why(small, 0, other.home + 1, "Exchange", {SHIPS: [[theirs, 1], [theirs, 1]]}) == "choice"
    assert why(small, 0, other.home + 1, "Exchange", {SHIPS: [[mine, 2]]}) == "choice"
    assert why(small, 0, other.home + 1, "Exchange", {SHIPS: [[mine, 1]]}) == "owner"
    assert why(small, 0, me.leaders[0], "Exchange", {SHIPS: [[theirs, 1]]}) == "owner"
    assert why(small, 0, home, "Exchange", {SHIPS: [[me.leaders[0], 1]]}) == "kind"
    assert why(small, 0, at(1, 0), "Colonize", {TARGET: board}) == "owner", "nobody owns a system"
    assert why(small, 0, mine, "ColonizeMining", {TARGET: board}) == "kind"
    assert why(small, 0, mine, "Attack", {TARGET: board}) == "kind"
    assert why(small, 0, robot, "Colonize", {TARGET: board}) == "kind"
    give(small, 0, mine, "Colonize", {TARGET: at(2, 2)})
    assert why(small, 0, mine, "ColonizeMining", {TARGET: at(2, 2)}) == "kind"
    give(small, 0, robot, "ColonizeMining", {TARGET: at(3, 1)})
    assert why(small, 0, mine, "Colonize", {TARGET: at(2, 2)}) == "busy"
    assert why(small, 0, home, "Exchange", {SHIPS: [[mine, 1]]}) == "busy"
    assert why(small, 0, ship(small, 0, MERCHANTS, 1), "Colonize", {TARGET: at(2, 2)}) == "actions"
    apply(small, removal(RULESET, small, 0, robot, 0))
    assert why(small, 0, ship(small, 0, MERCHANTS, 1), "Colonize", {TARGET: at(2, 2)}) == "target"
    assert why(small, 0, ship(small, 0, MERCHANTS, 1), "Colonize", {TARGET: board}) == "colony"
    assert why(small, 0, 5, "Colonize", {TARGET: None}) == "form"
    small.over = True
    assert why(small, 0, nowhere, "Dance", {}) == "over"


def test_the_list_of_reasons_is_the_page_s():
    """Section 4: words, Fail codes, and their order."""
    listed = (
        "off 2, nosuch 4, notsystem 1, offboard 2, choice 1, owner 5, side 5, kind 2, busy 3, actions 3, target 3, "
        "pool 3, home 3, destroyed 2, leader 3, artifact 2, colony 3, ground 2, science 3, joins 3, contested 3"
    )
    reasons = ORDER_REASONS | BOARD_REASONS
    assert ", ".join(f"{reason} {code.value}" for reason, (code, _) in reasons.items()) == listed
    assert RULESET.checks.steps[:2] == ("over", "phase")


def test_exchange_switched_off_comes_before_all_else():
    """``off`` is the reason even where nothing named exists, or no ship is named."""
    state = opened(exchange=False)
    home = state.world.players[0].home + 1
    assert why(state, 0, 10**6, "Exchange", {SHIPS: [[10**6, 1]]}) == "off"
    assert why(state, 0, home, "Exchange", {SHIPS: []}) == "off"
    assert not find_order_type(RULESET, "Exchange").offered(state.world, 0, state.world.players[0].home + 1, None)


def test_a_refusal_is_a_sentence_about_the_place(small):
    """The player sees the fault and its place, and clients get the parameter."""
    with pytest.raises(Refusal) as refused:
        insertion(RULESET, small, 0, ship(small, 0, MERCHANTS), "Colonize", {TARGET: at(1, 1)})
    assert refused.value.text == "a colony is at 1, 1"
    assert refused.value.param == TARGET


# Plans.


def test_a_colony_that_a_leader_rests_on_is_not_taken_back(small):
    """R11: the plan is judged as a whole, also when an order is removed or put in front."""
    world = small.world
    colony = give(small, 0, ship(small, 0, SCIENTISTS), "Colonize", {TARGET: at(3, 0)})
    leader = world.players[0].leaders[MERCHANTS]
    give(small, 0, leader, "Move", {TARGET: at(2, 0)})
    with pytest.raises(Refusal, match="remove that first"):
        removal(RULESET, small, 0, colony.on, 0)
    apply(small, removal(RULESET, small, 0, leader, 0))
    apply(small, removal(RULESET, small, 0, colony.on, 0))
    assert small.queues == {}


def test_an_exchange_shows_what_can_be_named(small):
    """The hand without what is busy; an empty list is a draft that shows it and uses no action."""
    player = small.world.players[0]
    busy = ship(small, 0, MERCHANTS)
    give(small, 0, busy, "Colonize", {TARGET: at(2, 2)})
    draft = give(small, 0, player.home + 1, "Exchange", {SHIPS: []})
    assert draft.draft
    give(small, 0, ship(small, 0, ROBOTS), "ColonizeMining", {TARGET: at(3, 1)})
    offers = find_order_type(RULESET, "Exchange").choices(small.plan(0), player.home + 1, SHIPS)
    assert [(offer.id, offer.name) for offer in offers] == [
        (oid, ("Merchants", "Scientists", "Settlers", "Mining Robots")[kind])
        for oid, kind in player.colonists.items()
        if kind != ROBOTS and oid != busy
    ]
    done = advance(RULESET, small, b"x")
    assert ("Draft dropped", 0) in [(report.subject, report.to) for report in done.reports]


def test_a_probe_is_judged_without_the_orders_of_its_object(small):
    """Parts of the plan that need them are left out, and nothing fails."""
    colony = give(small, 0, ship(small, 0, SCIENTISTS), "Colonize", {TARGET: at(3, 0)})
    give(small, 0, small.world.players[0].leaders[0], "Move", {TARGET: at(2, 0)})
    assert probe(RULESET, small, 0, colony.on, "Colonize", {TARGET: at(3, 0)}).on == colony.on


# Messages.


def play_to_combat(state: State[World]) -> Any:
    """Move both merchant leaders beside the colony at 1, 1, and return what the closing said."""
    for seat, place in ((0, at(1, 2)), (1, at(2, 1))):
        give(state, seat, state.world.players[seat].leaders[MERCHANTS], "Move", {TARGET: place})
    return advance(RULESET, state, b"x")


def test_combat_is_announced_settled_and_followed_by_the_finish(small):
    """COMBAT!, Combat Complete!, Turn complete to each alone, Turn Order: the readers and the sequence are checked."""
    done = play_to_combat(small)
    state = done.state
    assert state.phase == "combat"
    assert [(report.to, report.subject) for report in done.reports] == [
        (0, "Move order complete"),
        (1, "Move order complete"),
        (None, "COMBAT!"),
    ]
    body = done.reports[-1].body
    assert "INTERNAL combat turn at 2, 1" in body
    assert "Merchant Leaders of {player 1}, attacking with an initial strength of 1" in body
    assert "{player 0}, defending with an initial strength of 1" in body
    assert find_phase(RULESET, "combat").title(state.world) == (
        "Internal combat at 2, 1: {player 1} against {player 0} (Merchant Leaders)"
    )
    assert done.events == []
    give(state, 1, ship(state, 1, SCIENTISTS), "Reinforce", {})
    assert why(state, 1, ship(state, 1, SCIENTISTS), "Reinforce", {}) == "busy"
    assert why(state, 1, ship(state, 1, MERCHANTS), "Reinforce", {}) == "kind"
    done = advance(RULESET, state, b"x")
    assert [(report.to, report.subject) for report in done.reports] == [
        (None, "Combat Complete!"),
        (0, "Turn complete"),
        (1, "Turn complete"),
        (None, "Turn Order"),
    ]
    assert "{player 1} has won the internal combat" in done.reports[0].body
    assert "with a strength of 2 to 1!" in done.reports[0].body
    assert "gets 1 point of Technology" in done.reports[0].body
    assert "Technology: 0" in done.reports[1].body
    assert "Technology: 1" in done.reports[2].body
    assert done.reports[3].body.endswith("{player 1}, {player 0}")
    (event,) = done.events
    assert event.name == "internal combat"
    assert dict(event.facts) == {
        "at": "2, 1",
        "leaders": "Merchant Leader",
        "attacker": 1,
        "defender": 0,
        "initial": [1, 1],
        "final": [2, 1],
        "winner": 1,
        "removed": 0,
    }


def test_others_are_told_nothing_about_a_failed_order(small):
    """R12: only the owner gets the failure, with the reason and the piece."""
    one, two = ship(small, 0, MERCHANTS), ship(small, 1, SETTLERS)
    for seat, piece in ((0, one), (1, two)):
        give(small, seat, piece, "Colonize", {TARGET: at(2, 2)})
    done = advance(RULESET, small, b"x")
    (failure,) = [report for report in done.reports if report.subject == "Order failed"]
    assert failure.to == 1
    assert "a colony is at 2, 2" in failure.body
    assert failure.references[-1].id == two
    assert two in done.state.world.players[1].colonists
    assert done.state.queues == {}


def test_the_end_tells_everybody_all_scores():
    """R58: GAME OVER! to all with the final table, and no order after it."""
    state = opened(board=MAP, max_turns=10)
    for _ in range(10):
        done = advance(RULESET, state, b"x")
        state = done.state
    assert state.over
    (last,) = done.reports
    assert (last.to, last.subject) == (None, "GAME OVER!")
    assert "{player 0} and {player 1} share the victory!" in last.body
    assert "Score 0, Money 0, Technology 0, People 0, Raw Materials 0, Alien Artifacts 0" in last.body
    assert done.outcome.figures[1] == {
        "Score": 0,
        "Money": 0,
        "Technology": 0,
        "People": 0,
        "Raw Materials": 0,
        "Alien Artifacts": 0,
    }
    assert list(RULESET.legal_orders(state.plan(0))) == []


def test_turns_have_names():
    """A normal turn has its number and the first player."""
    state = opened()
    assert find_phase(RULESET, "normal").title(state.world) == "Turn 1: {player 0} is first"
    state = advance(RULESET, state, b"x").state
    assert find_phase(RULESET, "normal").title(state.world) == "Turn 2: {player 1} is first"


def test_the_bot_does_not_let_the_game_stand_still():
    """With an empty pool and full hands it places a colony that is worth nothing, and the game ends (R55)."""
    state = opened(board="AA.A")
    state.world.pool = [0, 0, 0, 0]
    for player in state.world.players:
        player.colonists = dict.fromkeys(player.colonists, MERCHANTS)
        player.places = [AT_HOME] * 4
        player.bombers = []
    (order,) = bot_orders(RULESET, state, 0, Dice(b"still"))
    assert (order.type, order.args) == ("Colonize", {TARGET: at(2, 0)})
    apply(state, insertion(RULESET, state, 0, order.on, order.type, order.args))
    assert advance(RULESET, state, b"x").state.world.ended == "pool"
