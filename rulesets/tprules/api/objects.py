"""Objects as players see them, with their kinds, resources and designs."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tprules.api.appearance import NO_LOOK, Look
from tprules.api.types import Oid, Seat

LONGEST_QUEUE = 1024
"""Maximum orders in one queue, drafts included. It bounds memory; no game needs as many."""


class Role(enum.IntEnum):
    """The type of object for old clients, which draw objects by it (TP03, Object frame, field otype)."""

    UNIVERSE = 0
    GALAXY = 1
    STAR_SYSTEM = 2
    PLANET = 3
    FLEET = 4
    WORMHOLE = 5


@dataclass(frozen=True)
class Group:
    """A named group of whole numbers that objects of a kind show (TP04, ObjectDesc frame, property group)."""

    name: str
    help: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    """(name, explanation) of each number."""


@dataclass(frozen=True)
class Kind:
    """A kind of object. ``Shown.numbers`` holds one number for each field of ``groups``, in their order."""

    role: Role
    title: str
    help: str = ""
    groups: tuple[Group, ...] = ()
    resources: bool = False
    """True if a fleet of this kind shows resources (planets always do)."""
    slots: int = LONGEST_QUEUE
    """Maximum orders in the queue of such an object, 1 to 1024 (TP04, OrderQueue frame, maximum slots).

    Drafts are not counted.
    """
    look: Look = NO_LOOK
    """The look of such objects if their design has none."""
    badges: tuple[int, ...] = ()
    """Up to two resources whose amounts are shown at such a piece (``tprules.api.appearance``)."""
    in_hand: bool = False
    """True if pieces of this kind on no board are the hand of their owner.

    They act from the hand.
    """
    nameless: bool = False
    """True if clients name such objects by their design, or else by this kind.

    They do not use ``Shown.name`` then.
    """


def shows_resources(kind: Kind) -> bool:
    """Return whether objects of this kind have a list of resources."""
    return kind.role is Role.PLANET or kind.resources


def common_groups(kind: Kind, carrier: bool) -> tuple[Group, ...]:
    """Return the groups that come before ``kind.groups``. They are the same in every ruleset.

    ``carrier`` is True if some order type is for this kind. Source: TP04, ObjectDesc frame, and the existing clients.
    """
    groups = [_POSITIONAL]
    if kind.role is Role.UNIVERSE:
        groups.append(_INFORMATIONAL)
    if kind.role in (Role.PLANET, Role.FLEET):
        groups.append(_OWNERSHIP)
    if kind.role in (Role.PLANET, Role.FLEET) or carrier:
        groups.append(_ORDERS)
    if shows_resources(kind):
        groups.append(_RESOURCES)
    if kind.role is Role.FLEET:
        groups.append(_SHIPS)
    return tuple(groups)


_POSITIONAL = Group(
    "Positional",
    "Positional information",
    (
        ("Position", "The position of the object"),
        ("Velocity", "The velocity of the object"),
        ("Size", "The size of the object"),
    ),
)
_INFORMATIONAL = Group("Informational", "Information about the universe", (("Year", "The number of the turn"),))
_OWNERSHIP = Group("Ownership", "The ownership of this object", (("Owner", "The owner of this object"),))
_ORDERS = Group("Orders", "The order queue of this object", (("Order Queue", "The queue of orders for this object"),))
_RESOURCES = Group(
    "Resources", "The resources of this object", (("Resource List", "The resources that this object has available"),)
)
_SHIPS = Group(
    "Ships",
    "The information about ships in this fleet",
    (("Ship List", "The list of ships"), ("Damage", "The damage done to the ships")),
)


class Amount(NamedTuple):
    """Amounts of a resource: available, ``minable``, and not yet minable."""

    resource: int
    stored: int
    minable: int = 0
    unavailable: int = 0


class Ships(NamedTuple):
    """The number of pieces of one design in an object."""

    design: int
    number: int = 1


class Shown(NamedTuple):
    """One object as it looks at one level of sight.

    The host notifies clients of an object if this changes.

    ``kind`` is a key of ``Ruleset.kinds``, ``parent`` the object that contains it, ``owner`` the seat that commands it,
    if any. ``numbers`` has one number for each field of the kind's groups. Position ``at`` and ``size``, a diameter,
    are in a unit of the ruleset's choice.
    """

    kind: str
    name: str
    parent: Oid = 0
    at: tuple[int, int, int] = (0, 0, 0)
    size: int = 0
    owner: Seat | None = None
    numbers: tuple[int, ...] = ()
    resources: tuple[Amount, ...] = ()
    ships: tuple[Ships, ...] = ()
    damage: int = 0
    description: str = ""


@dataclass(frozen=True)
class Resource:
    """A resource of which objects have an Amount (TP04, Resource frame)."""

    id: int
    name: str
    plural: str
    unit: str = "unit"
    units: str = "units"
    help: str = ""
    weight: int = 0
    size: int = 0
    look: Look = NO_LOOK
    """The look on the ground."""


@dataclass(frozen=True)
class DesignProperty:
    """A property of designs (TP04, Property frame). ``calculate`` and ``requirements`` are functions in TPCL."""

    id: int
    name: str
    title: str
    help: str = ""
    rank: int = 0
    calculate: str = "(lambda (design bits) (let ((n (apply + bits))) (cons n (number->string n))))"
    requirements: str = '(lambda (design) (cons #t ""))'


@dataclass(frozen=True)
class Component:
    """A part of designs (TP04, Component frame). ``values`` maps the id of a property to a function in TPCL."""

    id: int
    name: str
    help: str = ""
    requirements: str = '(lambda (design) (cons #t ""))'
    values: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Design:
    """The design of a piece (TP04, Design frame). Designs are public and have no owner."""

    id: int
    name: str
    help: str = ""
    components: Mapping[int, int] = field(default_factory=dict)
    """Component id -> the number of such components in the design."""
    values: Mapping[int, str] = field(default_factory=dict)
    """Property id -> its displayed text."""
    look: Look = NO_LOOK


@dataclass(frozen=True)
class Catalogue:
    """The designs of a ruleset: one category with its designs, components and properties."""

    category: str = "Pieces"
    help: str = "The kinds of piece in this game"
    designs: tuple[Design, ...] = ()
    components: tuple[Component, ...] = ()
    properties: tuple[DesignProperty, ...] = ()
