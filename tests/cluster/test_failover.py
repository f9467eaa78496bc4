"""A node on three PostgreSQL servers under Patroni, with a failover.

Clients play meanwhile.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise

import pytest
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import OperationalError

from tests.durability.ledger import GameLedger, Setting
from tests.durability.players import Player
from tests.support.cluster_node import Node, finish, turn
from tests.support.patroni import Patroni, patroni
from tests.support.postgres import drop_tables
from tests.support.process import SECONDS
from tests.support.wire import Failed, Gone, only
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP04
from tpserver.rules.discovery import discover
from tpserver.store import JournalEntry

pytestmark = pytest.mark.thorough

LEASE = 60
"""Seconds; more than a failover takes, so that games stay in memory and connections with them."""
GAMES, SEATS = 2, 2
PLAY_SECONDS = 0.7


@pytest.fixture(scope="module")
def servers() -> Iterator[Patroni]:
    with patroni() as started:
        yield started


@pytest.fixture
def node(servers: Patroni, make_node: Callable[..., Node]) -> Node:
    drop_tables(servers.url)
    node = make_node("data", servers.url, LEASE)
    node.start()
    return node


class Ledger(GameLedger):
    """Promises to players whose database is PostgreSQL. A turn has fewer entries than the journal keeps."""

    def _replaced(self, connection: Connection) -> list[JournalEntry]:
        return []


class Playing:
    """Players of some games at one node. Everything acknowledged is recorded."""

    def __init__(self, node: Node, url: str) -> None:
        self.node = node
        self.tally: Counter[str] = Counter()
        self._engine: Engine = create_engine(url, isolation_level="REPEATABLE READ", pool_pre_ping=True)
        self.games, self.players = [], []
        options = {"rounds": 1000, "gold": 99}
        for number in range(GAMES):
            setting = Setting(f"auction {number}", "auction", SEATS, f"seed {number}", "all-done", options)
            node.create_game(setting.name, setting.ruleset, SEATS, clock=setting.clock, seed=setting.seed, **options)
            game = Ledger(setting, discover().named("auction"), self.tally)
            self.games.append(game)
            for seat in range(SEATS):
                dice = random.Random(f"{number} {seat}")
                self.players.append(Player(f"buyer {number} {seat}", game, (TP04, PB)[seat], dice, self.tally))

    def connect(self) -> Connection:
        """Connect to the database that players and ledgers read."""
        return self._engine.connect()

    def close(self) -> None:
        self._engine.dispose()

    @property
    def acknowledged(self) -> int:
        return sum(self.tally[what] for what in ("orders inserted", "orders removed", "messages posted", "turns"))

    async def through(self, trouble: Callable[[], object]) -> None:
        """Have everybody play while something happens, until it is over and all can log in again; then audit it all."""
        await self.check()
        playing = [asyncio.create_task(self._play(player)) for player in self.players]
        await asyncio.sleep(PLAY_SECONDS)
        await asyncio.to_thread(trouble)
        await asyncio.sleep(PLAY_SECONDS)
        for task in playing:
            task.cancel()
        await asyncio.wait(playing)
        give_up = time.monotonic() + SECONDS
        for player in self.players:  # else what is on its way might come after the audit
            while player.line.unanswered and not player.line.gone.is_set():
                assert time.monotonic() < give_up, self.node.tail()
                await asyncio.sleep(0.02)
            player.line.close()
        await self.check()
        for player in self.players:
            player.line.close()

    async def _play(self, player: Player) -> None:
        """Play until the connection ends."""
        while not player.line.gone.is_set():
            # Looks are refused as well while the database is away, and who looks into it finds nobody.
            with suppress(Failed, OperationalError):
                await player.play(self)  # type: ignore[arg-type] # all that it needs is to connect
            await asyncio.sleep(0.05)

    async def _enter(self) -> None:
        give_up = time.monotonic() + SECONDS
        for player in self.players:
            while True:
                try:
                    await player.enter(self.node.port)
                    break
                except (Failed, Gone, OSError):
                    assert time.monotonic() < give_up, self.node.tail()
                    await asyncio.sleep(0.1)

    async def check(self) -> None:
        """Compare all that the database has, and what the server shows to each player, with what is owed."""
        await self._enter()
        unseen = list(self.players)
        while unseen:
            with self.connect() as connection:
                for game in self.games:
                    game.audit(connection)
            unseen = [player for player in unseen if not await player.look()]


@pytest.fixture
def playing(node: Node, servers: Patroni) -> Iterator[Playing]:
    made = Playing(node, servers.url)
    yield made
    made.close()


def test_nothing_is_lost_or_doubled_when_another_server_takes_the_place_of_the_primary(
    servers: Patroni, node: Node, playing: Playing
) -> None:
    """The primary is first switched over by the operator, then its machine is switched off.

    The node continues by itself, as the same node, as both take less time than its lease.
    """
    server, log = node.serving(), len(node.said)

    def switched_off() -> None:
        servers.await_whole()  # without a standby that is in step nobody may take over
        old = servers.primary()
        old.kill()
        servers.await_so(lambda: servers.named("leader") not in (None, old), "nobody takes over")
        servers.start(old)

    async def story() -> list[int]:
        done = [0]
        for trouble in (servers.switch_over, switched_off, lambda: None):
            await playing.through(trouble)
            done.append(playing.acknowledged)
        return done

    done = asyncio.run(story())
    assert all(before < after for before, after in pairwise(done)), "and they played on each time"
    assert node.serving() == server
    assert "has lost its lease" not in node.said[log:] and " critical " not in node.said
    for game in playing.games:
        node.command("replay", game.setting.name, "--config", node.config)
    print(dict(playing.tally))


def test_what_no_standby_has_is_not_acknowledged(servers: Patroni, node: Node) -> None:
    """The primary is alone, and strict: a COMMIT waits. When a standby is there again it is answered, once."""
    node.create_game("first", "auction", 2)
    ann, ben = node.connected("ann@first"), node.connected("ben@first")
    ann.socket.settimeout(2)
    standbys = [member for member in servers.members if member is not servers.primary()]
    for standby in standbys:
        standby.kill()
    try:
        with pytest.raises(TimeoutError):
            finish(ann)
    finally:
        for standby in standbys:
            servers.start(standby)
    ann.socket.settimeout(SECONDS)
    only(ann.hear()[0], tp.Okay)
    finish(ben)
    node.wait_until(lambda: turn(ben) == 1, "closes no turn")
    servers.await_whole()
