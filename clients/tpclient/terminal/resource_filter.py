"""Which resources the resource view shows slices of."""

from collections.abc import Collection
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from ..selections import Option
from ..universe import Universe
from .amounts import AmountList
from .composed import ComposedModalScreen


class ResourceFilter(ComposedModalScreen[frozenset[int] | None]):
    """A tick for each resource; gives back those that are ticked, none of them standing for all."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,t", "done", "done", priority=True),
        Binding("a", "all", "all"),
    ]

    DEFAULT_CSS = """
    ResourceFilter { align: center middle; }
    ResourceFilter > Vertical { width: 48; max-width: 96%; height: auto; max-height: 90%; border: round $primary;
        background: $surface; padding: 0 1; }
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
        room = max(3, self.app.size.height * 6 // 10)  # below it there are still two lines of words and the border
        self.query_one(AmountList).styles.height = min(max(1, len(self.universe.resources)), room)

    def action_all(self) -> None:
        self.query_one(AmountList).choose(dict.fromkeys(self.universe.resources, 1))

    def action_done(self) -> None:
        ticked = frozenset(self.query_one(AmountList).chosen)
        self.dismiss(frozenset() if len(ticked) == len(self.universe.resources) else ticked)
