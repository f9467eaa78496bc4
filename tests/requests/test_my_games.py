"""Login to an account: kept logins, its games, and entering a game."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from tests.support.server_in_memory import BEGINNING, Client, Server, result_of
from tpserver.accounts.accounts import NotAdmitted
from tpserver.accounts.kept_logins import EXACTNESS, LIFETIME, LONGEST_LABEL, MOST_LOGINS, MOST_TICKETS, TICKET_SECONDS
from tpserver.games.core import phases
from tpserver.requests.entry.login import MOST_ATTEMPTS
from tpserver.requests.lobby.my_games import GAMES_AT_ONCE
from tpserver.store.games import rows as stored_games
from tpserver.store.people import logins as stored_logins
from tpserver.store.tables import logins as logins_table

PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 2, 3, 4, 5
NO_DEADLINE = 2147483647


@pytest.fixture
def delayed(make_server: Callable[..., Server]) -> Server:
    """A server whose disk can be made slow, or full."""
    return make_server(delayed=True)


def at_home(server: Server, name: str = "ann", dialect: str = "pb") -> Client:
    """Return a connection that is logged in to an account and to no game."""
    client = server.connect(dialect)
    answer = client.ask("login_account", username=name, password=f"{name}'s word")
    assert answer.name == "account", answer
    return client


def kept(server: Server, client: Client, label: str = "a browser") -> str:
    """Return the token that a browser gets for a ticket of this connection."""
    return result_of(server.host.logins.redeem(client.ask("keep_login", label=label).message.ticket))


def come_back(server: Server, token: str) -> Any:
    """Return the answer to a browser that comes with a token."""
    return server.connect("json", token=token).ask("login_account")


def games_of(client: Client) -> list[Any]:
    return list(client.ask("get_my_games").message.games)


# --- into an account, and into a game ---------------------------------------------------------------------------------


def test_a_right_password_is_enough_and_a_game_can_be_entered_later(server: Server):
    """Where a login without a game's name is refused because there are several, that to the account is not."""
    for name in ("first", "second"):
        server.create(name)
    assert server.connect("pb").ask("login", username="ann", password="ann's word").code == PERMANENTLY
    ann = at_home(server)
    assert ann.ask("get_object_ids", key=-1, amount=-1).code == TEMPORARILY, "that needs a game"
    assert ann.ask("enter_game", game="second").text == "Welcome to second, ann; you are player 1"
    assert ann.ask("get_player", ids=[0]).things[0].name == "ann"
    assert ann.ask("enter_game", game="first").code == PERMANENTLY
    assert ann.ask("login_account", username="ben", password="word").code == PERMANENTLY


@pytest.mark.parametrize("name", ["ann@first", "ann@first/watch", "ann@first/turn/2"])
def test_who_names_a_game_logs_in_to_the_account(server: Server, name: str):
    """A name as typed in other login forms works here, too. EnterGame names the game."""
    server.create()
    answer = server.connect("pb").ask("login_account", username=name, password="ann's word")
    assert (answer.name, answer.message.name) == ("account", "ann")


@pytest.mark.parametrize(
    ("aim", "code"), [("nowhere", PERMANENTLY), ("first/dance", PERMANENTLY), ("", PERMANENTLY), ("hall", DENIED)]
)
def test_a_game_that_cannot_be_entered_leaves_the_account_at_home(server: Server, aim: str, code: int):
    server.create("first")
    server.create("hall", join="invited")
    ann = at_home(server)
    assert ann.ask("enter_game", game=aim).code == code
    assert ann.ask("enter_game", game="first/watch").name == "okay"


def test_old_turns_are_entered_as_well(server: Server):
    server.create("first")
    server.players(2, game="first")
    ann = at_home(server)
    assert "this is its turn 0" in ann.ask("enter_game", game="first/turn/0").text


def test_wrong_passwords_close_the_connection_as_with_a_login(server: Server):
    """Wrong tokens count as well."""
    at_home(server)
    guesser = server.connect("pb", token="guessed")
    for number in range(MOST_ATTEMPTS - 1):
        assert guesser.ask("login_account").code == DENIED
        assert not guesser.session.closing, number
    assert guesser.ask("login_account").code == DENIED
    assert guesser.session.closing


# --- staying logged in ------------------------------------------------------------------------------------------------


def test_a_browser_with_a_token_needs_no_password(server: Server):
    token = kept(server, at_home(server))
    answer = come_back(server.restarted(), token)
    assert (answer.message.name, answer.message.login) == ("ann", 1)


@pytest.mark.parametrize("token", ["", "wrong", "\ud800", "x" * 10_000])
def test_a_wrong_token_is_refused_with_what_to_do(server: Server, token: str):
    kept(server, at_home(server))
    answer = come_back(server, token)
    assert answer.code == DENIED
    assert "log in with your name and password" in answer.text


def test_neither_token_nor_ticket_is_in_the_database(server: Server):
    """The database has a digest of 32 bytes. It is of no use for a login."""
    ann = at_home(server)
    ticket = ann.ask("keep_login", label="x").message.ticket
    token = result_of(server.host.logins.redeem(ticket))
    (row,) = server.store.read(lambda c: c.execute(logins_table.select()).all())
    assert len(row.digest) == 32
    assert len(token) >= 43, "256 bits"
    for name in server.path.parent.glob(f"{server.path.name}*"):
        data = name.read_bytes()
        assert token.encode() not in data
        assert ticket.encode() not in data


def test_a_ticket_works_once_and_for_a_minute(server: Server):
    ann = at_home(server)
    told = ann.ask("keep_login", label="x").message
    assert told.seconds == TICKET_SECONDS
    result_of(server.host.logins.redeem(told.ticket))
    with pytest.raises(NotAdmitted):
        result_of(server.host.logins.redeem(told.ticket))
    late = ann.ask("keep_login", label="x").message.ticket
    server.pass_time(TICKET_SECONDS)
    with pytest.raises(NotAdmitted):
        result_of(server.host.logins.redeem(late))
    assert len(ann.ask("get_kept_logins").message.logins) == 1


def test_tickets_are_bounded_and_a_connection_has_one(server: Server):
    ann, logins = at_home(server), server.host.logins
    first = ann.ask("keep_login").message.ticket
    ann.ask("keep_login")
    with pytest.raises(NotAdmitted):
        result_of(logins.redeem(first))
    ben = at_home(server, "ben").ask("keep_login").message.ticket
    oldest = logins.ticket(1, "", SimpleNamespace(kept_login=0))
    for _ in range(MOST_TICKETS):
        logins.ticket(1, "", SimpleNamespace(kept_login=0))
    assert len(logins.tickets) == MOST_TICKETS
    with pytest.raises(NotAdmitted):  # who has most pays, and nobody else
        result_of(logins.redeem(oldest))
    result_of(logins.redeem(ben))


def test_labels_are_bounded_and_printable(server: Server):
    ann = at_home(server)
    assert ann.ask("keep_login", label="x" * (LONGEST_LABEL + 1)).code == 1
    kept(server, ann, "\x1b[2J" * 20)
    (login,) = ann.ask("get_kept_logins").message.logins
    assert "\x1b" not in login.label
    assert len(login.label) <= LONGEST_LABEL


def test_a_login_ends_when_it_was_not_used_for_long_and_each_use_counts(server: Server):
    token = kept(server, at_home(server))
    server.pass_time(LIFETIME - 1)
    assert come_back(server, token).name == "account"
    server.pass_time(LIFETIME - 1)
    assert come_back(server, token).name == "account", "the time begins anew with each use"
    server.pass_time(LIFETIME)
    assert come_back(server, token).code == DENIED
    assert at_home(server).ask("get_kept_logins").message.logins == []


def test_reconnecting_does_not_write_each_time(server: Server):
    token = kept(server, at_home(server))
    server.pass_time(EXACTNESS - 1)
    come_back(server, token)
    (login,) = server.store.read(stored_logins.of_account, 1)
    assert login.used == BEGINNING
    server.pass_time(1)
    come_back(server, token)
    (login,) = server.store.read(stored_logins.of_account, 1)
    assert login.used == BEGINNING + EXACTNESS


def test_an_account_is_logged_in_at_few_places(server: Server):
    ann = at_home(server)
    tokens = [kept(server, ann, f"browser {number}") for number in range(MOST_LOGINS + 1)]
    listed = ann.ask("get_kept_logins").message.logins
    assert [login.label for login in listed] == [f"browser {number}" for number in range(MOST_LOGINS, 0, -1)]
    assert come_back(server, tokens[0]).code == DENIED
    assert come_back(server, tokens[1]).name == "account"


def test_a_revoked_login_ends_its_connections_and_no_others(server: Server):
    """The connection of that login is refused at its next request, gets no more frames of its game, and is closed."""
    server.create("first")
    server.players(2, "pb", "first")
    tokens = [kept(server, at_home(server), label) for label in ("old", "new")]
    old, new = (server.connect("json", token=token) for token in tokens)
    for client in (old, new):
        assert client.ask("login_account").name == "account"
        client.ask("enter_game", game="first")
    assert [login.here for login in new.ask("get_kept_logins").message.logins] == [True, False]
    assert new.ask("revoke_login", id=1).name == "okay"
    server.close_turn()
    assert (old.pushed, len(new.pushed)) == ([], 2), "the end of the turn, and the next"
    assert old.ask("get_time_remaining").text == "This browser was logged out; log in with your name and password."
    assert old.session.closing
    assert new.ask("get_time_remaining").name == "time_remaining"
    assert come_back(server, tokens[0]).code == DENIED
    assert new.ask("revoke_login", id=1).code == NO_SUCH_THING


def test_the_connection_that_asked_for_a_login_ends_with_it(server: Server):
    """A password opened this connection. Revoking the login of a lost device still ends everything open there."""
    lost, here = at_home(server), at_home(server)
    kept(server, lost)
    assert [login.here for login in lost.ask("get_kept_logins").message.logins] == [True]
    assert here.ask("revoke_login", id=1).name == "okay"
    assert lost.ask("get_my_games").code == DENIED
    assert here.ask("get_my_games").name == "my_games"


def test_all_logins_are_revoked_and_who_does_it_stays_until_the_connection_ends(server: Server):
    ann = at_home(server)
    tokens = [kept(server, ann, label) for label in ("one", "two")]
    ticket = ann.ask("keep_login").message.ticket
    one = server.connect("json", token=tokens[0])
    one.ask("login_account")
    assert one.ask("revoke_login").name == "okay"
    assert one.ask("get_kept_logins").message.logins == []
    assert [come_back(server, token).code for token in tokens] == [DENIED, DENIED]
    with pytest.raises(NotAdmitted):
        result_of(server.host.logins.redeem(ticket))


def test_nobody_revokes_or_sees_the_logins_of_others(server: Server):
    token = kept(server, at_home(server))
    ben = at_home(server, "ben")
    assert ben.ask("get_kept_logins").message.logins == []
    assert ben.ask("revoke_login", id=1).code == NO_SUCH_THING
    ben.ask("revoke_login")
    assert come_back(server, token).name == "account"


def test_a_login_that_could_not_be_saved_or_ended_is_not_told(delayed: Server):
    """A full disk: no token is given, and none is said to be revoked."""
    ann = at_home(delayed)
    token = kept(delayed, ann)
    ticket = ann.ask("keep_login").message.ticket
    delayed.disk.at_once = False
    redeemed: list[Any] = []
    Deferred.fromCoroutine(delayed.host.logins.redeem(ticket)).addBoth(redeemed.append)
    revoked = ann.post("revoke_login", id=1)
    assert redeemed == [] and not revoked.came
    delayed.disk.fail()
    assert redeemed[0].type.__name__ == "StoreError"
    assert revoked.reply.code == TEMPORARILY
    assert come_back(delayed, token).name == "account"


# --- my games ---------------------------------------------------------------------------------------------------------


def test_my_games_are_those_in_which_i_have_a_seat(server: Server):
    """Each has its ruleset, state, players and awaited players. Other games are not listed."""
    server.create("first", clock="interval:3600")
    server.create("second", "tae", 3, bots=1)
    server.create("third")
    server.players(2, game="first")
    server.player("ann", game="second")
    server.pass_time(600)
    second, first = games_of(at_home(server))
    assert (first.name, first.ruleset, first.state, first.turn, first.player) == ("first", "auction", "running", 0, 1)
    assert (first.time, first.clock, first.turn_name) == (3000, "interval:3600", phases.title(server.game()))
    assert [(seat.name, seat.bot, seat.awaited) for seat in first.seats] == [("ann", False, True), ("ben", False, True)]
    assert (second.name, second.title, second.state, second.time) == (
        "second",
        "TaE: Tigris and Euphrates in space",
        "waiting",
        NO_DEADLINE,
    )
    assert [seat.name for seat in second.seats] == ["ann", "", ""]
    assert games_of(at_home(server, "eve")) == []


def test_who_has_finished_is_awaited_no_more(server: Server):
    server.create("first")
    ann, _ = server.players(2, game="first")
    ann.ask("finished_turn")
    (game,) = games_of(at_home(server))
    assert [seat.awaited for seat in game.seats] == [False, True]


def test_games_that_are_not_in_memory_are_told_from_the_store(server: Server):
    """A paused game is not loaded when the server starts, nor by looking at the list."""
    server.create("first")
    server.players(2, game="first")
    server.undergo("pause")
    later = server.restarted()
    (game,) = games_of(at_home(later))
    assert later.registry.games == {}
    assert (game.name, game.state, game.player, game.time) == ("first", "paused", 1, NO_DEADLINE)
    assert [seat.name for seat in game.seats] == ["ann", "ben"]


def test_many_games_come_in_parts(server: Server):
    ann = at_home(server)
    for number in range(GAMES_AT_ONCE + 1):
        server.create(f"game {number}")
        server.player("ann", game=f"game {number}")
    first = ann.ask("get_my_games").message
    assert len(first.games) == GAMES_AT_ONCE
    second = ann.ask("get_my_games", start=first.following).message
    assert ([game.name for game in second.games], second.following) == (["game 0"], 0)


def test_a_seat_that_is_not_saved_yet_is_not_told(delayed: Server):
    """A player whose seat is not saved yet does not see the game in the list."""
    delayed.create("first")
    ann = at_home(delayed)
    delayed.disk.at_once = False
    joining = delayed.connect("pb").post("login", username="ann@first", password="ann's word")
    asked = ann.post("get_my_games")
    delayed.disk.fail()
    delayed.disk.at_once = True
    assert joining.reply.code == TEMPORARILY
    assert asked.reply.message.games == []
    assert delayed.store.read(stored_games.with_seat_of, 1) == set()


def test_nothing_is_told_of_a_game_that_is_not_saved_yet(delayed: Server):
    """Also to a connection that is in no game: that ben has finished is on disk before ann reads it."""
    delayed.create("first")
    _, ben = delayed.players(2, game="first")
    ann = at_home(delayed)
    delayed.disk.at_once = False
    ben.post("finished_turn")
    asked = ann.post("get_my_games")
    assert not asked.came
    delayed.disk.commit()
    assert [seat.awaited for seat in asked.reply.message.games[0].seats] == [True, False]
