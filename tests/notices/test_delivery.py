"""Notifications: saved with their cause, delivered at least once.

Each has one id, and is dropped when it is no longer wanted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from told import Box, Told

from tests.support.server_in_memory import result_of
from tpserver.games.core.events import TurnClosed
from tpserver.notices.channels import MAIL, NotDelivered
from tpserver.notices.delivery import (
    CHANNEL_PAUSE,
    FIRST_PAUSE,
    GIVE_UP,
    LEASE,
    LONGEST_PAUSE,
    ONLINE_SECONDS,
    SEND_SECONDS,
    SPACING,
)
from tpserver.notices.lanes import AT_ONCE, HOST_AT_ONCE, REMEMBERED_SECONDS, SLOW_AT_ONCE, SLOW_SECONDS, Lane
from tpserver.store.games import outbox as store_outbox
from tpserver.store.games.outbox import Notice, OutboxState
from tpserver.store.people import notices as stored_notices
from tpserver.store.tables import outbox


def rows(told: Told) -> list[Any]:
    return list(told.server.store.read(lambda c: c.execute(select(outbox).order_by(outbox.c.id)).all()))


def state(told: Told, address: int) -> str:
    found = told.server.store.read(stored_notices.by_id, address)
    assert found is not None
    return found.state


def test_a_turn_is_told_to_whom_it_awaits_and_has_an_address(told: Told) -> None:
    """Once each; ben has no address, and hears nothing."""
    told.game()
    told.address("ann")
    told.server.close_turn()
    told.server.close_turn()
    told.pass_time(60)
    assert told.box.subjects == ["Your turn in first", "Your turn in first"]
    assert [notice.turn for notice, _ in told.box.came] == [1, 2]
    letter = told.box.came[-1][1]
    assert letter.lines == ["first (Auction): Round 3.", "There is no deadline."]
    assert letter.data["turn"] == 2
    assert letter.link == "https://games.example/"


def test_no_notice_names_who_plays_an_anonymous_game_before_its_end(told: Told) -> None:
    """Turns, deadlines and reminders name neither the other player nor the owner."""
    told.game("first", anonymous=True, clock="interval:7200")
    address = told.address("ann")
    told.wish("turn", hours=1)
    ben = told.server.player("ben", "json", "first")
    assert ben.ask("propose", game="first", kind="nudge").name == "okay"
    told.finish("ann", "ben")
    told.pass_time(7200, 600)
    assert len(told.box.came) > 2
    assert not any("ben" in str(letter) for _, letter in told.box.came)
    assert address.account == told.account("ann")


def test_who_is_reminded_by_another_player_is_told_once_more(told: Told) -> None:
    """Only awaited players who want a notification of each turn get it."""
    told.game()
    told.address("ann")
    told.address("ben")
    told.server.close_turn()
    told.pass_time(60)
    ben = told.server.player("ben", "pb")
    told.box.came.clear()
    assert ben.ask("propose", game="first", kind="nudge").text == "ann is reminded"
    told.pass_time(1)
    assert told.box.subjects == ["Your turn in first"]
    assert told.box.came[0][0].account == told.account("ann")


def test_a_game_that_starts_is_told_as_well(told: Told) -> None:
    told.game("other")
    told.address("ann")
    told.address("ben")
    told.game()
    told.pass_time(ONLINE_SECONDS + 10)  # both were online as it started
    assert told.box.subjects == ["Your turn in first"] * 2


def test_the_row_is_in_the_transaction_of_the_closing(told: Told, tmp_path: Path) -> None:
    """At any commit the database has both the turn and its notification, or neither."""
    told.game()
    told.address("ann")
    told.delivery.stop()
    seen = []

    def look(event: TurnClosed) -> None:
        copy = told.server.crashed(tmp_path / "copy.sqlite")
        turn = copy.game().row.turn
        found = copy.store.read(lambda c: c.execute(select(outbox.c.turn, outbox.c.next_try)).all())
        seen.append((turn, [(row.turn, row.next_try is not None) for row in found]))
        copy.stop()

    told.server.registry.bus.subscribe(TurnClosed, look)
    told.server.close_turn()
    assert seen == [(1, [(1, True)])]


def test_what_was_on_its_way_when_the_server_was_killed_is_sent_again_under_the_same_id(told: Told) -> None:
    told.game()
    told.address("ann")
    told.box.is_slow = True
    told.server.close_turn()
    told.pass_time(1)
    ((before, _),) = told.box.came
    told.killed()
    told.pass_time(1)
    ((after, _),) = told.box.came
    assert after.notice == before.notice
    assert after.tries == 2
    told.killed()
    told.pass_time(LEASE + 10)
    assert told.box.came == [], "it is delivered"


def test_a_channel_that_says_nothing_is_left_in_time_and_the_notice_tried_again(told: Told) -> None:
    """So it holds one of the ways for a minute only."""
    told.game()
    address = told.address("ann")
    told.box.is_slow = True
    told.server.close_turn()
    told.pass_time(SEND_SECONDS - 10)
    assert len(told.box.came) == 1
    told.pass_time(10 + FIRST_PAUSE + 10)
    assert len({notice.notice for notice, _ in told.box.came}) == 1
    assert len(told.box.came) == 2
    found = told.server.store.read(stored_notices.by_id, address.id)
    assert found is not None and found.problem == "it took too long to send it"


def test_what_another_process_has_taken_is_due_again_after_its_lease(told: Told) -> None:
    """Nothing waits for a process that has ended."""
    told.game()
    told.address("ann")
    told.delivery.stop()
    told.server.close_turn()
    now = told.server.now()

    def take(at: float) -> int:
        lane = Lane(["json"])
        work = told.server.store.write(store_outbox.take, lane.channels, lambda: lane.choice(at), LEASE, at)
        return len(result_of(work)[0])

    assert take(now) == 1
    assert told.server.store.read(store_outbox.next_try, ["json"]) == now + LEASE
    assert take(now + LEASE - 1) == 0
    assert take(now + LEASE) == 1


def test_a_failure_is_tried_again_later_and_later(told: Told) -> None:
    """The receiver is down for a day: nothing is lost, and it gets the notification within an hour of its return."""
    told.game()
    address = told.address("ann")
    told.box.problem = NotDelivered("nobody answers")
    told.server.close_turn()
    told.pass_time(24 * 3600, 60)
    (row,) = rows(told)
    assert 24 < row.tries < 40
    found = told.server.store.read(stored_notices.by_id, address.id)
    assert found is not None and found.problem == "nobody answers"
    told.box.problem = None
    told.pass_time(LONGEST_PAUSE + 60, 60)
    assert told.box.subjects == ["Your turn in first"]
    found = told.server.store.read(stored_notices.by_id, address.id)
    assert found is not None and found.problem == ""


def test_the_first_pauses_double(told: Told) -> None:
    told.game()
    told.address("ann")
    told.box.problem = NotDelivered("no")
    told.server.close_turn()
    tries = []
    for _ in range(12):
        told.pass_time(FIRST_PAUSE, 0.5)
        tries.append(rows(told)[0].tries)
    assert tries[0] == 2 or tries[1] == 2
    assert tries[-1] == 4, "after 0, 15, 45 and 105 seconds"


def test_what_the_other_side_asks_for_is_waited_but_not_for_ever(told: Told) -> None:
    told.game()
    told.address("ann")
    told.box.problem = NotDelivered("too many", wait=10**9)
    told.server.close_turn()
    told.pass_time(60)
    (row,) = rows(told)
    assert row.next_try - told.server.now() <= LONGEST_PAUSE


def test_after_three_days_the_address_is_given_up_and_its_player_told(told: Told) -> None:
    told.game()
    address = told.address("ann")
    told.box.problem = NotDelivered("nobody answers")
    told.server.close_turn()
    told.pass_time(GIVE_UP + LONGEST_PAUSE, 300)
    assert state(told, address.id) == "failing"
    assert rows(told) == []
    told.server.close_turn()
    assert rows(told) == [], "nothing more is written for it"
    ann = told.server.player("ann", "pb", game="first")
    letters = [one for one in ann.ask("get_message", id=1, slots=range(9)).things if hasattr(one, "subject")]
    (word,) = [one for one in letters if one.subject == "Notices could not be delivered"]
    assert "https://hooks.example/ann" in word.body
    assert "nobody answers" in word.body
    ben = told.server.player("ben", "pb", game="first")
    assert "hooks.example" not in str(ben.ask("get_message", id=2, slots=range(9)).frames)


def test_an_address_that_is_gone_is_given_up_at_once_and_verified_again_by_a_code(told: Told) -> None:
    told.game()
    address = told.address("ann")
    told.box.problem = NotDelivered("it is gone", final=True)
    told.server.close_turn()
    told.pass_time(1)
    assert state(told, address.id) == "failing"
    told.box.problem = None
    result_of(told.server.host.notices.verify(address.account, address.id, ""))
    told.pass_time(1)
    ((code, _),) = told.box.came
    result_of(told.server.host.notices.verify(address.account, address.id, code.code))
    assert state(told, address.id) == "verified"


def test_nobody_who_is_online_is_told_but_later_if_the_turn_still_awaits_them(told: Told) -> None:
    told.game()
    told.address("ann")
    ann = told.server.player("ann", game="first")
    told.server.close_turn()
    told.pass_time(2 * ONLINE_SECONDS)
    assert told.box.came == []
    ann.session.connection_lost()
    told.pass_time(ONLINE_SECONDS)
    assert told.box.subjects == ["Your turn in first"]
    assert told.box.came[0][0].tries == 1, "to wait is no try"


def test_who_has_finished_meanwhile_is_not_told(told: Told) -> None:
    told.game()
    told.address("ann")
    ann = told.server.player("ann", game="first")
    told.server.close_turn()
    ann.ask("finished_turn")
    ann.session.connection_lost()
    told.pass_time(2 * ONLINE_SECONDS)
    assert told.box.came == []


def test_a_newer_turn_takes_the_place_of_one_that_was_not_delivered(told: Told) -> None:
    """Rows do not pile up while a receiver is away: there is one, of the newest turn."""
    told.game(options={"rounds": 50})
    told.address("ann")
    told.box.problem = NotDelivered("no", wait=3600)
    for _ in range(5):
        told.server.close_turn()
        told.pass_time(10)
    assert [(row.kind, row.turn) for row in rows(told)] == [("turn", 5)]
    told.box.problem = None
    told.pass_time(2 * 3600, 60)
    assert [notice.turn for notice, _ in told.box.came] == [5]


def test_what_is_found_out_about_an_older_notice_does_not_touch_the_newer(told: Told) -> None:
    told.game()
    told.address("ann")
    told.box.is_slow = True
    told.server.close_turn()
    told.pass_time(1)
    told.server.close_turn()
    told.box.waiting[0].callback("")
    told.box.is_slow = False
    told.pass_time(10)
    assert [notice.turn for notice, _ in told.box.came] == [1, 2]


def test_a_message_is_changed_for_whom_has_not_come_and_a_new_one_written_for_whom_has(told: Told) -> None:
    told.game(clock="interval:3600")
    told.address("ann")
    told.box.message = "m1"
    told.server.close_turn()
    told.pass_time(60)
    told.box.message = "m2"
    told.server.close_turn()  # ann had not finished
    told.pass_time(60)
    told.finish("ann", "ben")
    told.pass_time(60)
    assert [(notice.turn, notice.message) for notice, _ in told.box.came] == [(1, ""), (2, "m1"), (3, "")]


def test_an_end_is_told_and_what_was_waiting_goes(told: Told) -> None:
    told.game(options={"rounds": 2})
    told.address("ann")
    told.server.close_turn()
    told.server.close_turn()
    told.pass_time(60)
    assert told.box.subjects[-1] == "first is over"
    assert told.box.came[-1][1].lines[0].startswith("first: Game over")
    assert rows(told) == []


def test_at_most_so_many_are_on_their_way_and_of_an_address_one(told: Told) -> None:
    """A receiver that hangs holds up nobody else."""
    for number in range(3):
        told.game(f"game {number}")
    told.address("ann")
    told.address("ben")
    told.box.is_slow = True
    for number in range(3):
        told.server.close_turn(f"game {number}")
    told.pass_time(30)
    assert sorted(notice.account for notice, _ in told.box.came) == [1, 2]
    assert len(told.box.came) <= AT_ONCE
    for waiting in list(told.box.waiting):
        waiting.callback("")
    told.pass_time(30)
    assert len(told.box.came) == 4


def spread(told: Told, number: int, target: str) -> None:
    """Start games of so many further pairs of players, each with a webhook; none has had a notice."""
    for pair in range(number):
        made = told.server.create(f"of {target} {pair}".replace("/", " ")[:60])
        for who in ("a", "b"):
            name = f"{who}{made.row.id}"
            client = told.server.player(name, game=made.name)
            client.hang_up()
            book = told.server.host.notices
            added = result_of(book.add(told.account(name), "json", f"https://{target}/{name}", "token"))
            assert result_of(book.verify(added.account, added.id, added.code))
    told.pass_time(10)
    told.box.came.clear()


def test_no_more_than_so_many_are_on_their_way(told: Told) -> None:
    """One of an account and two to a host; the rest goes as soon as one of those has come to its end."""
    told.game()
    for name in ("ann", "ben"):
        for number in range(3):
            told.address(name, target=f"https://{name}{number}.example/hook")
    spread(told, 3, "hooks.example")
    told.box.is_slow = True
    for game in ["first", *(f"of hooks.example {pair}" for pair in range(3))]:
        told.server.close_turn(game)
    told.pass_time(4, 1)
    assert len(told.box.came) == 2 + HOST_AT_ONCE
    assert sorted(notice.account for notice, _ in told.box.came)[:2] == [1, 2]
    for waiting in list(told.box.waiting):
        waiting.callback("")
    told.pass_time(1, 1)
    assert len(told.box.came) == 2 * (2 + HOST_AT_ONCE)


@pytest.mark.thorough
def test_slow_receivers_delay_neither_mails_nor_others_for_long(told: Told) -> None:
    """Sixteen webhooks that never answer: a mail goes at once, and after a time-out they share a small part."""
    told.game()
    told.address("ann", MAIL)
    for pair in range(8):
        spread(told, 1, f"slow{pair}.example")
    told.box.is_slow = True
    games = [row.name for row in told.server.registry.directory.rows()]
    for game in games[1:]:
        told.server.close_turn(game)
    told.pass_time(1, 1)
    hooks = len(told.box.came)
    assert hooks == AT_ONCE
    told.server.close_turn("first")
    told.pass_time(1, 1)
    assert [notice.channel for notice, _ in told.box.came[hooks:]] == ["mail"]
    told.pass_time(2 * SEND_SECONDS)
    told.box.is_slow = False
    told.address("ben", target="https://quick.example/hook")
    told.box.is_slow = True
    told.server.close_turn("first")
    told.pass_time(1, 1)
    assert "https://quick.example/hook" in [notice.target for notice, _ in told.box.came]


def test_a_slow_receiver_has_a_small_part_of_its_lane_until_it_is_quick() -> None:
    """Neither a host nor an account that was slow delays others, however many notices wait for it."""

    def notice(number: int, host: str) -> Notice:
        return Notice(number, 1, "turn", 1, "", 0.0, 1, "", number, number, "json", f"https://{host}/x", "", "")

    lane = Lane(["json"])
    slow = [notice(number, f"slow{number}.example") for number in range(1, 20)]
    for one in slow:
        lane.begin(one)
        lane.note_time(one, SLOW_SECONDS, 0.0)
        lane.end(one)
    choice = lane.choice(1.0)
    assert [choice.take(one.account, "json", one.target) for one in slow].count(True) == SLOW_AT_ONCE
    assert [choice.take(100 + number, "json", f"https://h{number}/") for number in range(20)].count(True) == AT_ONCE
    assert choice.is_full
    assert {one.account for one in slow} <= choice.excluded
    choice = lane.choice(1.0)
    hosts = [f"https://{host}/x" for host in ("SLOW1.example", "slow1.example.", "slow1.example:443")]
    assert [choice.take(200 + number, "json", host) for number, host in enumerate(hosts)] == [True, True, False]
    lane.note_time(slow[0], 0.1, 2.0)
    choice = lane.choice(2.0)
    assert all(choice.take(account, "json", f"https://slow1.example/{account}") for account in (1, 300))
    assert choice.free == AT_ONCE - HOST_AT_ONCE
    assert not lane.choice(2.0 + REMEMBERED_SECONDS).slow


def test_an_address_rests_for_a_moment_after_each_notice(told: Told) -> None:
    """Twenty games that close at once are no twenty mails in a second."""
    for number in range(2):
        told.game(f"game {number}")
    told.address("ann")
    for number in range(2):
        told.server.close_turn(f"game {number}")
    told.pass_time(SPACING - 0.5, 0.5)
    assert len(told.box.came) == 1
    told.pass_time(1, 0.5)
    assert len(told.box.came) == 2


def test_a_channel_that_is_down_rests_and_the_others_go_on(told: Told) -> None:
    told.game()
    told.address("ann", "mail")
    told.address("ben", "json")
    good, bad = told.box, Box()
    bad.problem = NotDelivered("the mail server is away", channel=True)
    told.delivery.channels = {**told.delivery.channels, "mail": bad}
    told.server.close_turn()
    told.pass_time(CHANNEL_PAUSE - 10)
    assert good.subjects == ["Your turn in first"]
    assert [row.tries for row in rows(told) if row.next_try] == [1]
    bad.problem = None
    told.pass_time(CHANNEL_PAUSE)
    assert bad.subjects == ["Your turn in first"]


@pytest.mark.thorough
def test_a_channel_that_is_down_for_longer_than_a_notice_lives_costs_nobody_the_address(told: Told) -> None:
    """The operator's mail settings are wrong for a week: old notifications are dropped, the next turn is sent."""
    told.game()
    address = told.address("ann", "mail")
    told.box.problem = NotDelivered("the mail server is away", channel=True)
    told.server.close_turn()
    told.pass_time(GIVE_UP + 2 * LONGEST_PAUSE, 300)
    assert state(told, address.id) == "verified"
    assert [row.next_try for row in rows(told)] == [None]
    told.box.problem = None
    told.server.close_turn()
    told.pass_time(2 * CHANNEL_PAUSE)
    assert told.box.subjects == ["Your turn in first"]


def test_how_the_outbox_is_can_be_told(told: Told) -> None:
    """It counts waiting, due and failed ones, and their age. One that waits for its time has not failed."""

    def found() -> OutboxState:
        return told.server.store.read(store_outbox.state_of, told.server.now())

    told.game(clock="interval:86400")
    told.address("ann")
    told.wish("turn", 3)
    assert found() == OutboxState(0, 0, 0, None, 0)
    told.box.problem = NotDelivered("no", channel=True)
    begun = told.server.now()
    told.server.close_turn()
    assert told.delivery.down()["json"]
    assert found() == OutboxState(waiting=2, due=0, failed=1, oldest=begun, given_up=0)
    told.delivery.stop()
    told.pass_time(FIRST_PAUSE + 1)
    assert found().due == 1
    told.box.problem = NotDelivered("gone", final=True)
    told.deliver()
    told.pass_time(CHANNEL_PAUSE)
    assert found() == OutboxState(0, 0, 0, None, 1)
    assert not told.delivery.down()["json"]


def test_a_game_that_is_held_waits_with_its_notice(told: Told) -> None:
    told.game()
    told.address("ann")
    told.delivery.stop()
    told.server.close_turn()
    told.server.undergo("hold")
    told.deliver()
    told.pass_time(3600, 60)
    assert told.box.came == []
    result_of(told.server.registry.control.resume(told.server.game()))
    told.pass_time(3600, 60)
    assert told.box.subjects == ["Your turn in first"]


@pytest.mark.thorough
def test_a_notice_that_waits_for_too_long_is_not_sent_any_more(told: Told) -> None:
    """As that of a game that has been held for days: its turn is old when it goes on."""
    told.game()
    told.address("ann")
    told.delivery.stop()
    told.server.close_turn()
    told.server.undergo("hold")
    told.deliver()
    told.pass_time(GIVE_UP, 300)
    assert [row.next_try for row in rows(told)] == [None]
    result_of(told.server.registry.control.resume(told.server.game()))
    told.pass_time(3600, 60)
    assert told.box.came == []


def test_a_full_disk_delays_a_notice_and_loses_none(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notification is not sent while its taking cannot be saved. It is sent as soon as that works."""
    from twisted.internet.defer import fail

    from tpserver.store import StoreError

    told.game()
    told.address("ann")
    write = told.server.store.write
    told.delivery.stop()
    told.server.close_turn()
    monkeypatch.setattr(told.server.store, "write", lambda *a, **k: fail(StoreError("The disk is full.", code="full")))
    told.deliver()
    told.pass_time(60)
    assert told.box.came == []
    monkeypatch.setattr(told.server.store, "write", write)
    told.pass_time(60)
    assert told.box.subjects == ["Your turn in first"]


def test_there_is_one_row_of_a_kind_for_an_address_and_a_game(told: Told) -> None:
    """However many turns pass: what is delivered stays as the last one only."""
    told.game(clock="interval:86400", options={"rounds": 100})
    told.wish("turn", 1)
    told.address("ann")
    for _ in range(20):
        told.server.close_turn()
        told.pass_time(10)
    assert told.server.store.read(lambda c: c.scalar(select(func.count()).select_from(outbox))) == 2
