"""The terminal program: from the command line into a game, until it quits."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import ClassVar

from textual import events, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from tpclient.address import Address, parse_address, trusting
from tpclient.columns import shown
from tpclient.connection import newest_dialect, read_manual
from tpclient.errors import ClientError, RequestFailed
from tpclient.events import ConnectionBack, ConnectionLost, Event, GameEnded, GameReplaced, OrderSettled, TurnStarted
from tpclient.manual import Manual
from tpclient.terminal.dialogs import ComposedModalScreen, Question
from tpclient.terminal.game_screen import GameScreen
from tpclient.terminal.link import GLANCE, PATIENCE, FollowedGame, games_of, open_seat_of, spoken, take_seat
from tpclient.terminal.login_screen import SEVERAL, Answers, LobbyScreen, LoginScreen
from tpclient.terminal.messages import Messages
from tpclient.terminal.past_screen import PastScreen
from tpclient.terminal.server_list import Find
from tpclient.terminal.summary import SummaryScreen
from tpclient.universe import EVERYTHING
from tpproto import tp_pb2
from tpproto.dialects import Dialect
from tpproto.errors import FailCode

SMALLEST = (60, 16)
"""Columns and lines that the game needs."""


_CYRILLIC, _LATIN = "йцукенгшщзфывапролдячсмить", "qwertyuiopasdfghjklzxcvbnm"
LATIN = {
    **dict(zip(_CYRILLIC + _CYRILLIC.upper(), _LATIN + _LATIN.upper(), strict=True)),
    **dict(
        zip(
            "хХъЪбю",
            (
                "left_square_bracket",
                "left_curly_bracket",
                "right_square_bracket",
                "right_curly_bracket",
                "comma",
                "full_stop",
            ),
            strict=True,
        )
    ),
}
"""The keys of the Latin letters and signs at the places of Cyrillic ones."""


class TooSmall(ComposedModalScreen[None]):
    """The warning that the terminal is too small."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,ctrl+q", "app.quit", "quit")]
    DEFAULT_CSS = "TooSmall { background: $surface; } TooSmall > Static { height: auto; }"

    def compose(self) -> ComposeResult:
        yield Static()

    def composed(self) -> None:
        self.resized()

    def resized(self) -> None:
        width, height = self.app.size
        self.query_one(Static).update(
            f"This terminal has {width} columns and {height} lines; the game needs {SMALLEST[0]} by {SMALLEST[1]}. "
            "Make it larger, or use the plain commands, as tpclient status. q quits."
        )


class TerminalClient(App[int]):
    """The terminal client. `answers` has the login data so far. A form prompts for missing data."""

    TITLE = "tpclient"
    CSS = "Button { min-width: 8; width: auto; margin-right: 1; }"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,ctrl+q", "quit", "quit", show=False, priority=True)]

    def __init__(
        self,
        answers: Answers,
        dialect: Dialect | None,
        timeout: float,
        certificates: str | None = None,
        *,
        asks: bool = True,
        find: Find | None = None,
    ) -> None:
        """Store the settings.

        Without a `dialect`, the client uses Protocol Buffers if the server does, and otherwise TP04. With `asks`, a
        question comes before the end of a turn without orders. `find` finds servers for a list.
        """
        super().__init__()
        self.find = find
        self.asks = asks
        self.answers = answers
        self.dialect = dialect
        self.timeout = timeout
        self.certificates = certificates
        self.link: FollowedGame | None = None
        self.game_screen: GameScreen | None = None
        self._is_changing = False
        self._is_large = asyncio.Event()
        """Set while the terminal is large enough for the screens."""

    def on_mount(self) -> None:
        self.enter()

    def on_key(self, event: events.Key) -> None:
        """Replace a Cyrillic letter without a meaning by the Latin one on the same key.

        A terminal does not report the key itself.
        """
        latin = LATIN.get(event.character or "")
        if latin is not None:
            event.stop()
            self.simulate_key(latin)

    def on_resize(self, event: events.Resize) -> None:
        small = event.size.width < SMALLEST[0] or event.size.height < SMALLEST[1]
        if small and not isinstance(self.screen, TooSmall):
            self._is_large.clear()
            self.push_screen(TooSmall())
        elif not small:
            self._is_large.set()
            if isinstance(self.screen, TooSmall):
                self.pop_screen()

    def compose(self) -> ComposeResult:
        yield Static(id="wait")

    async def action_quit(self) -> None:
        if self.link is not None:
            await self.link.close()
        self.exit(0)

    # --- the way in

    @work(exclusive=True, group="enter")
    async def enter(self) -> None:
        """Show the login form until a login to a game succeeds, then show the game."""
        fault = ""
        while True:
            await self._is_large.wait()
            if fault or not (self.answers.user and self.answers.password):
                typed = await self.push_screen_wait(LoginScreen(self.answers, fault, self.find, self.certificates))
                if typed is None:
                    self.exit(0)
                    return
                self.answers = typed
            try:
                link = await self._logged_in()
            except ClientError as error:
                fault = spoken(error)
                continue
            if link is not None:
                break
            fault = "No game was chosen."
        self.link = link
        await self._is_large.wait()
        self.game_screen = GameScreen(link, asks=self.asks)
        await self.push_screen(self.game_screen)
        self.follow(link, self.game_screen)

    async def _logged_in(self) -> FollowedGame | None:
        """Log in, and return an up-to-date game; None if the player did not choose a game."""
        answers = self.answers
        address = trusting(parse_address(answers.address), self.certificates)
        self._wait(f"Connecting to {address} ...")
        dialect = self.dialect or await newest_dialect(address, min(self.timeout, PATIENCE))
        games, titles = await games_of(address, dialect, self.timeout) if "@" not in answers.user else ([], {})
        user, _, named = answers.user.partition("@")
        game: str | None = named
        if len(games) > 1:
            game = await self._chosen(address, games, titles, SEVERAL)
        while game is not None:
            try:
                return await self._opened(address, f"{user}@{game}" if game else user, dialect)
            except RequestFailed as refusal:
                if not is_about_game(refusal, game.partition("/")[0]):
                    raise
                if refusal.code == FailCode.UNAVAILABLE_PERMANENTLY and await self._has_taken_seat(address, user, game):
                    continue
                games, titles = await games_of(address, dialect, self.timeout)
                purpose = "".join(game.partition("/")[1:])
                words = f"{refusal.text.rstrip('.')}. Your password is right: choose a game"
                words += "." if games else " when there is one; there is none yet."
                game = await self._chosen(address, games, titles, words)
                if game is not None:
                    game += purpose
        return None

    async def _has_taken_seat(self, address: Address, user: str, game: str) -> bool:
        """Return whether the player has taken a free seat of a full game."""
        seat = await open_seat_of(address, game, self.timeout)
        if seat is None:
            return False
        whose = "a bot's" if seat.bot else f"of {seat.name}"
        words = (
            f"{seat.game} is full, but seat {seat.player}, until now {whose}, seeks a player. Take it, with its orders?"
        )
        if not await self.push_screen_wait(Question(words, "take it")):
            return False
        await take_seat(address, user, self.answers.password, seat, self.timeout)
        return True

    async def _chosen(
        self, address: Address, games: Sequence[tp_pb2.Game], titles: Mapping[str, str], words: str
    ) -> str | None:
        """Return the name of the game that the player chooses, None for none.

        `titles` has the titles of rulesets by name. `words` is the reason for the choice.
        """

        def read(ruleset: str) -> Awaitable[Manual]:
            return read_manual(address, ruleset, timeout=min(self.timeout, PATIENCE))

        return await self.push_screen_wait(LobbyScreen(games, read, words, titles))

    async def _opened(self, address: Address, user: str, dialect: Dialect) -> FollowedGame:
        answers = self.answers
        return await FollowedGame.open(
            address,
            user,
            answers.password,
            dialect=dialect,
            timeout=self.timeout,
            register=answers.register,
            tables=EVERYTHING,
            progress=self._progress,
            glance=min(GLANCE, self.timeout),
        )

    def _progress(self, received: int, wanted: int) -> None:
        self._wait(f"Downloading: {received} of {wanted} things.")

    def _wait(self, words: str) -> None:
        self.screen_stack[0].query_one("#wait", Static).update(Content(shown(words)))

    # --- keeping up to date

    @work(exclusive=True, group="follow")
    async def follow(self, link: FollowedGame, screen: GameScreen) -> None:
        """Show events until the player quits or the connection fails for good."""
        try:
            async for event in link.events():
                self.hear(event, link, screen)
        except ClientError as error:
            screen.warn(
                f"{spoken(error)} The screen shows the last known state. Press q, then run tpclient play again."
            )

    def hear(self, event: Event, link: FollowedGame, screen: GameScreen) -> None:
        """Show an event of the game."""
        match event:
            case ConnectionLost(error=error, pause=pause):
                screen.warn(f"{spoken(error)} Trying again in {max(1, round(pause))} s; what you see is as it was.")
                return
            case ConnectionBack():
                screen.warn("")
                screen.say("The connection is back.")
            case GameReplaced(why=why):
                screen.begin_anew(why)
            case OrderSettled(pending=pending) if pending.why:
                screen.tell(pending.why)
            case TurnStarted():
                screen.turn_began()
            case GameEnded(name=name):
                screen.say(f"The game is over. {name}")
        self._changed(link, screen)

    def _changed(self, link: FollowedGame, screen: GameScreen) -> None:
        """Update the screens, once for all events of the same moment."""
        if not self._is_changing:
            self._is_changing = True
            self.call_later(self._show, link, screen)

    def _show(self, link: FollowedGame, screen: GameScreen) -> None:
        self._is_changing = False
        link.look()
        screen.update()
        for other in self.screen_stack:
            if isinstance(other, Messages):
                other.show()
            elif isinstance(other, PastScreen | SummaryScreen) and other.is_composed:
                other.heard()


def is_about_game(refusal: RequestFailed, game: str) -> bool:
    """Return whether a refusal at login is about the game of this name.

    Otherwise it is about name or password. A server that refuses because of the game has accepted the password.
    """
    if refusal.request != "Login":
        return refusal.request != "CreateAccount"
    if refusal.code == FailCode.PERMISSION_DENIED:  # also for a wrong password, without a game in the text
        return bool(game) and repr(game).casefold() in refusal.text.casefold()
    return refusal.code == FailCode.UNAVAILABLE_PERMANENTLY
