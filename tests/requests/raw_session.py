"""Two players on raw sockets who play TaE's vectors V1 (an internal combat) and V2 (an external one) in TP03 and TP04.

`python raw_session.py [v1|v2] [tp03|tp04]` starts a server of its own, plays, prints each frame sent and received as
`python -m tpproto dump` does, and then the board as the frames show it.  What the players know they know from frames.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import TP03, TP04, Dialect
from tpproto.frames import BY_NAME, frame
from tpproto.stream import FrameReader, RawFrame
from tpproto.tools.dump import dump

DIALECTS: dict[str, Dialect] = {"tp03": TP03, "tp04": TP04}
PATIENCE = 240.0
"""Seconds that anything may take on a busy machine."""


@dataclass(frozen=True)
class Vector:
    """A vector as it can be played from the opening: its board and options, and what to do turn by turn.

    A move is (player, order, x, y): ``cm`` colonize with merchants, ``cp`` with settlers, ``lM`` move the merchant
    leader, ``+m`` reinforce with merchants.  ``before`` and ``after`` are the board as the rule page draws it, without
    artifacts.
    """

    options: tuple[str, ...]
    opening: tuple[tuple[int, str, int, int], ...]
    before: str
    connecting: tuple[int, str, int, int]
    combat: str
    reinforcing: tuple[tuple[int, str, int, int], ...]
    won: tuple[str, ...]
    after: str


VECTORS = {
    "v1": Vector(
        options=("board=AAA./...A", "min_artifacts=1", "pool=60,0,0,0"),
        opening=((0, "cm", 3, 1), (0, "lM", 0, 0)),
        before="s s s m / 0M . . s",
        connecting=(1, "lM", 2, 0),
        combat="internal",
        reinforcing=(),
        won=("ben has won the internal combat", "2 to 1"),
        after="s s s m / . . 1M s",
    ),
    "v2": Vector(
        options=("board=A...../MMMMMM/.A..A.", "pool=30,0,30,0"),
        opening=((0, "cm", 3, 0), (0, "lM", 5, 0), (1, "lM", 0, 0)),
        before="s . . . . . / # # # # # # / 1M s . m s 0M",
        connecting=(1, "cp", 2, 0),
        combat="external",
        reinforcing=((1, "+m", 0, 0), (1, "+m", 0, 0)),
        won=("ben has won the external combat", "2 to 1"),
        after="s . . . . . / # # # # # # / 1M s p . s .",
    ),
}

LETTERS = {
    "Monetary Asset": "m",
    "Technological Advancement": "s",
    "Team of People": "p",
    "Raw Material": "r",
}
"""What a colony leaves on its planet, by the name of the resource."""

SHIPS = {"m": "MerchantShip", "p": "SettlerShip"}
LEADERS = {"Merchant Leader": "M", "Scientist Leader": "S", "Settler Leader": "P", "Mining Leader": "R"}
UNINHABITABLE = "Uninhabitable planet"


@dataclass
class Player:
    """One raw connection.  ``rows`` is the recording that all players of a session share."""

    name: str
    dialect: Dialect
    port: int
    rows: list[dict[str, Any]]
    sequence: int = 0
    known: Descriptions = field(default_factory=Descriptions)
    waiting: list[tuple[int, str, Message]] = field(default_factory=list)
    unasked: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.reader = FrameReader(dialect=self.dialect)
        self.socket = socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def ask(self, name: str, **fields: Any) -> list[tuple[str, Any]]:
        """Send a request and return the frames of its answer."""
        return self.say(name, BY_NAME[name].message(**fields))

    def say(self, name: str, message: Message) -> list[tuple[str, Any]]:
        self.sequence += 1
        kind = BY_NAME[name].number
        body = self.dialect.encode_body(kind, message, self.known)
        data = self.dialect.header(self.sequence, kind, len(body)) + body
        self.note("c2s", data)
        self.socket.sendall(data)
        frames = [self.next_of(self.sequence)]
        if isinstance(frames[0][1], tp.Sequence):
            frames += [self.next_of(self.sequence) for _ in range(frames[0][1].number)]
        return frames

    def things(self, name: str, **fields: Any) -> list[Any]:
        """Return the messages that answer a request, without a Sequence before them."""
        return [message for kind, message in self.ask(name, **fields) if kind != "sequence_of"]

    def next_of(self, sequence: int) -> tuple[str, Any]:
        while True:
            number, name, message = self.next()
            if number == sequence:
                return name, message
            assert number == 0, f"an answer to request {number} came instead of one to {sequence}"
            self.unasked.append(message)

    def next(self) -> tuple[int, str, Message]:
        """Return the next frame, whoever asked for it."""
        while not self.waiting:
            data = self.socket.recv(65536)
            assert data, f"the server closed the connection of {self.name}"
            for event in self.reader.feed(data):
                assert isinstance(event, RawFrame), event
                self.note("s2c", event.dialect.header(event.sequence, event.kind, len(event.body)) + event.body)
                kind = event.dialect.kind(event.kind)
                message = event.decode(self.known)
                self.known.learn(frame(event.sequence, kind.field, message))
                self.waiting.append((event.sequence, kind.field, message))
        return self.waiting.pop(0)

    def note(self, direction: str, data: bytes) -> None:
        self.rows.append({"dir": direction, "conn": self.name, "hex": data.hex()})

    def enter(self) -> None:
        """Connect, log in, and learn what orders and objects look like."""
        assert self.ask("connect", client="raw session")[0][0] == "okay"
        assert self.ask("login", username=self.name, password="secret")[0][0] == "okay"
        assert self.things("get_order_desc", ids=self.ids("get_order_desc_ids"))
        if self.dialect is TP04:
            assert self.things("get_object_desc", ids=self.ids("get_object_desc_ids"))

    def ids(self, name: str) -> list[int]:
        (answer,) = self.things(name, key=-1, start=0, amount=-1, fromtime=-1)
        return [pair.id for pair in answer.ids]

    def wait_for_turn(self, turn: int) -> None:
        """Wait for the unasked frame that says that a new turn has begun.

        TP03 tells the seconds only: 0 when the turn is being computed, and more when the next one has begun.
        """
        computing = False
        while True:
            while self.unasked:
                left: Any = self.unasked.pop(0)
                if self.dialect is TP04 and (left.reason, left.turn) == (1, turn):
                    return
                if self.dialect is TP03 and computing and left.time:
                    return
                computing = left.time == 0
            number, _, message = self.next()
            assert number == 0
            self.unasked.append(message)


class Map:
    """What one player sees, from frames alone."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.resources = {one.id: one.singular_name for one in self.described("resource")}
        self.designs = {one.id: one.name for one in self.described("design")}
        self.objects = {one.id: one for one in player.things("get_objects_by_id", ids=player.ids("get_object_ids"))}

    def described(self, what: str) -> list[Any]:
        return self.player.things(f"get_{what}", ids=self.player.ids(f"get_{what}_ids"))

    def owner(self, thing: Any) -> int:
        """Return the number of the player who owns an object; 0 for nobody."""
        if isinstance(thing, tp.ClassicObject):
            return int(max(thing.fleet.owner, thing.planet.owner, 0))
        return next((p.reference.id for p in thing.parameters if p.WhichOneof("value") == "reference"), 0)

    def ships(self, thing: Any) -> list[str]:
        if isinstance(thing, tp.ClassicObject):
            return [self.designs[ship.type] for ship in thing.fleet.ships]
        return [self.designs[s.id] for p in thing.parameters for s in p.reference_quantity_list.references]

    def on_planet(self, thing: Any) -> list[str]:
        if isinstance(thing, tp.ClassicObject):
            return [self.resources[row.id] for row in thing.planet.resources]
        return [self.resources[row.id] for p in thing.parameters for row in p.resource_list.resources]

    def system(self, x: int, y: int) -> Any:
        return next(one for one in self.objects.values() if one.name == f"{x}, {y}")

    def drawing(self) -> str:
        """Return the board as the rule page draws it, north first, without artifacts."""
        places = {}
        for one in self.objects.values():
            parts = one.name.split(", ")
            if len(parts) == 2 and all(part.isdigit() for part in parts):
                places[int(parts[0]), int(parts[1])] = self.square(one)
        width, height = (max(place[axis] for place in places) + 1 for axis in (0, 1))
        return " / ".join(" ".join(places[x, y] for x in range(width)) for y in reversed(range(height)))

    def square(self, system: Any) -> str:
        inside = [self.objects[number] for number in self.below(system)]
        for one in inside:
            if one.name in LEADERS:
                return f"{self.owner(one) - 1}{LEADERS[one.name]}"
        named = [name for one in inside for name in self.on_planet(one)]
        letters = [LETTERS[name] for name in named if name in LETTERS]
        return letters[0] if letters else "#" if UNINHABITABLE in named else "."

    def below(self, thing: Any) -> Iterator[int]:
        for number in thing.contains:
            yield number
            yield from self.below(self.objects[number])

    def mine(self, *, named: str = "", ship: str = "") -> list[Any]:
        """Return the player's own fleets of this name, or of this design."""
        (me,) = self.player.things("get_player", ids=[0])
        return [
            one
            for one in self.objects.values()
            if self.owner(one) == me.id and ((named and one.name == named) or (ship and ship in self.ships(one)))
        ]


def give(player: Player, what: str, x: int, y: int) -> None:
    """Give one order, choosing a fleet that has none yet."""
    view = Map(player)
    names = {order.name: number for number, order in player.known.orders.items()}
    if what == "lM":
        fleets, otype = view.mine(named="Merchant Leader"), names["Move"]
    else:
        fleets = view.mine(ship=SHIPS[what[-1]])
        otype = names["Reinforce" if what[0] == "+" else "Colonize"]
    free = [one for one in fleets if player.ask("get_order", id=one.id, slots=[0])[0][0] == "fail"]
    assert free, f"{player.name} has nothing for {what}"
    parameters = []
    if what[0] != "+":
        place = tp.OrderObject(object_id=view.system(x, y).id)
        parameters.append(tp.OrderParameter(object=place))
    order = tp.Order(id=free[0].id, slot=-1, otype=otype, parameters=parameters)
    ((answer, message),) = player.say("order_insert", order)
    assert answer == ("okay" if player.dialect is TP03 else "order"), message


def end_turn(players: list[Player], turn: int) -> None:
    """Let both finish, and wait until the next turn has begun."""
    for player in players:
        player.unasked.clear()
    for player in players:
        assert player.ask("finished_turn")[0][0] == "okay"
    for player in players:
        player.wait_for_turn(turn)


def told(player: Player, subject: str) -> str:
    """Return the newest message on the player's board with this subject."""
    (board,) = player.things("get_boards", ids=[0])
    found = [
        one.body for one in player.things("get_message", id=0, slots=range(board.messages)) if one.subject == subject
    ]
    assert found, f"{player.name} was told nothing of {subject!r}"
    return str(found[-1])


def play(vector: Vector, dialect: Dialect, port: int, rows: list[dict[str, Any]]) -> str:
    """Play a vector and return the board at its end; AssertionError says what is not as the rule page has it."""
    players = [Player(name, dialect, port, rows) for name in ("ann", "ben")]
    try:
        for player in players:
            player.enter()
        for seat, what, x, y in vector.opening:
            give(players[seat], what, x, y)
        end_turn(players, 1)
        assert Map(players[0]).drawing() == vector.before
        seat, what, x, y = vector.connecting
        give(players[seat], what, x, y)
        end_turn(players, 2)
        for player in players:
            assert vector.combat in told(player, "COMBAT!").lower(), told(player, "COMBAT!")
        for seat, what, x, y in vector.reinforcing:
            give(players[seat], what, x, y)
        end_turn(players, 3)
        for player in players:
            text = told(player, "Combat Complete!")
            assert all(words in text for words in vector.won), text
        boards = {Map(player).drawing() for player in players}
        assert boards == {vector.after}
        return boards.pop()
    finally:
        for player in players:
            player.socket.close()


@contextmanager
def server(ruleset: str, options: Sequence[str], seed: str) -> Iterator[int]:
    """Run a server with one game for a while; yields its port."""
    folder = Path(tempfile.mkdtemp(prefix="tp-"))
    program = [sys.executable, "-m", "tpserver.cli"]
    data = ["--data", str(folder / "data")]
    words = [word for option in options for word in ("--option", option)]
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    process = None
    try:
        create = [
            "game",
            "create",
            "vector",
            "--ruleset",
            ruleset,
            "--seats",
            "2",
            "--clock",
            "all-done",
            "--seed",
            seed,
        ]
        subprocess.run(
            [*program, *create, *words, *data],
            check=True,
            timeout=PATIENCE,
            stdout=subprocess.DEVNULL,
            env=os.environ,
        )
        run = ["run", "--port", str(port), "--web", "off", "--accounts", "open", *data]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen([*program, *run], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        _wait_for(process, port, folder / "log")
        yield port
    finally:
        if process is not None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(folder)


def _wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), PATIENCE).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > give_up:
                raise RuntimeError(f"the server does not start:\n{log.read_text(errors='replace')}") from None
            time.sleep(0.02)


SEED = "vectors"
"""With it Ben has two merchants and a settler in his first hand of V2, and Ann a merchant."""


def session(name: str, dialect: str) -> tuple[str, list[str]]:
    """Play a vector in a dialect; return the board at its end and the lines of the dump of all frames."""
    rows: list[dict[str, Any]] = []
    vector = VECTORS[name]
    with server("tae", vector.options, SEED) as port:
        board = play(vector, DIALECTS[dialect], port, rows)
    return board, dumped(rows)


def dumped(rows: list[dict[str, Any]]) -> list[str]:
    """Return a recording as `python -m tpproto dump` prints it, a line a frame."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
        file.flush()
        return list(dump(file.name))


def main(words: list[str]) -> int:
    vectors = [word for word in words if word in VECTORS] or list(VECTORS)
    dialects = [word for word in words if word in DIALECTS] or list(DIALECTS)
    if unknown := set(words) - set(VECTORS) - set(DIALECTS):
        print(f"{', '.join(sorted(unknown))}: say one of {', '.join([*VECTORS, *DIALECTS])}", file=sys.stderr)
        return 2
    for dialect in dialects:
        for name in vectors:
            board, lines = session(name, dialect)
            print(*lines, sep="\n")
            print(f"{name} in {dialect}: {len(lines)} frames; at its end the board is [{board}]")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
