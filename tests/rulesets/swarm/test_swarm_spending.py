"""Steps that can be spent, compared with another statement of R15 and R16.

The statement tries everything.
"""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from tprules.swarm.board import Position, Settings, completable, leaves_rest, movement

Tile = tuple[int, int]
"""File and rank, from 0."""

STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""North, east, south, west: so pairs are looked for (R40)."""
ALL_WAYS = (*STRAIGHT, (1, 1), (1, -1), (-1, -1), (-1, 1))


class Table:
    """A board of named cubes: own ones are numbers, with where each began; an enemy's is just a tile."""

    def __init__(self, own: dict[Tile, int], enemy: set[Tile], starts: dict[int, Tile], moved: set[int]) -> None:
        self.own, self.enemy, self.starts, self.moved = dict(own), set(enemy), dict(starts), set(moved)
        self.won = False

    def steps(self, variant: Settings) -> Iterator[tuple[Tile, Tile]]:
        for x, y in sorted(self.own):
            for dx, dy in ALL_WAYS if variant.diagonal_moves else STRAIGHT:
                to = (x + dx, y + dy)
                if to[0] in range(6) and to[1] in range(6) and to not in self.own and to not in self.enemy:
                    yield (x, y), to

    def after(self, step: tuple[Tile, Tile], variant: Settings) -> Table:
        """R8, R22 to R27, R39 to R41."""
        table = Table(self.own, self.enemy, self.starts, self.moved)
        cube = table.own.pop(step[0])
        table.own[step[1]] = cube
        table.moved.add(cube)
        triggers = [step[1]]
        while triggers and not table.won:
            x, y = triggers.pop(0)
            for dx, dy in STRAIGHT:
                between, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if between in table.enemy and far in table.own:
                    table.enemy.remove(between)
                    new = len(table.starts)
                    table.own[between], table.starts[new] = new, between
                    if variant.chain_swarm:
                        triggers.append(between)
                    if len(table.own) >= variant.cubes_total or len(table.enemy) <= 1:
                        table.won = True
                        break
        return table

    def ends_well(self) -> bool:
        """R16."""
        return not any(tile == self.starts[cube] for tile, cube in self.own.items() if cube in self.moved)


def can_spend(table: Table, left: int, variant: Settings) -> bool:
    """R15: exactly so many steps with a legal end, or a win on the way."""
    if table.won:
        return True
    if not left:
        return table.ends_well()
    return any(can_spend(table.after(step, variant), left - 1, variant) for step in table.steps(variant))


@st.composite
def tables(draw: st.DrawFn) -> tuple[Table, Settings, Position]:
    """Draw a table with a few cubes near each other.

    Some cubes have moved, most of these back to their start. Often one capture is missing for a win.
    """
    tiles = st.tuples(st.integers(0, 3), st.integers(0, 2))
    places = draw(st.lists(tiles, min_size=4, max_size=9, unique=True))
    count = draw(st.integers(2, min(4, len(places) - 2)))
    own = {tile: cube for cube, tile in enumerate(places[:count])}
    starts = {cube: tile for tile, cube in own.items()}
    moved = draw(st.sets(st.sampled_from(range(count)), max_size=3))
    for cube in sorted(moved):
        if draw(st.integers(0, 3)) == 3:
            starts[cube] = draw(tiles)
    variant = Settings(
        cubes_total=draw(st.sampled_from((count + 1, count + 2, 20))),
        diagonal_moves=draw(st.booleans()),
        chain_swarm=draw(st.booleans()),
        double_limit=3,
        max_rounds=200,
    )
    enemy = places[count:][: draw(st.sampled_from((2, 2, 3, 4)))]
    position = Position(
        sum(1 << _square(tile) for tile in own),
        sum(1 << _square(tile) for tile in enemy),
        tuple(sorted((_square(tile), _square(starts[cube])) for tile, cube in own.items() if cube in moved)),
    )
    return Table(own, set(enemy), starts, moved), variant, position


def _square(tile: Tile) -> int:
    return 6 * tile[1] + tile[0]


@settings(max_examples=60)
@given(tables(), st.integers(0, 2))
def test_what_can_be_spent_is_what_trying_everything_finds(case: tuple[Table, Settings, Position], left: int):
    """In the middle of a movement, and so for each single step as well."""
    table, variant, position = case
    assert completable(position, left, variant) == can_spend(table, left, variant)
    for origin, target in table.steps(variant):
        allowed = left > 0 and can_spend(table.after((origin, target), variant), left - 1, variant)
        assert left == 0 or leaves_rest(position, _square(origin), _square(target), left - 1, variant) == allowed


@settings(max_examples=60)
@given(tables(), st.integers(0, 3))
def test_the_required_spend_is_the_most_that_can_be_spent(case: tuple[Table, Settings, Position], budget: int):
    """R15, R38: at the beginning of a movement."""
    table, variant, position = case
    table = Table(table.own, table.enemy, {cube: tile for tile, cube in table.own.items()}, set())
    most = next(count for count in range(budget, -1, -1) if can_spend(table, count, variant))
    assert movement(position._replace(moved=()), budget, variant) == most
