"""Dialogs above the game: a question, a list to pick from, and resources."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Button, Checkbox, Input, OptionList, Static
from textual.widgets.option_list import Option as Row

from tpclient.columns import counted, shown
from tpclient.parameters import Option
from tpclient.terminal.amounts import AmountList
from tpclient.universe import Universe

T = TypeVar("T")

MOST_ROWS = 200
"""Maximum matches in a list. Typing reduces them."""


class ComposedScreen(Screen[T]):
    """A screen whose widgets are set up in `composed`.

    Textual mounts a screen that is pushed while the program ends, but without some or all of its widgets. A query for
    one in `on_mount` or `on_resize` would then end the program with a traceback.
    """

    @property
    def is_composed(self) -> bool:
        """Return whether the widgets exist: neither has the screen been closed, nor does the program end."""
        return self.is_attached and self.app.is_running and self in self.app.screen_stack

    def on_mount(self) -> None:
        if self.is_composed:
            self.composed()

    def on_resize(self) -> None:
        if self.is_composed:
            self.resized()

    def composed(self) -> None:
        """Set up the widgets, and give one the focus."""

    def resized(self) -> None:
        """Fit the widgets into the size that the screen has now."""


class ComposedModalScreen(ModalScreen[T], ComposedScreen[T]):
    """A `ComposedScreen` above another screen."""


class Tick(Checkbox):
    """A checkbox with a visible cross, not only bright or dim."""

    @property
    def BUTTON_INNER(self) -> str:  # type: ignore[override]  # a constant there, which shows the cross always
        return "X" if self.value else " "


class Dialog(ComposedModalScreen[T]):
    """A box in the middle of the screen."""

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > Vertical { max-width: 96%; height: auto; max-height: 96%; border: round $primary; background: $surface;
        padding: 0 1; }
    """

    def fit_list(self, options: OptionList, lines: int) -> None:
        """Fit the height of a list to its `lines`, so that its end and the last line of the screen are visible."""
        room = max(3, self.app.size.height * 6 // 10)
        options.styles.height = min(max(1, lines), room)


class Question(Dialog[bool]):
    """A dialog with the question `words`. `deed` is the label of the button for yes. Without a yes, nothing is done."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "dismiss(True)", "yes"),
        Binding("escape,n,q", "dismiss(False)", "no"),
        Binding("left,right,up,down", "app.focus_next", show=False),
    ]

    DEFAULT_CSS = """
    Question > Vertical { width: 60; }
    Question Static { height: auto; margin-bottom: 1; }
    Question Horizontal { height: 1; }
    """

    def __init__(self, words: str, deed: str) -> None:
        super().__init__()
        self.words = words
        self.deed = deed

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(shown(self.words)))
            with Horizontal():
                yield from self.buttons()

    def buttons(self) -> ComposeResult:
        """Return the two answers."""
        yield Button("No (n)", id="no", variant="primary", compact=True)
        yield Button(Content(shown(f"{self.deed} (y)")), id="yes", compact=True)

    def composed(self) -> None:
        self.query_one("#no", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")


class RepeatedQuestion(Question):
    """A question that comes repeatedly. The player may say yes for good, which sets `is_last`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("a", "always", "do not ask again")]

    is_last = False

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(shown(self.words)))
            with Horizontal():
                yield from self.buttons()
                yield Button("Yes, do not ask again (a)", id="always", compact=True)

    def action_always(self) -> None:
        self.is_last = True
        self.dismiss(True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.prevent_default()  # which would treat this button as no
        if event.button.id == "always":
            self.action_always()
        else:
            super().on_button_pressed(event)


@dataclass(frozen=True, slots=True)
class Choice:
    """One item of a list: its id and its name."""

    id: int
    words: str


Why = Callable[[int], Awaitable[str]]
"""Return the reason against the choice with this id, or "" if unknown."""


class Find(Dialog[int | None]):
    """A list with a search line. Returns the id of the chosen item, or None.

    `left_out` are the choices that would be refused. They are hidden until the player shows all. `why` then returns the
    reason against the highlighted one.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "cancel"),
        Binding("down", "list(1)", show=False, priority=True),
        Binding("up", "list(-1)", show=False, priority=True),
        Binding("f4", "all", "all or what is legal"),
    ]

    DEFAULT_CSS = """
    Find > Vertical { width: 70; max-width: 94%; max-height: 90%; }
    Find OptionList { border: none; }
    Find Static { height: auto; }
    """

    def __init__(
        self, title: str, choices: Sequence[Choice], left_out: Sequence[Choice] = (), why: Why | None = None
    ) -> None:
        super().__init__()
        self.heading = title
        self.everything = choices
        self.left_out = left_out
        self.why = why
        self.shows_all = False
        self._refused = frozenset(one.id for one in left_out)
        self._found: Sequence[Choice] = ()
        self._count = ""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(shown(self.heading)))
            yield Input(placeholder="type a part of the name", compact=True)
            yield OptionList(markup=False, compact=True)
            yield Static(id="count")

    def composed(self) -> None:
        self._list("")
        self.query_one(Input).focus()

    def _list(self, typed: str) -> None:
        wanted = typed.casefold().strip()
        everything = [*self.everything, *(self.left_out if self.shows_all else ())]
        found = [choice for choice in everything if wanted in choice.words.casefold()]
        self._found = found[:MOST_ROWS]
        options = self.query_one(OptionList)
        options.set_options([Row(Content(shown(self._words(choice)))) for choice in self._found])
        options.highlighted = 0 if self._found else None
        self.resized()
        more = f", of which {MOST_ROWS} are listed; type more" if len(found) > MOST_ROWS else ""
        words = f"{counted(len(found), 'thing')}{more}." if found else "Nothing has this name."
        if self.left_out:
            number = len(self.left_out)
            would = f"{number} that would be refused {'is' if number == 1 else 'are'}"
            words += f" {would} among them (F4)." if self.shows_all else f" {would} left out; F4 shows all."
        self._count = words
        self._say(words)

    def _words(self, choice: Choice) -> str:
        return f"{choice.words} (refused)" if choice.id in self._refused else choice.words

    def _say(self, words: str) -> None:
        self.query_one("#count", Static).update(Content(shown(words)))

    def resized(self) -> None:
        self.fit_list(self.query_one(OptionList), len(self._found))

    def action_all(self) -> None:
        """Show or hide the choices that would be refused."""
        if self.left_out:
            self.shows_all = not self.shows_all
            self._list(self.query_one(Input).value)

    @work(exclusive=True, group="why")
    async def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the reason against the highlighted choice."""
        choice = self._found[event.option_index] if event.option_index < len(self._found) else None
        if choice is None or choice.id not in self._refused or self.why is None:
            self._say(self._count)
            return
        self._say("Would be refused ...")
        why = await self.why(choice.id)
        self._say(f"Would be refused: {why}" if why else "Would be refused.")

    def action_list(self, step: int) -> None:
        options = self.query_one(OptionList)
        if step > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._list(event.value)

    def on_input_submitted(self) -> None:
        highlighted = self.query_one(OptionList).highlighted
        if highlighted is not None and highlighted < len(self._found):
            self.dismiss(self._found[highlighted].id)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._found[event.option_index].id)


class ResourceFilter(Dialog[frozenset[int] | None]):
    """A tick for each resource. Returns the ticked ones; none means all."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,t", "done", "done", priority=True),
        Binding("a", "all", "all"),
    ]

    DEFAULT_CSS = """
    ResourceFilter > Vertical { width: 48; max-height: 90%; }
    ResourceFilter AmountList { border: none; }
    ResourceFilter Static { height: auto; color: $text-muted; }
    """

    def __init__(self, universe: Universe, ticked: Collection[int]) -> None:
        super().__init__()
        self.universe = universe
        self.ticked = ticked

    def compose(self) -> ComposeResult:
        with Vertical():
            yield AmountList()
            yield Static("space ticks, a: all, enter: done. Ticks choose slices; sizes stay.")

    def composed(self) -> None:
        resources = self.universe.resources
        ticks = self.query_one(AmountList)
        ticks.offer([Option(number, resources[number].singular_name, 1) for number in sorted(resources)])
        ticks.choose({number: 1 for number in resources if not self.ticked or number in self.ticked})

    def resized(self) -> None:
        self.fit_list(self.query_one(AmountList), len(self.universe.resources))

    def action_all(self) -> None:
        self.query_one(AmountList).choose(dict.fromkeys(self.universe.resources, 1))

    def action_done(self) -> None:
        ticked = frozenset(self.query_one(AmountList).chosen)
        self.dismiss(frozenset() if len(ticked) == len(self.universe.resources) else ticked)
