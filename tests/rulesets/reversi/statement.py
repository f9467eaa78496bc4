"""The rules of Reversi a second time, written from PLAY.md: a position is eight lines of text.

"X" and "O" are the discs of the two players, "." is an empty square. The first line is row 1.
"""

from __future__ import annotations

OPENING = ("........", "........", "........", "...OX...", "...XO...", "........", "........", "........")
SIGNS = "XO"


def disc_at(rows: tuple[str, ...], column: int, row: int) -> str:
    """Return the sign on a square, and a blank beyond the edge."""
    return rows[row][column] if 0 <= row < 8 and 0 <= column < 8 else " "


def turned(rows: tuple[str, ...], mine: str, column: int, row: int) -> set[tuple[int, int]]:
    """Return the squares of the discs that a new disc encloses, in all directions."""
    theirs = SIGNS.replace(mine, "")
    found: set[tuple[int, int]] = set()
    if disc_at(rows, column, row) != ".":
        return found
    for right in (-1, 0, 1):
        for down in (-1, 0, 1):
            ray = [(column + right * step, row + down * step) for step in range(1, 8)]
            text = "".join(disc_at(rows, *square) for square in ray)
            length = len(text) - len(text.lstrip(theirs))
            if text[length : length + 1] == mine:
                found.update(ray[:length])
    return found


def legal(rows: tuple[str, ...], mine: str) -> set[str]:
    """Return the names of the squares on which a player may place a disc."""
    return {name(column, row) for row in range(8) for column in range(8) if turned(rows, mine, column, row)}


def placed(rows: tuple[str, ...], mine: str, square: str) -> tuple[str, ...]:
    """Return the position after a disc on a square."""
    column, row = "abcdefgh".index(square[0]), int(square[1]) - 1
    changed = turned(rows, mine, column, row) | {(column, row)}
    return tuple("".join(mine if (x, y) in changed else disc_at(rows, x, y) for x in range(8)) for y in range(8))


def next_player(rows: tuple[str, ...], mover: str) -> str:
    """Return who moves after ``mover``, or a blank if the game is over."""
    other = SIGNS.replace(mover, "")
    return other if legal(rows, other) else mover if legal(rows, mover) else " "


def name(column: int, row: int) -> str:
    return "abcdefgh"[column] + str(row + 1)
