"""Active seats and title of the present turn of a game."""

from __future__ import annotations

from tprules.api import Outcome, Seat
from tprules.api.advance import named_seats
from tprules.api.ruleset import find_phase
from tprules.printable import KEPT_FOR_PLAYERS, printable
from tpserver.games.core import rules_calls
from tpserver.games.core.game import Game, Phase
from tpserver.rules.call_limits import CHECK_SECONDS, WATCHDOG

LONGEST_TITLE = 200
"""Maximum characters of a turn's title; longer titles of a ruleset are cut."""

SUSPENDED = "suspended"
"""First word of the title of a suspended game, by which clients recognize it."""


def phase_of(game: Game) -> Phase:
    """Return the active seats and the title of the present phase.

    The ruleset is called once per turn. If it fails, no seat is active for the rest of the turn, and the game is
    suspended.
    """
    state, rules = game.state, game.rules
    if game.known_phase is None or game.known_phase[0] is not state:

        def looked_up() -> Phase:
            phase = find_phase(rules, state.phase)
            return Phase(named_seats(phase.active(state.world)), title_of(phase.title(state.world)))

        try:
            found = WATCHDOG.call(CHECK_SECONDS, looked_up, game.caller)
        except Exception as error:
            game.known_phase = state, Phase([], "")
            rules_calls.broke(game, error, "describe its phase")
        else:
            game.known_phase = state, found
    return game.known_phase[1]


def active(game: Game) -> list[Seat]:
    """Return the seats that may move now; none before the start and after the end."""
    return phase_of(game).active if game.started and not game.over else []


def title(game: Game) -> str:
    """Return the title of the turn."""
    return game.text(title_with_seats(game))


def title_with_seats(game: Game) -> str:
    """Return the title of the turn with "{player 0}" for the name of the player in seat 0."""
    if game.roll_is_called():
        people = [player for player in game.players if player.is_person]
        here = sum(player.record.here for player in people)
        return f"Waiting until all say that they are here ({here} of {len(people)})"
    if not game.started:
        taken = len(game.players) - len(game.open_seats())
        return game.title_before_start or f"Waiting for players ({taken} of {len(game.players)})"
    if game.over:
        return ended(game.outcome)
    return f"{SUSPENDED}: {phase_of(game).title}" if game.is_held else phase_of(game).title


def title_of(title: object) -> str:
    """Return a ruleset's title of a turn as one printable line."""
    return printable(str(title), LONGEST_TITLE, KEPT_FOR_PLAYERS)


def ended(outcome: Outcome | None) -> str:
    """Return the title of the turn after a game's end, with the winners."""
    if outcome is None:
        return "Game over"
    winners = outcome.winners()
    names = " and ".join(f"{{player {seat}}}" for seat in winners)
    return f"Game over: {names} won" if len(winners) < len(outcome.places) or len(winners) == 1 else "Game over: a draw"
