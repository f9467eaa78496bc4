"""Turn summaries: a card beside the map, and a screen with all of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from tpclient.columns import brief, counted, lines_of, shown
from tpclient.errors import ClientError
from tpclient.plain.facts import report_heading, summary_heading
from tpclient.summaries import MOST_AT_ONCE, OBJECT, Absence, by_weight, missed_in
from tpclient.terminal.dialogs import ComposedScreen
from tpclient.terminal.link import FollowedGame, spoken
from tpproto import tp_pb2

MOST_TURNS = 5
"""Maximum turns on the card. The screen has all of them."""

MOST_REPORTS = 40
"""Maximum reports of a turn on the card."""

LONGEST = 300
"""Maximum characters of a report on the card."""

MOST_MISSED = 8
"""Maximum failed orders, and maximum fights, on the card about an absence."""

BAD = "bold #ff6b6b"


class SummaryCard(VerticalScroll):
    """The reports of turns, the newest turn first, with failures first.

    `turns` are their numbers. Without any, nothing is shown.
    """

    DEFAULT_CSS = """
    SummaryCard { height: auto; max-height: 45%; border-top: solid $primary-muted; padding: 0 0 0 1; display: none;
        scrollbar-size-vertical: 1; }
    SummaryCard.-told { display: block; }
    SummaryCard > Static { height: auto; }
    """

    def __init__(self) -> None:
        super().__init__(id="card")
        self.turns: Sequence[int] = ()

    def compose(self) -> ComposeResult:
        yield Static()

    def show(
        self,
        link: FollowedGame,
        summaries: Iterable[tp_pb2.TurnSummary],
        keys: str,
        places: Sequence[Mapping[str, Any]] = (),
        absence: Absence | None = None,
    ) -> None:
        """Show these turns, without those that have no reports.

        `keys` are the possible keys. When the game is over, the final table, `places`, comes first. Then, if the player
        was away, the most important reports of that time.
        """
        summaries = [*summaries]
        told = [one for one in summaries if one.reports][-MOST_TURNS:]
        self.turns = [one.turn for one in told]
        text = _table(places)
        if absence is not None:
            text.append_text(_missed(link, summaries, absence))
        text.append("What happened", "bold")
        text.append(f" ({keys})", "dim")
        for summary in reversed(told):
            text.append(f"\n{summary_heading(summary)}", "underline")
            reports = by_weight(summary)
            for report in reports[:MOST_REPORTS]:
                body = brief(shown(" ".join(report.body.split())), LONGEST)
                text.append(f"\n{report_heading(link.universe, report)}", BAD if report.failed else "bold")
                text.append(f": {body}" if body else "", "none")
            if len(reports) > MOST_REPORTS:
                text.append(f"\nand {len(reports) - MOST_REPORTS} more", "dim")
        self.query_one(Static).update(text)
        self.set_class(bool(told or places or absence), "-told")
        self.scroll_home(animate=False)

    def clear(self) -> None:
        """Hide the card."""
        self.turns = ()
        self.remove_class("-told")


def _table(places: Sequence[Mapping[str, Any]]) -> Text:
    """Return the final table: a line for each player, and one for its figures."""
    text = Text()
    if places:
        text.append("The game is over\n", "bold underline")
    for one in places:
        text.append(f"{one['place']}. {shown(one['name'])}\n", "bold" if one["place"] == 1 else "")
        figures = ", ".join(f"{shown(name)} {number}" for name, number in one["figures"].items())
        text.append(f"   {figures}\n" if figures else "", "dim")
    return text


def _missed(link: FollowedGame, summaries: Iterable[tp_pb2.TurnSummary], absence: Absence) -> Text:
    """Return what happened while the player was away: failures, then fights."""
    text = Text()
    text.append(f"{absence.turns} turns while you were away", "bold underline")
    text.append(" (H: one by one)\n", "dim")
    if absence.letters:
        text.append(f"{counted(absence.letters, 'message')} (m)\n")
    found = missed_in(one for one in summaries if absence.first <= one.turn <= absence.last)
    for rows, style, what in ((found.failed, BAD, "failed order"), (found.fights, "bold", "combat")):
        for summary, report in rows[:MOST_MISSED]:
            text.append(report_heading(link.universe, report), style)
            text.append(f" {summary_heading(summary)}\n", "dim")
        if len(rows) > MOST_MISSED:
            text.append(f"and {counted(len(rows) - MOST_MISSED, what)} more\n", "dim")
    if not found.failed:
        text.append("No order of yours failed.\n")
    if not found.fights:
        text.append("There was no combat.\n")
    return text


class SummaryScreen(ComposedScreen[int | None]):
    """The reports of all turns, the newest first, with the text of one.

    Returns the id of an object that the report is about, or None.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,s", "dismiss(None)", "back", key_display="esc"),
        Binding("enter", "go", "go there"),
        Binding("o", "older", "older turns"),
    ]

    DEFAULT_CSS = """
    SummaryScreen > #head { height: 1; text-style: bold; background: $primary-muted; padding: 0 1; }
    SummaryScreen > OptionList { height: 1fr; border: none; text-wrap: nowrap; text-overflow: ellipsis; }
    SummaryScreen > VerticalScroll { height: 40%; border-top: solid $primary-muted; padding: 0 1; }
    SummaryScreen #body { height: auto; }
    SummaryScreen > #said { height: auto; max-height: 3; padding: 0 1; }
    """

    def __init__(self, link: FollowedGame) -> None:
        super().__init__()
        self.link = link
        self.summaries: list[tp_pb2.TurnSummary] = []
        """The summaries by rising turn number, without gaps."""
        self._rows: list[tp_pb2.TurnReport | None] = []
        """The report in each row of the list; None for the heading of a turn."""

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        yield OptionList(markup=False, compact=True)
        with VerticalScroll():
            yield Static(id="body")
        yield Static(id="said")
        yield Footer(compact=True, show_command_palette=False)

    def composed(self) -> None:
        self.query_one(OptionList).focus()
        newest = self.link.clock.turn
        self._read(max(0, newest - MOST_AT_ONCE + 1), newest)

    def heard(self) -> None:
        """Read a new turn, after an event of the game."""
        newest = self.link.clock.turn
        if self.summaries and newest > self.summaries[-1].turn:
            self._read(max(self.summaries[-1].turn + 1, newest - MOST_AT_ONCE + 1), newest)

    def action_older(self) -> None:
        first = self.summaries[0].turn if self.summaries else 0
        if first:
            self._read(max(0, first - MOST_AT_ONCE), first - 1)
        else:
            self._say("There are no older turns.")

    @work(exclusive=True, group="read")
    async def _read(self, first: int, last: int) -> None:
        self._say("")
        try:
            found = await self.link.summaries(first, last)
        except ClientError as error:
            self._say(spoken(error))
            return
        if not self.is_composed:
            return
        known = {one.turn: one for one in (*self.summaries, *found)}
        self.summaries = [known[number] for number in sorted(known)]
        self._list()

    def _list(self) -> None:
        options = self.query_one(OptionList)
        before = options.highlighted
        chosen = self._rows[before] if before is not None and before < len(self._rows) else None
        self._rows, rows = [], []
        for summary in reversed(self.summaries):
            self._rows.append(None)
            rows.append(Option(Text(summary_heading(summary), "underline"), disabled=True))
            for report in by_weight(summary):
                self._rows.append(report)
                rows.append(Option(self._row(report)))
        options.set_options(rows)
        there = (at for at, report in enumerate(self._rows) if report is not None and report is chosen)
        first = next((at for at, report in enumerate(self._rows) if report is not None), None)
        options.highlighted = next(there, first)
        oldest = self.summaries[0].turn if self.summaries else 0
        newest = self.summaries[-1].turn if self.summaries else 0
        words = f"What happened before the turns {oldest} to {newest}, the newest first"
        self.query_one("#head", Static).update(words + ("; o reads older ones" if oldest else ""))

    def _row(self, report: tp_pb2.TurnReport) -> Text:
        text = Text("  ", no_wrap=True, overflow="ellipsis")
        text.append(report_heading(self.link.universe, report), BAD if report.failed else "bold")
        body = brief(shown(" ".join(report.body.split())), LONGEST)
        text.append(f": {body}" if body else "", "none")
        return text

    @property
    def _chosen(self) -> tp_pb2.TurnReport | None:
        at = self.query_one(OptionList).highlighted
        return self._rows[at] if at is not None and at < len(self._rows) else None

    def on_option_list_option_highlighted(self) -> None:
        report = self._chosen
        if report is None:
            return
        heading = report_heading(self.link.universe, report)
        body = "\n".join(lines_of(report.body)) or "(no text)"
        self.query_one("#body", Static).update(Content(f"{heading}\n\n{body}"))

    def on_option_list_option_selected(self) -> None:
        self.action_go()

    def action_go(self) -> None:
        """Return the object of the report, if it is on the map."""
        report = self._chosen
        places = self.link.map.icon_of
        about = (one.id for one in report.references if one.type == OBJECT and one.id in places) if report else ()
        number = next(iter(about), None)
        if number is None:
            self._say("The objects of this report are no longer on the map.")
        else:
            self.dismiss(number)

    def _say(self, words: str) -> None:
        self.query_one("#said", Static).update(Content(shown(words)))
