"""A box that tells how things are, with a line in which they are changed by the words of a plain command."""

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

from ..connection import Connection
from ..errors import BadArgument, ClientError
from .dialogs import Dialog
from .link import Link, spoken

LONGEST = 1024
"""So many letters can be typed."""


class CommandScreen(Dialog[None]):
    """What the first words of `looking` tell, and a line for other words.

    A subclass says what they are: `options` reads them, `carry_out` does what they say.
    """

    HELP = ""
    HINT = ""
    looking: ClassVar[Sequence[str]] = ()
    """The words that tell how things are; none if nothing does."""
    longest: ClassVar[int] = LONGEST
    """So many letters can be typed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "back", key_display="esc")]

    DEFAULT_CSS = """
    CommandScreen > VerticalScroll { width: 90; height: auto; max-height: 90%; }
    CommandScreen Static { height: auto; }
    CommandScreen #typed { margin-top: 1; }
    CommandScreen #help { color: $text-muted; }
    """

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.link = link

    def options(self, words: Sequence[str]) -> argparse.Namespace:
        """Return the options that these words say. Raises BadArgument."""
        raise NotImplementedError

    async def carry_out(self, connection: Connection, options: argparse.Namespace) -> tuple[Any, list[str]]:
        """Do what the options say, and return what is told, as data and as lines. Raises RequestFailed."""
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
        except ValueError:  # a quotation mark without its other
            words = field.value.split()
        self.typed(words)

    def typed(self, words: Sequence[str]) -> None:
        """Somebody has typed these words."""
        self.show(words)

    @work(exclusive=True, group="command")
    async def show(self, words: Sequence[str] = ()) -> None:
        """Carry out what was typed, if anything, and show how things are then."""
        try:
            if words:
                options = self.options(words)
                _, lines = await self.link.ask(lambda connection: self.carry_out(connection, options))
                self._put("#came", lines)
                self.query_one("#typed", Input).value = ""
            if self.looking:
                looking = self.options(self.looking)
                _, told = await self.link.ask(lambda connection: self.carry_out(connection, looking))
                self._put("#told", told)
        except BadArgument as error:
            self._put("#came", [str(error)])
        except ClientError as error:
            self._put("#came", [spoken(error)])

    def _put(self, where: str, lines: Sequence[str]) -> None:
        if self.is_composed:
            self.query_one(where, Static).update(Content("\n".join(lines)))
