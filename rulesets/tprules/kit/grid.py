"""Rectangular boards: numbered squares, neighbors, connected groups, text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from functools import lru_cache

Square = int
"""The number of a square, y * width + x, so that the numbers follow the rows."""

Neighbours = tuple[tuple[Square, ...], ...]


@lru_cache(maxsize=64)
def orthogonal(width: int, height: int) -> Neighbours:
    """Return for each square of a ``width`` by ``height`` board the up to four squares beside it, in rising order."""
    return tuple(
        tuple(
            ny * width + nx
            for nx, ny in ((x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1))
            if 0 <= nx < width and 0 <= ny < height
        )
        for y in range(height)
        for x in range(width)
    )


def groups(squares: Iterable[Square], neighbours: Neighbours) -> list[list[Square]]:
    """Return the connected groups of ``squares``, ordered by their lowest square, which is the first of each group."""
    left = set(squares)
    found = []
    for start in sorted(left):
        if start not in left:
            continue
        left.discard(start)
        group = [start]
        for square in group:  # a flood fill: the list grows during the loop
            for beside in neighbours[square]:
                if beside in left:
                    left.discard(beside)
                    group.append(beside)
        found.append(group)
    return found


class DrawingError(ValueError):
    """A board drawn as text is not valid. The message names line and column, both counted from 1."""

    def __init__(self, what: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {what}")
        self.line = line
        self.column = column


def read_drawing(text: str, allowed: Container[str], most_columns: int, most_lines: int) -> list[str]:
    """Return the lines of a rectangular drawing, from first to last.

    Lines end with a line break. If the text is one line, with or without a line break at its end, ``/`` separates
    lines. Empty lines at the end are dropped. Raises DrawingError if the drawing is empty, or has lines of unequal
    length or a character that is not in ``allowed``. Also raises it if the drawing is larger than ``most_columns`` or
    ``most_lines``.
    """
    lines = _without_empty_end(text.splitlines())
    if len(lines) == 1:
        lines = _without_empty_end(lines[0].split("/"))
    if not lines or not lines[0]:
        raise DrawingError("the drawing is empty", 1, 1)
    width = len(lines[0])
    for number, line in enumerate(lines, 1):
        if number > most_lines:
            raise DrawingError(f"too many lines; at most {most_lines} are allowed", number, 1)
        for column, character in enumerate(line, 1):
            if column > most_columns:
                raise DrawingError(f"the line is too long; at most {most_columns} columns are allowed", number, column)
            if character not in allowed:
                raise DrawingError(f"unknown character {character!r}", number, column)
        if len(line) != width:
            place = min(len(line), width) + 1
            text = f"unequal length: {len(line)} characters, but the first line has {width}"
            raise DrawingError(text, number, place)
    return lines


def _without_empty_end(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def count(lines: Sequence[str], character: str) -> int:
    """Return the number of times that a character occurs in a drawing."""
    return Counter("".join(lines))[character]
