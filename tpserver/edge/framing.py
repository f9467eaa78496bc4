"""Either end of the link: from bytes to messages and back, and the agreement on a version.

What is said on it is in link.proto.  An end that gets something else closes the link, and says why in its log and to
the other end.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError
from twisted.internet.interfaces import IWriteDescriptor
from twisted.internet.protocol import Protocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpserver import __version__
from tpserver.edge import link_pb2 as link

VERSION = 1
"""The version of the link that is spoken here."""
OLDEST = 1
"""The oldest version that is understood here: that of the release before, so that either process can be replaced
first."""

LENGTH_BYTES = 4
MOST_MESSAGE_BYTES = 80 << 20
"""Maximum bytes of a message: above the largest frame that a configuration allows (`limits.frame_bytes`)."""

log = Logger()


class LinkError(Exception):
    """The other end of the link says something that cannot be; the message is one sentence."""


def packed(**content: Any) -> bytes:
    """Return the bytes of a message with one content, given by its name in link.proto.

    Raises LinkError if it is too long.
    """
    body = link.Message(**content).SerializeToString()
    if len(body) > MOST_MESSAGE_BYTES:
        raise LinkError(f"A message of {len(body)} bytes is too long for the link; {MOST_MESSAGE_BYTES} are the most.")
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


class MessageReader:
    """Finds the messages in a stream of bytes; holds at most one that is incomplete."""

    def __init__(self) -> None:
        self._pieces = bytearray()
        self._needed = LENGTH_BYTES

    def feed(self, data: bytes) -> list[link.Message]:
        """Return the messages that are complete with these bytes, in order.  Raises LinkError."""
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
                if size > MOST_MESSAGE_BYTES:
                    raise LinkError(f"A message of {size} bytes is announced; {MOST_MESSAGE_BYTES} are the most.")
                stop = start + LENGTH_BYTES + size
                if stop > end:
                    self._needed = stop - start
                    break
                try:
                    found.append(link.Message.FromString(bytes(view[start + LENGTH_BYTES : stop])))
                except DecodeError:
                    raise LinkError("What came over the link is no message of it.") from None
                start = stop
        del rest[:start]
        return found


def version_problem(theirs: link.Hello) -> str:
    """Return why two ends do not understand each other, as a sentence, or an empty text."""
    if theirs.version < OLDEST or theirs.oldest > VERSION or theirs.oldest > theirs.version:
        return (
            f"tpserver {theirs.software[:40]!r} speaks version {theirs.version} of the link between the processes of a "
            f"server and understands {theirs.oldest} and later; tpserver {__version__} speaks {VERSION} and understands"
            f" {OLDEST} and later. Stop the server and start it, which ends all connections."
        )
    return ""


class LinkEnd(Protocol):
    """One end.  A subclass says Hello, and takes messages in methods called after their content, such as `on_open`."""

    transport: Any
    who = "the other process"
    """Who is at the other end, for the log."""

    def __init__(self) -> None:
        self._reader = MessageReader()
        self._flush: Any = None
        self.agreed = False
        """Whether the other end has said Hello in a version that is understood."""
        self.is_open = False

    # --- for subclasses

    def hello(self) -> link.Hello:
        """Return what to say first."""
        return link.Hello(version=VERSION, oldest=OLDEST, software=__version__)

    def on_hello(self, hello: link.Hello) -> None:
        """Called when both ends have agreed."""

    def lost(self) -> None:
        """Called when the link is closed."""

    # --- IProtocol

    def connectionMade(self) -> None:
        self.is_open = True
        if IWriteDescriptor.providedBy(self.transport):
            self._flush = self.transport.doWrite
        self.say(hello=self.hello())

    def dataReceived(self, data: bytes) -> None:
        try:
            for message in self._reader.feed(data):
                if not self.is_open:
                    return
                self._take(message)
        except LinkError as error:
            self.refuse(str(error))

    def connectionLost(self, reason: Failure = Failure(ConnectionError())) -> None:  # type: ignore[no-untyped-call] # noqa: B008
        if self.is_open:
            self.is_open = False
        self._flush = None
        self.lost()

    # --- messages

    def say(self, **content: Any) -> None:
        """Send a message; does nothing if the link is closed.  Raises LinkError if it is too long."""
        if self.is_open:
            self.transport.write(packed(**content))

    def flush(self) -> None:
        """Have the transport send what was written now, and not when the reactor has asked whether it can."""
        if self._flush is not None and self.is_open:
            self._flush()

    def refuse(self, sentence: str) -> None:
        """Close the link, and tell both ends why."""
        log.error("The link to {who} is closed: {why}", who=self.who, why=sentence)
        self.say(refusal=link.Refusal(text=sentence[:1000]))
        self.close()

    def close(self) -> None:
        """Close the link after what was said is sent; nothing more is taken."""
        if self.is_open:
            self.is_open = False
            self.transport.loseConnection()

    def _take(self, message: link.Message) -> None:
        name = message.WhichOneof("content")
        if name is None:
            return  # of a newer version
        content = getattr(message, name)
        if name == "refusal":
            log.error("{who} has closed the link: {why}", who=self.who.capitalize(), why=content.text[:1000])
            self.close()
        elif name == "hello":
            problem = "Hello was said twice." if self.agreed else version_problem(content)
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
