"""The login form, and the lobby of a server with several games."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Checkbox, Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from tpclient.address import parse_address, trusting
from tpclient.columns import as_named, shown
from tpclient.connection import Connection, greeted
from tpclient.errors import ClientError
from tpclient.manual import Manual
from tpclient.plain.facts import NO_TITLES, game_facts, game_table
from tpclient.terminal.dialogs import ComposedScreen, Tick
from tpclient.terminal.forgotten import TIMEOUT, ForgottenScreen
from tpclient.terminal.link import spoken
from tpclient.terminal.reading import RulesScreen
from tpclient.terminal.server_list import Find, ServerList
from tpproto import tp_pb2
from tpproto.dialects import PB

if TYPE_CHECKING:
    from tpclient.finding import FoundGame

SEVERAL = "The server has several games. Which one? r shows the rules of one."

ReadRuleset = Callable[[str], Awaitable[Manual]]
"""Reads the rules of a ruleset by its name. Raises ClientError."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The texts typed into the form."""

    address: str
    user: str
    password: str
    register: bool


class LoginScreen(ComposedScreen[Answers | None]):
    """The form for the address of a server and a login. `fault` is the last error, `find` finds servers."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+q", "dismiss(None)", "quit")]

    DEFAULT_CSS = """
    LoginScreen { align: center middle; }
    LoginScreen > Vertical { width: 60; max-width: 96%; height: auto; border: round $primary; padding: 0 1; }
    LoginScreen .name { text-style: bold; }
    LoginScreen Input { margin-bottom: 1; }
    LoginScreen #fault { color: $text-error; text-style: bold; height: auto; }
    LoginScreen Horizontal { height: 1; margin-top: 1; }
    """

    def __init__(
        self, answers: Answers, fault: str = "", find: Find | None = None, certificates: str | None = None
    ) -> None:
        super().__init__()
        self.certificates = certificates
        self.answers = answers
        self.fault = fault
        self.find = find

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(shown(self.fault)), id="fault")
            yield Static("Server (HOST:PORT; tps://HOST:PORT for TLS)", classes="name")
            yield Input(self.answers.address, id="address", compact=True)
            yield Static("User (NAME, or NAME@GAME)", classes="name")
            yield Input(self.answers.user, id="user", compact=True)
            yield Static("Password", classes="name")
            yield Input(self.answers.password, id="password", password=True, compact=True)
            yield Tick("make the account if the login is refused", self.answers.register, compact=True)
            with Horizontal():
                yield Button("Log in", id="login", variant="primary", compact=True)
                if self.find is not None:
                    yield Button("Find servers", id="find", compact=True)
                yield Button("Forgotten?", id="forgotten", compact=True)
                yield Button("Guest", id="guest", compact=True)
                yield Button("Quit", id="quit", compact=True)
        yield Footer(compact=True, show_command_palette=False)

    def composed(self) -> None:
        self.query_one("#fault").display = bool(self.fault)
        empty = [one for one in self.query(Input) if not one.value]
        (empty[0] if empty else self.query_one("#password", Input)).focus()

    def on_input_submitted(self) -> None:
        if all(one.value for one in self.query(Input)):
            self._enter()
        else:
            self.focus_next()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "login":
            self._enter()
        elif event.button.id == "find" and self.find is not None:
            self.app.push_screen(ServerList(self.find), self._take)
        elif event.button.id == "forgotten":
            self._forgotten()
        elif event.button.id == "guest":
            self._come_as_guest()
        else:
            self.dismiss(None)

    def _take(self, game: "FoundGame | None") -> None:
        """Fill in the address of a game. The name before the @ stays."""
        if game is None or not self.is_composed:
            return
        user = self.query_one("#user", Input)
        self.query_one("#address", Input).value = game.address
        if game.login:
            user.value = f"{user.value.partition('@')[0]}@{game.login}"
        user.focus()
        user.cursor_position = len(user.value.partition("@")[0])

    @work(exclusive=True, group="forgotten")
    async def _forgotten(self) -> None:
        try:
            address = trusting(parse_address(as_named(self.query_one("#address", Input).value)), self.certificates)
        except ClientError as error:
            self._tell(str(error))
            return
        user = self.query_one("#user", Input).value.partition("@")[0]
        new = await self.app.push_screen_wait(ForgottenScreen(address, user))
        if new and self.is_composed:
            self.query_one("#password", Input).value = new
            self._tell("The password is changed.")

    @work(exclusive=True, group="guest")
    async def _come_as_guest(self) -> None:
        """Play as a guest, and fill in the login. Its password is shown only once."""
        try:
            address = trusting(parse_address(as_named(self.query_one("#address", Input).value)), self.certificates)
            async with await greeted(partial(Connection.open, address, PB, TIMEOUT)) as connection:
                told = await connection.play_as_guest()
        except ClientError as error:
            self._tell(spoken(error))
            return
        if not self.is_composed:
            return
        user, password = self.query_one("#user", Input), self.query_one("#password", Input)
        game = user.value.partition("@")[2]
        user.value, password.value = f"{told.name}@{game}" if game else told.name, told.secret
        self._tell(f"You are {told.name}. Log in now. Your password from now on, shown only once: {told.secret}")
        self.query_one("#login", Button).focus()

    def _tell(self, words: str) -> None:
        if not self.is_composed:
            return
        fault = self.query_one("#fault", Static)
        fault.update(Content(shown(words)))
        fault.display = True

    def _enter(self) -> None:
        values = {one.id: one.value for one in self.query(Input)}
        missing = next((name for name in ("address", "user", "password") if not values[name]), None)
        if missing is not None:
            self._tell(f"The {missing} is missing.")
            self.query_one(f"#{missing}", Input).focus()
            return
        register = self.query_one(Checkbox).value
        address, user = as_named(values["address"]), as_named(values["user"])
        self.dismiss(Answers(address, user, values["password"], register))


class LobbyScreen(ComposedScreen[str | None]):
    """The games of a server. Returns the name of a game, or None to go back.

    `words` is the reason for the choice, `titles` has the titles of rulesets by name.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "back"),
        Binding("r,question_mark", "rules", "rules of the game"),
    ]

    DEFAULT_CSS = """
    Lobby Static { padding: 0 1; }
    Lobby #heads { color: $text-muted; text-style: underline; }
    Lobby OptionList { border: none; height: 1fr; }
    """

    def __init__(
        self,
        games: Sequence[tp_pb2.Game],
        read: ReadRuleset,
        words: str = SEVERAL,
        titles: Mapping[str, str] = NO_TITLES,
    ) -> None:
        super().__init__()
        self.titles = titles
        self.games = games
        self.read = read
        self.words = words

    def compose(self) -> ComposeResult:
        lines = game_table(game_facts(game, self.titles) for game in self.games)
        yield Static(Content(shown(self.words)))
        yield Static(Content(lines[0]), id="heads")
        yield OptionList(*(Option(Content(line)) for line in lines[1:]), markup=False, compact=True)
        yield Footer(compact=True, show_command_palette=False)

    def composed(self) -> None:
        self.query_one(OptionList).focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.games[event.option_index].name)

    def action_rules(self) -> None:
        """Show the rules of the game under the cursor."""
        at = self.query_one(OptionList).highlighted
        if at is not None and at < len(self.games):
            self.app.push_screen(RulesScreen(partial(self.read, self.games[at].rule)))
