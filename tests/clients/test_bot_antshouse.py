"""The Antshouse bot, on the real rules: it sees what the wire shows, and the rules' own intake answers its orders."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from tpclient.bots.antshouse import AntshousePolicy, Board, Edge, after, mover, read_board
from tpclient.bots.policies import new_policy
from tpclient.errors import RequestFailed
from tpclient.objects import NOBODY, Amount, SpaceObject
from tpclient.universe import Universe
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import TP04
from tprules.antshouse import RULESET
from tprules.api import Order, Refusal, parse_options
from tprules.api.advance import advance, opening
from tprules.api.order_checks import State, apply, insertion, probe
from tprules.api.params import Selection
from tprules.testing import view

N, NE, E, SE, S, SW, W, NW = range(1, 9)


class Seen:
    """One turn as a bot meets it: the universe of a seat, and orders that go to the rules."""

    def __init__(self, state: State[Any], seat: int, seed: str) -> None:
        self.state, self.seat = state, seat
        self.chance = random.Random(seed)
        self.accepted: list[Order] = []
        self.refused: list[str] = []
        self.universe = Universe(TP04, Descriptions())
        self.universe.me = seat + 1
        self.universe.order_descriptions = {
            kind.number: tp.OrderDesc(id=kind.number, name=kind.name) for kind in RULESET.orders
        }
        self.universe.resources = {
            each.id: tp.Resource(id=each.id, singular_name=each.name) for each in RULESET.resources
        }
        for oid, shown in view(RULESET, state.world, seat).items():
            kind = RULESET.kinds[shown.kind]
            names = [(group.name, name) for group in kind.groups for name, _ in group.fields]
            self.universe.objects[oid] = SpaceObject(
                oid,
                0,
                kind.title,
                shown.name,
                shown.parent,
                (),
                0,
                shown.at,
                shown.size,
                NOBODY if shown.owner is None else shown.owner + 1,
                oid,
                MappingProxyType({row.resource: Amount(*row[1:]) for row in shown.resources}),
                numbers=MappingProxyType(dict(zip(names, shown.numbers, strict=True))),
            )
            if shown.owner == seat:
                kinds = [one() for one in RULESET.phase(state.phase).takes() if shown.kind in one.kinds]
                offered = [one.number for one in kinds if one.offered(state.world, seat, oid, shown)]
                self.universe.queues[oid] = tp.OrderQueue(id=oid, order_types=offered)

    async def order(self, queue: int, name: str, arguments: Mapping[str, Any]) -> tp.Order | RequestFailed:
        """Append an order."""
        try:
            change = insertion(RULESET, self.state, self.seat, queue, name, _written(arguments))
        except Refusal as refusal:
            self.refused.append(refusal.text)
            return RequestFailed(int(refusal.code), refusal.text, "OrderInsert")
        apply(self.state, change)
        self.accepted.append(change.order)
        return tp.Order(id=queue)

    async def probe(self, queue: int, name: str) -> tp.Order:
        """Ask what can be chosen."""
        kind = RULESET.order_type(name)
        assert kind is not None
        lists = [each for each, param in kind.params.items() if isinstance(param, Selection)]
        probe(RULESET, self.state, self.seat, queue, name, {each: [] for each in lists})
        plan = self.state.plan(self.seat)
        offers = [[(one.id, one.name) for one in kind.choices(plan, queue, each)] for each in lists]
        return tp.Order(
            parameters=[
                tp.OrderParameter(
                    list=tp.OrderList(
                        possible_selections=[tp.PossibleSelection(id=number, name=name) for number, name in offer]
                    )
                )
                for offer in offers
            ]
        )


def _written(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: [[one, 1] for one in value] if isinstance(value, list) else value for name, value in arguments.items()
    }


def attend(state: State[Any], seat: int, seed: str) -> Seen:
    """Let a bot play its part of a turn."""
    turn = Seen(state, seat, seed)
    asyncio.run(AntshousePolicy().give_orders(turn))
    return turn


def opened(seed: int, seats: int = 2, **options: Any) -> State[Any]:
    return opening(RULESET, parse_options(RULESET.options, options), seats, str(seed).encode()).state


def placed(*squares: str, cones: tuple[str, ...] = (), turned: tuple[int, ...] = ()) -> State[Any]:
    """Return a game with the ants at these squares, planning."""
    state = opened(0, len(squares))
    for seat, (player, name) in enumerate(zip(state.world.players, squares, strict=True)):
        player.ant = number(name)
        player.turned = seat in turned
    state.world.cones = {number(name): 0 for name in cones}
    state.world.round = 1
    state.phase = "plan"
    return state


def number(name: str) -> int:
    return 8 * (int(name[1]) - 1) + "abcdefgh".index(name[0])


@pytest.mark.parametrize(("seats", "seed"), [(2, 1), (3, 2), (4, 3)])
@pytest.mark.parametrize("layout", ["sides", "corners"])
def test_bots_play_to_the_end_without_a_refusal(seats, seed, layout):
    """All phases get their orders, and none is refused, with any number of players and in both layouts."""
    state = opened(seed, seats, layout=layout, goal="there", max_rounds=40)
    while not state.over:
        for seat in RULESET.phase(state.phase).active(state.world):
            turn = attend(state, seat, f"{seed}/{state.turn}/{seat}")
            assert turn.refused == []
            assert len(turn.accepted) >= 1
        state = advance(RULESET, state, str(seed).encode()).state
    assert state.world.winners or state.world.round == 40


def test_bots_get_home():
    """They win by the whole way there and back, long before the limit."""
    state = opened(4)
    while not state.over:
        for seat in RULESET.phase(state.phase).active(state.world):
            attend(state, seat, f"{state.turn}/{seat}")
        state = advance(RULESET, state, b"4").state
    assert state.world.winners
    assert state.world.round < 100


def test_the_board_is_read_from_objects():
    """Squares, cones, ants with the way they go, and homes by where the kids sit."""
    state = placed("d4", "d6", "a1", cones=("e4", "h8"), turned=(1,))
    state.world.players[2].ant = -1
    board = read_board(Seen(state, 0, "").universe)
    assert board.squares[3, 3] == state.world.system(number("d4"))
    assert len(board.squares) == 64
    assert board.cones == {(4, 3), (7, 7)}
    assert board.ants == {1: (3, 3), 2: (3, 5)}
    assert board.turned == {2}
    assert board.homes == {1: Edge(None, 0), 2: Edge(None, 7), 3: Edge(0, None)}
    corners = read_board(Seen(opened(0, 4, layout="corners"), 0, "").universe)
    assert corners.homes == {1: Edge(0, 0), 2: Edge(7, 7), 3: Edge(7, 0), 4: Edge(0, 7)}


def test_goals_are_across_and_then_at_home():
    """The same distances as the rules have."""
    for layout in ("sides", "corners"):
        state = opened(0, 4, layout=layout)
        for player in state.world.players:
            player.ant = number("c4")
        for turned in (False, True):
            for player in state.world.players:
                player.turned = turned
            board = read_board(Seen(state, 0, "").universe)
            for square, (x, y) in [(8 * y + x, (x, y)) for x in range(8) for y in range(8)]:
                for seat in range(4):
                    assert board.to_goal(seat + 1, (x, y)) == state.world.to_goal(seat, square)


def test_ants_go_straight_around_cones_and_stay_only_where_they_must():
    """Of the steps that bring an ant nearer any may come first; without a step it stays."""
    firsts = set()
    for seed in range(40):
        state = placed("d4", "h8", cones=("d5",))
        (go,) = [order for order in attend(state, 0, str(seed)).accepted if order.type == "Go"]
        firsts.add(go.args["direction"][0][0])
    assert firsts == {NE, NW}
    state = placed("a1", "h8", cones=("a2", "b1", "b2"))
    (go,) = [order for order in attend(state, 0, "x").accepted if order.type == "Go"]
    assert go.args["direction"] == [[0, 1]]


def test_kids_aim_where_the_leader_may_step():
    """The one who is on the way home is the leader; what is thrown hits a square ahead of it."""
    targets = set()
    for seed in range(40):
        state = placed("d1", "h2", "b5", turned=(2,))
        thrown = [order for order in attend(state, 0, str(seed)).accepted if order.type == "Throw"]
        targets |= {state.world.square(order.args["target"]) for order in thrown}
    assert targets == {number("a4"), number("a5"), number("a6")}, "seat 2 goes home to the west"


def test_an_empty_pad_throws_nothing():
    """Weapons are those of which the pad has some."""
    for weapon in (1, 2, 3):
        state = placed("d1", "h2")
        state.world.players[0].pad = [0, *(int(one == weapon) for one in (1, 2, 3))]
        for seed in range(5):
            copy = State(state.world, "plan")
            thrown = [order for order in attend(copy, 0, str(seed)).accepted if order.type == "Throw"]
            assert all(order.args["weapon"] == [[weapon, 1]] for order in thrown)
    state.world.players[0].pad = [0, 0, 0, 0]
    assert [order.type for order in attend(State(state.world, "plan"), 0, "").accepted] == ["Go"]


def test_who_is_moved_and_where_to():
    """In a clash the other's ant goes back; hit by its own water the own ant goes on."""
    state = placed("d4", "d6")
    give = {0: {"direction": [[N, 1]], "gesture": [[2, 1]]}, 1: {"direction": [[S, 1]], "gesture": [[1, 1]]}}
    for seat, args in give.items():
        apply(state, insertion(RULESET, state, seat, state.world.ant(seat), "Go", args))
    throw = {"weapon": [[2, 1]], "target": state.world.system(number("d5"))}
    apply(state, insertion(RULESET, state, 0, state.world.kid(0), "Throw", throw))
    state = advance(RULESET, state, b"").state
    assert state.phase == "push"
    (push,) = attend(state, 0, "").accepted
    assert push.args["direction"][0][0] in (NE, N, NW), "away from row 1, where seat 1 goes"
    state = advance(RULESET, state, b"").state
    assert state.phase == "water"
    (flush,) = attend(state, 0, "").accepted
    assert flush.args["direction"][0][0] in (NE, N, NW), "nearer to row 8, where seat 0 goes"


def test_mover_and_after():
    """Where two ants share a square the other's is moved; steps go both ways."""
    board = Board({}, set(), {}, {1: (3, 4), 2: (3, 4), 3: (0, 0)}, set())
    assert mover(board, 1, (3, 4)) == 2
    assert mover(board, 3, (0, 0)) == 3
    assert after((3, 4), NE) == (4, 5)
    assert after(after((3, 4), SW), SW, -1) == (3, 4)


def test_the_bot_can_be_chosen_by_the_name_of_the_ruleset():
    """The server asks for a policy of the ruleset's name."""
    assert type(new_policy(RULESET.name)) is AntshousePolicy
