"""The own account: its tokens and a line in which they are made and revoked, and another password."""

import shlex
from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from ..errors import BadArgument, ClientError
from ..plain.account import administer, carry_out
from ..plain.arguments import token_options
from .dialogs import Dialog
from .link import Link, spoken

LONGEST = 1024
"""So many letters can be typed."""

MOST_LINES = 12
"""So many lines of an answer are shown, the last ones."""

HELP = """\
Tokens log bots and scripts in, in the place of the password:
add LABEL [--game NAME] [--read-only] [--days N]    revoke N
password    changes the password
admin       what an operator or a moderator can do, as admin account disable NAME"""

PASSWORD_FIELDS = (("old", "the old password"), ("new", "the new password"), ("again", "the new one once more"))


class AccountScreen(Dialog[None]):
    """The tokens of an account, made and revoked as by `tpclient token`; from here its password is changed, too."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "back", key_display="esc")]

    DEFAULT_CSS = """
    AccountScreen > Vertical { width: 76; }
    AccountScreen Static { height: auto; }
    AccountScreen #typed { margin-top: 1; }
    AccountScreen #help { color: $text-muted; }
    """

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.link = link

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content("Asking the server…"), id="told")
            yield Input(placeholder='add "my bot" --days 30', max_length=LONGEST, id="typed", compact=True)
            yield Static(Content(""), id="came")
            yield Static(Content(HELP), id="help")

    def composed(self) -> None:
        self.query_one("#typed", Input).focus()
        self.show()

    def on_input_submitted(self) -> None:
        field = self.query_one("#typed", Input)
        if not field.value.strip():
            return
        try:
            words = shlex.split(field.value)
        except ValueError:  # a quotation mark without its other
            words = field.value.split()
        if words == ["password"]:
            self.change_password()
        else:
            self.show(words)

    @work(exclusive=True, group="account")
    async def show(self, words: Sequence[str] = ()) -> None:
        """Carry out what was typed, if anything, and show the tokens that there are then."""
        try:
            if words and words[0] == "admin":
                _, lines = await self.link.ask(lambda connection: administer(connection, words[1:]))
                self._put("#came", lines[-MOST_LINES:])
                self.query_one("#typed", Input).value = ""
            elif words:
                options = token_options(words)
                _, lines = await self.link.ask(lambda connection: carry_out(connection, options))
                self._put("#came", lines)
                self.query_one("#typed", Input).value = ""
            _, told = await self.link.ask(lambda connection: carry_out(connection, token_options(["list"])))
            self._put("#told", told)
        except BadArgument as error:
            self._put("#came", [str(error)])
        except ClientError as error:
            self._put("#came", [spoken(error)])

    @work(exclusive=True, group="account")
    async def change_password(self) -> None:
        words = await self.app.push_screen_wait(PasswordScreen(self.link))
        if words:
            self.query_one("#typed", Input).value = ""
            self._put("#came", [words])
            self.show()

    def _put(self, where: str, lines: Sequence[str]) -> None:
        if self.is_composed:
            self.query_one(where, Static).update(Content("\n".join(lines)))


class PasswordScreen(Dialog[str]):
    """Changes the password; gives the server's words, and nothing where it was left as it is."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss('')", "back", key_display="esc")]

    DEFAULT_CSS = """
    PasswordScreen > Vertical { width: 60; }
    PasswordScreen Static { height: auto; }
    """

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.link = link

    def compose(self) -> ComposeResult:
        with Vertical():
            for name, words in PASSWORD_FIELDS:
                yield Input(placeholder=words, password=True, max_length=LONGEST, id=name, compact=True)
            yield Static(Content("You are logged out everywhere else, and tokens end."), id="came")

    def composed(self) -> None:
        self.query_one("#old", Input).focus()

    def on_input_submitted(self) -> None:
        """Go on to the next empty field; after the last one change the password."""
        values = [self.query_one(f"#{name}", Input) for name, _ in PASSWORD_FIELDS]
        empty = next((field for field in values if not field.value), None)
        if empty is not None:
            empty.focus()
            return
        old, new, again = (field.value for field in values)
        if new == again:
            self.change(old, new)
        else:
            self._say("The two new passwords differ.")

    @work(exclusive=True, group="password")
    async def change(self, old: str, new: str) -> None:
        try:
            words = await self.link.change_password(old, new)
        except ClientError as error:
            self._say(spoken(error))
        else:
            self.dismiss(f"{words}.")

    def _say(self, words: str) -> None:
        if self.is_composed:
            self.query_one("#came", Static).update(Content(words))
