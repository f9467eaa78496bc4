"""Scores of each turn as it began, as each seat saw them.

They are stored separately from the worlds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, insert, select

from tpserver.store.games import rows as games
from tpserver.store.games.views import key_of
from tpserver.store.tables import encode, scores

Rows = Mapping[int, Mapping[str, int]]
"""Seat -> name of a figure -> number."""

LONGEST = 16 * 1024
"""Maximum bytes of the figures of a turn; larger ones are not stored."""

MOST_TURNS = 200
"""Maximum turns in one result."""

MOST_NUMBERS = 4096
"""Maximum figures of all turns in one result."""


class Line(NamedTuple):
    """One figure of one seat: ``numbers`` are those of the turns from position ``start`` on."""

    seat: int
    name: str
    start: int
    numbers: list[int]


@dataclass(frozen=True, slots=True)
class ScoreHistory:
    """The scores of a game: the ``turns``, in order, and their figures."""

    turns: list[int]
    lines: list[Line]


# Compiled once: building a statement takes longer than running it. The first runs in every turn of every game.
_INSERT = insert(scores)
_ENDS = select(func.min(scores.c.turn), func.max(scores.c.turn)).where(
    scores.c.game == bindparam("which_game"), scores.c.turn <= bindparam("last_turn")
)


def put(c: Connection, game: int, turn: int, told: Mapping[int | None, Rows]) -> None:
    """Add the scores that each seat (None: spectators) sees as a turn begins.

    Nothing is added if there are no scores, or too many. Raises sqlalchemy's IntegrityError if the turn has scores
    already.
    """
    public = told.get(None, {})
    packed = [[key_of(None), [[seat, list(row.items())] for seat, row in public.items()]]]
    for viewer, rows in told.items():
        if viewer is not None:  # only the differences from the public scores, mostly the own row
            seats = {**public, **rows}
            other = [[seat, list(rows.get(seat, {}).items())] for seat in seats if rows.get(seat) != public.get(seat)]
            packed.append([key_of(viewer), other])
    if any(rows for _, rows in packed) and len(encode(packed)) <= LONGEST:
        c.execute(_INSERT, [{"game": game, "turn": turn, "figures": packed}])


def until(c: Connection, game: int, seat: int | None, last: int) -> ScoreHistory:
    """Return the scores up to a turn, as a seat (None: spectators) saw them.

    If the end of the game is in the store, the result has all scores that any seat saw. For each seat it prefers those
    that the seat itself saw. If there are too many turns, some are left out, evenly.
    """
    row = games.by_id(c, game)
    is_over = row is not None and row.state == "over"
    first, end = c.execute(_ENDS, {"which_game": game, "last_turn": last}).one()
    if first is None:
        return ScoreHistory([], [])
    turns = scores.c.turn.in_(spread(first, end, MOST_TURNS))
    query = select(scores.c.turn, scores.c.figures).where(scores.c.game == game, turns).order_by(scores.c.turn)
    told = [(turn, _seen(figures, seat, is_over)) for turn, figures in c.execute(query)]
    width = max(1, max(sum(map(len, rows.values())) for _, rows in told))
    kept = spread(0, len(told) - 1, max(2, MOST_NUMBERS // width))
    told = [told[at] for at in kept]
    return ScoreHistory([turn for turn, _ in told], _lines([rows for _, rows in told]))


def spread(first: int, last: int, most: int) -> list[int]:
    """Return at most ``most`` (2 or more) whole numbers from ``first`` to ``last``, with both ends, evenly spread."""
    if last - first < most:
        return list(range(first, last + 1))
    return [first + (last - first) * step // (most - 1) for step in range(most)]


def _seen(figures: Sequence[Any], seat: int | None, is_over: bool) -> dict[int, dict[str, int]]:
    """Return the rows of a turn that a viewer may see."""
    told: dict[int, dict[int, dict[str, int]]]
    told = {viewer: {one: dict(row) for one, row in rows} for viewer, rows in figures}
    public = told.pop(key_of(None), {})
    if not is_over:
        return {**public, **told.get(key_of(seat), {})}
    found: dict[int, dict[str, int]] = {}
    seats = sorted({*public, *(one for rows in told.values() for one in rows)})
    for one in seats:
        found[one] = {}
        for rows in (told.get(one, {}), *told.values(), public):
            for name, number in rows.get(one, {}).items():
                found[one].setdefault(name, number)
    return found


def _lines(told: Sequence[Rows]) -> list[Line]:
    """Return the figures of turns by seat and name, in the order in which they were stored."""
    going: dict[tuple[int, str], Line] = {}
    lines: list[Line] = []
    for at, rows in enumerate(told):
        for seat, row in rows.items():
            for name, number in row.items():
                line = going.get((seat, name))
                if line is None or line.start + len(line.numbers) < at:
                    line = going[seat, name] = Line(seat, name, at, [])
                    lines.append(line)
                line.numbers.append(number)
    return sorted(lines, key=lambda line: line.seat)
