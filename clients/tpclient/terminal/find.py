"""Pick one of many by typing a part of its name."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from ..columns import counted, shown
from .composed import ComposedModalScreen
from .fields import Choice

MOST_ROWS = 200
"""So many of what fits are listed; typing narrows it."""


class Find(ComposedModalScreen[int | None]):
    """A list with a line to type in; gives back the id of what was picked, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "cancel"),
        Binding("down", "list(1)", show=False, priority=True),
        Binding("up", "list(-1)", show=False, priority=True),
    ]

    DEFAULT_CSS = """
    Find { align: center middle; }
    Find > Vertical { width: 70; max-width: 94%; height: auto; max-height: 90%; border: round $primary;
        background: $surface; padding: 0 1; }
    Find OptionList { border: none; }
    Find Static { height: auto; }
    """

    def __init__(self, title: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self.heading = title
        self.everything = choices
        self._found: Sequence[Choice] = ()

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
        found = [choice for choice in self.everything if wanted in choice.words.casefold()]
        self._found = found[:MOST_ROWS]
        options = self.query_one(OptionList)
        options.set_options([Option(Content(shown(choice.words))) for choice in self._found])
        options.highlighted = 0 if self._found else None
        self._fit()
        more = f", of which {MOST_ROWS} are listed; type more" if len(found) > MOST_ROWS else ""
        words = f"{counted(len(found), 'thing')}{more}." if found else "Nothing is called so."
        self.query_one("#count", Static).update(words)

    def resized(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """As high as what fits in it, so that neither its own end nor the last line of the screen is covered."""
        room = max(3, self.app.size.height * 6 // 10)
        self.query_one(OptionList).styles.height = min(max(1, len(self._found)), room)

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
