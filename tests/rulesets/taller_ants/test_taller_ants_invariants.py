"""Invariants I1 to I22 of the rule page, section 9, over random games.

The games have many options and maps.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tprules.api import Dice, Refusal, canonical, parse_options
from tprules.api.advance import advance, opening
from tprules.api.bots import Bot
from tprules.api.order_checks import State, probe
from tprules.api.ruleset import find_phase
from tprules.taller_ants import RULESET
from tprules.taller_ants.rounds import ORDERS, UNIT_ORDERS
from tprules.taller_ants.world import Group, Queen, Spider, World
from tprules.testing import busy_bot, playing, random_bot

BOUNDED = settings(
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

Options = dict[str, Any]

SMALL_MAP = (
    "........../.1...~~.../....~~~.../...~~~..../..~~...22./........../.......2../......,.../.......#../.........."
)
"""Ten squares by ten with a river that can be bridged, so that everything is near."""


@st.composite
def _games(draw: st.DrawFn) -> tuple[int, int, Options]:
    """A number of players, a seed, and options; short games."""
    options: Options = {
        "map": draw(st.sampled_from(["meadow14", "text"])),
        "map_text": SMALL_MAP,
        "ant_setup": draw(st.sampled_from(["four_groups", "two_groups"])),
        "start_cocooned": draw(st.integers(0, 12)),
        "spider_hp": draw(st.integers(8, 30)),
        "queen_hp": draw(st.integers(4, 12)),
        "max_spiders": draw(st.integers(1, 5)),
        "store_per_square": draw(st.sampled_from([0, 5, 8])),
        "ant_hatch_delay": draw(st.integers(1, 3)),
        "ant_hatch_food": draw(st.integers(0, 2)),
        "ward_cost_mp": draw(st.integers(0, 2)),
        "web_under_ants": draw(st.booleans()),
        "phase_steps": draw(st.integers(1, 2)),
        "underground": draw(st.sampled_from(["open", "own"])),
        "ant_order": draw(st.sampled_from(["fixed", "alternate"])),
        "places": draw(st.sampled_from(["fungus", "middle"])),
        "max_rounds": draw(st.integers(5, 12)),
        "seal_rounds": draw(st.sampled_from([0, 2])),
        "web_goal_percent": draw(st.sampled_from([10, 50])),
        "cocoon_goal": draw(st.sampled_from([3, 20])),
        "food_goal": draw(st.sampled_from([40, 100])),
    }
    return draw(st.integers(2, 3)), draw(st.integers(0, 10**6)), options


class Watch:
    """The invariants, asserted on one turn after the other. Each method is named after its number on the page."""

    def turn(self, before: State[World], done: Any) -> None:
        self.state_before, self.state = before, done.state
        self.before, self.after, self.done = before.world, done.state.world, done
        self.set_up = before.phase == "setup"
        self.active = self.before.active
        for number in (*range(1, 18), 19, 21, 22):
            getattr(self, f"i{number}")()

    def orders(self, *types: str) -> list[Any]:
        """Return the orders of the active seat, of these types, that left their queues: carried out or dropped."""
        left = {order.stamp for queue in self.state.queues.values() for order in queue}
        return [
            order
            for queue in self.state_before.queues.values()
            for order in queue
            if order.seat == self.active and order.type in types and order.stamp not in left
        ]

    def dropped(self, order: Any) -> bool:
        """Return whether an order of this type on this unit was dropped."""
        return self.failures(order.type, order.on) > 0

    def i1(self) -> None:
        """Living spiders, and their hit points."""
        spiders = self.after.spiders()
        assert len(spiders) <= self.after.settings.max_spiders
        for spider in spiders:
            least = -10 if self.after.step else 1
            assert least <= spider.hp <= self.after.settings.spider_hp

    def i2(self) -> None:
        """Ants in a group, and what they carry."""
        for group in self.groups():
            assert 1 <= group.ants <= 6
            assert group.food >= 0
            assert group.food + 5 * len(group.eggs) <= 5 * group.ants
            assert group.web_points >= 0
            assert not group.bridge or len(group.bridge) <= group.ants

    def groups(self) -> list[Group]:
        return [unit for unit in self.after.units.values() if isinstance(unit, Group)]

    def i3(self) -> None:
        """Hit points of queens; one for each colony at most."""
        queens = [unit for unit in self.after.units.values() if isinstance(unit, Queen)]
        assert all(1 <= queen.hp <= self.after.settings.queen_hp for queen in queens)
        assert len({queen.seat for queen in queens}) == len(queens)

    def i4(self) -> None:
        """A unit that moved shares the place with no foreign units but new ones."""
        if self.set_up:
            return
        for unit in self.after.units.values():
            old = self.before.units.get(unit.id)
            if old is None or old.places == unit.places:
                continue
            others = [other for place in unit.places for other in self.after.units_at(place) if other.seat != unit.seat]
            assert all(other.id not in self.before.units for other in others)

    def i5(self) -> None:
        """No spider below, no ants on dirt."""
        for unit in self.after.units.values():
            if self.after.board.below(unit.place):
                assert not isinstance(unit, Spider)
                assert unit.place in self.after.dug

    def i6(self) -> None:
        """No square has a web and fungus or a ward."""
        assert not self.after.webs & (self.after.wards | self.fungus(self.after))

    def fungus(self, world: World) -> set[int]:
        return {square for group in world.fungi.values() for square in group.squares}

    def i7(self) -> None:
        """Nobody stands on water that does not hold them."""
        world = self.after
        for unit in world.units.values():
            if isinstance(unit, Spider):
                assert not world.board.wide[unit.place] or unit.place in world.webs
                continue
            bridged = {place for group in world.groups(unit.seat) for place in group.bridge}
            assert not world.board.water[unit.place] or unit.place in world.webs | bridged

    def i8(self) -> None:
        """Fungus groups have a square, none on water or a hole, and share none."""
        world = self.after
        for fungus in world.fungi.values():
            assert fungus.squares
            for square in fungus.squares:
                assert not world.board.water[square]
                assert self.set_up or not world.is_hole(square)
        assert sum(len(fungus.squares) for fungus in world.fungi.values()) == len(self.fungus(world))

    def i9(self) -> None:
        """Stored amounts are limited. Only drops from lost ants go beyond."""
        world, most = self.after, self.after.settings.store_per_square
        if not most:
            return
        for seat in range(1, world.seats):
            dug = sum(owner == seat for owner in world.dug.values())
            assert world.stored(seat) <= dug * most
        lost = [
            sum(colony.hatched - each.ants(seat) for seat, colony in enumerate(each.colonies, 1))
            for each in (self.before, world)
        ]
        for place, food in world.food.items():
            if place in world.dug and food > max(most, self.before.food.get(place, 0)):
                assert lost[1] > lost[0]

    def i10(self) -> None:
        """Ticks."""
        for unit in self.after.units.values():
            assert 0 <= unit.ticks <= (20 if isinstance(unit, Spider) else 10)

    def i11(self) -> None:
        """No ant comes from nowhere or vanishes."""
        for seat, colony in enumerate(self.after.colonies, 1):
            captive = sum(one[0] == seat for spider in self.after.spiders() for one in spider.captives)
            assert colony.hatched == self.after.ants(seat) + captive + colony.killed + colony.cocooned

    def i12(self) -> None:
        """Webs come and go by orders and growth only."""
        added, gone = self.after.webs - self.before.webs, self.before.webs - self.after.webs
        assert not added or self.orders("Build Web", "Span Web")
        assert not gone - self.fungus(self.after) or self.orders("Destroy Web", "Collect Web")

    def i13(self) -> None:
        """At the end of a spider phase no living spider touches fungus or a ward."""
        if not self.set_up and self.before.active == 0 and self.after.active != 0:
            poison = self.fungus(self.after) | self.after.wards
            for spider in self.after.spiders():
                assert poison.isdisjoint(self.after.board.near[spider.place])

    def i14(self) -> None:
        """A spider attacks at most once in a phase."""
        if self.before.active == 0 and not self.set_up:
            fights = sum(report.subject == "Combat" and report.to == 0 for report in self.done.reports)
            assert fights <= sum(not spider.attacked for spider in self.before.spiders())
            given = Counter(order.on for order in self.orders("Attack") if order.on in self.after.units)
            for oid, number in given.items():
                assert number - self.failures("Attack", oid) <= int(not self.before.units[oid].attacked)

    def failures(self, kind: str, on: int) -> int:
        """Return how many orders of this type on this unit were dropped."""
        return sum(
            report.subject == "Order Invalid"
            and report.body.startswith(f"{kind}:")
            and any(reference.id == on for reference in report.references)
            for report in self.done.reports
        )

    def i15(self) -> None:
        """A group that attacked has no ticks left."""
        if self.state.over or self.after.active == self.active:
            return  # what is over leaves no queues; the same seat again has new ticks
        for order in self.orders("Group Attack"):
            group = self.after.units.get(order.on)
            assert group is None or group.ticks == 0 or self.dropped(order)

    def i16(self) -> None:
        """Excavated squares stay excavated, and holes are excavated."""
        assert self.before.dug.items() <= self.after.dug.items()
        assert all(self.after.board.other_side(colony.hole) in self.after.dug for colony in self.after.colonies)

    def i17(self) -> None:
        """One active player, who is alive."""
        if not self.state.over:
            active = list(find_phase(RULESET, self.state.phase).active(self.after))
            assert len(active) == 1
            assert not self.after.is_out(active[0])

    def i19(self) -> None:
        """A fungus group grows by one square a round at most, and only between rounds."""
        for oid, fungus in self.after.fungi.items():
            grown = set(fungus.squares) - set(self.before.fungi[oid].squares)
            assert len(grown) <= int(self.after.round != self.before.round)

    def i21(self) -> None:
        """Nobody passes a covered hole."""
        covered = all(colony.hole in self.before.webs & self.after.webs for colony in self.before.colonies)
        if covered and not self.set_up and not self.orders("Collect Web", "Destroy Web"):
            for oid, unit in self.after.units.items():
                if oid in self.before.units:
                    board = self.after.board
                    assert board.below(unit.place) == board.below(self.before.units[oid].place)

    def i22(self) -> None:
        """Wards are not more than the ants that could make them."""
        new = self.after.wards - self.before.wards
        if new:
            assert len(new) <= self.before.ants(self.before.active)
            for unit in self.after.own(self.before.active):
                old = self.before.units.get(unit.id)
                if isinstance(unit, Group) and isinstance(old, Group):
                    assert unit.wards <= old.ants


def test_every_invariant_of_the_page_is_watched():
    """I1 to I22 are methods of Watch or tests of this module."""
    watched = {name for name in vars(Watch) if name[0] == "i" and name[1:].isdigit()}
    tested = {f"i{number}" for number in range(1, 23) if any(f"_i{number}_" in name for name in globals())}
    assert watched | tested == {f"i{number}" for number in range(1, 23)}


def _watch(game: tuple[int, int, Options], bot: Bot) -> None:
    seats, seed, options = game
    watch = Watch()
    for step in playing(RULESET, options, seats, seed, bot, most_turns=200):
        watch.turn(step.before, step.done)


@pytest.mark.thorough
@settings(BOUNDED, max_examples=15)
@given(game=_games())
def test_invariants_in_random_games(game):
    """All but I18 and I20 hold after every turn."""
    _watch(game, random_bot)


@pytest.mark.thorough
@settings(BOUNDED, max_examples=10)
@given(game=_games())
def test_invariants_in_busy_games(game):
    """The same with full queues, in which many orders fail."""
    _watch(game, busy_bot)


@pytest.mark.thorough
@settings(BOUNDED, max_examples=20)
@given(game=_games())
def test_invariants_in_keen_games(keen_bot, game):
    """The same where spiders catch ants and ants harvest and fight."""
    _watch(game, keen_bot)


@pytest.mark.thorough
def test_keen_games_show_what_the_invariants_are_about(keen_bot):
    """In them everything happens that the invariants limit: an invariant about what never happens proves nothing."""
    wanted = {kind.name for kind in UNIT_ORDERS} - {"Raise Queen"}
    wanted |= {"Growth", "Hatched", "Combat", "Cocooned", "Harvest", "Spider died", "Hole covered", "Eliminated"}
    done: set[str] = set()
    watch = Watch()
    for seed in range(16):
        if wanted <= done:
            break
        options = {"map": "text", "map_text": SMALL_MAP, "max_rounds": 12, "start_cocooned": 5}
        options |= {"phase_steps": 1 + seed % 2, "web_under_ants": seed % 2 == 1}
        for step in playing(RULESET, options, 2 + seed % 2, seed, keen_bot):
            watch.turn(step.before, step.done)
            carried_out = [order for order in watch.orders(*(kind.name for kind in ORDERS)) if not watch.dropped(order)]
            done.update(order.type for order in carried_out)
            done.update(report.subject for report in step.done.reports)
    assert sorted(wanted - done) == []


@pytest.mark.thorough
@settings(BOUNDED, max_examples=5)
@given(game=_games())
def test_i18_replays_and_probes(game):
    """I18: the same seed and orders give the same digests, also from a written world; a probe changes nothing."""
    seats, seed, options = game
    steps = list(playing(RULESET, options, seats, seed))
    again = list(playing(RULESET, options, seats, seed))
    assert [step.done.digest for step in steps] == [step.done.digest for step in again]
    dice = Dice.named(b"i18", seed)
    for step in steps[::5]:
        before = step.before
        world = RULESET.load(json.loads(canonical(RULESET.dump(before.world))), RULESET.version)
        assert world == before.world
        state = State(world, before.phase, before.turn, before.queues, before.stamp)
        for order in dice.shuffled(RULESET.legal_orders(state.plan(before.world.active)))[:10]:
            try:
                probe(RULESET, state, order.seat, order.on, order.type, order.args)
            except Refusal as refusal:
                assert refusal.reason == "QueueFull"
        assert advance(RULESET, state, str(seed).encode()).digest == step.done.digest


@settings(BOUNDED, max_examples=6)
@given(game=_games())
def test_i20_the_game_ends_in_time(game):
    """I20: after ``max_rounds`` at the latest, also if nobody does anything."""
    seats, seed, options = game
    state = opening(RULESET, parse_options(RULESET.options, options), seats, str(seed).encode()).state
    for _ in range(1 + 3 * options["max_rounds"] * options["phase_steps"]):
        if not state.over:
            state = advance(RULESET, state, str(seed).encode()).state
    assert state.over
    assert state.world.round <= options["max_rounds"]
