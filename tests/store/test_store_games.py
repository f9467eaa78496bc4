"""Stored games and seats."""

import pytest
from sqlalchemy.exc import IntegrityError

from tpserver.store import NameTaken, StoreError
from tpserver.store.games import rows as games
from tpserver.store.people import accounts


def test_a_game_comes_back_as_it_was_made_with_empty_seats(store, do, new_game):
    made = do(lambda c: new_game(c, "Rome", seats=3, bots=1, options={"z": [1, None], "a": "ä\0"}))
    assert made.seed == b"\x00seed\xff" and made.state == "waiting" and made.turn == 0 and made.started is None
    assert list(made.options) == ["z", "a"]
    for find in (lambda c: games.by_name(c, "rOME"), lambda c: games.by_id(c, made.id), lambda c: games.all(c)[0]):
        found = store.read(find)
        assert found == made
        assert list(found.options) == ["z", "a"], "options keep the order in which they were given"
    there = store.read(lambda c: games.seats(c, made.id))
    assert there == [games.SeatRow(made.id, seat, None, "", False) for seat in range(3)]
    assert all(seat.empty for seat in there)


def test_a_game_without_seats_and_games_that_are_not_there(store, do, new_game):
    made = do(lambda c: new_game(c, seats=0))
    assert store.read(lambda c: games.seats(c, made.id)) == []
    assert store.read(lambda c: games.by_id(c, 9)) is None
    assert store.read(lambda c: games.by_name(c, "nowhere")) is None


def test_two_games_of_one_name_are_refused_whole(store, do, new_game):
    do(new_game)
    with pytest.raises(NameTaken, match="already a game named 'ROME'"):
        do(lambda c: new_game(c, "ROME"))
    assert len(store.read(games.all)) == 1


def test_a_seat_is_taken_once(store, do, game, account):
    other = do(lambda c: accounts.add(c, "Bob", "h", now=1.0))
    do(lambda c: games.take_seat(c, game.id, 1, account.id, "Ann"))
    taken = games.SeatRow(game.id, 1, account.id, "Ann", False)
    assert store.read(lambda c: games.seats(c, game.id))[1] == taken and not taken.empty
    with pytest.raises(StoreError, match="Seat 1 of game 1 is taken"):
        do(lambda c: games.take_seat(c, game.id, 1, other.id, "Bob"))
    assert store.read(lambda c: games.seats(c, game.id))[1] == taken


@pytest.mark.parametrize(("number", "seat"), [(1, 2), (5, 0)])
def test_a_seat_that_is_not_there_is_refused(do, game, account, number, seat):
    with pytest.raises(StoreError, match=f"Seat {seat} of game {number} is taken, or there is no such seat"):
        do(lambda c: games.take_seat(c, number, seat, account.id, "Ann"))


def test_an_account_has_one_seat_a_game(store, do, game, account, new_game):
    do(lambda c: games.take_seat(c, game.id, 0, account.id, "Ann"))
    with pytest.raises(IntegrityError, match="seats"):
        do(lambda c: games.take_seat(c, game.id, 1, account.id, "Ann"))
    second = do(lambda c: new_game(c, "Carthage"))
    do(lambda c: games.take_seat(c, second.id, 1, account.id, "Ann"))
    theirs = store.read(games.seats_by_game)
    assert {number: [s.account for s in seats] for number, seats in theirs.items()} == {
        game.id: [account.id, None],
        second.id: [None, account.id],
    }


def test_bots_of_the_server_need_no_account(store, do, game):
    for seat in (0, 1):
        do(lambda c, seat=seat: games.take_seat(c, game.id, seat, None, f"bot {seat}", bot=True))
    assert [(s.name, s.bot, s.empty) for s in store.read(lambda c: games.seats(c, game.id))] == [
        ("bot 0", True, False),
        ("bot 1", True, False),
    ]


def test_columns_change_and_stay(store, do, game):
    do(lambda c: games.update(c, game.id, state="running", started=5.5, deadline=99.25, turn=3))
    do(lambda c: games.update(c, game.id, deadline=None, left=12.5, state="paused"))
    do(lambda c: games.update(c, game.id))
    now = store.read(lambda c: games.by_id(c, game.id))
    assert (now.state, now.started, now.deadline, now.left, now.turn) == ("paused", 5.5, None, 12.5, 3)


def test_a_change_of_no_game_is_told(do, game):
    with pytest.raises(StoreError, match="number 9"):
        do(lambda c: games.update(c, 9, turn=1))


@pytest.mark.parametrize(("column", "value"), [("state", "asleep"), ("join", "closed")])
def test_the_database_itself_refuses_a_word_that_is_none_of_its_column(store, do, game, column, value):
    with pytest.raises(Exception, match=f"ck_games_{column}"):
        do(lambda c: games.update(c, game.id, **{column: value}))
    assert store.read(lambda c: games.by_id(c, game.id)) == game
