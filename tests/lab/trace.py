"""Files that an order, a login, a page and the closing of a turn pass through: `python -m tests.lab.trace`.

    python -m tests.lab.trace [--files]

Real connections and sessions run without sockets, on a database file in memory. A profiler counts the calls of Python
functions in the four packages. Each line has the calls, the files, and how often a call is in another file than the one
before. Everything is done once before, so that caches are filled. All players are connected.

`--files` also lists the files, with the number of calls in each. A timer of the call limits adds a call to some runs.
To trace an older build, copy this file there.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from google.protobuf.message import Message

from tests.support.connections import Transport
from tests.support.orders import order, written
from tests.support.process import PLUGINS
from tests.support.server_in_memory import Server, making_servers
from tests.web.web_in_memory import WebServer
from tpproto import tp_pb2 as tp
from tpproto.dialects import TP04
from tpproto.frames import BY_NAME, frame
from tpproto.stream import FrameReader, RawFrame
from tprules.api.ruleset import find_phase
from tpserver.requests.session.session import Peer, Session
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import Limits

ROOT = Path(__file__).parents[2]
PACKAGES = tuple(
    f"{ROOT / package}/" for package in ("tpserver", "protocol/tpproto", "rulesets/tprules", "clients/tpclient")
)


@dataclass
class Trace:
    """The calls of one piece of work."""

    title: str
    calls: list[str] = field(default_factory=list)
    """The file of each call, in their order."""

    @property
    def files(self) -> Counter[str]:
        """The calls by file."""
        return Counter(self.calls)

    @property
    def changes(self) -> int:
        """The calls that are in another file than the one before."""
        return sum(before != after for before, after in zip(self.calls, self.calls[1:], strict=False))

    def __str__(self) -> str:
        return f"{self.title:16} {len(self.calls):6} calls {len(self.files):4} files {self.changes:6} changes"

    def note(self, frame: FrameType, event: str, argument: Any) -> None:
        """Note a call, as a function for `sys.setprofile`."""
        if event == "call" and (name := frame.f_code.co_filename).startswith(PACKAGES):
            self.calls.append(name.removeprefix(f"{ROOT}/"))


def traced(title: str, work: Callable[[], object]) -> Trace:
    """Do something and return its trace."""
    trace = Trace(title)
    sys.setprofile(trace.note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return trace


class Player:
    """A player of the game "first" at the other end of a real connection."""

    def __init__(self, server: Server, name: str) -> None:
        self._server = server
        self._sequence = 0
        clock: Any = server.clock  # Twisted's has the methods that are needed
        factory = ConnectionFactory(self._session, Limits(), clock)
        self._wire = Transport(factory.buildProtocol(None))
        self.ask("connect", BY_NAME["connect"].message())
        login = BY_NAME["login"].message(username=f"{name}@first", password="secret")
        self.login = self.ask("login", login)

    def _session(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> Session:
        self.session = Session(self._server.host, Peer(address, secure, token), send)
        return self.session

    def ask(self, kind: str, message: Message) -> Trace:
        """Send a request, and return the trace of its bytes, until its response is written."""
        self._sequence += 1
        data = TP04.encode(frame(self._sequence, kind, message), self.session.lookup())
        wire = self._wire

        def work() -> None:
            wire.protocol.dataReceived(data)
            self._server.settle()

        self._wire.read_all()
        trace = traced(kind, work)
        responses = [one for one in FrameReader(None, TP04).feed(self._wire.read_all()) if isinstance(one, RawFrame)]
        kinds = [TP04.kind(one.kind).field for one in responses if one.sequence == self._sequence]
        assert kinds and "fail" not in kinds, f"{kind}: {kinds}"
        return trace


def orders_and_closings(ruleset: str, seats: int) -> list[Trace]:
    """Return the traces of a login, of the first legal order, and of a closing without orders, each done before."""
    with making_servers() as make:
        server = make()
        server.create("first", ruleset, seats)
        players = [Player(server, name) for name in ("ann", "ben", "cem")[:seats]]
        login = Player(server, "ann").login
        game = server.game()
        rules, seat = game.rules, min(find_phase(game.rules, game.state.phase).active(game.state.world))
        first = next(iter(rules.legal_orders(game.state.plan(seat))))
        kind = next(kind for kind in rules.orders if kind.name == first.type)
        values = [written(param, first.args[name]) for name, param in kind.params.items()]
        player = next(player for player in players if player.session.seat == seat)
        player.ask("order_insert", order(first.on, kind.number, *values))
        player.ask("remove_order", tp.GetWithIDSlot(id=first.on, slots=[0]))
        insert = player.ask("order_insert", order(first.on, kind.number, *values))
        player.ask("remove_order", tp.GetWithIDSlot(id=first.on, slots=[0]))
        server.close_turn()
        server.pass_time(10)
        closing = traced("closing", server.close_turn)
        for trace, title in ((login, "login"), (insert, "order"), (closing, "closing")):
            trace.title = f"{ruleset}: {title}"
        return [login, insert, closing]


def page() -> Trace:
    """Return the trace of the client's page for a browser."""
    server = WebServer(ROOT / "clients/tpclient/web")
    assert server.get("/").code == 200
    return traced("page", lambda: server.get("/"))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.trace", description="Count the files of a request.")
    parser.add_argument("--files", action="store_true", help="list the files, with the calls in each")
    options = parser.parse_args()
    sys.path.insert(0, str(PLUGINS))
    for trace in (*orders_and_closings("swarm", 2), *orders_and_closings("tae", 3), page()):
        print(trace)
        if options.files:
            print(*(f"{calls:8} {name}" for name, calls in sorted(trace.files.items())), sep="\n")


if __name__ == "__main__":
    main()
