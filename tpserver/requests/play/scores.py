"""Request for the scores of a game by turn, and its outcome."""

from __future__ import annotations

from twisted.logger import Logger

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.api import Outcome
from tprules.api.appearance import LONGEST_WORDS, MOST_FIGURES
from tprules.printable import KEPT_FOR_PLAYERS, printable
from tpserver.games.core.game import Game
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer
from tpserver.requests.session.session import Session
from tpserver.store import StoreError
from tpserver.store.games.scores import until

log = Logger()

SCORES = BY_NAME["scores"].number


@handles("get_scores")
async def get_scores(session: Session, message: tp.GetScores) -> Answer:
    """Return the scores up to the connection's turn, and final places.

    Places exist in a game that is over. Raises RequestError.
    """
    game = session.seeing()
    if not game.started:
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, "the game has not started, so there are no scores yet")
    outcome, newest = game.outcome, game.state.turn  # clients do not know a turn that is being saved
    try:
        found = await session.host.registry.store.read_later(until, game.row.id, session.seat, newest)
    except StoreError as error:
        log.error("{game}: scores cannot be read: {error}", game=game.name, error=error.sentence)
        text = "the scores cannot be read from the server's database; try again"
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text) from None
    told = tp.Scores(turns=found.turns)
    for line in found.lines:
        told.lines.add(id=line.seat + 1, name=game.text(line.name), start=line.start, numbers=line.numbers)
    if outcome is not None:
        _tell_places(told, game, outcome)
    return [session.payload(SCORES, told)]


def _tell_places(told: tp.Scores, game: Game, outcome: Outcome) -> None:
    for seat, place in outcome.ranked():
        row = list(outcome.figures.get(seat, {}).items())[:MOST_FIGURES]
        figures = [
            tp.Figure(name=game.text(printable(str(name), LONGEST_WORDS, KEPT_FOR_PLAYERS)), number=number)
            for name, number in row
            if isinstance(number, int) and abs(number) < 2**63
        ]
        told.places.add(id=seat + 1, place=place, figures=figures)
