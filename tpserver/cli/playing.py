"""``tpserver play``: a server with one new game."""

from __future__ import annotations

import argparse
import errno
import os
import secrets
import shutil
import sys
import tempfile
import webbrowser
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

from twisted.internet.defer import Deferred

from tprules.api import Event, Outcome, Report, Ruleset
from tprules.printable import printable
from tpserver.addresses import bind_error
from tpserver.admin.commands.games import game_create
from tpserver.admin.game_listing import counts, final_table
from tpserver.admin.offline import has_data, rehearsal
from tpserver.cli import log as log_lines
from tpserver.cli.options import Failed, config_of, ruleset_options
from tpserver.cli.output import say
from tpserver.concurrency import result_now
from tpserver.config import BackupConfig, Config
from tpserver.games.core import phases, rules_calls
from tpserver.games.core.errors import GameError
from tpserver.games.core.events import TurnClosed
from tpserver.games.core.game import Game
from tpserver.games.core.time_left import TIMER_STARTED, TimeLeft
from tpserver.rules.discovery import Rulesets, UnknownRuleset, discover
from tpserver.server.assembly import App, CannotStart
from tpserver.server.running import run_reactor
from tpserver.store import StoreError
from tpserver.wire.net import PLAIN_PORT, WEB_PORT
from tpserver.wire.web.login_tokens import NotLinked

GUEST = "guest"
"""Name of an account created by a login link."""

NO_BROWSER = "TPSERVER_NO_BROWSER"
"""An environment variable: if it is not empty, no browser is opened."""

LONGEST_ROLE = 40
MOST_LINKS = 4
MOST_LINES = 3
LONGEST_LINE = 150
"""Maximum characters of a line about a turn; the whole text is on every player's board."""


def play(options: argparse.Namespace) -> int:
    """Play until Ctrl-C, or with --until-end until the game is over; return 0. Raises Failed."""
    log_lines.be_quiet()
    rulesets = discover()
    try:
        rules = rulesets.named(options.ruleset)
    except UnknownRuleset as error:
        raise Failed(str(error)) from None
    wanted = new_game(rules, options)
    with ExitStack() as stack:
        directory = options.data
        if directory is None:
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tpserver-play-")))
        config = config_of(options, {"server.data": directory, "accounts.policy": "open"})
        if options.data is None:  # whose backups are none of this database
            config = replace(config, backup=BackupConfig())
        _rehearse(config, rulesets, wanted)
        config = with_free_ports(config)
        log_lines.begin("warn" if config.log.level == "info" else config.log.level, options.debug)
        from twisted.internet import reactor

        app = App(config, rulesets, reactor)
        table = Table(app, wanted, bool(options.until_end), options.data, wants_browser(options))
        try:
            return run_reactor(reactor, app, table.play)
        except (CannotStart, GameError) as error:
            raise Failed(str(error)) from None


class Table:
    """Runs the game and prints its progress; it subscribes to the game as a connection does."""

    def __init__(
        self, app: App, wanted: dict[str, Any], until_end: bool, data: Path | None, opens_browser: bool = False
    ) -> None:
        self._app = app
        self._opens_browser = opens_browser
        self._wanted = wanted
        self._until_end = until_end
        self._data = data
        self._events: Counter[str] = Counter()
        self._started = False
        self._unheard = False
        self._over: Deferred[int] = Deferred()

    async def play(self) -> int | None:
        """Create the game and print how to join; return when it is over if that is requested."""
        app = self._app
        app.registry.bus.subscribe(TurnClosed, self._turned)
        try:
            await game_create(app.context, **self._wanted)
        except GameError as error:
            where = f"; to go on with what is in {self._data}: tpserver run --data {self._data}" if self._data else ""
            raise Failed(f"{error}{where}") from None
        game = app.registry.named(self._wanted["name"])
        game.subscribers.add(self)
        links = self._links(game)
        self._say(*welcome(app, game, self._until_end, self._data, links), "")
        if links and self._opens_browser:
            self._say("The first link is opened in your browser (--no-browser: it is not).", "")
            # A browser may take its time to start, and must not hold up the server.
            Thread(target=webbrowser.open, args=(links[0],), daemon=True).start()
        return await self._over if self._until_end else None

    def _links(self, game: Game) -> list[str]:
        """Return a URL for each seat that is not for a bot, at most MOST_LINKS; each logs its first visitor in."""
        people = len(game.players) - game.row.bots
        links = [self._app.login_link(lambda: self._guest(game.name)) for _ in range(min(people, MOST_LINKS))]
        return [link for link in links if link]

    async def _guest(self, name: str) -> dict[str, str]:
        """Create an account for the visitor of a login link, and print a link for later visits. Raises NotLinked."""
        if not self._app.registry.named(name).open_seats():
            raise NotLinked("All seats of this game are taken; you can still log in with a name and a password.")
        password = secrets.token_urlsafe(16)
        try:
            account = await self._app.accounts.add_numbered(GUEST, password)
        except StoreError:
            raise NotLinked("Your account could not be saved, so nothing was changed; try again.") from None
        who = {"user": account.name, "password": password, "game": name}
        self._come_back(who)
        return who

    def _come_back(self, who: dict[str, str]) -> None:
        """Print another link for the user of one: closing the page must not cost the seat."""

        async def follow() -> dict[str, str]:
            self._come_back(who)
            return who

        link = self._app.login_link(follow)
        self._say(
            f"{who['user']} has logged in with the login link. To log in again later or elsewhere, once:", f"    {link}"
        )

    def time_left(self, left: TimeLeft) -> None:
        """Print that the game has started, or that the rules failed and the game is held."""
        game = self._app.registry.named(self._wanted["name"])
        if game.row.state == "held" and not self._over.called:
            reason = f"the rules failed in turn {game.state.turn}, and the game is held: {game.row.held_reason}"
            if self._until_end:
                self._over.errback(Failed(reason))
            else:
                self._say(f"{reason[0].upper()}{reason[1:]}.")
        elif left.reason == TIMER_STARTED and not self._started:
            self._started = True
            names = ", ".join(player.name for player in game.players)
            self._say(f"All are here: {names}.  {phases.title(game)}")

    def game_deleted(self, name: str) -> None:
        """Do nothing: the game cannot be deleted while this server runs."""

    def game_moved(self, name: str) -> None:
        """Do nothing: a server on its own has no other node to move the game to."""

    def game_reloaded(self, game: Game) -> None:
        """Nothing to do: the game is always looked up by name."""

    def _turned(self, turn: TurnClosed) -> None:
        game, advanced = turn.game, turn.result.advanced
        if game.name != self._wanted["name"]:
            return
        self._events.update(event.name for event in advanced.events)
        told = happenings(game, advanced.reports, advanced.events)
        self._say(f"{advanced.state.turn:>4}  {phases.title(game)}", *(f"      {line}" for line in told))
        if advanced.outcome is None:
            return
        roles = roles_of(game)
        self._say("", *final_table(advanced.outcome, game.name_of, roles), "")
        if self._events:
            self._say(counts(self._events))
        self._say(f"{advanced.state.turn} turns; digest {advanced.digest}", "")
        self._say(result_words(advanced.outcome, game.name_of, roles))
        if not self._until_end:
            self._say("The game is over; Ctrl-C ends the server.")
        elif not self._over.called:
            self._over.callback(0)

    def _say(self, *lines: str) -> None:
        """Print lines; stop the server if the output is closed."""
        if self._unheard:
            return
        try:
            say(*lines)
        except BrokenPipeError:
            self._unheard = True
            self._app.reactor.stop()


def wants_browser(options: argparse.Namespace) -> bool:
    """Return whether to open a browser: the output goes to a terminal, and there is a desktop."""
    is_asked = not options.no_browser and not os.environ.get(NO_BROWSER)
    return is_asked and sys.stdout.isatty() and has_desktop(sys.platform, os.environ)


def has_desktop(platform: str, environment: Mapping[str, str]) -> bool:
    """Return whether this process can open windows for its user."""
    if environment.get("SSH_CONNECTION") and not environment.get("DISPLAY"):
        return False
    return platform in ("darwin", "win32") or any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def welcome(app: App, game: Game, until_end: bool, data: Path | None, links: Sequence[str]) -> list[str]:
    """Return the text for the user who has just started the server."""
    seats, bots = len(game.players), game.row.bots
    people = seats - bots
    lines = [f"{game.rules.title}, for {seats}: {_many(bots, 'bot')}, {_many(people, 'open seat')}."]
    where = ", ".join(str(listener) for listener in app.listeners)
    lines.append(f"The server listens on {where}.")
    if people:
        listener = next((one for one in app.listeners if one.port), None)
        lines.append("")
        seat = "the open seat" if people == 1 else "an open seat"
        ways: list[list[str]] = []
        if links:
            once = "each works" if len(links) > 1 else "it works"
            ways.append([f"open this in a browser; {once} once:", *links])
        if listener is not None:
            address = f"{listener.host}:{listener.port}"
            client = _program("tpclient")
            ways.append(
                [
                    "play in another terminal; any NAME and password will do, an unknown name makes an account:",
                    f"{client} play --address {address} --user NAME",
                    f"{client} status --address {address} --user NAME    (plain commands; {client} --help)",
                    f"{client} bot --address {address} --user NAME    (it plays at random)",
                ]
            )
            other = "connect with any Thousand Parsec client, such as tpclient-pywx:"
            ways.append([other, f"host {listener.host}, port {listener.port}", "any user name and any password"])
        for number, (way, *details) in enumerate(ways):
            lines.append(f"Or {way}" if number else f"To take {seat}, {way}")
            lines += [f"    {detail}" for detail in details]
    ends = "It ends with the game" if until_end else "Ctrl-C ends it"
    if data is not None:
        kept = f"everything is kept in {data}"
    else:
        kept = "nothing is kept (--data DIR keeps it)"
    lines += ["", f"{ends}; {kept}."]
    return lines


def roles_of(game: Game) -> dict[int, str]:
    """Return the roles of the seats; empty if all have the same, or the rules fail."""
    try:
        found = rules_calls.ask(
            game,
            lambda: {player.seat: game.rules.role(game.state.world, player.seat) for player in game.players},
            "tell the roles",
        )
    except Exception:
        return {}
    return {seat: printable(role, LONGEST_ROLE) for seat, role in found.items() if role}


def result_words(outcome: Outcome, name_of: Callable[[int], str], roles: Mapping[int, str]) -> str:
    """Return the winners, and their roles, as a sentence."""
    winners = outcome.winners()
    words = [f"{name_of(seat)} ({roles[seat]})" if seat in roles else name_of(seat) for seat in winners]
    if len(winners) == len(outcome.places) > 1:
        return f"A draw: {', '.join(words)}."
    if len(words) > 1:
        return f"{', '.join(words[:-1])} and {words[-1]} have won."
    return f"{words[0]} has won."


def happenings(game: Game, reports: Iterable[Report], events: Iterable[Event]) -> list[str]:
    """Return the public events of a turn: a line per public report, or else the names of its events."""
    told = [": ".join(part for part in (report.subject, *report.body.splitlines()[:1]) if part)
            for report in reports if report.to is None]  # fmt: skip
    lines = list(dict.fromkeys(told)) or [", ".join(event.name for event in events)]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"and {len(lines) - MOST_LINES + 1} more"]
    return [_cut(game.text(line)) for line in lines if line]


def new_game(rules: Ruleset[Any], options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments for creating the game."""
    seats = options.seats
    if seats is None:
        seats = max(rules.seats[0], options.bots or 0)
    bots = max(0, seats - 1) if options.bots is None else options.bots
    return {
        "name": rules.name,
        "ruleset": rules.name,
        "seats": seats,
        "bots": bots,
        "options": ruleset_options(options.options),
        "seed": options.seed,
        "clock": "all-done",
        "join": "open",
    }


def with_free_ports(config: Config) -> Config:
    """Return the configuration, with free ports instead of default ones that are taken."""
    chosen = config.web
    if chosen.port is None and not chosen.endpoint and not _is_free(chosen.address, WEB_PORT):
        say(f"Port {WEB_PORT} is in use by another program; taking a free one for browsers.")
        config = replace(config, web=replace(chosen, port=0))
    listen = config.listen
    if listen.port is None and not listen.endpoints and not _is_free(listen.address, PLAIN_PORT):
        say(f"Port {PLAIN_PORT} is in use by another program; taking a free one.")
        return replace(config, listen=replace(listen, port=0))
    return config


def _is_free(address: str, port: int) -> bool:
    error = bind_error(address, port)
    return error is None or error.errno != errno.EADDRINUSE


def _rehearse(config: Config, rulesets: Rulesets, wanted: dict[str, Any]) -> None:
    """Try to create the game in an empty store if there is no data yet. Raises Failed."""
    try:
        if has_data(config):
            return
        with rehearsal(config, rulesets) as context:
            result_now(game_create(context, **wanted))
    except (GameError, StoreError) as error:
        raise Failed(str(error)) from None


def _many(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number or 'no'} {what}s"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1]}…"


def _program(name: str) -> str:
    """Return the shortest command for a program that was installed with this one."""
    found = Path(sys.executable).parent / name
    if not found.exists() or shutil.which(name) == str(found):
        return name
    try:
        return str(found.relative_to(Path.cwd()))
    except ValueError:
        return str(found)
