"""Reversi: two players enclose each other's discs on a board of eight by eight squares."""

from dataclasses import dataclass
from functools import lru_cache

from tprules import api

SIDE, TO, EMPTY = 8, "to", -1
BOARD = 0  # the numbers of the objects
SQUARES = range(1, 1 + SIDE * SIDE)
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


class Place(api.OrderType):
    help, kinds = "Place a disc so that it encloses discs of the other player", ("hand",)
    params = {TO: api.ObjectRef("Where to", ("square",))}

    def check(self, plan, order):
        world, to = plan.world, order.args[TO]
        if to not in SQUARES or not enclosed(world.squares, world.mover, to - SQUARES.start):
            raise api.Refusal("A disc there encloses nothing.", TO)


def place(turn):
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
    name, help = "reversi", "Enclose the other player's discs to turn them over, and have the most"
    seats = range(2, 3)
    phases = (
        api.Phase(
            name="place",
            active=lambda world: [] if world.mover == EMPTY else [world.mover],
            orders=(Place,),
            stages=(place,),
            ends_after="each",
        ),
    )
    kinds = {
        "board": api.Kind(api.Role.UNIVERSE, "Board"),
        "square": api.Kind(api.Role.STAR_SYSTEM, "Square"),
        "disc": api.Kind(api.Role.PLANET, "Disc"),
        "hand": api.Kind(api.Role.PLANET, "Hand", "Takes the orders of its player"),
    }

    def setup(self, options, seats, dice):
        squares = [EMPTY] * (SIDE * SIDE)
        squares[27] = squares[36] = 1  # d4, e5
        squares[28] = squares[35] = 0  # e4, d5
        return World(squares)

    def sight(self, world, seat):
        discs = [DISCS[square] for square in range(SIDE * SIDE) if world.squares[square] != EMPTY]
        return dict.fromkeys((BOARD, *SQUARES, *discs, *HANDS), "all")

    def show(self, world, oid, level):
        if oid == BOARD:
            return api.Shown("board", "The Board")
        if oid in HANDS:
            seat = oid - HANDS.start
            return api.Shown("hand", f"Hand of {api.player(seat)}", BOARD, (0, 9000 - 11000 * seat, 0), owner=seat)
        square = (oid - SQUARES.start) % (SIDE * SIDE)
        at = (1000 * (square % SIDE), 1000 * (SIDE - 1 - square // SIDE), 0)
        if oid in SQUARES:
            return api.Shown("square", name_of(square), BOARD, at, 1000)
        return api.Shown("disc", f"Disc on {name_of(square)}", SQUARES[square], at, owner=world.squares[square])

    def scores(self, world, seat):
        return {seat: {"Discs": world.squares.count(seat)} for seat in range(2)}

    def outcome(self, world):
        if world.mover != EMPTY:
            return None
        discs = [world.squares.count(seat) for seat in range(2)]
        places = {seat: 1 if discs[seat] == max(discs) else 2 for seat in range(2)}
        return api.Outcome(places, "neither can move", self.scores(world, None))

    def bot(self, turn):
        """Take a corner if there is one, else leave the other player as few moves as possible."""
        squares, seat = turn.world.squares, turn.world.mover

        def rank(order):
            square = order.args[TO] - SQUARES.start
            return square not in CORNERS, len(moves(placed(squares, seat, square), 1 - seat))

        turn.give(min(turn.legal_orders(), key=rank))


RULESET = Reversi()
