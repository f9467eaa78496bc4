"""A crowd of clients of all dialects on real sockets, with a record.

Each client inserts and removes orders, writes messages to itself, reads, and finishes turns. It sends some requests one
after the other and some at once, and records requests and responses. At the end the acknowledged changes are compared
with the database: nothing may be missing, and nothing may be there twice.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import ssl
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from tests.endtoend.test_live_web import SocketLine
from tests.support.orders import number, order, text
from tests.support.server import ServerProcess
from tests.support.wire import Line, everything
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04
from tpserver.admin.socket_client import ask_running

WAYS = ("tp03", "tp04", "pb", "websocket", "json", "tls")
SEATS = 8
"""Seats of an auction."""

MOST_LETTERS = 200
"""Letters that a member writes: its board holds more."""


class Member:
    """A client that stays connected, in one seat of one game."""

    def __init__(self, number: int, way: str, game: str) -> None:
        self.name = f"m{number}"
        self.way = way
        self.game = game
        self.asked = self.told = 0
        self.inserted = self.removed = self.letters = 0
        self.longest = 0.0
        self.turns = 0
        self.line: Line
        self._queued = False

    async def come_in(self, server: ServerProcess, tls_port: int, trusted: ssl.SSLContext | None) -> None:
        if self.way in ("websocket", "json"):
            self.line = await SocketLine.visit(server.web_port, "tp.pb" if self.way == "websocket" else "tp.json")
        elif self.way == "tls":
            self.line = await Line.open(tls_port, TP04, tls=trusted)
        else:
            self.line = await Line.open(server.port, {"tp03": TP03, "tp04": TP04, "pb": PB}[self.way])
        await self.line.enter(self.name, game=self.game)
        await self.line.learn_orders()
        await self.line.learn_objects()
        self.seat = await self.line.me()

    async def ask(self, kind: str, message: Message) -> list[Any]:
        """Ask, and write down that it was answered and how long that took."""
        self.asked += 1
        begun = time.monotonic()
        answer = await self.line.ask(kind, message)
        self.longest = max(self.longest, time.monotonic() - begun)
        self.told += 1
        return answer

    async def live(self, is_over: Callable[[], bool], pause: float) -> None:
        """Do all that players do, again and again, until it is over."""
        home = 1 + self.seat
        while not is_over():
            bid = order(home, 1, number(1), text(""))
            if not self._queued and took(await self.ask("order_insert", bid)):
                self.inserted += 1
                self._queued = True
            reads = [
                self.ask("get_objects_by_id", tp.GetWithID(ids=[0, 1, home])),
                self.ask("get_object_ids", everything()),
                self.ask("get_time_remaining", tp.GetTimeRemaining()),
            ]
            objects, ids, _ = await asyncio.gather(*reads)
            assert len(objects) == 3, objects
            assert len(ids) == 1, ids
            if self.letters < MOST_LETTERS:
                letter = tp.Message(id=0, slot=-1, subject=f"{self.name} {self.letters}", body="x")
                assert took(await self.ask("post_message", letter))
                self.letters += 1
            if self._queued and took(await self.ask("remove_order", tp.GetWithIDSlot(id=home, slots=[0]))):
                self.removed += 1
            self._queued = False  # removed, or maybe gone with the turn: then the next is refused
            await self.ask("finished_turn", tp.FinishedTurn())
            self.turns += 1
            await asyncio.sleep(pause)


def took(answer: list[Any]) -> bool:
    """Return True if the request was done, and not refused."""
    (message,) = answer
    return not isinstance(message, tp.Fail)


class Crowd:
    """Members in as many games as they need, on a server that keeps connections."""

    def __init__(self, server: ServerProcess, size: int, tls_port: int, certificate: Path) -> None:
        self.server = server
        self.size = size
        self.tls_port = tls_port
        self.trusted = ssl.create_default_context(cafile=str(certificate))
        self.members: list[Member] = []
        self.is_over = False

    def make_games(self) -> None:
        for game in range(0, self.size, SEATS):
            seats = min(SEATS, self.size - game)
            self.server.create_game(f"g{game}", "auction", seats, seed=str(game), rounds=1000, gold=99)

    async def gather(self) -> None:
        """Have all come in, a few at a time, as logging in takes processor time."""
        self.members = [
            Member(number, WAYS[number % len(WAYS)], f"g{number - number % SEATS}") for number in range(self.size)
        ]
        for start in range(0, self.size, 8):
            some = self.members[start : start + 8]
            await asyncio.gather(*(member.come_in(self.server, self.tls_port, self.trusted) for member in some))

    async def live_through(self, *events: Callable[[], object], pause: float, between: float) -> None:
        """Have all play while one event after the other happens to the server, in a thread."""
        lives = [asyncio.create_task(member.live(lambda: self.is_over, pause)) for member in self.members]
        try:
            for event in events:
                await asyncio.sleep(between)
                await asyncio.to_thread(event)
                seen = [member.told for member in self.members]
                while any(member.told == before for member, before in zip(self.members, seen, strict=True)):
                    await asyncio.sleep(0.05)  # each was answered after it
                    for life in lives:
                        if life.done():
                            life.result()
            self.is_over = True
            await asyncio.gather(*lives)
        finally:
            for life in lives:
                life.cancel()

    def audit(self) -> None:
        """Compare all responses with the database. Call it when the server has stopped."""
        for member in self.members:
            assert not member.line.strange, f"{member.name} ({member.way}): {member.line.strange}"
            assert member.asked == member.told
        with sqlite3.connect(self.server.database) as connection:
            rows = connection.execute(
                "SELECT g.name, j.seat, j.kind, COUNT(*) FROM journal j JOIN games g ON g.id = j.game "
                "WHERE j.kind IN ('insert', 'remove') GROUP BY 1, 2, 3"
            )
            saved = {(game, seat, kind): count for game, seat, kind, count in rows}
            written = connection.execute("SELECT subject FROM messages WHERE body = '\"x\"'")
            letters = Counter(json.loads(subject) for (subject,) in written)
        for member in self.members:
            place = (member.game, member.seat - 1)
            assert saved.get((*place, "insert"), 0) == member.inserted, member.name
            assert saved.get((*place, "remove"), 0) == member.removed, member.name
            subjects = [f"{member.name} {count}" for count in range(member.letters)]
            assert {letters.pop(subject, 0) for subject in subjects} <= {1}, member.name
        assert not letters, "letters that nobody was told of"

    # --- what happens to the server

    def restart(self) -> None:
        """Replace the process with the games, as the operator does, and wait for the next one."""
        said = len(self.server.said)
        lines = ask_running(self.server.data, "restart", {})
        assert lines is not None, "no server answers"
        self.server.wait_for("takes its place", said)
        self.server.wait_for("listens on .* data in ", said)

    def kill(self) -> None:
        """Kill the process with the games, and wait for the next one."""
        said = len(self.server.said)
        os.kill(self.holder(), signal.SIGKILL)
        self.server.wait_for("another server is started", said)
        self.server.wait_for("listens on .* data in ", said)

    def holder(self) -> int:
        """The number of the process that has the database open."""
        database = str(self.server.database)
        (found,) = [
            child
            for child in self.server.children()
            if any(opened(file) == database for file in Path(f"/proc/{child}/fd").iterdir())
        ]
        return found


def opened(file: Path) -> str:
    try:
        return str(file.readlink())
    except OSError:
        return ""
