"""How one is told of games while not there: what is set, and a line in which it is set anew."""

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
from ..plain.arguments import notice_options
from ..plain.notices import carry_out
from .dialogs import Dialog
from .link import Link, spoken

LONGEST = 1000
"""So many letters can be typed."""

HELP = """\
add KIND ADDRESS    verify N CODE    remove N
tell turn|digest|off|usual [--hours N] [--game NAME]
times ZONE [--quiet 22:00-07:00] [--digest 08:00]
calendar [make|revoke]"""


class NoticesScreen(Dialog[None]):
    """What is set about notices; the commands are those of `tpclient notices`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "back", key_display="esc")]

    DEFAULT_CSS = """
    NoticesScreen > Vertical { width: 76; }
    NoticesScreen Static { height: auto; }
    NoticesScreen #typed { margin-top: 1; }
    NoticesScreen #help { color: $text-muted; }
    """

    def __init__(self, link: Link) -> None:
        super().__init__()
        self.link = link

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content("Asking the server…"), id="told")
            yield Input(placeholder="add mail ann@example.org", max_length=LONGEST, id="typed", compact=True)
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

    @work(exclusive=True, group="notices")
    async def show(self, words: Sequence[str] = ()) -> None:
        """Carry out what was typed, if anything, and show what is set then."""
        try:
            if words:
                options = notice_options(words)
                _, lines = await self.link.ask(lambda connection: carry_out(connection, options))
                self._put("#came", lines)
                self.query_one("#typed", Input).value = ""
            _, told = await self.link.ask(lambda connection: carry_out(connection, notice_options(["list"])))
            self._put("#told", told)
        except BadArgument as error:
            self._put("#came", [str(error)])
        except ClientError as error:
            self._put("#came", [spoken(error)])

    def _put(self, where: str, lines: Sequence[str]) -> None:
        if self.is_composed:
            self.query_one(where, Static).update(Content("\n".join(lines)))
