"""Clients that play over a connection in memory, or misbehave.

Others watch, hang, flood, send garbage, and leave. Each does one thing when asked, chosen by the given source of
chance. It records its requests and the responses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from random import Random
from typing import Any

from google.protobuf.message import Message
from twisted.internet.error import ConnectionLost
from twisted.python.failure import Failure

from tests.support.connections import Transport
from tests.support.orders import argument, written
from tests.support.server_in_memory import DIALECTS
from tpproto import tp_pb2 as tp
from tpproto.dialects import JSON_STREAM, PB, TP03, TP04, Dialect
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tpproto.stream import Event, FrameReader, RawFrame, read_message
from tpserver.requests.session.decode_limits import CLASSIC
from tpserver.rules.descriptions import description_of

PLAYS, WATCHES, HANGS, FLOODS, RUBBISH, LEAVES = "plays", "watches", "hangs", "floods", "rubbish", "leaves"
MOST_BID = 3
"""Maximum bid in the auction."""
MOST_AT_ONCE = 4
"""Requests that a behaving client has on the way at most."""


class _Task:
    """The task of the scheduler for a connection with single messages, such as a WebSocket."""

    def __init__(self, connection: Any) -> None:
        self.queued = False
        self.connection = connection

    @property
    def payer(self) -> Any:
        return self.connection.payer

    def work(self, until: float) -> bool:
        return bool(self.connection.work(until))


class Wire:
    """A connection: bytes on their way in both directions, and the two ends.

    Bytes are neither doubled nor reordered; those that are on the way when it is cut are lost.
    """

    def __init__(self, number: int, life: Any, dialect: Dialect) -> None:
        self.number = number
        self.life = life
        self.dialect = dialect
        self.sent = bytearray()
        """Bytes that the client has written and the server has not received."""
        self.transport: Transport | None = None
        self.is_cut = False
        self.got = bytearray()
        """All that has come."""
        self.least_at_once = 0
        """Bytes that arrive together at least, if there are as many."""

        def connect() -> None:
            protocol = life.connections.buildProtocol(None)
            if protocol is not None:
                self.transport = Transport(protocol, f"192.0.2.{1 + number % 200}")

        life.do(connect)

    @property
    def server_is_gone(self) -> bool:
        """True if only bytes that the server has written already will arrive."""
        return bool(self.life.is_dead or self.transport is None or self.transport.gone or self.transport.is_ending)

    def deliver(self, amount: int) -> None:
        """Let some of what the client has written arrive."""
        transport = self.transport
        if self.is_cut or transport is None or transport.gone or self.life.is_dead or not transport.is_reading:
            return
        if self.dialect is JSON_STREAM:
            size = 4 + int.from_bytes(self.sent[:4], "big")
            if len(self.sent) < max(5, size):
                return
            data, self.sent = bytes(self.sent[4:size]), self.sent[size:]
            self.life.do(lambda: self._message(data))
            return
        amount = max(amount, self.least_at_once)
        data, self.sent = bytes(self.sent[:amount]), self.sent[amount:]
        self.life.do(lambda: None if transport.gone else transport.protocol.dataReceived(data))

    def _message(self, data: bytes) -> None:
        transport = self.transport
        if transport is None or transport.gone:
            return
        connection = transport.protocol
        connection.receive((read_message(JSON_STREAM, data, connection.reader_limits),), False)
        self.life.connections.scheduler.submit(_Task(connection))

    def read(self, amount: int) -> bytes:
        """Take some of what the server has written."""
        transport = self.transport
        if self.is_cut or transport is None:
            return b""
        amount = max(amount, self.least_at_once)
        if self.life.is_dead or self.life.is_standing:  # the system has it already
            data, transport.unread = transport.unread[:amount], transport.unread[amount:]
        else:
            taken: list[bytes] = []
            self.life.do(lambda: taken.append(transport.read(amount)))
            data = b"".join(taken)
        self.got += data
        return data

    @property
    def unread(self) -> int:
        return 0 if self.is_cut or self.transport is None else len(self.transport.unread)

    def cut(self) -> None:
        """End it: for the client at once, and the server finds out."""
        self.is_cut = True
        self.sent.clear()
        transport = self.transport
        if transport is not None and not transport.gone and not self.life.is_dead:

            def lost() -> None:
                if not transport.gone:
                    transport.gone = True
                    transport.protocol.connectionLost(Failure(ConnectionLost()))

            self.life.do(lost)


class Pending:
    """A request on its way, and the frames of its answer so far."""

    def __init__(self, request: int, what: str, then: Callable[[list[tuple[str, Any]]], None]) -> None:
        self.request = request
        self.what = what
        self.then = then
        self.frames: list[tuple[str, Any]] = []
        self.awaited = 1


class Program:
    """One client. ``world`` gives the time, a server to connect to and the games as they are."""

    def __init__(self, world: Any, name: str, game: Any, dialect: str, style: str) -> None:
        self.world = world
        self.number = len(world.programs)
        self.name = name
        self.title = f"{name} ({dialect}, {style})"
        self.game = game
        self.dialect_name = dialect
        self.style = style
        self.lookup = description_of(game.rules).lookup
        self.wire: Wire | None = None
        self.wires: list[tuple[Wire, int | None]] = []
        self.seat: int | None = None
        self.said = 0
        self.looks = () if style == PLAYS and name.endswith("0") else ("objects", "list", "queues")
        """Requests for queue lengths, so that the queues can be read as they were. Some clients send none."""

    # --- the connection

    def connect(self, at: Any = None) -> None:
        """Connect to a process, or to where the world says."""
        life = self.world.where_to_connect(self) if at is None else at
        if life is None:
            return
        name = self.dialect_name
        self.dialect: Dialect = {"padded": TP04, "json": JSON_STREAM}.get(name, DIALECTS[name])
        wire = Wire(self.world.next_connection(), life, self.dialect)
        if wire.transport is None:
            return
        wire.least_at_once = self.world.least_at_once(self)
        self.world.connected(self, wire)
        self.wire = wire
        self.reader = FrameReader(dialect=None if name == "json" else self.dialect)
        self._rest = b""
        self.sequence = 0
        self.waiting: dict[int, Pending] = {}
        self.is_in = False
        self.asked_in = False
        self.is_ready = name != "padded"
        self.tells_since = -1
        if self.dialect is PB:
            wire.sent += PB.greeting
        if name == "padded":
            self._ask("set_filters", tp.SetFilters(filters=[0x1D00]), self._padded)

    def _padded(self, frames: list[tuple[str, Any]]) -> None:
        self.is_ready = True
        if frames[0][0] == "okay":
            self.dialect = TP04.padded

    def hang_up(self) -> None:
        if self.wire is not None:
            wire, self.wire = self.wire, None
            wire.cut()
            self.world.heard(self, wire)

    def _ask(
        self,
        name: str,
        message: Message,
        then: Callable[[list[tuple[str, Any]]], None] = lambda frames: None,
        asked: tuple[str, Any] | None = None,
    ) -> None:
        """Send a request; ``asked`` is what it is for the history, ``then`` is called with the frames of its answer."""
        assert self.wire is not None
        kind = BY_NAME[name]
        if self.dialect.kinds.get(kind.number) is not kind:
            return  # a dialect of less
        self.sequence += 1
        payload = self.dialect.payload(kind.number, message, self.lookup)
        request = 0 if asked is None else self.world.asked(self, self.wire.number, *asked)
        self.waiting[self.sequence] = Pending(request, name, then)
        self.wire.sent += self.dialect.join_payloads(self.sequence, [payload])

    def read(self, amount: int) -> None:
        """Read some of what has come."""
        wire = self.wire
        if wire is None or self.style == HANGS:
            return
        if self.style == RUBBISH:
            wire.read(amount)
            if wire.server_is_gone and not wire.unread:
                self.hang_up()
            return
        for raw in self._frames(wire.read(amount)):
            if not isinstance(raw, RawFrame):
                raise AssertionError(f"{self.title} was sent what is no frame: {raw}")
            kind = raw.dialect.kind(raw.kind)
            self._got(raw.sequence, kind.field, self.dialect.decode_body(raw.kind, raw.body, self.lookup))
        if self.wire is wire and wire.server_is_gone and not wire.unread:
            self.hang_up()

    def _frames(self, data: bytes) -> Iterable[Event]:
        if self.dialect is not JSON_STREAM:
            yield from self.reader.feed(data)
            return
        self._rest += data
        while len(self._rest) >= 4 + (size := int.from_bytes(self._rest[:4], "big")) > 4:
            message, self._rest = self._rest[4 : 4 + size], self._rest[4 + size :]
            yield read_message(JSON_STREAM, message)

    def _got(self, sequence: int, name: str, message: Any) -> None:
        if name == "time_remaining" and self.dialect is not TP03 and self.wire is not None:
            self.world.told(self, self.wire.number, message.turn)
        if sequence == 0:
            return
        pending = self.waiting.get(sequence)
        if pending is None:
            if self.style == PLAYS:
                raise AssertionError(f"{self.title} got {name} for request {sequence}, which awaits nothing")
            return
        if name == "sequence_of" and not pending.frames:
            pending.awaited = message.number
        else:
            pending.frames.append((name, message))
        if len(pending.frames) == pending.awaited:
            del self.waiting[sequence]
            if pending.request:
                self.world.answered(pending.request, _is_done(pending), self._said(pending))
            pending.then(pending.frames)

    def _said(self, pending: Pending) -> Any:
        if pending.what == "get_order" and pending.request:
            kinds = {kind.number: kind for kind in self.game.rules.orders}
            queue = []
            for _, order in pending.frames:
                if isinstance(order, tp.Order):
                    kind = kinds[order.otype]
                    pairs = zip(kind.params.items(), order.parameters, strict=True)
                    queue.append([kind.name, {name: argument(param, value) for (name, param), value in pairs}])
            return [self.read_on, queue]
        return [[name, message.result if name in ("okay", "fail") else ""] for name, message in pending.frames]

    # --- what it does

    def act(self, chance: Random) -> None:
        """Do one thing."""
        if self.wire is None:
            self.connect()
            return
        if self.style == RUBBISH:
            self._send_rubbish(chance)
            return
        if not self.is_in:
            if self.style == LEAVES and chance.random() < 0.3:
                self.wire.sent += b"TP04\0\0"
                self.wire.deliver(1 << 20)
                self.hang_up()
            else:
                self.come_in()
            return
        if self.style == LEAVES and chance.random() < 0.2:
            self._something(chance)
            self.wire.sent = self.wire.sent[: -chance.randint(1, 9)]
            self.wire.deliver(1 << 20)
            self.hang_up()
        elif self.style == FLOODS:
            for _ in range(chance.randint(5, 40)):
                self._look(chance)
        elif len(self.waiting) < MOST_AT_ONCE or self.style == HANGS:
            self._something(chance)

    def come_in(self) -> None:
        """Log in, if that was not asked for yet."""
        if self.asked_in or not self.is_ready:
            return
        self.asked_in = True
        purpose = "/watch" if self.style == WATCHES else ""
        username = f"{self.name}@{self.game.name}{purpose}"
        self._ask("login", tp.Login(username=username, password=f"{self.name}'s word"), self._came_in)

    def _came_in(self, frames: list[tuple[str, Any]]) -> None:
        if frames[0][0] != "okay":
            self.asked_in = False
            return
        self.is_in = True
        if self.style != WATCHES:
            self._ask("get_player", tp.GetWithID(ids=[0]), self._is_me)

    def _is_me(self, frames: list[tuple[str, Any]]) -> None:
        if frames[0][0] == "player":
            seat = frames[0][1].id - 1
            if self.seat not in (None, seat):
                raise AssertionError(f"{self.title} sat on seat {self.seat}, and now sits on {seat}")
            self.seat = seat

    def _something(self, chance: Random) -> None:
        if self.style == WATCHES or self.seat is None:
            self._look(chance)
            return
        dice = chance.random()
        if dice < 0.38:
            self._insert(chance)
        elif dice < 0.46:
            self._remove(chance)
        elif dice < 0.62:
            self.finish()
        elif dice < 0.66 and self.dialect not in CLASSIC:
            self._ask("unfinish_turn", tp.UnfinishTurn(), asked=("unfinished", None))
        elif dice < 0.76:
            self._read_queue(chance)
        elif dice < 0.84:
            self._post(chance)
        else:
            self._look(chance)

    def ask_ahead(self, chance: Random) -> None:
        """Ask for something that cannot be done before what is asked behind it; then it must never be done."""
        order = self._order(chance)
        if order is None:
            return
        on = order[0]
        count = len(self.game.state.queues.get(on, ()))
        self._ask("remove_order", tp.GetWithIDSlot(id=on, slots=[count]), asked=("remove", [on, count]))
        self._give(*order, -1)
        if chance.random() < 0.5:
            self._post(chance)

    def finish(self) -> None:
        """Say that the turn is finished."""
        self._ask("finished_turn", tp.FinishedTurn(), asked=("finished", None))

    def _look(self, chance: Random) -> None:
        what = chance.choice(("time", "boards", "messages", "players", "ping", "spy", *self.looks))
        if what == "time":
            self._ask("get_time_remaining", tp.GetTimeRemaining(), partial(self._looked, self.world.step))
        elif what == "objects":
            self._is_told()
            self._ask("get_objects_by_id", tp.GetWithID(ids=range(6)))
        elif what == "spy":
            self.spy(chance)
        elif what == "boards":
            self._ask("get_boards", tp.GetWithID(ids=[0, 1, 2]))
        elif what == "messages":
            self._ask("get_message", tp.GetWithIDSlot(id=0, slots=range(chance.randint(1, 6))))
        elif what == "players":
            self._ask("get_player", tp.GetWithID(ids=[1, 2, 3]))
        elif what == "list":
            self._is_told()
            self._ask("get_object_ids", tp.GetIDSequence(key=-1, start=0, amount=-1, fromtime=-1))
        elif what == "queues":
            self._is_told()
            self._ask("get_order_queue", tp.GetWithID(ids=range(2, 8)))
        else:
            self._ask("ping", tp.Ping())

    def spy(self, chance: Random) -> None:
        """Ask for what belongs to others."""
        self._ask("get_order", tp.GetWithIDSlot(id=chance.randint(2, 9), slots=[0, 1, 2]))
        self._ask("get_message", tp.GetWithIDSlot(id=chance.randint(1, 4), slots=range(8)))

    def _looked(self, asked: int, frames: list[tuple[str, Any]]) -> None:
        name, message = frames[0]
        if name == "time_remaining" and self.dialect is not TP03:
            self.world.looked(self, asked, message.turn)

    def _is_told(self) -> None:
        if self.tells_since < 0:
            self.tells_since = self.world.step

    def _insert(self, chance: Random) -> None:
        order = self._order(chance)
        if order is None:
            return
        slot = -1
        if chance.random() < 0.2:
            slot = chance.randint(0, len(self.game.state.queues.get(order[0], ())))
        self._give(*order, slot)

    def _give(self, on: int, name: str, arguments: dict[str, Any], slot: int) -> None:
        kind = next(one for one in self.game.rules.orders if one.name == name)
        arguments = self.world.order_of(self, name, arguments)
        parameters = [written(param, arguments[word]) for word, param in kind.params.items()]
        message = tp.Order(id=on, slot=slot, otype=kind.number, parameters=parameters)
        self._ask("order_insert", message, asked=("insert", [on, name, arguments, slot]))

    def _order(self, chance: Random) -> tuple[int, str, dict[str, Any]] | None:
        rules, state = self.game.rules, self.game.state
        assert self.seat is not None
        if rules.name == "auction":
            on = 2 + self.seat
            if chance.random() < 0.3:
                others = range(2, 2 + self.game.seats)
                return on, "Gift", {"to": chance.choice(others), "coins": [[1, 1]]}
            return on, "Bid", {"gold": chance.randint(0, MOST_BID), "words": self._token()}
        if rules.name == "synthetic":
            rows = (state.world.objects - 2) // 3
            mine = [4 + 3 * row for row in range(rows) if row % state.world.seats == self.seat]
            return chance.choice(mine), "Work", {"effort": chance.randint(1, 100)}
        moves = list(rules.legal_orders(state.plan(self.seat))) if self.game.started and not state.over else []
        if not moves:
            return None
        order = chance.choice(moves)
        return order.on, order.type, {name: _plain(value) for name, value in order.args.items()}

    def _token(self) -> str:
        self.said += 1
        return f"zq{self.world.token(self.number, self.said):08x}"

    def _remove(self, chance: Random) -> None:
        mine = [on for on, queue in sorted(self.game.state.queues.items()) if queue and queue[0].seat == self.seat]
        if not mine:
            return
        on = chance.choice(mine)
        slot = chance.randrange(len(self.game.state.queues[on]))
        self._ask("remove_order", tp.GetWithIDSlot(id=on, slots=[slot]), asked=("remove", [on, slot]))

    def _read_queue(self, chance: Random) -> None:
        """Read the orders of one object, as many as there may be."""
        mine = [on for on, queue in sorted(self.game.state.queues.items()) if queue and queue[0].seat == self.seat]
        if not mine or any(one.what == "get_order" for one in self.waiting.values()):
            return
        self.read_on = chance.choice(mine)
        count = len(self.game.state.queues[self.read_on]) + 8
        self._ask(
            "get_order",
            tp.GetWithIDSlot(id=self.read_on, slots=range(count)),
            asked=("read", [self.read_on, self.tells_since]),
        )

    def _post(self, chance: Random) -> None:
        board = 1 + chance.randrange(self.game.seats)
        token = self.world.letter_of(self, board, self._token())
        assert self.seat is not None
        copy = self.dialect not in CLASSIC and board != self.seat + 1
        message = tp.Message(id=board, slot=-1, subject="a letter", body=token)
        self._ask("post_message", message, asked=("post", [board, token, copy]))

    def _send_rubbish(self, chance: Random) -> None:
        assert self.wire is not None
        kind = chance.randrange(4)
        if kind == 0:
            self.wire.sent += bytes(chance.randrange(256) for _ in range(chance.randint(1, 60)))
        elif kind == 1:
            self.wire.sent += b"TP04" + bytes(chance.randrange(256) for _ in range(12))
        elif kind == 2:
            self.wire.sent += b"TP03\0\0\0\1\0\0\0" + bytes([chance.randrange(80)]) + b"\0\0\0\4\0\0\0\1"
        else:
            self.hang_up()


def _is_done(pending: Pending) -> bool:
    """Return whether a request was done; of orders that were read, whether all that were there came."""
    fails = [message for name, message in pending.frames if name == "fail"]
    if pending.what == "get_order":
        return all(message.code == FailCode.NO_SUCH_THING for message in fails)
    return not fails


def _plain(value: Any) -> Any:
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value
