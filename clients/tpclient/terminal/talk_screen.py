"""Whom I hear and who hears me: what it is now, and a line in which it is changed."""

import shlex
from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from ..errors import BadArgument, ClientError
from ..plain.arguments import talk_options
from ..plain.talk import carry_out
from .dialogs import Dialog
from .link import Link, spoken

LONGEST = 1024
"""So many letters can be typed."""

HELP = """\
block ACCOUNT    unblock ACCOUNT    its letters are not taken, in any game
mute    unmute    letters to everybody in this game
report SLOT REASON    shows a letter to the moderators; the newest message has the highest slot, the first 0
For moderators: silence ACCOUNT DAYS REASON    unsilence ACCOUNT
reports [--closed]    close N dismissed|warned|silenced REASON [--days N]"""


class TalkScreen(Dialog[None]):
    """What may be written, whom I have blocked, whether I may write; changed as by `tpclient talk`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "back", key_display="esc")]

    DEFAULT_CSS = """
    TalkScreen > VerticalScroll { width: 90; height: auto; max-height: 90%; }
    TalkScreen Static { height: auto; }
    TalkScreen #typed { margin-top: 1; }
    TalkScreen #help { color: $text-muted; }
    """

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.link = link

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(Content("Asking the server…"), id="told")
            yield Input(placeholder="block NAME", max_length=LONGEST, id="typed", compact=True)
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
        self.show(words)

    @work(exclusive=True, group="talk")
    async def show(self, words: Sequence[str] = ()) -> None:
        """Carry out what was typed, if anything, and show how things are then."""
        try:
            if words:
                options = talk_options(words)
                _, lines = await self.link.ask(lambda connection: carry_out(connection, options))
                self._put("#came", lines)
                self.query_one("#typed", Input).value = ""
            _, told = await self.link.ask(lambda connection: carry_out(connection, talk_options(["show"])))
            self._put("#told", told)
        except BadArgument as error:
            self._put("#came", [str(error)])
        except ClientError as error:
            self._put("#came", [spoken(error)])

    def _put(self, where: str, lines: Sequence[str]) -> None:
        if self.is_composed:
            self.query_one(where, Static).update(Content("\n".join(lines)))
