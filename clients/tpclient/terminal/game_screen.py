"""The screen of the present turn: clock, the order form, and results."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from tpclient.clocks import NO_DEADLINE, is_late, own_time, seconds_words
from tpclient.columns import counted, listed, shown
from tpclient.connection import CLOCK, PROPOSALS, SEATS, UNFINISH
from tpclient.errors import ClientError
from tpclient.games import GAME_OVER, late_words
from tpclient.legal import PartialOrder
from tpclient.names import called_name, marked_name, object_name, order_name
from tpclient.objects import SpaceObject
from tpclient.orders import APPEND, is_unfinished
from tpclient.plain.facts import order_line
from tpclient.summaries import Absence
from tpclient.terminal.account import AccountScreen
from tpclient.terminal.acting import ActingScreen, meant
from tpclient.terminal.agreements_screen import AgreementsScreen
from tpclient.terminal.board_screen import LOOKING
from tpclient.terminal.clock_screen import ClockScreen
from tpclient.terminal.deeds import deed
from tpclient.terminal.dialogs import Choice, Find, Question, RepeatedQuestion
from tpclient.terminal.fields import Field
from tpclient.terminal.link import GLANCE, FollowedGame, spoken
from tpclient.terminal.messages import Messages
from tpclient.terminal.notices import NoticesScreen
from tpclient.terminal.order_form import Draft, OrderForm, told_by_trial
from tpclient.terminal.owner_screen import OwnerScreen
from tpclient.terminal.past_screen import PastScreen
from tpclient.terminal.seats_screen import SeatsScreen
from tpclient.terminal.side import Queue, Things
from tpclient.terminal.summary import MOST_TURNS
from tpproto import tp_pb2

MOST_TOLD = 4
"""Maximum sentences that are kept in the banner."""

TurnKey = tuple[int, int]
"""A turn: how many have begun here, and its number. Some have the number of the one before."""

PROMPT = 1.0
"""Maximum seconds that a form waits for the limits from the server before it opens."""


HOUR = 3600
"""A time of more seconds than this is shown with its end, too."""


class GameScreen(ActingScreen):
    """One game that is played or watched. `form` is the open form, `picking` the field with a pending pick."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "help", key_display="?"),
        Binding("q", "leave", "quit"),
        Binding("space", "point", "point", key_display="space"),
        Binding("o", "order", "order"),
        Binding("n", "next(1)", "next"),
        Binding("p", "next(-1)", "previous", show=False),
        Binding("f", "finish", "finish"),
        Binding("m", "messages", "messages"),
        Binding("c", "clock", "clock", show=False),
        Binding("S", "seats", "who is away", show=False),
        Binding("A", "agreements", "agreements", show=False),
        Binding("N", "notices", "notices", show=False),
        Binding("P", "account", "account", show=False),
        Binding("G", "own_game", "own game", show=False),
        Binding("H,left_square_bracket", "history", "history", key_display="H"),
        Binding("ctrl+u", "queue", "orders", show=False),
        Binding("u", "give_again", "give again", show=False),
        Binding("U", "unfinish", "not finished", show=False),
        *LOOKING,
    ]

    DEFAULT_CSS = """
    GameScreen.-away > #banner, GameScreen.-told > #banner { display: block; }
    GameScreen OrderForm { height: 1fr; }
    GameScreen #right.-form SummaryCard { display: none; }
    """

    def __init__(self, link: FollowedGame, *, asks: bool = True) -> None:
        """Show the game of `link`. With `asks`, a question comes before the end of a turn without orders."""
        super().__init__(link)
        self.asks = asks
        self.picking: Field | None = None
        self.form: OrderForm | None = None
        self._clock: tp_pb2.TimeRemaining | None = None
        self._clock_told = 0.0
        self.game_clock = tp_pb2.Clock()
        """The grace and time banks; empty before they are known."""
        self._away = ""
        self._told: list[str] = []
        self.turns_begun = 0
        """Number of turns that have begun here."""
        self._ordered: TurnKey | None = None
        """The last turn in which an order was given from here."""
        self._finished: TurnKey | None = None
        """The last turn that was finished from here."""
        self._told_until = -1
        """The newest turn whose reports the player has noticed, by closing the card or by an action."""
        self._absence: Absence | None = None
        """The turns that began while the player was away, until notice was taken of them."""
        self._removed: list[tuple[TurnKey, tp_pb2.Order]] = []
        """The orders that were removed from here, each with the turn; the last one last."""
        self._turns_to_stay = 0
        """Over the beginning of how many turns what was said stays."""

    def begin(self) -> None:
        super().begin()
        self.set_interval(1.0, self.show_head)
        self.set_interval(GLANCE, self._look_why)
        self._told_until = self.link.clock.turn - 1
        self._tell_turns()
        self._look_for_absence()

    # --- what is shown

    def updated(self) -> None:
        super().updated()
        universe = self.link.universe
        if self.form is not None and self.form.draft.thing.id not in universe.objects:
            name = called_name(universe, self.form.draft.thing)
            self.say(f"{name} no longer exists. Press escape to give up its order.")
        self._look_why()

    def show_head(self) -> None:
        clock = self.link.clock
        if clock is not self._clock:
            self._clock, self._clock_told = clock, time.monotonic()
            if 0 < clock.time < NO_DEADLINE and self.link.speaks(CLOCK):
                self._look_at_clock()
        passed = int(time.monotonic() - self._clock_told)
        self.query_one("#head", Static).update(self._turn_line(passed))

    @work(exclusive=True, group="clock")
    async def _look_at_clock(self) -> None:
        """Find out whether the time remaining is the turn's, or grace and time banks."""
        with suppress(ClientError):  # an older server has no such request
            self.game_clock = await self.link.game_clock()

    def _turn_line(self, passed: int) -> Text:
        """Return the turn, the time remaining and the awaited players.

        `passed` is the seconds since the newest clock.
        """
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
        if late := late_words(clock):
            text.append(f" - {late}")
            return text
        text.append(" - " + seconds_words(max(1, clock.time - passed) if limited else clock.time))
        if limited and is_late(self.game_clock, time.time()):
            text.append(" of grace or time banks", "reverse")
        elif limited and clock.time > HOUR:
            text.append(f" (until {own_time(time.time() + clock.time - passed)})")
        if list(clock.waiting) == [self.link.universe.me]:
            text.append(" - it is your turn")
        elif clock.waiting:
            names = listed(marked_name(self.link.universe, number) for number in clock.waiting)
            text.append(f" - awaited: {shown(names)}")
        if self._can_unfinish:
            text.append(" - you are done (U takes that back)")
        return text

    @work(exclusive=True, group="why")
    async def _look_why(self) -> None:
        """Show the reason in the head if the game does not go on. Only the list of games has it."""
        if not self.link.is_connected:
            return
        with suppress(ClientError):  # the server may refuse, and the banner shows a lost connection
            if await self.link.look_why():
                self.show_head()

    def show_title(self) -> None:
        if self.picking is None:
            super().show_title()
            return
        words = shown(f"Pick {self.picking.called}: enter takes it, escape goes back")
        self.query_one("#title", Static).update(Text(words, "reverse", no_wrap=True, overflow="ellipsis"))

    def say(self, words: str, *, turns: int = 1) -> None:
        """Show a result (`BoardScreen.say`) for some turns.

        The turn may have waited for an order. So its result stays for one more turn; with `turns` 0 it ends with this
        one.
        """
        self._turns_to_stay = turns
        super().say(words)

    def turn_began(self) -> None:
        """Remove the result of the turn before."""
        self.turns_begun += 1
        if self._turns_to_stay <= 0:
            self.say("")
        self._turns_to_stay -= 1
        self._tell_turns()

    def _tell_turns(self) -> None:
        """Show the reports of this turn on the card, and those of earlier turns that the player has not noticed."""
        newest = self.link.clock.turn
        first = max(self._told_until + 1, newest - MOST_TURNS + 1, 0)
        self.show_card(first, newest, "s: more, escape: away", self._absence)

    @work(exclusive=True, group="absence")
    async def _look_for_absence(self) -> None:
        """Show what happened during a long absence of the player on the card."""
        with suppress(ClientError):  # the banner shows a lost connection, and the absence is optional
            self._absence = await self.link.absence()
        if self._absence is not None and self.is_composed:
            self._told_until = min(self._told_until, self._absence.first - 1)
            self._tell_turns()

    def _notice(self) -> None:
        """Mark all news of the card as seen, so they do not return next turn."""
        self._told_until = self.link.clock.turn
        self._absence = None

    def tell(self, words: str) -> None:
        """Show an event in the banner until the player removes it."""
        self._told = [*self._told, words][-MOST_TOLD:]
        self._show_banner()

    def warn(self, words: str) -> None:
        """Show in the banner why nothing can be done now; "" removes it."""
        self._away = words
        self._show_banner()

    def _show_banner(self) -> None:
        self.set_class(bool(self._away), "-away")
        self.set_class(bool(self._told), "-told")
        told = [*self._told[:-1], f"{self._told[-1]} (escape takes this away)"] if self._told else []
        words = [*told, self._away] if self._away else told
        self.query_one("#banner", Static).update(Content("\n".join(map(shown, words))))

    def on_map_view_moved(self) -> None:
        if self.is_ready and self.picking is not None:
            names = [object_name(self.link.universe, icon.thing.id) for icon in self.map.here]
            self.say(f"Under the cursor: {listed(names)}." if names else "Nothing is under the cursor.")

    @property
    def written(self) -> str | None:
        return self.form.draft.kind.name if self.form is not None else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys / and space in the form of an order, where they are text."""
        return not (action in ("find", "point") and self.form is not None and self.picking is None)

    def action_clock(self) -> None:
        """Show the turn clock."""
        if self.link.speaks(CLOCK):
            self.app.push_screen(ClockScreen(self.link))
        else:
            self.say("The clock needs Protocol Buffers (--dialect pb).")

    def action_seats(self) -> None:
        """Show the players and the absent ones."""
        if self.link.speaks(SEATS):
            self.app.push_screen(SeatsScreen(self.link))
        else:
            self.say("The list of seats needs Protocol Buffers (--dialect pb).")

    def action_agreements(self) -> None:
        """Show the proposals of the players."""
        if self.link.speaks(PROPOSALS):
            self.app.push_screen(AgreementsScreen(self.link))
        else:
            self.say("Proposals are on the message board (m). This list needs Protocol Buffers (--dialect pb).")

    def action_messages(self) -> None:
        self.app.push_screen(Messages(self.link))

    def action_own_game(self) -> None:
        self.app.push_screen(OwnerScreen(self.link))

    def action_account(self) -> None:
        self.app.push_screen(AccountScreen(self.link))

    def action_notices(self) -> None:
        self.app.push_screen(NoticesScreen(self.link))

    @work(exclusive=True, group="history")
    async def action_history(self) -> None:
        """Show the turn before this one, or the first missed one. From there the player can reach all others."""
        link, absence = self.link, self._absence
        if not link.has_turn_numbers:
            self.say("In TP03 no server tells which turns there are; --dialect tp04 does.")
            return
        turn = max(0, link.clock.turn - 1) if absence is None else absence.first
        try:
            past = await link.past(turn)
        except ClientError as error:
            self.say(spoken(error))
            return
        await self.app.push_screen_wait(PastScreen(link, past, absence))
        if absence is not None:
            self._notice()
            self.card.clear()

    def action_back(self) -> None:
        if self.picking is not None:
            self._stop_picking()
        elif self.aim is not None:
            self.back_in_aim()
        else:
            self.action_focus_map()

    def action_focus_map(self) -> None:
        self._told = []
        self._show_banner()
        self._notice()
        self.card.clear()
        self.map.focus()

    def action_queue(self) -> None:
        if self.side.orders and self.form is None:
            self.query_one(Queue).focus()
        else:
            self.say("The selected object has no orders.")

    # --- turns

    @work
    async def action_leave(self) -> None:
        """Quit, after a question if something would be lost."""
        words = "Quit? The order that is being filled in has not been given."
        if self.form is None or await self.app.push_screen_wait(Question(words, "Quit")):
            await self.app.run_action("quit")

    @property
    def _turn(self) -> TurnKey:
        """Return the shown turn."""
        return self.turns_begun, self.link.turn

    async def _is_sure(self) -> bool:
        """Return whether the turn may be finished.

        Asks if that would cost the player something.
        """
        link = self.link
        if self.form is not None:
            words = "An order is being filled in and has not been given. Finish the turn without it?"
            return await self.app.push_screen_wait(Question(words, "Finish"))
        has_ordered = self._ordered == self._turn or any(link.orders.values())
        if not self.asks or has_ordered or not (link.is_awaited and link.can_order):
            return True
        question = RepeatedQuestion("You have given no orders this turn. Finish anyway?", "Finish")
        sure = await self.app.push_screen_wait(question)
        self.asks = not question.is_last
        return sure

    @deed("finish")
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
        if self._turn != shown_turn or self.link.is_behind:  # the answer was for another turn
            self.say("That turn has passed meanwhile; this one is not finished.", turns=0)
            return
        turn = self.link.message_turn
        try:
            await self.link.finish_turn()
            await self.link.time_remaining()  # which updates the awaited players
        except ClientError as error:
            self.say(spoken(error))
            return
        if self.link.message_turn != turn:
            return  # it was the last awaited player, and the head shows the next turn
        self._finished = self._turn
        self._notice()
        names = [marked_name(self.link.universe, number) for number in self.link.clock.waiting]
        words = "You are done with this turn" + (f"; awaited: {listed(names)}." if names else ".")
        self.say(words + (" U takes that back." if self._can_unfinish else ""), turns=0)
        self.show_head()

    @property
    def _can_unfinish(self) -> bool:
        """Return whether this turn was finished here and can be reopened.

        As far as is known.
        """
        link = self.link
        is_done = self._finished == self._turn and not (link.is_awaited or link.is_behind or link.is_over)
        return is_done and link.clock.time > 0 and link.speaks(UNFINISH)

    @deed("finish")
    async def action_unfinish(self) -> None:
        """Reopen this turn."""
        link = self.link
        if link.is_over or link.is_behind or not link.clock.time:
            self.say("The turn is over; nothing of it can be taken back.", turns=0)
            return
        try:
            words = await link.unfinish_turn()
            await link.time_remaining()  # which updates the awaited players
        except ClientError as error:
            self.say(spoken(error), turns=0)
            return
        self._finished = None
        self.say(f"{words.rstrip('.')}.", turns=0)
        self.show_head()

    @work(exclusive=True, group="reload")
    async def reload(self) -> None:
        """Update everything after a change from here."""
        try:
            await self.link.refresh()
        except ClientError as error:
            self.say(spoken(error))
            return
        self.update()

    # --- giving orders

    def action_point(self) -> None:
        if self.picking is not None:
            self._picked()
        else:
            super().action_point()

    def on_map_view_chosen(self) -> None:
        if self.picking is not None:
            self._picked()
        elif self.aim is not None:
            self.take_target()
        elif self.form is None:
            self.query_one(Things).focus()

    def on_option_list_option_selected(self) -> None:
        self.action_order()

    def action_order(self) -> None:
        if self.form is None:
            self.end_aim()
            self._choose_order(APPEND)

    @work(exclusive=True, group="order")
    async def _choose_order(self, slot: int) -> None:
        """Let the player choose an order for the selected object, and open its form."""
        thing, universe = self.side.thing, self.link.universe
        if thing is None:
            self.say("There is nothing here.")
            return
        legal = self.link.legal
        carried = [PartialOrder(thing.id, kind) for kind in universe.offers(thing)]
        parts = carried or legal.naming(thing)
        if not parts:
            self.say(f"{object_name(universe, thing.id)} takes no orders from you now; n goes to what does.")
            return
        part: PartialOrder | None = parts[0]
        if len(parts) > 1:
            part = await self._asked_order(thing, parts)
        if part is not None:
            await self.open_form(Draft(universe.objects[part.carrier], part.kind, slot, None, part.chosen, thing.id))

    async def _asked_order(self, thing: SpaceObject, parts: Sequence[PartialOrder]) -> PartialOrder | None:
        """Let the player choose one of several orders. Orders that are not legal now are hidden, if that is known."""
        legal, universe = self.link.legal, self.link.universe
        given = {(one.id, one.otype) for one in legal.orders}
        rows = [
            Choice(at, f"{order_name(universe, one.kind)}: {one.kind.description}".rstrip(": "))
            for at, one in enumerate(parts)
        ]
        kept = [one for one in rows if (parts[one.id].carrier, parts[one.id].kind.id) in given]
        if not kept:  # unknown, or all would be refused: the form shows the reason
            kept = rows
        rest = [one for one in rows if one not in kept]
        title = f"Order for {object_name(self.link.universe, thing.id)}"
        find = Find(title, kept, rest, lambda at: legal.why(parts[at]))
        at = await self.app.push_screen_wait(find)
        return parts[at] if at is not None else None

    async def open_form(self, draft: Draft) -> None:
        if draft.old is None and draft.kind.parameters and self.link.is_connected:
            # Request the limits of the parameters, so that the form shows them from the start.
            with suppress(ClientError, TimeoutError):
                async with asyncio.timeout(PROMPT):  # the form opens then, and repeats the request
                    await told_by_trial(self.link, draft, {})
        if self.form is not None or not self.is_composed:
            return
        self.form = OrderForm(self.link, draft)
        self.side.display = False
        self.query_one("#right").add_class("-form")
        await self.query_one("#right").mount(self.form)
        self.form.focus_field(len(draft.chosen))
        self.say("")

    def _close_form(self) -> None:
        if self.form is not None:
            self.form.remove()
            self.form = None
        self.picking = None
        self.side.display = True
        self.query_one("#right").remove_class("-form")
        self.end_aim()
        self.map.focus()

    def on_order_form_left(self) -> None:
        self._close_form()

    def begin_anew(self, why: str) -> None:
        """Show another game that has replaced this one. `why` has the evidence."""
        self.link.told.clear()
        self.link.forget_manual()
        self._removed.clear()
        self._told_until = -1
        self._absence = None
        self.card.clear()
        self._close_form()
        self.read_goal()
        self.tell(f"{why} This is what is there now.")

    def on_order_form_given(self, event: OrderForm.Given) -> None:
        self._close_form()
        self.gave(event.draft.looked_at, event.words)

    def gave(self, piece: int, words: str) -> None:
        self._ordered = self._turn
        self._notice()
        self.go_to(piece)
        self.say(f"Given to {object_name(self.link.universe, piece)}: {words}")
        self.reload()

    # --- picking a value

    @work
    async def on_field_wanted(self, event: Field.Wanted) -> None:
        field = event.field
        if event.on_map:
            self.picking = field
            self._light()
            self.show_title()
            self.map.focus()
            return
        choices, title, rest = field.choices(), f"Pick {field.called}", []
        if choices is None:
            things = self._allowed(field, list(self.link.universe.objects.values()))
            choices = self.choices(self._legal(field, things))
            if field.legal is not None:
                rest = self.choices([thing for thing in things if thing.id not in field.legal])
            elif not field.allowed:
                title += "; the server has not told what it may be, so here is everything"

        async def why(number: int) -> str:
            return await self._why(field, number)

        number = await self.app.push_screen_wait(Find(title, choices, rest, why))
        if number is not None:
            field.pick(number)

    def _allowed(self, field: Field, things: Sequence[SpaceObject]) -> list[SpaceObject]:
        return [thing for thing in things if not field.allowed or thing.role in field.allowed]

    def _legal(self, field: Field, things: Sequence[SpaceObject]) -> list[SpaceObject]:
        return [thing for thing in things if field.legal is None or thing.id in field.legal]

    async def _why(self, field: Field, number: int) -> str:
        """Return the server's reason against an object for a field, or ""."""
        part = self.form.part_before(field) if self.form is not None else None
        return await self.link.legal.why(part, number) if part is not None else ""

    def on_order_form_narrowed(self) -> None:
        self._light()

    def _light(self) -> None:
        field, places = self.picking, self.link.map.icon_of
        if field is None or field.legal is None:
            super()._light()
            return
        systems = {places[number] for number in field.legal if number in places}
        self.map.light((), self._occupied(systems))
        self._show_legend()

    @work(exclusive=True, group="pick")
    async def _picked(self) -> None:
        """Use the object under the cursor for the waiting field. If several fit, the player chooses one."""
        field, universe = self.picking, self.link.universe
        if field is None:
            return
        things: list[SpaceObject] = []
        fitting: list[SpaceObject] = []
        for icon in self.map.here:
            here = self._allowed(field, [icon.thing, *universe.inside(icon.thing.id)])
            things += here
            fitting += (
                self._legal(field, here)
                if field.legal is None
                else meant(field.parameter.name, self._legal(field, here), icon.thing.id)
            )
        if not fitting:
            why = await self._why(field, things[0].id) if things else ""
            words = f"Refused: {why.rstrip('.')}." if why else "Nothing that fits is here."
            self.say(words if self.map.here else "Nothing is here.")
            return
        number: int | None = fitting[0].id
        if len(fitting) > 1:
            rows = self.choices(fitting)
            number = await self.app.push_screen_wait(Find(f"Pick {field.called}", rows))
        if number is not None and self.picking is field:
            field.pick(number)
            self._stop_picking()

    def _stop_picking(self) -> None:
        field, self.picking = self.picking, None
        self.say("")
        self._light()
        self.show_title()
        if field is not None:
            field.query("Input").first().focus()

    # --- queued orders

    @deed("queue")
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
                    await self.open_form(Draft(thing, kind, order.slot, order))
                return
            elif event.what in ("up", "down"):
                slot = order.slot + (-1 if event.what == "up" else 1)
                if not 0 <= slot < len(orders):
                    self.say("It is at the end of the queue." if slot else "It is the first order already.")
                    return
                await self.link.move_order(order, slot)
                self.say(f"Moved: {words}")
                if self.is_composed:
                    self.query_one(Queue).highlighted = slot
        except ClientError as error:
            self.say(spoken(error))
        self.reload()

    async def _remove_all(self, thing: SpaceObject) -> None:
        """Remove all orders of an object after a question. Orders that arrive meanwhile stay."""
        orders = [*self.link.queued(thing)]
        words = f"Remove {counted(len(orders), 'order')} of {object_name(self.link.universe, thing.id)}?"
        if not orders or not await self.app.push_screen_wait(Question(words, "Remove")):
            return
        slots = range(len(orders))
        if [*self.link.queued(thing)] != orders:
            self.say("The queue has changed meanwhile; nothing is removed.")
            return
        await self.link.remove_order(thing, *reversed(slots))  # the highest first, so that none moves
        for slot, one in reversed([*enumerate(orders)]):
            order = tp_pb2.Order()
            order.CopyFrom(one)
            order.slot = slot
            self._removed.append((self._turn, order))
        self.say(f"{counted(len(orders), 'order')} removed (u gives them again, one by one)")

    @deed("queue")
    async def action_give_again(self) -> None:
        """Give the last removed order of this turn again."""
        present = self._turn if not self.link.is_behind else None
        self._removed = [one for one in self._removed if one[0] == present]
        if not self._removed:
            self.say("No order was removed in this turn.")
            return
        _, order = self._removed[-1]
        words = order_line(self.link.universe, order)
        if is_unfinished(order):
            self.say(f"The order lacks a choice. Press o to give it again: {words}")
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
