"""Description frames from a ruleset's declarations.

They have all that clients need to draw and play an unknown game.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import pytest
from test_games.auction import RULESET as AUCTION
from test_games.synthetic import RULESET as SYNTHETIC

from tpproto.dialects import TP03, TP04, Dialect
from tpproto.frames import BY_NAME
from tprules.antshouse import RULESET as ANTSHOUSE
from tprules.api import Group, Kind, Number, OrderType, Phase, Role, Ruleset
from tprules.api.objects import shows_resources
from tprules.api.old_clients import RESERVED
from tprules.colony_battle import RULESET as COLONY_BATTLE
from tprules.swarm import RULESET as SWARM
from tprules.tae import RULESET as TAE
from tprules.taller_ants import RULESET as TALLER_ANTS
from tprules.testing import Nonconforming
from tprules.testing.declarations import check_declarations
from tpserver.rules.descriptions import FIRST_EXTRA_TYPE, Description, Indescribable
from tpserver.rules.discovery import fault_of

ALL = [AUCTION, SYNTHETIC, ANTSHOUSE, COLONY_BATTLE, SWARM, TAE, TALLER_ANTS]


@pytest.fixture(params=ALL, ids=lambda rules: rules.name)
def description(request: pytest.FixtureRequest) -> Description:
    return Description(request.param)


def test_every_kind_of_object_is_described_under_a_number_of_its_own(description: Description):
    """The first kind of each role has the role's number, so that clients that know no descriptions draw it right."""
    rules = description.rules
    assert set(description.type_of) == set(rules.kinds)
    numbers = list(description.type_of.values())
    assert len(set(numbers)) == len(numbers)
    seen = set()
    for name, kind in rules.kinds.items():
        if kind.role not in seen:
            assert description.type_of[name] == int(kind.role)
            seen.add(kind.role)
        else:
            assert description.type_of[name] >= FIRST_EXTRA_TYPE
    assert description.type_of[next(name for name, kind in rules.kinds.items() if kind.role == 0)] == 0


def test_the_turn_number_is_where_clients_look_for_it(description: Description):
    """The root has a group "Informational" whose first parameter is an integer."""
    groups = {group.name: group for group in description.object_descs[0].property_groups}
    assert groups["Informational"].parameters[0].type == 8


def test_groups_have_numbers_from_1_and_names(description: Description):
    for desc in description.object_descs.values():
        assert [group.id for group in desc.property_groups] == list(range(1, len(desc.property_groups) + 1))
        assert all(group.name and parameter.name for group in desc.property_groups for parameter in group.parameters)


def test_planets_have_an_owner_a_queue_and_resources(description: Description):
    for name, kind in description.rules.kinds.items():
        desc = description.object_descs[description.type_of[name]]
        types = [parameter.type for group in desc.property_groups for parameter in group.parameters]
        assert types[:3] == [0, 1, 9], "position, velocity, size"
        assert (5 in types) == shows_resources(kind)
        if int(kind.role) in (3, 4):
            assert 6 in types
            assert 4 in types
        assert (7 in types) == (int(kind.role) == 4), "ships"


def test_every_order_is_described_with_its_parameters(description: Description):
    for kind in description.rules.orders:
        desc = description.order_descs[kind.number]
        assert (desc.id, desc.name) == (kind.number, kind.name)
        assert [(p.name, p.type) for p in desc.parameters] == [(n, p.wire_type) for n, p in kind.params.items()]
        assert description.lookup.order_parameters[kind.number] == tuple(p.type for p in desc.parameters)
    assert 999 not in description.lookup.order_parameters


def test_designs_name_components_properties_and_categories_that_there_are(description: Description):
    for design in description.designs.values():
        assert set(design.categories) <= set(description.categories)
        assert {part.id for part in design.components} <= set(description.components)
        assert {one.id for one in design.properties} <= set(description.properties)
        assert design.owner == -1


@pytest.mark.parametrize("dialect", [TP03, TP04, TP04.padded], ids=lambda dialect: dialect.name)
def test_every_description_fits_into_a_frame_and_comes_back_the_same(description: Description, dialect: Dialect):
    frames = {
        "order_desc": description.order_descs,
        "object_desc": description.object_descs,
        "resource": description.resources,
        "category": description.categories,
        "design": description.designs,
        "component": description.components,
        "property": description.properties,
    }
    for name, found in frames.items():
        kind = BY_NAME[name]
        if dialect.kinds.get(kind.number) is not kind:
            continue
        for message in found.values():
            body = dialect.encode_body(kind.number, message)
            assert dialect.decode_body(kind.number, body) == message


def test_a_galaxy_with_other_groups_is_refused_with_a_sentence():
    """Old clients of TP04 would draw nothing that lies in it; "Informational" and "Media" are allowed."""

    def described(group: str) -> Description:
        table = Kind(Role.GALAXY, "Galaxy", groups=(Group(group, "", (("Round", ""),)),))
        rules = type("Rules", (type(AUCTION),), {"kinds": {**AUCTION.kinds, "house": table}})()
        return Description(rules)

    for allowed in ("Informational", "Media"):
        assert allowed in str(described(allowed).object_descs[1])
    with pytest.raises(Indescribable, match="the galaxy 'house' has a group 'Score', so old clients draw nothing"):
        described("Score")


# --- names ------------------------------------------------------------------------------------------------------------


class Strange(Ruleset[None]):
    """A ruleset of which only the declarations matter."""

    name, version, seats = "strange", 1, range(1, 2)
    phases = (Phase("all", lambda world: (0,), (), (), lambda world: "all"),)


def strange(group: Group | None = None, param: str | None = None, role: Role = Role.FLEET) -> Strange:
    class Do(OrderType[None]):
        number, name, kinds = 1, "Do", ("thing",)
        params = {} if param is None else {param: Number("How much")}

    rules = Strange()
    thing = Kind(role, "Thing", groups=() if group is None else (Group("Score", "", (("Points", ""),)), group))
    rules.orders = (Do,)  # type: ignore[misc] # a ruleset of its own for each test
    rules.phases = (Phase("all", lambda world: (0,), (Do,), (), lambda world: "all"),)  # type: ignore[misc]
    rules.kinds = {"universe": Kind(Role.UNIVERSE, "Universe"), "thing": thing}  # type: ignore[misc]
    return rules


RESERVED_NAMES = (
    *("id", "slot", "turns", "resources", "type", "subtype", "sequence", "protocol", "majorv", "minorv", "length"),
    *("data", "name", "desc", "parent", "contains", "modify_time", "properties", "pack"),
)


@pytest.mark.parametrize("name", RESERVED_NAMES)
def test_names_that_clients_have_themselves_are_refused(name: str):
    """Groups and parameters become attributes in the Python clients (wire.md); capitals count."""
    assert sorted(RESERVED) == sorted(RESERVED_NAMES)
    for rules in (strange(Group(name)), strange(Group("Other", "", ((name, ""),))), strange(param=name)):
        with pytest.raises(Indescribable) as refused:
            Description(rules)
        assert repr(name) in str(refused.value)
        with pytest.raises(Nonconforming) as failed:
            check_declarations(rules)
        assert str(refused.value) in str(failed.value)
    Description(strange(Group(name.title() if name != "modify_time" else "Time"), name.upper()))


@pytest.mark.parametrize(
    "group",
    [
        Group("Orders"),
        Group("Score"),
        Group("Other", "", (("Points", ""),)),
        Group("Other", "", (("One", ""), ("One", ""))),
        Group("Other", "", (("Owner", ""),)),
    ],
    ids=str,
)
def test_names_are_unique_within_a_type_of_object(group: Group):
    """Also beside those that every object of its role has."""
    with pytest.raises(Indescribable, match="named"):
        Description(strange(group))
    with pytest.raises(Nonconforming, match="named"):
        check_declarations(strange(group))


@pytest.mark.parametrize("name", ["", 5])
def test_what_clients_read_by_its_name_has_one(name: Any):
    for rules in (strange(Group(name)), strange(Group("Other", "", ((name, ""),))), strange(param=name)):
        with pytest.raises(Indescribable, match=f"is named {name!r}; names are text"):
            Description(rules)


def test_a_name_may_come_again_where_it_is_of_another_object():
    """In another type, or as that of a group and of a parameter."""
    Description(strange(Group("Points", "", (("Points of the group", ""), ("Score", "")))))
    Description(strange(Group("Same", "", (("Same", ""),))))
    Description(strange(Group("Ships", "", (("Year", ""),)), "Points", Role.PLANET))


def test_the_entry_point_says_why_it_cannot_be_used():
    """So `tpserver ruleset list`, `show` and `check` say it, and the server when it starts."""
    problem = fault_of(strange(param="turns"), EntryPoint("strange", "strange:RULESET", "tpserver.rulesets"))
    assert problem.startswith("order type Do: clients use the name 'turns' themselves")
