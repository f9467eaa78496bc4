"""Stored snapshots, views of seats, and message boards."""

import dataclasses
import zlib

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from tests.support.stored import all_messages
from tpserver.fault_points import interfering
from tpserver.store import StoreError, tables
from tpserver.store.games import boards, journal, snapshots, views
from tpserver.store.games import rows as games


def snapshot(turn, **changes):
    values = {
        "game": 1,
        "turn": turn,
        "journal_number": turn * 10,
        "at": 5.5,
        "phase": "orders",
        "title": f"Turn {turn}",
        "digest": f"d{turn}",
        "state": {"world": {"b": [1, 2], "a": "ä"}, "version": 1},
        "events": [["captured", 3]],
        "outcome": None,
    }
    return snapshots.Snapshot(**{**values, **changes})


def test_snapshots_come_back_by_turn_and_the_newest_is_the_last_turn(store, do, game):
    taken = [snapshot(0), snapshot(2, outcome={"winner": 1}), snapshot(1)]
    for one in taken:
        do(lambda c, one=one: snapshots.put(c, one))
    assert store.read(lambda c: snapshots.newest(c, 1)) == taken[1]
    assert store.read(lambda c: snapshots.by_turn(c, 1, 1)) == taken[2]
    assert store.read(lambda c: snapshots.digests(c, 1)) == [(0, "d0"), (1, "d1"), (2, "d2")]


def test_a_power_cut_may_come_as_soon_as_a_snapshot_is_put(store, do, game):
    points = []

    def put(c):
        snapshots.put(c, snapshot(1))
        points.append("put")

    with interfering(points.append):
        do(put)
    assert points.index("put") == points.index("snapshot: put") + 1


def test_no_snapshot_is_none(store, game):
    assert store.read(lambda c: snapshots.newest(c, 1)) is None
    assert store.read(lambda c: snapshots.by_turn(c, 1, 0)) is None
    assert store.read(lambda c: snapshots.digests(c, 1)) == []


def test_a_turn_has_one_snapshot(store, do, game):
    do(lambda c: snapshots.put(c, snapshot(1)))
    with pytest.raises(IntegrityError):
        do(lambda c: snapshots.put(c, snapshot(1, digest="other")))
    assert store.read(lambda c: snapshots.newest(c, 1)).digest == "d1"


def test_a_world_lies_in_its_row_as_compressed_canonical_json(store, do, game):
    do(lambda c: snapshots.put(c, snapshot(1)))
    column = tables.snapshots.c.state
    raw = store.read(lambda c: bytes(c.exec_driver_sql(f"SELECT {column.name} FROM snapshots").scalar_one()))
    assert zlib.decompress(raw) == b'{"version":1,"world":{"a":"\\u00e4","b":[1,2]}}'
    assert store.read(lambda c: c.execute(select(column)).scalar_one()) == snapshot(1).state


def test_equal_documents_give_equal_bytes_whatever_the_order_of_their_keys():
    assert tables.pack({"a": 1, "b": 2}) == tables.pack({"b": 2, "a": 1})


def test_a_view_is_replaced_and_the_spectator_has_one_too(store, do, game):
    do(lambda c: views.put_all(c, 1, {0: b"\x00old", None: b"all"}))
    do(lambda c: views.put_all(c, 1, {0: b"new\xff"}))
    assert [store.read(lambda c, s=s: views.get(c, 1, s)) for s in (0, None, 1)] == [b"new\xff", b"all", None]


def message(number, board=1, **changes):
    values = {
        "game": 1,
        "board": board,
        "number": number,
        "turn": 2,
        "at": 7.25,
        "sender": None,
        "subject": "Harvest",
        "body": "Two ära\0",
        "references": [[3, 17], [1, 0]],
    }
    return boards.StoredMessage(**{**values, **changes})


def test_messages_come_back_by_board_and_number(store, do, game):
    do(lambda c: boards.post_all(c, [message(0, board=2, sender=1), message(0), message(1), message(5)]))
    do(lambda c: boards.post_all(c, [message(6)]))
    do(lambda c: boards.post_all(c, []))
    assert store.read(lambda c: all_messages(c, 1)) == [
        message(0),
        message(1),
        message(5),
        message(6),
        message(0, board=2, sender=1),
    ]


def test_removing_the_last_message_does_not_free_its_number(store, do, game):
    do(lambda c: boards.post_all(c, [message(0), message(1)]))
    do(lambda c: boards.remove(c, 1, 1, [1, 7]))
    assert store.read(lambda c: boards.texts(c, 1, 1, [0, 1])) == {0: message(0)}
    assert store.read(lambda c: boards.last_numbers(c, 1)) == {1: 1}
    with pytest.raises(
        StoreError, match="Message 1 cannot be put on board 1 of game 1: its numbers have reached 1"
    ) as e:
        do(lambda c: boards.post_all(c, [message(0, board=3), message(1)]))
    assert e.value.code == "number"
    assert store.read(lambda c: all_messages(c, 1)) == [message(0)], "nothing of the refused post stays"


def test_boards_of_another_game_are_apart(store, do, game, new_game):
    do(lambda c: new_game(c, "Carthage"))
    do(lambda c: boards.post_all(c, [message(4), message(0, game=2)]))
    assert store.read(lambda c: boards.last_numbers(c, 2)) == {1: 0}
    assert [m.number for m in store.read(lambda c: all_messages(c, 2))] == [0]


def saved(do, game, versions):
    """Save a snapshot for each of these versions of the ruleset."""
    for turn, version in enumerate(versions):
        state = {"version": version, "world": [turn]}
        one = snapshot(turn, state=state, game=getattr(game, "id", game))
        do(lambda c, one=one: snapshots.put(c, one))


def thinned(store):
    """The turns whose worlds are gone; what is left there is the version."""
    found = [store.read(snapshots.by_turn, 1, turn) for turn in store.read(snapshots.turns, 1)]
    assert all(("world" in one.state) is not bool(one.thinned) for one in found)
    return [one.turn for one in found if one.thinned]


def test_what_is_thinned_keeps_all_but_its_world(store, do, game):
    """Once more changes nothing, and neither do turns and games that are not there."""
    saved(do, game, [1] * 8)
    before = store.read(snapshots.by_turn, 1, 3)
    reached, found = store.read(snapshots.to_thin, 1, 4, -1, 5, 100)
    assert (reached, found) == (5, {1: 1, 2: 1, 3: 1, 5: 1})
    do(lambda c: snapshots.thin(c, 2, found))
    assert thinned(store) == []
    for turns in (found, dict.fromkeys(found, 2), {99: 1}, {}):
        do(lambda c, turns=turns: snapshots.thin(c, 1, turns))
    assert thinned(store) == [1, 2, 3, 5]
    after = store.read(snapshots.by_turn, 1, 3)
    assert after == dataclasses.replace(before, state={"version": 1}, thinned=True)
    assert store.read(snapshots.kept_before, 1, 3).turn == 0
    assert store.read(snapshots.kept_before, 1, 6).turn == 4
    assert store.read(snapshots.kept_before, 1, 0) is None
    assert store.read(snapshots.versions, 1) == [(turn, 1) for turn in range(8)]
    assert store.read(snapshots.digests_between, 1, 1, 3) == {2: "d2", 3: "d3"}
    assert store.read(snapshots.to_thin, 1, 4, -1, 5, 100) == (5, {})


@pytest.mark.parametrize(
    ("versions", "kept"),
    [
        ([1, 1, 1, 2, 2, 2, 2], {1, 2}),
        ([1, 2, 3, 3, 3, 3, 3], {0, 1}),
        ([1, 1, 1, 1, 1, 1, 2], {4, 5}),
        ([1, 1, 2, 3, 3, 4, 4], {0, 1, 2, 3, 4}),
    ],
)
def test_the_last_two_turns_of_a_version_are_kept(store, do, game, versions, kept):
    """From the last its successor goes on, and players go back to the one before."""
    saved(do, game, versions)
    _, found = store.read(snapshots.to_thin, 1, 100, -1, 4, 100)
    assert set(found) == set(range(1, 5)) - kept
    assert all(versions[turn] == version for turn, version in found.items())


def test_thinning_goes_on_where_it_has_looked(store, do, game, new_game):
    """Also where nothing of what it has looked at was to be thinned. Of another game nothing is looked at."""
    do(lambda c: new_game(c, "Carthage"))
    saved(do, 2, [9] * 8)
    saved(do, game, [1, 2, 3, 4, 4, 4, 4, 4])
    assert store.read(snapshots.to_thin, 1, 5, 2, 5, 2) == (5, {3: 4, 4: 4}), "these were all"
    assert store.read(snapshots.to_thin, 1, 100, -1, 5, 2) == (2, {})
    assert store.read(snapshots.to_thin, 1, 100, 2, 5, 2) == (4, {3: 4, 4: 4})
    assert store.read(snapshots.to_thin, 1, 100, 4, 5, 2) == (5, {5: 4})
    assert store.read(snapshots.to_thin, 1, 100, 5, 5, 2) == (5, {})


def test_which_games_are_looked_at_and_when_they_ended(store, do, game):
    do(lambda c: games.update(c, 1, turn=5, state="running", watch_delay=3))
    assert store.read(snapshots.played, 5, None) == [snapshots.Played(1, 5, "running", 3)]
    assert store.read(snapshots.played, 6, None) == store.read(snapshots.played, 5, "over") == []
    saved(do, game, [1, 1])
    assert store.read(snapshots.ended, 1) is None
    do(lambda c: games.update(c, 1, state="over"))
    assert store.read(snapshots.ended, 1) == store.read(snapshots.newest, 1).at
    do(lambda c: journal.append(c, journal.JournalEntry(1, 1, 1, 9e9, None, journal.ABORT, {})))
    assert store.read(snapshots.ended, 1) == 9e9


def test_of_each_turn_its_end_its_events_and_its_version_are_found(store, do, game, new_game):
    """Not those of another game."""
    do(lambda c: new_game(c, "Carthage"))
    do(lambda c: snapshots.put(c, snapshot(1, game=2, events=[["other"]], journal_number=99)))
    for turn in (2, 0, 1):
        state = {"version": turn + 1}
        do(lambda c, turn=turn, state=state: snapshots.put(c, snapshot(turn, state=state, events=[["at", turn]])))
    read = store.read
    assert [read(snapshots.closed_by, 1, turn) for turn in (0, 1, 2)] == [10, 20, None]
    assert read(snapshots.events, 1) == [["at", 0], ["at", 1], ["at", 2]]
    assert read(snapshots.versions, 1) == [(0, 1), (1, 2), (2, 3)]
    assert read(snapshots.turns, 1) == [0, 1, 2] and read(snapshots.turns, 2) == [1]
    assert read(snapshots.digests, 1) == [(0, "d0"), (1, "d1"), (2, "d2")]
    assert [read(snapshots.newest, 1).version, read(snapshots.by_turn, 2, 1).game] == [3, 2]
    assert read(snapshots.by_turn, 2, 2) is read(snapshots.kept_before, 2, 1) is None
    assert read(snapshots.digests_between, 1, 0, 2) == {1: "d1", 2: "d2"}


def test_games_whose_worlds_may_be_thinned_are_those_with_so_many_turns(store, do, game, new_game):
    do(lambda c: new_game(c, "Carthage"))
    for number, turn, state in ((1, 7, "running"), (2, 8, "over")):
        do(lambda c, number=number, turn=turn, state=state: games.update(c, number, turn=turn, state=state))
    both = [snapshots.Played(1, 7, "running", None), snapshots.Played(2, 8, "over", None)]
    assert store.read(snapshots.played, 7, None) == both
    assert store.read(snapshots.played, 8, None) == store.read(snapshots.played, 7, "over") == both[1:]


def test_a_game_that_was_aborted_before_its_first_turn_ended_then(store, do, game):
    do(lambda c: games.update(c, 1, state="over"))
    assert store.read(snapshots.ended, 1) == 0.0
    do(lambda c: journal.append(c, journal.JournalEntry(1, 1, 0, 77.0, None, journal.ABORT, {})))
    assert store.read(snapshots.ended, 1) == 77.0
    do(lambda c: snapshots.put(c, snapshot(0, at=78.0)))
    do(lambda c: snapshots.put(c, snapshot(1, at=76.0)))
    assert store.read(snapshots.ended, 1) == 77.0, "the last turn began before"
