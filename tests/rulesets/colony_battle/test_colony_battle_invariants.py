"""Invariants 1 to 22 of Colony Battle's page, over random games.

The games have many maps and options.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tprules.api import Refusal, digest
from tprules.api.advance import Advanced, dump_state, load_state
from tprules.api.order_checks import State, apply, insertion, removal
from tprules.api.ruleset import find_phase
from tprules.colony_battle import RULESET
from tprules.colony_battle import bot as own_bot
from tprules.colony_battle.orders import Spawn
from tprules.colony_battle.world import ANTLION, NO_KIND, NOBODY, NOWHERE, QUEEN, SPAWNED, STATS, TERMITE, WORKER, World
from tprules.testing import busy_bot, play, playing, random_bot

BOUNDED = settings(
    deadline=None,
    database=None,
    derandomize=True,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

CROWDED = {
    "width": 13,
    "height": 9,
    "starts": "0:4,4 0:8,4",
    "entrance1": "0:6,4",
    "entrance2": "1:6,6",
    "throne": "2:6,4",
    "dig_turns": "1,1,2",
    "items": "0:3,4 0:9,4 0:4,6 0:8,2 0:4,2 0:8,6 0:2,4 0:10,4",
    "worms": "0:12,0 right 4 0:0,8 left 4 1:8,2 right 5",
    "spiders": "0:6,8 1:1,1 2:9,1",
    "max_rounds": 40,
}
"""A small map on which everything is near everything."""


@st.composite
def _options(draw: st.DrawFn) -> dict[str, Any]:
    """Options with which much happens."""
    if draw(st.integers(0, 5)) == 0:
        return {"max_rounds": 20}
    return CROWDED | {
        "adjacency": draw(st.sampled_from(["4", "4", "8"])),
        "spider_relocate": draw(st.integers(1, 6)),
        "spider_speed": draw(st.integers(1, 8)),
        "web_max": draw(st.integers(1, 4)),
        "web_persists": draw(st.booleans()),
        "items_hidden": draw(st.booleans()),
        "move_cap": draw(st.integers(1, 6)),
        "caps": [draw(st.integers(0, 6)) for _ in SPAWNED],
        "brood": [draw(st.integers(0, 2)) for _ in SPAWNED],
        "antlion_range": draw(st.integers(0, 3)),
        "antlion_kills": draw(st.integers(1, 3)),
        "blast_range": draw(st.integers(0, 4)),
        "blast_damage": draw(st.integers(1, 3)),
        "trail_life": draw(st.sampled_from([0, 0, 2])),
        "termite_any_queen": draw(st.booleans()),
        "max_rounds": draw(st.integers(10, 25)),
    }


class Watch:
    """The invariants, asserted on one turn after the other. Each method is named after its number on the page."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.centres: dict[int, int] = {}
        self.first: World | None = None

    def turn(self, before: State[World], done: Advanced[World]) -> None:
        self.state, self.was, self.now, self.done = before, before.world, done.state.world, done
        self.first = self.first or before.world
        self.round_ended = self.was.seat != self.was.first and not (self.now.placing or self.was.ended)
        for number in range(1, 20):
            getattr(self, f"i{number}")()
        self.i22()
        self.seen.update(event.name for event in done.events)
        self.seen.update(report.subject for report in done.reports)

    def i1(self) -> None:
        """No square holds two of unit, segment, spider."""
        world = self.now
        places = [unit.square for unit in world.units.values()]
        places += [square for worm in world.worms.values() for square in worm.squares]
        places += [spider.square for spider in world.spiders.values()]
        assert len(places) == len(set(places)) == len(world.occupied)

    def i2(self) -> None:
        """No unit stands on a closed site."""
        assert not any(self.now.is_closed(unit.square) for unit in self.now.units.values())

    def i3(self) -> None:
        """Hit points and kills left are within their limits."""
        for unit in self.now.units.values():
            if unit.kind == ANTLION:
                assert 1 <= unit.kills <= self.now.settings.antlion_kills
            else:
                assert 1 <= unit.hit_points <= STATS[unit.kind].hit_points

    def i4(self) -> None:
        """No player has more units of a kind than allowed."""
        for seat in range(2):
            for kind in SPAWNED:
                assert self.now.alive(seat, kind) <= self.now.settings.caps[kind]
            assert self.now.alive(seat, QUEEN) <= 1

    def moved(self) -> list[int]:
        return [
            oid
            for oid, unit in self.now.units.items()
            if oid in self.was.units and unit.square != self.was.units[oid].square
        ]

    def i5(self) -> None:
        """At most so many units of the active player change square, and none of the other's."""
        moved = self.moved()
        if self.state.phase == "place":
            assert not moved
        assert len(moved) <= self.now.settings.move_cap
        assert all(self.was.units[oid].owner == self.was.seat for oid in moved)

    def i6(self) -> None:
        """No unit moves more than its steps and one; the one only where an own trail was."""
        for oid in self.moved():
            unit, old = self.now.units[oid], self.was.units[oid]
            distance = self.now.layout.distance(old.square, unit.square)
            steps = STATS[unit.kind].steps
            if distance is not None:
                assert distance <= steps + 1
                if distance > steps:
                    self.seen["bonus"] += 1
                    near = [*self.was.colonies[old.owner].trail, *self.now.colonies[old.owner].trail]
                    assert any(self.now.layout.within(old.square, square, steps) for square in near)
                    assert unit.kind != TERMITE

    def i7(self) -> None:
        """Tokens, items in hand and item units ever placed add up."""
        assert len(self.now.items) + self.now.placed == len(self.first.items)

    def i8(self) -> None:
        """Each token is in exactly one place; only workers carry, each at most one."""
        carried = {unit.item: oid for oid, unit in self.now.units.items() if unit.item}
        for oid, item in self.now.items.items():
            places = [item.square != NOWHERE, item.carrier != 0, item.hand != NOBODY]
            assert places.count(True) == 1
            assert (item.carrier or None) == carried.get(oid)
        assert all(self.now.units[oid].kind == WORKER for oid in carried.values())
        assert set(carried) <= set(self.now.items)

    def i9(self) -> None:
        """The remaining digs never grow, and fall by at most 1 in a round."""
        for was, now in zip(self.was.left, self.now.left, strict=True):
            assert now == was or (now == was - 1 and self.round_ended)

    def i10(self) -> None:
        """Worms are connected paths of one segment or more; segments never become more."""
        around = self.now.layout.around
        for worm in self.now.worms.values():
            assert len(worm.segments) == len(worm.squares) >= 1
            for one, other in zip(worm.squares, worm.squares[1:], strict=False):
                assert other in around[one]
        assert _segments(self.now) <= _segments(self.was)

    def i11(self) -> None:
        """A head advances by 0 or 1 in a round."""
        for oid, worm in self.now.worms.items():
            old = self.was.worms.get(oid)
            if old is not None and old.segments == worm.segments:
                advanced = self.now.layout.distance(old.squares[0], worm.squares[0])
                assert advanced <= int(self.round_ended)
                self.seen["crawls"] += advanced

    def i12(self) -> None:
        """Webs stay within their limit and grow by 1 a round."""
        for oid, spider in self.now.spiders.items():
            old = self.was.spiders[oid]
            assert 0 <= spider.radius <= self.now.settings.web_max
            if old.weaves and spider.weaves and not self.now.ended:
                if old.centre == spider.centre:
                    assert spider.radius - old.radius == int(self.round_ended)
                else:
                    assert spider.radius == 0

    def i13(self) -> None:
        """A new web is far enough from the one before."""
        for oid, spider in self.now.spiders.items():
            old = self.was.spiders[oid]
            if old.centre != spider.centre:
                self.seen["new web"] += 1
                assert self.now.layout.distance(old.centre, spider.centre) >= self.now.settings.spider_relocate

    def i14(self) -> None:
        """Spiders keep to their speed, and off sites and landings."""
        speed = self.now.settings.spider_speed
        for oid, spider in self.now.spiders.items():
            walked = self.now.layout.distance(self.was.spiders[oid].square, spider.square)
            assert walked <= speed * (1 + self.round_ended)
            self.seen["spider walks"] += walked > 0
            assert not self.now.layout.is_shaft(spider.square)

    def i15(self) -> None:
        """Nobody but queens lives beside a spider."""
        if self.now.ended:
            return  # the game may end before spiders strike
        around = self.now.layout.around
        for spider in self.now.spiders.values():
            for square in around[spider.square]:
                unit = self.now.units.get(self.now.occupied.get(square, -1))
                assert unit is None or unit.kind == QUEEN

    def i16(self) -> None:
        """No queen dies from a bite."""
        lost = [report.body for report in self.done.reports if report.subject == "Unit lost"]
        assert not any(body.startswith("Your Queen") and "spider" in body for body in lost)

    def i17(self) -> None:
        """A locked queen stays: while turns are left, and in the turn in which the last one ends."""
        seat = self.was.seat
        was, now = self.was.colonies[seat], self.now.colonies[seat]
        if self.state.phase != "main" or now.queen not in self.now.units:
            return
        if now.locked or (now.brood != NO_KIND and was.brood == NO_KIND) or self.spawned_slowly(seat, was.brood):
            self.seen["locked"] += 1
            assert now.queen not in self.moved()

    def spawned_slowly(self, seat: int, running: int) -> bool:
        """Return whether a unit has been spawned that cost the queen this turn: none that had waited for room."""
        if running != NO_KIND and not self.was.colonies[seat].brood_left:
            return False
        names = [STATS[kind].name.lower() for kind in SPAWNED if self.now.settings.brood[kind]]
        told = [one.body.lower() for one in self.done.reports if (one.subject, one.to) == ("Unit spawned", seat)]
        return any(body.startswith(f"a new {name} is") for body in told for name in names)

    def i18(self) -> None:
        """Trails stay for ever unless an option says otherwise."""
        if not self.now.settings.trail_life:
            for was, now in zip(self.was.colonies, self.now.colonies, strict=True):
                assert set(was.trail) <= set(now.trail)

    def i19(self) -> None:
        """Exactly one seat is active."""
        phase = find_phase(RULESET, self.done.state.phase)
        assert list(phase.active(self.now)) == [self.now.seat]

    def i22(self) -> None:
        """The game is over exactly when a queen is missing, one is on the open throne, or the last round is over."""
        world = self.now
        queens = [world.queen(seat) for seat in range(2)]
        throne = world.layout.sites[-1]
        is_over = (
            None in queens
            or any(queen is not None and queen.square == throne for queen in queens)
            or world.ended == "rounds"
        )
        assert is_over == bool(world.ended) == self.done.state.over == (self.done.outcome is not None)
        if world.ended == "rounds":
            assert world.round == world.settings.max_rounds


def _segments(world: World) -> int:
    return sum(len(worm.segments) for worm in world.worms.values())


@pytest.mark.thorough
@BOUNDED
@given(_options(), st.integers(0, 10**6), st.sampled_from([random_bot, busy_bot]))
def test_invariants_in_random_games(options, seed, bot):
    """Invariants 1 to 19 and 22, after every turn."""
    watch = Watch()
    for step in playing(RULESET, options, 2, seed, bot):
        watch.turn(step.before, step.done)


@pytest.mark.thorough
def test_random_games_show_what_the_invariants_are_about():
    """Games on the crowded map have battles, bites, splits, conversions, placed items, and webs begun again."""
    wanted = (
        "Unit lost",
        "Unit converted",
        "Item activated",
        "Place your item",
        "Worm split",
        "Queen bitten",
        "Queen hit",
        "Caught in a web",
        "Excavation opened",
        "new web",
        "spider walks",
        "crawls",
        "locked",
        "bonus",
        "Spawn failed",
        "Order failed",
    )
    watch = Watch()
    for seed in range(12):
        if all(watch.seen[what] for what in wanted):
            break
        watch.first = None
        for step in playing(RULESET, CROWDED | {"spider_relocate": 5, "web_max": 3}, 2, seed, random_bot):
            watch.turn(step.before, step.done)
    assert [what for what in wanted if not watch.seen[what]] == []


@pytest.mark.thorough
@pytest.mark.parametrize("styles", [("race", "fight"), ("fight", "fight")])
def test_invariants_in_games_of_bots(styles):
    """The same in whole games that are played with a purpose, on the default map."""
    watch = Watch()
    for step in playing(RULESET, {}, 2, 11, lambda turn: own_bot.play(turn, styles[turn.seat])):
        watch.turn(step.before, step.done)
    assert watch.seen["excavation opened"]


@pytest.mark.parametrize("seed", range(3))
def test_invariant_20_the_same_orders_give_the_same_game(seed):
    """Played twice, and from a saved state on, a game has the same digests."""
    options = CROWDED | {"max_rounds": 12}
    first = play(RULESET, options, 2, seed)
    assert play(RULESET, options, 2, seed).digests == first.digests
    for step in playing(RULESET, options, 2, seed):
        again = load_state(RULESET, dump_state(RULESET, step.before))
        assert digest(dump_state(RULESET, again)) == digest(dump_state(RULESET, step.before))


@pytest.mark.thorough
def test_invariant_21_foreign_orders_show_nowhere():
    """A seat sees the same, and may ask the same, for any orders of the other one."""
    for step in playing(RULESET, CROWDED, 2, 5):
        bare = State(step.before.world, step.before.phase)
        for seat in range(2):
            own = [oid for oid, shown in _view(step.before, seat).items() if shown.owner == seat]
            assert _view(step.before, seat) == _view(bare, seat)
            for oid in own:
                with pytest.raises(Refusal) as refused:
                    removal(RULESET, step.before, 1 - seat, oid, 0)
                assert refused.value.code == 5


def _view(state: State[World], seat: int) -> dict[int, Any]:
    return {oid: RULESET.show(state.world, oid, level) for oid, level in RULESET.sight(state.world, seat).items()}


def test_orders_wait_for_their_owners_turn():
    """A seat that only plans keeps its orders until its own turn, unless it loses the unit."""
    kept = 0
    for step in playing(RULESET, CROWDED, 2, 9):
        seat = 1 - step.before.world.seat
        if step.done.state.over:
            break
        for on, queue in step.before.queues.items():
            if queue[0].seat != seat:
                continue
            was, now = step.before.world.units.get(on), step.done.state.world.units.get(on)
            if was is None or (now is not None and now.owner == seat):
                kept += 1
                assert step.done.state.queues[on] == queue
            else:
                assert on not in step.done.state.queues
    assert kept > 100


def test_a_queue_takes_sixteen_orders():
    """The next one is refused for the time being, at the end and in the middle."""
    state = next(iter(playing(RULESET, CROWDED, 2, 1))).before
    state = State(state.world, state.phase)
    queen = state.world.colonies[0].queen
    for _ in range(16):
        apply(state, insertion(RULESET, state, 0, queen, Spawn.name, {"kind": [[1, 1]], "where": 0}))
    for slot in (-1, 3):
        with pytest.raises(Refusal) as refused:
            insertion(RULESET, state, 0, queen, Spawn.name, {"kind": [[1, 1]], "where": 0}, slot)
        assert (refused.value.code, refused.value.reason) == (3, "full")
