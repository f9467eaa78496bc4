"""A copy of everything the player sees. An update requests changes only.

A refresh first reads ids and modification times, and then fetches objects that are new or newer than the copy. If the
protocol can list the changes since a moment (TP04, GetIDSequence.fromtime), only those are listed. An object that no
longer exists is then among the listed ids, and the server answers with Fail. Otherwise an object that is no longer
listed no longer exists.

There is no socket here: `refresh` is a generator that yields requests and receives their responses.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import filterfalse
from typing import Any, TypeVar

from google.protobuf.message import Message

from tpclient.appearance import PLAIN, Appearance
from tpclient.errors import RequestFailed, UnexpectedAnswer
from tpclient.objects import NOBODY, SpaceObject, read_classic, read_object
from tpclient.session import Answer, Request
from tpproto import tp_pb2
from tpproto.descriptions import Descriptions
from tpproto.dialects import Dialect

T = TypeVar("T")
Steps = Generator[list[Request], list[Answer], T]
"""Yields requests, receives their responses, and returns a result.

The driver sends each list in one go.
"""

MOST_AT_ONCE = 5000
"""Maximum ids in one request. This keeps it far below the usual limit of 1 MiB for a frame."""

ROOT = 0
"""The id of the object that contains all others."""


@dataclass(frozen=True, slots=True)
class Table:
    """A kind of thing with a list of ids: its requests and responses."""

    name: str
    listed_by: str
    fetched_by: str
    messages: tuple[type[Message], ...]


# Descriptions come first: orders and objects cannot be read without them.
TABLES = (
    Table("object_descriptions", "get_object_desc_ids", "get_object_desc", (tp_pb2.ObjectDesc,)),
    Table("order_descriptions", "get_order_desc_ids", "get_order_desc", (tp_pb2.OrderDesc,)),
    Table("resources", "get_resource_ids", "get_resource", (tp_pb2.Resource,)),
    Table("categories", "get_category_ids", "get_category", (tp_pb2.Category,)),
    Table("designs", "get_design_ids", "get_design", (tp_pb2.Design,)),
    Table("components", "get_component_ids", "get_component", (tp_pb2.Component,)),
    Table("properties", "get_property_ids", "get_property", (tp_pb2.Property,)),
    Table("players", "get_player_ids", "get_player", (tp_pb2.Player,)),
    Table("boards", "get_board_ids", "get_boards", (tp_pb2.Board,)),
    Table("objects", "get_object_ids", "get_objects_by_id", (tp_pb2.Object, tp_pb2.ClassicObject)),
    Table("queues", "get_order_queue_ids", "get_order_queue", (tp_pb2.OrderQueue,)),
)
EVERYTHING = tuple(table.name for table in TABLES)
PLAYABLE = tuple(name for name in EVERYTHING if name not in ("categories", "components", "properties"))
"""The tables that a player without a ship designer needs."""
PASSING = ("objects", "queues")
"""The tables that change in every turn of every game."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes of a refresh by table: new or changed ids, and gone ids."""

    fetched: dict[str, tuple[int, ...]] = field(default_factory=dict)
    gone: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any(self.fetched.values()) or any(self.gone.values())


@dataclass(slots=True)
class _Listing:
    """Known ids of a table, or a list of them in download, from `start` on.

    `since` is the time from which to ask for changes, -1 for everything.
    """

    table: Table
    start: int = -1
    times: dict[int, int] = field(default_factory=dict)
    key: int = -1
    remaining: int = 0
    since: int = -1


class Universe:
    """The copy: one dictionary by id for each table, filled by `refresh`.

    `objects` are `SpaceObject`; other tables have the messages of the server. `me` is this player's id after the first
    refresh. TP03 has no order queues, so there `queues` are derived from its objects. `appearance` is the appearance of
    the game, if the creator of the copy shows it.
    """

    def __init__(self, dialect: Dialect, descriptions: Descriptions) -> None:
        self.me = NOBODY
        self.appearance: Appearance = PLAIN
        self.objects: dict[int, SpaceObject] = {}
        self.queues: dict[int, tp_pb2.OrderQueue] = {}
        self.object_descriptions: dict[int, tp_pb2.ObjectDesc] = {}
        self.order_descriptions: dict[int, tp_pb2.OrderDesc] = {}
        self.resources: dict[int, tp_pb2.Resource] = {}
        self.categories: dict[int, tp_pb2.Category] = {}
        self.designs: dict[int, tp_pb2.Design] = {}
        self.components: dict[int, tp_pb2.Component] = {}
        self.properties: dict[int, tp_pb2.Property] = {}
        self.players: dict[int, tp_pb2.Player] = {}
        self.boards: dict[int, tp_pb2.Board] = {}
        self._descriptions = descriptions
        self._has = {kind.field for kind in dialect.kinds.values()}
        self._listings = {table.name: _Listing(table) for table in TABLES}
        self.untold: dict[str, dict[int, bool]] = {table.name: {} for table in TABLES}
        """Changes not yet reported, as after an interrupted refresh.

        Table -> id -> whether it has gone.
        """
        self._stores: dict[str, dict[int, Any]] = {table.name: getattr(self, table.name) for table in TABLES}

    # --- keeping up to date

    def refresh(self, tables: Iterable[str] = EVERYTHING) -> Steps[Changes]:
        """Update the named tables. Names without frames in the dialect are skipped.

        Raises RequestFailed if a whole list is refused, as before login. Changes found in an interrupted refresh are
        reported by the next one.
        """
        wanted = set(tables)
        pages = [
            _Listing(table, self._listings[table.name].since)
            for table in TABLES
            if table.name in wanted and table.listed_by in self._has
        ]
        requests = [_listing_request(page) for page in pages]
        if self.me == NOBODY:
            requests.append(Request("get_player", tp_pb2.GetWithID(ids=[0])))
        answers = yield requests
        if self.me == NOBODY:
            player = answers.pop().one(tp_pb2.Player)
            self.me = player.id
            self.players[player.id] = player
        unfinished = pages
        while True:
            for page, answer in zip(unfinished, answers, strict=True):
                _turn_page(page, answer)
            unfinished = [page for page in unfinished if page.remaining]
            if not unfinished:
                break
            answers = yield [_listing_request(page) for page in unfinished]
        return (yield from self._fetch(pages))

    def _fetch(self, pages: Sequence[_Listing]) -> Steps[Changes]:
        batches: list[tuple[_Listing, list[int]]] = []
        for page in pages:
            known = self._listings[page.table.name].times
            newer = [number for number, time in page.times.items() if known.get(number, -1) < time]
            batches += [(page, newer[at : at + MOST_AT_ONCE]) for at in range(0, len(newer), MOST_AT_ONCE)]
            if page.start == -1:
                self._drop(page.table.name, [number for number in known if number not in page.times])
        if batches:
            answers = yield [Request(page.table.fetched_by, tp_pb2.GetWithID(ids=numbers)) for page, numbers in batches]
            for (page, numbers), answer in zip(batches, answers, strict=True):
                self._take(page, numbers, answer)
        for page in pages:
            self._listings[page.table.name].since = page.since
        if "object" not in self._has:
            yield from self._complete_classic()
        changes = Changes()
        for name, has_gone in self.untold.items():
            if fetched := tuple(filterfalse(has_gone.get, has_gone)):
                changes.fetched[name] = fetched
            if gone := tuple(filter(has_gone.get, has_gone)):
                changes.gone[name] = gone
            has_gone.clear()
        return changes

    def tell_again(self, changes: Changes) -> None:
        """Let the next refresh report these changes as well, unless newer ones replace them."""
        for name, found in self.untold.items():
            found |= dict.fromkeys(changes.fetched.get(name, ()), False)
            found |= dict.fromkeys(changes.gone.get(name, ()), True)

    def _take(self, page: _Listing, numbers: list[int], answer: Answer) -> None:
        table = page.table
        if len(answer.replies) == 1 != len(numbers):
            answer.one(table.messages[0])  # raises the refusal of the whole request
        if len(answer.replies) != len(numbers):
            raise UnexpectedAnswer(
                f"The server answered {answer.request.title} for {len(numbers)} ids with {len(answer.replies)} frames."
            )
        store, known, untold = self._stores[table.name], self._listings[table.name].times, self.untold[table.name]
        gone: list[int] = []
        for number, item in zip(numbers, answer.items(*table.messages), strict=True):
            if isinstance(item, RequestFailed):
                if not item.is_gone:
                    raise item
                gone.append(number)
            else:
                known[number] = page.times[number]
                key = _key(table, number, item)
                if key is not None:
                    store[key] = self._read(item)
                    untold[key] = False
        self._drop(table.name, gone)

    def _read(self, item: Message) -> Any:
        if isinstance(item, tp_pb2.ClassicObject):
            return self._read_classic(item)
        if isinstance(item, tp_pb2.Object):
            return read_object(item, self._descriptions)
        return item

    def _read_classic(self, item: tp_pb2.ClassicObject) -> SpaceObject:
        """Read an object of TP03, and its order queue if it takes orders or has some."""
        thing = read_classic(item)
        if thing.queue:
            self.queues[thing.queue] = tp_pb2.OrderQueue(
                id=thing.queue,
                serial=item.modtime,
                max_slots=0xFFFFFFFF,
                num_orders=item.orders,
                order_types=item.order_types,
            )
        else:
            self.queues.pop(thing.id, None)
        return thing

    def _drop(self, name: str, numbers: list[int]) -> None:
        store, known = self._stores[name], self._listings[name].times
        for number in numbers:
            known.pop(number, None)
        if name == "boards":
            numbers = [number or self.me for number in numbers]
        gone = [number for number in numbers if store.pop(number, None) is not None]
        self.untold[name] |= dict.fromkeys(gone, True)

    def _complete_classic(self) -> Steps[None]:
        """Add what TP03 lacks: parents of objects, and other players."""
        for number in self.queues.keys() - self.objects.keys():
            del self.queues[number]
        parents = {child: thing.id for thing in self.objects.values() for child in thing.contains}
        for thing in list(self.objects.values()):
            parent = parents.get(thing.id, ROOT)
            if thing.parent != parent:
                self.objects[thing.id] = replace(thing, parent=parent)
        strangers = sorted({thing.owner for thing in self.objects.values()} - {NOBODY} - set(self.players))
        if strangers:
            (answer,) = yield [Request("get_player", tp_pb2.GetWithID(ids=strangers))]
            self.players.update((player.id, player) for player in answer.present(tp_pb2.Player))

    # --- looking

    @property
    def turn(self) -> int | None:
        """The turn number in the root object (the first number of its group "Informational"), if any."""
        root = self.objects.get(ROOT)
        if root is None:
            return None
        return next((value for (group, _), value in root.numbers.items() if group == "Informational"), None)

    def where(self, test: Callable[[SpaceObject], bool]) -> list[SpaceObject]:
        """Return all objects that pass a test, by rising id."""
        return [self.objects[number] for number in sorted(self.objects) if test(self.objects[number])]

    def own(self) -> list[SpaceObject]:
        """Return the objects of the own player, by rising id."""
        return self.where(lambda thing: thing.owner == self.me != NOBODY)

    def of_kind(self, kind: str) -> list[SpaceObject]:
        """Return all objects whose description has this name, by rising id."""
        return self.where(lambda thing: thing.kind == kind)

    def children(self, number: int) -> list[SpaceObject]:
        """Return the objects directly in an object, in its order."""
        thing = self.objects.get(number)
        return [self.objects[child] for child in (thing.contains if thing else ()) if child in self.objects]

    def tree(self, number: int) -> Iterator[tuple[int, SpaceObject]]:
        """Yield an object and all its contents with their depth, each object before its contents."""
        waiting = [(0, number)]
        seen: set[int] = set()
        while waiting:
            depth, one = waiting.pop()
            thing = self.objects.get(one)
            if thing is not None and one not in seen:
                seen.add(one)
                yield depth, thing
                waiting += [(depth + 1, child) for child in reversed(thing.contains)]

    def inside(self, number: int) -> list[SpaceObject]:
        """Return the objects in an object at any depth, parents first."""
        return [thing for depth, thing in self.tree(number) if depth]

    def ancestors(self, number: int) -> Iterator[SpaceObject]:
        """Yield the containers of an object: its parent first, the root last."""
        seen = {number}
        thing = self.objects.get(number)
        while thing is not None and thing.parent not in seen:
            seen.add(thing.parent)
            thing = self.objects.get(thing.parent)
            if thing is not None:
                yield thing

    def queue_of(self, thing: SpaceObject) -> tp_pb2.OrderQueue | None:
        """Return the order queue of an object, if this player may use it."""
        return self.queues.get(thing.queue) if thing.queue else None

    def offers(self, thing: SpaceObject) -> list[tp_pb2.OrderDesc]:
        """Return the order types that an object takes now, by rising id."""
        queue = self.queue_of(thing)
        if queue is None:
            return []
        return [self.order_descriptions[t] for t in sorted(queue.order_types) if t in self.order_descriptions]


def _listing_request(page: _Listing) -> Request:
    message = tp_pb2.GetIDSequence(key=page.key, start=len(page.times), amount=-1, fromtime=page.start)
    return Request(page.table.listed_by, message)


def _turn_page(page: _Listing, answer: Answer) -> None:
    listed = answer.one(tp_pb2.IDSequence)
    if not listed.ids and listed.remaining:
        raise UnexpectedAnswer(f"The server answered {answer.request.title} without ids though there are more.")
    if page.key == -1:
        page.since = listed.fromtime
    page.key = listed.key
    page.times.update((item.id, item.modtime) for item in listed.ids)
    page.remaining = listed.remaining


def _key(table: Table, number: int, item: Message) -> int | None:
    """Return the id of an item that is listed as `number`; None for no item.

    TP03 and TP04 list the own board as 0. TP04 lists a queue 0 that stands for objects without one.
    """
    if isinstance(item, tp_pb2.Board):
        return item.id
    return number if number or table.name != "queues" else None
