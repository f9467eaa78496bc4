"""Invariants 1 to 19 of Antshouse's page, over random and bots' games.

The games have many options.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tprules.antshouse import RULESET
from tprules.antshouse.board import COURSES, SIDE, SQUARES
from tprules.antshouse.execution import find_clashes, rank_throws, resolve_throws, reveal_and_move, settle_pushes
from tprules.antshouse.orders import DIRECTION, GESTURE, SQUARE, TARGET, Throw
from tprules.antshouse.world import GLASS, OFF_BOARD, WATER, World
from tprules.api import BotTurn, Order, Refusal, Turn, parse_options
from tprules.api.advance import Advanced, advance, copied, opening
from tprules.api.bots import Bot
from tprules.api.order_checks import State
from tprules.api.ruleset import find_phase
from tprules.kit.single_choice import choosing, chosen
from tprules.testing import busy_bot, playing, random_bot, view

BOUNDED = settings(
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

Options = dict[str, Any]
Game = tuple[int, int, Options]


@st.composite
def _games(draw: st.DrawFn) -> Game:
    """A number of players, a seed, and options."""
    options = {
        "layout": draw(st.sampled_from(["sides", "corners"])),
        "goal": draw(st.sampled_from(["back", "back", "there"])),
        "contest": draw(st.sampled_from(["gesture", "rng"])),
        "cone_guard": draw(st.sampled_from(["auto", "on", "off"])),
        "max_rounds": draw(st.integers(10, 40)),
    }
    return draw(st.integers(2, 4)), draw(st.integers(0, 10**6)), options


class Watch:
    """The invariants, asserted on one turn after the other. Each method is named after its number on the page."""

    def __init__(self, first: World) -> None:
        self.after = first
        self.phases_in_round = 0
        self.thrown: set[int] = set()
        """Seats that have thrown in this round."""

    def turn(self, before: State[World], done: Advanced[World]) -> None:
        self.state_before, self.done, self.state = before, done, done.state
        self.before, self.after = before.world, done.state.world
        self.stages()
        for number in (1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 18, 19):
            getattr(self, f"i{number}")()

    def stages(self) -> None:
        """Go through a planned round stage by stage, on a copy, for what a whole closing does not show."""
        if self.state_before.phase != "plan":
            return
        state = copied(RULESET, self.state_before)
        self.step = Turn(state.world, state.turn, state.phase, state.queues, b"stages")
        reveal_and_move(self.step)
        self.i8(self.before, self.step.world)
        find_clashes(self.step)
        self.i4(self.step.world)
        settle_pushes(self.step)
        rank_throws(self.step)
        world = self.step.world
        while world.throws and not world.shove:
            throw, *later = world.throws
            old = copied(RULESET, state).world
            world.throws = [throw]
            resolve_throws(self.step)
            world.throws = later
            self.i7(old, world)
            self.i9(throw, old, world)

    def i1(self) -> None:
        """Small pyramids: pad, own cones on the board, and the one in the air are 5."""
        for seat, one in enumerate(self.after.players):
            assert one.pad[1] + list(self.after.cones.values()).count(seat) + self._in_the_air(seat, 1) == 5

    def i2(self) -> None:
        """Medium and large ones: pad, used up, and the one in the air are 4 each."""
        for seat, one in enumerate(self.after.players):
            for weapon in (WATER, GLASS):
                assert one.pad[weapon] + one.used[weapon] + self._in_the_air(seat, weapon) == 4
            assert min(*one.pad, *one.used) >= 0

    def i3(self) -> None:
        """15 pyramids each: with the ant, which is always there, and the direction piece."""
        seen = view(RULESET, self.after, None)
        for seat, one in enumerate(self.after.players):
            assert [shown.owner for shown in seen.values() if shown.kind == "ant"].count(seat) == 1
            cones = list(self.after.cones.values()).count(seat)
            air = sum(throw.seat == seat for throw in self.after.throws)
            assert sum(one.pad) + sum(one.used) + cones + air + 2 == 15

    def i4(self, world: World | None = None) -> None:
        """No two live ants share a square, except losers who wait for their push."""
        world = world or self.after
        waiting = {push.seat for push in world.pushes}
        places = Counter(
            one.ant for seat, one in enumerate(world.players) if one.ant != OFF_BOARD and seat not in waiting
        )
        assert all(number == 1 for number in places.values())
        for push in world.pushes:
            assert world.players[push.seat].ant == world.players[push.chooser].ant

    def i5(self) -> None:
        """Live ants are on the board."""
        assert all(one.ant in SQUARES or one.ant == OFF_BOARD for one in self.after.players)

    def i6(self) -> None:
        """Cones never move or vanish, and keep their owner and number."""
        assert list(self.after.cones.items())[: len(self.before.cones)] == list(self.before.cones.items())

    def i7(self, old: World, new: World) -> None:
        """Nobody has come to a square that had a cone before."""
        for was, now in zip(old.players, new.players, strict=True):
            assert now.ant == was.ant or now.ant not in old.cones

    def i8(self, old: World, new: World) -> None:
        """In the movement step every ant goes one king step, or stays and has no legal one."""
        self.i7(old, new)
        for was, now in zip(old.players, new.players, strict=True):
            if was.ant == now.ant:
                assert not old.directions(was.ant)
            else:
                assert _king(was.ant, now.ant) == 1

    def i9(self, throw: Any, old: World, new: World) -> None:
        """One water moves each ant one square at most; other weapons move none."""
        for was, now in zip(old.players, new.players, strict=True):
            if now.ant != OFF_BOARD:
                assert _king(was.ant, now.ant) <= (throw.weapon == WATER)

    def i10(self) -> None:
        """Turned becomes true only on the far side at the end of a round, and false only by death."""
        for seat, (was, now) in enumerate(zip(self.before.players, self.after.players, strict=True)):
            if now.turned and not was.turned:
                assert now.ant in self.after.course(seat).far
                assert self.after.shove is None
            if was.turned and not now.turned:
                assert now.deaths == was.deaths + 1

    def i11(self) -> None:
        """Exactly the seats of dead ants are awaited in RESPAWN."""
        dead = [seat for seat, one in enumerate(self.after.players) if one.ant == OFF_BOARD]
        if self.state.phase == "respawn" and not self.state.over:
            assert self.active() == dead != []
        elif self.state.phase == "plan" and not self.state.over:
            assert not dead

    def i12(self) -> None:
        """Somebody is awaited until the end; exactly one in PUSH and WATER."""
        if not self.state.over:
            assert self.active()
            assert self.state.phase not in ("push", "water") or len(self.active()) == 1

    def i13(self) -> None:
        """At most 9 phases a round."""
        self.phases_in_round = 1 if self.state_before.phase == "plan" else self.phases_in_round + 1
        assert self.phases_in_round <= 9

    def i14(self) -> None:
        """One throw a player and round; what is used up grows only by a success with water or glass."""
        if self.state_before.phase == "plan":
            orders = [order for queue in self.state_before.queues.values() for order in queue]
            throws = [order.seat for order in orders if order.type == Throw.name]
            assert len(throws) == len(set(throws))
            self.thrown = set(throws)
        grown = Counter({seat: sum(one.used) for seat, one in enumerate(self.after.players)})
        grown.subtract({seat: sum(one.used) for seat, one in enumerate(self.before.players)})
        hits = [event.facts for event in self.done.events if event.name == "weapon"]
        assert {facts["seat"] for facts in hits} <= self.thrown
        successes = Counter(facts["seat"] for facts in hits if facts["success"] and facts["weapon"] != "pine cone")
        assert +grown == successes

    def i18(self) -> None:
        """The game is over exactly when somebody has won, the limit is reached, or nothing can ever change."""
        world = self.after
        at_end = self.state.phase in ("plan", "respawn") or self.state.over
        dead = any(one.ant == OFF_BOARD for one in world.players)
        stuck = not dead and not any(world.directions(one.ant) or any(one.pad) for one in world.players)
        limit = self.state_before.phase != "respawn" and self._rounds_done() >= world.settings.max_rounds
        assert self.state.over == bool(world.winners or (at_end and (limit or (stuck and not world.shove))))
        assert (self.done.outcome is not None) == self.state.over
        if self.state.over and not world.winners:
            assert set(self.done.outcome.places.values()) == {1}

    def i19(self) -> None:
        """With the guard every seat has a way without cones from home to the far side."""
        world = self.after
        if world.settings.guard:
            assert all(_has_way(world, seat) for seat in range(len(world.players)))

    def active(self) -> list[int]:
        return list(find_phase(RULESET, self.state.phase).active(self.after))

    def _rounds_done(self) -> int:
        """A round is done when the next one or its RESPAWN begins, or the game ends."""
        return self.after.round if self.state.over or self.state.phase == "respawn" else self.after.round - 1

    def _in_the_air(self, seat: int, weapon: int) -> int:
        """Thrown and not resolved: on the board, in the seed's words."""
        return sum(throw.seat == seat and throw.weapon == weapon for throw in self.after.throws)


def _king(one: int, other: int) -> int:
    return max(abs(one % SIDE - other % SIDE), abs(one // SIDE - other // SIDE))


def _has_way(world: World, seat: int) -> bool:
    """A flood of its own, by coordinates."""
    course = COURSES[world.settings.layout][seat]
    reached = {square for square in course.home if square not in world.cones}
    grown = True
    while grown:
        more = {square for square in SQUARES if any(_king(square, near) == 1 for near in reached)}
        grown = bool(more - reached - world.cones.keys())
        reached |= more - world.cones.keys()
    return not reached.isdisjoint(course.far)


def _watch(game: Game, bot: Bot) -> None:
    seats, seed, options = game
    first = opening(RULESET, parse_options(RULESET.options, options), seats, str(seed).encode())
    watch = Watch(first.state.world)
    digests = []
    for step in playing(RULESET, options, seats, seed, bot):
        watch.turn(step.before, step.done)
        digests.append(step.done.digest)
    again = playing(RULESET, options, seats, seed, bot)
    assert [step.done.digest for step in again] == digests, "16: the same seed and orders give the same hash"


def test_every_invariant_of_the_page_is_watched():
    """1 to 19 are methods of Watch or tests of this module."""
    watched = {int(name[1:]) for name in vars(Watch) if name[0] == "i" and name[1:].isdigit()}
    tested = {number for number in range(1, 20) if any(f"_i{number}_" in name for name in globals())}
    elsewhere = {15, 16}  # in test_antshouse_wire.py, and in _watch
    assert watched | tested | elsewhere == set(range(1, 20))
    assert not (watched | tested) & elsewhere


@pytest.mark.thorough
@settings(BOUNDED, max_examples=10)
@given(game=_games())
def test_invariants_in_random_games(game):
    """1 to 14, 16, 18 and 19 hold after every turn of random games."""
    _watch(game, busy_bot)


@pytest.mark.thorough
@settings(BOUNDED, max_examples=20)
@given(game=_games())
def test_invariants_in_purposeful_games(game):
    """The same where ants run for their goals and kids aim."""
    _watch(game, RULESET.bot)


@pytest.mark.thorough
@settings(BOUNDED, max_examples=8)
@given(game=_games())
def test_invariants_with_absent_players(game):
    """The same where players now and then give no orders at all."""
    _watch(game, random_bot)


def _quarrelsome(bot: Bot) -> Bot:
    """Return the bot with gestures that always differ, so that gestures decide every contest of two."""

    def play(turn: BotTurn[World]) -> None:
        give = turn.give

        def give_otherwise(order: Order) -> Refusal | None:
            if GESTURE in order.args:
                gesture = 1 + (turn.world.round + turn.seat) % 3
                order = order._replace(args={**order.args, GESTURE: choosing(gesture)})
            return give(order)

        turn.give = give_otherwise
        bot(turn)

    return play


@settings(BOUNDED, max_examples=10)
@given(game=_games(), careful=st.booleans())
def test_i17_the_game_is_fair_to_both_sides(game, careful):
    """17: the board turned by 180 degrees with the seats swapped gives the turned outcome.

    This holds if gestures decide every contest and all give orders. Turns without room for a loser are left out. There
    the loser goes to the first of the nearest squares, which does not turn with the board.
    """
    _, seed, options = game
    options = options | {"contest": "gesture"}
    bot = _quarrelsome(RULESET.bot if careful else busy_bot)
    compared = 0
    for step in playing(RULESET, options, 2, seed, bot):
        queues = {}
        for queue in step.before.queues.values():
            for order in queue:
                turned = _turned_order(order)
                queues.setdefault(turned.on, []).append(turned)
        other = State(_turned(step.before.world), step.before.phase, step.before.turn, queues, step.before.stamp)
        if any("There is no room" in report.body for report in step.done.reports):
            continue
        assert advance(RULESET, other, b"another seed").state.world == _turned(step.done.state.world)
        compared += 1
    assert compared > 5


def _turned(world: World) -> World:
    """Return the world with the board turned and the seats swapped."""
    other = RULESET.load(RULESET.dump(world), RULESET.version)
    other.players.reverse()
    for one in other.players:
        one.ant = one.ant if one.ant == OFF_BOARD else 63 - one.ant
    other.cones = {63 - square: 1 - seat for square, seat in world.cones.items()}
    other.gestures.reverse()
    other.pushes = [push._replace(chooser=1 - push.chooser, seat=1 - push.seat) for push in world.pushes]
    other.throws = [throw._replace(seat=1 - throw.seat, square=63 - throw.square) for throw in world.throws]
    if not world.pushes and other.throws and not world.flush:
        raise AssertionError("throws wait for a push or a choice only")
    if world.pushes:
        other.throws.reverse()  # not ranked yet: they are in the order of the seats
    if world.flush:
        other.flush = world.flush._replace(chooser=1 - world.flush.chooser, seat=1 - world.flush.seat)
    other.resolved = [63 - square for square in world.resolved]
    other.hits = sorted(63 - square for square in world.hits)
    other.winners = sorted(1 - seat for seat in world.winners)
    return other


def _turned_order(order: Order) -> Order:
    args = dict(order.args)
    if DIRECTION in args:
        way = chosen(args, DIRECTION)
        args[DIRECTION] = choosing((way + 3) % 8 + 1 if way else 0)
    for name in (SQUARE, TARGET):
        if name in args:
            args[name] = 2 + 2 * (63 - (args[name] - 2) // 2)
    on = order.on + 3 if order.on < 133 else order.on - 3
    return order._replace(seat=1 - order.seat, on=on, args=args)
