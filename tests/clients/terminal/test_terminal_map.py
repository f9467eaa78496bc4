"""The map in the terminal: cells, signs and paths.

The expected maps were worked out by hand from small positions.
"""

from collections.abc import Callable
from typing import Any

import pytest
from test_games import synthetic

from tests.support.memory_client import Served
from tests.support.workshop import PLACE
from tpclient.objects import SpaceObject
from tpclient.terminal.grid import lay_out, signs_of
from tpclient.terminal.side import Things
from tpclient.views import Icon, Path, Stop
from tpserver.rules.discovery import Rulesets

pytestmark = pytest.mark.thorough

FIRST = 2
"""The star system of TaE in the south-west."""


def icon(number: int, x: int, y: int, name: str = "") -> Icon:
    thing = SpaceObject(number, 2, "Star System", name, 1, (), 0, position=(x, y, 0))
    return Icon(thing, (), {}, ())


def test_squares_keep_their_distances() -> None:
    """A grid of pitch 1000 with an empty row between, and a home half a square beside the columns."""
    squares = [icon(10 + x, 1000 * x, 0, f"{x}, 0") for x in range(3)] + [
        icon(20, 0, 2000, "0, 2"),
        icon(21, 500, 5000),
    ]
    squares += [icon(22, 0, 1000, "0, 1")]
    grid = lay_out(squares)
    assert (grid.columns, grid.rows) == (3, 6)
    assert grid.places == {10: (0, 0), 11: (1, 0), 12: (2, 0), 22: (0, 1), 20: (0, 2), 21: (0, 5)}
    assert dict(grid.heads) == {0: "0", 1: "1", 2: "2"}
    assert dict(grid.sides) == {0: "0", 1: "1", 2: "2"}


def test_places_anywhere_go_by_rank() -> None:
    """Systems on no grid stand in the order of their coordinates, and no two in one cell."""
    points = [(7, 1_000_000), (8, 3), (5_000, 999), (-4, 12)]
    grid = lay_out([icon(number, *point) for number, point in enumerate(points, 1)])
    columns = {number: cell[0] for number, cell in grid.places.items()}
    rows = {number: cell[1] for number, cell in grid.places.items()}
    assert columns[4] <= columns[1] <= columns[2] <= columns[3]
    assert rows[2] <= rows[4] <= rows[3] <= rows[1]
    assert len(set(grid.places.values())) == 4
    assert grid.nearest(5_001, 990_000) == (columns[3], rows[1])


def test_one_place_for_several_systems() -> None:
    """Systems above each other share a cell."""
    grid = lay_out([icon(1, 5, 5), icon(2, 5, 5), icon(3, 6, 5)])
    assert [one.thing.id for one in grid.cells[0, 0]] == [1, 2]
    assert lay_out(()).columns == 0


def test_path_over_the_cells() -> None:
    """East by two, then north-east by one: arrows on the way, the orders' numbers at the stops."""
    grid = lay_out([icon(10 * y + x, x, y) for x in range(4) for y in range(3)])
    stops = (Stop(1, (0, 0, 0), 0, None), Stop(1, (2, 0, 0), 2, 0), Stop(1, (3, 1, 0), None, 1))
    thing = SpaceObject(99, 4, "Fleet", "", 0, (), 0)
    assert signs_of([Path(thing, stops)], grid, 1) == {(1, 0): "→", (2, 0): "1", (3, 1): "2"}
    assert signs_of([Path(thing, stops)], grid, 7) == {}


def test_both_views(tae: Served, play: Any) -> None:
    """First owners by shapes and kinds by letters, then the most common resource and its amount. All without color."""

    async def scene(player: Any) -> None:
        def drawn() -> list[str]:
            lines = player.text.splitlines()
            first = next(at for at, line in enumerate(lines) if line.startswith("The Fertile Galaxy")) + 1
            return [line[:18].rstrip() for line in lines[first : first + 5]]

        player.game_screen.go_to(FIRST)
        await player.press(*["minus"] * 5)  # the board is small, so the cells were large
        assert drawn() == ["2 AT  · AT  ·", "1  ·  U  ·  ·", "0[ ·] · AT  ·", "     ●C ▲C", "   0  1  2  3"]
        await player.press("v")
        assert "resources (v)" in player.text
        assert drawn() == ["2 A2  · A2  ·", "1  · U1  ·  ·", "0[ ·] · A2  ·", "     H1 H1", "   0  1  2  3"]
        await player.press("v", "plus", "plus", "plus")
        assert "Alien" in player.text  # words where there is room

    play(tae.address, scene)


def test_every_sign_is_in_the_legend(tae: Served, play: Any) -> None:
    """Each letter of the map once, also the second of a place; what does not fit is counted, and the help has it."""
    wanted = {
        "●": "ann (you)",
        "▲": "ben",
        "A": "Alien Artifact",
        "T": "Technological Advancement",
        "U": "Uninhabitable planet",
        "C": "MerchantLeaderShip",
        "O": "ColonistShip",
        "·": "nobody and nothing",
    }

    async def scene(player: Any) -> None:
        rows = [(sign.text, meaning) for sign, meaning in player.game_screen.signs()]
        assert len({text for text, _ in rows}) == len(rows)
        assert wanted.items() <= dict(rows).items()
        assert "no" not in dict(rows).values()  # there the resource is the sign
        await player.pilot.resize_terminal(80, 16)
        await player.sees("more signs: ?")
        await player.press("question_mark")
        told = [meaning for _, meaning in player.app.screen.legend]
        assert set(wanted.values()) <= set(told)
        await player.press("escape")
        await player.press("v")
        texts = [sign.text for sign, _ in player.game_screen.signs()]
        assert texts == ["U", "A", "T", "H", "&", "▁█", "·"]

    play(tae.address, scene, size=(160, 50))


def test_the_ground_under_the_cursor(workshop: Served, play: Any) -> None:
    """The panel names the ground, and the values of the object have the same words."""

    async def scene(player: Any) -> None:
        player.game_screen.go_to(PLACE)
        await player.sees("5, 3 ann water")
        side = player.game_screen.side
        side.query_one(Things).highlighted = [thing.id for thing in side.things].index(PLACE)
        await player.sees("Ground: water (4)")

    play(workshop.address, scene)


def test_system_under_the_cursor_as_bars(tae: Served, play: Any) -> None:
    """The resource view shows shares, the total and each resource. Ticks choose slices and leave the total."""

    async def scene(player: Any) -> None:
        screen = player.game_screen
        screen.go_to(FIRST)
        screen.map.go_to(
            next(one for one in screen.map.grid.places if screen.link.universe.objects[one].name == "2, 0")
        )
        await player.press("v")
        await player.sees("50% Alien")
        await player.sees("50% Techn")
        await player.sees("Total: 2")
        await player.press("t", "a")  # all of them
        player.app.screen.dismiss(frozenset({3}))
        await player.sees("100% Alien")
        await player.sees("Total: 2")
        assert "1 ticked" in player.text

    play(tae.address, scene)


@pytest.mark.thorough
def test_only_what_is_on_the_screen_is_drawn(make_served: Callable[..., Served], play: Any) -> None:
    """Ten thousand objects: no more cells are computed than fit on the screen, and moving far does not tire."""
    served = make_served(found=Rulesets({"synthetic": synthetic.RULESET}, {}))
    served.do(served.server.begin, "ann", ruleset="synthetic", options={"objects": 15_000})

    async def scene(player: Any) -> None:
        await player.press("end", "pageup", "v")
        view = player.game_screen.map
        assert len(view.grid.places) > 4_000
        assert 0 < len(view.drawn) < 2_000
        assert "›" in player.text or "‹" in player.text
        await player.press(*["right"] * 20)
        assert view.cursor[0] > 30

    play(served.address, scene)
