"""A small game server made of tpproto, for the tests of bots only: lists, orders and pushes as the real one has them.

`FakeServer` talks to connections in memory, `FakeGame` is what it serves: tables of messages that a
test fills in, and hooks for orders and finished turns. `TaeGame` draws a TaE position from text.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from google.protobuf.message import Message

from tpclient.connection import Connection
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import TP03, TP04, Dialect
from tpproto.errors import FrameError
from tpproto.frames import BY_NAME
from tpproto.stream import FrameReader, RawFrame
from tpproto.tp03_objects import to_classic

FOREVER = 2147483647

LISTS = {
    "get_object_ids": ("object_ids", "objects"),
    "get_order_desc_ids": ("order_desc_ids", "order_descs"),
    "get_object_desc_ids": ("object_desc_ids", "object_descs"),
    "get_board_ids": ("board_ids", "boards"),
    "get_resource_ids": ("resource_ids", "resources"),
    "get_category_ids": ("category_ids", "categories"),
    "get_design_ids": ("design_ids", "designs"),
    "get_component_ids": ("component_ids", "components"),
    "get_property_ids": ("property_ids", "properties"),
    "get_player_ids": ("player_ids", "players"),
    "get_order_queue_ids": ("order_queue_ids", "queues"),
}
ITEMS = {
    "get_objects_by_id": ("object", "objects"),
    "get_order_desc": ("order_desc", "order_descs"),
    "get_object_desc": ("object_desc", "object_descs"),
    "get_boards": ("board", "boards"),
    "get_resource": ("resource", "resources"),
    "get_category": ("category", "categories"),
    "get_design": ("design", "designs"),
    "get_component": ("component", "components"),
    "get_property": ("property", "properties"),
    "get_player": ("player", "players"),
    "get_order_queue": ("order_queue", "queues"),
}


class Refused(Exception):
    """The fake server is to answer with Fail."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class FakeGame:
    """What a fake server serves. The tables are by name and id; `hidden` keeps things from players.

    Override `accept` (an order is inserted or probed; raise Refused) and `closed` (all have finished).
    """

    def __init__(self, *players: str) -> None:
        self.descriptions = Descriptions()
        self.tables: dict[str, dict[int, Any]] = {name: {} for name in (table for _, table in LISTS.values())}
        self.times: dict[tuple[str, int], int] = {}
        self.gone: dict[tuple[str, int], int] = {}
        self.now = 1000
        self.turn = 1
        self.turn_name = ""
        self.seconds = FOREVER
        self.over = False
        self.finished: set[int] = set()
        self.orders: dict[int, list[tp.Order]] = {}
        self.given: list[tuple[int, str, int, tuple[int, ...]]] = []
        self.mail: dict[int, list[tp.Message]] = {}
        self.seats: list[int] = []
        self.comment = ""
        """What the list of games says of it."""
        self.tell: Callable[[int], None] = lambda reason: None
        for number, name in enumerate(players, 1):
            self.put("players", tp.Player(id=number, name=name, race="Human"))
            self.put("boards", tp.Board(id=number, name=f"{name}'s board"))
            self.mail[number] = []
            self.seats.append(number)

    # --- tables

    def put(self, table: str, thing: Any) -> None:
        """Add or change something; its modification time rises."""
        self.now += 1
        if isinstance(thing, tp.OrderDesc):
            self.descriptions.learn_order(thing)
        if isinstance(thing, tp.ObjectDesc):
            self.descriptions.learn_object(thing)
        if hasattr(thing, "modtime"):
            thing.modtime = self.now
        self.tables[table][thing.id] = thing
        self.times[table, thing.id] = self.now
        self.gone.pop((table, thing.id), None)

    def drop(self, table: str, number: int) -> None:
        self.now += 1
        del self.tables[table][number], self.times[table, number]
        self.gone[table, number] = self.now

    def hidden(self, player: int, table: str, number: int) -> bool:
        return table == "queues" and self.owner(number) != player

    def seen(self, player: int, table: str, number: int) -> Message:
        """A thing as a player sees it; Refused if there is none."""
        if number == 0 and table in ("players", "boards"):
            number = player
        if number not in self.tables[table] or self.hidden(player, table, number):
            raise Refused(6 if (table, number) in self.gone else 4, f"There is no {table} {number}.")
        thing: Message = self.tables[table][number]
        if table == "boards":
            assert isinstance(thing, tp.Board)
            thing.messages = len(self.mail[number])
        return thing

    def owner(self, number: int) -> int:
        """Who owns an object."""
        thing = self.tables["objects"].get(number)
        for parameter in thing.parameters if thing is not None else ():
            if parameter.WhichOneof("value") == "reference":
                return int(parameter.reference.id)
        return 0

    def listed(self, player: int, table: str, since: int) -> list[tuple[int, int]]:
        rows = {
            number: time
            for (name, number), time in self.times.items()
            if name == table and not self.hidden(player, table, number) and time > since
        }
        if since >= 0:
            rows |= {n: time for (name, n), time in self.gone.items() if name == table and time > since}
        return sorted(rows.items())

    # --- play

    @property
    def waiting(self) -> list[int]:
        return [] if self.over else [seat for seat in self.seats if seat not in self.finished]

    def clock(self, reason: int) -> tp.TimeRemaining:
        return tp.TimeRemaining(
            time=self.seconds, reason=reason, turn=self.turn, turn_name=self.turn_name, waiting=self.waiting
        )

    def accept(self, player: int, order: tp.Order) -> tp.Order:
        return order

    def closed(self) -> None:
        self.turn += 1

    def checked(self, player: int, order: tp.Order) -> tp.Order:
        queue = self.seen(player, "queues", order.id)
        assert isinstance(queue, tp.OrderQueue)
        if self.over:
            raise Refused(2, "The game is over.")
        if order.otype not in queue.order_types:
            raise Refused(2, "Not for this object.")
        return self.accept(player, order)

    def insert(self, player: int, order: tp.Order) -> tp.Order:
        order = self.checked(player, order)
        orders = self.orders.setdefault(order.id, [])
        order.slot = len(orders)
        orders.append(order)
        self.tables["queues"][order.id].num_orders = len(orders)
        self.given.append((player, self.descriptions.orders[order.otype].name, order.id, arguments(order)))
        return order

    def finish(self, player: int) -> None:
        if self.over:
            raise Refused(2, "The game is over.")
        self.finished.add(player)

    def close_if_done(self) -> None:
        if self.waiting or self.over:
            self.tell(2)
            return
        self.seconds, seconds = 0, self.seconds
        self.tell(3)
        self.finished.clear()
        self.orders.clear()
        for queue in self.tables["queues"].values():
            queue.num_orders = 0
        self.seconds = seconds
        self.closed()
        self.tell(1)

    def write(self, player: int, subject: str, body: str, writer: int = 0) -> None:
        """Put a report on a player's board, or a letter if a player is its writer."""
        message = tp.Message(id=player, slot=len(self.mail[player]), subject=subject, body=body, turn=self.turn)
        if writer:
            message.references.add(type=7, id=writer)
        self.mail[player].append(message)
        self.put("boards", self.tables["boards"][player])

    def remove_letters(self, player: int, *slots: int) -> None:
        """Take messages off a board, one after the other; those behind each move up."""
        for slot in slots:
            if slot >= len(self.mail[player]):
                raise Refused(4, f"There is no message {slot}.")
            del self.mail[player][slot]
            # Others, as messages that were sent before are not to change.
            copies = [tp.Message.FromString(one.SerializeToString()) for one in self.mail[player]]
            for number, one in enumerate(copies):
                one.slot = number
            self.mail[player] = copies
        self.put("boards", self.tables["boards"][player])


def arguments(order: tp.Order) -> tuple[int, ...]:
    """What an order names: objects, selections, numbers."""
    found: list[int] = []
    for value in order.parameters:
        which = value.WhichOneof("value")
        if which == "object":
            found.append(value.object.object_id)
        elif which == "list":
            found += [selection.id for selection in value.list.selection]
        elif which == "range":
            found.append(value.range.value)
    return tuple(found)


class _Wire:
    """One connection of a fake server: bytes in, bytes out."""

    def __init__(self, server: "FakeServer", send: Callable[[bytes], None]) -> None:
        self.server = server
        self.send = send
        self.reader = FrameReader()
        self.player = 0
        self.is_open = True
        self.delay = 0
        """Rounds of the event loop that everything takes to arrive."""

    def feed(self, data: bytes) -> None:
        for event in self.reader.feed(data):
            assert isinstance(event, RawFrame), event
            self.handle(event)

    def handle(self, frame: RawFrame) -> None:
        kind = frame.dialect.kind(frame.kind).field
        self.server.asked.append((self.player, kind))
        try:
            message = frame.decode(self.server.game.descriptions)
            answer = self.server.answer(self, kind, message)
        except Refused as refusal:
            answer = [("fail", tp.Fail(code=refusal.code, result=refusal.text))]
        except FrameError as error:
            answer = [("fail", tp.Fail(code=error.code, result=error.text))]
        if kind == "get_objects_by_id" or len(answer) != 1:
            answer.insert(0, ("sequence_of", tp.Sequence(number=len(answer))))
        self.write(frame.sequence, answer)
        if kind == "finished_turn":
            self.server.game.close_if_done()

    def write(self, sequence: int, answer: Iterable[tuple[str, Message]]) -> None:
        dialect = self.reader.dialect
        assert dialect is not None
        data = b""
        for name, message in answer:
            number = BY_NAME[name].number
            body = dialect.encode_body(number, self.dressed(dialect, message), self.server.game.descriptions)
            data += dialect.header(sequence, number, len(body)) + body + dialect.trailer
        self.send(data)

    def dressed(self, dialect: Dialect, message: Message) -> Message:
        if dialect is TP03 and isinstance(message, tp.Object):
            game = self.server.game
            queue = None if game.hidden(self.player, "queues", message.id) else game.tables["queues"].get(message.id)
            return to_classic(message, game.descriptions.objects[message.otype], message.otype, queue)
        return message


class FakeServer:
    """Serves one game. `connect` gives a connection that is logged in; `asked` lists all requests by player."""

    def __init__(self, game: FakeGame) -> None:
        self.game = game
        self.wires: list[_Wire] = []
        self.asked: list[tuple[int, str]] = []
        self.accounts: set[str] | None = None
        self.logins: list[str] = []
        self.passwords: list[str] = []
        self.welcome = "Welcome"
        self.reading: Callable[[], None] = lambda: None
        """Called before messages are told, as if another client had been quicker."""
        self.page = 1 << 20
        """The longest list of ids in one answer."""
        game.tell = self.push

    def link(self, dialect: Dialect = TP04, timeout: float = 240.0) -> Connection:
        """A connection in memory; nothing is said yet."""
        connection = Connection(dialect, timeout)
        wire = _Wire(self, lambda data: _soon(connection, wire, data))
        self.wires.append(wire)
        connection.attach(_Stream(wire))
        return connection

    async def connect(self, user: str, dialect: Dialect = TP04) -> Connection:
        connection = self.link(dialect)
        await connection.connect()
        await connection.login(user, "secret")
        return connection

    def push(self, reason: int) -> None:
        for wire in self.wires:
            if wire.player and wire.is_open:
                wire.write(0, [("time_remaining", self.game.clock(reason))])

    def answer(self, wire: _Wire, kind: str, message: Any) -> list[tuple[str, Message]]:
        game = self.game
        if kind == "login":
            names = {player.name: number for number, player in game.tables["players"].items()}
            name = message.username.partition("@")[0]
            self.logins.append(message.username)
            self.passwords.append(message.password)
            if name not in names or (self.accounts is not None and name not in self.accounts):
                raise Refused(5, "Wrong user name or password.")
            wire.player = names[name]
            return [("okay", tp.Okay(result=f"{self.welcome}, {name}"))]
        if kind == "create_account":
            assert self.accounts is not None
            self.accounts.add(message.username)
        if kind in ("connect", "ping", "create_account"):
            return [("okay", tp.Okay(result="Welcome"))]
        if kind == "get_features":
            return [("features", tp.Features(features=[5, 1000]))]
        if kind == "get_games":
            notes = [tp.GameParameter(id=5, string_value=game.comment)] if game.comment else []
            ours = tp.Game(name="one", tp=["0.4"], parameters=notes)
            return [("game", ours), ("game", tp.Game(name="two", tp=["0.4"]))]
        if not wire.player:
            raise Refused(3, "Log in first.")
        if kind == "get_time_remaining":
            return [("time_remaining", game.clock(0))]
        if kind in LISTS:
            return [self.listing(wire, kind, message)]
        if kind in ITEMS:
            name, table = ITEMS[kind]
            return [self.item(wire, name, table, number) for number in message.ids]
        if kind == "get_message":
            mail = game.mail[message.id or wire.player]
            self.reading()
            return [self.letter(mail, slot) for slot in message.slots]
        if kind == "remove_message":
            game.remove_letters(message.id or wire.player, *message.slots)
            return [("okay", tp.Okay(result="Removed")) for _ in message.slots]
        if kind == "post_message":
            game.write(message.id or wire.player, message.subject, message.body, wire.player)
            return [("okay", tp.Okay(result="Posted"))]
        if kind == "order_insert":
            order = game.insert(wire.player, message)
            return [("order", order)] if wire.reader.dialect is not TP03 else [("okay", tp.Okay(result="Inserted"))]
        if kind == "order_probe":
            return [("order", game.checked(wire.player, message))]
        if kind == "get_order":
            return [("order", game.orders[message.id][slot]) for slot in message.slots]
        if kind == "remove_order":
            for slot in message.slots:  # one after the other, as given
                if slot >= len(game.orders.get(message.id, ())):
                    raise Refused(4, f"There is no order {slot}.")
                del game.orders[message.id][slot]
                game.tables["queues"][message.id].num_orders -= 1
            return [("okay", tp.Okay(result="Removed")) for _ in message.slots]
        if kind == "finished_turn":
            game.finish(wire.player)
            return [("okay", tp.Okay(result="Finished"))]
        raise Refused(0, f"No {kind} here.")

    def letter(self, mail: list[tp.Message], slot: int) -> tuple[str, Message]:
        if slot >= len(mail):
            return "fail", tp.Fail(code=4, result=f"There is no message {slot}.")
        return "message", mail[slot]

    def listing(self, wire: _Wire, kind: str, message: tp.GetIDSequence) -> tuple[str, Message]:
        name, table = LISTS[kind]
        rows = self.game.listed(wire.player, table, message.fromtime)
        amount = min(self.page, len(rows) if message.amount == -1 else message.amount)
        page = rows[message.start : message.start + amount]
        ids = [tp.IdAndTime(id=number, modtime=time) for number, time in page]
        left = max(0, len(rows) - message.start - len(page))
        return name, tp.IDSequence(key=7, remaining=left, ids=ids, fromtime=self.game.now)

    def item(self, wire: _Wire, name: str, table: str, number: int) -> tuple[str, Message]:
        try:
            thing = self.game.seen(wire.player, table, number)
        except Refused as refusal:
            return "fail", tp.Fail(code=refusal.code, result=refusal.text)
        return ("classic_object" if name == "object" and wire.reader.dialect is TP03 else name), thing


class _Stream:
    def __init__(self, wire: _Wire) -> None:
        self.wire = wire

    def write(self, data: bytes) -> None:
        if self.wire.is_open:
            self.wire.feed(data)

    def close(self) -> None:
        self.wire.is_open = False


def _soon(connection: Connection, wire: _Wire, data: bytes) -> None:
    def arrive(rounds: int) -> None:
        if rounds:
            asyncio.get_running_loop().call_soon(arrive, rounds - 1)
        elif wire.is_open:
            connection.received(data)

    asyncio.get_running_loop().call_soon(arrive, wire.delay)


# --- TaE positions ----------------------------------------------------------------------------------------------------

TYPES = "msprMSPR"
SHIPS = ("MerchantShip", "ScientistShip", "SettlerShip", "MiningShip")
LEADERS = ("MerchantLeaderShip", "ScientistLeaderShip", "SettlerLeaderShip", "MiningLeaderShip")
UNKNOWN = 10
ORDERS = ("ColonizeMining", "Colonize", "Move", "Attack", "Reinforce", "Exchange")
_POSITION, _QUEUE, _RESOURCES, _REFERENCE, _SHIPS, _INTEGER, _SIZE = 0, 4, 5, 6, 7, 8, 9


class TaeGame(FakeGame):
    """A TaE position, drawn as on the rules page: rows from the north with `.` free, `#` uninhabitable, `x` destroyed,
    colonies `m s p r`, `1M` the merchant leader of the second player, `*` an artifact; `hands` as `mmsspr`."""

    def __init__(self, rows: str, *hands: str, combat: str = "", pool: int = 100) -> None:
        super().__init__(*(f"player{seat}" for seat in range(len(hands))))
        self.combat = combat
        self.actions = 2
        self.systems: dict[tuple[int, int], int] = {}
        self.hands: list[list[int]] = [[] for _ in hands]
        self.leaders: dict[str, int] = {}
        self.bombers: list[list[int]] = [[] for _ in hands]
        self.homes: list[int] = []
        self._next = 0
        self._describe()
        self._add(0, "The Universe", 0, (0, 0, 0), [_number(self.turn)])
        galaxy = self._add(1, "The Fertile Galaxy", 0, (0, 0, 0), [_number(pool)])
        squares = [row.split() for row in rows.split("/")]
        for y, row in enumerate(reversed(squares)):
            for x, square in enumerate(row):
                self._add_square(galaxy, x, y, square)
        for seat, hand in enumerate(hands):
            self._add_player(galaxy, seat, hand, bombs=2)

    def _describe(self) -> None:
        def group(name: str, *parameters: tuple[str, int]) -> tp.PropertyGroup:
            rows = [tp.ParameterDesc(name=title, type=number) for title, number in parameters]
            return tp.PropertyGroup(name=name, parameters=rows)

        place = group("Positional", ("Position", _POSITION), ("Size", _SIZE))
        owner = group("Ownership", ("Owner", _REFERENCE))
        queue = group("Orders", ("Order Queue", _QUEUE))
        kinds = (
            ("Universe", [place, group("Informational", ("Year", _INTEGER))]),
            ("Galaxy", [place, group("Informational", ("Ships", _INTEGER))]),
            (
                "Star System",
                [place, group("Status", ("Inhabitable", _INTEGER), ("Destroyed", _INTEGER), ("Region", _INTEGER))],
            ),
            ("Planet", [place, owner, queue, group("Resources", ("Resource List", _RESOURCES))]),
            ("Fleet", [place, owner, queue, group("Ships", ("Ship List", _SHIPS), ("Damage", _INTEGER))]),
        )
        for number, (name, groups) in enumerate(kinds):
            self.put("object_descs", tp.ObjectDesc(id=number, name=name, property_groups=groups))
        for number, name in enumerate(ORDERS):
            target = tp.ParameterDesc(name="Star System", type=2)
            ships = tp.ParameterDesc(name="Ships", type=6)
            parameters = {"Reinforce": [], "Exchange": [ships]}.get(name, [target])
            self.put("order_descs", tp.OrderDesc(id=number, name=name, parameters=parameters))
        for number, name in enumerate((*SHIPS, *LEADERS, "Bomber", "ColonistShip"), 1):
            self.put("designs", tp.Design(id=number, name=name))

    def _add(
        self, kind: int, name: str, parent: int, at: tuple[int, int, int], values: list[tp.ObjectParameter]
    ) -> int:
        number = self._next
        self._next += 1
        x, y, z = at
        vector = tp.RelativeVector(vector=tp.Vector(x=x, y=y, z=z))
        place = [tp.ObjectParameter(position=vector), tp.ObjectParameter(size=tp.ObjectSize(size=2))]
        thing = tp.Object(id=number, otype=kind, name=name, parent=parent, parameters=[*place, *values])
        if number:
            self.tables["objects"][parent].contains.append(number)
        self.put("objects", thing)
        return number

    def _add_square(self, galaxy: int, x: int, y: int, square: str) -> None:
        body = square.rstrip("*")
        resources = [*([1] if body in "#r" else []), *([2] if body == "x" else []), *([3] if square != body else [])]
        if body in "mspr":
            resources.append(4 + TYPES.index(body))
        at = (1 + 80000 * x, 1 + 80000 * (y + 1), 0)
        status = [_number(body not in "#r"), _number(body == "x"), _number(0)]
        system = self.systems[x, y] = self._add(2, f"{x}, {y}", galaxy, at, status)
        self._add(3, f"Planet {x}, {y}", system, at, [_owner(0), _queue(0), _resources(resources)])
        if len(body) == 2:
            kind = TYPES.index(body[1]) - 4
            self.leaders[body] = self._add_fleet(system, at, int(body[0]), 5 + kind, "Leader")

    def _add_player(self, galaxy: int, seat: int, hand: str, bombs: int) -> None:
        at = (1 + 80000 * (seat + 1), 1, 0)
        name = f"player{seat}"
        home = self._add(2, f"{name}'s System", galaxy, at, [_number(1), _number(0), _number(0)])
        self.homes.append(home)
        planet = self._next
        self._add(3, f"{name}'s Home Planet", home, at, [_owner(seat + 1), _queue(planet), _resources([8])])
        self._add_queue(planet, [] if self.combat else [5])
        for letter in hand:
            self.hands[seat].append(self._add_fleet(planet, at, seat, 1 + TYPES.index(letter), "Colonist Fleet"))
        for kind in range(4):
            if f"{seat}{TYPES[4 + kind]}" not in self.leaders:
                label = f"{seat}{TYPES[4 + kind]}"
                self.leaders[label] = self._add_fleet(planet, at, seat, 5 + kind, "Leader")
        self.bombers[seat] = [self._add_fleet(planet, at, seat, 9, "Bomber") for _ in range(bombs)]

    def _add_fleet(self, parent: int, at: tuple[int, int, int], seat: int, design: int, name: str) -> int:
        number = self._next
        ships = tp.ReferenceQuantityList(references=[tp.ReferenceQuantity(type=9, id=design, number=1)])
        values = [_owner(seat + 1), _queue(number), tp.ObjectParameter(reference_quantity_list=ships), _number(0)]
        self._add(4, name, parent, at, values)
        if self.combat:
            kinds = [4] if design <= 4 and TYPES[design - 1] == self.combat else []
        elif design <= 4:
            kinds = [0 if design == 4 else 1]
        else:
            kinds = [2 if design < 9 else 3]
        self._add_queue(number, kinds)
        return number

    def _add_queue(self, number: int, kinds: list[int]) -> None:
        self.put("queues", tp.OrderQueue(id=number, max_slots=100, order_types=kinds))

    def accept(self, player: int, order: tp.Order) -> tp.Order:
        if not self.combat and sum(given[0] == player for given in self.given) >= self.actions:
            raise Refused(3, "You have given all orders of this turn.")
        return order

    def seen(self, player: int, table: str, number: int) -> Message:
        thing = super().seen(player, table, number)
        if isinstance(thing, tp.Object) and thing.otype == 4 and self.owner(number) != player:
            hidden = tp.Object()
            hidden.CopyFrom(thing)
            ships = hidden.parameters[4].reference_quantity_list.references
            if ships[0].id <= 4:
                ships[0].id = UNKNOWN
            hidden.parameters[3].order_queue.queue_id = 0
            return hidden
        return thing

    def read(self) -> list[tuple[str, str, object]]:
        """The orders given, in the words of the rules page: order, piece, and square or pieces."""
        pieces = {fleet: label for label, fleet in self.leaders.items()}
        for seat, hand in enumerate(self.hands):
            for fleet in hand:
                design = self.tables["objects"][fleet].parameters[4].reference_quantity_list.references[0].id
                pieces[fleet] = f"{seat}{TYPES[design - 1]}"
        squares = {number: square for square, number in self.systems.items()}
        found: list[tuple[str, str, object]] = []
        for _, name, carrier, named in self.given:
            target: object = squares.get(named[0], named[0]) if name in ORDERS[:4] else len(named)
            found.append((name, pieces.get(carrier, str(carrier)), target))
        return found


def _number(value: int) -> tp.ObjectParameter:
    return tp.ObjectParameter(integer=tp.ObjectInteger(value=int(value)))


def _owner(player: int) -> tp.ObjectParameter:
    return tp.ObjectParameter(reference=tp.Reference(type=7, id=player))


def _queue(number: int) -> tp.ObjectParameter:
    return tp.ObjectParameter(order_queue=tp.ObjectOrderQueue(queue_id=number))


def _resources(numbers: list[int]) -> tp.ObjectParameter:
    rows = [tp.ObjectResource(id=number, stored=1) for number in numbers]
    return tp.ObjectParameter(resource_list=tp.ObjectResourceList(resources=rows))


# --- fixtures


@pytest.fixture
def fake_game() -> type[FakeGame]:
    return FakeGame


@pytest.fixture
def fake_server() -> type[FakeServer]:
    return FakeServer


@pytest.fixture
def tae_game() -> type[TaeGame]:
    return TaeGame


@pytest.fixture
def refused() -> type[Refused]:
    return Refused
