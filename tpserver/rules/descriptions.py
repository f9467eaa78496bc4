"""Description frames: a ruleset's declarations as clients read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import count
from typing import Any, TypeAlias, TypeVar
from weakref import ref

from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tprules.api import Group, Kind, Ruleset
from tprules.api.objects import common_groups
from tprules.api.old_clients import hidden_icons, unfit_name
from tprules.api.ruleset import kinds_with_orders

POSITION, VELOCITY, QUEUE, RESOURCES, REFERENCE, QUANTITIES, INTEGER, SIZE = 0, 1, 4, 5, 6, 7, 8, 9
"""Parameter types of objects (TP04, ObjectParams)."""

FIRST_EXTRA_TYPE = 16
"""First number for object types whose role an earlier one has; the first type of a role has the role's number."""

CATEGORY = 1


MOST_SHARED = 4096
"""Maximum objects, and maximum `Shown`, that games of one ruleset have in common."""

_Seen = TypeVar("_Seen", bound=tuple[Any, ...])
InCommon: TypeAlias = Callable[[Any], Any]
"""Shared objects of the games of a ruleset: takes an object, and returns an equal one if there was one recently."""


class Indescribable(ValueError):
    """A ruleset has declarations that cannot be described to clients; the message has the problem and the rule."""


class Description:
    """All description frames of a ruleset, without their times. Raises Indescribable.

    See `description_of`. ``lookup`` is that by which orders and objects of its games are encoded and decoded.
    """

    def __init__(self, rules: Ruleset[Any]) -> None:
        problem = unfit_name(rules) or hidden_icons(rules)
        if problem:
            raise Indescribable(problem)
        self.rules = rules
        self._in_common: Callable[[], InCommon | None] = _nothing
        self.type_of: dict[str, int] = _numbered(rules.kinds)
        self.carriers = frozenset(kinds_with_orders(rules))
        self.object_descs = {
            self.type_of[name]: _object_desc(self.type_of[name], kind, name in self.carriers)
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
            )
            for resource in rules.resources
        }
        catalogue = rules.catalogue
        self.categories = {CATEGORY: tp.Category(id=CATEGORY, name=catalogue.category, description=catalogue.help)}
        self.designs = {
            design.id: tp.Design(
                id=design.id,
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

    def in_common(self) -> InCommon:
        """Return the cache of objects that the ruleset's games in memory share.

        Each game refers to it while it is in memory, and it disappears with the last one. It saves memory only between
        games with the same objects. Kept forever, it would grow with every game up to its maximum.
        """
        found = self._in_common()
        if found is None:
            found = lru_cache(2 * MOST_SHARED)(_itself)
            self._in_common = ref(found)
        return found

    def shared(self, seen: _Seen) -> _Seen:
        """Return the recently seen equal of an object from another game of the ruleset, or the object.

        Most objects of a board look the same in all games. At the beginning they are most of a game's memory.
        """
        in_common = self._in_common()
        if in_common is None:
            return seen
        try:
            found: _Seen = in_common(seen)
        except TypeError:  # a list where a tuple is due: it may change
            return seen
        return found


def _itself(seen: _Seen) -> _Seen:
    return seen


def _nothing() -> None:
    return None


_descriptions: dict[int, Description] = {}


def description_of(rules: Ruleset[Any]) -> Description:
    """Return the description that all games of a ruleset share.

    The first call creates it, and it stays as long as the server runs. Raises Indescribable.
    """
    found = _descriptions.get(id(rules))  # not by value: a ruleset may define its own equality
    if found is None:
        found = _descriptions[id(rules)] = Description(rules)
    return found


def _numbered(kinds: Any) -> dict[str, int]:
    """Give the first object type of each role the role's number, so that clients without descriptions draw it right."""
    numbers: dict[str, int] = {}
    extra = count(FIRST_EXTRA_TYPE)
    for name, kind in kinds.items():
        numbers[name] = next(extra) if int(kind.role) in numbers.values() else int(kind.role)
    return numbers


def _object_desc(number: int, kind: Kind, carrier: bool) -> tp.ObjectDesc:
    groups = [_group(group, _TYPES) for group in common_groups(kind, carrier)]
    groups += [_group(group, {}) for group in kind.groups]
    for index, made in enumerate(groups, 1):
        made.id = index
    return tp.ObjectDesc(id=number, name=kind.title, description=kind.help, property_groups=groups)


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
