"""The players of a game: their states, and scores if the game has any."""

from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from tpclient.appearance import scores_of
from tpclient.columns import shown
from tpclient.connection import STANDING
from tpclient.errors import ClientError
from tpclient.names import marked_name
from tpclient.objects import NOBODY
from tpclient.terminal.dialogs import Dialog
from tpclient.terminal.link import FollowedGame, spoken
from tpclient.terminal.marks import Marks
from tpproto import tp_pb2


class PlayersScreen(Dialog[None]):
    """A box with a line for each player, the own one first, and the figures below it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,w,enter,q", "dismiss", "back")]

    DEFAULT_CSS = """
    PlayersScreen > Vertical { width: 72; }
    PlayersScreen #title { text-style: bold; }
    PlayersScreen VerticalScroll { height: auto; max-height: 18; }
    PlayersScreen #hint { color: $text-muted; }
    """

    def __init__(self, link: FollowedGame, marks: Marks) -> None:
        super().__init__()
        self.link = link
        self.marks = marks

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Players", id="title")
            with VerticalScroll():
                yield Static(id="players")
            yield Static("escape: back", id="hint")

    def composed(self) -> None:
        self._show(tp_pb2.Standing())
        self._ask()

    @work
    async def _ask(self) -> None:
        if not self.link.speaks(STANDING):
            return
        try:
            standing = await self.link.standing()
        except ClientError as error:
            standing, words = tp_pb2.Standing(), spoken(error)
        else:
            words = ""
        if self.is_composed:
            self._show(standing, words)

    def _show(self, standing: tp_pb2.Standing, words: str = "") -> None:
        universe = self.link.universe
        text = Text(shown(words))
        for number in sorted({*universe.players} - {NOBODY}, key=lambda one: (one != universe.me, one)):
            sign = self.marks.shape((number,))
            text.append("\n" if text else "")
            text.append(f"{sign.text} ", sign.style)
            text.append(shown(marked_name(universe, number)), "bold")
            if number in self.link.clock.waiting:
                text.append("  awaited", "italic")
            figures = [f"{shown(name)} {figure}" for name, figure in scores_of(standing, number)]
            if number == universe.me and standing.counts_actions:
                figures.append(f"{standing.actions_used} of {standing.actions} actions used")
            if figures:
                text.append(f"\n  {', '.join(figures)}", "none")
        self.query_one("#players", Static).update(text)
