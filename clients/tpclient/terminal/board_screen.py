"""The screen of a game, present or old turn: map, details and reports."""

from collections.abc import Sequence
from contextlib import suppress

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Footer, Static

from tpclient.columns import shown
from tpclient.connection import TURN_SUMMARIES
from tpclient.errors import ClientError
from tpclient.manual import ORDERS, PIECES, Manual, Section
from tpclient.names import (
    called_name,
    design_name,
    kind_name,
    letter_words,
    object_name,
    order_name,
    place_name,
    writer_of,
)
from tpclient.objects import SpaceObject
from tpclient.summaries import MOST_AT_ONCE, Absence
from tpclient.terminal.dialogs import Choice, ComposedScreen, Find, ResourceFilter
from tpclient.terminal.help import Legend
from tpclient.terminal.link import FollowedGame, spoken
from tpclient.terminal.map_view import MapView
from tpclient.terminal.marks import Marks, Sign
from tpclient.terminal.players import PlayersScreen
from tpclient.terminal.reading import About, RulesScreen
from tpclient.terminal.side import Side
from tpclient.terminal.summary import SummaryCard, SummaryScreen
from tpclient.views import Board

NARROW, WIDE = 26, 60
"""The minimum and maximum columns of the panel beside the map."""
LEFT = 51
"""Minimum columns of the map, if there is room: its title and legend."""
TALL = 36
"""Minimum lines for the legend and more news."""

ROOM_FOR_GOAL = 14
"""Minimum lines beside those of the map for a goal of two lines."""

LOOKING: tuple[BindingType, ...] = (
    Binding("v", "view", "view", show=False),
    Binding("b", "board", "board", show=False),
    Binding("r", "about", "rules"),
    Binding("s", "summary", "what happened", show=False),
    Binding("w", "players", "players", show=False),
    Binding("slash", "find", "find", key_display="/"),
    Binding("f1", "about", "rules", show=False),
    Binding("t", "filter_resources", "ticks", show=False),
    Binding("escape", "back", "back", show=False),
)
"""The keys to look around."""


class BoardScreen(ComposedScreen[None]):
    """The map of `link`, and the panel beside it."""

    DEFAULT_CSS = """
    BoardScreen > #head, BoardScreen #title { text-wrap: nowrap; text-overflow: ellipsis; }
    BoardScreen > #head { height: 1; background: $primary-muted; padding: 0 1; }
    BoardScreen > #goal { height: auto; max-height: 1; color: $text-muted; padding: 0 1; display: none;
        text-wrap: nowrap; text-overflow: ellipsis; }
    BoardScreen > #goal.-two { max-height: 2; text-wrap: wrap; }
    BoardScreen > #banner { height: auto; max-height: 8; background: $error-muted; text-style: bold; padding: 0 1; }
    BoardScreen > #banner { display: none; }
    BoardScreen > #middle { height: 1fr; }
    BoardScreen #left { width: 1fr; }
    BoardScreen #title { height: 1; text-style: bold; }
    BoardScreen MapView { height: 1fr; }
    BoardScreen #legend { height: auto; display: none; padding: 1 0 0 0; }
    BoardScreen #right { width: 26; }
    BoardScreen > #news { height: 1; color: $text-muted; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    BoardScreen.-tall > #news { height: 5; border-top: solid $primary-muted; text-wrap: wrap; }
    BoardScreen > #said { height: auto; min-height: 1; max-height: 3; padding: 0 1; }
    """

    def __init__(self, link: FollowedGame) -> None:
        super().__init__()
        self.link = link
        self.board = 0
        """The id of the galaxy that is shown."""
        self.marks: Marks | None = None
        self.ticked: frozenset[int] = frozenset()
        self.is_ready = False
        """True when the screen shows the game."""
        self._signs_hidden = False

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        yield Static(id="goal")
        yield Static(id="banner")
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield Static(id="title")
                yield MapView()
                yield Legend()
            with Vertical(id="right"):
                yield Side(self.link)
                yield SummaryCard()
        yield Static(id="news")
        yield Static(id="said")
        yield Footer(compact=True, show_command_palette=False)

    @property
    def map(self) -> MapView:
        return self.query_one(MapView)

    @property
    def boards(self) -> dict[int, Board]:
        """The boards by the ids of their galaxies."""
        return {board.thing.id: board for board in self.link.map.boards}

    @property
    def side(self) -> Side:
        """The panel beside the map."""
        return self.query_one(Side)

    def composed(self) -> None:
        self.map.focus()
        self.call_after_refresh(self.begin)

    def begin(self) -> None:
        """Show the game as soon as all widgets exist."""
        self.is_ready = True
        self.update()
        self.read_goal()

    def resized(self) -> None:
        self.set_class(self.size.height >= TALL, "-tall")
        self._share_width()
        self.call_after_refresh(self._share_width)  # the height of the map is known then

    def _share_width(self) -> None:
        """Give the panel a third of the screen, and the columns that the map does not use."""
        width = self.size.width
        least = min(WIDE, max(NARROW, width * 33 // 100))
        wanted = max(LEFT, self.map.wanted_width(width - least, self.map.size.height))
        self.query_one("#right").styles.width = min(WIDE, max(least, width - wanted))
        self.call_after_refresh(self._show_legend)

    # --- what is shown

    def update(self) -> None:
        """Show the newest state of everything."""
        if not self.is_ready or not self.query(Side):  # missing if the program ends meanwhile
            return
        universe = self.link.universe
        boards = self.boards
        self.marks = Marks(universe, self.link.map, self.ticked)
        if self.board not in boards and boards:
            mine = (number for number, one in boards.items() if any(universe.me in icon.owners for icon in one.icons))
            self.board = next(mine, next(iter(boards)))
        before = next((thing for thing in self.side.things if thing.id == self.side.selected), None)
        self.map.show(boards.get(self.board), self.marks)
        self._share_width()
        if before is not None and before.id not in universe.objects:
            self.say(f"{called_name(universe, before) or 'The object'} ({before.id}) no longer exists.")
        self._show_place()
        self.show_head()
        self.show_title()
        self._show_news()
        self._show_legend()
        self.updated()

    def updated(self) -> None:
        """React to an update. Subclasses override this."""

    def show_head(self) -> None:
        """Show the turn in the first line."""
        raise NotImplementedError

    def show_title(self) -> None:
        boards = list(self.boards)
        title = Text(no_wrap=True, overflow="ellipsis")
        board = self.map.board
        if board is not None:
            title.append(shown(board.thing.name))
            if len(boards) > 1:
                title.append(f" ({boards.index(board.thing.id) + 1} of {len(boards)}, b)", "dim")
        title.append(", resources (v)" if self.map.shows_resources else ", owners (v)", "dim")
        if self.map.shows_resources and self.ticked:
            title.append(f", {len(self.ticked)} ticked (t)", "dim")
        if self._signs_hidden:
            title.append(", signs (?)", "dim")
        self.query_one("#title", Static).update(title)

    def _show_news(self) -> None:
        turn = self.link.message_turn
        found = [message for message in self.link.mail if message.turn >= turn]
        found.sort(key=lambda message: writer_of(message) is not None)
        text = Text()
        for message in found:
            words = letter_words(self.link.universe, message)
            body = " ".join(message.body.split())
            text.append(shown(message.subject), "bold")
            text.append(shown(f"{f' ({words})' if words else ''}: {body}  "), "none")
        if not found:
            text.append(self.no_news, "dim")
        if not self.has_class("-tall"):
            text.no_wrap, text.overflow = True, "ellipsis"
            if len(found) > 1:
                text = Text.assemble((f"{len(found)} messages (m): ", "dim"), text, no_wrap=True, overflow="ellipsis")
        self.query_one("#news", Static).update(text)

    no_news = "Nothing new in this turn; m shows all messages."

    def signs(self) -> list[tuple[Sign, str]]:
        """Return the signs of the board with their meanings."""
        cells = list(self.map.grid.cells.values())
        return self.marks.legend(cells, resources=self.map.shows_resources) if self.marks is not None else []

    def _show_legend(self) -> None:
        """Show the meanings of the signs, as many as there is room for. Help shows all of them."""
        if self.marks is None or not self.is_ready:
            return
        left = self.query_one("#left")
        lines = left.size.height - 2 - self.map.grid.rows
        self.query_one("#goal").set_class(self.size.height - self.map.grid.rows >= ROOM_FOR_GOAL, "-two")
        hidden = not self.query_one(Legend).show(self.signs(), left.size.width, lines)
        if hidden != self._signs_hidden:
            self._signs_hidden = hidden
            self.show_title()

    def _show_place(self) -> None:
        self.side.show(self.map.here, self.marks, resources=self.map.shows_resources)

    def say(self, words: str, *, turns: int = 1) -> None:
        """Show a result in the last line, until the next one."""
        if self.is_composed:
            self.query_one("#said", Static).update(Content(shown(words)))

    def on_map_view_moved(self) -> None:
        if self.is_ready:
            self._show_place()

    def on_side_selected(self) -> None:
        thing, orders = self.side.thing, self.side.orders
        if thing is not None and orders:
            shows = {thing.queue: orders}
        else:  # the orders of all objects in this place
            shows = {one.queue: self.link.queued(one) for one in self.side.things if self.link.queued(one)}
        self.map.show_paths(self.link.map.paths(self.link.universe, shows) if shows else ())

    # --- looking around

    def action_view(self) -> None:
        self.map.shows_resources = not self.map.shows_resources
        self.map.refresh()
        self.show_title()
        self._show_place()
        self._show_legend()

    def action_board(self) -> None:
        boards = list(self.boards)
        if len(boards) < 2:
            self.say("This game has one board.")
            return
        index = boards.index(self.board) if self.board in boards else -1
        self._go_to_board(boards[(index + 1) % len(boards)])

    def _go_to_board(self, number: int) -> None:
        self.board = number
        self.map.show(self.boards.get(number), self.marks)
        self._share_width()
        self.show_title()

    def go_to(self, number: int) -> bool:
        """Put the cursor on an object, on any board, and select it."""
        system = self.link.map.icon_of.get(number)
        icon = self.link.map.icons.get(system) if system is not None else None
        if icon is None:
            return False
        if icon.board != self.board:
            self._go_to_board(icon.board)
        self.side.selected = number
        self.map.go_to(icon.thing.id)
        self._show_place()
        return True

    def choices(self, things: Sequence[SpaceObject]) -> list[Choice]:
        """Return objects for a list, the player's own first."""
        universe = self.link.universe

        def words(thing: SpaceObject) -> str:
            about = (object_name(universe, thing.id), kind_name(universe, thing), place_name(universe, thing))
            return ", ".join(word for word in about if word)  # the root has no parent

        return [
            Choice(thing.id, words(thing))
            for thing in sorted(things, key=lambda one: (one.owner != universe.me, one.id))
        ]

    @work
    async def action_find(self) -> None:
        universe = self.link.universe
        found = [universe.objects[number] for number in self.link.map.icon_of]
        number = await self.app.push_screen_wait(Find("Find an object", self.choices(found)))
        if number is not None and not self.go_to(number):
            self.say("That is not on a board.")

    @work
    async def action_filter_resources(self) -> None:
        ticked = await self.app.push_screen_wait(ResourceFilter(self.link.universe, self.ticked))
        if ticked is not None:
            self.ticked = ticked
            self.map.shows_resources = True
            self.update()

    @property
    def card(self) -> SummaryCard:
        """The card of turn reports below the panel."""
        return self.query_one(SummaryCard)

    @work(exclusive=True, group="card")
    async def show_card(self, first: int, last: int, keys: str, absence: Absence | None = None) -> None:
        """Show the reports of these turns in the card, if the server has them. `keys` describes the keys.

        For an absence, all its turns are read, at most MOST_AT_ONCE.
        """
        with suppress(ClientError):  # the banner shows a lost connection
            if self.link.speaks(TURN_SUMMARIES):
                first = first if absence is None else max(absence.first, last - MOST_AT_ONCE + 1)
                found = await self.link.summaries(first, last)
                places = await self.link.places()
                if self.is_composed:
                    self.card.show(self.link, found, keys, places, absence)

    @work
    async def action_summary(self) -> None:
        """Show the reports of all turns."""
        if not self.link.speaks(TURN_SUMMARIES):
            self.say("Turn reports need Protocol Buffers (--dialect pb). Press m for all messages.")
            return
        number = await self.app.push_screen_wait(SummaryScreen(self.link))
        if number is not None:
            self.go_to(number)

    def action_players(self) -> None:
        """Show the players, the awaited players and the scores."""
        if self.marks is not None:
            self.app.push_screen(PlayersScreen(self.link, self.marks))

    # --- rules

    def read_goal(self) -> None:
        """Show the goal of the game, if the server sends it."""
        self._show_goal()

    @work(exclusive=True, group="goal")
    async def _show_goal(self) -> None:
        goal = ""
        with suppress(ClientError):
            goal = (await self.link.manual()).goal
        for line in self.query("#goal").results(Static):  # missing if the program ends meanwhile
            line.update(Content(shown(f"Goal: {goal}")))
            line.display = bool(goal)
            self.call_after_refresh(self._share_width)

    def action_help(self) -> None:
        self.app.push_screen(RulesScreen(self.link.manual, self.signs()))

    @work(exclusive=True, group="about")
    async def action_about(self) -> None:
        """Show the rules on the selected object, or on the order in the form."""
        thing, kind = self.side.thing, self.written
        if kind is None and thing is None:
            self.say("There is nothing here.")
            return
        try:
            manual = await self.link.manual()
        except ClientError as error:
            self.say(f"The rules cannot be read: {spoken(error)}")
            return
        if kind is not None:
            what = kind
            found = [manual.about(what, (ORDERS, PIECES))]
        else:
            assert thing is not None
            what = called_name(self.link.universe, thing) or thing.kind
            found = self._about(manual, thing)
        sections = [section for section in dict.fromkeys(found) if section is not None]
        if sections:
            self.app.push_screen(About(sections))
        else:
            self.say(f"The rules have no paragraph about {what}; ? shows all of them.")

    @property
    def written(self) -> str | None:
        """The name of the order type in the open form, None without a form."""
        return None

    def _about(self, manual: Manual, thing: SpaceObject) -> list[Section | None]:
        """Return the sections of the rules on an object.

        They are about its designs, its kind or its name, and the orders that it takes.
        """
        universe = self.link.universe
        known = [number for number in thing.ships if number in universe.designs]
        designs = [name for one in known for name in (universe.designs[one].name, design_name(universe, one))]
        offers = [name for one in universe.offers(thing) for name in (one.name, order_name(universe, one))]
        return [
            *(manual.about(name, (PIECES,)) for name in (*designs, thing.kind, kind_name(universe, thing), thing.name)),
            *(manual.about(name, (ORDERS,)) for name in offers),
        ]
