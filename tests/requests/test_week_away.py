"""A simulated week away: list of games, summaries and history on return.

The player is shown the turns and messages since the last-seen mark. Nobody else is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.server_in_memory import Client, Server, everything, result_of
from tpserver.games.hall import last_seen
from tpserver.games.hall.last_seen import RETRY_SECONDS, SAVE_SECONDS
from tpserver.store.people import last_seen as stored_last_seen
from tpserver.store.people.last_seen import LastLook

DAY = 24 * 60 * 60
DAILY = f"interval:{DAY}"


def at_home(server: Server, name: str = "ann", dialect: str = "pb") -> Client:
    """A connection that is logged in to an account and to no game."""
    client = server.connect(dialect)
    assert client.ask("login_account", username=name, password=f"{name}'s word").name == "account"
    return client


def new_in(client: Client, game: str = "first") -> tuple[int, int]:
    """The new turns and messages of a game, from the list of the account's games."""
    (found,) = (one for one in client.ask("get_my_games").message.games if one.name == game)
    return found.new_turns, found.new_letters


def news(server: Server, name: str = "ann", game: str = "first") -> tuple[int, int]:
    return new_in(at_home(server, name), game)


def write_to(client: Client, board: int, subject: str = "Hello") -> None:
    assert client.ask("post_message", id=board, slot=-1, subject=subject, body="?").name == "okay"


@pytest.fixture
def week(server: Server) -> Server:
    """Three players of a game of a turn a day; ann has ordered and left, ben stays, cem has left."""
    server.create("first", seats=3, clock=DAILY, options={"rounds": "30"})
    ann, ben, cem = server.players(3, "pb", "first")
    assert ann.bid(3, "for a week").name in ("okay", "order")
    ann.hang_up()
    cem.hang_up()
    server.ben = ben  # type: ignore[attr-defined] # to be asked later
    return server


def pass_days(server: Server, days: int) -> None:
    """Let turns end by their deadline, day after day."""
    for _ in range(days):
        before = server.game().state.turn
        server.pass_time(DAY)
        assert server.game().state.turn == before + 1


# --- the week ---------------------------------------------------------------------------------------------------------


def test_who_comes_back_after_a_week_is_told_what_happened_meanwhile(week: Server):
    """The list, then the summaries of exactly those turns, then each of them in the history."""
    ben: Client = week.ben  # type: ignore[attr-defined]
    for day in range(7):
        pass_days(week, 1)
        if day in (1, 4):
            write_to(ben, 1, f"Day {day}")
    ann = at_home(week)
    assert new_in(ann) == (7, 2)
    assert ann.ask("enter_game", game="first").name == "okay"
    turn = ann.ask("get_time_remaining").message.turn
    new, letters = new_in(ann)
    assert (turn, new, letters) == (7, 7, 2), "this connection can ask when it is in the game, too"
    told = ann.ask("get_turn_summaries", first=turn - new + 1, amount=new).things
    assert [one.turn for one in told] == [1, 2, 3, 4, 5, 6, 7]
    assert [report.subject for report in told[0].reports] == ["The time ran out", "Sold"]
    assert all([report.subject for report in one.reports] == ["The time ran out"] for one in told[1:])
    for one in told[:-1]:
        past = week.connect("pb")
        aim = f"ann@first/turn/{one.turn}"
        assert past.ask("login", username=aim, password="ann's word").name == "okay"
        assert past.ask("get_time_remaining").message.turn == one.turn
        assert past.ask("get_time_remaining").message.turn_name == one.title
        past.hang_up()


def test_days_are_counted_one_by_one_and_a_visit_begins_anew(week: Server):
    home = at_home(week)
    for days in (1, 2, 3):
        pass_days(week, 1)
        assert new_in(home) == (days, 0)
    week.player("ann", "pb", "first").hang_up()
    assert new_in(home) == (0, 0)
    pass_days(week, 2)
    assert new_in(home) == (2, 0)


def test_who_stays_sees_each_turn_as_it_begins(week: Server):
    pass_days(week, 3)
    assert news(week, "ben") == (0, 0)
    week.ben.hang_up()  # type: ignore[attr-defined]
    assert news(week, "ben") == (0, 0)
    pass_days(week, 1)
    assert news(week, "ben") == (1, 0)


def test_every_dialect_looks(server: Server, dialect: str):
    """Programs of 2005-2010, too: the page does not show as new the turns that they have shown."""
    server.create("first", clock=DAILY)
    ann, ben = server.players(2, dialect, "first")
    ann.hang_up()
    pass_days(server, 2)
    write_to(ben, 1)
    assert news(server) == (2, 1)
    ann = server.player("ann", dialect, "first")
    assert news(server) == (0, 1)
    pass_days(server, 1)
    ann.messages()
    assert news(server) == (0, 0)


def test_of_its_own_game_a_connection_is_told_since_the_look_before_it_came(week: Server):
    """Also in a turn that begins after that; other connections of the account have nothing new."""
    pass_days(week, 4)
    ann = week.player("ann", "pb", "first")
    assert new_in(ann) == (4, 0)
    pass_days(week, 1)
    assert new_in(ann) == (5, 0)
    assert news(week) == (0, 0)
    again = week.player("ann", "pb", "first")
    assert new_in(again) == (0, 0)


def test_of_other_games_a_connection_is_told_what_is_new_now(week: Server):
    """News of its own game are not news of another. A visit to the other game from elsewhere counts."""
    week.create("second", seats=2, clock=DAILY, options={"rounds": "30"})
    for client in week.players(2, "pb", "second"):
        client.hang_up()
    week.pass_time(3 * DAY)
    ann = week.player("ann", "pb", "first")
    before = new_in(ann, "second")
    assert before[0] > 0
    week.player("ann", "tp03", "second").hang_up()
    assert new_in(ann, "second") == (0, 0)
    assert new_in(ann, "first")[0] > 0


# --- what is a look ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("aim", ["first/turn/1", "first/turn/3", ""])
def test_old_turns_and_the_list_are_no_looks(week: Server, aim: str):
    pass_days(week, 3)
    write_to(week.ben, 1)  # type: ignore[attr-defined]
    client = at_home(week)
    if aim:
        assert client.ask("enter_game", game=aim).name == "okay"
        client.messages()
        client.ids()
    pass_days(week, 1)
    client.hang_up()
    assert news(week) == (4, 1)
    assert news(week.restarted()) == (4, 1), "nothing else is stored"


def test_going_from_old_turn_to_old_turn_is_no_look(week: Server):
    pass_days(week, 3)
    past = week.connect("pb")
    past.ask("login", username="ann@first/turn/0", password="ann's word")
    assert past.ask("show_turn", turn=2).name == "turn_shown"
    assert news(week) == (3, 0)
    assert new_in(past) == (3, 0)
    assert news(week.restarted()) == (3, 0)


def test_a_letter_is_new_until_it_is_fetched(week: Server):
    """Not until somebody has merely been there: it may have come in the last moment."""
    ben: Client = week.ben  # type: ignore[attr-defined]
    ann = week.player("ann", "pb", "first")
    write_to(ben, 1, "first")
    write_to(ben, 1, "second")
    ann.hang_up()
    assert news(week) == (0, 2)
    ann = week.player("ann", "pb", "first")
    board = ann.messages()
    assert [one.subject for one in board[-2:]] == ["first", "second"]
    assert news(week) == (0, 0)
    write_to(ben, 1, "third")
    assert news(week) == (0, 1)
    ann.ask("remove_message", id=0, slots=[len(board)])
    assert news(week) == (0, 0)


def test_neither_reports_nor_what_one_writes_is_a_letter(week: Server):
    ann = week.player("ann", "pb", "first")
    write_to(ann, 2)
    write_to(ann, 1, "to myself")
    ann.hang_up()
    pass_days(week, 2)
    assert news(week) == (2, 0)
    assert news(week, "ben") == (0, 1)


def test_who_has_never_looked_has_all_turns_before_them(server: Server):
    """A seat that the operator gave; and a game that begins has one new turn, its first."""
    server.create("first", seats=2, clock=DAILY)
    ann = server.player("ann", "pb", "first")
    ann.hang_up()
    assert news(server) == (0, 0), "it waits for players"
    ben = result_of(server.accounts.login("ben", "ben's word", server.connect().session.caller()))
    result_of(server.registry.lobby.take_seat(server.game(), ben.id, "ben"))
    assert (news(server), news(server, "ben")) == ((1, 0), (1, 0))
    pass_days(server, 2)
    assert news(server, "ben") == (3, 0)


# --- where it is kept -------------------------------------------------------------------------------------------------


def test_looks_survive_a_restart(week: Server):
    pass_days(week, 2)
    write_to(week.ben, 1)  # type: ignore[attr-defined]
    week.player("cem", "tp03", "first").hang_up()
    later = week.restarted()
    assert [news(later, name) for name in ("ann", "ben", "cem")] == [(2, 1), (0, 0), (0, 0)]
    pass_days(later, 1)
    assert [news(later, name) for name in ("ann", "ben", "cem")] == [(3, 1), (1, 0), (1, 0)]


@pytest.mark.parametrize("step", ["pause", "hold"])
def test_a_game_that_is_not_in_memory_tells_it_as_well(week: Server, step: str):
    pass_days(week, 3)
    for subject in ("one", "two"):
        write_to(week.ben, 1, subject)  # type: ignore[attr-defined]
    week.undergo(step)
    later = week.restarted()
    assert news(later) == (3, 2)
    assert news(later, "ben") == (0, 0)
    assert later.registry.games == {}


def test_the_end_of_a_game_is_new_too(server: Server):
    """It is over after two rounds. The news is the same when the game is no longer in memory."""
    server.create("first", clock=DAILY, options={"rounds": "2"})
    for client in server.players(2, "pb", "first"):
        client.hang_up()
    pass_days(server, 2)
    assert server.game().over
    assert news(server) == (2, 0)
    later = server.restarted()
    assert news(later) == (2, 0)
    assert later.registry.games == {}


def test_looks_are_written_together_and_not_with_each_request(make_server: Callable[..., Server]):
    """However often somebody goes in and out: one transaction, after a while, with a row for each seat."""
    server = make_server(delayed=True)
    server.create("first", seats=3, clock="manual")
    clients = server.players(3, "pb", "first")
    server.pass_time(SAVE_SECONDS)
    game = server.game()
    server.disk.at_once = False
    for _ in range(20):
        clients.append(server.player("ann", "pb", "first"))
        for client in clients:
            client.ids()
            client.messages()
    server.pass_time(SAVE_SECONDS)
    assert server.disk.pending == 0, "there was nothing new"
    server.disk.at_once = True
    for _ in range(3):
        server.close_turn()
    server.disk.at_once = False
    server.pass_time(SAVE_SECONDS)
    assert server.disk.pending == 1
    assert clients[0].ask("get_time_remaining").message.turn == 3, "nobody waits for it"
    server.disk.commit()
    found = server.store.read(stored_last_seen.of_game, game.row.id)
    assert {look.turn for look in found.values()} == {3}
    assert len(found) == 3


def test_a_transaction_has_a_bounded_number_of_looks(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(last_seen, "SAVED_AT_ONCE", 2)
    server.create("first", seats=3, clock="manual")
    server.players(3, "pb", "first")
    number = server.game().row.id
    for expected in (2, 3):
        server.pass_time(SAVE_SECONDS)
        assert len(server.store.read(stored_last_seen.of_game, number)) == expected


def test_what_could_not_be_saved_is_tried_again_and_harms_nothing(make_server: Callable[..., Server]):
    """The disk is full. The game is not loaded again because of that, and the account gets the right news meanwhile."""
    server = make_server(delayed=True)
    server.create("first", clock="manual")
    ann, _ = server.players(2, "pb", "first")
    server.close_turn()
    game = server.game()
    server.disk.at_once = False
    server.pass_time(SAVE_SECONDS)
    assert server.disk.fail() == 1
    assert server.game() is game and not game.saving.stale
    assert new_in(ann) == (2, 0), "both turns have begun since it came"
    assert news(server, "ben") == (0, 0)
    server.disk.at_once = True
    server.pass_time(RETRY_SECONDS - 1)
    assert server.store.read(stored_last_seen.of_game, game.row.id) == {}
    server.pass_time(1)
    assert {look.turn for look in server.store.read(stored_last_seen.of_game, game.row.id).values()} == {1}


def test_a_game_that_is_read_from_the_store_again_knows_what_was_seen(make_server: Callable[..., Server]):
    """A change that was lost with the disk takes no look with it; nor is one counted of a turn that never began."""
    server = make_server(delayed=True)
    server.create("first", clock="manual")
    ann, _ = server.players(2, "pb", "first")
    server.close_turn()
    before = server.game()
    server.disk.at_once = False
    server.registry.turns.close_turn(before).addErrback(lambda failure: None)
    server.disk.fail()
    server.disk.at_once = True
    after = server.game()
    assert after is not before
    assert [player.look for player in after.players] == [LastLook(1, 0), LastLook(1, 0)]
    assert news(server) == (0, 0)
    ann.hang_up()
    server.close_turn()
    assert news(server) == (1, 0)


# --- secrecy ----------------------------------------------------------------------------------------------------------


def test_when_somebody_looked_is_told_to_nobody_else(make_server: Callable[..., Server]):
    """Two servers have the same game: in one ann logged in yesterday, in the other a week ago.

    Everything that others receive is the same, byte for byte.
    """

    def told(days: tuple[int, ...]) -> list[Any]:
        server = make_server()
        server.create("first", seats=3, clock=DAILY, options={"rounds": "30"})
        ann, ben, _ = server.players(3, "pb", "first")
        ann.hang_up()
        for day in range(7):
            pass_days(server, 1)
            if day in days:
                visit = server.player("ann", "tp04", "first")
                visit.messages()
                visit.hang_up()
        server.pass_time(SAVE_SECONDS)
        own = news(server)
        found: list[Any] = []
        others = [ben, *(server.connect(one) for one in ("tp03", "tp04", "json"))]
        for name, client in zip(("cem", "cem", "eve"), others[1:], strict=True):
            aim = f"{name}@first/watch" if name == "eve" else f"{name}@first"
            client.ask("login", username=aim, password=f"{name}'s word")
        for client in others:
            found += [(about, waiting.data) for about, waiting in everything(client, range(6))]
        for client in (at_home(server, "ben"), at_home(server, "eve")):
            found.append(client.post("get_my_games").data)
        assert "time_remaining" in str(found)
        return [own, found]

    absent, present = told(()), told((2, 6))
    assert (absent[0], present[0]) == ((7, 0), (0, 0))
    assert absent[1] == present[1]
