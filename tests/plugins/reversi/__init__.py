"""Reversi: two players enclose each other's discs on a board of eight by eight squares."""

from dataclasses import dataclass
from functools import lru_cache

from tprules import api
from tprules.kit.seats import places

SIDE, TO, EMPTY = 8, "to", -1
BOARD = 1  # the numbers of the objects; 0 is the universe
SQUARES = range(2, 2 + SIDE * SIDE)
DISCS = range(SQUARES.stop, SQUARES.stop + SIDE * SIDE)
HANDS = range(DISCS.stop, DISCS.stop + 2)
CORNERS = (0, SIDE - 1, SIDE * SIDE - SIDE, SIDE * SIDE - 1)


@dataclass(slots=True)
class World:
    squares: list[int]  # row by row from the top: the seat whose disc lies there, or EMPTY
    mover: int = 0  # EMPTY: neither player can move


def name_of(square: int) -> str:
    return f"{'abcdefgh'[square % SIDE]}{square // SIDE + 1}"


@lru_cache(maxsize=SIDE * SIDE)
def lines_from(square: int) -> list[list[int]]:
    """Return the squares that lie in each of the eight directions, the nearest first."""
    lines = []
    for dy, dx in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
        line, y, x = [], square // SIDE + dy, square % SIDE + dx
        while y in range(SIDE) and x in range(SIDE):
            line.append(y * SIDE + x)
            y, x = y + dy, x + dx
        lines.append(line)
    return lines


def enclosed(squares: list[int], seat: int, square: int) -> list[int]:
    """Return the discs that a new disc of a seat turns over; without any, it may not be placed."""
    found: list[int] = []
    for line in lines_from(square) if squares[square] == EMPTY else ():
        for length, other in enumerate(line):
            if squares[other] == seat:
                found += line[:length]
            if squares[other] != 1 - seat:
                break
    return found


def moves(squares: list[int], seat: int) -> list[int]:
    return [square for square in range(SIDE * SIDE) if enclosed(squares, seat, square)]


def placed(squares: list[int], seat: int, square: int) -> list[int]:
    """Return the squares after a new disc of a seat."""
    changed = {square, *enclosed(squares, seat, square)}
    return [seat if other in changed else disc for other, disc in enumerate(squares)]


def counts(world: World) -> dict[int, dict[str, int]]:
    return {seat: {"Discs": world.squares.count(seat)} for seat in range(2)}


class Place(api.OrderType[World]):
    number, name, help, kinds = 1, "Place", "Place a disc so that it encloses discs of the other player", ("hand",)
    params = {TO: api.ObjectRef("Where to", ("square",))}
    words = api.OrderWords("Place", "Place a disc on {to}", {TO: "square"})

    def check(self, plan: api.Plan[World], order: api.Order) -> None:
        to = order.args[TO]
        if to not in SQUARES or not enclosed(plan.world.squares, plan.seat, to - SQUARES.start):
            raise api.Refusal(api.Code.UNAVAILABLE_TEMPORARILY, "encloses", "A disc there encloses nothing.", TO)


def place(turn: api.Turn[World]) -> None:
    """Place the disc; the mover of a turn without an order gets the first legal move."""
    world, seat = turn.world, turn.world.mover
    given = [order.args[TO] - SQUARES.start for order in turn.take_orders()]
    square = given[0] if given else moves(world.squares, seat)[0]
    turned = len(enclosed(world.squares, seat, square))
    world.squares = placed(world.squares, seat, square)
    world.mover = next((one for one in (1 - seat, seat) if moves(world.squares, one)), EMPTY)
    turn.report(None, f"{api.player(seat)}: {name_of(square)}", f"{turned} turned over.", (SQUARES[square],))
    if world.mover == seat:
        turn.report(None, "Pass", f"{api.player(1 - seat)} has no move.")


class Reversi(api.Ruleset[World]):
    name, title, help = "reversi", "Reversi", "Enclose the other player's discs to turn them over, and have the most"
    world, version, seats, orders = World, 1, range(2, 3), (Place,)
    phases = (
        api.Phase[World](
            name="place",
            active=lambda world: [] if world.mover == EMPTY else [world.mover],
            orders=(Place,),
            stages=(place,),
            next_phase=lambda world: "place",
            ends_after="each",
        ),
    )
    kinds = {
        "universe": api.Kind(api.Role.UNIVERSE, "Universe"),
        "board": api.Kind(api.Role.GALAXY, "Board"),
        "square": api.Kind(api.Role.STAR_SYSTEM, "Square"),
        "disc": api.Kind(api.Role.PLANET, "Disc"),
        "hand": api.Kind(api.Role.PLANET, "Hand", "Takes the orders of its player"),
    }

    def setup(self, options: object, seats: int, dice: api.Dice) -> World:
        squares = [EMPTY] * (SIDE * SIDE)
        squares[27] = squares[36] = 1  # d4, e5
        squares[28] = squares[35] = 0  # e4, d5
        return World(squares)

    def sight(self, world: World, seat: api.Seat | None) -> dict[api.Oid, str]:
        discs = [DISCS[square] for square in range(SIDE * SIDE) if world.squares[square] != EMPTY]
        return dict.fromkeys((0, BOARD, *SQUARES, *discs, *HANDS), "all")

    def show(self, world: World, oid: api.Oid, level: str) -> api.Shown:
        if oid <= BOARD:
            return api.Shown(*(("universe", "The Universe"), ("board", "The Board"))[oid])
        if oid in HANDS:
            seat = oid - HANDS.start
            return api.Shown("hand", f"Hand of {api.player(seat)}", BOARD, (0, 9000 - 11000 * seat, 0), owner=seat)
        square = (oid - SQUARES.start) % (SIDE * SIDE)
        at = (1000 * (square % SIDE), 1000 * (SIDE - 1 - square // SIDE), 0)
        if oid in SQUARES:
            return api.Shown("square", name_of(square), BOARD, at, 1000)
        return api.Shown("disc", f"Disc on {name_of(square)}", SQUARES[square], at, owner=world.squares[square])

    def scores(self, world: World, seat: api.Seat | None) -> dict[api.Seat, dict[str, int]]:
        return counts(world)

    def outcome(self, world: World) -> api.Outcome | None:
        if world.mover != EMPTY:
            return None
        found = counts(world)
        return api.Outcome(places({seat: found[seat]["Discs"] for seat in found}), "neither can move", found)

    def bot(self, turn: api.BotTurn[World]) -> None:
        """Take a corner if there is one, else leave the other player as few moves as possible."""
        squares, seat = turn.world.squares, turn.seat

        def rank(order: api.Order) -> tuple[bool, int]:
            square = order.args[TO] - SQUARES.start
            return square not in CORNERS, len(moves(placed(squares, seat, square), 1 - seat))

        turn.give(min(turn.legal_orders(), key=rank))


RULESET = Reversi()
