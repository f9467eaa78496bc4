"""The rules of a game on screens: text, contents, keys and signs.

`manual` sets the text, and this module draws it line by line. Textual's own Markdown widget creates a widget for each
paragraph. That takes seconds for the longest rules here, and minutes for hostile ones. It also reads links, pictures,
tables and code, which rules do not need.
"""

from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from tpclient.columns import brief, shown
from tpclient.errors import ClientError
from tpclient.manual import Line, Manual, Section, blocks, set_lines
from tpclient.terminal.dialogs import ComposedScreen, Dialog
from tpclient.terminal.help import Rows, keys_and_signs
from tpclient.terminal.link import spoken

MOST_HEADINGS = 300
"""Maximum of headings in the contents. The text has all of them."""

HEADINGS = {1: Style(bold=True, reverse=True), 2: Style(bold=True, underline=True), 3: Style(bold=True)}
EMPHASIS = {"bold": Style(bold=True), "italic": Style(italic=True), "code": Style(color="cyan")}
HIT = Style(reverse=True)

LONGEST_ROW = 100
"""Maximum characters of a heading in the contents."""

Read = Callable[[], Awaitable[Manual]]
"""Reads the rules. Raises ClientError."""


class ManualView(ScrollView, can_focus=True):
    """Markdown in lines that fit the width. Only the visible lines are drawn."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", show=False),
        Binding("k", "scroll_up", show=False),
        Binding("space", "page_down", show=False),
    ]

    DEFAULT_CSS = "ManualView { overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1; }"

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.lines: list[Line] = []
        self._text = text
        self._wanted = ""
        self.hit = -1
        """The line that was found last; -1: none."""

    def show(self, text: str) -> None:
        """Show another text from its start."""
        self._text, self._wanted, self.hit, self.lines = text, "", -1, []
        self._set()
        self.scroll_home(animate=False)

    def on_resize(self) -> None:
        self._set()

    def _set(self) -> None:
        """Set the text in the present columns. The block at the top stays there."""
        columns = self.scrollable_content_region.width
        if columns <= 0:
            return
        top = self.lines[self.scroll_offset.y].block if self.scroll_offset.y < len(self.lines) else 0
        self.lines = set_lines(self._text, columns - 1)
        self.virtual_size = Size(columns, len(self.lines))
        if top:
            self.go_to(top)
        self.refresh()

    def go_to(self, block: int) -> None:
        """Scroll a block to the top."""
        at = next((at for at, line in enumerate(self.lines) if line.block == block and line.spans), 0)
        self.scroll_to(y=at, animate=False)

    def find(self, words: str) -> bool:
        """Go to the next match of these words, and return whether there is one.

        Case does not matter. After the end, the search continues at the start.
        """
        wanted = " ".join(words.casefold().split())
        if wanted != self._wanted:
            self._wanted, self.hit = wanted, self.scroll_offset.y - 1
        many = len(self.lines)
        for at in [*range(self.hit + 1, many), *range(min(self.hit + 1, many))]:
            here = self.lines[at].text.strip()
            after = self.lines[at + 1].text.strip() if at + 1 < many else ""
            found = f"{here} {after}".casefold().find(wanted) if wanted else -1
            if 0 <= found < len(here):
                self.hit = at
                self.scroll_to(y=max(0, at - 2), animate=False)
                self.refresh()
                return True
        return False

    def render_line(self, y: int) -> Strip:
        at = y + self.scroll_offset.y
        base, columns = self.rich_style, self.size.width
        if at >= len(self.lines):
            return Strip.blank(columns, base)
        line = self.lines[at]
        text = Text(end="", no_wrap=True)
        for piece, emphasis in line.spans:
            text.append(piece, sum((EMPHASIS[one] for one in emphasis.split()), HEADINGS.get(line.level, Style())))
        if at == self.hit:
            start = line.text.casefold().find(self._wanted)
            text.stylize(HIT, max(0, start), start + len(self._wanted) if start >= 0 else None)
        strip = Strip(text.render(self.app.console)).apply_style(base)
        return strip.crop_extend(0, columns, base)


class RulesScreen(ComposedScreen[None]):
    """The rules of a game with their contents, and a second part with keys and signs.

    If the rules cannot be read, it shows only the second part and the reason.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "back"),
        Binding("question_mark", "turn", "keys / rules", key_display="?"),
        Binding("slash", "search", "search", key_display="/"),
        Binding("n", "again", "next hit"),
        Binding("tab", "app.focus_next", "contents"),
    ]

    DEFAULT_CSS = """
    RulesScreen > #head { height: 1; background: $primary-muted; padding: 0 1; text-wrap: nowrap;
        text-overflow: ellipsis; }
    RulesScreen > Horizontal { height: 1fr; }
    RulesScreen OptionList { width: 26; height: 1fr; border: none; background: $surface; padding: 0;
        text-wrap: nowrap; text-overflow: ellipsis; scrollbar-size-vertical: 1; }
    RulesScreen ManualView { width: 1fr; height: 1fr; padding: 0 0 0 1; }
    RulesScreen > VerticalScroll { height: 1fr; padding: 0 1; display: none; }
    RulesScreen > Input { display: none; }
    RulesScreen > #said { height: auto; min-height: 1; max-height: 3; padding: 0 1; }
    RulesScreen.-keys > Horizontal { display: none; }
    RulesScreen.-keys > VerticalScroll { display: block; }
    """

    def __init__(self, read: Read, legend: Rows = ()) -> None:
        super().__init__()
        self.read = read
        self.legend = legend
        self.manual: Manual | None = None
        self._headings: list[int] = []
        """The block number of the heading in each row of the contents."""

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        with Horizontal():
            yield OptionList(markup=False, compact=True)
            yield ManualView()
        with VerticalScroll():
            yield Static(keys_and_signs(self.legend))
        yield Static(id="said")
        yield Input(placeholder="search for", compact=True)
        yield Footer(compact=True, show_command_palette=False)

    def composed(self) -> None:
        self._show_head()
        self.query_one(ManualView).focus()
        self._read()

    @work(exclusive=True, group="read")
    async def _read(self) -> None:
        try:
            manual = await self.read()
        except ClientError as error:
            self._only_keys(f"The rules cannot be read: {spoken(error)}")
            return
        if not self.is_composed:
            return
        if not manual.text.strip():
            self._only_keys(f"{manual.title or manual.ruleset} comes without rules to read.")
            return
        self.manual = manual
        self.query_one(ManualView).show(manual.text)
        everything = enumerate(blocks(manual.text))
        headings = [*islice(((number, block) for number, block in everything if block.level), MOST_HEADINGS)]
        self._headings = [number for number, _ in headings]
        rows = [" " * (block.level - 1) + brief(block.text, LONGEST_ROW) for _, block in headings]
        contents = self.query_one(OptionList)
        contents.set_options([Option(Content(row)) for row in rows])
        contents.highlighted = 0 if rows else None
        self._show_head()

    def _only_keys(self, why: str) -> None:
        if self.is_composed:
            self.say(why)
            self._show_part(keys=True)

    def say(self, words: str) -> None:
        """Show a result."""
        if self.is_composed:
            self.query_one("#said", Static).update(Content(shown(words)))

    def _show_head(self) -> None:
        title = shown(self.manual.title or self.manual.ruleset) if self.manual is not None else ""
        rules = f"Rules of {title}" if title else "Rules"
        text = Text(no_wrap=True, overflow="ellipsis")
        keys = self.has_class("-keys")
        text.append(rules, "" if keys else "bold reverse")
        text.append("  ")
        text.append("Keys and signs", "bold reverse" if keys else "")
        text.append("  (? turns over)", "dim")
        self.query_one("#head", Static).update(text)

    def _show_part(self, *, keys: bool) -> None:
        self.set_class(keys, "-keys")
        self._show_head()
        (self.query_one(VerticalScroll) if keys else self.query_one(ManualView)).focus()

    def action_turn(self) -> None:
        self._close_search()
        self._show_part(keys=not self.has_class("-keys"))

    def action_back(self) -> None:
        if self.query_one(Input).display:
            self._close_search()
            self.query_one(ManualView).focus()
        else:
            self.dismiss()

    # --- contents and search

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_list.has_focus and event.option_index < len(self._headings):
            self.query_one(ManualView).go_to(self._headings[event.option_index])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.query_one(ManualView).go_to(self._headings[event.option_index])
        self.query_one(ManualView).focus()

    def action_search(self) -> None:
        if self.manual is None:
            return
        self._show_part(keys=False)
        field = self.query_one(Input)
        field.display = True
        field.focus()

    def _close_search(self) -> None:
        self.query_one(Input).display = False

    def on_input_submitted(self) -> None:
        if self._find():
            self._close_search()
            self.query_one(ManualView).focus()

    def action_again(self) -> None:
        self._find()

    def _find(self) -> bool:
        """Go to the next match of the typed words. If there is none, show that and return False."""
        words = self.query_one(Input).value.strip()
        if not words:
            self.say("Nothing is searched for yet; / does.")
            return False
        found = self.query_one(ManualView).find(words)
        self.say("n goes to the next place." if found else f"The rules do not say {words!r}.")
        return found


class About(Dialog[None]):
    """The rules on a piece or an order type."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,f1,enter,r", "dismiss(None)", "back")]

    DEFAULT_CSS = """
    About > Vertical { width: 78; }
    About ManualView { height: 1fr; }
    About Static { height: 1; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, sections: Sequence[Section]) -> None:
        super().__init__()
        self.text = "\n\n".join(section.whole for section in sections)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield ManualView(self.text)
            yield Static("arrows and page keys scroll, escape goes back")

    def composed(self) -> None:
        self.resized()
        self.query_one(ManualView).focus()

    def resized(self) -> None:
        """Fit the height to the text, within the screen."""
        columns = min(78, self.app.size.width * 96 // 100) - 6
        lines = len(set_lines(self.text, columns))
        self.query_one(Vertical).styles.height = min(lines + 3, self.app.size.height * 96 // 100 - 1)
