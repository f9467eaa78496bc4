"""Bots: ordinary clients in processes of their own, started and ended by the server.

They get accounts and seats from the server and connect to it over a socket like any client.  The server contains no
strategy: the client is given the ruleset's name and chooses a policy.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessDone
from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpserver.accounts.accounts import Accounts, NameIsTaken, NotAdmitted
from tpserver.concurrency import Timer
from tpserver.games.game import Game, GameError, NotSaved, durable
from tpserver.games.registry import GameRegistry
from tpserver.store import StoreError
from tpserver.store import accounts as stored_accounts
from tpserver.store.accounts import Account

log = Logger()

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
"""Seconds before a bot that ended is started again: the first wait, doubled each time up to the longest."""
STEADY = 60.0
"""Seconds of running after which the next wait is the first one again."""
GRACE = 3.0
"""Maximum seconds for bots to end when the server stops."""
USUAL_POLICY = "random"
"""The policy for rulesets that the client does not know."""
WRONG_USAGE = 2
"""The client's exit code for an unknown policy."""
LONGEST_WORDS = 4096


@dataclass(eq=False)
class Team:
    """The bots of one game, which share a process."""

    game: int
    names: list[str]
    policy: str
    process: Any = None
    started: float = 0.0
    wait: float = FIRST_WAIT
    timer: Timer | None = None
    ended: list[Deferred[None]] = field(default_factory=list)


class Bots:
    """The bots of all games of a server.  ``address`` returns the URL to which they connect."""

    def __init__(self, reactor: Any, registry: GameRegistry, accounts: Accounts, address: Callable[[], str]) -> None:
        self._reactor = reactor
        self._registry = registry
        self._accounts = accounts
        self._address = address
        self._teams: dict[int, Team] = {}
        self._bot_accounts: list[Account] = []
        self._seating: dict[int, Deferred[None]] = {}
        self._enlisting: Deferred[None] | None = None
        self._stopping = False
        # One password for all bots, known only to this server process and its children.
        self._password = secrets.token_urlsafe(24)

    def look_at_all(self) -> None:
        """Start the bots of every game in memory."""
        for game in list(self._registry.games.values()):
            self.look(game)

    def look(self, game: Game) -> None:
        """Start the bots of a game, after giving seats to those that have none."""
        number = game.row.id
        if game.row.bots and not game.over and number not in self._seating and not self._stopping:
            self._seating[number] = Deferred.fromCoroutine(self._bring(game))
            self._seating[number].addBoth(self._brought, number)

    def _brought(self, result: Any, number: int) -> None:
        self._seating.pop(number, None)
        if isinstance(result, Failure) and not self._stopping:
            known = (GameError, NotAdmitted, NotSaved, StoreError)
            name = self._registry.games[number].name if number in self._registry.games else f"number {number}"
            if result.check(*known):  # type: ignore[no-untyped-call] # Twisted declares no types here
                log.error("the bots of {game} cannot play: {why}", game=name, why=result.getErrorMessage())
            else:
                log.failure("the bots of {game} cannot play", result, game=name)

    async def _bring(self, game: Game) -> None:
        names = [player.name for player in game.players if player.bot]
        await self._enlist(max(game.row.bots, len(names)))
        for account in self._bot_accounts:
            if len(names) >= game.row.bots or not game.open_seats():
                break
            if game.seat_of(account.id) is None:
                await self._registry.take_seat(game, account.id, account.name, bot=True)
                game = self._registry.with_id(game.row.id)
                names.append(account.name)
        known = {account.name for account in self._bot_accounts}
        names = [name for name in names if name in known]
        await durable(game)
        if names and not self._stopping and game.row.id not in self._teams:
            team = Team(game.row.id, names, game.rules.name)
            self._teams[game.row.id] = team
            self._start(team)

    async def _enlist(self, wanted: int) -> None:
        """Ensure that there are at least ``wanted`` bot accounts whose password is known."""
        while self._enlisting is not None:
            waiter: Deferred[None] = Deferred()
            self._enlisting.chainDeferred(waiter)
            await waiter
        if len(self._bot_accounts) >= wanted:
            return
        self._enlisting = Deferred()
        try:
            await self._add_accounts(wanted)
        finally:
            done, self._enlisting = self._enlisting, None
            done.callback(None)

    async def _add_accounts(self, wanted: int) -> None:
        number = 0
        tried = {account.name for account in self._bot_accounts}
        while len(self._bot_accounts) < wanted:
            number += 1
            name = f"bot-{number}"
            if name in tried:
                continue
            found = self._registry.store.read(stored_accounts.by_name, name)
            if found is None:
                with suppress(NameIsTaken):  # a person has just taken the name
                    self._bot_accounts.append(await self._accounts.add(name, self._password, bot=True))
            elif found.bot:
                await self._accounts.set_password(found, self._password)
                self._bot_accounts.append(found)
            # Otherwise a person has this name.

    def _start(self, team: Team) -> None:
        team.timer = None
        game = self._registry.games.get(team.game)
        if self._stopping or game is None or game.over:
            self._teams.pop(team.game, None)
            return
        arguments = [sys.executable, "-m", "tpclient", "bots", "--quiet", "--password-stdin"]
        arguments += ["--address", self._address(), "--game", game.name, "--policy", team.policy]
        # The game's seed must stay secret, and command lines are visible to every user of this machine.
        seed = hashlib.sha256(b"bots " + game.row.seed).hexdigest()[:16]
        arguments += ["--seed", seed]
        for name in team.names:
            arguments += ["--user", name]
        team.started = self._reactor.seconds()
        conversation = BotProcess(
            self._password, lambda line: self._said(team, line), lambda why: self._gone(team, why)
        )
        team.process = self._reactor.spawnProcess(conversation, sys.executable, arguments, dict(os.environ))
        log.info(
            "{game}: {names} play in process {pid}", game=game.name, names=", ".join(team.names), pid=team.process.pid
        )

    def _said(self, team: Team, line: str) -> None:
        game = self._registry.games.get(team.game)
        log.info("{game}: {line}", game=game.name if game is not None else team.game, line=line)

    def _gone(self, team: Team, code: int | None) -> None:
        team.process = None
        for waiter in team.ended:
            waiter.callback(None)
        team.ended.clear()
        game = self._registry.games.get(team.game)
        if self._stopping or game is None or game.over:
            self._teams.pop(team.game, None)
            return
        if code == WRONG_USAGE and team.policy != USUAL_POLICY:
            team.policy = USUAL_POLICY
            self._start(team)
            return
        if self._reactor.seconds() - team.started >= STEADY:
            team.wait = FIRST_WAIT
        log.warn(
            "the bots of {game} have ended (code {code}) and come back in {wait:g} s",
            game=game.name,
            code="none: killed" if code is None else code,
            wait=team.wait,
        )
        team.timer = self._reactor.callLater(team.wait, self._start, team)
        team.wait = min(2 * team.wait, LONGEST_WAIT)

    async def stop(self) -> None:
        """End all bots, by force after GRACE seconds; returns when they are gone."""
        self._stopping = True
        leaving = []
        for team in list(self._teams.values()):
            if team.timer is not None and team.timer.active():
                team.timer.cancel()
            if team.process is not None:
                gone: Deferred[None] = Deferred()
                team.ended.append(gone)
                leaving.append((team, gone))
                _signal(team.process, "TERM")
        for team, gone in leaving:
            killing = self._reactor.callLater(GRACE, self._kill, team)
            await gone
            if killing.active():
                killing.cancel()
        self._teams.clear()

    def _kill(self, team: Team) -> None:
        if team.process is not None:
            _signal(team.process, "KILL")


class BotProcess(ProcessProtocol):
    """One bot process: gets its password on standard input; its output is logged line by line."""

    def __init__(self, password: str, said: Callable[[str], None], gone: Callable[[int | None], None]) -> None:
        self._password = password
        self._said = said
        self._gone = gone
        self._words = b""

    def connectionMade(self) -> None:
        process: Any = self.transport
        process.write(f"{self._password}\n".encode())
        process.closeStdin()

    def outReceived(self, data: bytes) -> None:
        self._hear(data)

    def errReceived(self, data: bytes) -> None:
        self._hear(data)

    def processEnded(self, reason: Failure) -> None:
        if self._words:
            self._said(self._words.decode(errors="replace"))
        code: int | None = 0
        if not isinstance(reason.value, ProcessDone):
            code = getattr(reason.value, "exitCode", None)
        self._gone(code)

    def _hear(self, data: bytes) -> None:
        *whole, self._words = (self._words + data).split(b"\n")
        for line in whole:
            self._said(line[:LONGEST_WORDS].decode(errors="replace"))
        self._words = self._words[-LONGEST_WORDS:]


def _signal(process: Any, name: str) -> None:
    from twisted.internet.error import ProcessExitedAlready

    try:
        process.signalProcess(name)
    except ProcessExitedAlready:
        return
