"""Framing of the link: bytes to messages and back, and its version.

link.proto defines the messages. An end that receives an invalid message closes the link. It gives the reason to its log
and to the other end.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from google.protobuf.message import DecodeError
from twisted.internet.interfaces import IPullProducer, IWriteDescriptor
from twisted.internet.protocol import Protocol
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer  # type: ignore[import-untyped] # zope.interface has no annotations

from tpserver import __version__
from tpserver.concurrency import Clock, Timer
from tpserver.portal import link_pb2 as link
from tpserver.wire.net.connection import is_secure

VERSION = 1
"""The version of the link that is used here."""
OLDEST = 1
"""The oldest supported version: that of the release before, so that either process can be replaced first."""

LENGTH_BYTES = 4
MOST_MESSAGE_BYTES = 80 << 20
"""Maximum bytes of a message: above the largest frame that a configuration allows (`limits.frame_bytes`)."""

HELLO_BYTES = 16 << 10
"""Maximum bytes of a message before the other end, which is not trusted yet, has sent Hello."""

log = Logger()


class LinkError(Exception):
    """The other end of the link has sent an invalid message. The message is one sentence."""


def packed(**content: Any) -> bytes:
    """Return the bytes of a message with one content, given by its name in link.proto.

    Raises LinkError if it is too long.
    """
    body = link.Message(**content).SerializeToString()
    if len(body) > MOST_MESSAGE_BYTES:
        raise LinkError(f"A message of {len(body)} bytes is too long for the link; {MOST_MESSAGE_BYTES} are the most.")
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


class MessageReader:
    """Finds the messages in a stream of bytes; keeps at most one incomplete message.

    While ``is_strange`` it returns one short message at a time. The rest of the bytes waits for another call.
    """

    def __init__(self, *, is_strange: bool = False) -> None:
        self.is_strange = is_strange
        self._pieces = bytearray()
        self._needed = LENGTH_BYTES

    def feed(self, data: bytes) -> list[link.Message]:
        """Return the messages that are complete with these bytes, in order. Raises LinkError."""
        rest = self._pieces
        rest += data
        if len(rest) < self._needed:
            return []
        found = []
        start, end = 0, len(rest)
        with memoryview(rest) as view:
            while True:
                if end - start < LENGTH_BYTES:
                    self._needed = LENGTH_BYTES
                    break
                size = int.from_bytes(view[start : start + LENGTH_BYTES], "big")
                most = HELLO_BYTES if self.is_strange else MOST_MESSAGE_BYTES
                if size > most:
                    raise LinkError(f"A message of {size} bytes is announced; {most} are the most.")
                stop = start + LENGTH_BYTES + size
                if stop > end:
                    self._needed = stop - start
                    break
                try:
                    found.append(link.Message.FromString(bytes(view[start + LENGTH_BYTES : stop])))
                except DecodeError:
                    raise LinkError("What came over the link is no message of it.") from None
                start = stop
                if self.is_strange:
                    self._needed = LENGTH_BYTES
                    break
        del rest[:start]
        return found


def version_problem(theirs: link.Hello) -> str:
    """Return a sentence with the reason why two ends have no common version, or an empty text."""
    if theirs.version < OLDEST or theirs.oldest > VERSION or theirs.oldest > theirs.version:
        return (
            f"tpserver {theirs.software[:40]!r} speaks version {theirs.version} of the link between the processes of a "
            f"server and understands {theirs.oldest} and later; tpserver {__version__} speaks {VERSION} and understands"
            f" {OLDEST} and later. Stop the server and start it, which ends all connections."
        )
    return ""


@implementer(IPullProducer)
class LinkEnd(Protocol):
    """One end. A subclass sends Hello, and handles messages in methods named after their content, such as `on_open`."""

    transport: Any
    who = "the other process"
    """Name of the other end, for the log."""
    cluster = ""
    """The cluster of both ends; empty: they are two processes of one server."""

    def __init__(self, clock: Clock) -> None:
        self._reader = MessageReader(is_strange=True)
        self._clock = clock
        self._unsent: list[bytes] = []  # sent in this turn of the reactor
        self._flushing: Timer | None = None
        self._send: Callable[[bytes], int | Exception] | None = None  # sends at once as much as the system accepts
        self._is_buffered = False  # the transport has bytes that the system has not accepted
        self._was_registered = False
        self.agreed = False
        """True after the other end has sent a Hello with a known version."""
        self.is_open = False

    # --- for subclasses

    def hello(self) -> link.Hello:
        """Return the first message."""
        return link.Hello(version=VERSION, oldest=OLDEST, software=__version__, cluster=self.cluster)

    def begin(self) -> None:
        """Called when the link is open."""
        self.say(hello=self.hello())

    def on_hello(self, hello: link.Hello) -> None:
        """Called when both ends have agreed."""

    def lost(self) -> None:
        """Called when the link is closed."""

    # --- IProtocol

    def connectionMade(self) -> None:
        self.is_open = True
        if IWriteDescriptor.providedBy(self.transport) and not is_secure(self.transport):
            self._send = self.transport.writeSomeData
        self.begin()

    def dataReceived(self, data: bytes) -> None:
        try:
            messages = self._reader.feed(data)
            while messages:
                was_strange = self._reader.is_strange
                for message in messages:
                    if not self.is_open:
                        return
                    self._take(message)
                self._reader.is_strange = not self.agreed
                messages = self._reader.feed(b"") if was_strange else []
        except LinkError as error:
            self.refuse(str(error))

    def connectionLost(self, reason: Failure = Failure(ConnectionError())) -> None:  # type: ignore[no-untyped-call] # noqa: B008
        self.is_open = False
        self._send = None
        self._unsent.clear()
        self.lost()

    # --- messages

    def say(self, **content: Any) -> None:
        """Send a message, with all others of this turn of the reactor; without effect on a closed link.

        Raises LinkError if it is too long.
        """
        self.put(**content)
        self.flush_soon()

    def put(self, **content: Any) -> None:
        """Like `say`, but the caller calls `flush` or `flush_soon` afterwards."""
        if self.is_open:
            self._unsent.append(packed(**content))

    def flush_soon(self) -> None:
        """Send the messages at the end of this turn of the reactor."""
        if self._flushing is None and self._unsent:
            self._flushing = self._clock.callLater(0, self._flush_at_the_end)

    def flush(self) -> None:
        """Send the messages now.

        The system gets them directly, and the transport only the rest. To ask the reactor first whether the link is
        writable would cost as much as all the rest of a relayed request.
        """
        if not self._unsent or not self.is_open:
            return
        data = self._unsent[0] if len(self._unsent) == 1 else b"".join(self._unsent)
        self._unsent.clear()
        if self._send is not None and not self._is_buffered:
            sent = self._send(data)
            if sent == len(data):
                return
            data = data[sent:] if isinstance(sent, int) else data  # the reactor sees an error as well
        self.transport.write(data)
        if self._send is not None and not self._is_buffered:
            self._is_buffered = True
            self.transport.registerProducer(self, False)

    def _flush_at_the_end(self) -> None:
        self._flushing = None
        self.flush()

    # --- IPullProducer: the transport calls it when it has sent everything, and once before

    def resumeProducing(self) -> None:
        if self._is_buffered and not self._was_registered:
            self._was_registered = True
        elif self._is_buffered:
            self._is_buffered = self._was_registered = False
            self.transport.unregisterProducer()

    def stopProducing(self) -> None:
        """The link is closed; `connectionLost` follows."""

    def refuse(self, sentence: str) -> None:
        """Close the link, and give the reason to both ends."""
        log.error("The link to {who} is closed: {why}", who=self.who, why=sentence)
        self.say(refusal=link.Refusal(text=sentence[:1000]))
        self.close()

    def close(self) -> None:
        """Close the link after its messages are sent. It accepts no more messages."""
        if self.is_open:
            self.flush()
            self.is_open = False
            self.transport.loseConnection()

    def _take(self, message: link.Message) -> None:
        name = message.WhichOneof("content")
        if name is None:
            return  # from a newer version
        content = getattr(message, name)
        if name == "refusal":
            log.error("{who} has closed the link: {why}", who=self.who.capitalize(), why=content.text[:1000])
            self.close()
        elif name == "hello":
            problem = "Hello was said twice." if self.agreed else version_problem(content)
            if not problem and not secrets.compare_digest(content.cluster.encode(), self.cluster.encode()):
                problem = "The other end is a node of another cluster, which has another database."
            if problem:
                raise LinkError(problem)
            self.agreed = True
            self.on_hello(content)
        elif not self.agreed:
            raise LinkError(f"The link begins with Hello, not with {name}.")
        else:
            handler = getattr(self, f"on_{name}", None)
            if handler is None:
                raise LinkError(f"{name.capitalize()} is not for this end of the link.")
            handler(content)
