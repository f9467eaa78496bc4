"""Traces of a server process that had to be ended, for the next process.

They are the crash record, the stack trace, and the suspended games.
"""

from __future__ import annotations

import mmap
from pathlib import Path

import pytest
from twisted.internet.defer import fail

from tests.support.stored import all_messages
from tpserver.games.core import crash_record
from tpserver.games.core.crash_record import Verdict, Verdicts
from tpserver.games.turns.suspension import carry_out
from tpserver.rules.page import BEGUN, GAME, RULESET, SIZE, UNTIL, Page
from tpserver.store import Store, StoreError
from tpserver.store.games import journal as stored_journal
from tpserver.store.games import rows as stored_games
from tpserver.supervisor import traces, unsupervised

TRACE = """Timeout (0:00:08)!
Thread 0x0000000000000bad (most recent call first):
  File "/usr/lib/python/threading.py", line 327 in wait

Current thread 0x000000000000beef (most recent call first):
  File "<string>", line 1 in <lambda>
  File "/home/somebody/isles.py", line 57 in check
  File "/opt/tpserver/rules/call_limits.py", line 166 in call
"""


@pytest.fixture
def store(tmp_path: Path):
    opened = Store.open(f"sqlite:///{tmp_path / 'games.sqlite'}", reactor=None)
    yield opened
    opened.close()


def made(store: Store, name: str, ruleset: str, state: str = "running") -> int:
    def unit(c):
        row = stored_games.create(
            c, name, ruleset=ruleset, ruleset_version=1, options={}, seed=b"s", clock="manual", join="open",
            seats=2, bots=0, now=5.0,
        )  # fmt: skip
        stored_games.update(c, row.id, state=state)
        return row.id

    found = []
    store.write(unit).addCallback(found.append)
    return found[0]


def row(store: Store, number: int):
    return store.read(lambda c: stored_games.by_id(c, number))


def test_a_verdict_holds_its_game_and_tells_its_players(store: Store, tmp_path: Path):
    bad, good, over = made(store, "bad", "rotten"), made(store, "good", "fine"), made(store, "old", "rotten", "over")
    record = Verdicts(tmp_path)
    record.add(Verdict(bad, "rotten", "it hung"))
    record.add(Verdict(over, "rotten", "it hung"))
    carry_out(store, crash_record.read(tmp_path), 10.0)
    assert (row(store, bad).state, row(store, bad).held_reason) == ("held", "it hung")
    assert [row(store, number).state for number in (good, over)] == ["running", "over"]
    told = store.read(lambda c: all_messages(c, bad))
    assert [(message.board, message.number, message.subject) for message in told] == [
        (1, 1, "The game is held"),
        (2, 1, "The game is held"),
    ]
    entries = store.read(lambda c: stored_journal.after(c, bad, 0))
    assert [(entry.number, entry.kind) for entry in entries] == [(1, "hold")]
    assert crash_record.read(tmp_path).pending == []


def test_a_verdict_that_cannot_be_carried_out_is_kept(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The store fails at that moment: the start fails with its sentence, and the next one finds the verdict again."""
    bad = made(store, "bad", "rotten")
    record = Verdicts(tmp_path)
    record.add(Verdict(bad, "rotten", "it hung"))
    full = StoreError("The disk is full.", code="full")
    with monkeypatch.context() as patched:
        patched.setattr(store, "write", lambda *unit: fail(full))
        with pytest.raises(StoreError, match="The disk is full"):
            carry_out(store, crash_record.read(tmp_path), 10.0)
    assert [verdict.game for verdict in crash_record.read(tmp_path).pending] == [bad]
    carry_out(store, crash_record.read(tmp_path), 10.0)
    assert row(store, bad).state == "held"


def test_three_ends_in_a_row_by_one_ruleset_hold_all_its_games(store: Store, tmp_path: Path):
    bad, other, good = made(store, "bad", "rotten"), made(store, "other", "rotten", "waiting"), made(store, "g", "fine")
    record = Verdicts(tmp_path, row=["fine", "rotten", "rotten"])
    record.save()
    record.add(Verdict(bad, "rotten", "it hung"))
    carry_out(store, crash_record.read(tmp_path), 10.0)
    assert [row(store, number).state for number in (bad, other, good)] == ["held", "held", "running"]
    assert "three times in a row" in row(store, other).held_reason


def test_two_ends_do_not_nor_three_of_several(store: Store, tmp_path: Path):
    other = made(store, "other", "rotten")
    for before in (["rotten"], ["rotten", "fine"], []):
        record = Verdicts(tmp_path, row=before)
        record.save()
        record.add(Verdict(0, "rotten", "it hung"))
        carry_out(store, crash_record.read(tmp_path), 10.0)
    assert row(store, other).state == "running"


def test_a_game_that_ends_a_server_again_is_not_loaded_until_it_is_resumed(tmp_path: Path):
    record = Verdicts(tmp_path)
    record.add(Verdict(4, "rotten", "it hung"))
    assert record.unreadable() == []
    record.add(Verdict(4, "rotten", "it hung"))
    assert crash_record.read(tmp_path).unreadable() == [4]
    crash_record.read(tmp_path).forgive(4, "rotten")
    assert crash_record.read(tmp_path) == Verdicts(pending=record.pending)


def test_what_another_process_has_written_meanwhile_is_kept(tmp_path: Path):
    """A server's processes share the record, and each has read it at another time."""
    first, second = crash_record.read(tmp_path), crash_record.read(tmp_path)
    ours, theirs = Verdict(4, "rotten", "it hung", 0), Verdict(5, "rotten", "it hung", 1)
    first.add(ours)
    second.add(theirs)
    first.forgive(4, "other")
    first.carried_out([ours])
    assert crash_record.read(tmp_path) == Verdicts(pending=[theirs], row=["rotten", "rotten"], ends={5: 1})


def test_each_process_carries_out_what_is_said_of_it_and_the_first_one_what_is_left_over():
    """After a restart with fewer processes."""
    record = Verdicts(pending=[Verdict(game, "rotten", "it hung", game) for game in range(4)])
    assert [[one.game for one in record.of_process(number, 3)] for number in range(3)] == [[0, 3], [1], [2]]


@pytest.mark.parametrize("text", ["", "nonsense", "[]", "{}", '{"pending": [1], "row": [], "ends": {}}'])
def test_a_record_that_cannot_be_read_is_none(tmp_path: Path, text: str):
    (tmp_path / crash_record.FILE).write_text(text)
    assert crash_record.read(tmp_path) == Verdicts()


def test_the_place_is_the_innermost_one_in_the_rules():
    assert traces.place(TRACE, 0xBEEF) == "isles.py line 57"
    assert traces.place(TRACE, 0x123) == ""


@pytest.mark.parametrize(("trace", "expected"), [(TRACE, [Verdict(6, "isles", "it froze")]), ("", [])])
def test_a_server_without_a_parent_leaves_a_verdict_only_where_it_was_frozen(
    tmp_path: Path, trace: str, expected: list[Verdict]
):
    """One that was killed leaves its page, too, but no trace."""
    (tmp_path / unsupervised.PAGE).write_bytes(bytes(SIZE))
    with (tmp_path / unsupervised.PAGE).open("r+b") as file:
        page = Page(mmap.mmap(file.fileno(), SIZE))
    for thread, game, begun, until in ((0x123, 5, 9.0, 10.2), (0xBEEF, 6, 10.0, 10.5)):  # the older one waits
        line = page.row(thread, thread)
        line[GAME], line[RULESET], line[UNTIL], line[BEGUN] = game, page.place("isles"), until, begun
    (tmp_path / unsupervised.TRACE).write_text(trace)
    assert unsupervised.has_left(tmp_path)
    unsupervised.take_up(tmp_path)
    found = crash_record.read(tmp_path).pending
    assert [(verdict.game, verdict.ruleset) for verdict in found] == [(one.game, one.ruleset) for one in expected]
    assert all("isles.py line 57" in verdict.reason for verdict in found)
    assert not unsupervised.has_left(tmp_path)
