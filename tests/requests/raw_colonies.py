"""Ant colonies on raw sockets: three rounds of Swarm in TP03, and rounds of Antshouse with PUSH and WATER in TP04.

`python raw_colonies.py [swarm|antshouse]` starts a server of its own, plays, prints each frame sent and received as
`python -m tpproto dump` does, and then what happened.  What the players know they know from frames.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

from raw_session import Map, Player, dumped, end_turn, server, told

from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03, TP04

SEED = "colonies"
COLUMNS, ROWS = "abcdef", "123456"
ROUNDS = 3
PAPER, ROCK, WATER = "Paper", "Rock", "Water"


def object_at(number: int) -> tp.OrderParameter:
    return tp.OrderParameter(object=tp.OrderObject(object_id=number))


def insert(player: Player, queue: int, name: str, *parameters: tp.OrderParameter) -> tuple[str, Any]:
    """Give an order by its name, and return the one frame that answers."""
    otype = next(number for number, order in player.known.orders.items() if order.name == name)
    order = tp.Order(id=queue, slot=-1, otype=otype, parameters=parameters)
    (answer,) = player.say("order_insert", order)
    return answer


# --- Swarm ------------------------------------------------------------------------------------------------------------


def swarm(port: int, rows: list[dict[str, Any]]) -> list[str]:
    """Play three rounds; each cube steps towards the other side.  Returns a line for each turn and the last board."""
    players = [Player(name, TP03, port, rows) for name in ("ann", "ben")]
    lines: list[str] = []
    try:
        for player in players:
            player.enter()
        turn = 0
        while _round(players[0]) <= ROUNDS:
            view = Map(players[0])
            seat = next(seat for seat in (0, 1) if _amount(view, _hand(view, seat), ("movement", "cube to place")))
            queue, idle = _hand(view, seat).id, _hand(view, 1 - seat).id
            if _amount(view, _hand(view, seat), ("cube to place",)):
                what, order = "places", "Place Cube"
                given = [(tile,) for tile in _edge(view, seat)[:1]]
            else:
                what, order = "moves", "Move Cube"
                given = _steps(view, seat)
            for arguments in given:
                kind, message = insert(players[seat], queue, order, *map(object_at, arguments))
                assert kind == "okay", message
            one_more = insert(players[seat], queue, order, *map(object_at, given[0]))
            assert one_more[0] == "fail", "more than the dice allow"
            other = insert(players[1 - seat], idle, order, *map(object_at, given[0]))
            assert other[0] == "fail", "it is not that player's turn"
            turn += 1
            lines.append(f"turn {turn}, round {_round(players[0])}: {players[seat].name} {what} {len(given)}")
            end_turn(players, turn)
            after = Map(players[0])
            assert all(_is_there(after, arguments) for arguments in given)
        lines += _board(after)
        return lines
    finally:
        for player in players:
            player.socket.close()


def _round(player: Player) -> int:
    found = re.match(r"Round (\d+): ", told(player, "Dice"))
    assert found
    return int(found[1])


def _hand(view: Map, seat: int) -> Any:
    """Return the player's planet with the resource that clients look for."""
    return next(
        one for one in view.objects.values() if view.owner(one) == seat + 1 and "Home Planet" in view.on_planet(one)
    )


def _amount(view: Map, thing: Any, resources: tuple[str, ...]) -> int:
    return sum(int(row.stored) for row in thing.planet.resources if view.resources[row.id] in resources)


def _tiles(view: Map) -> dict[str, int]:
    return {one.name: one.id for one in view.objects.values() if len(one.name) == 2 and one.name[0] in COLUMNS}


def _is_there(view: Map, arguments: tuple[int, ...]) -> bool:
    """Whether the cube that was moved, or some cube that was placed, is on its tile."""
    *cube, tile = arguments
    return set(cube) <= set(view.objects[tile].contains) and tile in {at for at, _ in _cubes(view).values()}


def _edge(view: Map, seat: int) -> list[int]:
    """Return the free tiles of a player's edge."""
    taken = {tile for tile, _ in _cubes(view).values()}
    row = ROWS[0] if seat == 0 else ROWS[-1]
    return [number for name, number in _tiles(view).items() if name[1] == row and number not in taken]


def _cubes(view: Map) -> dict[int, tuple[int, int]]:
    """Return for the number of each cube its tile's number and its owner."""
    return {
        number: (tile.id, view.owner(view.objects[number]))
        for tile in view.objects.values()
        for number in tile.contains
        if view.owner(view.objects[number]) and view.ships(view.objects[number])
    }


def _steps(view: Map, seat: int) -> list[tuple[int, ...]]:
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


def _board(view: Map) -> list[str]:
    owners = dict(_cubes(view).values())
    tiles = _tiles(view)
    return [" ".join(".12"[owners.get(tiles[column + row], 0)] for column in COLUMNS) for row in reversed(ROWS)]


# --- Antshouse --------------------------------------------------------------------------------------------------------


def antshouse(port: int, rows: list[dict[str, Any]]) -> list[str]:
    """Let the ants walk up to each other; in round 4 they meet, and water hits.  Returns a line for each turn."""
    table = _Table([Player(name, TP04, port, rows) for name in ("ann", "ben")])
    try:
        for player in table.players:
            player.enter()
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
        return table.lines
    finally:
        for player in table.players:
            player.socket.close()


class _Table:
    """Two players, what they see, and the turns that they have played."""

    def __init__(self, players: list[Player]) -> None:
        self.players = players
        self.turn = 0
        self.lines: list[str] = []

    def mine(self, seat: int, fits: Callable[[Map, Any], bool]) -> tuple[Map, Any]:
        view = Map(self.players[seat])
        return view, next(one for one in view.objects.values() if view.owner(one) == seat + 1 and fits(view, one))

    def kid(self, seat: int) -> tuple[Map, Any]:
        return self.mine(seat, lambda view, one: "Home Planet" in view.on_planet(one))

    def ant(self, seat: int) -> tuple[Map, Any]:
        return self.mine(seat, lambda view, one: "Ant" in view.ships(one))

    def enter(self, squares: tuple[str, str]) -> None:
        for seat, square in enumerate(squares):
            view, kid = self.kid(seat)
            self.give(seat, kid.id, "Enter", object_at(_named(view, square).id))

    def go(self, seat: int, way: str, gesture: str = ROCK) -> None:
        _, ant = self.ant(seat)
        self.choose_in(seat, ant.id, "Go", (way, gesture))

    def throw(self, seat: int, weapon: str, square: str) -> None:
        view, kid = self.kid(seat)
        self.choose_in(seat, kid.id, "Throw", (weapon,), object_at(_named(view, square).id))

    def choose(self, seat: int, order: str, *words: str) -> None:
        self.choose_in(seat, self.kid(seat)[1].id, order, words)

    def choose_in(self, seat: int, queue: int, order: str, words: tuple[str, ...], *more: tp.OrderParameter) -> None:
        """Probe an order for what can be chosen, choose by the words that the choices begin with, and give it."""
        player = self.players[seat]
        otype = next(number for number, kind in player.known.orders.items() if kind.name == order)
        empty = [tp.OrderParameter(list=tp.OrderList()) for _ in words]
        asked = tp.Order(id=queue, slot=-1, otype=otype, parameters=[*empty, *more])
        ((answer, probed),) = player.say("order_probe", asked)
        assert answer == "order", probed
        chosen = []
        for word, parameter in zip(words, probed.parameters, strict=False):
            (number,) = [
                one.id for one in parameter.list.possible_selections if re.match(rf"{word}\b", one.name, re.IGNORECASE)
            ]
            chosen.append(tp.OrderParameter(list=tp.OrderList(selection=[tp.Selection(id=number, number=1)])))
        self.give(seat, queue, order, *chosen, *more)

    def give(self, seat: int, queue: int, order: str, *parameters: tp.OrderParameter) -> None:
        kind, message = insert(self.players[seat], queue, order, *parameters)
        assert kind == "order", message

    def refused(self, seat: int, order: str, words: tuple[str, ...]) -> bool:
        chosen = [tp.OrderParameter(list=tp.OrderList(selection=[tp.Selection(id=1, number=1)])) for _ in words]
        return insert(self.players[seat], self.kid(seat)[1].id, order, *chosen)[0] == "fail"

    def end(self, *squares: str) -> None:
        """End the turn; then the ants must be on these squares, whoever looks."""
        self.turn += 1
        title = self.title()
        end_turn(self.players, self.turn)
        for player in self.players:
            view = Map(player)
            for seat, square in enumerate(squares):
                inside = [view.objects[number] for number in _named(view, square).contains]
                assert any(view.owner(one) == seat + 1 and view.ships(one) for one in inside), (seat, square)
        self.lines.append(f"turn {self.turn}, {title}: the ants are on {' and '.join(squares)}")

    def title(self) -> str:
        """Return what the server calls the turn."""
        (left,) = self.players[0].things("get_time_remaining")
        return str(left.turn_name)


def _named(view: Map, name: str) -> Any:
    return next(one for one in view.objects.values() if one.name == name)


# --- both -------------------------------------------------------------------------------------------------------------

GAMES: dict[str, Callable[[int, list[dict[str, Any]]], list[str]]] = {"swarm": swarm, "antshouse": antshouse}


def session(game: str) -> tuple[list[str], list[str]]:
    """Play a game; return what happened, and the lines of the dump of all frames."""
    rows: list[dict[str, Any]] = []
    with server(game, (), SEED) as port:
        happened = GAMES[game](port, rows)
    return happened, dumped(rows)


def main(words: list[str]) -> int:
    if unknown := set(words) - set(GAMES):
        print(f"{', '.join(sorted(unknown))}: say one of {', '.join(GAMES)}", file=sys.stderr)
        return 2
    for game in words or GAMES:
        happened, lines = session(game)
        print(*lines, *happened, f"{game}: {len(lines)} frames", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
