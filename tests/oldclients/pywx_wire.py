"""Network library of the Python clients of 2007 to 2011.

It has their sequence numbers, lists and descriptions. Where the library would raise an error or wait forever, this one
raises `Lost` with a sentence. It forgives only what that library forgives.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from google.protobuf.message import Message

from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import TP03, Dialect
from tpproto.errors import FrameError, UnknownType
from tpproto.frames import BY_NAME
from tpproto.stream import FrameReader, RawFrame

CHUNK = 30
"""Ids in one request for a list."""
YEAR_10000 = 253_402_300_800
"""Times are turned into dates, which end there; a day less, for the time zone."""
GET_GAMES = 65
"""The frame number of GetGames, which the clients of 2008 send in TP03 too, where it is not defined."""


class Lost(Exception):
    """The client has raised, waits for ever, or is back in its log-in window; the message says why."""


class Link(Protocol):
    """A connection to a server: what is sent, and whatever has come since."""

    def send(self, data: bytes) -> None: ...

    def receive(self) -> bytes:
        """Return what has come. Raises Lost if nothing will come."""
        ...

    def close(self) -> None: ...


class Wire:
    """One connection. ``undescribed`` is called before a description is learnt; it may raise Lost."""

    def __init__(self, link: Link, dialect: Dialect, undescribed: Callable[[Message], None]) -> None:
        self.link = link
        self.dialect = dialect
        self.known = Descriptions()
        self.times: deque[tp.TimeRemaining] = deque()
        """TimeRemaining frames that nobody asked for, not looked at yet."""
        self._undescribed = undescribed
        self._reader = FrameReader(dialect=dialect)
        self._number = 1
        self._frames: dict[int, deque[RawFrame]] = {}

    # --- frames -----------------------------------------------------------------------------------------------------

    def send(self, name: str, message: Message | None = None, number: int = 0) -> int:
        """Send a request and return its sequence number, the next one if none is given."""
        kind = BY_NAME[name]
        body = self.dialect.encode_body(kind.number, message or kind.message(), self.known)
        return self.send_raw(kind.number, body, number)

    def send_raw(self, kind: int, body: bytes, number: int = 0) -> int:
        if not number:
            self._number += 1
            number = self._number
        self.link.send(self.dialect.header(number, kind, len(body)) + body)
        return number

    def receive(self, number: int) -> tuple[str, Any]:
        """Return the next frame of an answer. An order or object that is not described yet is asked about first."""
        while True:
            waiting = self._frames.get(number)
            if not waiting:
                self._read_more()
                continue
            raw = waiting[0]
            try:
                message = raw.decode(self.known)
            except UnknownType as unknown:
                self._describe(unknown, raw.sequence)
                continue
            except FrameError as error:
                raise Lost(f"frame {raw.kind} cannot be read: {error.text}") from None
            waiting.popleft()
            if not waiting:
                del self._frames[number]
            return self.dialect.kind(raw.kind).field, message

    def pump(self) -> None:
        """Wait for something that nobody asked for."""
        self._read_more()

    def _read_more(self) -> None:
        for event in self._reader.feed(self.link.receive()):
            if not isinstance(event, RawFrame):
                raise Lost(f"what came is no frame: {event.error.text}")
            if event.kind not in self.dialect.kinds:
                raise Lost(f"frame type {event.kind} is unknown to it")
            if event.sequence:
                self._frames.setdefault(event.sequence, deque()).append(event)
                continue
            message = event.decode(self.known)
            if not isinstance(message, tp.TimeRemaining):
                raise Lost(f"an unasked frame of type {event.kind}: only TimeRemaining may come unasked")
            self.times.append(message)

    def _describe(self, unknown: UnknownType, sequence: int) -> None:
        """Ask for a description in the middle of an answer, under the sequence number before that of the answer."""
        what = f"{unknown.kind} type {unknown.type_id}"
        if self.dialect is TP03 and unknown.kind == "object":
            raise Lost(f"{what} is none of the six that there are")
        request = BY_NAME[f"get_{unknown.kind}_desc"].field
        answer = self.things(request[4:], self.send(request, tp.GetWithID(ids=[unknown.type_id]), sequence - 1))
        if isinstance(answer, tp.Fail) or any(isinstance(one, tp.Fail) for one in answer):
            raise Lost(f"it waits for ever for the description of {what}")
        for description in answer:
            self.learn(description)

    def learn(self, description: Message) -> None:
        self._undescribed(description)
        if isinstance(description, tp.OrderDesc):
            self.known.learn_order(description)
        elif isinstance(description, tp.ObjectDesc):
            self.known.learn_object(description)

    # --- answers ----------------------------------------------------------------------------------------------------

    def things(self, kind: str, number: int) -> list[Any] | tp.Fail:
        """Return all that answers a request for things, Fail frames among them, or the one Fail that refuses it."""
        name, first = self.receive(number)
        if name == "fail":
            return first
        if name == kind:
            return [first]
        if name != "sequence_of":
            raise Lost(f"a frame {name} came where it had asked for {kind}")
        found = []
        for _ in range(first.number):
            name, message = self.receive(number)
            if name not in (kind, "fail"):
                raise Lost(f"a frame {name} came in a sequence of {kind}")
            found.append(message)
        return found

    def get(self, kind: str, ids: list[int]) -> list[Any] | tp.Fail:
        """Ask for things by their ids."""
        request = {"object": "get_objects_by_id", "board": "get_boards"}.get(kind, f"get_{kind}")
        frame = "classic_object" if kind == "object" and self.dialect is TP03 else kind
        return self.things(frame, self.send(request, tp.GetWithID(ids=ids)))

    def slots(self, kind: str, on: int, slots: list[int]) -> list[Any] | tp.Fail:
        """Ask for orders or messages."""
        return self.things(kind, self.ask_slots(kind, on, slots))

    def ask_slots(self, kind: str, on: int, slots: list[int]) -> int:
        """Send a request for orders or messages and do not wait for the answer."""
        return self.send(f"get_{kind}", tp.GetWithIDSlot(id=on, slots=slots))

    def okay(self, name: str, message: Message | None = None) -> tp.Okay | tp.Fail:
        """Ask for something that is answered with Okay or Fail."""
        answer: tp.Okay | tp.Fail = self.single(name, "okay", message)
        return answer

    def single(self, name: str, answer: str, message: Message | None = None) -> Any:
        """Ask for one frame of a kind; a Fail is returned too."""
        field, found = self.receive(self.send(name, message))
        if field not in (answer, "fail"):
            raise Lost(f"a frame {field} came as the answer to {name}")
        return found

    def games(self) -> list[Any] | tp.Fail:
        """Ask for the games: in TP03 too, where the answer can only be a Fail, after which the client goes on."""
        return self.things("game", self.send_raw(GET_GAMES, b""))

    def ids(self, kind: str) -> Iterator[tuple[int, int]]:
        """Return pairs of id and modification time: first asked how many there are, then in chunks."""
        name = f"get_{kind}_ids"
        first = self._id_sequence(name, tp.GetIDSequence(key=-1, start=0, amount=0, fromtime=-1))
        if first.key == -1:
            raise Lost(f"{name}: the key of a list is -1, with which a new one is begun")
        position, remaining = 0, first.remaining
        while remaining > 0:
            wanted = tp.GetIDSequence(key=first.key, start=position, amount=min(remaining, CHUNK), fromtime=-1)
            answer = self._id_sequence(name, wanted)
            if not answer.ids:
                raise Lost(f"{name}: a list says that {remaining} ids are left and has none of them")
            if answer.remaining >= remaining:
                raise Lost(f"{name}: it asks for ever, because the ids that are left do not grow fewer")
            remaining = answer.remaining
            for pair in answer.ids:
                position += 1
                if pair.modtime >= YEAR_10000 - 86_400:
                    raise Lost(f"{name}: the time {pair.modtime} of {kind} {pair.id} is no date")
                yield pair.id, pair.modtime

    def _id_sequence(self, name: str, message: tp.GetIDSequence) -> Any:
        answer = self.single(name, name[4:], message)
        if isinstance(answer, tp.Fail):
            raise Lost(f"{name} is refused: {answer.result}")
        return answer
