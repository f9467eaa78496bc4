"""Questions about the rules: fair turns, and time left for other work."""

from __future__ import annotations

from typing import Any

import pytest
from test_games.brittle import BrittleBid
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tests.support.orders import number, text
from tests.support.server_in_memory import BID, Server
from tpserver.requests.session.questions import BURST_SECONDS, MOST_ACCOUNTS, REST, Questions
from tpserver.rules.call_limits import CHECK_SECONDS


class Asked:
    """Questions that take some seconds each, and which of them were answered."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.seconds = 0.0
        self.answered: list[str] = []
        self.questions = Questions(self.clock, lambda: self.clock.seconds() + self.seconds)

    def ask(self, payer: str, seconds: float) -> Deferred[None]:
        def work() -> None:
            self.answered.append(payer)
            self.seconds += seconds

        return Deferred.fromCoroutine(self.questions.answer(payer, work))


def test_one_account_after_the_other_is_answered_with_a_rest_after_each() -> None:
    """However many questions of one account wait, another one's comes next."""
    asked = Asked()
    for payer in ("ann", "ann", "ann", "ben", "cleo"):
        asked.ask(payer, 0.02)
    assert asked.answered == ["ann"], "the first one at once"
    asked.clock.advance(0.039)
    assert asked.answered == ["ann"]
    told = []
    for _ in range(4):
        asked.clock.advance(0.041)
        told.append(asked.answered[-1])
    assert told == ["ann", "ben", "cleo", "ann"]
    asked.clock.advance(0.041)
    assert not asked.clock.getDelayedCalls()


def test_who_asks_all_the_time_shares_a_twentieth_of_it_and_others_do_not_wait_for_that() -> None:
    """After a burst, which is there again later."""
    asked = Asked()
    for payer in ("ann", "cleo"):
        for _ in range(20):
            asked.ask(payer, BURST_SECONDS / 4)
    asked.clock.pump([0.2] * 10)
    assert len(asked.answered) == 11, "five of each are a burst"
    asked.ask("ben", 0.1)
    asked.clock.advance(0.13)
    assert asked.answered[-1] == "ben", "as soon as the rest is over"
    before = len(asked.answered)
    asked.clock.pump([0.1] * 100)
    assert 6 <= len(asked.answered) - before <= 9, "a twentieth of the time"
    asked.clock.pump([0.5] * 500)
    assert len(asked.answered) == 41
    asked.clock.advance(200.0)
    for _ in range(5):
        asked.ask("ann", BURST_SECONDS / 4)
    asked.clock.pump([0.2] * 8)
    assert len(asked.answered) == 46


def test_a_process_that_was_suspended_during_a_question_does_not_rest_long() -> None:
    asked = Asked()
    asked.ask("ann", 1000.0)
    asked.ask("ben", 0.0)
    asked.clock.advance(REST * CHECK_SECONDS - 0.01)
    assert asked.answered == ["ann"]
    asked.clock.advance(0.02)
    assert asked.answered == ["ann", "ben"]


def test_no_more_accounts_are_kept_than_have_asked_lately() -> None:
    asked = Asked()
    for account in range(3 * MOST_ACCOUNTS):
        asked.ask(str(account), 0.001)
        asked.clock.advance(0.2)
    assert len(asked.questions.paid) <= MOST_ACCOUNTS


def test_after_a_question_that_fails_the_next_is_answered() -> None:
    asked = Asked()

    def fail() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        asked.questions.answer("ann", fail).send(None)
    asked.ask("ben", 0.0)
    assert asked.answered == ["ben"]


@pytest.mark.parametrize("request_name", ["get_legal_orders", "get_legal_values"])
def test_slow_questions_wait_and_all_else_is_done(server: Server, monkeypatch: pytest.MonkeyPatch, request_name: str):
    """After a slow question the next one waits, from any account. Orders, probes and pings do not."""
    seconds = [0.2]

    def slow(*_: Any) -> None:
        server.clock.advance(seconds.pop() if seconds else 0.0)

    monkeypatch.setattr(BrittleBid, "check", slow)
    server.create("first", "brittle", clock="manual")
    ann, ben = (server.player(name, dialect="pb") for name in ("ann", "ben"))
    asks: dict[str, Any] = {} if request_name == "get_legal_orders" else {"otype": BID}
    ann.ask("get_legal_values", id=ann.home, otype=BID, parameters=[number(1), text("")])
    waiting = ben.post(request_name, **asks, **({"id": ben.home} if asks else {}))
    assert not waiting.came
    assert ann.ask("ping").name == "okay"
    assert ann.bid(1).name == "order"
    assert ann.probe(ann.home, BID, number(1), text("")).name == "order"
    assert not waiting.came
    server.clock.advance(0.4)
    assert waiting.reply.name == request_name.removeprefix("get_")
