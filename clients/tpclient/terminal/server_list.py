"""The list of games on the local network and at a metaserver."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from tpclient.columns import counted, lines_of, shown, table
from tpclient.terminal.dialogs import ComposedScreen

if TYPE_CHECKING:
    from tpclient.finding import FoundGame

Find = Callable[[], "tuple[list[FoundGame], list[str]]"]
"""Finds games, which takes seconds. Returns them, and a sentence for each place that could not be searched."""

MOST_SHOWN = 500
"""Maximum games that are shown."""

HEADS = ("GAME", "RULES", "PLAYERS", "ABOUT", "SERVER")


class ServerList(ComposedScreen["FoundGame | None"]):
    """A list of games to choose from. Returns the chosen one, or None to go back."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss(None)", "back")]

    DEFAULT_CSS = """
    ServerList Static { padding: 0 1; }
    ServerList #heads { color: $text-muted; text-style: underline; }
    ServerList OptionList { border: none; height: 1fr; }
    """

    def __init__(self, find: Find) -> None:
        super().__init__()
        self.find = find
        self.games: Sequence[FoundGame] = ()

    def compose(self) -> ComposeResult:
        yield Static("Looking for servers ...", id="words")
        yield Static("", id="heads")
        yield OptionList(id="games")
        yield Footer(compact=True, show_command_palette=False)

    def composed(self) -> None:
        self.query_one("#heads").display = False
        self.look()

    @work(exclusive=True)
    async def look(self) -> None:
        """Find games and list them."""
        found, faults = await asyncio.to_thread(self.find)
        if not self.is_composed:
            return
        self.games = [game for game in found if game.address][:MOST_SHOWN]
        words = f"{counted(len(self.games), 'game')}. Which one?" if self.games else "No server was found."
        self.query_one("#words", Static).update(Content("\n".join([words, *map(shown, faults)])))
        if not self.games:
            return
        heads, *rows = table(HEADS, map(_row, self.games))
        self.query_one("#heads", Static).update(Content(heads))
        self.query_one("#heads").display = True
        games = self.query_one("#games", OptionList)
        games.add_options([Option(Content("\n".join(lines_of(row))), str(number)) for number, row in enumerate(rows)])
        games.highlighted = 0
        games.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.games[int(event.option_id or 0)])


def _row(game: "FoundGame") -> tuple[str, ...]:
    return game.name, game.rule, game.facts.get("plys", ""), game.facts.get("cmt", ""), game.address
