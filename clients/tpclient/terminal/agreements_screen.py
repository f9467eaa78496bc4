"""The proposals of a game: the list with votes, proposing and voting."""

from collections.abc import Sequence
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tpclient.agreements import (
    AGREE,
    CLOCK,
    PLAYER,
    POLICY,
    REASON,
    REFUSE,
    WITHDRAW,
    offer_words,
    proposal_words,
    votable,
)
from tpclient.columns import shown
from tpclient.errors import ClientError
from tpclient.names import marked_name
from tpclient.terminal.clock_screen import FORMS, Typed, seconds_in
from tpclient.terminal.deeds import deed
from tpclient.terminal.dialogs import Choice, Find, Question
from tpclient.terminal.facts_screen import FactsScreen
from tpclient.terminal.link import FollowedGame, spoken
from tpclient.terminal.seats_screen import POLICY as POLICY_FORM
from tpclient.terminal.seats_screen import policy_in, policy_text
from tpclient.vacations import vacation_words
from tpproto import tp_pb2

NOTHING_OPEN = {
    AGREE: "There is no proposal that you could agree to.",
    REFUSE: "There is no proposal that you could refuse.",
    WITHDRAW: "No proposal of yours is open.",
}


HINTS = {CLOCK: FORMS, POLICY: POLICY_FORM, PLAYER: "the number of the player", REASON: "the reason"}
"""Hints of the text to type for each argument of a kind of proposal."""


def typed_argument(asks: str, text: str, roll_call: int = 0) -> Any:
    """Return the typed argument of a proposal; None if it cannot be read.

    `roll_call` is that of the present policy, which stays.
    """
    if asks == POLICY:
        return policy_in(text, roll_call)
    if asks == PLAYER:
        return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None
    return text


class AgreementsScreen(FactsScreen):
    """A box with all proposals, the open ones first; keys propose and vote."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,A,q", "dismiss", "back"),
        Binding("p", "propose", "propose"),
        Binding("a", f"vote('{AGREE}')", "agree"),
        Binding("r", f"vote('{REFUSE}')", "refuse"),
        Binding("x", f"vote('{WITHDRAW}')", "withdraw"),
    ]

    DEFAULT_CSS = """
    AgreementsScreen > Vertical { width: 90; }
    AgreementsScreen VerticalScroll { height: auto; max-height: 16; }
    """

    def __init__(self, link: FollowedGame) -> None:
        super().__init__(link)
        self.told = tp_pb2.Proposals()
        self._heard = link.clock

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Proposals", id="title")
            with VerticalScroll():
                yield Static(id="proposals")
            yield Static(id="said")
            yield Static(id="hint")

    def composed(self) -> None:
        self._ask()
        self.set_interval(1.0, self._look)

    def _look(self) -> None:
        """Update the list after events, proposals and votes."""
        if self.link.clock is not self._heard:
            self._ask()

    @work(exclusive=True, group="proposals")
    async def _ask(self) -> None:
        self._heard = self.link.clock
        try:
            self.told = await self.link.proposals()
        except ClientError as error:
            self._say(spoken(error))
            return
        self._show()

    def _show(self) -> None:
        if not self.is_composed:
            return
        lines = [shown(self._words(one)) for one in self.told.proposals] or ["Nothing is proposed."]
        universe = self.link.universe
        for one in self.told.vacations:
            lines.append(shown(f"{marked_name(universe, one.player)} is on vacation, {vacation_words(one)}"))
        self.query_one("#proposals", Static).update(Content("\n".join(lines)))
        keys = "; p: propose something, a: agree, r: refuse, x: withdraw" if self.told.offers else ""
        self.query_one("#hint", Static).update(Content(f"escape: back{keys}"))

    def _words(self, one: tp_pb2.Proposal) -> str:
        return proposal_words(one, lambda number: marked_name(self.link.universe, number))

    @deed("change")
    async def action_propose(self) -> None:
        """Let the player choose a proposal. Impossible ones are listed with the reason."""
        offers = self.told.offers
        if not offers:
            return
        known = {number: one for number, one in enumerate(offers) if not one.asks or one.asks in HINTS}
        choices = [Choice(number, offer_words(one)) for number, one in known.items() if not one.problem]
        left_out = [Choice(number, offer_words(one)) for number, one in enumerate(offers) if one.problem]

        async def why(number: int) -> str:
            return f"{offers[number].problem}."

        picked = await self.app.push_screen_wait(Find("What do you propose?", choices, left_out, why))
        if picked is None:
            return
        offer, seconds = offers[picked], 0
        arguments: dict[str, Any] = {}
        if offer.most:
            typed = await self.app.push_screen_wait(Typed("How much time?", "as 3600, 90 min, 2 h or 1 d"))
            if not typed:
                return
            seconds = seconds_in(typed)
            if not seconds:
                self._say(f"{typed!r} is no time; say 3600, 90 min, 2 h or 1 d.")
                return
        elif offer.asks:
            present, roll_call = "", 0
            if offer.asks == POLICY:  # unchanged parts stay
                try:
                    policy = (await self.link.game_seats(self.told.game)).policy
                except ClientError as error:
                    self._say(spoken(error))
                    return
                present, roll_call = policy_text(policy), policy.roll_call
            words = f"{offer.help[:1].upper()}{offer.help[1:]}"
            typed = await self.app.push_screen_wait(Typed(words, HINTS[offer.asks], present))
            value = typed_argument(offer.asks, typed, roll_call) if typed else None
            if value is None:
                self._say(f"{typed!r} cannot be read; say {HINTS[offer.asks]}." if typed else "")
                return
            arguments = {offer.asks: value}
        elif offer.final and not await self.app.push_screen_wait(
            Question(f"{offer.help[:1].upper()}{offer.help[1:]}?", offer.kind)
        ):
            return
        await self._change(self.link.propose(self.told.game, offer.kind, seconds, **arguments))

    @deed("change")
    async def action_vote(self, vote: str) -> None:
        """Vote on the open proposal. If there are several, the player chooses one."""
        open_ = votable(self.told, self.link.universe.me, vote)
        if not open_:
            self._say(NOTHING_OPEN[vote])
            return
        number: int | None = open_[0].id
        if len(open_) > 1:
            number = await self.app.push_screen_wait(Find(f"Which one do you {vote}?", self._choices(open_)))
        if number is not None:
            await self._change(self.link.vote(self.told.game, number, vote))

    def _choices(self, some: Sequence[tp_pb2.Proposal]) -> list[Choice]:
        return [Choice(one.id, self._words(one)) for one in some]
