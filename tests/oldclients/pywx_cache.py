"""Cache of the Python clients of 2007 to 2011: its contents and updates.

Every object is kept under the id from a list, with its own modification time. Anything listed with a later time is
downloaded again. The three versions differ in their requests and in the situations in which they hang.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.message import Message
from pywx_wire import Lost, Wire

from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03, TP04, Dialect

ROOT = 0
OWN = 0
"""The number that stands for the player's own board and the player itself."""


@dataclass(frozen=True)
class Version:
    """One version of the client. ``year`` is when it was made."""

    name: str
    dialect: Dialect
    year: int

    @property
    def oldest(self) -> bool:
        return self.year < 2008


VERSIONS = {
    version.name: version
    for version in (Version("0.2", TP03, 2007), Version("0.3", TP03, 2009), Version("TP04", TP04, 2010))
}


def time_of(thing: Any) -> int:
    """Return the modification time that a thing has: that of an order queue is called serial."""
    return int(thing.serial if isinstance(thing, tp.OrderQueue) else thing.modtime)


class Kept(dict[int, Any]):
    """Things of one kind by the ids under which they were listed."""

    def __init__(self) -> None:
        super().__init__()
        self.times: dict[int, int] = {}

    def put(self, number: int, thing: Any, time: int) -> None:
        self[number] = thing
        self.times[number] = time

    def drop(self, number: int) -> None:
        del self[number]
        self.times.pop(number, None)

    def is_older(self, number: int, time: int) -> bool:
        return number not in self or time > self.times[number]


def _kept() -> Kept:
    return Kept()


@dataclass
class Cache:
    """All that a client knows. ``fetched`` counts what it has fetched, over all updates."""

    wire: Wire
    version: Version
    objects: Kept = field(default_factory=_kept)
    parents: dict[int, int] = field(default_factory=dict)
    """The parent of each object, from the tree of the universe. The root has no entry."""
    queues: Kept = field(default_factory=_kept)
    """Order queues (TP04)."""
    orders: dict[int, list[tp.Order]] = field(default_factory=dict)
    """By queue; in TP03 a queue has the number of its object."""
    boards: Kept = field(default_factory=_kept)
    messages: dict[int, list[tp.Message]] = field(default_factory=dict)
    order_types: dict[int, tp.OrderDesc] = field(default_factory=dict)
    categories: Kept = field(default_factory=_kept)
    designs: Kept = field(default_factory=_kept)
    components: Kept = field(default_factory=_kept)
    properties: Kept = field(default_factory=_kept)
    resources: Kept = field(default_factory=_kept)
    players: Kept = field(default_factory=_kept)
    fetched: int = 0

    @property
    def me(self) -> int:
        """The own player's number."""
        return int(self.players[OWN].id)

    def update(self) -> None:
        """Bring everything up to date, as the version does. Raises Lost where it would raise or hang."""
        if isinstance(answer := self.wire.single("get_features", "features"), tp.Fail):
            raise Lost(f"the features are refused: {answer.result}")
        if self.version.oldest:
            self._update_of_2007()
        else:
            self._update()

    # --- 0.3 and TP04 -----------------------------------------------------------------------------------------------

    def _update(self) -> None:
        self._get_order_types()
        fresh = self._get("object", self.objects)
        if self.version.dialect is TP03:
            self._get_contents("order", fresh, self.objects, self.orders, lambda thing: thing.orders)
        else:
            fresh = self._get("order_queue", self.queues)
            self._get_contents("order", fresh, self.queues, self.orders, lambda thing: thing.num_orders)
        fresh = self._get("board", self.boards)
        self._get_contents("message", fresh, self.boards, self.messages, lambda thing: thing.messages)
        for kind, kept in self._catalogue():
            self._get(kind, kept)
        if self.version.dialect is TP04:
            self._get("player", self.players)
            self.players.put(OWN, self._one_player(OWN), 0)
        else:
            self._count_players()

    def _catalogue(self) -> list[tuple[str, Kept]]:
        return [
            ("category", self.categories),
            ("design", self.designs),
            ("component", self.components),
            ("property", self.properties),
            ("resource", self.resources),
        ]

    def _get_order_types(self) -> None:
        """Order descriptions come one by one: those that are new or newer."""
        wanted = [
            number
            for number, time in self.wire.ids("order_desc")
            if number not in self.order_types or time > self.order_types[number].modtime
        ]
        for number in wanted:
            answer = self.all_of("order_desc", [number])[0]
            self.wire.learn(answer)
            self.order_types[number] = answer
            self.fetched += 1

    def _get(self, kind: str, kept: Kept) -> list[int]:
        """Fetch new and changed objects and forget unlisted ones. Return the ids of the former."""
        listed = list(self.wire.ids(kind))
        fresh = [number for number, time in listed if kept.is_older(number, time)]
        if fresh:
            for number, thing in zip(fresh, self.all_of(kind, fresh), strict=True):
                kept.put(number, thing, time_of(thing))
            self.fetched += len(fresh)
        # Where nothing is new the version of 2009 does not look for what is gone; that is in the lists later.
        if fresh or self.version.dialect is TP04:
            for number in kept.keys() - {number for number, _ in listed}:
                kept.drop(number)
            if kind == "object":
                self.build_tree()
        return fresh

    def _get_contents(
        self,
        kind: str,
        fresh: Iterable[int],
        holders: Kept,
        kept: dict[int, list[Any]],
        count: Callable[[Any], int],
    ) -> None:
        """Ask for the orders of all queues, or the messages of all boards, at once, and then read all answers."""
        asked = []
        for number in fresh:
            slots = range(count(holders[number]))
            if slots or self.version.oldest:
                asked.append((number, self.wire.ask_slots(kind, number, list(slots))))
            else:
                kept[number] = []
        for number, request in asked:
            answer = self.wire.things(kind, request)
            if isinstance(answer, tp.Fail) and not count(holders[number]):
                answer = []  # the oldest version asks for the orders of everything, and does not mind
            kept[number] = self._whole(kind, f"{kind}s of {number}", answer)
            self.fetched += len(kept[number])
        for number in kept.keys() - holders.keys():
            del kept[number]

    def _count_players(self) -> None:
        """TP03 has no list of players: ask for one number after the other until there is none."""
        number = max(self.players) + 1 if self.players else 0
        while True:
            answer = self.wire.get("player", [number])
            if isinstance(answer, tp.Fail):
                break
            self.players.put(number, answer[0], 0)
            number += 1

    def _one_player(self, number: int) -> Any:
        return self.all_of("player", [number])[0]

    def build_tree(self) -> None:
        """Note the parent of each object. Raises Lost if something contains what was not fetched, or itself."""
        if ROOT not in self.objects:
            raise Lost("there is no object 0")
        self.parents = {}
        waiting = [ROOT]
        while waiting:
            parent = waiting.pop()
            for number in self.objects[parent].contains:
                if number not in self.objects:
                    name = self.objects[parent].name
                    raise Lost(f"{name} ({parent}) contains object {number}, which does not exist")
                if number in self.parents or number == ROOT:
                    raise Lost(f"object {number} is in {parent} and in {self.parents.get(number)} too")
                self.parents[number] = parent
                waiting.append(number)

    # --- 0.2 --------------------------------------------------------------------------------------------------------

    def _update_of_2007(self) -> None:
        """The oldest version asks for orders before it knows their types, and for empty lists of slots too."""
        self._get_and_hang("object", self.objects, "order", self.orders, lambda thing: thing.orders)
        self.build_tree()
        self._get_and_hang("board", self.boards, "message", self.messages, lambda thing: thing.messages)
        for number, _ in list(self.wire.ids("order_desc")):
            (self.order_types[number],) = self.all_of("order_desc", [number])
            self.wire.learn(self.order_types[number])
            self.fetched += 1
        for kind, kept in self._catalogue():
            wanted = [number for number, time in self.wire.ids(kind) if kept.is_older(number, time)]
            if wanted:
                for number, thing in zip(wanted, self.all_of(kind, wanted), strict=True):
                    kept.put(number, thing, time_of(thing))
                self.fetched += len(wanted)
        self.players.put(OWN, self._one_player(OWN), 0)

    def _get_and_hang(
        self, kind: str, kept: Kept, content: str, contents: dict[int, list[Any]], count: Callable[[Any], int]
    ) -> None:
        """Fetch what is new or newer with what it holds; a Fail among the things makes the client wait for ever."""
        listed = list(self.wire.ids(kind))
        fresh = [number for number, time in listed if kept.is_older(number, time)]
        if fresh or kind == "object":
            for number, thing in zip(fresh, self.all_of(kind, fresh), strict=True):
                # A board is kept with the time that was listed last, whosever it is.
                kept.put(number, thing, listed[-1][1] if kind == "board" else time_of(thing))
            self.fetched += len(fresh)
        self._get_contents(content, fresh, kept, contents, count)
        for number in kept.keys() - {number for number, _ in listed}:
            kept.drop(number)
            contents.pop(number, None)

    # --- all --------------------------------------------------------------------------------------------------------

    def all_of(self, kind: str, ids: list[int]) -> list[Any]:
        return self._whole(kind, f"{kind} {', '.join(map(str, ids[:5]))}", self.wire.get(kind, ids), len(ids))

    def _whole(self, kind: str, what: str, answer: list[Any] | tp.Fail, number: int | None = None) -> list[Any]:
        """Return an answer in which nothing is refused or missing.

        The version of 2007 waits for ever for a thing that is refused, the others take it for gone and then do not find
        what names it.
        """
        if isinstance(answer, tp.Fail):
            raise Lost(f"{what} was listed and is refused: {answer.result}")
        if number is not None and len(answer) != number:
            raise Lost(f"{what}: {len(answer)} came and not {number}")
        for one in answer:
            if isinstance(one, tp.Fail):
                raise Lost(f"{what} was listed and is refused: {one.result}")
        return answer


def differing(mine: Cache, fresh: Cache) -> Iterable[str]:
    """Say what a client that has kept its cache up to date shows otherwise than one that has just come."""
    for what in ("objects", "queues", "orders", "boards", "messages", "players"):
        old: dict[int, Any] = getattr(mine, what)
        new: dict[int, Any] = getattr(fresh, what)
        for number in sorted(old.keys() | new.keys()):
            if _plain(old.get(number)) != _plain(new.get(number)):
                yield f"{what} {number} is kept otherwise than it is: a change of it had no greater time"


def _plain(thing: Any) -> Any:
    if isinstance(thing, list):
        return [_plain(one) for one in thing]
    return thing.SerializeToString(deterministic=True) if isinstance(thing, Message) else thing
