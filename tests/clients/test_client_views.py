"""The two views of the map against cases worked by hand.

The browser client is tested against the same cases.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tpclient.objects import Amount, SpaceObject
from tpclient.universe import Universe
from tpclient.views import Map, Pie, read_map, tooltip
from tpclient.views import Path as Line
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import TP04

CASES = json.loads((Path(__file__).parent / "views_cases.json").read_text(encoding="utf-8"))["cases"]


def universe_of(case: dict[str, Any]) -> Universe:
    universe = Universe(TP04, Descriptions())
    universe.me = case["me"]
    for row in case["resources"]:
        universe.resources[row["id"]] = tp.Resource(
            id=row["id"],
            singular_name=row["name"],
            plural_name=row["plural"],
            singular_unit=row["unit"],
            plural_unit=row["unit_plural"],
        )
    for row in case["objects"]:
        universe.objects[row["id"]] = SpaceObject(
            id=row["id"],
            role=row["role"],
            kind="",
            name=row["name"],
            parent=row["parent"],
            contains=tuple(row["contains"]),
            modified=0,
            position=tuple(row["position"]),
            owner=row["owner"],
            queue=row.get("queue", 0),
            resources={number: Amount(*columns) for number, *columns in row["resources"]},
        )
    return universe


def orders_of(case: dict[str, Any]) -> dict[int, list[tp.Order]]:
    orders: dict[int, list[tp.Order]] = {}
    for row in case["orders"]:
        parameters = [parameter_of(parameter) for parameter in row["parameters"]]
        order = tp.Order(id=row["queue"], slot=row["slot"], parameters=parameters)
        orders.setdefault(row["queue"], []).append(order)
    return orders


def parameter_of(row: dict[str, Any]) -> tp.OrderParameter:
    parameter = tp.OrderParameter()
    value = getattr(parameter, row["type"])
    value.SetInParent()
    target = getattr(value, "pos", value)
    if "position" in row:
        target.x, target.y, target.z = row["position"]
    if "id" in row:
        value.object_id = row["id"]
    return parameter


def drawn_path(path: Line) -> dict[str, Any]:
    stops = [
        {"board": stop.board, "position": list(stop.position), "icon": stop.icon, "slot": stop.slot}
        for stop in path.stops
    ]
    return {"object": path.thing.id, "stops": stops}


def drawn_pie(pie: Pie, universe: Universe) -> dict[str, Any]:
    names = {number: resource.singular_name for number, resource in universe.resources.items()}
    return {
        "amount": pie.icon.amount,
        "diameter": pytest.approx(pie.diameter, abs=1e-9),
        "slices": [
            [
                "other" if part.resource is None else names[part.resource],
                part.amount,
                pytest.approx(part.share, abs=1e-9),
            ]
            for part in pie.slices
        ],
        "tooltip": tooltip(pie.icon, universe.resources),
    }


def drawn(sky: Map, universe: Universe, case: dict[str, Any]) -> dict[str, Any]:
    return {
        "boards": [{"id": board.thing.id, "icons": [icon.thing.id for icon in board.icons]} for board in sky.boards],
        "dots": {
            str(number): {
                "owners": list(icon.owners),
                "colour": icon.colour(universe.me),
                "colour_by_player": icon.colour_by_player,
            }
            for number, icon in sky.icons.items()
        },
        "paths": [drawn_path(path) for path in sky.paths(universe, orders_of(case))],
        "pies": {str(pie.icon.thing.id): drawn_pie(pie, universe) for pie in sky.pies(case["ticked"] or ())},
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_case_worked_by_hand(case: dict[str, Any]) -> None:
    """Boards, dots, paths, pies and tooltips are what the case says."""
    universe = universe_of(case)
    assert drawn(read_map(universe), universe, case) == case["expected"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_cases_themselves_make_sense(case: dict[str, Any]) -> None:
    """Containers and contents agree, and drawn slices fill the circle."""
    objects = {row["id"]: row for row in case["objects"]}
    inside = {child: row["id"] for row in case["objects"] for child in row["contains"]}
    assert {number: row["parent"] for number, row in objects.items() if number} == inside
    for pie in case["expected"]["pies"].values():
        shares = [share for _, _, share in pie["slices"]]
        assert not shares or sum(shares) == pytest.approx(1)


def test_the_cases_differ() -> None:
    """No name is used twice, and there are as many as were promised."""
    names = [case["name"] for case in CASES]
    assert len(set(names)) == len(names) >= 15


def test_ten_thousand_objects_are_read_at_once() -> None:
    """A map of five thousand systems with a planet each, read and drawn without a noticeable wait."""
    universe = Universe(TP04, Descriptions())
    universe.me = 1
    universe.objects[0] = SpaceObject(0, 0, "", "All", 0, (1,), 0)
    universe.objects[1] = SpaceObject(1, 1, "", "Field", 0, tuple(range(2, 10_002, 2)), 0)
    for number in range(2, 10_002, 2):
        universe.objects[number] = SpaceObject(number, 2, "", "sun", 1, (number + 1,), 0)
        rows = {1: Amount(number, 0, 0), 2: Amount(0, 1, 0)}
        universe.objects[number + 1] = SpaceObject(number + 1, 3, "", "ground", number, (), 0, resources=rows)
    sky = read_map(universe)
    assert (sky.smallest, sky.largest) == (3, 10_001)
    assert len(sky.pies()) == 5000
