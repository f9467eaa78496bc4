"""Request for turn summaries: the reports of each turn to the player."""

from __future__ import annotations

from twisted.logger import Logger

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tpserver.concurrency import next_round
from tpserver.games.core.game import Game
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import BYTES_AT_ONCE, Answer, sequence_of
from tpserver.requests.session.session import Session
from tpserver.store import StoreError
from tpserver.store.games.summaries import TurnSummary, between

log = Logger()

MOST_TURNS = 64
"""Maximum turns in one request."""

TURN_SUMMARY = BY_NAME["turn_summary"].number


@handles("get_turn_summaries")
async def get_turn_summaries(session: Session, message: tp.GetTurnSummaries) -> Answer:
    """Return the summaries of the turns up to the shown one. Raises RequestError."""
    game = session.seeing()
    if not 1 <= message.amount <= MOST_TURNS:
        text = f"ask for 1 to {MOST_TURNS} turns at once, not {message.amount}"
        raise RequestError(FailCode.REQUEST_TOO_BIG, text)
    newest = game.state.turn  # clients do not know a turn that is being saved
    if not game.started:
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, "the game has not started, so it has no turns yet")
    if message.first > newest:
        raise RequestError(FailCode.NO_SUCH_THING, f"there is no turn {message.first}; the newest is turn {newest}")
    last = min(newest, message.first + message.amount - 1)
    registry = session.host.registry
    try:
        found = await registry.store.read_later(between, game.row.id, session.seat, message.first, last)
    except StoreError as error:
        log.error("{game}: summaries cannot be read: {error}", game=game.name, error=error.sentence)
        text = "the summaries cannot be read from the server's database; try again"
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text) from None
    payloads: list[bytes] = []
    size = 0
    for one in found:
        payloads.append(session.payload(TURN_SUMMARY, summary_frame(game, one)))
        size += len(payloads[-1])
        if size > BYTES_AT_ONCE:
            size = 0
            await next_round(registry.timers)
        if session.gone:
            break
    return payloads if len(payloads) == 1 else [sequence_of(session.dialect, len(payloads)), *payloads]


def summary_frame(game: Game, summary: TurnSummary) -> tp.TurnSummary:
    """Return the frame of a summary, with the players' names in its title."""
    return tp.TurnSummary(
        turn=summary.turn,
        title=game.text(summary.title),
        began=int(summary.began),
        reports=[
            tp.TurnReport(
                player=one.player,
                failed=one.failed,
                subject=one.subject,
                body=one.body,
                references=[tp.Reference(type=kind, id=number & 0xFFFFFFFF) for kind, number in one.references],
            )
            for one in summary.reports
        ],
    )
