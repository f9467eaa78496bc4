"""Requests about abuse reports, from players and moderators."""

from __future__ import annotations

from twisted.logger import Logger

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tpserver.games.core.errors import GameError
from tpserver.games.core.game import Game, durable
from tpserver.games.core.message_board import Board
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.service import moderation
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import BOARD, MESSAGE, RequestError
from tpserver.requests.session.responses import Answer, okay
from tpserver.requests.session.session import Session
from tpserver.requests.talk.blocks import check_below, must_moderate
from tpserver.store import StoreError
from tpserver.store import audit as stored_audit
from tpserver.store.audit import AuditEntry
from tpserver.store.games import boards as stored_boards
from tpserver.store.games import rows as stored_games
from tpserver.store.games import spectator_letters as stored_spectators
from tpserver.store.games.boards import StoredMessage
from tpserver.store.people import abuse_reports as stored_reports
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people.abuse_reports import ReportedLetter, TooManyReports

log = Logger()

MESSAGE_REPORTS = BY_NAME["message_reports"].number

MOST_OPEN, MOST_OF_ALL = 20, 1000
"""Maximum open reports of an account, and of all."""

MOST_LOOKS = 10_000
"""Maximum reads of reports that are remembered as recorded in the audit. After that it gets some again."""

REPORTS_AT_ONCE = 10
"""Maximum reports per frame, as a message may have 64 KiB."""


@handles("report_message")
async def report_message(session: Session, message: tp.ReportMessage) -> Answer:
    """Report a stored message to the moderators.

    It is on the own board, or on that of the spectators. Raises RequestError, GameError.
    """
    if (watched := session.watched()) is not None:
        return await _report(session, watched, watched.spectators, message)
    game, seat = session.playing()
    if message.spectators and not game.over:
        raise RequestError(
            FailCode.UNAVAILABLE_TEMPORARILY, "players can read spectators' messages only after the game is over"
        )
    board = game.spectators if message.spectators else game.boards[seat + 1]
    return await _report(session, game, board, message)


async def _report(session: Session, game: Game, board: Board, message: tp.ReportMessage) -> Answer:
    reason = moderation.reason_of(message.reason)
    registry, account = session.host.registry, session.account
    assert account is not None
    there = [(BOARD, board.number), (MESSAGE, message.slot)]
    if message.slot >= len(board):
        raise refusals.no_such_slot(message.slot, len(board), there)
    try:
        letter, writer = await _stored_letter(registry, game, board, board.numbers[message.slot])
    except StoreError as error:
        log.error("{game}: messages cannot be read: {error}", game=game.name, error=error.sentence)
        text = "the server cannot read this message from its database; try again"
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, text) from None
    if letter is None or letter.subject != message.subject:
        raise RequestError(FailCode.NO_SUCH_THING, "the message list has changed; read it again", there)
    if writer == account.id or (writer is None and letter.sender in (None, board.number)):
        raise GameError("you can report only messages of others")
    try:
        await registry.store.write(
            stored_reports.add, account.id, letter, reason, registry.now(), MOST_OPEN, MOST_OF_ALL, writer
        )
    except TooManyReports as refusal:
        raise RequestError(FailCode.UNAVAILABLE_TEMPORARILY, str(refusal)) from None
    except StoreError as error:
        if error.code != "reported":
            raise
        raise GameError("you have already reported this message") from None
    return [okay(session.dialect, "The moderators will look at this message, and notify you of their decision")]


async def _stored_letter(
    registry: GameRegistry, game: Game, board: Board, number: int
) -> tuple[StoredMessage | None, int | None]:
    """Return a stored message or None, and for a spectator's message its author."""
    if board.number <= len(game.players):
        await durable(game)  # only then the store has every listed message
        found = await registry.store.read_later(stored_boards.texts, game.row.id, board.number, [number])
        return found.get(number), None
    letters = await registry.store.read_later(stored_spectators.texts, game.row.id, [number])
    if number not in letters:
        return None, None
    one, _ = letters[number]
    where = board.number
    stored = StoredMessage(one.game, where, one.number, one.turn, one.at, where, one.subject, one.body, [])
    return stored, one.account


@handles("get_message_reports")
async def get_message_reports(session: Session, message: tp.GetMessageReports) -> Answer:
    """Return reports that the moderator may decide about, in parts.

    Raises NotAdmitted. The audit records which account's messages a moderator has read, once for each account while the
    server runs.
    """
    moderator, store = must_moderate(session), session.host.registry.store
    found = store.read(stored_reports.listed, moderator.id, message.closed, message.start, REPORTS_AT_ONCE + 1)
    shown = found[:REPORTS_AT_ONCE]
    told = tp.MessageReports(following=found[-1].id if len(found) > len(shown) else 0)
    told.reports.extend(_told(session, report) for report in shown)
    looks = session.host.looks_at_reports
    fresh = [report.id for report in shown if (moderator.id, report.id) not in looks]
    if fresh:
        if len(looks) > MOST_LOOKS:
            looks.clear()
        now = session.host.registry.now()
        await store.write(stored_audit.add, AuditEntry(now, moderator.name, "report look", "", {"numbers": fresh}))
        looks.update((moderator.id, number) for number in fresh)
    return [session.payload(MESSAGE_REPORTS, told)]


@handles("close_report")
async def close_report(session: Session, message: tp.CloseReport) -> Answer:
    """Decide about a report, and notify the accounts concerned. Raises RequestError, NotAdmitted, GameError."""
    moderator, registry = must_moderate(session), session.host.registry
    report = registry.store.read(stored_reports.one, message.id, moderator.id)
    if report is None:
        raise RequestError(FailCode.NO_SUCH_THING, f"there is no report {message.id} that you can decide about")
    writer = None if report.writer is None else registry.store.read(stored_accounts.by_id, report.writer)
    if message.decision == moderation.SILENCED and writer is not None:
        check_below(moderator, writer)
    await moderation.close_report(
        registry, report, message.decision, message.answer, message.days, moderator.name, noted=True
    )
    return [okay(session.dialect, f"Report {report.id} is closed; those concerned are notified")]


def _told(session: Session, report: ReportedLetter) -> tp.MessageReport:
    store = session.host.registry.store
    names = store.read(stored_reports.names_of, [one for one in (report.account, report.writer) if one is not None])
    row = store.read(stored_games.by_id, report.game)
    return tp.MessageReport(
        id=report.id,
        at=int(report.at),
        reporter=names.get(report.account, ""),
        writer=names.get(report.writer or 0, ""),
        game="" if row is None else row.name,
        turn=report.turn,
        written=int(report.written),
        subject=report.subject,
        body=report.body,
        reason=report.reason,
        decision=report.decision,
        closed=int(report.closed or 0),
        closed_by=report.closed_by,
        answer=report.answer,
    )
