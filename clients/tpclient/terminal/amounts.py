"""A list with amounts: the items that an order may name, and how many."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option as Row

from tpclient.columns import shown
from tpclient.parameters import Option

MOST_OF_ONE = 2**31 - 1
"""The largest amount that an order can carry."""


class AmountList(OptionList):
    """Rows of choices with amounts.

    Enter or space adds one; after the maximum it returns to none. Digits type an amount.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "more", "choose", show=False),
        Binding("plus,equals_sign,right", "change(1)", "one more", show=False),
        Binding("minus,left", "change(-1)", "one less", show=False),
        Binding("backspace,delete", "clear", "none", show=False),
    ]

    class Changed(Message):
        """The chosen amounts have changed."""

    def __init__(self) -> None:
        super().__init__(markup=False, compact=True)
        self.options_offered: tuple[Option, ...] = ()
        self.chosen: dict[int, int] = {}
        self._typed = ""

    def offer(self, options: Sequence[Option]) -> None:
        """Set the options. Chosen amounts stay if they are still possible."""
        if tuple(options) == self.options_offered:
            return
        self.options_offered = tuple(options)
        most = {option.id: _most(option) for option in options}
        self.chosen = {key: min(count, most[key]) for key, count in self.chosen.items() if most.get(key)}
        highlighted = self.highlighted
        self.set_options([Row(self._prompt(option)) for option in options])
        if options:
            self.highlighted = min(highlighted or 0, len(options) - 1)

    def choose(self, chosen: Mapping[int, int]) -> None:
        """Set the chosen amounts, by id."""
        self.chosen = {key: count for key, count in chosen.items() if count > 0}
        for index in range(len(self.options_offered)):
            self._redraw(index)

    def _prompt(self, option: Option) -> Content:
        count = self.chosen.get(option.id, 0)
        if option.most == 1:
            mark = "[x]" if count else "[ ]"
            return Content(f"{mark} {shown(option.name)} ({option.id})")
        limit = "" if option.most < 0 else f" of {option.most}"
        return Content(f"[{count}{limit}] {shown(option.name)}")

    def _redraw(self, index: int) -> None:
        self.replace_option_prompt_at_index(index, self._prompt(self.options_offered[index]))

    def _change(self, amount: Callable[[int, int], int]) -> None:
        """Set the amount of the highlighted option, from the present one and the maximum. This ends the typing."""
        self._typed = ""
        index = self.highlighted
        if index is None or index >= len(self.options_offered):
            return
        option = self.options_offered[index]
        most = _most(option)
        count = min(max(amount(self.chosen.get(option.id, 0), most), 0), most)
        if count:
            self.chosen[option.id] = count
        else:
            self.chosen.pop(option.id, None)
        self._redraw(index)
        self.post_message(self.Changed())

    def action_more(self) -> None:
        self._change(lambda count, most: 0 if count >= most else count + 1)

    def action_change(self, step: int) -> None:
        self._change(lambda count, most: count + step)

    def action_clear(self) -> None:
        self._change(lambda count, most: 0)

    def watch_highlighted(self, highlighted: int | None) -> None:
        super().watch_highlighted(highlighted)
        self._typed = ""

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Add one on a click."""
        event.stop()
        self.action_more()

    def on_key(self, event: events.Key) -> None:
        """Add a digit to the typed amount."""
        digit = event.character or ""
        if digit.isascii() and digit.isdigit():
            typed = (self._typed + digit)[-10:]
            self._change(lambda count, most: int(typed))
            self._typed = typed
            event.stop()


def _most(option: Option) -> int:
    return MOST_OF_ONE if option.most < 0 else option.most
