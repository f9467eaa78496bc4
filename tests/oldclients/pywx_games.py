"""Games between the model of pywx and instant bots, on a server in memory.

`python tests/oldclients/pywx_games.py [GAME...] [--version 0.2 0.3 TP04] [--turns 10]` plays all five games in all
versions of the client, and prints a table. The bots move between any two frames of the client, so turns end in the
middle of a download. The columns:

    STRADDLED   downloads during which a turn ended
    TRIED       inserted orders, with default or chosen values
    REFUSED     those of them that were refused, as the user chooses without knowing the rules
    TAKEN       those of them that became orders
    FETCHED     all downloaded objects
    FAILED      places where the client would raise an error, hang, or be thrown out
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pywx_cache import VERSIONS, Version, differing
from pywx_client import Arguments, Client
from pywx_wire import Lost
from twisted.internet.defer import Deferred

from tests.support.rulesets import shipped
from tests.support.server_in_memory import Server, making_servers
from tpproto.dialects import Dialect
from tpproto.stream import FrameReader, RawFrame
from tprules.api import Role
from tpserver.games.core import attendance
from tpserver.games.core.game import Game
from tpserver.games.turns import order_intake
from tpserver.requests.session.session import Peer, Session

MOST_LOOKS = 3000
"""Looks of a client for frames, after each of which bots play, before it counts as waiting forever."""
MOST_UPDATES = 60
"""Downloads in a row during each of which another turn has begun."""
MOST_HURRIES = 2
"""Turns that the client's own user ends elsewhere while it downloads."""
MOST_BOT_ORDERS = 4
MOST_GAMES = 10
TURN_SECONDS = 60
"""The clock of a game in which nobody says that the turn is finished."""


class Bots:
    """Players who move at once: whenever they are asked, the awaited ones move, now and then.

    ``hurries`` is how many more times the client's own user finishes the turn in another window.
    """

    def __init__(self, server: Server, seats: Sequence[int], seed: str) -> None:
        self.server = server
        self.seats = seats
        self.chance = random.Random(seed)
        self.asleep = False
        self.hurries = 0
        self.late = 0

    def look(self) -> None:
        """Let a bot move, unless it takes a moment longer: turns end anywhere in a download."""
        if self.asleep:
            return
        if self.late:
            self.late -= 1
            return
        self.late = self.chance.choice((0, 1, 2, 5, 11, 23))
        game = self.server.game()
        if game.over or game.closing or not game.started:
            return
        for seat in attendance.awaited(game)[:1]:
            if seat in self.seats:
                self._move(game, seat)
            elif self.hurries:
                self.hurries -= 1
            else:
                return
            self.server.registry.turns.finished(game, seat)

    def _move(self, game: Game, seat: int) -> None:
        for _ in range(MOST_BOT_ORDERS):
            moves = list(game.rules.legal_orders(game.state.plan(seat)))
            if not moves:
                return
            kind = self.chance.choice(sorted({move.type for move in moves}))
            move = self.chance.choice([one for one in moves if one.type == kind])
            now = self.server.clock.seconds()
            order_intake.make(game, order_intake.insertion(game, seat, move.on, move.type, move.args, -1, now), now)


class MemoryLink:
    """A connection to a server in memory, where bots play between any two frames and any two pieces of an answer."""

    def __init__(self, server: Server, dialect: Dialect, bots: Bots, waits_for_clock: bool = False) -> None:
        self.server = server
        self.bots = bots
        self.waits_for_clock = waits_for_clock
        self.session = Session(server.host, Peer("192.0.2.1"), self._push)
        self._reader = FrameReader(dialect=dialect)
        self._requests: deque[RawFrame] = deque()
        self._pieces: Iterator[bytes | Deferred[bytes]] = iter(())
        """The rest of the present response."""
        self._answering = False
        self._awaited = 0
        self._out = b""
        self._unasked = b""
        """Pushed bytes that wait until the response is whole."""

    def send(self, data: bytes) -> None:
        self.bots.look()
        for event in self._reader.feed(data):
            assert isinstance(event, RawFrame), event
            self._requests.append(event)
        self._answer()

    def receive(self) -> bytes:
        for _ in range(MOST_LOOKS):
            self._answer()
            if not self._answering:
                self._out, self._unasked = self._out + self._unasked, b""
            if self._out:
                data, self._out = self._out, b""
                return data
            self.bots.look()
            self.server.clock.advance(1.0 if self.waits_for_clock and not self.bots.asleep else 0.01)
        raise Lost("it waits for ever: no frame comes")

    def close(self) -> None:
        self.session.connection_lost()

    def _answer(self) -> None:
        """Answer what was asked, one request and one piece after the other."""
        while not self._awaited and (self._answering or self._requests):
            if not self._answering:
                if self.session.occupied:
                    return
                answer = self.session.answer(self._requests.popleft())
                self._pieces = answer if isinstance(answer, Iterator) else iter((answer,))
                self._answering = True
            piece = next(self._pieces, None)
            if piece is None:
                self._answering = False
            elif isinstance(piece, Deferred):
                self._awaited += 1
                piece.addCallback(self._came)
            else:
                self._out += piece
            self.server.clock.advance(0.01)
            self.bots.look()

    def _came(self, data: bytes) -> None:
        self._awaited -= 1
        self._out += data

    def _push(self, data: bytes) -> None:
        self._unasked += data


class Expert:
    """A user who knows the legal orders: those that the rules themselves offer."""

    def __init__(self, server: Server, session: Session) -> None:
        self.server = server
        self.session = session
        self._known: tuple[Any, dict[tuple[int, str], list[Arguments]]] | None = None

    def legal(self, queue: int, name: str) -> Sequence[Arguments]:
        game, seat = self.server.game(), self.session.seat
        assert seat is not None
        plan = game.state.plan(seat)
        key = (game.state.turn, plan.phase, plan.before)
        if self._known is None or self._known[0] != key:
            offered: dict[tuple[int, str], list[Arguments]] = defaultdict(list)
            for move in game.rules.legal_orders(plan):
                offered[move.on, move.type].append(move.args)
            self._known = (key, offered)
        return self._known[1].get((queue, name), [])


@dataclass
class Result:
    """The results of the games of one ruleset with one version of the client."""

    game: str
    version: Version
    games: int = 0
    turns: int = 0
    updates: int = 0
    straddled: int = 0
    """Downloads during which a turn has ended."""
    tried: int = 0
    refused: int = 0
    taken: int = 0
    fetched: int = 0
    drawn: int = 0
    wanted: int = 0
    faults: list[str] = field(default_factory=list)

    def line(self) -> str:
        return (
            f"{self.game:<14} {self.version.dialect.name:<5} {self.version.name:<5} {self.games:>5} {self.turns:>5} "
            f"{self.updates:>7} {self.straddled:>9} {self.tried:>6} {self.refused:>7} {self.taken:>6} "
            f"{self.fetched:>8} {len(self.faults):>6}  {self.drawn} of {self.wanted}"
        )


HEADING = (
    f"{'GAME':<14} {'WIRE':<5} {'PYWX':<5} {'GAMES':>5} {'TURNS':>5} {'UPDATES':>7} {'STRADDLED':>9} {'TRIED':>6} "
    f"{'REFUSED':>7} {'TAKEN':>6} {'FETCHED':>8} {'FAILED':>6}  ICONS"
)


class Played:
    """One game of one client. ``each`` is on how many objects of a type every kind of order is tried in a turn."""

    def __init__(self, server: Server, result: Result, seed: str, each: int) -> None:
        self.server = server
        self.result = result
        self.each = each
        self.version = version = result.version
        clock = f"interval:{TURN_SECONDS}" if version.oldest else "all-done"
        server.create("first", result.game, 2, seed=seed, clock=clock)
        server.player("bot")
        self.bots = Bots(server, [0], seed)
        self.bots.asleep = True
        link = MemoryLink(server, version.dialect, self.bots, version.oldest)
        self.client = Client(link, version, Expert(server, link.session), seed)

    def play(self, turns: int) -> None:
        """Play until there are so many turns of the client in the result, or the game is over."""
        client, result = self.client, self.result
        try:
            client.enter("ann")
            self.bots.asleep = False
            self.download()
            client.look_for_home()
            while result.turns < turns and not self.server.game().over:
                self.give_orders()
                client.finish()
                self.bots.asleep = False
                client.wait_for_turn()
                result.turns += 1
                self.download()
        except Lost as lost:
            client.tally.fault(f"turn {self.server.game().state.turn}: {lost}")
        result.games += 1
        result.tried += client.tally.tried
        result.refused += client.tally.refused
        result.taken += client.tally.taken
        result.fetched += client.cache.fetched
        result.faults += client.tally.faults

    def download(self) -> None:
        """Update again and again until no turn has ended meanwhile; then nothing may be left as it was before."""
        client, result = self.client, self.result
        self.bots.hurries = client.chance.randrange(MOST_HURRIES + 1)
        for _ in range(MOST_UPDATES):
            client.turn_has_begun()  # what began before is what is downloaded now
            before = self.server.game().state.turn
            client.update()
            result.updates += 1
            if self.server.game().state.turn == before and not client.turn_has_begun():
                break
            result.straddled += 1
        else:
            raise Lost("turns go on for ever while it downloads")
        self.bots.asleep = True
        self.count_icons()
        self.compare_with_newcomer()

    def count_icons(self) -> None:
        """Compare the icons of the map with those that there should be: what lies in the universe or a galaxy."""
        objects, parents = self.client.cache.objects, self.client.cache.parents
        top = {number for number, thing in objects.items() if thing.otype in (Role.UNIVERSE, Role.GALAXY)}
        wanted = {number for number, parent in parents.items() if parent in top and number not in top}
        drawn = self.client.map.icons.keys()
        self.result.drawn, self.result.wanted = len(wanted & drawn), len(wanted)
        if wanted != drawn:
            self.client.tally.fault(
                f"map: {len(wanted & drawn)} of {len(wanted)} icons are drawn, and {len(drawn - wanted)} that are none"
            )

    def compare_with_newcomer(self) -> None:
        """Check that the old cache equals that of a new client."""
        before = self.server.game().state.turn
        newcomer = Client(MemoryLink(self.server, self.version.dialect, self.bots), self.version)
        newcomer.enter("ann")
        newcomer.cache.update()
        if self.server.game().state.turn == before:  # else its time ran out meanwhile: the newcomer saw another turn
            for difference in differing(self.client.cache, newcomer.cache):
                self.client.tally.fault(difference)
        newcomer.wire.link.close()

    def give_orders(self) -> None:
        """Try every kind of order that is offered; keep some, forget a new one, and read the board."""
        client = self.client
        by_kind: dict[tuple[int, int], list[int]] = defaultdict(list)
        for number, queue, otype in client.offers():
            by_kind[client.cache.objects[number].otype, otype].append(queue)
        for (_, otype), queues in sorted(by_kind.items()):
            for queue in client.chance.sample(queues, min(self.each, len(queues))):
                client.order(queue, otype, keep=client.chance.random() < 0.5)
        for (_, otype), queues in client.chance.sample(sorted(by_kind.items()), min(2, len(by_kind))):
            client.order_in_the_middle(client.chance.choice(queues), otype)
        for (_, otype), queues in client.chance.sample(sorted(by_kind.items()), min(1, len(by_kind))):
            client.leave_draft(client.chance.choice(queues), otype)
        client.look()
        client.read_messages()


def play(
    make: Callable[..., Server], ruleset: str, version: Version, turns: int, *, seed: str = "pywx", each: int = 2
) -> Result:
    """Play so many turns, each game on a server of its own: where one is over too soon, another is played."""
    result = Result(ruleset, version)
    while result.turns < turns and result.games < MOST_GAMES and not result.faults:
        Played(make(), result, f"{seed} {result.games}", each).play(turns)
    return result


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Play games as the graphical clients of 2007 to 2011 do.")
    parser.add_argument("games", metavar="GAME", nargs="*", help="default: all of this project")
    parser.add_argument("--version", nargs="*", default=list(VERSIONS), choices=list(VERSIONS))
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--seed", default="pywx")
    given = parser.parse_args(words)
    results: list[Result] = []
    print(HEADING, flush=True)
    with making_servers() as make:
        for game in given.games or shipped():
            for name in given.version:
                results.append(play(make, game, VERSIONS[name], given.turns, seed=given.seed))
                print(results[-1].line(), flush=True)
    for result in results:
        for fault in result.faults:
            print(f"\n{result.game}, {result.version.name}: {fault}", file=sys.stderr)
    return 1 if any(result.faults for result in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
