"""The start of a game in two steps: compute and write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tprules.api import Report, Seat
from tprules.api.advance import opening
from tpserver.games.core import current_scores, next_turn
from tpserver.games.core.game import Game
from tpserver.games.core.turn_reports import delivery, summaries, written
from tpserver.games.core.views import Plain, Projector, View, dump_view
from tpserver.games.terms import anonymity
from tpserver.games.terms.chat_rules import PRIVATE, WORDS, press_of
from tpserver.games.terms.delay import delay_of
from tpserver.games.terms.delay import words as delay_words
from tpserver.games.turns import turn_time
from tpserver.store.games.changes import GameChanges
from tpserver.store.games.outbox import TurnBegins


@dataclass(frozen=True, slots=True)
class FirstTurn:
    """The first turn of a game from its rules: reports, views and active seats."""

    reports: Sequence[Report]
    views: dict[Seat | None, View]
    projected: tuple[Plain, ...]
    active: Sequence[Seat]


def compute(game: Game, now: float) -> FirstTurn:
    """Compute the first turn by the rules. Raises their errors."""
    projector = Projector(game.rules, game.description, game.state)
    views = {seat: projector.view(seat, game.views.get(seat), int(now)) for seat in game.viewers()}
    reports = opening(game.rules, game.row.options, len(game.players), game.row.seed).reports
    next_turn.check_reports(game, reports)
    active = next_turn.active_in(game.rules, game.state)
    return FirstTurn(reports, views, projector.done(), active)


def write(game: Game, first: FirstTurn, now: float) -> None:
    """Show the first turn, and save it in one transaction."""
    due = game.turn_clock.due_of_first_turn(now)
    times = turn_time.deadline_columns(game, due, (player.seat for player in game.players), now)
    columns: dict[str, Any] = {"state": "running", "started": now, "held_reason": "", **times}
    game.turn_began = now
    game.show(first.views, now)
    game.projected = first.projected
    blobs = {seat: dump_view(view, game.mark) for seat, view in first.views.items()}
    reports = written(game, [Report(None, "Welcome", _welcome(game)), *first.reports])
    scores = current_scores.scores_of_opening(game)
    entry = game.entry("start", None, None, now)
    changes = GameChanges(
        entry=entry,
        columns=columns,
        views=blobs,
        delivery=delivery(game, reports, game.row.turn, now),
        summary=(game.row.turn, summaries(reports)),
        scores=None if scores is None else (game.row.turn, scores),
        begins=TurnBegins(first.active),
    )
    game.commit(changes, now)


def _welcome(game: Game) -> str:
    """Return the message to all at the start of a game, with its unusual settings."""
    press = press_of(game.row)
    told = "" if press == PRIVATE else f" In this game {WORDS[press]}."
    if game.hides_players:
        told += f" It is anonymous: {anonymity.WORDS}."
    if delay := delay_of(game.row):
        told += f" {delay_words(delay).capitalize()}."
    return f"Welcome to {game.name}, a game of {game.rules.title}.{told}"
