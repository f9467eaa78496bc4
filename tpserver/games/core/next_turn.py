"""Computation of the next turn, away from the reactor's thread.

The result is saved in one transaction, and players are notified after that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from twisted.logger import Logger

from tprules.api import Outcome, Report, Ruleset, Seat
from tprules.api.advance import Advanced, RulesFault, advance, named_seats
from tprules.api.order_checks import State
from tprules.api.ruleset import find_phase
from tprules.api.types import canonical
from tpserver.games.core import rules_calls
from tpserver.games.core.game import Game
from tpserver.games.core.phases import title_of
from tpserver.games.core.scores import VisibleScores, scores_of
from tpserver.games.core.turn_reports import BoardMessage, written
from tpserver.games.core.views import Plain, Projector, View, dump_view
from tpserver.rules.call_limits import CHECK_SECONDS, TURN_SECONDS, WATCHDOG
from tpserver.store.games.snapshots import Snapshot

log = Logger()

GAME_OVER = "Game over"
"""Subject of the rules' report to all about the end of the game. Without one, the server writes it."""

LONGEST_REPORTS = 4 << 20
"""Maximum bytes of all reports of a turn."""


@dataclass(frozen=True, slots=True)
class TurnResult:
    """The next turn as computed, not saved yet."""

    advanced: Advanced[Any]
    snapshot: Snapshot
    """Without the number of its journal entry, which the save assigns."""
    views: Mapping[Seat | None, View]
    blobs: Mapping[Seat | None, bytes]
    projected: tuple[Plain, ...]
    messages: Mapping[Seat | None, Sequence[BoardMessage]]
    """Messages to each seat (None: spectators)."""
    active: Sequence[Seat]
    """The seats that the new turn waits for; none at the end."""
    scores: VisibleScores | Exception | None = None
    """Scores, or the error of the rules; None if the rules were not called."""


def compute(
    game: Game, now: int, news: Iterable[Report] = (), step: Callable[[], Advanced[Any]] | None = None
) -> TurnResult:
    """Close the current phase of ``game`` and project every seat's view.

    It reads the game and changes nothing. ``news`` are reports of the server about the closing. ``step`` replaces the
    closing of the phase. It may run in any thread while no orders are accepted. Raises the errors of the ruleset, or
    TooSlow.
    """
    rules = game.rules

    def closed() -> TurnResult:
        advanced = advance(rules, game.state, game.row.seed) if step is None else step()
        if advanced.outcome is not None:
            advanced = replace(advanced, outcome=advanced.outcome.without(game.resigned))
        state = advanced.state
        check_reports(game, advanced.reports)
        events = [[event.name, dict(event.facts)] for event in advanced.events]
        outcome = outcome_data(advanced.outcome)
        canonical([events, outcome])
        projector = Projector(rules, game.description, state, game.projected)
        views = {seat: projector.view(seat, game.views.get(seat), now) for seat in game.viewers()}
        blobs = {seat: dump_view(view, game.mark) for seat, view in views.items()}
        phase = find_phase(rules, state.phase)
        title = "" if state.over else title_of(phase.title(state.world))
        active = [] if state.over else named_seats(phase.active(state.world))
        active = [seat for seat in active if seat not in game.resigned]
        snapshot = Snapshot(
            game.row.id, state.turn, 0, now, state.phase, title, advanced.digest, advanced.data, events, outcome
        )
        messages = written(game, [*news, *advanced.reports, *default_ending(advanced)])
        return TurnResult(advanced, snapshot, views, blobs, projector.done(), messages, active)

    result = WATCHDOG.call(TURN_SECONDS, closed, game.caller)
    return result if game.has_no_scores else replace(result, scores=_scores(game, result.advanced.state.world))


def spectators_view(game: Game, before: View | None, now: int) -> View | None:
    """Return the spectators' view of a game that has started; None if its rules fail, which is logged."""
    projector = Projector(game.rules, game.description, game.state, game.projected)
    try:
        view = rules_calls.ask(game, lambda: projector.view(None, before, now), "show it to a spectator")
        game.projected += projector.done()
        return view
    except Exception:
        log.failure("{game}: ruleset {rules} failed to show the game to a spectator",
                    game=game.name, rules=game.rules.name)  # fmt: skip
        return None


def active_in(rules: Ruleset[Any], state: State[Any]) -> tuple[Seat, ...]:
    """Return the seats that may move in a state, for notifications; none if the rules fail (reported elsewhere)."""
    if state.over:
        return ()
    try:
        return tuple(named_seats(find_phase(rules, state.phase).active(state.world)))
    except Exception:
        return ()


def _scores(game: Game, world: Any) -> VisibleScores | Exception:
    """Return the scores of a turn, or the error of the rules. Such an error does not prevent the closing."""
    try:
        return WATCHDOG.call(CHECK_SECONDS, lambda: scores_of(game.rules, world, len(game.players)), game.caller)
    except Exception as error:
        return error


def check_reports(game: Game, reports: Iterable[Report]) -> None:
    """Raise RulesFault if a report cannot be saved, is too long, or names an unknown seat."""
    length = 0
    for report in reports:
        if report.to is not None and not 0 <= report.to < len(game.players):
            raise RulesFault(f"{game.rules.name}: a report goes to seat {report.to} of {len(game.players)}")
        if report.by is not None and report.by not in range(len(game.players)):
            raise RulesFault(f"{game.rules.name}: a report is of seat {report.by!r} of {len(game.players)}")
        for text in (report.subject, report.body):
            if not isinstance(text, str):
                raise RulesFault(f"{game.rules.name}: a report says {text!r}, which is no text")
            length += len(text.encode())
    if length > LONGEST_REPORTS:
        raise RulesFault(f"{game.rules.name}: the reports of a turn have {length} bytes; {LONGEST_REPORTS} are allowed")


def default_ending(advanced: Advanced[Any]) -> list[Report]:
    """Return a public report with places and figures, for a game that ended without one from its rules."""
    outcome = advanced.outcome
    told = [report.subject.casefold() for report in advanced.reports if report.to is None]
    if outcome is None or any(subject.startswith(GAME_OVER.casefold()) for subject in told):
        return []
    lines = []
    for seat, place in outcome.ranked():
        figures = ", ".join(f"{name} {number}" for name, number in outcome.figures.get(seat, {}).items())
        lines.append(f"{place}. {{player {seat}}}{': ' if figures else ''}{figures}")
    return [Report(None, GAME_OVER, "\n".join(lines))]


def outcome_data(outcome: Outcome | None) -> dict[str, Any] | None:
    """Return an outcome as JSON-able data, for ``outcome_from``."""
    if outcome is None:
        return None
    return {
        "places": sorted(outcome.places.items()),
        "why": outcome.why,
        "figures": [[seat, dict(columns)] for seat, columns in sorted(outcome.figures.items())],
    }


def outcome_from(data: dict[str, Any] | None) -> Outcome | None:
    if data is None:
        return None
    return Outcome(dict(data["places"]), data["why"], dict(data["figures"]))
