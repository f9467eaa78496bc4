"""What the signs of the map mean: below the map as many as there is room for, in the help all of them."""

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text
from textual.widgets import Static

from ..columns import counted
from .marks import Sign

SIGN_WIDTH = 25
"""The columns of one sign and its meaning below the map."""

Rows = Sequence[tuple[Sign, str]]


def legend_text(rows: Rows, *, across: int = 1, width: int = 76) -> Text:
    """The signs with their meanings, `across` of them in a line of `width` columns."""
    text = Text()
    room = max(8, width // across - 4)
    for index, (sign, meaning) in enumerate(rows):
        text.append(sign.at(2), sign.style)
        words = meaning if len(meaning) <= room else meaning[: room - 1] + "…"
        is_last = index % across == across - 1 or index == len(rows) - 1
        text.append(f" {words}" + ("\n" if is_last else " " * (room - len(words) + 1)))
    text.rstrip()
    return text


class Legend(Static):
    """The signs below the map, after an empty line. What does not fit is counted, with the key of the help."""

    def __init__(self) -> None:
        super().__init__(id="legend")

    def show(self, rows: Rows, width: int, lines: int) -> bool:
        """Show the signs in so many columns and lines; False if there is no room for any."""
        across = max(1, width // SIGN_WIDTH)
        room = max(0, lines - 1) * across
        if len(rows) > room:
            kept = max(0, room - 1)
            rows = [*rows[:kept], (Sign("…", Style(dim=True)), f"{counted(len(rows) - kept, 'more sign')}: ?")]
        self.display = room > 0
        self.update(legend_text(rows, across=across, width=width))
        return self.display
