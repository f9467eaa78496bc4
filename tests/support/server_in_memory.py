"""A whole server without sockets and threads, on a real database file.

The test controls its clock. `Server` is the host, and `Client` is one connection in any dialect. `DelayedStore` is a
disk that commits when the test says so.
"""

from __future__ import annotations

import json
import shutil
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from weakref import WeakSet

from argon2 import PasswordHasher
from google.protobuf.message import Message
from sqlalchemy import Engine
from twisted.internet.defer import Deferred, gatherResults, succeed
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from tests.support.orders import chosen, number, order, target, text
from tests.support.postgres import PATIENT
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import JSON, PB, TP03, TP04, Dialect
from tpproto.frames import BY_NAME, FrameKind
from tpproto.stream import BadFrame, FrameReader, RawFrame, read_message
from tprules.api import digest
from tprules.api.advance import dump_state
from tpserver.accounts.accounts import Accounts
from tpserver.bots import Bots
from tpserver.cluster.lease import boot_seconds
from tpserver.cluster.node import Node
from tpserver.concurrency import Executor, at_once
from tpserver.games.core.game import Game
from tpserver.games.hall.game_factory import NewGame
from tpserver.games.hall.registry import GameRegistry
from tpserver.requests.dispatch import REQUESTS
from tpserver.requests.session import pipeline
from tpserver.requests.session.cursors import KeptLists
from tpserver.requests.session.session import Host, Peer, Session
from tpserver.rules.discovery import Rulesets, discover
from tpserver.store import Store
from tpserver.store.backends import sqlite
from tpserver.store.errors import StoreError
from tpserver.store.games.journal import JournalEntry
from tpserver.subscriptions import subscribe_bots, subscribe_sessions

T = TypeVar("T")

BEGINNING = 1_700_000_000
"""Start time of every server's clock, in Unix seconds."""

LEASE = 3600
"""Seconds of the lease of a node of a cluster."""

DIALECTS: dict[str, Dialect] = {"tp03": TP03, "tp04": TP04, "padded": TP04.padded, "pb": PB, "json": JSON}
"""All that a client may speak; ``padded`` begins as TP04 and sets the filter."""

SMALL_BOARD = "A.A./.M../..A."
"""A TaE board of 4 x 3 systems: fast, and with the three artifacts that a board must have."""

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""For passwords of tests, which nobody guesses."""
_RULESETS: list[Rulesets] = []
_EMPTY: list[bytes] = []
_ENGINES: list[Engine] = []
_COMPILED: dict[Any, Any] = {}
_create_engine = sqlite.create_engine


def _engine(*words: Any, **more: Any) -> Engine:
    """Make an engine that shares its compiled statements with all others of this process.

    An engine keeps them for itself. To compile them again for each server took a third of the time of these tests.
    """
    made = _create_engine(*words, execution_options={"compiled_cache": _COMPILED}, **more)
    if not _ENGINES:
        _ENGINES.append(made)
    made.dialect = _ENGINES[0].dialect  # statements are compiled for one dialect
    return made


sqlite.create_engine = _engine


def rulesets() -> Rulesets:
    """Return the rulesets found through the entry points, looked up once."""
    if not _RULESETS:
        _RULESETS.append(discover())
    return _RULESETS[0]


def _empty_database(path: Path) -> None:
    """Put a database without content at ``path``; migrating one takes longer than most tests."""
    if not _EMPTY:
        result_of(Store.open(f"sqlite:///{path}", reactor=None).close())
        _EMPTY.append(path.read_bytes())
    path.write_bytes(_EMPTY[0])


_OPENED: WeakSet[Store] = WeakSet()
"""The stores of all servers in memory."""


@contextmanager
def making_servers(kind: Callable[..., Any] | None = None) -> Iterator[Callable[..., Any]]:
    """Give a function that makes servers, each on its own file; at the end all are stopped and removed.

    Servers that took the place of one of them end, too: each keeps seven files open.

    ``kind`` is what makes one from its path, `Server` by default.

    The files lie in memory where the system offers that, for these tests commit often and a disk would make them wait.
    """
    memory = Path("/dev/shm")
    made: list[Any] = []
    before = set(_OPENED)
    with TemporaryDirectory(dir=memory if memory.is_dir() else None, prefix="tpserver-tests-") as folder:

        def make(**more: Any) -> Any:
            made.append((kind or Server)(Path(folder) / f"server{len(made)}.sqlite", **more))
            return made[-1]

        yield make
        for server in made:
            server.stop()
        for store in set(_OPENED) - before:
            if not store.closed:
                result_of(store.close())


def result_of(work: Coroutine[Any, Any, T] | Deferred[T]) -> T:
    """Return what a coroutine or Deferred has come to; it must have come to something."""
    results: list[Any] = []
    waiting = work if isinstance(work, Deferred) else Deferred.fromCoroutine(work)
    waiting.addBoth(results.append)
    assert results, "it is still waiting"
    if isinstance(results[0], Failure):
        results[0].raiseException()
    found: T = results[0]
    return found


class DelayedStore:
    """A store whose disk takes its time: nothing is committed before ``commit`` says so.

    Reads see what is committed. ``fail`` is a commit that does not succeed: all that waits is lost, as in a group.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.waiting: list[tuple[Callable[[], Deferred[Any]], Deferred[Any]]] = []
        self.at_once = False
        """If true, commit at once, without a call of `commit`."""

    @property
    def pending(self) -> int:
        return len(self.waiting)

    @property
    def closed(self) -> bool:
        return self.store.closed

    @property
    def gone(self) -> StoreError | None:
        return self.store.gone

    def read(self, fn: Callable[..., T], *args: Any) -> T:
        return self.store.read(fn, *args)

    def read_later(self, fn: Callable[..., T], *args: Any) -> Deferred[T]:
        return self.store.read_later(fn, *args)

    def write(self, unit: Callable[..., T], *args: Any, **more: Any) -> Deferred[T]:
        return self._given(lambda: self.store.write(unit, *args, **more))

    def append(self, entry: JournalEntry) -> Deferred[None]:
        return self._given(lambda: self.store.append(entry))

    def close(self) -> Deferred[None]:
        self.commit()
        return self.store.close()

    def _given(self, work: Callable[[], Deferred[T]]) -> Deferred[T]:
        if self.at_once:
            return work()
        fired: Deferred[T] = Deferred()
        asked_for = copy_context()  # the store looks which request it is for
        self.waiting.append((lambda: asked_for.run(work), fired))
        return fired

    def commit(self, number: int | None = None) -> int:
        """Commit what waits, the oldest first, or only so many pieces of it; return how many there were."""
        done = 0
        while self.waiting and (number is None or done < number):
            work, fired = self.waiting.pop(0)
            work().chainDeferred(fired)
            done += 1
        return done

    def fail(self) -> int:
        """Lose all that waits, as when the disk is full; return how many pieces that were."""
        lost, self.waiting = self.waiting, []
        for _, fired in lost:
            fired.errback(StoreError("The disk is full.", code="full"))
        return len(lost)

    def be_silent(self) -> None:
        """Commit everything that waits, and report an unknown outcome, as a database that is cut off."""
        given, self.waiting = self.waiting, []
        for work, _ in given:
            work()
        for _, fired in given:
            fired.errback(StoreError("The database has not said whether it has saved it.", code="unknown"))


class Server:
    """A server on the database file ``path`` that the test drives by hand.

    ``delayed`` puts a `DelayedStore` under it, which commits at once until ``server.disk.at_once`` is set to False.
    ``cluster`` is the URL of a PostgreSQL database, of whose cluster it is a node then; ``path`` only names it.
    """

    def __init__(
        self,
        path: Path,
        *,
        policy: str = "open",
        delayed: bool = False,
        now: float = BEGINNING,
        found: Rulesets | None = None,
        addresses: Iterable[tuple[str, str, int]] = (),
        cluster: str = "",
    ) -> None:
        self.path = path
        self.policy = policy
        self.clock = Clock()
        self.clock.advance(now)
        self.set_by = 0.0
        self.node: Node | None = None
        self.awake = 0.0
        """Seconds that have passed for this node more than for the cluster: as after it was frozen."""
        if cluster:
            opened = Store.open(cluster, reactor=None, timeouts=PATIENT)
            known = {name: rules.version for name, rules in (found or rulesets()).usable.items()}
            awake = lambda: boot_seconds() + self.awake  # noqa: E731 - of one line either way
            self.node = Node(opened, self.clock, f"{path.name}:6926", "1.2.3", LEASE, awake, known)
            result_of(self.node.start())
        else:
            if not path.exists():
                _empty_database(path)
            opened = Store.open(f"sqlite:///{path}", reactor=None)
        _OPENED.add(opened)
        self.disk = DelayedStore(opened)
        self.disk.at_once = True
        self.delayed = delayed
        self.store: Any = self.disk if delayed else opened
        self.found = found or rulesets()
        self.registry = GameRegistry(
            self.store, self.found, self.clock, at_once, self.now, self.clock.seconds, node=self.node
        )
        self.accounts = Accounts(
            self.store,
            policy,  # type: ignore[arg-type] # text
            at_once,
            self.now,
            CHEAP,
            seconds=self.clock.seconds,
            bus=self.registry.bus,
        )
        self.accounts.created.most = 1_000_000  # all players of a test have one address
        self.host = Host(
            self.registry,
            self.accounts,
            "1.2.3",
            REQUESTS,
            pipeline.answer,
            lambda: list(addresses),
            may_speak=None if self.node is None else self.node.may_speak,
        )
        subscribe_sessions(self.registry.bus, self.host)

    def start_bots(self, compute: Executor = at_once, clock: Callable[[], float] = lambda: 0.0) -> Bots:
        """Return bots that play from the next event on; ``look_at_all`` has them play at once."""
        bots = Bots(self.registry, self.clock, compute, clock)
        subscribe_bots(self.registry.bus, bots)
        return bots

    # --- running ----------------------------------------------------------------------------------------------------

    def create(self, name: str = "first", ruleset: str = "auction", seats: int = 2, **more: Any) -> Game:
        """Make a game; its seed is its name, so that the same test always plays the same game."""
        more.setdefault("seed", name)
        return result_of(self.registry.lobby.create(NewGame(name, ruleset, seats, **more)))

    def game(self, name: str = "first") -> Game:
        """Return the game as it is in memory now; after a failed commit that is another object than before."""
        return self.registry.named(name)

    def pass_time(self, seconds: float) -> None:
        """Let seconds pass: all timers that are due ring."""
        self.clock.advance(seconds)

    def now(self) -> float:
        """Return what the system's clock says, in unix seconds."""
        return self.clock.seconds() + self.set_by

    def set_clock(self, seconds: float) -> None:
        """Set the system's clock forward, or back; timers do not go by it."""
        self.set_by += seconds

    def settle(self) -> None:
        """Let what was put off to the next round of the reactor happen."""
        self.clock.advance(0)

    def close_turn(self, name: str = "first") -> None:
        """Close a turn as the operator does."""
        result_of(self.registry.turns.close_turn(self.game(name)))

    def undergo(self, step: str) -> None:
        """Change the game "first" if that is possible now.

        The steps are "second", "close", "pause", "resume" and "hold"; any other does nothing.
        """
        game = self.game()
        if step == "second":
            self.pass_time(1.0)
        elif step == "close" and game.row.state in ("running", "paused"):
            self.close_turn()
        elif step == "pause" and game.row.state == "running":
            result_of(self.registry.control.pause(game))
        elif step == "resume" and game.row.state in ("paused", "held"):
            result_of(self.registry.control.resume(game))
        elif step == "hold":
            self.registry.suspensions.broke(game, RuntimeError("as if a rule had failed"), "go on")

    def connect(
        self, dialect: str = "tp04", *, address: str = "192.0.2.1", secure: bool = False, token: str = ""
    ) -> Client:
        """Return a fresh connection; one that speaks ``padded`` has already set its filter.

        ``token`` is what the handshake of a browser that stays logged in brings.
        """
        return Client(self, dialect, address, secure, token)

    def player(self, name: str, dialect: str = "tp04", game: str = "") -> Client:
        """Return a connection that is logged in."""
        client = self.connect(dialect)
        answer = client.ask("login", username=f"{name}@{game}" if game else name, password=f"{name}'s word")
        assert answer.name == "okay", answer
        return client

    def players(self, number: int = 2, dialect: str = "tp04", game: str = "") -> list[Client]:
        """Return so many players, all in one game and in one dialect: ann, ben, cem, dan, eve."""
        names = ("ann", "ben", "cem", "dan", "eve")[:number]
        return [self.player(name, dialect, game) for name in names]

    # --- ending -----------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Stop in good order: all that is pending is committed."""
        if not self.store.closed:
            self.registry.stop()
            if self.node is not None:
                result_of(self.node.stop())
            result_of(self.store.close())

    def restarted(self, later: float = 0.0) -> Server:
        """Stop, and return a new server on the same file whose clock is ``later`` by so many seconds."""
        self.stop()
        server = Server(self.path, policy=self.policy, delayed=self.delayed, now=self.now() + later, found=self.found)
        server.registry.load_all()
        server.settle()
        return server

    def crashed(self, path: Path) -> Server:
        """Return a new server on a copy of what is committed now; this one goes on."""
        for suffix in ("", "-wal"):
            source = self.path.with_name(self.path.name + suffix)
            if source.exists():
                shutil.copyfile(source, path.with_name(path.name + suffix))
        server = Server(path, policy=self.policy, delayed=self.delayed, now=self.now(), found=self.found)
        server.registry.load_all()
        server.settle()
        return server


class Reply:
    """All frames of one answer, decoded: pairs of the frame's name and its message."""

    def __init__(self, data: bytes, frames: list[tuple[int, str, Message]]) -> None:
        self.data = data
        self.frames = [(name, message) for _, name, message in frames]
        self.sequences = {sequence for sequence, _, _ in frames}

    def __repr__(self) -> str:
        some = [f"{name} {' '.join(str(message).split())[:300]}" for name, message in self.frames[:6]]
        more = [f"and {len(self) - len(some)} more"] if len(self) > len(some) else []
        return "; ".join([*some, *more]) or "no answer"

    def __len__(self) -> int:
        return len(self.frames)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return iter(self.frames)

    @property
    def names(self) -> list[str]:
        """The names of all frames."""
        return [name for name, _ in self.frames]

    @property
    def name(self) -> str:
        """The name of the only frame."""
        assert len(self.frames) == 1, self
        return self.frames[0][0]

    @property
    def message(self) -> Any:
        """The message of the only frame."""
        assert len(self.frames) == 1, self
        return self.frames[0][1]

    @property
    def things(self) -> list[Any]:
        """The messages after a Sequence frame, whose number must be right; the only one if there is no Sequence."""
        if self.names[0] == "sequence_of":
            messages = [message for _, message in self.frames[1:]]
            assert self.frames[0][1].number == len(messages), self
            return messages
        return [self.message]

    @property
    def code(self) -> int:
        """The code of the answer, which must be one Fail frame with a sentence."""
        assert self.name == "fail", self
        text = self.message.result
        assert text[0].isupper() or not text[0].isalpha(), text
        assert text[-1] in ".!?", text
        assert len(text) > 8, text
        return int(self.message.code)

    @property
    def text(self) -> str:
        """The text of the only frame, an Okay or a Fail."""
        return str(self.message.result)


class Waiting:
    """An answer that may not have come yet."""

    def __init__(self, client: Client) -> None:
        self.data: bytes | None = None
        self._client = client
        self._reply: Reply | None = None

    def wait_for(self, answer: bytes | Deferred[bytes] | Iterator[bytes | Deferred[bytes]]) -> None:
        if isinstance(answer, Iterator):
            pieces = gatherResults([piece if isinstance(piece, Deferred) else succeed(piece) for piece in answer])
            pieces.addCallback(b"".join).addCallbacks(self._came, self._failed)
        elif isinstance(answer, Deferred):
            answer.addCallbacks(self._came, self._failed)
        else:
            self._came(answer)

    def _came(self, data: bytes) -> None:
        self.data = data
        self._client.go_on()

    def _failed(self, failure: Failure) -> None:
        raise AssertionError(f"an answer's Deferred failed: {failure}")

    @property
    def came(self) -> bool:
        return self.data is not None

    @property
    def reply(self) -> Reply:
        """The answer, which is read once, as a client does."""
        if self._reply is None:
            assert self.data is not None, "no answer yet"
            self._reply = self._client.decoded(self.data)
        return self._reply


class Client:
    """One connection: a `Session` and what a program on the other end makes of it.

    It reads answers with a reader of its own, as over a socket, and so finds out if they are no whole frames.
    """

    def __init__(
        self, server: Server, dialect: str, address: str = "192.0.2.1", secure: bool = False, token: str = ""
    ) -> None:
        self.server = server
        self.title = dialect
        self.dialect: Dialect = TP04 if dialect == "padded" else DIALECTS[dialect]
        self.pushed: list[tuple[str, Any]] = []
        self.pushed_data: list[bytes] = []
        self.sequence = 0
        self.behind: deque[tuple[RawFrame, Waiting]] = deque()
        """Requests that are answered only after a login has ended."""
        self.session = Session(server.host, Peer(address, secure, token), self._push)
        self.learnt: Descriptions | None = None
        """Set it to another lookup to read orders and objects with only the descriptions learned from frames."""
        if dialect == "padded":
            assert self.ask("set_filters", filters=[0x1D00]).name == "okay"
            assert self.session.use is TP04.padded
            self.dialect = TP04.padded

    @property
    def classic(self) -> bool:
        """True if the client speaks TP03."""
        return self.dialect is TP03

    @property
    def seat(self) -> int:
        assert self.session.seat is not None
        return self.session.seat

    def knows(self, name: str) -> bool:
        """Return whether the dialect has this frame."""
        kind = BY_NAME[name]
        return self.dialect.kinds.get(kind.number) is kind

    def lookup(self) -> Any:
        return self.session.lookup() if self.learnt is None else self.learnt

    def ask(self, name: str, /, **fields: Any) -> Reply:
        """Send a request and return its answer, which must be there at once."""
        return self.post(name, **fields).reply

    def post(self, name: str, /, **fields: Any) -> Waiting:
        """Send a request; the answer may come later."""
        return self.post_message(BY_NAME[name], BY_NAME[name].message(**fields))

    def post_message(self, kind: FrameKind, message: Message) -> Waiting:
        return self.post_raw(kind.number, self.dialect.encode_body(kind.number, message, self.lookup()))

    def say(self, name: str, message: Message) -> Reply:
        """Send a message that is made already."""
        return self.post_message(BY_NAME[name], message).reply

    def raw(self, kind: int, body: bytes) -> Reply:
        """Send any bytes as the body of a frame of any number."""
        return self.post_raw(kind, body).reply

    def post_raw(self, kind: int, body: bytes) -> Waiting:
        self.sequence += 1
        sequence = self.sequence
        frame = RawFrame(self.dialect, sequence, kind, body)
        waiting = Waiting(self)
        self.behind.append((frame, waiting))
        self.go_on()
        if waiting.came:
            assert waiting.reply.sequences == {sequence}, "an answer must carry its request's sequence number"
        return waiting

    def go_on(self) -> None:
        """Have answered what waits behind a login, as the connection does."""
        while self.behind and not self.session.occupied:
            frame, waiting = self.behind.popleft()
            waiting.wait_for(self.session.answer(frame))

    def hang_up(self) -> None:
        self.session.connection_lost()

    def decoded(self, data: bytes) -> Reply:
        return Reply(data, list(self.frames(data)))

    def frames(self, data: bytes) -> Iterator[tuple[int, str, Message]]:
        """Take encoded frames apart, and make sure that nothing is left over."""
        for raw in self._split(data):
            assert isinstance(raw, RawFrame), raw
            kind = raw.dialect.kind(raw.kind)
            # The reader knows TP04 from its magic only; whether strings are padded is agreed between the two ends.
            yield raw.sequence, kind.field, self.dialect.decode_body(raw.kind, raw.body, self.lookup())

    def _split(self, data: bytes) -> Iterator[Any]:
        if self.dialect is JSON:
            decoder, text, position = json.JSONDecoder(), data.decode(), 0
            while position < len(text):
                _, end = decoder.raw_decode(text, position)
                one = read_message(JSON, text[position:end].encode())
                assert not isinstance(one, BadFrame), one
                yield one
                position = end
            return
        reader = FrameReader(dialect=TP04 if self.dialect is TP04.padded else self.dialect)
        yield from reader.feed(data)
        assert not reader.incomplete(), "an answer ends in the middle of a frame"

    def _push(self, data: bytes) -> None:
        self.pushed_data.append(data)
        for sequence, name, message in self.frames(data):
            assert sequence == 0, "sequence number 0 is for unasked frames, and they have no other"
            self.pushed.append((name, message))

    def times_pushed(self) -> list[tuple[int, int]]:
        """Return (seconds, reason) of the TimeRemaining frames that came unasked, and forget them."""
        assert all(name == "time_remaining" for name, _ in self.pushed), "clients die on other unasked frames"
        times = [(message.time, message.reason) for _, message in self.pushed]
        self.pushed.clear()
        return times

    # --- what players do --------------------------------------------------------------------------------------------

    def ids(self, name: str = "get_object_ids", fromtime: int = -1) -> dict[int, int]:
        """Return a whole list, or what changed after a time (not in TP03): id -> modification time."""
        answer = self.ask(name, key=-1, start=0, amount=-1, fromtime=fromtime).message
        assert answer.remaining == 0
        return {pair.id: pair.modtime for pair in answer.ids}

    def objects(self, *ids: int) -> list[Any]:
        return self.ask("get_objects_by_id", ids=ids).things

    def object(self, number: int) -> Any:
        return self.objects(number)[0]

    order = staticmethod(order)

    def insert(self, on: int, otype: int, *parameters: tp.OrderParameter, slot: int = -1) -> Reply:
        return self.say("order_insert", order(on, otype, *parameters, slot=slot))

    def replace(self, on: int, otype: int, *parameters: tp.OrderParameter, slot: int) -> Reply:
        return self.say("order_replace", order(on, otype, *parameters, slot=slot))

    def probe(self, on: int, otype: int, *parameters: tp.OrderParameter) -> Reply:
        return self.say("order_probe", order(on, otype, *parameters))

    def queue(self, on: int) -> list[Any]:
        """Return all orders in a queue."""
        orders = []
        while True:
            answer = self.ask("get_order", id=on, slots=[len(orders)])
            if answer.name == "fail":
                return orders
            orders.append(answer.message)

    def messages(self) -> list[Any]:
        """Return all that is on the client's board."""
        number = self.ask("get_boards", ids=[0]).message.messages
        return self.ask("get_message", id=0, slots=range(number)).things if number else []

    # --- of the auction ---------------------------------------------------------------------------------------------

    @property
    def home(self) -> int:
        """The object that carries one's orders in an auction."""
        return 2 + self.seat

    def bid(self, gold: int, words: str = "", *, slot: int = -1) -> Reply:
        return self.insert(self.home, BID, number(gold), text(words), slot=slot)

    def post_bid(self, gold: int, words: str = "") -> Waiting:
        return self.post_message(BY_NAME["order_insert"], order(self.home, BID, number(gold), text(words)))


BID, GIFT = 1, 2
"""The order types of an auction."""


def state_of(game: Game) -> tuple[Any, ...]:
    """Return all that a refused request must not change: the digest of the state, finished players, boards, seats."""
    return (
        digest(dump_state(game.rules, game.state)),
        sorted(game.finished),
        game.last_entry,
        {board: list(found.numbers) for board, found in game.boards.items()},
        [(player.name, player.account) for player in game.players],
        game.row,
    )


def view_of(game: Game) -> dict[Any, Any]:
    """Return what every seat sees, with its times and tombstones."""
    return {
        seat: (dict(view.objects), {oid: view.time(oid) for oid in view.objects}, dict(view.gone))
        for seat, view in game.views.items()
    }


# --- everything that a connection can learn -------------------------------------------------------------------------

_READS = {name: kind.message for name, kind in BY_NAME.items() if name.startswith("get_")}
BY_ID = [name for name, message in _READS.items() if message is tp.GetWithID]
LISTS = [name for name, message in _READS.items() if message is tp.GetIDSequence]


def questions(client: Client, objects: Iterable[int], fromtimes: Iterable[int] = ()) -> Iterator[tuple[str, Message]]:
    """Yield every request that reads, about these objects and small numbers of all else.

    Among them are orders for objects that are not the player's own: probed, inserted, removed; all are refused.
    """
    objects = list(objects)
    for name in ("ping", "get_features", "get_games", "get_time_remaining"):
        yield name, BY_NAME[name].message()
    for name in LISTS:
        for fromtime in (-1, *fromtimes):
            yield name, tp.GetIDSequence(key=-1, start=0, amount=-1, fromtime=fromtime)
    for name in BY_ID:
        yield name, tp.GetWithID(ids=objects if name in ("get_objects_by_id", "get_order_queue") else range(12))
    yield "get_object_ids_by_pos", tp.GetObjectIDsByPos(pos=tp.Vector(), r=2**64 - 1)
    for oid in objects:
        yield "get_object_ids_by_container", tp.GetObjectIDsByContainer(id=oid)
        yield "get_order", tp.GetWithIDSlot(id=oid, slots=[0, 1, 2])
    for board in range(5):
        yield "get_message", tp.GetWithIDSlot(id=board, slots=range(6))
    game, seat = client.session.game, client.session.seat
    if game is None or seat is None:
        return
    view = game.views[seat]
    for oid in objects:
        if oid not in view.objects or view.objects[oid].has_queue:
            continue
        yield "remove_order", tp.GetWithIDSlot(id=oid, slots=[0])
        for kind in game.rules.orders:
            parameters = [_any_parameter(param.wire_type) for param in kind.params.values()]
            given = order(oid, kind.number, *parameters)
            yield "order_probe", given
            yield "order_insert", given


def _any_parameter(wire_type: int) -> tp.OrderParameter:
    """Return some parameter of a type, its object the first system of a board."""
    if wire_type == 2:
        return target(2)
    turns = tp.OrderParameter(time=tp.OrderTime(turns=1))
    return {1: turns, 5: number(1), 6: chosen((1, 1)), 7: text("x")}[wire_type]


def everything(
    client: Client, objects: Iterable[int] = (), fromtimes: Iterable[int] = (), *, asked: list[Any] | None = None
) -> list[tuple[str, Waiting]]:
    """Ask all `questions`, or those ``asked`` before, and return the subject and response of each.

    Equal states give equal bytes, as sequence numbers and list keys start again.
    """
    client.sequence = 0
    client.session.lists = KeptLists()
    answers = []
    for name, message in list(questions(client, objects, fromtimes)) if asked is None else asked:
        if client.knows(name):
            about = f"{name} {' '.join(str(message).split())}"[:80]
            answers.append((about, client.post_message(BY_NAME[name], message)))
    return answers
