"""Snapshots, what seats see, and message boards."""

import zlib

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from tests.support.stored import all_messages
from tpserver.store import StoreError, boards, snapshots, tables, views


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
