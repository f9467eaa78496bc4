"""The account screen: tokens, a command line for them, and the password."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from tpclient.connection import Connection
from tpclient.errors import ClientError
from tpclient.plain.account import administer, carry_out
from tpclient.plain.arguments import token_options
from tpclient.terminal.command_screen import LONGEST, CommandScreen
from tpclient.terminal.deeds import deed
from tpclient.terminal.dialogs import Dialog, Tick
from tpclient.terminal.link import FollowedGame, spoken

MOST_LINES = 12
"""Maximum lines of a response that are shown, the last ones."""

HELP = """\
Tokens log bots and scripts in, in the place of the password:
add LABEL [--game NAME] [--read-only] [--days N]    revoke N
password    changes the password
admin       what an operator or a moderator can do, as admin account disable NAME"""

PASSWORD_FIELDS = (("old", "the old password"), ("new", "the new password"), ("again", "repeat the new password"))

DROPS = (
    ("drop_addresses", "Remove all addresses"),
    ("drop_providers", "Disconnect all providers"),
    ("drop_links", "Revoke the calendar link"),
)
"""Ways into the account that can end with the old password, by the arguments of `Game.change_password`."""


class AccountScreen(CommandScreen):
    """The tokens of an account, with the commands of `tpclient token`. It also leads to the change of the password."""

    DEFAULT_CSS = """
    AccountScreen > VerticalScroll { width: 76; }
    """

    HELP = HELP
    HINT = 'add "my bot" --days 30'
    looking = ("list",)

    def options(self, words: Sequence[str]) -> argparse.Namespace:
        return argparse.Namespace(admin=words[1:]) if words[0] == "admin" else token_options(words)

    async def carry_out(self, connection: Connection, options: argparse.Namespace) -> tuple[Any, list[str]]:
        if "admin" in options:
            told, lines = await administer(connection, options.admin)
            return told, lines[-MOST_LINES:]
        return await carry_out(connection, options)

    def typed(self, words: Sequence[str]) -> None:
        if words == ["password"]:
            self.change_password()
        else:
            self.show(words)

    @deed("command")
    async def change_password(self) -> None:
        words = await self.app.push_screen_wait(PasswordScreen(self.link))
        if words:
            self.show_result([words])
            self.show()


class PasswordScreen(Dialog[str]):
    """The form to change the password. Returns the server's text, or nothing without a change."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss('')", "back", key_display="esc")]

    DEFAULT_CSS = """
    PasswordScreen > Vertical { width: 60; }
    PasswordScreen Static { height: auto; }
    PasswordScreen Button { margin-top: 1; }
    """

    def __init__(self, link: FollowedGame) -> None:
        super().__init__()
        self.link = link

    def compose(self) -> ComposeResult:
        with Vertical():
            for name, words in PASSWORD_FIELDS:
                yield Input(placeholder=words, password=True, max_length=LONGEST, id=name, compact=True)
            for name, words in DROPS:
                yield Tick(words, id=name, compact=True)
            yield Button("Change", id="change", variant="primary", compact=True)
            yield Static(Content("You are logged out everywhere else, and tokens end."), id="came")

    def composed(self) -> None:
        self.query_one("#old", Input).focus()

    def on_input_submitted(self) -> None:
        self._submit()

    def on_button_pressed(self) -> None:
        self._submit()

    def _submit(self) -> None:
        """Focus the next empty field. After the last one, change the password."""
        values = [self.query_one(f"#{name}", Input) for name, _ in PASSWORD_FIELDS]
        empty = next((field for field in values if not field.value), None)
        if empty is not None:
            empty.focus()
            return
        old, new, again = (field.value for field in values)
        if new == again:
            self.change(old, new, {name: self.query_one(f"#{name}", Tick).value for name, _ in DROPS})
        else:
            self._say("The two new passwords differ.")

    @deed("password")
    async def change(self, old: str, new: str, drops: Mapping[str, bool]) -> None:
        try:
            words = await self.link.change_password(old, new, **drops)
        except ClientError as error:
            self._say(spoken(error))
        else:
            self.dismiss(f"{words}.")

    def _say(self, words: str) -> None:
        if self.is_composed:
            self.query_one("#came", Static).update(Content(words))
