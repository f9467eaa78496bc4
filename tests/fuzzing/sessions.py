"""Fuzzing targets for whole sessions on a server in memory.

They send any frames after login, and orders in each of the games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError

from tests.fuzzing import worlds
from tests.fuzzing.target import Bytes, Finding, Target, expect, expect_sentence
from tests.support.server_in_memory import DIALECTS, SMALL_BOARD, Client, Server, Waiting, state_of
from tpproto import JSON, FrameError
from tpproto import tp_pb2 as tp
from tpproto.dialects.binary import BinaryDialect
from tpproto.frames import BY_NAME, FIRST_LATER
from tpserver.games.core.errors import GameError

TITLES = tuple(DIALECTS)
"""The dialects by name."""

MOST_FRAMES = 12
"""Frames of one input; more are not sent."""


MOST_INPUTS = 30
"""Inputs after which the server is always replaced, as accounts and their data change, too."""

GAMES = ("first", "second")


def answer(client: Client, kind: int, body: bytes) -> list[tuple[str, Any]]:
    """Ask, and return the frames of the answer, which has to come; refusals are sentences with codes."""
    waiting: Waiting = client.post_raw(kind, body)
    for seconds in (0.0, 1.0, 60.0, 600.0):
        if waiting.came:
            break
        client.server.pass_time(seconds)
    expect(waiting.came, f"Frame {kind} is not answered.")
    frames = list(waiting.reply)
    expect(frames, f"The answer to frame {kind} is nothing.")
    for name, message in frames:
        if name == "fail":
            expect_sentence(message.result, message.code)
    return frames


def is_refused(frames: list[tuple[str, Any]]) -> bool:
    return [name for name, _ in frames] == ["fail"]


# --- any frames -------------------------------------------------------------------------------------------------------


class World:
    """A server with two games, made again from the same database after a change of a game."""

    def __init__(self, stack: ExitStack) -> None:
        self.folder = worlds.folder(stack)
        self.origin = Server(self.folder / "origin.sqlite")
        stack.callback(self.origin.stop)
        self.origin.create("first", "auction", clock="manual")
        self.origin.create("second", "tae", options={"board": SMALL_BOARD}, clock="manual")
        for game in ("first", "second"):
            self.origin.players(2, game=game)
        self.origin.close_turn("first")
        self.origin.settle()
        self.number = self.used = 0
        self.states: list[Any] = []
        self._server: Server | None = None
        stack.callback(self.forget)

    def forget(self) -> None:
        """Have the next input tried on another server."""
        if self._server is not None:
            self._server.stop()
            self._server = None
            for path in self.folder.glob("copy*"):
                path.unlink()

    def look(self, changed: bool) -> None:
        """Forget the server if a game is not what it was, others have changed, or it was used for long."""
        self.used += 1
        if changed or self.used >= MOST_INPUTS or self._states() != self.states:
            self.forget()

    def _states(self) -> list[Any]:
        return [_told(self.server, name) and state_of(self.server.game(name)) for name in GAMES]

    @property
    def server(self) -> Server:
        if self._server is None:
            self.number += 1
            self.used = 0
            self._server = self.origin.crashed(Path(self.folder, f"copy{self.number}.sqlite"))
            self.states = self._states()
        return self._server


def take_session(data: bytes, world: World) -> None:
    """Send frames of one session in one dialect.

    The first byte chooses the dialect. The second chooses the first game, the second game, no game, or no login. In
    each frame a byte chooses the type. One byte, or three after 255, give the length of the body.
    """
    given = Bytes(data)
    title, where = TITLES[given.number(len(TITLES) - 1)], given.number(3)
    server = world.server
    names = ("first", "second", "", None)
    client = server.connect(title)
    if names[where] is not None:
        login = BY_NAME["login"]
        user = f"ann@{names[where]}" if names[where] else "eve"
        body = client.dialect.encode_body(
            login.number, tp.Login(username=user, password=f"{user.partition('@')[0]}'s word")
        )
        is_in = not is_refused(answer(client, login.number, body))
        expect(is_in or not names[where], "A player cannot log in.")  # not all dialects go without a game
    numbers = sorted(client.dialect.kinds)
    for _ in range(MOST_FRAMES):
        if given.is_empty or client.session.closing:
            break
        before = {name: _told(server, name) for name in GAMES}
        kind, size = numbers[given.number() % len(numbers)], given.number()
        frames = answer(client, kind, given.some(given.wide() if size == 255 else size))
        server.settle()
        after = {name: _told(server, name) for name in GAMES}
        expect(after == before or not is_refused(frames), f"Frame {kind} was refused, and has changed a game.")
        here = client.session.game
        for name in GAMES:
            is_there = kind >= FIRST_LATER or (here is not None and here.name == name)
            expect(
                after[name] == before[name] or is_there, f"Frame {kind} has changed {name}, where the player is not."
            )
    client.hang_up()
    server.settle()
    expect(client.session not in server.host.sessions, "A session is kept that is gone.")
    world.look(where == 2)


def _told(server: Server, name: str) -> tuple[Any, ...] | None:
    """Return a value that differs after each change of a game, or None if it is gone."""
    try:
        game = server.game(name)
    except GameError:
        return None
    boards = {board: list(found.numbers) for board, found in game.boards.items()}
    return game.row, game.last_entry, sorted(game.finished), boards, [(one.name, one.account) for one in game.players]


def make_session(stack: ExitStack) -> Callable[[bytes], None]:
    world = World(stack)

    def take(data: bytes) -> None:
        try:
            take_session(data, world)
        except BaseException:
            world.forget()
            raise

    return take


def conversations() -> Iterator[bytes]:
    for place, title in enumerate(TITLES):
        dialect = DIALECTS[title]
        numbers = sorted(dialect.kinds)

        def said(kind: int, message: Any, dialect: Any = dialect, numbers: list[int] = numbers) -> bytes:
            body = dialect.encode_body(kind, message)
            return bytes((numbers.index(kind), 255)) + len(body).to_bytes(2, "big") + body

        asked = []
        for kind in numbers:
            known = dialect.kinds[kind]
            if not known.request or known.field in ("order_insert", "order_probe", "order_replace"):
                continue
            message: Any = known.message()
            if known.message is tp.GetIDSequence:
                message = tp.GetIDSequence(key=-1, amount=-1, fromtime=-1)
            elif known.message is tp.GetWithID:
                message = tp.GetWithID(ids=[0, 1, 2])
            elif known.message is tp.GetWithIDSlot:
                message = tp.GetWithIDSlot(id=2, slots=[0, 1])
            try:
                asked.append(said(kind, message))
            except FrameError:
                continue  # of a type that has to be described before
        for start in range(0, len(asked), 8):
            where = (start // 8 + place) % 4
            yield bytes((place, where)) + b"".join(asked[start : start + 8])
        if "post_message" in {kind.field for kind in dialect.kinds.values()}:
            post = said(BY_NAME["post_message"].number, tp.Message(id=1, slot=-1, subject="hello", body="x" * 20))
            yield bytes((place, 0)) + post * 3


# --- orders -----------------------------------------------------------------------------------------------------------

RULESETS = ("auction", "tae", "antshouse", "colony_battle", "swarm", "taller_ants")
OPTIONS: dict[str, dict[str, Any]] = {"tae": {"board": SMALL_BOARD}}
WAYS = ("order_probe", "order_insert", "order_replace", "remove_order")


class Board:
    """A game of each ruleset, and a player of it in each dialect."""

    def __init__(self, stack: ExitStack) -> None:
        self.server = worlds.server(stack)
        self.clients: dict[tuple[str, str], Client] = {}
        for ruleset in RULESETS:
            self.server.create(ruleset, ruleset, options=OPTIONS.get(ruleset, {}), clock="manual")
            self.server.players(2, game=ruleset)
            for title in TITLES:
                self.clients[ruleset, title] = self.server.player("ann", title, game=ruleset)
        self.server.settle()

    def told(self, ruleset: str) -> tuple[Any, ...]:
        game = self.server.game(ruleset)
        return game.state, game.row, game.last_entry, repr(game.state.queues), sorted(game.finished)

    def queues(self, ruleset: str) -> list[int]:
        """Return the objects that have a queue of the player's, and one that has none."""
        client = self.clients[ruleset, "tp04"]
        view = self.server.game(ruleset).views[client.seat]
        mine = [oid for oid, seen in view.objects.items() if seen.has_queue]
        return [*mine, 0]


def take_order(data: bytes, board: Board) -> None:
    """One byte: the ruleset; one: the dialect; one: what is done with the order; one: the object; one: its type; one:

    the slot; one: whether the body is made of these; what follows are its parameters, or is the body.
    """
    given = Bytes(data)
    ruleset, title, way = RULESETS[given.number(5)], TITLES[given.number(4)], WAYS[given.number(3)]
    client = board.clients[ruleset, title]
    objects, types = board.queues(ruleset), board.server.game(ruleset).rules.orders
    oid = objects[given.number() % len(objects)]
    otype = [*(kind.number for kind in types), 99][given.number() % (len(types) + 1)]
    slot, made = (-1, 0, 1, 5)[given.number(3)], given.number(1)
    kind = BY_NAME[way].number
    rest = given.rest()
    body = rest if made or way == "remove_order" else _body(client, kind, oid, slot, otype, rest)
    before = {name: board.told(name) for name in RULESETS}
    refused_before = state_of(board.server.game(ruleset))
    frames = answer(client, kind, body)
    board.server.settle()
    after = {name: board.told(name) for name in RULESETS}
    if is_refused(frames) or way == "order_probe":
        same = after == before and state_of(board.server.game(ruleset)) == refused_before
        expect(same, f"{way} was refused, or is a probe, and has changed a game.")
    expect(all(after[name] == before[name] for name in RULESETS if name != ruleset), f"{way} has changed another game.")
    _expect_same_again(client, frames)
    for each in objects[:-1]:
        while board.server.game(ruleset).state.queues.get(each):
            gone = client.ask("remove_order", id=each, slots=[0])
            expect(gone.name != "fail", f"An order cannot be removed: {gone}")


def _body(client: Client, kind: int, oid: int, slot: int, otype: int, rest: bytes) -> bytes:
    """Return the body of an order with these parameters."""
    if isinstance(client.dialect, BinaryDialect):
        head = b"".join((number & 0xFFFFFFFF).to_bytes(4, "big") for number in (oid, slot, otype, 0, 0))
        return head + rest
    if client.dialect is JSON:
        return b'{"id":%d,"slot":"%d","otype":%d,"parameters":%b}' % (oid, slot, otype, rest)
    try:
        order = tp.Order.FromString(rest)
    except DecodeError:
        return rest
    order.id, order.slot, order.otype = oid, slot, otype
    return order.SerializeToString()


def _expect_same_again(client: Client, frames: list[tuple[str, Any]]) -> None:
    """Raise Finding unless an order that was answered is answered the same when it is probed again."""
    orders = [message for name, message in frames if name in ("order", "order_probe")]
    if not orders:
        return
    kind = BY_NAME["order_probe"].number
    try:
        body = client.dialect.encode_body(kind, orders[0], client.lookup())
    except FrameError as error:
        raise Finding(f"An order that was answered cannot be written: {error.text}") from None
    again = answer(client, kind, body)
    if is_refused(again):
        return  # as there is no room for two of it
    same = [message for name, message in again if name in ("order", "order_probe")]
    expect(
        same and same[0].parameters == orders[0].parameters,
        f"An order is another one when it is probed: {orders[0]}{again}",
    )


def make_orders(stack: ExitStack) -> Callable[[bytes], None]:
    board = Board(stack)
    return lambda data: take_order(data, board)


def orders() -> Iterator[bytes]:
    for ruleset in range(len(RULESETS)):
        for way in range(3):
            for number in range(4):
                for title, rest in enumerate((bytes(8), bytes(12), bytes(16), b"\x2a\x00", b"[{}]")):
                    yield bytes((ruleset, title, way, number * 3, number, number % 2, 0)) + rest
    for title, rest in enumerate(
        (
            b"\0\0\0\3\0\0\0\3abc\0",
            b"\0\0\0\1\0\0\0\1\0\0\0\2",
            bytes(20),
            b"\x2a\x04\x32\x02\x08\x02",
            b'[{"number":{"number":5}},{"text":{"text":"x"}}]',
        )
    ):
        yield bytes((0, title, 1, 0, 1, 0, 0)) + rest
        yield bytes((1, title, 1, 1, 1, 0, 1)) + rest


TARGETS = (
    Target(
        "session",
        "any frames of whoever has connected, or is logged in",
        make_session,
        conversations,
        (b"\xff\xff\xff\xff", b"\xff\xff\xff\xfe", b"@first", b"@second/turn/0", b"ann", b"\0\0\0\1"),
        seconds=1.0,
        longest=1500,
        few=8,
    ),
    Target(
        "orders",
        "orders in each of the games",
        make_orders,
        orders,
        (b"\xff\xff\xff\xff", b"\0\0\0\1", b"\x7f\xff\xff\xff"),
        seconds=0.5,
        longest=600,
    ),
)
