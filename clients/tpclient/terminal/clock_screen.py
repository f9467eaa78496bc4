"""The turn clock. The owner of the game adds time or changes the clock."""

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from tpclient.agreements import or_proposed
from tpclient.clocks import clock_rows
from tpclient.columns import as_typed, shown
from tpclient.errors import ClientError
from tpclient.names import marked_name
from tpclient.terminal.deeds import deed
from tpclient.terminal.dialogs import Choice, Dialog, Find
from tpclient.terminal.facts_screen import FactsScreen
from tpclient.terminal.link import FollowedGame, spoken
from tpclient.vacations import AWAY_FORM, days_between, left_words, vacation_words
from tpproto import tp_pb2

FORMS = (
    "all-done, interval:SECONDS, threshold:PERCENT:SECONDS or calendar:DAYS:TIMES:ZONE; after it wait, "
    "grace:SECONDS, bank:SECONDS:PLUS, phase:NAME=FORM"
)
UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400}


def seconds_in(words: str) -> int:
    """Return the seconds in a text such as "3600", "90 min", "2 h" or "1 d"; 0 for any other text."""
    text = as_typed(words).replace(" ", "").casefold()
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = text[len(number) :] or "s"
    if not (number.isascii() and number.isdigit() and len(number) <= 8 and unit in UNITS):
        return 0
    return min(int(number) * UNITS[unit], 2**32 - 1)


class Typed(Dialog[str]):
    """A dialog with a line of text. Returns the text, or nothing if it was canceled."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss('')", "back")]

    DEFAULT_CSS = """
    Typed > Vertical { width: 72; }
    Typed Static { height: auto; }
    """

    def __init__(self, words: str, hint: str, value: str = "") -> None:
        super().__init__()
        self.words = words
        self.hint = hint
        self.value = value

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(shown(self.words)))
            yield Input(value=self.value, compact=True)
            yield Static(Content(shown(self.hint)))

    def composed(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class ClockScreen(FactsScreen):
    """A box with the turn clock in words, in local time, and the time banks."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,c,enter,q", "dismiss", "back"),
        Binding("e", "extend", "more time"),
        Binding("u", "take_back", "take it back"),
        Binding("s", "change", "another clock"),
        Binding("v", "vacation", "vacation"),
    ]

    DEFAULT_CSS = """
    ClockScreen > Vertical { width: 76; }
    """

    def __init__(self, link: FollowedGame) -> None:
        super().__init__(link)
        self.clock = tp_pb2.Clock()

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("The clock", id="title")
            yield Static(id="clock")
            yield Static(id="said")
            yield Static(id="hint")

    def composed(self) -> None:
        self._show()
        self._ask()
        self.set_interval(1.0, self._show)

    @work(exclusive=True, group="clock")
    async def _ask(self) -> None:
        try:
            self.clock = await self.link.game_clock()
        except ClientError as error:
            self._say(spoken(error))
            return
        self._show()

    def _show(self) -> None:
        if not self.is_composed:
            return
        universe = self.link.universe
        rows = clock_rows(self.clock, lambda number: marked_name(universe, number)) if self.clock.words else []
        text = "\n".join(f"{head + ':':<7} {shown(words)}" for head, words in rows)
        self.query_one("#clock", Static).update(Content(text))
        owned = ""
        if self.clock.owned:
            does = "propose" if self.clock.needs_consent else "give"
            owned = f"; e: {does} more time for this turn, s: {does} another clock"
        if self.clock.given and not self.clock.needs_consent:
            owned += "; u: take the time back"
        self.query_one("#hint", Static).update(Content(f"escape: back; v: my vacations{owned}"))

    @deed("change")
    async def action_extend(self) -> None:
        """Give the turn more time."""
        if not self.clock.owned:
            return
        question = Typed("How much more time for this turn?", "as 3600, 90 min, 2 h or 1 d")
        typed = await self.app.push_screen_wait(question)
        if not typed:
            return
        seconds = seconds_in(typed)
        if not seconds:
            self._say(f"{typed!r} is no time; say 3600, 90 min, 2 h or 1 d.")
            return
        game = self.clock.game
        asked = self.link.extend_turn(game, seconds)
        await self._change(or_proposed(asked, self.link, game, "extension", seconds=seconds))

    @deed("change")
    async def action_take_back(self) -> None:
        """Take back the last extension."""
        if self.clock.owned and self.clock.given:
            await self._change(self.link.take_time_back(self.clock.game))

    @deed("change")
    async def action_change(self) -> None:
        """Change the turn clock of the game."""
        if not self.clock.owned:
            return
        typed = await self.app.push_screen_wait(Typed("Which clock should the game have?", FORMS, self.clock.clock))
        if typed and typed != self.clock.clock:
            game = self.clock.game
            await self._change(or_proposed(self.link.set_clock(game, typed), self.link, game, "clock", clock=typed))

    @deed("change")
    async def action_vacation(self) -> None:
        """Add or end a vacation."""
        try:
            told = await self.link.vacations()
        except ClientError as error:
            self._say(spoken(error))
            return
        if told.vacations:
            choices = [Choice(one.id, f"end: {vacation_words(one)}") for one in told.vacations]
            title = f"My vacations; {left_words(told)}"
            picked = await self.app.push_screen_wait(Find(title, [Choice(0, "add a vacation"), *choices]))
            if picked is None:
                return
            if picked:
                await self._change(self.link.end_vacation(picked))
                return
        typed = await self.app.push_screen_wait(Typed(f"When are you on vacation? {left_words(told)}", AWAY_FORM))
        if not typed:
            return
        times = days_between(typed)
        if times is None:
            self._say(f"{typed!r} is no vacation; say {AWAY_FORM}.")
            return
        await self._change(self.link.add_vacation(*times))
