"""`Idempotency` alone: the requests that it remembers, and for how long.

The test chooses the responses of its sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from tpproto.dialects import TP04
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tpproto.stream import RawFrame
from tpserver.portal import idempotency as once_module
from tpserver.portal.idempotency import FORGET_SECONDS, Idempotency, RelayedRequest, whole
from tpserver.requests import retries
from tpserver.store import Store, StoreError, idempotency
from tpserver.store.idempotency import KEPT_SECONDS, REQUEST

NOW = 1_000_000.0
CHANGE, READ = BY_NAME["order_insert"].number, BY_NAME["get_order"].number


class Answering:
    """A session that gives the next of its replies; it notes for which request it was asked."""

    game, told_turn, account, ended = None, None, None, ""
    host = SimpleNamespace(registry=SimpleNamespace(store=SimpleNamespace(gone=None)))

    def __init__(self) -> None:
        self.replies: list[Any] = []
        self.asked: list[str] = []
        self.sequences: list[int] = []
        self.occupied = False
        self.may: dict[int, bool] = {}

    def may_ask(self, kind: int) -> bool:
        return self.may.get(kind, False)

    def answer(self, frame: RawFrame) -> Any:
        self.asked.append(REQUEST.get())
        self.sequences.append(frame.sequence)
        return self.replies.pop(0) if self.replies else b"anew"

    def refuse(self, code: FailCode, text: str, sequence: int, dialect: Any) -> Any:
        return ("refused", code, text, sequence, dialect)


class Alone:
    """A `Idempotency` on a store, and one session of the connection "e:1"."""

    def __init__(self, store: Store) -> None:
        self.store, self.clock, self.session = store, Clock(), Answering()
        self.session.may[CHANGE] = True
        timers: Any = self.clock
        self.once = Idempotency(store, timers, lambda: NOW + self.clock.seconds())

    def ask(
        self, number: int, *, again: bool = False, kind: int = CHANGE, following: int = 0, turn: int | None = None
    ) -> Any:
        asked = RelayedRequest(number, RawFrame(TP04, 70 + number, kind, b""), again, turn, following)
        session: Any = self.session
        return self.once.answer("e:1", session, asked)

    def note(self, number: int, at: float = NOW) -> None:
        """Have a request done."""
        self.store.write(
            lambda c: idempotency.note_all(c.exec_driver_sql, c.dialect, [f"e:1:{number}"], at)
        ).addErrback(pytest.fail)

    def is_noted(self, number: int) -> bool:
        return bool(self.store.read(idempotency.changes_of, f"e:1:{number}"))


@pytest.fixture
def alone(server: Any, monkeypatch: pytest.MonkeyPatch) -> Alone:
    def answer(session: Any, frame: RawFrame, changes: int) -> bytes:
        assert isinstance(session, Answering) and frame.kind == CHANGE
        return b"done %d" % changes

    monkeypatch.setattr(retries, "answer", answer)
    made = Alone(server.store)
    made.clock.advance(0)
    return made


def refusal(text: str, sequence: int) -> Any:
    return ("refused", FailCode.UNAVAILABLE_TEMPORARILY, text, sequence, TP04)


def test_a_reply_is_taken_in_one_piece_whatever_it_is() -> None:
    late: Deferred[bytes] = Deferred()
    replies: list[tuple[Any, bytes]] = [
        (b"bytes", b"bytes"),
        (succeed(b"later"), b"later"),
        (iter([b"a", late, b"c"]), b"abc"),
        (iter([]), b""),
    ]
    for reply, wanted in replies:
        told: list[bytes] = []
        Deferred.fromCoroutine(whole(reply)).addCallback(told.append)
        if not late.called and wanted == b"abc":
            assert told == []
            late.callback(b"b")
        assert told == [wanted]


def test_what_only_reads_has_no_id(alone: Alone) -> None:
    alone.note(1)
    alone.session.may[READ] = True
    assert alone.ask(1, again=True, kind=READ) == b"anew"
    assert alone.session.asked == [""] and alone.session.sequences == [71]


def test_what_was_done_is_not_done_again_as_long_as_the_session_may_ask(alone: Alone) -> None:
    alone.note(1)
    assert alone.ask(1, again=True) == b"done 1"
    assert alone.session.asked == []
    alone.session.may.clear()
    assert alone.ask(1, again=True) == b"anew", "it is refused by the session itself"
    assert alone.session.asked == ["e:1:1"]


def test_who_cannot_go_on_is_told_that_something_was_done_or_that_nobody_knows(
    alone: Alone, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(Answering, "answer", lambda session, frame: said.append(session.ended))
    alone.note(1)
    alone.session.ended = "the game is gone"
    for number in (1, 2):
        alone.ask(number, again=True)

    def fail(*_: object) -> None:
        raise StoreError("away")

    monkeypatch.setattr(alone.store, "read", fail)
    alone.ask(1, again=True)
    alone.ask(1)
    gone = "the game is gone"
    unknown = f"{gone}; this may have been done or not, so look before you ask again"
    assert said == [f"this was done, but {gone}", gone, unknown, gone]
    assert alone.session.ended == gone


def test_a_request_that_is_new_here_is_not_looked_for(alone: Alone) -> None:
    alone.note(1)
    assert alone.ask(1) == b"anew"
    assert REQUEST.get() == "" and alone.session.sequences == [71]


def pieces(seen: list[str], count: int = 3) -> Iterator[bytes]:
    for number in range(count):
        seen.append(REQUEST.get())
        yield b"%d" % number


def test_all_pieces_of_a_long_answer_belong_to_its_request(alone: Alone) -> None:
    seen: list[str] = []
    alone.session.replies = [pieces(seen)]
    told = []
    for piece in alone.ask(1):
        assert REQUEST.get() == ""
        told.append(piece)
    assert told == [b"0", b"1", b"2"] and seen == ["e:1:1"] * 3


def waiting(alone: Alone, again: bool = True) -> list[bytes]:
    """Ask again while the request is being answered; what comes of it."""
    told: list[bytes] = []
    asked = alone.ask(1, again=again)
    assert isinstance(asked, Deferred)
    asked.addCallback(told.append)
    assert told == [] and alone.session.occupied
    return told


@pytest.mark.parametrize("end", [list, lambda reply: reply.close()], ids=["taken", "given up"])
def test_a_request_that_comes_again_waits_for_the_end_of_a_long_answer(
    alone: Alone, end: Callable[[Any], object]
) -> None:
    """Also if nobody takes the rest of it; what is asked later waits, too."""
    alone.session.replies = [pieces([])]
    reply = alone.ask(1)
    next(reply)
    told = waiting(alone)
    alone.note(1)
    end(reply)
    assert told == [], "the first answer is on its way before"
    alone.clock.advance(0)
    assert told == [b"done 1"] and not alone.session.occupied
    assert alone.session.asked == ["e:1:1"]


def test_a_request_that_comes_again_waits_for_an_answer_that_is_late(alone: Alone) -> None:
    late: Deferred[bytes] = Deferred()
    alone.session.replies = [late]
    reply = alone.ask(1)
    first, second = waiting(alone), waiting(alone)
    late.callback(b"late")
    assert reply.result == b"late"
    alone.clock.advance(0)
    assert first == second == [b"anew"], "nothing came of it"
    assert alone.ask(2) == b"anew"


def test_a_long_answer_that_ends_when_its_beginning_is_forgotten_is_not_given_twice(alone: Alone) -> None:
    alone.session.replies = [pieces([])]
    reply = alone.ask(1)
    next(reply)
    told = waiting(alone, again=False)
    alone.clock.pump([FORGET_SECONDS] * 2)
    alone.note(1, NOW + alone.clock.seconds())
    reply.close()
    alone.clock.advance(0)
    assert told == [b"done 1"]


def test_an_answer_that_is_there_at_once_is_waited_for_by_nobody(alone: Alone) -> None:
    alone.session.replies = [succeed(b"at once")]
    assert alone.ask(1).result == b"at once"
    assert alone.ask(1, again=True) == b"anew"


def test_what_is_done_or_begun_later_overtakes_and_nothing_else(alone: Alone) -> None:
    """Of the requests that come again with it, to the last."""
    for number in (4, 8, 25):
        alone.note(number)
    overtaken = refusal(retries.OVERTAKEN, 75)
    assert alone.ask(5, again=True, following=2) == b"anew"
    assert alone.ask(5, again=True, following=3) == overtaken
    assert alone.ask(24, again=True, following=0) == b"anew"
    assert alone.ask(24, again=True, following=1) == refusal(retries.OVERTAKEN, 94)
    alone.session.replies = [Deferred()]
    alone.ask(32)
    assert alone.ask(31, again=True, following=1) == refusal(retries.OVERTAKEN, 101)
    assert alone.ask(29, again=True, following=2) == b"anew"


def test_a_store_that_cannot_be_read_refuses(alone: Alone, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not known whether it was done."""

    def fails(*_: Any) -> Any:
        raise StoreError("away")

    monkeypatch.setattr(alone.store, "read", fails)
    assert alone.ask(1, again=True) == refusal(StoreError("away").for_clients, 71)
    assert alone.session.asked == []


def test_what_was_meant_for_another_turn_is_refused(alone: Alone, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    monkeypatch.setattr(retries, "is_too_late", lambda *asked: not given.append(asked))
    assert alone.ask(3, again=True, turn=5) == refusal(retries.TOO_LATE, 73)
    ((session, frame, turn),) = given
    assert (session, frame.sequence, turn) == (alone.session, 73, 5)


def test_what_was_begun_is_known_for_one_or_two_times_of_forgetting(alone: Alone) -> None:
    alone.note(1)
    assert alone.ask(1) == b"anew"
    for _ in range(2):
        assert alone.ask(1) == b"done 1"
        alone.clock.advance(FORGET_SECONDS)
    assert alone.ask(1) == b"anew"


def test_of_so_many_requests_the_last_are_known(alone: Alone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(once_module, "MOST_BEGUN", 2)
    for number in range(1, 6):
        alone.note(number)
        assert alone.ask(number) == b"anew"
    assert [alone.ask(number) for number in (5, 4, 3)] == [b"done 1"] * 3
    assert alone.ask(2) == b"anew"


def test_requests_that_were_done_are_forgotten_as_time_goes_on(alone: Alone) -> None:
    """At once for those of an earlier process, and then again and again."""
    for number, at in ((1, NOW - 1), (2, NOW), (3, NOW + FORGET_SECONDS)):
        alone.note(number, at)
    alone.clock.advance(KEPT_SECONDS - FORGET_SECONDS)
    assert alone.is_noted(1)
    alone.clock.advance(FORGET_SECONDS)
    assert [alone.is_noted(number) for number in (1, 2, 3)] == [False, True, True]
    alone.clock.advance(FORGET_SECONDS)
    assert [alone.is_noted(number) for number in (2, 3)] == [False, True]


def test_what_an_earlier_process_has_left_is_forgotten_in_the_first_turn_of_the_reactor(server: Any) -> None:
    """Requests that come before that are answered."""
    alone = Alone(server.store)
    alone.note(2, NOW - KEPT_SECONDS - 1)
    assert alone.ask(1) == b"anew"
    assert alone.is_noted(2)
    alone.clock.advance(0)
    assert not alone.is_noted(2)


def test_a_store_that_fails_to_forget_is_asked_again(alone: Alone, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store has logged the fault, and no client needs to know it."""
    given: list[Deferred[Any]] = []
    write = alone.store.write

    def noted(*work: Any) -> Deferred[Any]:
        given.append(write(*work))
        return given[-1]

    with monkeypatch.context() as broken:
        broken.setattr(alone.store, "write", noted)
        broken.setattr(idempotency, "forget", lambda c, before: 1 // 0)
        alone.clock.advance(FORGET_SECONDS)
    assert [isinstance(one.result, Failure) for one in given] == [False]
    alone.note(1, 0.0)
    alone.clock.advance(FORGET_SECONDS)
    assert not alone.is_noted(1)


def test_after_its_end_nothing_is_called_any_more(alone: Alone) -> None:
    alone.once.stop()
    alone.once.stop()
    assert alone.clock.getDelayedCalls() == []
