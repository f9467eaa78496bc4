"""The seats: absent players, returning, autopilot, the owner's policy."""

import re
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tpclient.agreements import SEATS, or_proposed
from tpclient.columns import as_typed, shown, table
from tpclient.errors import ClientError
from tpclient.seats import BOT, HEADS, MOST_SILENT_DAYS, MOST_TURNS, RULES, seats_rows, set_silent_days
from tpclient.terminal.clock_screen import Typed
from tpclient.terminal.deeds import deed
from tpclient.terminal.dialogs import Question
from tpclient.terminal.facts_screen import FactsScreen
from tpclient.terminal.link import FollowedGame, spoken
from tpproto import tp_pb2

POLICY = (
    "as 3 bot seek 80% 14d; 0: wait for everybody; rules or bot plays absent seats; seek: others can take them; "
    "14d: a turn without a deadline waits 14 days for a player who does nothing"
)


def policy_text(policy: tp_pb2.SeatPolicy) -> str:
    """Return a policy as text for typing, without its roll call."""
    words = [str(policy.absent_after), policy.absent or RULES]
    if policy.seeks:
        words.append("seek")
    if policy.reliability:
        words.append(f"{policy.reliability}%")
    if policy.silent_days:
        words.append(f"{policy.silent_days}d")
    return " ".join(words)


def policy_in(text: str, roll_call: int = 0) -> tp_pb2.SeatPolicy | None:
    """Return the policy in a text, with the present roll call; None if the text is invalid."""
    policy = tp_pb2.SeatPolicy(absent=RULES, roll_call=roll_call)
    set_silent_days(policy, 0)
    for word in re.sub(r"(\d) (?=[%d])", r"\1", as_typed(text).casefold()).split():
        number = word[:-1] if word[-1] in "%d" else word
        most = MOST_SILENT_DAYS if word[-1] == "d" else MOST_TURNS
        if word in (RULES, BOT):
            policy.absent = word
        elif word == "seek":
            policy.seeks = True
        elif not (number.isascii() and number.isdigit() and len(number) <= 3 and int(number) <= most):
            return None
        elif word.endswith("%"):
            policy.reliability = int(number)
        elif word.endswith("d"):
            set_silent_days(policy, int(number))
        else:
            policy.absent_after = int(number)
    return policy


class SeatsScreen(FactsScreen):
    """A box with the seats: awaited players, absent players, bots, and the kept turns."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,S,enter,q", "dismiss", "back"),
        Binding("h", "here", "I am here"),
        Binding("b", "autopilot", "let the bot play"),
        Binding("d", "decide", "decide about absent players"),
        Binding("x", "remove", "remove a player"),
    ]

    DEFAULT_CSS = """
    SeatsScreen > Vertical { width: 90%; }
    """

    def __init__(self, link: FollowedGame) -> None:
        super().__init__(link)
        self.seats = tp_pb2.Seats()

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Seats", id="title")
            yield Static(id="seats")
            yield Static(id="said")
            yield Static(id="hint")

    def composed(self) -> None:
        self._ask()

    @work(exclusive=True, group="seats")
    async def _ask(self) -> None:
        try:
            self.seats = await self.link.game_seats()
        except ClientError as error:
            self._say(spoken(error))
            return
        if self.is_composed:
            self._show()

    @property
    def _mine(self) -> tp_pb2.SeatState | None:
        return next((one for one in self.seats.seats if one.player == self.link.universe.me), None)

    def _show(self) -> None:
        words = self.seats.words
        lines = [shown(f"{words[:1].upper()}{words[1:]}."), *table(HEADS, seats_rows(self.seats))]
        self.query_one("#seats", Static).update(Content("\n".join(lines)))
        mine, hints = self._mine, ["escape: back"]
        is_asked = bool(self.seats.roll_ends) and mine is not None and not mine.here
        if mine is not None and (mine.absent or mine.autopilot or is_asked):
            hints.append("h: I am here")
        if mine is not None and self.seats.has_bot:
            hints.append("b: let the bot play for me")
        if self.seats.owned:
            if self.seats.needs_consent:
                hints += ["d: propose a rule about absent players", "x: propose to remove a player"]
            else:
                hints += ["d: decide about absent players", "x: remove a player, or offer a bot's seat"]
        self.query_one("#hint", Static).update(Content("; ".join(hints)))

    @deed("change")
    async def action_here(self) -> None:
        """Report that the player is present."""
        if self._mine is not None:
            await self._change(self.link.say_here())

    @deed("change")
    async def action_autopilot(self) -> None:
        """Let the bot of the rules play some turns for the player."""
        if self._mine is None or not self.seats.has_bot:
            return
        typed = await self.app.push_screen_wait(
            Typed("How many turns should the bot play for you, including this one?", "1 to 100; 0 ends it")
        )
        if typed and not (typed.isascii() and typed.isdigit() and len(typed) <= 3):
            self._say(f"{typed!r} is no number of turns from 0 to {MOST_TURNS}.")
        elif typed:
            await self._change(self.link.set_autopilot(int(typed)))

    @deed("change")
    async def action_decide(self) -> None:
        """Set the policy for absent players."""
        if not self.seats.owned:
            return
        before = policy_text(self.seats.policy)
        typed = await self.app.push_screen_wait(
            Typed("After how many missed turns does the game stop waiting for a player?", POLICY, before)
        )
        if not typed or typed == before:
            return
        policy = policy_in(typed, self.seats.policy.roll_call)
        if policy is None:
            self._say(f"{typed!r} cannot be read; say {POLICY}.")
            return
        game = self.seats.game
        asked = self.link.set_seat_policy(game, policy)
        await self._change(or_proposed(asked, self.link, game, SEATS, policy=policy))

    @deed("change")
    async def action_remove(self) -> None:
        """Remove a player from a seat, or offer a bot's seat."""
        if not self.seats.owned:
            return
        typed = await self.app.push_screen_wait(Typed("Which seat should be open to another player?", "its number"))
        if not typed:
            return
        found = next((one for one in self.seats.seats if str(one.player) == typed), None)
        if found is None:
            self._say(f"There is no seat {typed}.")
            return
        what = f"Offer the seat of {found.name}?" if found.bot else f"Remove {found.name} from the game?"
        if await self.app.push_screen_wait(Question(what, "offer it" if found.bot else "remove")):
            game, number = self.seats.game, found.player
            asked = self.link.remove_player(game, number)
            await self._change(or_proposed(asked, self.link, game, "remove", player=number))
