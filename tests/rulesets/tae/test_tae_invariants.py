"""Invariants I1 to I22 of TaE's page, over random and greedy games.

The games have many boards and options.
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
from tprules.api.order_checks import State, insertion
from tprules.tae import RULESET
from tprules.tae.orders import ORDERS, SHIPS, TARGET, Attack, Colonize, ColonizeMining, Exchange, Reinforce
from tprules.tae.world import AT_HOME, EXTERNAL, INTERNAL, MERCHANTS, ROBOTS, SCIENTISTS, TYPES, World
from tprules.testing import busy_bot, playing, view

BOUNDED = settings(
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

Options = dict[str, Any]


@st.composite
def _boards(draw: st.DrawFn) -> str:
    """Small maps, on which regions meet soon, with three or more artifacts."""
    width, height = draw(st.integers(4, 8)), draw(st.integers(3, 6))
    squares = draw(st.lists(st.sampled_from("......MA"), min_size=width * height, max_size=width * height))
    for place in draw(st.lists(st.integers(0, width * height - 1), min_size=4, max_size=6, unique=True)):
        squares[place] = "A"
    text = "".join(squares)
    return "\n".join(text[start : start + width] for start in range(0, len(text), width))


@st.composite
def _games(draw: st.DrawFn) -> tuple[int, int, Options]:
    """A number of players, a seed, and options."""
    options: Options = {}
    if draw(st.booleans()):
        options = {
            "board": draw(_boards()),
            "hand_size": draw(st.integers(2, 8)),
            "bombers": draw(st.integers(0, 3)),
            "actions": draw(st.integers(1, 4)),
            "pool": [draw(st.integers(8, 30)) for _ in TYPES],
            "min_artifacts": draw(st.integers(1, 4)),
            "exchange": draw(st.booleans()),
            "protect_artifacts": draw(st.booleans()),
            "max_turns": draw(st.integers(10, 40)),
            "idle_turns": draw(st.integers(0, 3)),
        }
    return draw(st.integers(2, 4)), draw(st.integers(0, 10**6)), options


class Watch:
    """The invariants, asserted on one turn after the other. Each method is named after its number on the page."""

    def __init__(self, world: World) -> None:
        self.first = world
        self.gone = Counter()
        """Ships that have left hands, by type."""
        self.digests: list[str] = []
        self.combats_running = 0
        self.leaders_before_combats = 0

    def turn(self, before: State[World], done: Any) -> None:
        self.before, self.after, self.state = before.world, done.state.world, done.state
        self.orders, self.done = before, done
        self.fought = before.phase == "combat"
        self.failed = {
            reference.id
            for report in done.reports
            if report.subject == "Order failed"
            for reference in report.references
            if reference.kind == 1
        }
        for number in range(1, 19):
            getattr(self, f"i{number}")()
        self.i22()

    def carried_out(self) -> list[Any]:
        return [
            order
            for queue in self.orders.queues.values()
            for order in queue
            if not order.draft and order.on not in self.failed
        ]

    def i1(self) -> None:
        """Pool, hands and all ships ever used add up to the first pool, type by type; each use was ordered."""
        used = {}
        for was, now in zip(self.before.players, self.after.players, strict=True):
            used |= {ship: kind for ship, kind in was.colonists.items() if ship not in now.colonists}
        ordered = set()
        for order in self.carried_out():
            if order.type in (Colonize.name, ColonizeMining.name, Reinforce.name):
                ordered.add(order.on)
            elif order.type == Exchange.name:
                ordered |= {ship for ship, _ in order.args[SHIPS]}
        assert set(used) == ordered
        self.gone.update(used.values())
        initial = _in_game(self.first)
        assert _in_game(self.after) + self.gone == initial

    def i2(self) -> None:
        """Each player has each leader once, and all places differ."""
        places = [place for player in self.after.players for place in player.places if place != AT_HOME]
        assert len(places) == len(set(places))
        for was, now in zip(self.first.players, self.after.players, strict=True):
            assert was.leaders == now.leaders
            assert len(now.places) == 4

    def i3(self) -> None:
        """A system has at most one colony or leader, and nothing, artifact included, if it is destroyed."""
        assert not self.after.colonies.keys() & self.after.leaders().keys()
        used = self.after.colonies.keys() | self.after.leaders().keys() | self.after.artifacts
        assert not used & self.after.destroyed

    def i4(self) -> None:
        """Robots are exactly on uninhabitable systems; no leader or artifact is there."""
        ground = self.after.board.ground
        for square, kind in self.after.colonies.items():
            assert (kind == ROBOTS) == (ground[square] == "M")
        assert all(ground[square] != "M" for square in [*self.after.leaders(), *self.after.artifacts])

    def i5(self) -> None:
        """Regions are a flood fill without neutral colonies; numbers are distinct, none is above the last given."""
        world = self.after
        neutral = {contest.square for contest in world.contests if contest.kind == EXTERNAL}
        occupied = ({*world.colonies} | {*world.leaders()}) - neutral
        assert world.regions.keys() == occupied
        parts = _flood(world, occupied)
        numbers = [{world.regions[square] for square in part} for part in parts]
        assert all(len(each) == 1 for each in numbers)
        assert len({min(each) for each in numbers}) == len(parts)
        assert all(1 <= min(each) <= world.last_region for each in numbers)
        assert world.last_region >= self.before.last_region

    def i6(self) -> None:
        """Two leaders of a type are in a region only in an internal contest, never three."""
        for kind in TYPES:
            held = Counter(
                self.after.regions[player.places[kind]]
                for player in self.after.players
                if player.places[kind] != AT_HOME
            )
            for region, number in held.items():
                contested = any(
                    contest.kind == INTERNAL and contest.type == kind and self.after.regions[contest.square] == region
                    for contest in self.after.contests
                )
                assert number == 1 or (number == 2 and contested)

    def i7(self) -> None:
        """Every leader on the board borders a scientist colony."""
        for place in self.after.leaders():
            assert any(self.after.colonies.get(near) == SCIENTISTS for near in self.after.board.neighbours[place])

    def i8(self) -> None:
        """Artifacts on the board and artifact points add up."""
        points = sum(player.artifacts for player in self.after.players)
        assert len(self.after.artifacts) + points == len(self.first.artifacts)

    def i9(self) -> None:
        """At the start of a normal turn, no merchant leader's region has two artifacts."""
        if self.state.phase == "normal":
            found = Counter(self.after.regions.get(square) for square in self.after.artifacts)
            for player in self.after.players:
                if player.places[MERCHANTS] != AT_HOME:
                    assert found[self.after.regions[player.places[MERCHANTS]]] <= 1

    def i10(self) -> None:
        """Hands have at most hand_size, exactly that at the start of a normal turn; only Exchange draws before."""
        size = self.after.settings.hand_size
        hands = [len(player.colonists) for player in self.after.players]
        assert max(hands) <= size
        if self.state.phase == "normal" and not self.state.over:
            assert hands == [size] * len(hands)
        if self.after.combat is not None:
            drawn = self.after.next_id - self.before.next_id
            assert drawn == sum(len(order.args.get(SHIPS, ())) for order in self.carried_out())

    def i11(self) -> None:
        """Bombers and destroyed systems add up to the first bombers."""
        bombers = sum(len(player.bombers) for player in self.after.players)
        assert bombers + len(self.after.destroyed) == sum(len(player.bombers) for player in self.first.players)

    def i12(self) -> None:
        """A combat has two owners; internal strengths are 1 to 4."""
        combat = self.after.combat
        if combat is not None:
            assert len(set(combat.sides)) == 2
            if combat.kind == INTERNAL:
                assert all(1 <= strength <= 4 for strength in combat.strengths)

    def i13(self) -> None:
        """A colony in contest exists and has region 0; the regions of its sides differ."""
        combat = self.after.combat
        for contest in self.after.contests:
            if contest.kind == EXTERNAL:
                assert contest.square in self.after.colonies
                assert contest.square not in self.after.regions
        if combat is not None and combat.kind == EXTERNAL:
            places = [self.after.players[seat].places[combat.type] for seat in combat.sides]
            assert self.after.regions[places[0]] != self.after.regions[places[1]]

    def i14(self) -> None:
        """Areas of two contests are disjoint and no neighbours."""
        areas = [self.after.area(contest) for contest in self.after.contests]
        for number, area in enumerate(areas):
            around = area | {near for square in area for near in self.after.board.neighbours[square]}
            assert all(around.isdisjoint(other) for other in areas[number + 1 :])

    def i15(self) -> None:
        """Scores and destroyed systems never fall, artifacts on the board never rise."""
        for was, now in zip(self.before.players, self.after.players, strict=True):
            assert all(old <= new for old, new in zip(was.scores, now.scores, strict=True))
            assert was.artifacts <= now.artifacts
        assert self.before.destroyed <= self.after.destroyed
        assert self.after.artifacts <= self.before.artifacts

    def i16(self) -> None:
        """A combat turn sends at least one leader home, and places none.

        It removes colonies only in its area, and never the connecting one.
        """
        if not self.fought:
            return
        contest = self.before.contests[0]
        home = 0
        for was, now in zip(self.before.players, self.after.players, strict=True):
            for old, new in zip(was.places, now.places, strict=True):
                assert new in (old, AT_HOME)
                home += old != new
        assert home >= 1
        removed = self.before.colonies.keys() - self.after.colonies.keys()
        assert not self.after.colonies.keys() - self.before.colonies.keys()
        assert removed <= self.before.area(contest)
        assert contest.kind == EXTERNAL or not removed
        assert contest.square not in removed

    def i17(self) -> None:
        """Points before combats <= colonies placed <= players x actions."""
        if self.fought:
            return
        points = sum(sum(player.scores) for player in self.after.players)
        points -= sum(sum(player.scores) for player in self.before.players)
        placed = sum(order.type in (Colonize.name, ColonizeMining.name) for order in self.carried_out())
        assert points <= placed <= len(self.after.players) * self.after.settings.actions

    def i18(self) -> None:
        """The game is over exactly when a finish met R54, R55, R56 or R60."""
        world, settings_ = self.after, self.after.settings
        if self.after.combat is not None:
            assert not self.state.over
            return
        missing = sum(settings_.hand_size - len(player.colonists) for player in world.players)
        met = {
            "artifacts": len(world.artifacts) < settings_.min_artifacts,
            "pool": sum(world.pool) < missing,
            "turns": world.turns >= settings_.max_turns,
            "idle": 0 < settings_.idle_turns <= world.idle,
        }
        assert self.state.over == any(met.values())
        if self.state.over:
            assert world.ended == next(name for name, holds in met.items() if holds)

    def i22(self) -> None:
        """Consecutive combat turns <= leaders on the board before."""
        if self.fought:
            self.combats_running += 1
            assert self.combats_running <= self.leaders_before_combats
        if self.after.combat is not None and not self.fought:
            self.leaders_before_combats = len(self.after.leaders())
        if self.after.combat is None:
            self.combats_running = 0


def _in_game(world: World) -> Counter[int]:
    counts = Counter(dict(enumerate(world.pool)))
    for player in world.players:
        counts.update(player.colonists.values())
    return +counts


def _flood(world: World, occupied: set[int]) -> list[set[int]]:
    """A flood fill of its own, by coordinates."""
    width = world.board.width
    left = {(square % width, square // width) for square in occupied}
    parts = []
    while left:
        open_ = {left.pop()}
        part = set()
        while open_:
            x, y = open_.pop()
            part.add((x, y))
            found = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & left
            left -= found
            open_ |= found
        parts.append({y * width + x for x, y in part})
    return parts


def _watch(game: tuple[int, int, Options], bot: Bot) -> None:
    seats, seed, options = game
    first = opening(RULESET, parse_options(RULESET.options, options), seats, str(seed).encode())
    watch = Watch(first.state.world)
    digests = []
    for step in playing(RULESET, options, seats, seed, bot, most_turns=1100):
        watch.turn(step.before, step.done)
        digests.append(step.done.digest)
    again = playing(RULESET, options, seats, seed, bot, most_turns=1100)
    assert [step.done.digest for step in again] == digests, "I20: a replay gives the same bytes"


def test_every_invariant_of_the_page_is_watched():
    """I1 to I22 are methods of Watch or tests of this module."""
    watched = {name for name in vars(Watch) if name[0] == "i" and name[1:].isdigit()}
    tested = {f"i{number}" for number in range(1, 23) if any(f"_i{number}_" in name for name in globals())}
    assert watched | tested == {f"i{number}" for number in range(1, 23)}


@pytest.mark.thorough
@settings(BOUNDED, max_examples=8)
@given(game=_games())
def test_invariants_in_random_games(game):
    """I1 to I18, I20 and I22 hold after every turn of random games."""
    _watch(game, busy_bot)


@pytest.mark.thorough
@settings(BOUNDED, max_examples=3)
@given(game=_games())
def test_invariants_in_greedy_games(game):
    """The same where players seek points and fights."""
    _watch(game, RULESET.bot)


@pytest.mark.thorough
@settings(BOUNDED, max_examples=4)
@given(game=_games())
def test_i19_views_do_not_depend_on_the_secrets_of_others(disguise, game):
    """I19: a seat's view stays the same, bit by bit, with other hand types, scores and pool mixes."""
    seats, seed, options = game
    dice = Dice.named(b"i19")
    for number, step in enumerate(playing(RULESET, options, seats, seed, RULESET.bot)):
        if number % 4:
            continue
        world = step.done.state.world
        for seat in [None, *range(seats)]:
            other = disguise(RULESET.load(RULESET.dump(world), RULESET.version), seat, dice)
            assert view(RULESET, other, seat) == view(RULESET, world, seat)


@pytest.mark.thorough
@settings(BOUNDED, max_examples=4)
@given(game=_games())
def test_i20_the_world_survives_json(game):
    """I20: written and read, the world is equal, and a turn from it has the same digest."""
    seats, seed, options = game
    for number, step in enumerate(playing(RULESET, options, seats, seed)):
        world = RULESET.load(json.loads(canonical(RULESET.dump(step.before.world))), RULESET.version)
        assert world == step.before.world
        state = State(world, step.before.phase, step.before.turn, step.before.queues, step.before.stamp)
        assert advance(RULESET, state, str(seed).encode()).digest == step.done.digest
        if number == 15:
            return


@pytest.mark.thorough
@settings(BOUNDED, max_examples=5)
@given(game=_games(), choice=st.integers(0, 10**6))
def test_i21_legal_list_and_refusals_agree(game, choice):
    """I21: any order with any target is accepted exactly if the legal list has it or one for an equal ship."""
    seats, seed, options = game
    dice = Dice.named(b"i21", choice)
    for number, step in enumerate(playing(RULESET, options, seats, seed, RULESET.bot)):
        state = step.done.state
        if number % 6 or state.over:
            continue
        for seat in range(seats):
            legal = {_kind_of(state.world, order) for order in RULESET.legal_orders(state.plan(seat))}
            player = state.world.players[seat]
            pieces = [*player.colonists, *player.leaders, *player.bombers]
            squares = range(len(state.world.board.ground))
            targets = [*(state.world.system(square) for square in squares), *(one.home for one in state.world.players)]
            for _ in range(120):
                kind, on, target = dice.pick(ORDERS), dice.pick(pieces), dice.pick(targets)
                if kind is Exchange:
                    continue
                args = {} if kind is Reinforce else {TARGET: target}
                try:
                    accepted = insertion(RULESET, state, seat, on, kind.name, args).order
                except Refusal:
                    accepted = None
                listed = (kind.name, _piece(state.world, seat, on), args.get(TARGET)) in legal
                assert listed == (accepted is not None), (kind.name, on, target)


def _kind_of(world: World, order: Any) -> tuple[Any, ...]:
    return (order.type, _piece(world, order.seat, order.on), order.args.get(TARGET))


def _piece(world: World, seat: int, on: int) -> Any:
    """Return what makes pieces equal: the type of a colonist, being a bomber; a leader is like no other."""
    player = world.players[seat]
    if on in player.colonists:
        return ("colonist", player.colonists[on])
    return Attack.name if on in player.bombers else on


@pytest.mark.thorough
@pytest.mark.parametrize("players", [2, 3, 4])
def test_object_numbers_are_never_used_again(players):
    """A number that left the board is never used again, and a fleet keeps its owner."""
    owners: dict[int, Any] = {}
    gone: set[int] = set()
    for step in playing(RULESET, None, players, 5, RULESET.bot):
        seen = view(RULESET, step.done.state.world, None)
        assert not gone & seen.keys()
        gone |= owners.keys() - seen.keys()
        for oid, shown in seen.items():
            assert owners.setdefault(oid, shown.owner) == shown.owner
