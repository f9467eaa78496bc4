"""A question that is answered with yes or no before something is done that cannot be undone."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from ..columns import shown
from .composed import ComposedModalScreen


class Question(ComposedModalScreen[bool]):
    """Asks `words`; `deed` is what yes does, in a word or two. Nothing is done unless somebody says so."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "dismiss(True)", "yes"),
        Binding("escape,n,q", "dismiss(False)", "no"),
        Binding("left,right,up,down", "app.focus_next", show=False),
    ]

    DEFAULT_CSS = """
    Question { align: center middle; }
    Question > Vertical { width: 60; max-width: 96%; height: auto; max-height: 96%; border: round $primary;
        background: $surface; padding: 0 1; }
    Question Static { height: auto; margin-bottom: 1; }
    Question Horizontal { height: 1; }
    Question Button { min-width: 8; width: auto; margin-right: 1; }
    """

    def __init__(self, words: str, deed: str) -> None:
        super().__init__()
        self.words = words
        self.deed = deed

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(shown(self.words)))
            with Horizontal():
                yield Button("No (n)", id="no", variant="primary", compact=True)
                yield Button(Content(shown(f"{self.deed} (y)")), id="yes", compact=True)

    def composed(self) -> None:
        self.query_one("#no", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")
