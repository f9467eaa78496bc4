"""Swarm and Antshouse played by two clients from frames alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.requests.frame_players import View, end_turn, insert, order_type, players, told
from tests.support.server_in_memory import Client, Server, chosen, target
from tpproto import tp_pb2 as tp

SEED = "colonies"
COLUMNS, ROWS = "abcdef", "123456"
ROUNDS = 3
PAPER, ROCK, WATER = "Paper", "Rock", "Water"


# --- Swarm ------------------------------------------------------------------------------------------------------------


def test_three_rounds_of_swarm_in_tp03(server: Server):
    """Each cube steps towards the other side: no more than the dice allow, and only in its player's turn."""
    server.create("swarm", "swarm", 2, seed=SEED)
    both = players(server, "tp03")
    turn = moved = placed = 0
    while _round(both[0]) <= ROUNDS:
        view = View(both[0])
        seat = next(seat for seat in (0, 1) if _amount(view, _hand(view, seat), ("movement", "cube to place")))
        queue, idle = _hand(view, seat).id, _hand(view, 1 - seat).id
        if _amount(view, _hand(view, seat), ("cube to place",)):
            order, given = "Place Cube", [(tile,) for tile in _edge(view, seat)[:1]]
            placed += 1
        else:
            order, given = "Move Cube", _steps(view, seat)
            moved += len(given)
        for arguments in given:
            assert insert(both[seat], queue, order, *map(target, arguments)).name == "okay"
        one_more = insert(both[seat], queue, order, *map(target, given[0]))
        assert one_more.name == "fail", "more than the dice allow"
        other = insert(both[1 - seat], idle, order, *map(target, given[0]))
        assert other.name == "fail", "it is not that player's turn"
        turn += 1
        end_turn(both, turn)
        after = View(both[0])
        assert all(_is_there(after, arguments) for arguments in given)
    assert moved + placed >= ROUNDS


def _round(player: Client) -> int:
    found = re.match(r"Round (\d+): ", told(player, "Dice"))
    assert found
    return int(found[1])


def _hand(view: View, seat: int) -> Any:
    """Return the player's planet with the resource that clients look for."""
    return next(
        one for one in view.objects.values() if view.owner(one) == seat + 1 and "Home Planet" in view.on_planet(one)
    )


def _amount(view: View, thing: Any, resources: tuple[str, ...]) -> int:
    return sum(int(row.stored) for row in thing.planet.resources if view.resources[row.id] in resources)


def _tiles(view: View) -> dict[str, int]:
    return {one.name: one.id for one in view.objects.values() if len(one.name) == 2 and one.name[0] in COLUMNS}


def _is_there(view: View, arguments: tuple[int, ...]) -> bool:
    """Return True if the moved cube, or any placed cube, is on its tile."""
    *cube, tile = arguments
    return set(cube) <= set(view.objects[tile].contains) and tile in {at for at, _ in _cubes(view).values()}


def _edge(view: View, seat: int) -> list[int]:
    """Return the free tiles of a player's edge."""
    taken = {tile for tile, _ in _cubes(view).values()}
    row = ROWS[0] if seat == 0 else ROWS[-1]
    return [number for name, number in _tiles(view).items() if name[1] == row and number not in taken]


def _cubes(view: View) -> dict[int, tuple[int, int]]:
    """Return for the number of each cube its tile's number and its owner."""
    return {
        number: (tile.id, view.owner(view.objects[number]))
        for tile in view.objects.values()
        for number in tile.contains
        if view.owner(view.objects[number]) and view.ships(view.objects[number])
    }


def _steps(view: View, seat: int) -> list[tuple[int, ...]]:
    """Return as many steps as the die allows, each of another cube to the tile before it."""
    tiles = _tiles(view)
    names = {number: name for name, number in tiles.items()}
    taken = {tile for tile, _ in _cubes(view).values()}
    steps = []
    for cube, (tile, owner) in sorted(_cubes(view).items()):
        ahead = f"{names[tile][0]}{int(names[tile][1]) + (1 if seat == 0 else -1)}"
        if owner == seat + 1 and tiles.get(ahead, tile) not in taken:
            steps.append((cube, tiles[ahead]))
    return steps[: _amount(view, _hand(view, seat), ("movement",))]


# --- Antshouse --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["tp03", "tp04"])
def test_rounds_of_antshouse(server: Server, dialect: str):
    """The ants walk up to each other; in round 4 they meet, one pushes, and water hits."""
    server.create("antshouse", "antshouse", 2, seed=SEED)
    table = _Ants(players(server, dialect))
    table.enter(("d1", "e8"))
    table.end("d1", "e8")
    for ways, squares in (
        (("N", "S"), ("d2", "e7")),
        (("N", "S"), ("d3", "e6")),
        (("N", "W"), ("d4", "d6")),
    ):
        for seat, way in enumerate(ways):
            table.go(seat, way)
        table.end(*squares)
    # Paper covers rock on d5, so the first player pushes; then its water comes down where the other is pushed to.
    table.go(0, "N", PAPER)
    table.throw(0, WATER, "d6")
    table.go(1, "S", ROCK)
    table.end("d5", "d5")
    assert table.refused(1, "Push", ("N",)), "the winner pushes, nobody else"
    table.choose(0, "Push", "N")
    table.end("d4", "d6")  # the splash has pushed the thrower's own ant back
    table.choose(0, "Flush", "NE")
    table.end("d4", "e7")


class _Ants:
    """Two players, what they see, and the turns that they have played."""

    def __init__(self, players: list[Client]) -> None:
        self.players = players
        self.turn = 0

    def mine(self, seat: int, fits: Callable[[View, Any], bool]) -> tuple[View, Any]:
        view = View(self.players[seat])
        return view, next(one for one in view.objects.values() if view.owner(one) == seat + 1 and fits(view, one))

    def kid(self, seat: int) -> tuple[View, Any]:
        return self.mine(seat, lambda view, one: "Home Planet" in view.on_planet(one))

    def ant(self, seat: int) -> tuple[View, Any]:
        return self.mine(seat, lambda view, one: "Ant" in view.ships(one))

    def enter(self, squares: tuple[str, str]) -> None:
        for seat, square in enumerate(squares):
            view, kid = self.kid(seat)
            self.give(seat, kid.id, "Enter", target(view.named(square).id))

    def go(self, seat: int, way: str, gesture: str = ROCK) -> None:
        _, ant = self.ant(seat)
        self.choose_in(seat, ant.id, "Go", (way, gesture))

    def throw(self, seat: int, weapon: str, square: str) -> None:
        view, kid = self.kid(seat)
        self.choose_in(seat, kid.id, "Throw", (weapon,), target(view.named(square).id))

    def choose(self, seat: int, order: str, *words: str) -> None:
        self.choose_in(seat, self.kid(seat)[1].id, order, words)

    def choose_in(self, seat: int, queue: int, order: str, words: tuple[str, ...], *more: tp.OrderParameter) -> None:
        """Probe an order for what can be chosen, choose by the words that the choices begin with, and give it."""
        player = self.players[seat]
        empty = [chosen() for _ in words]
        probed = player.probe(queue, order_type(player, order), *empty, *more).message
        picked = []
        for word, parameter in zip(words, probed.parameters, strict=False):
            (number,) = [
                one.id for one in parameter.list.possible_selections if re.match(rf"{word}\b", one.name, re.IGNORECASE)
            ]
            picked.append(chosen((number, 1)))
        self.give(seat, queue, order, *picked, *more)

    def give(self, seat: int, queue: int, order: str, *parameters: tp.OrderParameter) -> None:
        answer = insert(self.players[seat], queue, order, *parameters)
        assert answer.name == ("okay" if self.players[seat].classic else "order"), answer

    def refused(self, seat: int, order: str, words: tuple[str, ...]) -> bool:
        picked = [chosen((1, 1)) for _ in words]
        return insert(self.players[seat], self.kid(seat)[1].id, order, *picked).name == "fail"

    def end(self, *squares: str) -> None:
        """End the turn, and check that every player sees the ants on these squares."""
        self.turn += 1
        end_turn(self.players, self.turn)
        for player in self.players:
            view = View(player)
            for seat, square in enumerate(squares):
                inside = [view.objects[number] for number in view.named(square).contains]
                assert any(view.owner(one) == seat + 1 and view.ships(one) for one in inside), (seat, square)
