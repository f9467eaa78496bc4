"""The game on the screen: the map, what is under the cursor, the order that is being filled in, and what is new."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Footer, Static

from tpproto import tp_pb2

from ..columns import counted, listed, shown
from ..errors import ClientError
from ..games import GAME_OVER
from ..manual import ORDERS, PIECES, Manual, Section
from ..names import marked_name, object_name, place_name, writer_name, writer_of
from ..objects import SpaceObject
from ..orders import APPEND, is_unfinished
from ..plain.context import NO_DEADLINE, seconds_words
from ..plain.facts import order_line
from ..views import Board
from .dialogs import Choice, ComposedScreen, Find, Question, RepeatedQuestion, ResourceFilter
from .fields import Field
from .help import Legend
from .link import GLANCE, Link, spoken
from .map_view import MapView
from .marks import Marks, Sign
from .messages import Messages
from .order_form import Draft, OrderForm, told_by_trial
from .reading import About, RulesScreen
from .side import Queue, Side, Things

NARROW, WIDE = 26, 60
"""The fewest and the most columns of the panel beside the map."""
LEFT = 51
"""What the map keeps in any case where there is room for it: its title and legend need it."""
MOST_TOLD = 4
"""So many sentences about what has happened are kept for the player to see."""
TALL = 36
"""From so many lines on there is room for the legend and more news."""

ROOM_FOR_GOAL = 14
"""So many lines beside those of the map leave room for two of the goal."""

Turn = tuple[int, int]
"""A turn: how many have begun here, and its number. Some have the number of the one before."""

PROMPT = 1.0
"""Seconds that a form waits at most, before it opens, for what the server tells of its parameters."""


class GameScreen(ComposedScreen[None]):
    """One game that is played or watched. `form` is the open form, `picking` the field that a value is picked for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "help", key_display="?"),
        Binding("q", "leave", "quit"),
        Binding("v", "view", "view"),
        Binding("o", "order", "order"),
        Binding("n", "next(1)", "next"),
        Binding("p", "next(-1)", "previous", show=False),
        Binding("f", "finish", "finish"),
        Binding("m", "messages", "messages"),
        Binding("t", "filter_resources", "ticks", show=False),
        Binding("slash", "find", "find", key_display="/"),
        Binding("ctrl+u", "queue", "orders", show=False),
        Binding("b", "board", "board"),
        Binding("r", "about", "rules"),
        Binding("f1", "about", "rules", show=False),
        Binding("u", "give_again", "give again", show=False),
        Binding("escape", "back", "back", show=False),
    ]

    DEFAULT_CSS = """
    GameScreen > #head, GameScreen #title { text-wrap: nowrap; text-overflow: ellipsis; }
    GameScreen > #head { height: 1; background: $primary-muted; padding: 0 1; }
    GameScreen > #goal { height: auto; max-height: 1; color: $text-muted; padding: 0 1; display: none;
        text-wrap: nowrap; text-overflow: ellipsis; }
    GameScreen > #goal.-two { max-height: 2; text-wrap: wrap; }
    GameScreen > #banner { height: auto; max-height: 8; background: $error-muted; text-style: bold; padding: 0 1; }
    GameScreen > #banner { display: none; }
    GameScreen.-away > #banner, GameScreen.-told > #banner { display: block; }
    GameScreen > #middle { height: 1fr; }
    GameScreen #left { width: 1fr; }
    GameScreen #title { height: 1; text-style: bold; }
    GameScreen MapView { height: 1fr; }
    GameScreen #legend { height: auto; display: none; padding: 1 0 0 0; }
    GameScreen #right { width: 26; }
    GameScreen OrderForm { height: 1fr; }
    GameScreen > #news { height: 1; color: $text-muted; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    GameScreen.-tall > #news { height: 5; border-top: solid $primary-muted; text-wrap: wrap; }
    GameScreen > #said { height: auto; min-height: 1; max-height: 3; padding: 0 1; }
    """

    def __init__(self, link: Link, *, asks: bool = True) -> None:
        """`asks` says whether a turn in which nothing was ordered is finished after a question only."""
        super().__init__()
        self.link = link
        self.asks = asks
        self.picking: Field | None = None
        self.form: OrderForm | None = None
        self.board = 0
        """The id of the galaxy that is shown."""
        self.marks: Marks | None = None
        self.ticked: frozenset[int] = frozenset()
        self._clock: tp_pb2.TimeRemaining | None = None
        self._clock_told = 0.0
        self._is_ready = False
        self._signs_hidden = False
        self._away = ""
        self._told: list[str] = []
        self._begun = 0
        """How many turns have begun here."""
        self._ordered: Turn | None = None
        """The last turn in which an order was given from here."""
        self._removed: list[tuple[Turn, tp_pb2.Order]] = []
        """The orders that were removed from here, each with the turn; the last one last."""
        self._turns_to_stay = 0
        """Over the beginning of how many turns what was said stays."""

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
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Show the game as soon as all widgets are there."""
        self._is_ready = True
        self.update()
        self.set_interval(1.0, self._show_head)
        self.set_interval(GLANCE, self._look_why)
        self._read_goal()

    def resized(self) -> None:
        self.set_class(self.size.height >= TALL, "-tall")
        self._share_width()
        self.call_after_refresh(self._share_width)  # when it is known how high the map is now

    def _share_width(self) -> None:
        """Give the panel a third of the screen, and of the rest what the map makes no use of."""
        width = self.size.width
        least = min(WIDE, max(NARROW, width * 33 // 100))
        wanted = max(LEFT, self.map.wanted_width(width - least, self.map.size.height))
        self.query_one("#right").styles.width = min(WIDE, max(least, width - wanted))
        self.call_after_refresh(self._show_legend)

    # --- what is shown

    def update(self) -> None:
        """Show the newest state of everything."""
        if not self._is_ready or not self.query(Side):  # none if the program ends meanwhile
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
            self.say(f"{before.name or 'What you looked at'} ({before.id}) is not there any more.")
        if self.form is not None and self.form.draft.thing.id not in universe.objects:
            self.say(f"{self.form.draft.thing.name} is not there any more; its order can only be given up (escape).")
        self._show_place()
        self._show_head()
        self._look_why()
        self.show_title()
        self._show_news()
        self._show_legend()

    def _show_head(self) -> None:
        clock = self.link.clock
        if clock is not self._clock:
            self._clock, self._clock_told = clock, time.monotonic()
        passed = int(time.monotonic() - self._clock_told)
        self.query_one("#head", Static).update(self._turn_line(passed))

    def _turn_line(self, passed: int) -> Text:
        """The turn, the time that is left, and who is awaited, `passed` seconds after the newest clock was told."""
        clock = self.link.clock
        text = Text(no_wrap=True, overflow="ellipsis")
        name = shown(clock.turn_name) if self.link.has_turn_numbers else ""
        text.append(name or f"Turn {self.link.message_turn}", "bold")
        if self.link.is_over:
            if not clock.turn_name.casefold().startswith(GAME_OVER):
                text.append(" - the game is over")
            return text
        if self.link.hindrance:
            text.append(f" - {shown(self.link.hindrance)}", "reverse")
        limited = 0 < clock.time < NO_DEADLINE
        text.append(" - " + seconds_words(max(1, clock.time - passed) if limited else clock.time))
        if list(clock.waiting) == [self.link.universe.me]:
            text.append(" - it is your turn")
        elif clock.waiting:
            names = listed(marked_name(self.link.universe, number) for number in clock.waiting)
            text.append(f" - awaited: {shown(names)}")
        return text

    @work(exclusive=True, group="why")
    async def _look_why(self) -> None:
        """Say in the head why the game does not go on, if it does not. Nothing tells of that but the list of games."""
        if not self.link.is_connected:
            return
        with suppress(ClientError):  # a server need not tell, and of a lost connection the banner speaks
            if await self.link.look_why():
                self._show_head()

    def show_title(self) -> None:
        boards = list(self.boards)
        title = Text(no_wrap=True, overflow="ellipsis")
        if self.picking is not None:
            title.append(shown(f"Pick {self.picking.parameter.name}: enter takes it, escape goes back"), "reverse")
            self.query_one("#title", Static).update(title)
            return
        board = self.map.board
        if board is not None:
            title.append(shown(board.thing.name))
            if len(boards) > 1:
                title.append(f" ({boards.index(board.thing.id) + 1} of {len(boards)}, b)", "dim")
        title.append(", resources (v)" if self.map.shows_resources else ", who is where (v)", "dim")
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
            writer = writer_name(self.link.universe, message)
            body = " ".join(message.body.split())
            text.append(shown(message.subject), "bold")
            text.append(shown(f"{f' (from {writer})' if writer else ''}: {body}  "), "none")
        if not found:
            text.append("Nothing new in this turn; m shows all messages.", "dim")
        if not self.has_class("-tall"):
            text.no_wrap, text.overflow = True, "ellipsis"
            if len(found) > 1:
                text = Text.assemble((f"{len(found)} messages (m): ", "dim"), text, no_wrap=True, overflow="ellipsis")
        self.query_one("#news", Static).update(text)

    def _signs(self) -> list[tuple[Sign, str]]:
        """The signs of the board that is shown, with their meanings."""
        cells = list(self.map.grid.cells.values())
        return self.marks.legend(cells, resources=self.map.shows_resources) if self.marks is not None else []

    def _show_legend(self) -> None:
        """Show what the signs mean, or as much of that as there are lines to spare; Help has all of it."""
        if self.marks is None or not self._is_ready:
            return
        left = self.query_one("#left")
        lines = left.size.height - 2 - self.map.grid.rows
        self.query_one("#goal").set_class(self.size.height - self.map.grid.rows >= ROOM_FOR_GOAL, "-two")
        hidden = not self.query_one(Legend).show(self._signs(), left.size.width, lines)
        if hidden != self._signs_hidden:
            self._signs_hidden = hidden
            self.show_title()

    def _show_place(self) -> None:
        self.side.show(self.map.here, self.marks, resources=self.map.shows_resources)

    def say(self, words: str, *, turns: int = 1) -> None:
        """Say what has come of something, below everything else, until something else is said.

        An order may be what a turn waited for, so what became of it stays over the beginning of one turn; with `turns`
        0 it ends with this one.
        """
        self._turns_to_stay = turns
        self.query_one("#said", Static).update(Content(shown(words)))

    def turn_began(self) -> None:
        """Take away what was said about the turn before."""
        self._begun += 1
        if self._turns_to_stay <= 0:
            self.say("")
        self._turns_to_stay -= 1

    def tell(self, words: str) -> None:
        """Say above everything else what has happened, until the player has taken it away: nothing else may."""
        self._told = [*self._told, words][-MOST_TOLD:]
        self._show_banner()

    def warn(self, words: str) -> None:
        """Say above everything else why nothing can be done now; nothing: all is well again."""
        self._away = words
        self._show_banner()

    def _show_banner(self) -> None:
        self.set_class(bool(self._away), "-away")
        self.set_class(bool(self._told), "-told")
        told = [*self._told[:-1], f"{self._told[-1]} (escape takes this away)"] if self._told else []
        words = [*told, self._away] if self._away else told
        self.query_one("#banner", Static).update(Content("\n".join(map(shown, words))))

    def on_map_view_moved(self) -> None:
        if self._is_ready:
            self._show_place()
            if self.picking is not None:
                names = [object_name(self.link.universe, icon.thing.id) for icon in self.map.here]
                self.say(f"Under the cursor: {listed(names)}." if names else "Nothing is under the cursor.")

    def on_side_selected(self) -> None:
        thing, orders = self.side.thing, self.side.orders
        if thing is not None and orders:
            shows = {thing.queue: orders}
        else:  # of everything in this place
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
        """Put the cursor on an object, on whichever board it is, and look at it."""
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

    def action_next(self, step: int) -> None:
        universe = self.link.universe
        ours = [thing.id for thing in universe.where(lambda thing: bool(universe.offers(thing)))]
        if not ours:
            self.say("Nothing takes orders from you now.")
            return
        present = self.side.selected
        if present in ours:
            number = ours[(ours.index(present) + step) % len(ours)]
        else:
            number = ours[0 if step > 0 else -1]
        self.say(f"{ours.index(number) + 1} of {len(ours)} that take orders: {object_name(universe, number)}")
        self.go_to(number)

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

    # --- rules

    @work(exclusive=True, group="goal")
    async def _read_goal(self) -> None:
        """Show what the players are after, if the server tells."""
        goal = ""
        with suppress(ClientError):
            goal = (await self.link.manual()).goal
        for line in self.query("#goal").results(Static):  # none if the program ends meanwhile
            line.update(Content(shown(f"Goal: {goal}")))
            line.display = bool(goal)
            self.call_after_refresh(self._share_width)

    def action_help(self) -> None:
        self.app.push_screen(RulesScreen(self.link.manual, self._signs()))

    @work(exclusive=True, group="about")
    async def action_about(self) -> None:
        """Show what the rules say about the order that is being filled in, or else about what is looked at."""
        form, thing = self.form, self.side.thing
        if form is None and thing is None:
            self.say("There is nothing here.")
            return
        try:
            manual = await self.link.manual()
        except ClientError as error:
            self.say(f"The rules cannot be read: {spoken(error)}")
            return
        if form is not None:
            what = form.draft.kind.name
            found = [manual.about(what, (ORDERS, PIECES))]
        else:
            assert thing is not None
            what = thing.name or thing.kind
            found = self._about(manual, thing)
        sections = [section for section in dict.fromkeys(found) if section is not None]
        if sections:
            self.app.push_screen(About(sections))
        else:
            self.say(f"The rules have no paragraph about {what}; ? shows all of them.")

    def _about(self, manual: Manual, thing: SpaceObject) -> list[Section | None]:
        """What the rules say about an object: about its designs, its kind or its name, and the orders that it takes."""
        universe = self.link.universe
        designs = [universe.designs[number].name for number in thing.ships if number in universe.designs]
        offers = [offer.name for offer in universe.offers(thing)]
        return [
            *(manual.about(name, (PIECES,)) for name in (*designs, thing.kind, thing.name)),
            *(manual.about(name, (ORDERS,)) for name in offers),
        ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In the form of an order / is a letter like any other."""
        return not (action == "find" and self.form is not None and self.picking is None)

    def action_messages(self) -> None:
        self.app.push_screen(Messages(self.link))

    def action_back(self) -> None:
        if self.picking is not None:
            self._stop_picking()
        else:
            self.action_focus_map()

    def action_focus_map(self) -> None:
        self._told = []
        self._show_banner()
        self.map.focus()

    def action_queue(self) -> None:
        if self.side.orders and self.form is None:
            self.query_one(Queue).focus()
        else:
            self.say("What you look at has no orders.")

    # --- turns

    @work
    async def action_leave(self) -> None:
        """Quit, after a question if something would be lost."""
        words = "Quit? The order that is being filled in has not been given."
        if self.form is None or await self.app.push_screen_wait(Question(words, "Quit")):
            await self.app.run_action("quit")

    @property
    def _turn(self) -> Turn:
        """The turn that is shown."""
        return self._begun, self.link.turn

    async def _is_sure(self) -> bool:
        """Whether the turn may be finished: asks if that would cost the player something."""
        link = self.link
        if self.form is not None:
            words = "An order is being filled in and has not been given. Finish the turn without it?"
            return await self.app.push_screen_wait(Question(words, "Finish"))
        has_ordered = self._ordered == self._turn or any(link.orders.values())
        if not self.asks or has_ordered or not (link.is_awaited and link.can_order):
            return True
        question = RepeatedQuestion("You have ordered nothing in this turn. Finish it all the same?", "Finish")
        sure = await self.app.push_screen_wait(question)
        self.asks = not question.is_last
        return sure

    @work(exclusive=True, group="finish")
    async def action_finish(self) -> None:
        if self.link.is_over:
            self.say("The game is over; there is no turn to finish.")
            return
        if self.link.is_behind:
            self.say("A turn has begun that is not shown yet; it is not finished.", turns=0)
            return
        shown_turn = self._turn
        if not await self._is_sure():
            self.say("The turn is not finished.", turns=0)
            return
        if self._turn != shown_turn or self.link.is_behind:  # the yes was for another turn
            self.say("That turn has passed meanwhile; this one is not finished.", turns=0)
            return
        turn = self.link.message_turn
        try:
            await self.link.finish_turn()
            await self.link.time_remaining()  # which tells who is awaited now
        except ClientError as error:
            self.say(spoken(error))
            return
        if self.link.message_turn != turn:
            return  # it was the last that the turn waited for, and the next one is told above
        names = [marked_name(self.link.universe, number) for number in self.link.clock.waiting]
        self.say("You are done with this turn" + (f"; awaited: {listed(names)}." if names else "."), turns=0)
        self._show_head()

    @work(exclusive=True, group="reload")
    async def reload(self) -> None:
        """Bring everything up to date after something was changed from here."""
        try:
            await self.link.refresh()
        except ClientError as error:
            self.say(spoken(error))
            return
        self.update()

    # --- giving orders

    def choices(self, things: Sequence[SpaceObject]) -> list[Choice]:
        """Objects to pick from a list, mine first."""
        universe = self.link.universe

        def words(thing: SpaceObject) -> str:
            about = (object_name(universe, thing.id), thing.kind, place_name(universe, thing))
            return ", ".join(word for word in about if word)  # the root is in nothing

        return [
            Choice(thing.id, words(thing))
            for thing in sorted(things, key=lambda one: (one.owner != universe.me, one.id))
        ]

    def on_map_view_chosen(self) -> None:
        if self.picking is not None:
            self._picked()
        elif self.form is None:
            self.query_one(Things).focus()

    def on_option_list_option_selected(self) -> None:
        self.action_order()

    def action_order(self) -> None:
        if self.form is None:
            self._choose_order(APPEND)

    @work(exclusive=True, group="order")
    async def _choose_order(self, slot: int) -> None:
        """Ask which order the thing that is looked at is to get, and open its form."""
        thing, universe = self.side.thing, self.link.universe
        if thing is None:
            self.say("There is nothing here.")
            return
        offers = universe.offers(thing)
        if not offers:
            self.say(f"{object_name(universe, thing.id)} takes no orders from you now; n goes to what does.")
            return
        kind: tp_pb2.OrderDesc | None = offers[0]
        if len(offers) > 1:
            rows = [Choice(one.id, f"{one.name}: {one.description}".rstrip(": ")) for one in offers]
            number = await self.app.push_screen_wait(Find(f"Order for {object_name(universe, thing.id)}", rows))
            kind = next((one for one in offers if one.id == number), None)
        if kind is not None:
            await self._open_form(Draft(thing, kind, slot))

    async def _open_form(self, draft: Draft) -> None:
        if draft.old is None and draft.kind.parameters and self.link.is_connected:
            # Let the server tell what the parameters may be, so that the form shows that from the beginning.
            with suppress(ClientError, TimeoutError):
                async with asyncio.timeout(PROMPT):  # the form opens then, and goes on asking
                    await told_by_trial(self.link, draft.thing, draft.kind, {})
        if self.form is not None:
            return
        self.form = OrderForm(self.link, draft)
        self.side.display = False
        await self.query_one("#right").mount(self.form)
        self.form.focus_field()
        self.say("")

    def _close_form(self) -> None:
        if self.form is not None:
            self.form.remove()
            self.form = None
        self.picking = None
        self.side.display = True
        self.show_title()
        self.map.focus()

    def on_order_form_left(self) -> None:
        self._close_form()

    def begin_anew(self, why: str) -> None:
        """Another game is there in place of the one that was shown; `why` says how that shows."""
        self.link.told.clear()
        self.link.forget_manual()
        self._removed.clear()
        self._close_form()
        self._read_goal()
        self.tell(f"{why} This is what is there now.")

    def on_order_form_given(self, event: OrderForm.Given) -> None:
        self._ordered = self._turn
        self._close_form()
        self.go_to(event.thing.id)
        self.say(f"Given to {object_name(self.link.universe, event.thing.id)}: {event.words}")
        self.reload()

    # --- picking a value

    @work
    async def on_field_wanted(self, event: Field.Wanted) -> None:
        field = event.field
        if event.on_map:
            self.picking = field
            self.show_title()
            self.map.focus()
            return
        choices, title = field.choices(), f"Pick {field.parameter.name}"
        if choices is None:
            choices = self.choices(self._allowed(field, list(self.link.universe.objects.values())))
            if not field.allowed:
                title += "; the server has not told what it may be, so here is everything"
        number = await self.app.push_screen_wait(Find(title, choices))
        if number is not None:
            field.pick(number)

    def _allowed(self, field: Field, things: Sequence[SpaceObject]) -> list[SpaceObject]:
        return [thing for thing in things if not field.allowed or thing.role in field.allowed]

    @work(exclusive=True, group="pick")
    async def _picked(self) -> None:
        """Take what is under the cursor for the field that wants something; several things that fit are asked about."""
        field, universe = self.picking, self.link.universe
        if field is None:
            return
        things: list[SpaceObject] = []
        for icon in self.map.here:
            things += [icon.thing, *universe.inside(icon.thing.id)]
        fitting = self._allowed(field, things)
        if not fitting:
            self.say("Nothing that fits is here." if things else "Nothing is here.")
            return
        number: int | None = fitting[0].id
        if len(fitting) > 1:
            rows = self.choices(fitting)
            number = await self.app.push_screen_wait(Find(f"Pick {field.parameter.name}", rows))
        if number is not None and self.picking is field:
            field.pick(number)
            self._stop_picking()

    def _stop_picking(self) -> None:
        field, self.picking = self.picking, None
        self.say("")
        self.show_title()
        if field is not None:
            field.query("Input").first().focus()

    # --- queued orders

    @work(exclusive=True, group="queue")
    async def on_queue_acted(self, event: Queue.Acted) -> None:
        thing, orders = self.side.thing, self.side.orders
        if thing is None or event.slot >= len(orders):
            return
        order = tp_pb2.Order()
        order.CopyFrom(orders[event.slot])
        order.slot = event.slot
        words = order_line(self.link.universe, order)
        try:
            if event.what == "remove":
                await self.link.remove_order(order.id, order.slot)
                self._removed.append((self._turn, order))
                self.say(f"Removed: {words} (u gives it again)")
            elif event.what == "remove all":
                await self._remove_all(thing)
            elif event.what == "insert":
                self._choose_order(order.slot)
                return
            elif event.what == "change":
                kind = self.link.universe.order_descriptions.get(order.otype)
                if kind is not None:
                    await self._open_form(Draft(thing, kind, order.slot, order))
                return
            elif event.what in ("up", "down"):
                slot = order.slot + (-1 if event.what == "up" else 1)
                if not 0 <= slot < len(orders):
                    self.say("It is at the end of the queue." if slot else "It is the first order already.")
                    return
                await self.link.move_order(order, slot)
                self.say(f"Moved: {words}")
                self.query_one(Queue).highlighted = slot
        except ClientError as error:
            self.say(spoken(error))
        self.reload()

    async def _remove_all(self, thing: SpaceObject) -> None:
        """Remove all orders of a thing, if the player really means it. Those that come meanwhile are not meant."""
        orders = [*self.link.queued(thing)]
        words = f"Remove {counted(len(orders), 'order')} of {object_name(self.link.universe, thing.id)}?"
        if not orders or not await self.app.push_screen_wait(Question(words, "Remove")):
            return
        slots = range(len(orders))
        if [*self.link.queued(thing)] != orders:
            self.say("The queue has changed meanwhile; nothing is removed.")
            return
        await self.link.remove_order(thing, *reversed(slots))  # the highest first, so that none moves before it
        for slot, one in reversed([*enumerate(orders)]):
            order = tp_pb2.Order()
            order.CopyFrom(one)
            order.slot = slot
            self._removed.append((self._turn, order))
        self.say(f"{counted(len(orders), 'order')} removed (u gives them again, one by one)")

    @work(exclusive=True, group="queue")
    async def action_give_again(self) -> None:
        """Give the order again that was removed last in this turn."""
        present = self._turn if not self.link.is_behind else None
        self._removed = [one for one in self._removed if one[0] == present]
        if not self._removed:
            self.say("No order was removed in this turn.")
            return
        _, order = self._removed[-1]
        words = order_line(self.link.universe, order)
        if is_unfinished(order):
            self.say(f"Something was not chosen in it; give it anew with o: {words}")
            return
        order.slot = min(order.slot, len(self.link.orders.get(order.id, ())))
        try:
            await self.link.give_again(order)
        except ClientError as error:
            self.say(spoken(error))
        else:
            self._removed.pop()
            self._ordered = self._turn
            self.say(f"Given again: {words}")
        self.reload()
