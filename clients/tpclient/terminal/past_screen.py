"""An old turn as the seat saw it: map and panel, without orders.

Keys lead from turn to turn.
"""

from typing import ClassVar

from rich.text import Text
from textual import work
from textual.binding import Binding, BindingType
from textual.widgets import Static

from tpclient.columns import shown
from tpclient.errors import ClientError
from tpclient.summaries import Absence
from tpclient.terminal.board_screen import LOOKING, BoardScreen
from tpclient.terminal.link import FollowedGame, spoken
from tpclient.terminal.messages import Messages
from tpclient.terminal.side import Things


class PastScreen(BoardScreen):
    """One turn of the game `present`. `link` is connected to that turn, and is read-only."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "help", key_display="?"),
        Binding("escape,q,H", "back", "back", key_display="esc"),
        Binding("left_square_bracket,comma", "step(-1)", "one back", key_display="["),
        Binding("right_square_bracket,full_stop", "step(1)", "one on", key_display="]"),
        Binding("left_curly_bracket,less_than_sign", "first", "first", key_display="{"),
        Binding("right_curly_bracket,greater_than_sign", "newest", "newest", key_display="}"),
        Binding("m", "messages", "messages"),
        *(one for one in LOOKING if isinstance(one, Binding) and one.action != "back"),
    ]

    DEFAULT_CSS = """
    PastScreen > #head { background: $warning; color: $background; text-style: bold; }
    """

    no_news = "This turn has no reports."

    def __init__(self, present: FollowedGame, link: FollowedGame, absence: Absence | None = None) -> None:
        """Show the turn of `link`. `absence` has the turns that the player has missed, if any."""
        super().__init__(link)
        self.present = present
        self.absence = absence
        self.turn = link.clock.turn
        """The number of the shown turn."""
        self._wanted = self.turn
        """The number of the turn to show next."""
        self._known = present.clock.turn
        """The newest turn that the player knows."""

    async def on_unmount(self) -> None:
        await self.link.close()

    def read_goal(self) -> None:
        """Show no goal. Its lines are for the map."""

    def begin(self) -> None:
        super().begin()
        self.show_card(self.turn, self.turn, "s: all turns")

    # --- what is shown

    def show_head(self) -> None:
        text = Text(no_wrap=True, overflow="ellipsis")
        text.append(f"PAST: turn {self.turn} of {self.present.clock.turn} (escape: back to the game)")
        if self.absence is not None and self.absence.first <= self.turn <= self.absence.last:
            number = self.turn - self.absence.first + 1
            text.append(f" - {number} of {self.absence.turns} while you were away (] goes on)")
        if self._wanted != self.turn:
            text.append(f" - looking for turn {self._wanted} ...")
        text.append(f" - {shown(self.link.clock.turn_name)}")
        self.query_one("#head", Static).update(text)

    def heard(self) -> None:
        """Report a new turn in the present game."""
        newest = self.present.clock.turn
        if newest > self._known:
            self._known = newest
            self.say(f"Turn {newest} has begun: {self.present.clock.turn_name} (escape: back to the game)")
        self.show_head()

    # --- from turn to turn

    def action_step(self, step: int) -> None:
        self._go(self._wanted + step)

    def action_first(self) -> None:
        self._go(0)

    def action_newest(self) -> None:
        self._go(self.present.clock.turn)

    def _go(self, turn: int) -> None:
        if turn < 0:
            self.say("That is the first turn.")
        elif turn > self.present.clock.turn:
            self.say("That is the newest turn; escape goes back to the game.")
        elif turn != self._wanted:
            self._wanted = turn
            self.show_head()
            self._look()

    @work(exclusive=True, group="turn")
    async def _look(self) -> None:
        """Show the wanted turn. Of several keys the last one counts."""
        turn = self._wanted
        try:
            link = await self.present.past(turn)
        except ClientError as error:
            self._wanted = self.turn
            self.show_head()
            self.say(spoken(error))
            return
        before, self.link, self.side.link = self.link, link, link
        self.turn = turn
        self.say("")
        self.update()
        self.card.clear()
        self.show_card(turn, turn, "s: all turns")
        await before.close()

    # --- keys

    def action_back(self) -> None:
        self.dismiss()

    def action_focus_map(self) -> None:
        self.map.focus()

    def on_map_view_chosen(self) -> None:
        self.query_one(Things).focus()

    def action_messages(self) -> None:
        self.app.push_screen(Messages(self.link))
