"""Description frames: a ruleset's declarations as clients read them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tprules.api import Group, Kind, Ruleset
from tprules.api.objects import common_groups
from tprules.api.old_clients import hidden_icons, unfit_name

POSITION, VELOCITY, QUEUE, RESOURCES, REFERENCE, QUANTITIES, INTEGER, SIZE = 0, 1, 4, 5, 6, 7, 8, 9
"""Parameter types of objects (TP04, ObjectParams)."""

FIRST_EXTRA_TYPE = 16
"""First number for object types whose role an earlier one has; the first type of a role has the role's number."""

CATEGORY = 1


class Indescribable(ValueError):
    """A ruleset declares what cannot be described to clients; the message says what, and what is allowed."""


class Description:
    """All description frames of a ruleset, made once per game.  Raises Indescribable.

    ``modtime`` is in unix seconds and does not change while the ruleset does not.  This is also the lookup by which
    orders and objects of the game are encoded and decoded.
    """

    def __init__(self, rules: Ruleset[Any], modtime: int) -> None:
        problem = unfit_name(rules) or hidden_icons(rules)
        if problem:
            raise Indescribable(problem)
        self.rules = rules
        self.modtime = modtime
        self.encoded: dict[tuple[str, int], dict[int, bytes]] = {}
        """By dialect and frame number: encoded descriptions by id, made when they are first requested."""
        self.type_of: dict[str, int] = _numbered(rules.kinds)
        self.carriers = frozenset(rules.carriers())
        self.object_descs = {
            self.type_of[name]: _object_desc(self.type_of[name], kind, name in self.carriers, modtime)
            for name, kind in rules.kinds.items()
        }
        self.order_descs = {
            order.number: tp.OrderDesc(
                id=order.number,
                name=order.name,
                description=order.help,
                parameters=[
                    tp.ParameterDesc(name=name, type=param.wire_type, description=param.help)
                    for name, param in order.params.items()
                ],
                modtime=modtime,
            )
            for order in rules.orders
        }
        self.order_name = {order.number: order.name for order in rules.orders}
        self.order_number = {order.name: order.number for order in rules.orders}
        self.resources = {
            resource.id: tp.Resource(
                id=resource.id,
                singular_name=resource.name,
                plural_name=resource.plural,
                singular_unit=resource.unit,
                plural_unit=resource.units,
                description=resource.help,
                weight=resource.weight,
                size=resource.size,
                modtime=modtime,
            )
            for resource in rules.resources
        }
        catalogue = rules.catalogue
        self.categories = {
            CATEGORY: tp.Category(id=CATEGORY, modtime=modtime, name=catalogue.category, description=catalogue.help)
        }
        self.designs = {
            design.id: tp.Design(
                id=design.id,
                modtime=modtime,
                categories=[CATEGORY],
                name=design.name,
                description=design.help,
                usage=0,
                owner=-1,
                components=[tp.DesignComponent(id=part, number=n) for part, n in design.components.items()],
                properties=[tp.DesignProperty(id=number, value=value) for number, value in design.values.items()],
            )
            for design in catalogue.designs
        }
        self.components = {
            component.id: tp.Component(
                id=component.id,
                modtime=modtime,
                categories=[CATEGORY],
                name=component.name,
                description=component.help,
                requirements=component.requirements,
                properties=[tp.ComponentProperty(id=n, value_function=value) for n, value in component.values.items()],
            )
            for component in catalogue.components
        }
        self.properties = {
            prop.id: tp.Property(
                id=prop.id,
                modtime=modtime,
                categories=[CATEGORY],
                rank=prop.rank,
                name=prop.name,
                display_name=prop.title,
                description=prop.help,
                calculate_function=prop.calculate,
                requirement_function=prop.requirements,
            )
            for prop in catalogue.properties
        }
        self.lookup = Descriptions()
        for described in (*self.order_descs.values(), *self.object_descs.values()):
            self.lookup.learn(described)


def _numbered(kinds: Any) -> dict[str, int]:
    """Give the first object type of each role the role's number, so that clients without descriptions draw it right."""
    numbers: dict[str, int] = {}
    extra = count(FIRST_EXTRA_TYPE)
    for name, kind in kinds.items():
        numbers[name] = next(extra) if int(kind.role) in numbers.values() else int(kind.role)
    return numbers


def _object_desc(number: int, kind: Kind, carrier: bool, modtime: int) -> tp.ObjectDesc:
    groups = [_group(group, _TYPES) for group in common_groups(kind, carrier)]
    groups += [_group(group, {}) for group in kind.groups]
    for index, made in enumerate(groups, 1):
        made.id = index
    return tp.ObjectDesc(id=number, name=kind.title, description=kind.help, modtime=modtime, property_groups=groups)


_TYPES = {
    "Position": POSITION,
    "Velocity": VELOCITY,
    "Size": SIZE,
    "Owner": REFERENCE,
    "Order Queue": QUEUE,
    "Resource List": RESOURCES,
    "Ship List": QUANTITIES,
}
"""Types of the parameters that all rulesets share; all others are integers."""


def _group(group: Group, types: Mapping[str, int]) -> tp.PropertyGroup:
    return tp.PropertyGroup(
        name=group.name,
        description=group.help,
        parameters=[
            tp.ParameterDesc(name=name, type=types.get(name, INTEGER), description=text) for name, text in group.fields
        ],
    )
