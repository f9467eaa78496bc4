"""Administration protocol of 2008, for consoles.

A console logs in, asks for the commands, sends commands and follows the log. FRAMES.md describes the frames under
"Administration". `tpserver.wire.net` limits bytes, connections and idle time as for players. These limits are separate,
so that players cannot lock the operator out.
"""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from google.protobuf.message import Message
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpproto import Descriptions
from tpproto import tp_pb2 as tp
from tpproto.dialects import ADMIN_DIALECTS, TP03, Dialect
from tpproto.errors import FailCode, FrameError
from tpproto.frames import ADMIN
from tpproto.stream import RawFrame
from tpserver import __version__
from tpserver.accounts.passwords import forms_of
from tpserver.accounts.pauses import Pauses
from tpserver.addresses import network_of
from tpserver.admin.console_commands import NUMBERED, arguments, described
from tpserver.admin.context import AdminContext
from tpserver.admin.log_stream import LogLine, LogStream
from tpserver.admin.operations import perform
from tpserver.admin.socket_protocol import OperationError
from tpserver.concurrency import Clock, Timer
from tpserver.network_counts import levels_of
from tpserver.wire.net.connection import Connection, SessionFactory
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import KIB, MIB, ConnectionLimiter, Limits

log = Logger()

BY_CONSOLE = "a console"
"""Actor in the audit for actions from a console."""

LIMITS = Limits(
    frame_bytes=64 * KIB,
    connections=16,
    connections_per_address=8,
    pipeline=64,
    unsent_bytes=MIB,
    waiting_bytes=8 * MIB,
)
"""The limits of consoles, each and together."""

SHORTEST_PASSWORD, LONGEST_PASSWORD = 12, 1024
"""Minimum and maximum characters of the operator's password."""

MOST_ATTEMPTS = 10
"""Maximum wrong passwords per connection; then it is closed."""

MOST_OUTPUT = 256 * KIB
"""Maximum characters of a command's output; the rest is cut."""

LOGIN_SECONDS = 120.0
"""Maximum seconds from the beginning of a connection to its login."""

YOUNG_SECONDS = 10.0
"""Seconds for which a connection without a login keeps its place: time to type a password."""

KEY = 1
"""The key of the list of commands, which is always the same list."""

NUMBERS = {kind.field: kind.number for kind in ADMIN.values()}
FAULT = "the server met an unexpected error; its log has the whole story"


class ConsoleError(Exception):
    """Consoles cannot be served; the message is one sentence."""


def read_password(path: Path) -> str:
    """Return the password in a file: its first line. Raises ConsoleError."""
    try:
        text = path.read_bytes()[: 4 * LONGEST_PASSWORD + 5].decode().removeprefix("\ufeff")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ConsoleError(f"admin.password is {path}, which cannot be read: {reason}") from None
    except UnicodeDecodeError:
        raise ConsoleError(f"admin.password is {path}, which is not UTF-8 text") from None
    password = text.partition("\n")[0].rstrip("\r")
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD or any(letter.isspace() for letter in password):
        raise ConsoleError(
            f"admin.password is {path}, whose first line has to be a password of {SHORTEST_PASSWORD} to "
            f"{LONGEST_PASSWORD} characters without spaces, which consoles cannot send"
        )
    return password


class ConsoleConnections(ConnectionFactory):
    """Connections of consoles.

    Those without a login end soon. They also end if another connection needs the place.
    """

    def __init__(self, session_factory: SessionFactory, limits: Limits, clock: Clock) -> None:
        limiter = ConnectionLimiter(limits, is_trusted=self._has_operator, make_room=self._make_room)
        super().__init__(session_factory, limits, clock, limiter=limiter)
        self._begun: dict[Connection, tuple[float, Timer]] = {}
        """Time when each connection began, the oldest first, and the timer of its login."""

    def buildProtocol(self, address: IAddress | None) -> Connection | None:  # type: ignore[override] # it is one
        connection = super().buildProtocol(address)
        if connection is not None:
            timer = self._clock.callLater(LOGIN_SECONDS, self._end_silent, connection)
            self._begun[connection] = self.seconds(), timer
        return connection

    def forget(self, connection: Connection) -> None:
        super().forget(connection)
        begun = self._begun.pop(connection, None)
        if begun is not None and begun[1].active():
            begun[1].cancel()

    def _end_silent(self, connection: Connection) -> None:
        if connection.is_silent:
            connection.give_way()
        self._begun.pop(connection, None)

    def _has_operator(self, address: str) -> bool:
        """Return whether a console is logged in from an address: only operators can log in."""
        return any(one.network == network_of(address) and one.logged_in for one in self.connections)

    def _make_room(self, network: str) -> None:
        """Close the oldest connection without a login of this network.

        If the network has none and the server is full, close one of the network with most such connections. Connections
        younger than YOUNG_SECONDS stay.
        """
        now = self.seconds()
        silent = [one for one, (begun, _) in self._begun.items() if one.is_silent and begun + YOUNG_SECONDS <= now]
        chosen = [one for one in silent if network in dict(levels_of(one.network))]
        if not chosen and self.limiter.count >= self.limits.connections:
            counts = Counter(one.network for one in silent)
            most = max(counts, key=counts.__getitem__, default="")
            chosen = [one for one in silent if one.network == most]
        if chosen:
            chosen[0].give_way()


class Consoles:
    """All consoles of a server, and their shared state; `factory` is the Twisted factory of their connections."""

    def __init__(
        self,
        clock: Clock,
        in_reactor: Callable[[Callable[[], None]], object],
        context: Callable[[], AdminContext],
        user: str,
        password: str,
        log_level: str,
        now: Callable[[], float],
        limits: Limits = LIMITS,
    ) -> None:
        """Create the factory, the log stream and the descriptions of the commands.

        `clock` is the reactor. `in_reactor` schedules a call of a function in the reactor, from any thread. `context`
        is called for each command. `now` returns unix seconds.
        """
        self.context = context
        self.pauses = Pauses(clock.seconds)
        self.modtime = int(now())
        """Time of the last change of the commands' descriptions."""
        self.watching: set[Console] = set()
        self.stream = LogStream(in_reactor, self._tell, log_level)
        self.factory = ConsoleConnections(self._console, limits, clock)
        self._login = f"{user}\n{forms_of(password)[0]}".encode()
        self.known = Descriptions()
        for command in NUMBERED:
            self.known.learn(described(command, self.modtime))

    def is_operator(self, user: str, password: str) -> bool:
        """Return whether these are the operator's name and password, in constant time."""
        return hmac.compare_digest(f"{user}\n{forms_of(password)[0]}".encode(), self._login)

    def close(self) -> Deferred[None]:
        """Stop following the log, and close all connections; fires when they are gone."""
        self.stream.stop()
        return self.factory.close()

    def watch(self, console: Console) -> None:
        """Send a console all log lines from now on."""
        self.watching.add(console)
        self.stream.start()

    def leave(self, console: Console) -> None:
        """Send a console no more log lines."""
        self.watching.discard(console)
        if not self.watching:
            self.stream.stop()

    def _console(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> Console:
        return Console(self, address or "this machine", send)

    def _tell(self, lines: Sequence[LogLine]) -> None:
        messages = [tp.LogMessage(timestamp=line.time, level=line.level, message=line.text) for line in lines]
        for console in tuple(self.watching):
            console.tell(messages)


class Console:
    """The session of one console; see `tpserver.wire.net.connection.Session`."""

    use: Dialect | None = None

    def __init__(self, consoles: Consoles, address: str, send: Callable[[bytes], None]) -> None:
        self._consoles = consoles
        self._address = address
        self._send = send
        self._dialect = ADMIN_DIALECTS[TP03]
        self._attempts = 0
        self.closing = False
        self.logged_in = False
        self.over_http = False
        self.occupied = False

    @property
    def account_id(self) -> int | None:
        return None

    def answer(self, frame: RawFrame) -> bytes | Deferred[bytes]:
        """Return the response to a request; a command's Deferred fires when it was performed, and never fails."""
        dialect = ADMIN_DIALECTS.get(frame.dialect)
        if dialect is None:
            text = "This port is for administration consoles, which speak TP03 or TP04"
            return self.refuse(FailCode.PROTOCOL, text, frame.sequence, frame.dialect)
        self._dialect = dialect
        try:
            answer = self._handled(frame)
        except FrameError as error:
            return self.refuse(error.code, error.text, frame.sequence, frame.dialect)
        if isinstance(answer, Deferred):
            self.occupied = True
            return answer.addBoth(self._performed).addCallback(lambda result: self._encoded(frame.sequence, [result]))
        return self._encoded(frame.sequence, answer)

    def refuse(self, code: int, text: str, sequence: int, dialect: Dialect) -> bytes:
        """Return an encoded Fail frame; a client that is no console has to leave after it."""
        self.closing = self.closing or dialect not in ADMIN_DIALECTS
        return dialect.join_payloads(sequence, [dialect.payload(1, tp.Fail(code=int(code), result=text))])

    kept_bytes: ClassVar[int] = 0

    def note_reading(self, is_behind: bool) -> None:
        """The connection drops a console that does not read: nothing to do."""

    def connection_lost(self) -> None:
        self._consoles.leave(self)

    def tell(self, messages: Sequence[tp.LogMessage]) -> None:
        """Send lines of the log."""
        self._send(self._encoded(0, [("log_message", message) for message in messages]))

    def _encoded(self, sequence: int, frames: Sequence[tuple[str, Message]]) -> bytes:
        dialect = self._dialect
        return dialect.join_payloads(sequence, [dialect.payload(NUMBERS[name], message) for name, message in frames])

    def _handled(self, frame: RawFrame) -> Sequence[tuple[str, Message]] | Deferred[list[str]]:
        """Return the frames of the response, or the pending output of a command. Raises FrameError."""
        kind = self._dialect.kind(frame.kind)
        if not kind.request:
            raise FrameError(f"Frame {kind} is sent by servers only.")
        if not self.logged_in and kind.field not in ("connect", "ping", "login"):
            raise FrameError("Log in first.", FailCode.UNAVAILABLE_TEMPORARILY)
        message: Any = self._dialect.decode_body(frame.kind, frame.body, self._consoles.known)
        match kind.field:
            case "connect":
                return [_okay(f"Welcome to the administration of tpserver {__version__}")]
            case "ping":
                return [_okay("Still here")]
            case "login":
                return self._login(message)
            case "get_command_desc_ids":
                return self._ids(message)
            case "get_command_desc":
                return self._descriptions(message)
        command = NUMBERED[message.otype]
        log.info("{address} commands as operator: {name}", address=self._address, name=command.name)
        try:
            given = arguments(command, message.parameters)
        except OperationError as error:
            return [("command_result", tp.CommandResult(status=1, output=str(error)))]
        return Deferred.fromCoroutine(perform(self._consoles.context(), command.name, given, BY_CONSOLE))

    def _login(self, message: tp.Login) -> Sequence[tuple[str, Message]]:
        if self.logged_in:
            raise FrameError("You are logged in already.", FailCode.UNAVAILABLE_PERMANENTLY)
        pauses, pair = self._consoles.pauses, (network_of(self._address), "")
        if seconds := pauses.left(pair):
            raise FrameError(
                f"There were too many wrong passwords; try again in {seconds} second{'' if seconds == 1 else 's'}.",
                FailCode.UNAVAILABLE_TEMPORARILY,
            )
        if not self._consoles.is_operator(message.username, message.password):
            pauses.add_wrong(pair)
            self._attempts += 1
            self.closing = self._attempts >= MOST_ATTEMPTS
            log.warn("a login as operator from {address} was refused", address=self._address)
            raise FrameError("Wrong user name or password.", FailCode.PERMISSION_DENIED)
        pauses.forget(pair)
        self.logged_in = True
        log.info("{address} has logged in as operator", address=self._address)
        self._consoles.watch(self)
        return [_okay("You are logged in")]

    def _ids(self, message: tp.GetIDSequence) -> Sequence[tuple[str, Message]]:
        if message.key not in (-1, KEY):
            raise FrameError(f"There is no list with the key {message.key}.", FailCode.UNAVAILABLE_TEMPORARILY)
        modtime = self._consoles.modtime
        commands = NUMBERED if message.fromtime == -1 or modtime > message.fromtime else ()
        if message.start > len(commands):
            raise FrameError(f"The list has {len(commands)} ids, and so no position {message.start}.")
        end = len(commands) if message.amount < 0 else min(message.start + message.amount, len(commands))
        ids = [tp.IdAndTime(id=command.console, modtime=modtime) for command in commands[message.start : end]]
        return [("command_desc_ids", tp.IDSequence(key=KEY, remaining=len(commands) - end, ids=ids, fromtime=modtime))]

    def _descriptions(self, message: tp.GetWithID) -> Sequence[tuple[str, Message]]:
        wanted = message.ids
        if len(wanted) > len(NUMBERED):
            raise FrameError(f"There are {len(NUMBERED)} commands; ask for no more.")
        frames: list[tuple[str, Message]] = []
        for number in wanted:
            if number < len(NUMBERED):
                frames.append(("command_desc", described(NUMBERED[number], self._consoles.modtime)))
            else:
                fail = tp.Fail(code=int(FailCode.NO_SUCH_THING), result=f"There is no command {number}.")
                frames.append(("fail", fail))
        return frames if len(frames) == 1 else [("sequence_of", tp.Sequence(number=len(frames))), *frames]

    def _performed(self, result: list[str] | Failure) -> tuple[str, Message]:
        self.occupied = False
        if not isinstance(result, Failure):
            return "command_result", tp.CommandResult(status=0, output="\n".join(result)[:MOST_OUTPUT])
        if isinstance(result.value, OperationError):
            return "command_result", tp.CommandResult(status=1, output=str(result.value)[:MOST_OUTPUT])
        log.failure("a command of {address} failed", result, address=self._address)
        return "command_result", tp.CommandResult(status=1, output=FAULT)


def _okay(text: str) -> tuple[str, Message]:
    return "okay", tp.Okay(result=text)
