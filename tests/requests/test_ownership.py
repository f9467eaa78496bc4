"""Changes of a game by its owner and the operator.

They rename it, close it to newcomers, hand it over, and end it.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests.test_create_game import make, rested
from tests.requests.test_my_games import at_home
from tests.support.server_in_memory import Client, Server, result_of
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.admin.socket_protocol import OperationError
from tpserver.games.core import attendance, phases
from tpserver.requests.lobby import ownership
from tpserver.store import audit as stored_audit

PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 2, 3, 4, 5


@pytest.fixture
def owner(server: Server) -> Client:
    """Ann, at home, who has made the game "mine", which Ben has joined."""
    ann = at_home(server, "ann")
    assert make(ann, "mine").name == "okay"
    return ann


@pytest.fixture
def master(server: Server) -> Client:
    """Ann, at home, the game master of "mine", in which Dan plays."""
    ann = at_home(server, "ann")
    assert make(ann, "mine", clock="interval:100", master=True).name == "okay"
    joined(server, "dan")
    return ann


def joined(server: Server, name: str = "ben", dialect: str = "tp04", game: str = "mine") -> Client:
    return server.player(name, dialect, game)


def operate(server: Server, operation: str, /, **arguments: Any) -> list[str]:
    return result_of(perform(AdminContext(server.registry, server.accounts), operation, arguments))


def last(client: Client) -> tuple[str, str]:
    message = client.messages()[-1]
    return message.subject, message.body


# --- another name -----------------------------------------------------------------------------------------------------


def test_a_game_gets_another_name_and_all_are_told(server: Server, owner: Client, dialect: str):
    """It is found by the new one alone, in memory and after a restart; the old one is free."""
    ben = joined(server, dialect=dialect)
    assert (
        owner.ask("rename_game", game="MINE", name="Friday").text
        == "The game mine is called Friday now, and all players are notified"
    )
    assert last(ben) == ("Another name", "ann has called this game Friday; until now it was mine.")
    assert [row.name for row in server.registry.directory.rows()] == ["Friday"]
    assert owner.ask("enter_game", game="mine").code == PERMANENTLY
    rested(server)
    later = server.restarted()
    assert later.player("ben", dialect, "friday").seat == 1
    assert make(at_home(later, "ann"), "mine").name == "okay"
    (entry,) = later.store.read(stored_audit.newest, 5, "mine")
    assert (entry.actor, entry.operation, dict(entry.details)) == ("ann", "game rename", {"new_name": "Friday"})


@pytest.mark.parametrize("name", ["", "mine", "x" * 64, "a/b", "Other"])
def test_a_name_that_is_none_or_taken_changes_nothing(server: Server, owner: Client, name: str):
    server.create("other")
    ben = joined(server)
    before = len(ben.messages())
    assert owner.ask("rename_game", game="mine", name=name).code == PERMANENTLY
    assert [row.name for row in server.registry.directory.rows()] == ["mine", "other"]
    assert len(ben.messages()) == before
    assert owner.ask("rename_game", game="mine", name="Mine").name == "okay", "in other letters it is its own"


# --- who may join -----------------------------------------------------------------------------------------------------


def test_a_game_is_closed_to_newcomers_and_opened_again(server: Server, dialect: str):
    ann = at_home(server, "ann")
    make(ann, "mine", seats=3)
    ben = joined(server, dialect=dialect)
    assert ann.ask("set_join", game="mine", invited=True).text == (
        "The game mine is for invited players only now, and all players are notified"
    )
    assert last(ben)[1] == "ann has decided: this game is for invited players only now, also to watch."
    stranger = server.connect(dialect)
    stranger.ask("create_account", username="cem", password="cem's word")
    for wanted in ("cem@mine", "cem@mine/watch"):
        assert stranger.ask("login", username=wanted, password="cem's word").code == DENIED
    assert ann.ask("set_join", game="mine", invited=True).code == PERMANENTLY, "it is so already"
    word = ann.ask("get_invitation", game="mine").message.word
    assert at_home(server, "dan").ask("enter_game", game="mine", invitation=word).name == "okay"
    later = server.restarted()
    again = at_home(later, "ann")
    assert later.game("mine").row.join == "invited"
    assert again.ask("set_join", game="mine").name == "okay"
    assert later.game("mine").row.join == "open"


def test_whoever_watches_a_game_that_is_closed_does_so_no_more(server: Server, owner: Client, dialect: str):
    """Now or at an old turn; players stay."""
    ben = joined(server, dialect=dialect)
    for client in (ben, server.player("ann", dialect, "mine")):
        client.ask("finished_turn")
    eve = at_home(server, "eve")
    watching = [server.player("eve", dialect, f"mine/{what}") for what in ("watch", "turn/0")]
    assert owner.ask("set_join", game="mine", invited=True).name == "okay"
    for client in watching:
        refused = client.ask("get_time_remaining")
        assert refused.code == DENIED
        assert refused.text == "The game 'mine' is for invited players only; nobody else may watch it."
    assert ben.ask("get_time_remaining").name == "time_remaining"
    assert eve.session.account is not None, "who is in no game stays logged in"


def test_whoever_has_given_away_a_game_watches_it_no_more(server: Server):
    ann = at_home(server, "ann")
    assert make(ann, "mine", master=True, invited=True).name == "okay"
    word = ann.ask("get_invitation", game="mine").message.word
    at_home(server, "ben").ask("enter_game", game="mine", invitation=word)
    watching = at_home(server, "ann")
    assert watching.ask("enter_game", game="mine/watch").name == "okay"
    assert ann.ask("hand_over_game", game="mine", account="ben").name == "okay"
    assert watching.ask("get_time_remaining").code == DENIED
    assert watching.session.game is None


# --- its end ----------------------------------------------------------------------------------------------------------


def test_a_game_is_ended_without_a_result(server: Server, master: Client, dialect: str):
    """All players get the reason. No order is accepted, no turn ends, and a restart changes nothing of it."""
    ben = joined(server, dialect=dialect)
    turn = server.game("mine").state.turn
    assert master.ask("abort_game", game="mine", reason="Nobody has time.").name == "okay"
    assert last(ben) == ("Game over: aborted", "ann has ended this game without a result: Nobody has time.")
    game = server.game("mine")
    assert (game.over, game.outcome, attendance.awaited(game), game.row.deadline) == (True, None, [], None)
    if ben.knows("get_time_remaining"):
        assert ben.times_pushed()
    ben.ask("finished_turn")
    server.pass_time(10 * 86400)
    assert game.state.turn == turn
    assert master.ask("abort_game", game="mine", reason="Again").code == PERMANENTLY
    later = server.restarted()
    game = later.game("mine")
    assert (game.over, phases.title(game)) == (True, "Game over")
    assert later.player("ben", dialect, "mine").messages()[-1].subject == "Game over: aborted"
    assert at_home(later, "ann").ask("get_my_games").message.games[0].state == "over"
    (entry,) = later.store.read(stored_audit.newest, 5, "mine")
    assert (entry.actor, entry.operation, entry.reason) == ("ann", "game abort", "Nobody has time")


def test_no_timer_of_a_game_that_was_ended_rings(server: Server, master: Client):
    joined(server)
    timers = server.registry.clocks.turn_timers
    assert [game.name for game in timers.games()] == ["mine"]
    master.ask("abort_game", game="mine", reason="No time")
    assert list(timers.games()) == []


def test_a_game_that_waits_is_ended_and_without_a_reason_none_is(server: Server, owner: Client):
    for reason in ("", " . ", "x" * 301, "\x1b[31m"):
        assert owner.ask("abort_game", game="mine", reason=reason).code == PERMANENTLY
    assert not server.game("mine").over
    assert owner.ask("abort_game", game="mine", reason="Too few").name == "okay"
    cem = server.connect()
    cem.ask("create_account", username="cem", password="cem's word")
    assert cem.ask("login", username="cem@mine", password="cem's word").code == PERMANENTLY
    rested(server)
    assert make(owner, "another").name == "okay"


# --- another owner ----------------------------------------------------------------------------------------------------


def test_a_game_is_handed_over_to_a_player_of_it(server: Server, owner: Client, dialect: str):
    """The new owner has the rights of the old one, who loses them."""
    ben = joined(server, dialect=dialect)
    at_home(server, "cem")
    for account in ("cem", "nobody"):  # whoever is not in it has not asked for it
        assert owner.ask("hand_over_game", game="mine", account=account).code == NO_SUCH_THING
    assert owner.ask("hand_over_game", game="mine", account="ann").code == PERMANENTLY
    assert owner.ask("hand_over_game", game="mine", account="BEN@mine").text == (
        "The game mine now belongs to ben, and all players are notified"
    )
    assert last(ben) == ("Another owner", "ben decides about the game from now on.")
    for ask, fields in REQUESTS.items():
        assert owner.ask(ask, **fields).code == DENIED
    later = server.restarted()
    home = at_home(later, "ben")
    assert home.ask("get_my_games").message.games[0].made
    assert home.ask("rename_game", game="mine", name="his").name == "okay"


def test_nobody_gets_more_games_than_he_may_make(server: Server, owner: Client):
    """Neither of another account that has made them for him, nor against his will; of those that are over, any."""
    joined(server)
    server.host.making.most_open = 1
    ben = at_home(server, "ben")
    assert make(ben, "his").name == "okay"
    refused = owner.ask("hand_over_game", game="mine", account="ben")
    assert refused.code == TEMPORARILY
    assert refused.text == "Ben has as many games as an account may have; another player can own it."
    ben.ask("abort_game", game="his", reason="No time")
    assert owner.ask("hand_over_game", game="mine", account="ben").name == "okay"


def test_nobody_who_cannot_log_in_gets_a_game(server: Server, owner: Client):
    joined(server)
    result_of(server.accounts.disable(server.accounts.named("ben"), ""))
    assert owner.ask("hand_over_game", game="mine", account="ben").code == NO_SUCH_THING


REQUESTS: dict[str, dict[str, Any]] = {
    "rename_game": {"game": "mine", "name": "his"},
    "set_join": {"game": "mine", "invited": True},
    "abort_game": {"game": "mine", "reason": "x"},
    "hand_over_game": {"game": "mine", "account": "ben"},
    "set_clock": {"game": "mine", "clock": "interval:60"},
}


@pytest.mark.parametrize("ask", [ask for ask in REQUESTS if ask != "set_clock"])
def test_only_who_has_made_a_game_does_any_of_it(server: Server, owner: Client, ask: str):
    joined(server)
    before = server.game("mine").row
    assert at_home(server, "ben").ask(ask, **REQUESTS[ask]).code == DENIED
    assert owner.ask(ask, **{**REQUESTS[ask], "game": "none"}).code == PERMANENTLY
    assert server.game("mine").row == before


def test_so_often_in_an_hour_and_not_more(server: Server, owner: Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ownership, "MOST_CHANGES", 2)
    for name in ("a", "b"):
        assert owner.ask("rename_game", game=server.registry.directory.rows()[0].name, name=name).name == "okay"
    assert owner.ask("rename_game", game="b", name="c").code == TEMPORARILY
    server.pass_time(ownership.SECONDS)
    assert owner.ask("rename_game", game="b", name="c").name == "okay"


# --- the operator -----------------------------------------------------------------------------------------------------


def test_the_operator_does_the_same_with_any_game(server: Server, dialect: str):
    server.create("theirs", clock="manual")
    ann = server.player("ann", dialect, "theirs")
    server.player("ben", dialect, "theirs")
    operate(server, "game close", name="theirs")
    assert server.game("theirs").row.join == "invited"
    operate(server, "game open", name="theirs")
    operate(server, "game rename", name="theirs", new_name="ours")
    assert last(ann) == ("Another name", "The operator has called this game ours; until now it was theirs.")
    operate(server, "game abort", name="ours", reason="Too late")
    assert last(ann)[1] == "The operator has ended this game without a result: Too late."
    assert [entry.operation for entry in server.store.read(stored_audit.newest, 9)] == [
        "game close", "game open", "game rename", "game abort",
    ]  # fmt: skip


def test_a_deleted_game_is_gone_with_all_that_was_stored_of_it(server: Server, owner: Client, dialect: str):
    """Its players are notified at their next request. Other games are unchanged."""
    server.create("other")
    ben = joined(server, dialect=dialect)
    number = server.game("mine").row.id
    with pytest.raises(OperationError, match="is running; abort it before"):
        operate(server, "game delete", name="mine")
    operate(server, "game abort", name="mine", reason="To be deleted")
    at_home(server, "ben").ask("set_mute", game="mine", muted=True)
    assert operate(server, "game delete", name="mine") == ["Game mine is deleted, with all that was stored of it."]
    answer = ben.ask("get_board_ids", key=-1, amount=-1)
    assert (answer.code, answer.text) == (DENIED, "The game mine was deleted by the operator of this server.")
    assert [row.name for row in server.registry.directory.rows()] == ["other"]
    assert list(owner.ask("get_my_games").message.games) == []
    for table in server.store.read(lambda c: [
        row[0] for row in c.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]):  # fmt: skip
        columns = server.store.read(
            lambda c, table: [row[1] for row in c.exec_driver_sql(f"PRAGMA table_info({table})")], table
        )
        if "game" in columns:
            left = server.store.read(
                lambda c, table: c.exec_driver_sql(f"SELECT count(*) FROM {table} WHERE game = {number}").scalar(),
                table,
            )
            assert left == 0, table
    rested(server)
    assert make(owner, "mine").name == "okay", "the name is free"
    assert server.restarted().game("other").name == "other"
