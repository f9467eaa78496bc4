"""GetTurnSummaries: the turn reports of each turn.

Only Protocol Buffers and JSON have it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from twisted.internet.defer import fail

from tests.support.server_in_memory import Client, Server
from tpproto import tp_pb2 as tp
from tprules.api import ORDER_INVALID, Report
from tpserver.games.core.game import Game
from tpserver.games.core.turn_reports import TURN_MESSAGES, summaries, written
from tpserver.requests.play.summaries import MOST_TURNS
from tpserver.store import StoreError
from tpserver.store.games import summaries as stored

PERMANENTLY, TEMPORARILY, NO_SUCH_THING, TOO_BIG = 2, 3, 4, 8


@pytest.fixture(params=["pb", "json"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def two(server: Server, dialect: str) -> list[Client]:
    """Two players of an auction that only the operator closes."""
    server.create(clock="manual")
    return server.players(2, dialect)


def asked(client: Client, first: int, amount: int = 1) -> list[tp.TurnSummary]:
    waiting = client.post("get_turn_summaries", first=first, amount=amount)
    while not waiting.came:
        client.server.settle()  # a long answer lets others be served in between
    found: list[tp.TurnSummary] = waiting.reply.things
    counted = [] if len(found) == 1 else ["sequence_of"]  # as the page of frames says
    assert waiting.reply.names == counted + ["turn_summary"] * len(found)
    return found


def told(summary: tp.TurnSummary) -> list[tuple[str, str]]:
    return [(report.subject, report.body) for report in summary.reports]


def put(game: Game, server: Server, turn: int, reports: list[Report]) -> None:
    """Store reports as those of a turn in place of its own."""
    kept = summaries(written(game, reports))
    server.store.write(lambda c: c.execute(stored.summaries.delete().where(stored.summaries.c.turn == turn)))
    server.store.write(lambda c: stored.put(c, game.row.id, turn, kept))


def test_a_summary_has_what_the_board_got_and_keeps_it(server: Server, two: list[Client]):
    """Of several closings, for each player; also when the messages are removed, and after a restart."""
    ann, _ = two
    ann.bid(3)
    server.close_turn()
    server.pass_time(5)
    ann.bid(2)
    server.close_turn()
    for client in two:
        board = [(message.turn, message.subject, message.body) for message in client.messages()]
        found = asked(client, 0, MOST_TURNS)
        assert [one.turn for one in found] == [0, 1, 2]
        assert [(one.turn, *text) for one in found for text in told(one)] == board
        assert len({turn for turn, *_ in board}) == 3
    before = asked(ann, 1, 2)
    assert before[1].began == before[0].began + 5
    slots = range(len(ann.messages()))
    ann.ask("remove_message", id=0, slots=slots)
    assert asked(ann, 1, 2) == before
    ann = server.restarted().player("ann", ann.title)
    assert asked(ann, 1, 2) == before


def test_who_did_it_and_what_failed(server: Server, two: list[Client]):
    """``by`` of a report is a player's number; one about an invalid order is marked."""
    ann, ben = two
    game = server.game()
    reports = [Report(0, "Order failed", "why", (ORDER_INVALID,), 0), Report(None, "Done", "{player 1} did it", by=1)]
    put(game, server, 0, reports)
    found = [(one.player, one.failed, one.body) for one in asked(ann, 0)[0].reports]
    assert found == [(1, True, "why"), (2, False, "ben did it")]
    assert [one.player for one in asked(ben, 0)[0].reports] == [2]


def test_a_seat_gets_no_report_to_another(server: Server, two: list[Client], dialect: str):
    """It sees neither the text nor its existence. A spectator gets the public reports."""
    ann, ben = two
    put(server.game(), server, 0, [Report(None, "All", "x"), Report(0, "Secret", "of ann")])
    eve = server.connect(dialect)
    eve.ask("login", username="eve@first/watch", password="word")
    assert told(asked(ann, 0)[0]) == [("All", "x"), ("Secret", "of ann")]
    for other in (ben, eve):
        assert told(asked(other, 0)[0]) == [("All", "x")]
        assert b"Secret" not in other.post("get_turn_summaries", first=0, amount=1).data


def test_an_old_turn_knows_those_before_it_only(server: Server, two: list[Client], dialect: str):
    server.close_turn()
    server.close_turn()
    past = server.connect(dialect)
    assert past.ask("login", username="ann@first/turn/1", password="ann's word").name == "okay"
    assert [one.turn for one in asked(past, 0, 9)] == [0, 1]
    assert past.ask("get_turn_summaries", first=2, amount=1).code == NO_SUCH_THING


def test_who_was_not_waited_for_is_named_to_all(server: Server, dialect: str):
    """The report comes when the time runs out, not when all have finished or the operator closes the turn."""
    server.create(clock="interval:60")
    two = ann, ben = server.players(2, dialect)
    ann.ask("finished_turn")
    server.pass_time(60)
    subject = "The time ran out"
    for client in two:
        assert told(asked(client, 1)[0])[0] == (subject, "ben had not finished. The orders given until then count.")
    server.pass_time(60)
    assert "ann and ben had not finished" in told(asked(ben, 2)[0])[0][1]
    for client in two:
        client.ask("finished_turn")
    assert subject not in [text for text, _ in told(asked(ben, 3)[0])]
    server.close_turn()
    assert subject not in [text for text, _ in told(asked(ben, 4)[0])]


def test_a_summary_that_nobody_has_heard_of_yet_is_not_told(make_server: Callable[..., Server], dialect: str):
    """Before it is durable the turn has not begun."""
    server = make_server(delayed=True)
    game = server.create("slow", clock="manual")
    ann, ben = server.players(2, dialect, "slow")
    server.disk.at_once = False
    closing = server.registry.turns.close_turn(game)
    waiting = ann.post("get_turn_summaries", first=1, amount=1)
    server.disk.commit()
    assert closing.called
    assert waiting.reply.code == NO_SUCH_THING, "it was asked for before it had begun"
    assert [one.turn for one in asked(ben, 1)] == [1]


@pytest.mark.parametrize(
    ("first", "amount", "code", "words"),
    [
        (0, 0, TOO_BIG, "1 to 64 turns at once, not 0"),
        (0, MOST_TURNS + 1, TOO_BIG, "1 to 64 turns at once, not 65"),
        (1, 1, NO_SUCH_THING, "no turn 1; the newest is turn 0"),
        (2**32 - 1, 64, NO_SUCH_THING, "no turn 4294967295"),
    ],
)
def test_refusals(two: list[Client], first: int, amount: int, code: int, words: str):
    answer = two[0].ask("get_turn_summaries", first=first, amount=amount)
    assert (answer.code, words in answer.text) == (code, True)


def test_before_the_start_and_without_a_game(server: Server, dialect: str):
    server.create(clock="manual")
    (ann,) = server.players(1, dialect)
    assert ann.ask("get_turn_summaries", first=0, amount=1).code == TEMPORARILY


def test_a_database_that_cannot_be_read_is_said(two: list[Client], monkeypatch: pytest.MonkeyPatch):
    ann = two[0]
    with monkeypatch.context() as patched:
        error = StoreError("It is gone.", code="unavailable")
        patched.setattr(ann.server.store, "read_later", lambda *reading: fail(error))
        answer = ann.ask("get_turn_summaries", first=0, amount=1)
    assert answer.code == TEMPORARILY
    assert "cannot be read" in answer.text


def test_one_answer_is_bounded(server: Server, two: list[Client]):
    """However much a ruleset says: a turn as a board, and of many turns the first ones."""
    ann, _ = two
    for _ in range(4):
        server.close_turn()
    for turn in range(5):
        put(server.game(), server, turn, [Report(0, f"report {number}", "y" * 16_000) for number in range(200)])
    found = asked(ann, 0, 5)
    assert [one.turn for one in found] == [0, 1, 2]
    assert all(len(one.reports) <= TURN_MESSAGES for one in found)
    assert found[0].reports[-1].subject.startswith("Further reports")
    assert sum(one.ByteSize() for one in found) <= stored.BYTES_AT_ONCE + 300_000
    assert [one.turn for one in asked(ann, 3, 5)] == [3, 4]
