"""The Swarm bot, on the real rules: it sees what the wire shows, and the rules' own intake answers its orders."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from tpclient.bots.policies import new_policy
from tpclient.bots.swarm import MOST_REFUSALS, Board, SwarmPolicy, read_board
from tpclient.errors import RequestFailed
from tpclient.objects import NOBODY, Amount, SpaceObject
from tpclient.universe import Universe
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import TP04
from tprules.api import Refusal, parse_options
from tprules.api.advance import advance, opening
from tprules.api.order_checks import State, apply, insertion
from tprules.swarm import RULESET
from tprules.testing import view


class Seen:
    """One turn as a bot meets it: the universe of a seat, and orders that go to the rules."""

    def __init__(self, state: State[Any], seat: int, seed: str) -> None:
        self.state, self.seat = state, seat
        self.chance = random.Random(seed)
        self.accepted: list[Mapping[str, int]] = []
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
            self.universe.objects[oid] = SpaceObject(
                oid,
                0,
                RULESET.kinds[shown.kind].title,
                shown.name,
                shown.parent,
                (),
                0,
                shown.at,
                shown.size,
                NOBODY if shown.owner is None else shown.owner + 1,
                oid,
                MappingProxyType({row.resource: Amount(*row[1:]) for row in shown.resources}),
            )
            if shown.kind == "swarm" and shown.owner == seat:
                taken = [kind.number for kind in RULESET.phase(state.phase).takes()]
                self.universe.queues[oid] = tp.OrderQueue(id=oid, order_types=taken)

    async def order(self, queue: int, name: str, arguments: Mapping[str, int]) -> tp.Order | RequestFailed:
        """Append an order."""
        try:
            apply(self.state, insertion(RULESET, self.state, self.seat, queue, name, arguments))
        except Refusal as refusal:
            self.refused.append(refusal.text)
            return RequestFailed(int(refusal.code), refusal.text, "OrderInsert")
        self.accepted.append(arguments)
        return tp.Order(id=queue)


def attend(state: State[Any], seed: str) -> Seen:
    """Let a bot play the turn of the seat that is awaited."""
    (seat,) = RULESET.phase(state.phase).active(state.world)
    turn = Seen(state, seat, seed)
    asyncio.run(SwarmPolicy().give_orders(turn))
    return turn


def opened(seed: int, **options: Any) -> State[Any]:
    return opening(RULESET, parse_options(RULESET.options, options), 2, str(seed).encode()).state


@pytest.mark.parametrize("seed", range(6))
def test_two_bots_play_to_the_end_with_hardly_a_refusal(seed):
    """Every step and every placement is ordered; nothing is left to the default."""
    state = opened(seed)
    refused = turns = 0
    while not state.over:
        turn = attend(state, f"{seed}/{turns}")
        wanted = state.world.movement if state.phase == "move" else 1
        state = advance(RULESET, state, str(seed).encode()).state
        turns += 1
        refused += len(turn.refused)
        assert len(turn.accepted) == wanted or state.over
    assert refused <= turns // 10


def test_a_bot_that_does_not_know_the_options_gives_up_in_time():
    """Without diagonals and chains it is refused now and then; what is missing is done for it."""
    state = opened(3, diagonal_moves="off", chain_swarm="off")
    for number in range(12):
        turn = attend(state, str(number))
        assert len(turn.refused) <= MOST_REFUSALS
        state = advance(RULESET, state, b"3").state


def test_the_board_is_read_from_objects():
    """Tiles, cubes of both, and on which side we sit."""
    state = opened(1)
    for seat, edge in ((0, 0), (1, 5)):
        turn = Seen(state, seat, "")
        board = read_board(turn.universe, turn.universe.objects[state.world.swarm(seat)])
        assert len(board.tiles) == 36
        assert board.edge == edge
        assert set(board.own) == {(x, edge) for x in range(6)}
        assert board.enemy == {(x, 5 - edge) for x in range(6)}
        assert board.tiles[2, 1] == state.world.system(8)


def _board(own: set[tuple[int, int]], enemy: set[tuple[int, int]]) -> Board:
    tiles = {(x, y): 100 + 6 * y + x for x in range(6) for y in range(6)}
    return Board(tiles, 0, {square: 1000 + number for number, square in enumerate(sorted(own))}, enemy)


def test_a_captured_cube_is_named_by_its_tile_and_captures():
    """As in vector T7 of the page."""
    after = _board({(1, 2), (3, 1), (2, 4)}, {(2, 2), (2, 3), (0, 5)}).after((3, 2), (3, 1))
    assert set(after.own) == {(1, 2), (2, 2), (2, 3), (2, 4), (3, 2)}
    assert after.enemy == {(0, 5)}
    assert after.own[2, 2] == after.tiles[2, 2]


def test_the_last_step_ends_on_no_start_tile():
    """Neither by going back nor by leaving another cube on one."""
    board = _board({(2, 2), (5, 5)}, set()).after((2, 3), (2, 2))
    assert ((2, 3), (2, 2)) in set(board.steps(is_last=False))
    assert ((2, 3), (2, 2)) not in set(board.steps(is_last=True))
    back = board.after((2, 2), (2, 3))
    assert {origin for origin, _ in back.steps(is_last=True)} == {(2, 2)}


def test_captures_are_worth_most():
    """Page, 11: more cubes than the enemy go before all else."""
    board = _board({(1, 2), (3, 1), (0, 0)}, {(2, 2), (0, 5), (5, 5)})
    best = max(board.steps(is_last=True), key=lambda step: board.after(step[1], step[0]).worth())
    assert best == ((3, 1), (3, 2))


def test_the_bot_can_be_chosen_by_the_name_of_the_ruleset():
    """The server asks for a policy of the ruleset's name."""
    assert type(new_policy(RULESET.name)) is SwarmPolicy
