"""A box that shows a state, with a line for plain commands to change it."""

import argparse
import shlex
from collections.abc import Sequence
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from tpclient.connection import Connection
from tpclient.errors import BadArgument, ClientError, RequestFailed
from tpclient.plain.account import PROOF
from tpclient.terminal.dialogs import Dialog
from tpclient.terminal.link import FollowedGame, spoken
from tpproto.errors import FailCode

LONGEST = 1024
"""Maximum characters of a typed command."""


class CommandScreen(Dialog[None]):
    """A box with the output of `looking`, and a line for other commands.

    A subclass defines them: `options` parses the words, `carry_out` executes them.
    """

    HELP = ""
    HINT = ""
    looking: ClassVar[Sequence[str]] = ()
    """The words of the command that shows the state; empty if there is none."""
    longest: ClassVar[int] = LONGEST
    """Maximum characters of a typed command."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "back", key_display="esc")]

    DEFAULT_CSS = """
    CommandScreen > VerticalScroll { width: 90; height: auto; max-height: 90%; }
    CommandScreen Static { height: auto; }
    CommandScreen #typed { margin-top: 1; }
    CommandScreen #help { color: $text-muted; }
    """

    def __init__(self, link: FollowedGame) -> None:
        super().__init__()
        self.link = link

    def options(self, words: Sequence[str]) -> argparse.Namespace:
        """Return the options in these words. Raises BadArgument."""
        raise NotImplementedError

    async def carry_out(self, connection: Connection, options: argparse.Namespace) -> tuple[Any, list[str]]:
        """Carry out a command, and return the output as data and as lines.

        Raises RequestFailed.
        """
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(Content("Asking the server…" if self.looking else ""), id="told")
            yield Input(placeholder=self.HINT, max_length=self.longest, id="typed", compact=True)
            yield Static(Content(""), id="came")
            yield Static(Content(self.HELP), id="help")

    def composed(self) -> None:
        self.query_one("#typed", Input).focus()
        self.show()

    def on_input_submitted(self) -> None:
        field = self.query_one("#typed", Input)
        if not field.value.strip():
            return
        try:
            words = shlex.split(field.value)
        except ValueError:  # an unmatched quotation mark
            words = field.value.split()
        self.typed(words)

    def typed(self, words: Sequence[str]) -> None:
        """Handle the typed words."""
        self.show(words)

    @work(exclusive=True, group="command")
    async def show(self, words: Sequence[str] = ()) -> None:
        """Carry out the typed command, if any, and show the new state."""
        try:
            if words:
                self.show_result(await self._done(self.options(words)))
            if self.looking:
                looking = self.options(self.looking)
                _, told = await self.link.ask(lambda connection: self.carry_out(connection, looking))
                self._put("#told", told)
        except BadArgument as error:
            self._put("#came", [str(error)])
        except ClientError as error:
            self._put("#came", [spoken(error)])

    async def _done(self, options: argparse.Namespace) -> list[str]:
        """Carry out a command, and return the lines of the response. Ask for the password if the server requires it.

        Raises ClientError.
        """
        try:
            return (await self.link.ask(lambda connection: self.carry_out(connection, options)))[1]
        except RequestFailed as error:
            if error.code != FailCode.PASSWORD_NEEDED:
                raise
            password = await self.app.push_screen_wait(ProofScreen(error.text))
            if not password:
                raise
        setattr(options, PROOF, password)
        return (await self.link.ask(lambda connection: self.carry_out(connection, options)))[1]

    def show_result(self, lines: Sequence[str]) -> None:
        """Show the result of a command, and empty the field for the next one."""
        if self.is_composed:
            self._put("#came", lines)
            self.query_one("#typed", Input).value = ""

    def _put(self, where: str, lines: Sequence[str]) -> None:
        if self.is_composed:
            self.query_one(where, Static).update(Content("\n".join(lines)))


class ProofScreen(Dialog[str]):
    """A dialog for the account's password, if the server requires it once more. Returns it, or nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss('')", "back", key_display="esc")]

    DEFAULT_CSS = """
    ProofScreen > VerticalScroll { width: 60; height: auto; }
    ProofScreen Static { height: auto; }
    """

    def __init__(self, why: str) -> None:
        super().__init__()
        self._why = why

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(Content(self._why))
            yield Input(placeholder="your password", password=True, max_length=LONGEST, id="proof", compact=True)

    def composed(self) -> None:
        self.query_one("#proof", Input).focus()

    def on_input_submitted(self) -> None:
        self.dismiss(self.query_one("#proof", Input).value)
