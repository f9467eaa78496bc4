"""The closing of a turn in four steps: plan, compute, write and install.

``TurnService`` calls them in this order, and decides before each whether the closing goes on. Nothing of the game
changes in the first two. What the third gives to the store becomes the present turn in the fourth, when it is durable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tprules.api import Report, Seat
from tprules.api.order_checks import State
from tprules.api.ruleset import find_phase
from tpserver.games.core import attendance, current_scores, next_turn, revealing
from tpserver.games.core.game import Game
from tpserver.games.core.next_turn import TurnResult, spectators_view
from tpserver.games.core.time_left import END_OF_TURN, Reason
from tpserver.games.core.turn_counts import TurnCounts
from tpserver.games.core.turn_reports import delivery, summaries, written
from tpserver.games.terms.initiator import PlayersStep
from tpserver.games.terms.seat_policy import SeatRecord, stored
from tpserver.games.turns import punctuality, turn_time
from tpserver.store.games.changes import GameChanges
from tpserver.store.games.outbox import TurnBegins


@dataclass(frozen=True, slots=True)
class ClosingPlan:
    """All that the end of a turn depends on, apart from the rules.

    ``at`` is its time in unix seconds. ``absent`` are the seats that had not finished, ``news`` the reports to all
    about them. For ``kept`` and ``records`` see `tpserver.games.turns.punctuality`. ``waited`` has the seconds for
    which turns have waited for vacations. ``instead`` replaces the closing of the phase.
    """

    reason: Reason
    by_operator: bool
    at: float
    banks: dict[Seat, float]
    waited: dict[Seat, float]
    absent: Sequence[Seat]
    news: list[Report]
    kept: dict[Seat, bool]
    records: dict[Seat, SeatRecord]
    instead: PlayersStep | None


@dataclass(frozen=True, slots=True)
class WrittenTurn:
    """The next turn as given to the store, with the number of its journal ``entry``.

    ``at`` is the time of the closing in unix seconds.
    """

    plan: ClosingPlan
    computed: TurnResult
    at: float
    entry: int

    @property
    def state(self) -> State[Any]:
        return self.computed.advanced.state


def plan(game: Game, reason: Reason, now: float, *, by_operator: bool, instead: PlayersStep | None) -> ClosingPlan:
    """Decide how the present turn ends at ``now``."""
    ran_out = reason is END_OF_TURN and not by_operator
    banks, waited = turn_time.banks_after(game, now), turn_time.waited_after(game, now)
    absent = attendance.awaited(game)
    if instead is not None:
        return ClosingPlan(reason, by_operator, now, banks, waited, absent, [*instead.news], {}, {}, instead)
    kept = punctuality.kept_turn(game, ran_out)
    late = [seat for seat in absent if not attendance.bot_plays(game, seat)] if ran_out else []
    news = [*punctuality.not_waited_for(late), *punctuality.gone(game, kept), *punctuality.flown(game)]
    records = punctuality.records_after(game, kept)
    return ClosingPlan(reason, by_operator, now, banks, waited, absent, news, kept, records, None)


def compute(game: Game, plan: ClosingPlan) -> TurnResult:
    """Compute the next turn by the rules, on any thread. Raises what they raise, or TooSlow or Escaped."""
    return next_turn.compute(game, int(plan.at), plan.news, None if plan.instead is None else plan.instead.step)


def write(game: Game, plan: ClosingPlan, computed: TurnResult, now: float) -> WrittenTurn:
    """Give the next turn to the store, in one transaction.

    Later changes are saved after this one and may build on it. So messages of players come after the reports, and a
    pause is one of the new turn. No response about the new turn is sent before it is saved. If that fails, the game is
    read from the store again.
    """
    state = computed.advanced.state
    if state.over and (last := written(game, revealing.who_was_who(game))):
        # After the reports of the turn, and never among those that are only listed.
        joined = {seat: [*computed.messages.get(seat, ()), *mine] for seat, mine in last.items()}
        computed = replace(computed, messages={**computed.messages, **joined})
    delivered = delivery(game, computed.messages, state.turn, now)
    for seat, record in plan.records.items():
        game.players[seat].record = record
    entry = game.entry("close", None, _body(plan, computed), now)
    scores = computed.scores
    if isinstance(scores, Exception):
        current_scores.stop_asking(game, scores)
        scores = None
    changes = GameChanges(
        entry=entry,
        columns=_columns(game, plan, computed, now),
        banks=plan.banks,
        records={seat: stored(record) for seat, record in plan.records.items()},
        due={account: kept for seat, kept in plan.kept.items() if (account := game.players[seat].account) is not None},
        due_counts_later=game.hides_players,
        snapshot=replace(computed.snapshot, journal_number=entry.number, at=now),
        views=computed.blobs,
        delivery=delivered,
        summary=(state.turn, summaries(computed.messages)),
        scores=None if scores is None else (state.turn, scores),
        begins=TurnBegins(computed.active, plan.absent),
        proposals=() if plan.instead is None else plan.instead.cause.proposals,
    )
    game.commit(changes, now)
    return WrittenTurn(plan, computed, now, entry.number)


def install(game: Game, turn: WrittenTurn) -> None:
    """Make a durable turn the present one of its game."""
    plan, computed, state = turn.plan, turn.computed, turn.state
    game.state = state
    watched = game.views.get(None)
    game.show(computed.views, turn.at)
    game.projected = computed.projected
    if watched is not None and None not in game.views:  # the first spectator came while the turn was computed
        # The turn is durable: if the rules fail now, the spectators have no view, but the game goes on.
        view = spectators_view(game, watched, int(turn.at))
        if view is not None:
            game.views[None] = view
    game.digest, game.outcome = computed.advanced.digest, computed.advanced.outcome
    game.finished, game.counts = frozenset(), TurnCounts()
    game.banks, game.used, game.waited = plan.banks, {}, plan.waited
    game.can_go_back = _can_go_back(plan, computed)
    if state.over:
        revealing.reveal(game, turn.at)
    game.turn_began, game.first_stamp = turn.at, state.stamp
    game.snapshot_entry, game.order_entries = turn.entry, 0
    game.reordered = {}
    game.closing = False


def _columns(game: Game, plan: ClosingPlan, computed: TurnResult, now: float) -> dict[str, Any]:
    """Return the columns of the row of a game whose next turn begins ``now``."""
    state = computed.advanced.state
    clock = game.clock.of_group(find_phase(game.rules, state.phase).clock_group)
    due = None if state.over else clock.due_of_new_turn(now)
    following = attendance.waited_for(game, computed.active)
    ends = clock.deadline(due, (plan.banks.get(seat, 0.0) for seat in following))
    columns = {
        "turn": state.turn,
        "ruleset_version": game.rules.version,
        "state": "over" if state.over else game.row.state,
        "due": due,
        "deadline": turn_time.with_vacations(game, ends, following, plan.waited),
        "ran": now,
    }
    if game.row.state == "paused":
        # The time left was that of the turn that ends; the new one begins with its own.
        columns["deadline"], columns["left"] = None, None if due is None else due - now
    return columns


def _can_go_back(plan: ClosingPlan, computed: TurnResult) -> bool:
    """Return whether the players may take the closing back: it showed nothing that was hidden before."""
    advanced = computed.advanced
    return plan.instead is None and not advanced.state.over and not advanced.revealed


def _body(plan: ClosingPlan, computed: TurnResult) -> dict[str, Any]:
    """Return the body of the journal entry of a closing."""
    body: dict[str, Any] = {"reason": int(plan.reason), **({"operator": True} if plan.by_operator else {})}
    if plan.waited:
        body["waited"] = sorted(plan.waited.items())
    if plan.instead is not None:
        body.update(plan.instead.cause.body, **plan.instead.body)
    if _can_go_back(plan, computed):
        body["open"] = True
    return body
