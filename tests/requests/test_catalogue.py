"""Descriptions, resources and designs: constant in a game, and read-only."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.server_in_memory import SMALL_BOARD, Client, Server, state_of
from tpproto.descriptions import Descriptions

PERMANENTLY, NO_SUCH_THING = 2, 4
NOWHERE = 4_000_000_000


@pytest.fixture
def ann(server: Server, dialect: str) -> Client:
    server.create("game", "tae", 2, options={"board": SMALL_BOARD}, clock="manual")
    return server.players(2, dialect)[0]


@pytest.mark.parametrize("request_name", ["add_design", "modify_design"])
def test_a_design_in_an_unknown_category_is_refused_naming_it(ann: Client, request_name: str):
    """The old server crashed on it."""
    before = state_of(ann.session.game)
    for categories in ([NOWHERE], [1, 77]):
        answer = ann.ask(request_name, id=-1, categories=categories, name="Death Star", owner=-1, usage=-1)
        assert answer.code == NO_SUCH_THING
        assert str(categories[-1]) in answer.text
    assert state_of(ann.session.game) == before


@pytest.mark.parametrize("request_name", ["add_design", "modify_design", "add_category"])
def test_what_the_game_does_not_offer_is_refused_with_a_reason(ann: Client, request_name: str):
    before = state_of(ann.session.game)
    answer = ann.ask(request_name, id=1, name="x" * 5000)
    assert answer.code == PERMANENTLY
    assert "game" in answer.text
    assert state_of(ann.session.game) == before


@pytest.mark.parametrize("what", ["resource", "design", "component", "property", "category"])
def test_unknown_ids_and_then_the_list(ann: Client, what: str):
    """The old server hung after it: the list is right afterwards."""
    before = ann.ids(f"get_{what}_ids")
    assert ann.ask(f"get_{what}", ids=[NOWHERE]).code == NO_SUCH_THING
    assert ann.ask(f"get_{what}", ids=[NOWHERE, 0xFFFFFFFF]).names == ["sequence_of", "fail", "fail"]
    assert ann.ids(f"get_{what}_ids") == before
    for number in before:
        assert ann.ask(f"get_{what}", ids=[number]).name == what


def test_every_number_that_is_used_is_described(ann: Client):
    """Types, orders, resources, designs, components, properties, categories: all can be fetched (wire.md)."""
    lists = {what: ann.ids(f"get_{what}_ids") for what in ("resource", "design", "component", "property", "category")}
    order_types = set(ann.ids("get_order_desc_ids"))
    for thing in ann.objects(*ann.ids()):
        if ann.classic:
            assert thing.otype in range(6)
            assert set(thing.order_types) <= order_types
            assert {row.id for row in thing.planet.resources} <= set(lists["resource"])
            assert {ship.type for ship in thing.fleet.ships} <= set(lists["design"])
            continue
        assert thing.otype in ann.ids("get_object_desc_ids")
        for parameter in thing.parameters:
            assert {row.id for row in parameter.resource_list.resources} <= set(lists["resource"])
            assert {ship.id for ship in parameter.reference_quantity_list.references} <= set(lists["design"])
    for design in ann.ask("get_design", ids=lists["design"]).things:
        assert set(design.categories) <= set(lists["category"])
        assert {part.id for part in design.components} <= set(lists["component"])
        assert {one.id for one in design.properties} <= set(lists["property"])
    for component in ann.ask("get_component", ids=lists["component"]).things:
        assert set(component.categories) <= set(lists["category"])
        assert {one.id for one in component.properties} <= set(lists["property"])


def test_a_stranger_can_read_everything_from_frames_alone(ann: Client):
    """Objects and orders are decoded with what the description frames said, not with what the server knows."""
    learnt = Descriptions()
    for desc in ann.ask("get_order_desc", ids=ann.ids("get_order_desc_ids")).things:
        learnt.learn_order(desc)
    if ann.knows("get_object_desc"):
        for desc in ann.ask("get_object_desc", ids=ann.ids("get_object_desc_ids")).things:
            learnt.learn_object(desc)
    known = ann.objects(*ann.ids())
    ann.learnt = learnt
    assert ann.objects(*ann.ids()) == known


def test_the_root_tells_the_turn_where_clients_look_for_it(ann: Client):
    """TP04: the first parameter of the group "Informational" is the turn number; TP03: the universe's age."""
    ann.server.close_turn("game")
    root = ann.object(0)
    if ann.classic:
        assert root.universe.age == 1
        return
    desc = ann.ask("get_object_desc", ids=[root.otype]).message
    places = [group.name for group in desc.property_groups for _ in group.parameters]
    assert root.parameters[places.index("Informational")].integer.value == 1


def test_a_player_finds_the_home_planet_by_the_name_of_its_resource(ann: Client):
    """A client looks for the owned object with a resource named exactly "Home Planet"."""
    names: dict[int, str] = {
        one.id: one.singular_name for one in ann.ask("get_resource", ids=ann.ids("get_resource_ids")).things
    }
    homes = []
    for thing in ann.objects(*ann.ids()):
        rows, owner = resources_and_owner(ann, thing)
        if owner == 1 and "Home Planet" in [names[row.id] for row in rows]:
            homes.append(thing.name)
    assert homes == ["ann's Home Planet"]


def resources_and_owner(client: Client, thing: Any) -> tuple[Any, int]:
    if client.classic:
        return thing.planet.resources, thing.planet.owner
    rows = [row for parameter in thing.parameters for row in parameter.resource_list.resources]
    owners = [p.reference.id for p in thing.parameters if p.WhichOneof("value") == "reference"]
    return rows, owners[0] if owners else 0


def test_nobody_owns_what_belongs_to_nobody(ann: Client):
    """-1 in TP03, 0 in TP04; players have numbers from 1."""
    planet = next(thing for thing in ann.objects(*ann.ids()) if thing.name == "Planet 0, 0")
    assert resources_and_owner(ann, planet)[1] == (-1 if ann.classic else 0)
