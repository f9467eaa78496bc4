"""The client's side of the protocol, without a socket.

It turns requests into bytes, and bytes into responses and events. It never waits, reads no clock and opens no
connection, so asyncio, threads and tests use the same session.
"""

from dataclasses import dataclass, field
from typing import TypeVar

from google.protobuf.message import Message

from tpclient.errors import BadArgument, ConnectionClosed, RequestFailed, UnexpectedAnswer
from tpproto import tp_pb2
from tpproto.descriptions import Descriptions
from tpproto.dialects import Dialect
from tpproto.errors import FrameError
from tpproto.frames import BY_NAME
from tpproto.stream import FrameReader, Limits, RawFrame

M = TypeVar("M", bound=Message)

LAST_SEQUENCE = 0xFFFFFFFF
"""The last sequence number. The next one is 1; 0 is for pushed frames."""

MOST_IN_ONE_ANSWER = 1_000_000
"""A Sequence frame that announces more than this is taken for a mistake."""

LONGEST_FRAME = 16 << 20
"""Maximum bytes of a body from a server."""

PARAMETER_AT_FAULT = -1000
"""The type of the reference that names a parameter of a refused order by its position (protocol/docs/errors.md)."""


@dataclass(frozen=True, slots=True)
class Request:
    """One frame for the server: `kind` is its field name in `Frame.body`, such as "get_objects_by_id"."""

    kind: str
    message: Message

    @property
    def title(self) -> str:
        """The frame's historical name."""
        return BY_NAME[self.kind].title


@dataclass(frozen=True, slots=True)
class Reply:
    """One frame from the server. `kind` is its field name in `Frame.body`.

    If the body could not be read, `message` is None, and `error` is the reason. Its type then has no description.
    """

    kind: str
    message: Message | None
    error: FrameError | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to one request, without its Sequence frame."""

    sequence: int
    request: Request
    replies: tuple[Reply, ...]

    def items(self, *wanted: type[M]) -> list[M | RequestFailed]:
        """Return the messages or refusals of a response, one for each requested thing, in order.

        The messages are of the types `wanted`. Raises UnexpectedAnswer for any other frame.
        """
        return [self._read(reply, wanted) for reply in self.replies]

    def present(self, wanted: type[M]) -> list[M]:
        """Return the messages without the refusals. Raises UnexpectedAnswer."""
        return [item for item in self.items(wanted) if not isinstance(item, RequestFailed)]

    def all_of(self, wanted: type[M]) -> list[M]:
        """Return the messages. Raises the first refusal, or UnexpectedAnswer."""
        found = []
        for item in self.items(wanted):
            if isinstance(item, RequestFailed):
                raise item
            found.append(item)
        return found

    def one(self, wanted: type[M]) -> M:
        """Return the only message of the response.

        Raises RequestFailed if the server refused. Raises UnexpectedAnswer if it sent anything but one frame of that
        type.
        """
        if len(self.replies) != 1:
            count = len(self.replies)
            raise UnexpectedAnswer(f"The server answered {self.request.title} with {count} frames, not one.")
        return self.all_of(wanted)[0]

    def _read(self, reply: Reply, wanted: tuple[type[M], ...]) -> M | RequestFailed:
        if isinstance(reply.message, wanted):
            return reply.message
        if isinstance(reply.message, tp_pb2.Fail):
            found = (one.id for one in reply.message.references if one.type == PARAMETER_AT_FAULT)
            return RequestFailed(reply.message.code, reply.message.result, self.request.title, next(found, None))
        if reply.error is not None:
            raise UnexpectedAnswer(f"An answer to {self.request.title} cannot be read: {reply.error.text}")
        due = wanted[0].DESCRIPTOR.name
        raise UnexpectedAnswer(f"The server answered {self.request.title} with {reply.kind}, not with {due}.")


@dataclass(frozen=True, slots=True)
class Unasked:
    """A pushed frame: TimeRemaining, or the Fail before the server closes the connection."""

    reply: Reply


@dataclass(slots=True)
class _Pending:
    request: Request
    missing: int = 1
    is_announced: bool = False
    replies: list[Reply] = field(default_factory=list)


class Session:
    """One conversation in one dialect.

    `request` assigns a sequence number and queues bytes, which `bytes_to_send` returns. `receive` takes arriving bytes,
    and returns complete responses and pushed frames in the order in which they ended. `descriptions` learns from
    OrderDesc and ObjectDesc frames. Orders and TP04 objects cannot be read before their description.
    """

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.descriptions = Descriptions()
        self.closing_words = ""
        """The text of the last pushed Fail. Servers send the reason before they close the connection."""
        self._numbers = {kind.field: kind.number for kind in dialect.kinds.values()}
        self._reader = FrameReader(Limits(frame=LONGEST_FRAME), dialect)
        self._has_heard = False
        self._outgoing = bytearray(dialect.greeting)
        self.last_sequence = 0
        """The number of the newest request."""
        self.unanswered: dict[int, _Pending] = {}
        """By number: the requests without a whole response."""

    def received(self, sequence: int) -> int:
        """Return the frames received of an unfinished response; 0 for others."""
        pending = self.unanswered.get(sequence)
        return len(pending.replies) if pending is not None else 0

    def request(self, request: Request) -> int:
        """Queue a request and return its sequence number.

        Raises BadArgument for a frame that the dialect lacks or whose values do not fit it.
        """
        number = self._numbers.get(request.kind)
        if number is None:
            raise BadArgument(f"{self.dialect.name} has no {request.title} frame.")
        try:
            body = self.dialect.encode_body(number, request.message, self.descriptions)
        except FrameError as error:
            raise BadArgument(f"{request.title} cannot be sent: {error.text}") from error
        sequence = self._next_sequence()
        self._outgoing += self.dialect.header(sequence, number, len(body)) + body + self.dialect.trailer
        self.unanswered[sequence] = _Pending(request)
        return sequence

    def bytes_to_send(self) -> bytes:
        """Return the bytes to write now, once."""
        data = bytes(self._outgoing)
        self._outgoing.clear()
        return data

    def receive(self, data: bytes) -> list[Answer | Unasked]:
        """Process bytes from the server.

        Raises UnexpectedAnswer for bytes that are no frame, and for frames that are no response. After that the stream
        is invalid and must be closed.
        """
        self._has_heard = self._has_heard or bool(data)
        complete: list[Answer | Unasked] = []
        for event in self._reader.feed(data):
            if not isinstance(event, RawFrame):
                problem = event.error
                raise UnexpectedAnswer(f"The server sent something that is no frame: {problem.text}") from problem
            reply = self._decode(event)
            if event.sequence == 0:
                if isinstance(reply.message, tp_pb2.Fail):
                    self.closing_words = reply.message.result
                complete.append(Unasked(reply))
            else:
                answer = self._add(event.sequence, reply)
                if answer is not None:
                    complete.append(answer)
        return complete

    def closed(self) -> ConnectionClosed:
        """Return the error for waiting callers after the connection has ended."""
        if not self._has_heard:
            return ConnectionClosed(
                "The server closed the connection without a word; if it speaks TLS there, the address begins with tps://."
            )
        why = f": {self.closing_words}" if self.closing_words else "."
        return ConnectionClosed(f"The server closed the connection{why}")

    def _next_sequence(self) -> int:
        sequence = self.last_sequence
        while True:
            sequence = 1 if sequence >= LAST_SEQUENCE else sequence + 1
            if sequence not in self.unanswered:
                self.last_sequence = sequence
                return sequence

    def _decode(self, frame: RawFrame) -> Reply:
        known = self.dialect.kinds.get(frame.kind)
        kind = known.field if known is not None else f"frame {frame.kind}"
        try:
            message = frame.decode(self.descriptions)
        except FrameError as error:
            return Reply(kind, None, error)
        self.descriptions.learn(message)
        return Reply(kind, message)

    def _add(self, sequence: int, reply: Reply) -> Answer | None:
        pending = self.unanswered.get(sequence)
        if pending is None:
            raise UnexpectedAnswer(f"The server answered request {sequence} with {reply.kind}, but nothing was asked.")
        if isinstance(reply.message, tp_pb2.Sequence) and not pending.is_announced:
            if reply.message.number > MOST_IN_ONE_ANSWER:
                raise UnexpectedAnswer(f"The server announced an answer of {reply.message.number} frames.")
            pending.is_announced = True
            pending.missing = reply.message.number
        else:
            pending.replies.append(reply)
            pending.missing -= 1
        if pending.missing:
            return None
        del self.unanswered[sequence]
        return Answer(sequence, pending.request, tuple(pending.replies))
