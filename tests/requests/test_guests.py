"""Guests: entry without an account, rights, registration, removal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.task import Clock

from tests.support.server_in_memory import Client, Server, result_of
from tpserver.accounts.accounts import Accounts
from tpserver.accounts.guests import IDLE_SECONDS, MOST, MOST_OF_NETWORK, SECONDS
from tpserver.admin.context import AdminContext
from tpserver.admin.guest_expiry import GuestExpiry
from tpserver.admin.operations import perform
from tpserver.admin.socket_protocol import OperationError
from tpserver.games.hall.hibernation import IDLE_SECONDS as LEAVES_SECONDS
from tpserver.games.service import ownership
from tpserver.names import BadName, guest_names, new_name
from tpserver.network_counts import NETWORKS, RequestCounts
from tpserver.requests.talk.boards import EVERYBODY
from tpserver.store import audit as stored_audit
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import guests as stored_guests
from tpserver.store.people.accounts import Account

FRAME, PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 1, 2, 3, 4, 5
DAY = 86400.0


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Server:
    """A server that takes guests."""
    made = make_server(policy="register")
    made.host.guests.terms.allowed = True
    return made


def guest(server: Server, dialect: str = "pb", address: str = "192.0.2.1") -> tuple[Client, Any]:
    """Return the connection of a new guest, and the response to it."""
    client = server.connect(dialect, address=address)
    answer = client.ask("play_as_guest")
    assert answer.name == "guest", answer
    return client, answer.message


def account(server: Server, name: str) -> Account:
    return server.accounts.named(name)


def context(server: Server) -> AdminContext:
    return AdminContext(server.registry, server.accounts)


def register(server: Server, name: str) -> Client:
    server.connect("pb").ask("create_account", username=name, password=f"{name}'s word")
    client = server.connect("pb")
    assert client.ask("login_account", username=name, password=f"{name}'s word").name == "account"
    return client


def expire(server: Server) -> None:
    result_of(GuestExpiry(Clock(), server.host.guests, context(server)).expire())


# --- coming in --------------------------------------------------------------------------------------------------------


def test_a_guest_comes_in_and_back_by_its_token_in_every_dialect(server: Server, dialect: str) -> None:
    server.create(guests="yes")
    _, told = guest(server)
    assert told.name == "Guest 1"
    assert told.days == 7
    client = server.connect(dialect)
    assert client.ask("login", username=f"{told.name}@first", password=told.secret).text.startswith("Welcome to first")
    assert client.ask("get_player", ids=[1]).things[0].race == "Guest"
    kept = server.path.read_bytes() + server.path.with_name(f"{server.path.name}-wal").read_bytes()
    assert told.secret.encode() not in kept


def test_nobody_comes_in_as_a_guest_where_the_operator_takes_none(server: Server) -> None:
    """Nor on a server that is locked down; the features say so."""
    assert 1003 in server.connect("pb").ask("get_features").message.features
    assert 1003 not in server.connect("tp04").ask("get_features").message.features, "they have no such frame"
    server.accounts.policy = "lockdown"
    assert server.connect("pb").ask("play_as_guest").code == DENIED
    assert 1003 not in server.connect("pb").ask("get_features").message.features
    server.accounts.policy, server.host.guests.terms.allowed = "register", False
    assert server.connect("pb").ask("play_as_guest").code == DENIED
    assert 1003 not in server.connect("pb").ask("get_features").message.features
    assert server.store.read(stored_guests.count) == 0


def test_lockdown_shuts_guests_out_who_play_nowhere(server: Server) -> None:
    server.create(guests="yes")
    (idle, told), (plays, other) = guest(server), guest(server)
    plays.ask("enter_game", game="first")
    server.accounts.policy = "lockdown"
    server.host.lock_down()
    assert idle.ask("get_my_games").code == DENIED
    assert plays.ask("get_my_games").name == "my_games"
    assert server.connect("pb").ask("login_account", username=told.name, password=told.secret).code == DENIED
    assert server.connect("pb").ask("login_account", username=other.name, password=other.secret).name == "account"


def test_whoever_is_logged_in_is_no_guest(server: Server) -> None:
    client, _ = guest(server)
    assert client.ask("play_as_guest").code == PERMANENTLY
    assert server.store.read(stored_guests.count) == 1


def test_an_empty_password_lets_nobody_in_to_a_guest(server: Server) -> None:
    _, told = guest(server)
    for password in ("", " ", "guest"):
        answer = server.connect("pb").ask("login", username=told.name, password=password)
        assert answer.code == DENIED
        assert "wrong user name or password" in answer.text.lower()


# --- attacks ----------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_ten_thousand_requests_from_one_address_make_five_guests(server: Server) -> None:
    """The others are refused for as long as the minute lasts, and another address is let in meanwhile."""
    codes = []
    for number in range(10_000):
        if number % 1000 == 0:
            attacker = server.connect("pb", address="198.51.100.7")
        answer = attacker.ask("play_as_guest")
        codes.append(answer.name if answer.name == "guest" else answer.code)
        if answer.name == "guest":
            attacker = server.connect("pb", address="198.51.100.7")
    assert codes.count("guest") == MOST_OF_NETWORK
    assert set(codes[MOST_OF_NETWORK:]) == {TEMPORARILY}
    guest(server, address="203.0.113.1")
    server.pass_time(SECONDS)
    guest(server, address="198.51.100.7")


@pytest.mark.thorough
def test_ten_thousand_addresses_make_as_many_guests_as_come_in_a_minute(server: Server) -> None:
    """And after many minutes as many as the operator takes; the server remembers a bounded number of addresses."""
    server.host.guests.terms.most = 2 * MOST + 3
    made = 0
    for number in range(10_000):
        client = server.connect("pb", address=f"10.{number // 65536}.{number // 256 % 256}.{number % 256}")
        made += client.ask("play_as_guest").name == "guest"
        client.hang_up()
    assert made == MOST
    for _ in range(3):
        server.pass_time(SECONDS)
        for number in range(MOST):
            client = server.connect("pb", address=f"172.16.{number}.1")
            made += client.ask("play_as_guest").name == "guest"
            client.hang_up()
    assert made == 2 * MOST + 3 == server.store.read(stored_guests.count)


def test_a_few_networks_do_not_take_the_places_of_all_guests(server: Server) -> None:
    """However long they wait between their guests: half of the places are for networks that have brought few."""
    server.host.guests.terms.most = 40
    codes = []
    for _ in range(20):
        server.pass_time(SECONDS)
        for number in range(2):
            client = server.connect("pb", address=f"198.51.{number}.7")
            codes.append(client.ask("play_as_guest").name)
            client.hang_up()
    assert codes.count("guest") == 20
    guest(server, address="2001:db8:1:2::1")


def test_counts_of_networks_are_bounded() -> None:
    counts = RequestCounts(1, 60.0, lambda: 0.0)
    for number in range(NETWORKS + 5):
        assert counts.add(str(number)) == 0
    assert len(counts) == NETWORKS
    assert counts.add(str(NETWORKS)) == 61


def test_who_has_left_nothing_gives_way_when_there_are_as_many_as_may_be(server: Server) -> None:
    """After an hour such a guest is removed for good. A guest with a seat or a connection stays."""
    server.create(guests="yes")
    server.host.guests.terms.most = 3
    gone, told = guest(server)
    gone.hang_up()
    seated, other = guest(server)
    seated.ask("enter_game", game="first")
    seated.hang_up()
    here, _ = guest(server)
    server.pass_time(IDLE_SECONDS - 1)
    refused = server.connect("pb").ask("play_as_guest")
    assert (refused.code, "as many guests as it takes" in refused.text) == (TEMPORARILY, True)
    server.pass_time(1)
    _, new = guest(server)
    assert new.name == "Guest 4", "no name is given again"
    assert server.connect("pb").ask("login_account", username=told.name, password=told.secret).code == DENIED
    assert server.connect("pb").ask("login_account", username=other.name, password=other.secret).name == "account"
    assert here.ask("get_my_games").name == "my_games"
    assert server.store.read(stored_accounts.by_id, 1) is None
    assert server.connect("pb").ask("play_as_guest").code == TEMPORARILY


def test_a_token_that_was_revoked_lets_nobody_in(server: Server) -> None:
    """A thief is locked out, and so is the guest. Only a browser with a cookie can still log in."""
    mine, told = guest(server)
    thief = server.connect("pb")
    assert thief.ask("login_account", username=told.name, password=told.secret).name == "account"
    ticket = mine.ask("keep_login", label="x").message.ticket
    cookie = result_of(server.host.logins.redeem(ticket))
    (token,) = mine.ask("get_tokens").message.tokens
    assert mine.ask("revoke_token", id=token.id).name == "okay"
    for client in (thief, mine):
        assert client.ask("get_my_games").code == DENIED
    assert server.connect("pb").ask("login_account", username=told.name, password=told.secret).code == DENIED
    assert server.connect("pb", token=cookie).ask("login_account").message.name == told.name


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Guest 417", "guest 1", "GUEST x", "Gue\u0455t 1", "Guest  1", "guest 0-2"])
def test_nobody_registers_the_name_of_a_guest(name: str) -> None:
    """Nor one that looks like it, in any case or script."""
    with pytest.raises(BadName):
        new_name(name)


def test_names_that_only_resemble_them_stay_free() -> None:
    """The accounts of login links are called guest and guest-2."""
    for name in ("guest", "guest-2", "Guesting", "Aguest 1"):
        assert new_name(name) == name


def test_a_guest_is_not_called_as_an_older_account(server: Server) -> None:
    """One from before there were guests, in any case, or one that looks like it."""
    for name in ("GUEST 3", "Gue5t 9"):
        result_of(server.store.write(stored_accounts.add, name, "h", now=1.0))
    assert [guest(server)[1].name for _ in range(2)] == ["Guest 3-2", "Guest 4"]
    assert next(guest_names(7, server.accounts.names_in_use().beginning("Guest "))) == "Guest 7"


def test_a_name_is_not_given_again_after_its_guest_has_gone(server: Server) -> None:
    client, told = guest(server)
    assert client.ask("become_account", username="ann", password="word").name == "account"
    assert told.name == "Guest 1"
    assert guest(server)[1].name == "Guest 2"


# --- what a guest may do ----------------------------------------------------------------------------------------------


def test_a_guest_joins_only_games_that_take_guests(server: Server, dialect: str) -> None:
    """Also a seat that seeks somebody; it may watch what everybody watches."""
    for name, guests in (("first", "no"), ("second", "silent"), ("third", "yes")):
        server.create(name, guests=guests)
    _, told = guest(server)
    for game, joined in (("first", False), ("second", True), ("third", True)):
        client = server.connect(dialect)
        answer = client.ask("login", username=f"{told.name}@{game}", password=told.secret)
        assert (answer.name == "okay") == joined
        if not joined:
            assert (answer.code, "takes no guests" in answer.text) == (DENIED, True)
    watching = server.connect(dialect).ask("login", username=f"{told.name}@first/watch", password=told.secret)
    assert "you watch first" in watching.text
    if dialect in ("pb", "json"):
        client = server.connect(dialect)
        client.ask("login_account", username=told.name, password=told.secret)
        assert client.ask("take_seat", game="first", player=1).code == DENIED
        (told_of,) = [one for one in client.ask("get_games").things if one.name == "second"]
        assert "guests may join, but write to nobody" in str(told_of.parameters)


def test_a_game_of_before_there_were_guests_takes_none(server: Server) -> None:
    game = server.create(guests="yes")
    result_of(server.store.write(lambda c: c.exec_driver_sql("UPDATE games SET guests = NULL")))
    again = server.restarted()
    again.host.guests.terms.allowed = True
    client, _ = guest(again)
    assert client.ask("enter_game", game=game.name).code == DENIED


@pytest.mark.parametrize("to", [1, EVERYBODY])
def test_in_a_silent_game_a_guest_writes_to_itself_only(server: Server, to: int) -> None:
    """Neither to ann, who has board 1, nor to everybody."""
    server.create(guests="silent")
    ann = register(server, "ann")
    ann.ask("enter_game", game="first")
    client, _ = guest(server)
    client.ask("enter_game", game="first")
    me = client.seat + 1
    letter = {"slot": -1, "subject": "Hello", "body": "there"}
    assert client.ask("post_message", id=to, **letter).code == DENIED
    assert client.ask("post_message", id=me, **letter).name == "okay"
    assert ann.ask("post_message", id=me, **letter).name == "okay", "who is no guest writes"


def test_in_a_game_that_lets_it_a_guest_writes_and_is_silenced_like_others(server: Server) -> None:
    server.create(guests="yes")
    ann = register(server, "ann")
    ann.ask("enter_game", game="first")
    client, told = guest(server)
    client.ask("enter_game", game="first")
    letter = {"id": ann.seat + 1, "slot": -1, "subject": "Hello", "body": "there"}
    assert client.ask("post_message", **letter).name == "okay"
    result_of(perform(context(server), "account silence", {"name": told.name, "days": 1, "reason": "rude"}))
    assert client.ask("post_message", **letter).code == DENIED


@pytest.mark.parametrize(("guests", "answer"), [("no", "fail"), ("silent", "fail"), ("yes", "okay")])
def test_a_guest_who_watches_writes_where_guests_write(server: Server, guests: str, answer: str) -> None:
    server.create(guests=guests)
    client, _ = guest(server)
    client.ask("enter_game", game="first/watch")
    letter = {"id": EVERYBODY, "slot": -1, "subject": "Hello", "body": "there"}
    assert client.ask("post_message", **letter).name == answer


def test_in_an_anonymous_game_nobody_is_told_who_is_a_guest(server: Server) -> None:
    """In other games the race reveals it."""
    for name, anonymous, race in (("open", False, "Guest"), ("hidden", True, "Human")):
        server.create(name, guests="yes", anonymous=anonymous, seats=2)
        ann = register(server, f"ann-{name}")
        ann.ask("enter_game", game=name)
        client, _ = guest(server)
        client.ask("enter_game", game=name)
        told = ann.ask("get_player", ids=[client.seat + 1])
        assert told.message.race == race


@pytest.mark.parametrize("is_resting", [False, True])
def test_in_an_anonymous_game_nobody_is_told_that_a_guest_has_become_an_account(
    server: Server, is_resting: bool
) -> None:
    """No name or newer time reveals it, in memory or hibernated. The end of the game does."""
    server.create("hidden", guests="yes", anonymous=True, seats=2, clock="manual")
    ann, home = register(server, "ann"), register(server, "eve")
    ann.ask("enter_game", game="hidden")
    client, secret = guest(server)
    client.ask("enter_game", game="hidden")
    if is_resting:
        ann.hang_up()
        client.hang_up()
        server.registry.idle.let_go()
        server.pass_time(LEAVES_SECONDS + 60)
        server.registry.idle.let_go()
        assert not server.registry.games
        client = server.connect("pb")
        assert client.ask("login_account", username=secret.name, password=secret.secret).name == "account"

    def told() -> list[str]:
        asked = [home.ask(name) for name in ("get_games", "get_open_seats")]
        asked += [home.ask(name, game="hidden") for name in ("get_seats", "get_clock", "get_game_setup")]
        if not is_resting:
            asked += [ann.ask("get_player", ids=[1, 2]), ann.ask("get_boards", ids=[1, 2])]
        return [str([*reply]) for reply in asked]

    before = told()
    server.pass_time(2)
    assert client.ask("become_account", username="zoe", password="her word").name == "account"
    assert told() == before
    assert bool(server.registry.games) is not is_resting
    result_of(ownership.abort(server.registry, server.game("hidden"), "enough", "The operator"))
    assert "zoe" in str([*home.ask("get_seats", game="hidden")])


def test_a_guest_makes_one_game_at_a_time_which_takes_guests(server: Server) -> None:
    client, _ = guest(server)
    assert client.ask("create_game", name="mine", ruleset="auction", seats=2).name == "okay"
    server.pass_time(60)
    refused = client.ask("create_game", name="more", ruleset="auction", seats=2)
    assert (refused.code, "You own 1 games" in refused.text) == (TEMPORARILY, True)
    assert client.ask("get_game_setup", game="mine").message.guests == "yes"
    other, _ = guest(server)
    assert other.ask("enter_game", game="mine").name == "okay"


def test_what_a_game_says_of_guests_is_one_of_three_words(server: Server) -> None:
    ann = register(server, "ann")
    assert ann.ask("create_game", name="a", ruleset="auction", seats=2, guests="some").code == PERMANENTLY
    for number, guests in enumerate(("", "no", "silent", "yes")):
        server.pass_time(60)
        assert ann.ask("create_game", name=f"g{number}", ruleset="auction", seats=2, guests=guests).name == "okay"
        assert ann.ask("get_game_setup", game=f"g{number}").message.guests == (guests or "no")


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("create_token", {"label": "bot", "days": 1}),
        ("change_password", {"old": "", "new": "word"}),
        ("add_notice_address", {"kind": "mail", "target": "a@example.org"}),
    ],
)
def test_a_guest_has_nothing_that_needs_an_account(server: Server, name: str, fields: dict[str, Any]) -> None:
    client, _ = guest(server)
    answer = client.ask(name, **fields)
    assert (answer.code, answer.text.startswith("Guests have no")) == (DENIED, True)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("account reset-password", {"password": "word"}),
        ("account rename", {"new_name": "ann"}),
        ("account role", {"role": "operator"}),
    ],
)
def test_the_operator_makes_no_guest_into_something_else(
    server: Server, operation: str, arguments: dict[str, str]
) -> None:
    _, told = guest(server)
    with pytest.raises(OperationError, match="is a guest"):
        result_of(perform(context(server), operation, {"name": told.name, **arguments}))
    assert account(server, told.name).role == "guest"
    assert any("guest " in line for line in result_of(perform(context(server), "account list", {})))


# --- becoming an account ----------------------------------------------------------------------------------------------


def test_a_guest_becomes_an_account_with_its_seat_and_game(server: Server) -> None:
    """The old token and cookie are invalid, other connections end, and other players see the new name."""
    client, told = guest(server)
    client.ask("create_game", name="mine", ruleset="auction", seats=2)
    ann = register(server, "ann")
    ticket = client.ask("keep_login", label="x").message.ticket
    cookie = result_of(server.host.logins.redeem(ticket))
    other = server.connect("pb")
    other.ask("login", username=f"{told.name}@mine", password=told.secret)
    answer = client.ask("become_account", username="Zoe", password="her word", email="zoe@example.org")
    assert answer.message.name == "Zoe"
    assert other.ask("get_time_remaining").code == DENIED
    assert server.connect("pb").ask("login_account", username=told.name, password=told.secret).code == DENIED
    assert server.connect("pb", token=cookie).ask("login_account").code == DENIED
    assert client.ask("get_my_games").message.games[0].made, "this connection goes on"
    assert client.ask("create_token", label="bot", days=1).name == "token"
    again = server.connect("pb")
    assert again.ask("login", username="Zoe@mine", password="her word").name == "okay"
    seen = again.ask("get_player", ids=[1]).things[0]
    assert (seen.name, seen.race) == ("Zoe", "Human")
    found = account(server, "zoe")
    assert (found.role, found.email, found.guest) == ("player", "zoe@example.org", None)
    (entry,) = server.store.read(stored_audit.newest, 5, "Zoe")
    assert (entry.actor, entry.operation) == (told.name, "account become")
    assert client.ask("become_account", username="Eve", password="x").code == PERMANENTLY
    assert ann.ask("become_account", username="Eve", password="x").code == PERMANENTLY


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"username": "ann", "password": "word"}, DENIED),
        ({"username": "ANN", "password": "word"}, DENIED),
        ({"username": "Guest 1", "password": "word"}, DENIED),
        ({"username": "Guest 9", "password": "word"}, DENIED),
        ({"username": "", "password": "word"}, DENIED),
        ({"username": "zoe", "password": ""}, DENIED),
        ({"username": "zoe", "password": "x" * 1025}, DENIED),
        ({"username": "zoe", "password": "word", "email": "x" * 1001}, FRAME),
    ],
)
def test_what_no_account_may_be_called_no_guest_becomes(server: Server, fields: dict[str, str], code: int) -> None:
    register(server, "ann")
    client, told = guest(server)
    assert client.ask("become_account", **fields).code == code
    assert account(server, told.name).is_guest
    assert client.ask("become_account", username="zoe", password="word").name == "account", "the name was kept free"


def test_where_only_the_operator_makes_accounts_a_guest_stays_one(server: Server) -> None:
    client, told = guest(server)
    for policy in ("closed", "lockdown"):
        server.accounts.policy = policy
        assert client.ask("become_account", username="zoe", password="word").code == DENIED
    assert account(server, told.name).is_guest


def test_two_guests_become_one_name_one_after_the_other(make_server: Callable[..., Server]) -> None:
    """The second guest is refused, also while the name of the first is being saved."""
    server = make_server(policy="register", delayed=True)
    server.host.guests.terms.allowed = True
    (one, _), (two, _) = guest(server), guest(server)
    server.disk.at_once = False
    first = one.post("become_account", username="zoe", password="word")
    second = two.ask("become_account", username="ZOE", password="word")
    assert (second.code, "taken" in second.text) == (DENIED, True)
    server.disk.commit()
    assert first.reply.name == "account"


# --- going ------------------------------------------------------------------------------------------------------------


def test_a_guest_who_was_away_for_the_days_is_removed_with_what_it_left(server: Server) -> None:
    """In a game that goes on it stays; a seat of one that has not begun is free again; the audit has it."""
    for name in ("running", "waiting"):
        server.create(name, guests="yes")
    (plays, one), (waits, two), (nowhere, three) = guest(server), guest(server), guest(server)
    plays.ask("enter_game", game="running")
    register(server, "ann").ask("enter_game", game="running")
    waits.ask("enter_game", game="waiting")
    assert server.game("running").started
    for client in (plays, waits, nowhere):
        client.hang_up()
    server.pass_time(7 * DAY - 1)
    expire(server)
    assert server.store.read(stored_guests.count) == 3
    server.pass_time(1)
    expire(server)
    left = [one.name for one in server.store.read(stored_accounts.all)]
    assert one.name in left
    assert not {two.name, three.name} & set(left)
    assert server.game("waiting").open_seats() == [0, 1]
    assert server.store.read(stored_accounts.by_id, 3) is None, "of whom was nowhere nothing is left"
    (entry,) = server.store.read(stored_audit.newest, 5, two.name)
    assert (entry.actor, entry.operation) == ("the server", "account remove")


def test_a_guest_who_is_there_or_was_of_late_stays(server: Server) -> None:
    here, _ = guest(server)
    other, told = guest(server)
    other.hang_up()
    server.pass_time(6 * DAY)
    server.connect("pb").ask("login_account", username=told.name, password=told.secret)
    for session in tuple(server.host.sessions):
        if session is not here.session:
            session.connection_lost()
    server.pass_time(6 * DAY)
    expire(server)
    assert server.store.read(stored_guests.count) == 2
    server.pass_time(DAY)
    expire(server)
    assert server.store.read(stored_guests.count) == 1
    assert here.ask("get_my_games").name == "my_games"


def test_a_guest_whose_game_is_over_is_removed_and_its_game_is_run_again(server: Server) -> None:
    server.create(guests="yes")
    client, told = guest(server)
    client.ask("enter_game", game="first")
    register(server, "ann").ask("enter_game", game="first")
    client.hang_up()
    result_of(perform(context(server), "game abort", {"name": "first", "reason": "enough"}))
    server.pass_time(7 * DAY)
    expire(server)
    assert server.store.read(stored_guests.count) == 0
    assert told.name not in [one.name for one in server.store.read(stored_accounts.all)]
    again = server.restarted()
    assert again.game("first").players[0].name.startswith("removed player")


def test_disabling_a_guest_ends_its_token(server: Server) -> None:
    client, told = guest(server)
    result_of(server.accounts.disable(account(server, told.name), "spam"))
    assert client.ask("get_my_games").code == DENIED
    result_of(server.accounts.enable(account(server, told.name)))
    assert server.connect("pb").ask("login_account", username=told.name, password=told.secret).code == DENIED


def test_accounts_know_the_names_of_guests_after_a_restart(server: Server) -> None:
    guest(server)
    again = server.restarted()
    assert isinstance(again.accounts, Accounts)
    assert again.accounts.names_in_use().alike("Guest 1") == "Guest 1"
    again.host.guests.terms.allowed = True
    assert guest(again)[1].name == "Guest 2"
