"""A greedy bot (RULES.md, section 8).

It takes points, avoids fights that it cannot win, and reinforces just enough.
"""

from __future__ import annotations

from tprules.api import BotTurn, Dice, Order, Plan, Seat
from tprules.tae.orders import SHIPS, TARGET, Attack, Colonize, ColonizeMining, Exchange, Move, legal_orders, planned
from tprules.tae.world import AT_HOME, MERCHANTS, SCIENTISTS, TYPES, World

LEAST_GAIN = 25
"""Minimum gain of a leader on the board by a move."""


def bot(turn: BotTurn[World]) -> None:
    """Give the best legal orders of a normal turn that are worth their actions, or send reinforcements in a combat."""
    while (order := _next(turn.plan, turn.dice)) is not None:
        if turn.give(order) is not None:
            return


def _next(plan: Plan[World], dice: Dice) -> Order | None:
    """Return the best legal order, or None if none is worth its action.

    A turn without any order would repeat itself. The bot then places a colony without value.
    """
    if plan.world.combat is not None:
        return _reinforce(plan)
    world = planned(plan)
    best, chosen = 0, None
    colony: Order | None = None
    for order in dice.shuffled(legal_orders(plan)):
        value = _value(world, order)
        if value > best:
            best, chosen = value, order
        if colony is None and order.type in (Colonize.name, ColonizeMining.name):
            colony = order
    return colony if chosen is None and not plan.before else chosen


def _reinforce(plan: Plan[World]) -> Order | None:
    combat = plan.world.combat
    if combat is None or plan.seat not in combat.sides:
        return None
    mine = combat.sides.index(plan.seat)
    wanted = combat.strengths[1 - mine] - combat.strengths[mine] + 1
    ships = list(plan.world.players[plan.seat].colonists.values()).count(combat.reinforcements)
    if len(plan.before) >= wanted or wanted > ships:
        return None
    return next(iter(legal_orders(plan)), None)


def _value(world: World, order: Order) -> int:
    if order.type == Exchange.name:
        return 2 if len(order.args[SHIPS]) == len(world.players[order.seat].colonists) else 1
    square = world.square(order.args[TARGET])
    if square is None:
        return 0
    if order.type in (Colonize.name, ColonizeMining.name):
        return _colony(world, order.seat, world.players[order.seat].colonists[order.on], square)
    if order.type == Move.name:
        return _leader(world, order.seat, world.players[order.seat].leaders.index(order.on), square)
    assert order.type == Attack.name
    return _bomb(world, order.seat, square)


def _colony(world: World, seat: Seat, kind: int, square: int) -> int:
    beside = world.regions_beside(square)
    if len(beside) > 1:
        return _connection(world, seat, kind, beside)
    if not beside:
        return 3
    scorer = world.scorer(min(beside), kind)
    if scorer is None:
        return 5 if kind == SCIENTISTS else 4
    if scorer == seat:
        return 100 - 5 * min(world.players[seat].scores[kind], 15)
    # A point for another player is better than a game in which all wait for ships that the pool lacks.
    return 1 if sum(world.pool) < world.settings.hand_size else 0


def _connection(world: World, seat: Seat, kind: int, beside: set[int]) -> int:
    """Return the value of a connection. It is good if colonies and ships in hand surely win each own conflict."""
    gain, fights = 0, False
    for leaders in TYPES:
        strengths = {}
        for other, player in enumerate(world.players):
            region = world.regions.get(player.places[leaders])
            if region in beside:
                strengths[other] = sum(
                    colony == leaders and world.regions.get(place) == region for place, colony in world.colonies.items()
                )
        if len(strengths) < 2:
            continue
        if seat not in strengths:
            continue
        fights = True
        ships = list(world.players[seat].colonists.values()).count(leaders) - (kind == leaders)
        theirs = max(value for other, value in strengths.items() if other != seat)
        if strengths[seat] + ships <= theirs + 2:
            return 0
        gain += 60 + 10 * theirs
    return gain if fights else 0


def _leader(world: World, seat: Seat, kind: int, square: int) -> int:
    player = world.players[seat]
    here = _worth(world, seat, kind, square)
    if player.places[kind] == AT_HOME:
        return here
    gain = here - _worth(world, seat, kind, player.places[kind])
    return here if gain >= LEAST_GAIN else 0


def _worth(world: World, seat: Seat, kind: int, square: int) -> int:
    regions = world.regions_beside(square) | {world.regions.get(square, 0)} - {0}
    region = min(regions)
    science = world.science_beside(square)
    rival = world.leads(region, kind)
    if rival not in (None, seat):
        ready = science + list(world.players[seat].colonists.values()).count(SCIENTISTS)
        if ready < world.science_beside(world.players[rival].places[kind]) + 2:
            return 0
    places = [place for place, number in world.regions.items() if number == region]
    value = 30 + 6 * sum(world.colonies.get(place) == kind for place in places) + 8 * (science - 1)
    if kind == MERCHANTS:
        value += 15 * max(0, sum(place in world.artifacts for place in places) - 1)
    return value + (10 if rival not in (None, seat) else 0)


def _bomb(world: World, seat: Seat, square: int) -> int:
    """Return the value of a bomb. It is good if it strands more leaders of others than own ones."""
    if world.colonies.get(square) != SCIENTISTS:
        return 0
    stranded = [
        world.leaders()[near][0]
        for near in world.board.neighbours[square]
        if near in world.leaders() and world.science_beside(near) == 1
    ]
    return 35 if stranded and seat not in stranded else 0
