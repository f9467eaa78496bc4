"""The two views of the map, computed from frames only, for any ruleset.

Only objects directly in a universe or a galaxy get an icon. All that such an object contains, at any depth, belongs to
it. The normal view shows a dot for each icon, colored by the owners in it, and lines to the destinations of orders. The
resource view shows a pie for each icon. `tests/clients/views_cases.json` has cases worked out by hand. The page is
tested against them, too.

The old clients leave some points open. The rules here are:

- Other players who share a system without me are "only others": red.
- If all amounts are equal, a pie has the full diameter, as there is nothing to compare.
- A pie has no slices if the direct contents of its system have no amounts.
- A share of 10 % refers to the system's whole Amount, ticked or not. The drawn slices fill the circle.
- No resource ticked means the same as all ticked.
- Amounts are whole numbers. Diameters and shares are not rounded.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from types import MappingProxyType

from tpclient.appearance import Words
from tpclient.objects import GALAXY, NOBODY, UNIVERSE, SpaceObject
from tpclient.universe import ROOT, Universe
from tpproto import tp_pb2

NO_WORDS: Mapping[int, Words] = MappingProxyType({})

FULL_DIAMETER = 60
"""Diameter in pixels that corresponds to the difference between the largest and the smallest Amount."""
LEAST_DIAMETER = 10
"""Diameter in pixels of the smallest pie."""
SMALL_SLICE = 10
"""Percent of the Amount up to which slices are drawn as one."""

_DESTINATIONS = ("coordinates", "object")


class Colour(StrEnum):
    """The meaning of a dot for its owners. Never show it by color alone."""

    WHITE = "white"
    """Nobody."""
    GREEN = "green"
    """Only me."""
    RED = "red"
    """Only others."""
    YELLOW = "yellow"
    """Me and others; with one color a player: several players."""


@dataclass(frozen=True, slots=True)
class Icon:
    """One star system. `owners` are the players who own it or anything in it, by rising id.

    `amounts` are by resource id, over everything that belongs to it, the sum of the three columns of each row. `slices`
    are the same over its direct contents only, as pairs of resource id and amount. The largest comes first, and among
    equal ones the lower id. `board` is the id of its board.
    """

    thing: SpaceObject
    owners: tuple[int, ...]
    amounts: dict[int, int]
    slices: tuple[tuple[int, int], ...]

    @property
    def board(self) -> int:
        return self.thing.parent

    @property
    def amount(self) -> int:
        """The total amount of all resources."""
        return sum(self.amounts.values())

    @property
    def largest(self) -> tuple[int, ...]:
        """The resources of the system, by falling slice. Resources without a slice come last."""
        sliced = [resource for resource, _ in self.slices]
        rest = [resource for resource, _ in _by_size(self.amounts) if resource not in sliced]
        return (*sliced, *rest)

    def colour(self, me: int) -> Colour:
        """Return the color of the dot for the player `me`."""
        if not self.owners:
            return Colour.WHITE
        if me not in self.owners:
            return Colour.RED
        return Colour.GREEN if len(self.owners) == 1 else Colour.YELLOW

    @property
    def colour_by_player(self) -> Colour | int:
        """Return the color with one color for each player.

        It is white, or the id of the only player here, or yellow for several.
        """
        if len(self.owners) == 1:
            return self.owners[0]
        return Colour.YELLOW if self.owners else Colour.WHITE


@dataclass(frozen=True, slots=True)
class Board:
    """One galaxy, or the universe itself, with the icons of its direct contents by rising id."""

    thing: SpaceObject
    icons: tuple[Icon, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """A corner of a path: a position on a board, and the icon there if an object led to it.

    `slot` is that of the order that leads here, None at the beginning.
    """

    board: int
    position: tuple[int, int, int]
    icon: int | None
    slot: int | None


@dataclass(frozen=True, slots=True)
class Path:
    """The destinations of the orders of an object. The place of its icon comes first, then at least one destination."""

    thing: SpaceObject
    stops: tuple[Stop, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a pie. `resource` is None for all small ones together. `share` is the part of the circle, 0 to 1."""

    resource: int | None
    amount: int
    share: float


@dataclass(frozen=True, slots=True)
class Pie:
    """The drawing of an icon in the resource view.

    `diameter` is in pixels, slices are in the order of drawing.
    """

    icon: Icon
    diameter: float
    slices: tuple[Slice, ...]


@dataclass(frozen=True, slots=True)
class Map:
    """All boards, by rising id, and the common values of their drawings.

    `icons` are by the object's id. `icon_of` has the id of the icon for each object on a board. `smallest` and
    `largest` are of the Amounts of all objects on boards, each over itself and its contents.
    """

    boards: tuple[Board, ...]
    icons: Mapping[int, Icon]
    icon_of: Mapping[int, int]
    smallest: int
    largest: int

    def pie(self, icon: Icon, ticked: Collection[int] = ()) -> Pie | None:
        """Return the pie of an icon, None if there are no resources.

        `ticked` are the resources with slices; empty means all.
        """
        amount = icon.amount
        if amount == 0:
            return None
        apart = self.largest - self.smallest
        diameter = max(float(LEAST_DIAMETER), FULL_DIAMETER * amount / apart) if apart else float(FULL_DIAMETER)
        return Pie(icon, diameter, _sliced(icon, ticked))

    def pies(self, ticked: Collection[int] = ()) -> list[Pie]:
        """Return the pies of all icons that have one, by rising id."""
        found = (self.pie(icon, ticked) for icon in self.icons.values())
        return [pie for pie in found if pie is not None]

    def paths(self, universe: Universe, orders: Mapping[int, Iterable[tp_pb2.Order]]) -> list[Path]:
        """Return the paths of all objects that have one, by rising id.

        `orders` are by the id of their queue. An order is a destination if exactly one of its parameters is a
        coordinate or an object. Objects on no board, such as a galaxy or an object that is no longer seen, lead
        nowhere. A coordinate is on the board of the stop before it.
        """
        drawn = []
        for thing in universe.where(lambda thing: thing.queue in orders):
            stops = self._stops(universe, thing, orders[thing.queue])
            if len(stops) > 1:
                drawn.append(Path(thing, tuple(stops)))
        return drawn

    def _stops(self, universe: Universe, thing: SpaceObject, orders: Iterable[tp_pb2.Order]) -> list[Stop]:
        if thing.id not in self.icon_of:
            return []
        stops = [self._stop(thing.id, None)]
        for order in sorted(orders, key=lambda order: order.slot):
            found = [parameter for parameter in order.parameters if parameter.WhichOneof("value") in _DESTINATIONS]
            if len(found) != 1:
                continue
            (destination,) = found
            if destination.WhichOneof("value") == "coordinates":
                place = destination.coordinates
                stops.append(Stop(stops[-1].board, (place.x, place.y, place.z), None, order.slot))
            elif destination.object.object_id in self.icon_of:
                stops.append(self._stop(destination.object.object_id, order.slot))
        return stops

    def _stop(self, number: int, slot: int | None) -> Stop:
        icon = self.icons[self.icon_of[number]]
        return Stop(icon.board, icon.thing.position, icon.thing.id, slot)


def read_map(universe: Universe) -> Map:
    """Return the present map of the universe."""
    members: dict[int, list[SpaceObject]] = defaultdict(list)
    totals: dict[int, int] = {}
    icons_of: dict[int, int] = {}
    for thing in universe.objects.values():
        line = _line(universe, thing)
        if not line:
            continue
        members[line[-1].id].append(thing)
        icons_of[thing.id] = line[-1].id
        own = sum(amount.total for amount in thing.resources.values())
        for outer in line:
            totals[outer.id] = totals.get(outer.id, 0) + own
    icons = {number: _icon(universe.objects[number], members[number]) for number in sorted(members)}
    holders: dict[int, list[Icon]] = defaultdict(list)
    for icon in icons.values():
        holders[icon.board].append(icon)
    return Map(
        boards=tuple(Board(universe.objects[number], tuple(holders[number])) for number in sorted(holders)),
        icons=icons,
        icon_of=icons_of,
        smallest=min(totals.values(), default=0),
        largest=max(totals.values(), default=0),
    )


def tooltip(icon: Icon, resources: Mapping[int, tp_pb2.Resource], words: Mapping[int, Words] = NO_WORDS) -> list[str]:
    """Return the text of a pie: its Amount and each resource, most first.

    It uses the words of the game if there are any. Ticks have no effect. The lines add up to the total.
    """
    lines = [f"Total: {icon.amount}"]
    for number, amount in _by_size(icon.amounts):
        resource = resources.get(number)
        if number in words:
            lines.append(words[number].counted(amount))
            continue
        if resource is None:
            lines.append(f"resource {number}: {amount}")
            continue
        name = _form(amount, resource.singular_name, resource.plural_name)
        unit = _form(amount, resource.singular_unit, resource.plural_unit)
        lines.append(f"{name}: {amount} {unit}".rstrip())
    return lines


def _form(amount: int, singular: str, plural: str) -> str:
    return singular if amount == 1 or not plural else plural


def _line(universe: Universe, thing: SpaceObject) -> list[SpaceObject]:
    """Return the object and its containers up to the one with the icon; none if no container has an icon."""
    line: list[SpaceObject] = []
    for one in chain([thing], universe.ancestors(thing.id)):
        if one.id == ROOT or one.role in (UNIVERSE, GALAXY):
            return line
        line.append(one)
    return []


def _icon(system: SpaceObject, members: Sequence[SpaceObject]) -> Icon:
    owners = sorted({thing.owner for thing in members} - {NOBODY})
    amounts: dict[int, int] = defaultdict(int)
    slices: dict[int, int] = defaultdict(int)
    for thing in members:
        for resource, amount in thing.resources.items():
            if amount.total:
                amounts[resource] += amount.total
                if thing.parent == system.id:
                    slices[resource] += amount.total
    return Icon(system, tuple(owners), dict(amounts), tuple(_by_size(slices)))


def _sliced(icon: Icon, ticked: Collection[int]) -> tuple[Slice, ...]:
    shown = [(resource, amount) for resource, amount in icon.slices if not ticked or resource in ticked]
    whole = sum(amount for _, amount in shown)
    least = SMALL_SLICE * icon.amount
    drawn = [Slice(resource, amount, amount / whole) for resource, amount in shown if 100 * amount > least]
    small = sum(amount for _, amount in shown if 100 * amount <= least)
    if small:
        drawn.append(Slice(None, small, small / whole))
    return tuple(drawn)


def _by_size(amounts: Mapping[int, int]) -> list[tuple[int, int]]:
    return sorted(amounts.items(), key=lambda row: (-row[1], row[0]))
