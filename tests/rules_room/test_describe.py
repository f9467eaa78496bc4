"""A ruleset's declarations as description frames: what clients need to draw and play a game that they do not know."""

from __future__ import annotations

import pytest
from test_games.auction import RULESET as AUCTION
from test_games.synthetic import RULESET as SYNTHETIC

from tpproto.dialects import TP03, TP04, Dialect
from tpproto.frames import BY_NAME
from tprules.api import Group, Kind, Role
from tprules.tae import RULESET as TAE
from tpserver.rules.describe import FIRST_EXTRA_TYPE, Description, Indescribable, shows_resources

ALL = [AUCTION, SYNTHETIC, TAE]
TIME = 1_700_000_000


@pytest.fixture(params=ALL, ids=lambda rules: rules.name)
def description(request: pytest.FixtureRequest) -> Description:
    return Description(request.param, TIME)


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
        assert description.lookup.order_parameters(kind.number) == tuple(p.type for p in desc.parameters)
    assert description.lookup.order_parameters(999) is None


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
            assert message.modtime == TIME


def test_a_galaxy_with_other_groups_is_refused_with_a_sentence():
    """Old clients of TP04 would draw nothing that lies in it; "Informational" and "Media" are allowed."""

    def described(group: str) -> Description:
        table = Kind(Role.GALAXY, "Galaxy", groups=(Group(group, "", (("Round", ""),)),))
        rules = type("Rules", (type(AUCTION),), {"kinds": {**AUCTION.kinds, "house": table}})()
        return Description(rules, TIME)

    for allowed in ("Informational", "Media"):
        assert allowed in str(described(allowed).object_descs[1])
    with pytest.raises(Indescribable, match="the galaxy 'house' has a group 'Score', so old clients draw nothing"):
        described("Score")
