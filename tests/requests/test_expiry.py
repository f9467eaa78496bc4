"""Limits per network on new accounts and games, and their expiry.

Unused ones expire after 30 days.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from twisted.internet.task import Clock

from tests.support.server_in_memory import Client, Server, result_of
from tpserver.accounts import accounts
from tpserver.accounts.accounts import CREATED_SECONDS, MOST_CREATED
from tpserver.admin.context import AdminContext
from tpserver.admin.expiry import Expiry
from tpserver.games.terms.initiator import BY_OPERATOR
from tpserver.requests.entry.login import LONGEST_COMMENT, LONGEST_EMAIL
from tpserver.requests.lobby import create_game
from tpserver.requests.session.session import GAMES_OF_NETWORK
from tpserver.store.games import ownership as stored_ownership

FRAME, TEMPORARILY, DENIED = 1, 3, 5
DAY = 86400.0


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Server:
    made = make_server(policy="register")
    made.accounts.created.most = MOST_CREATED
    return made


def create(server: Server, name: str, address: str = "198.51.100.7", **more: str) -> int:
    """Have a stranger create an account; return the code of the refusal, 0 if there is none."""
    client = server.connect("pb", address=address)
    answer = client.ask("create_account", username=name, password="word", **more)
    client.hang_up()
    return answer.code if answer.name == "fail" else 0


def enter(server: Server, name: str, address: str = "192.0.2.1") -> Client:
    client = server.connect("pb", address=address)
    assert client.ask("login_account", username=name, password="word").name == "account"
    return client


def expire(server: Server) -> None:
    result_of(Expiry(Clock(), AdminContext(server.registry, server.accounts)).expire())


def names(server: Server) -> list[str]:
    """Return the names of all accounts."""
    return [row[0] for row in server.store.read(lambda c: c.exec_driver_sql("SELECT name FROM accounts").all())]


# --- accounts ---------------------------------------------------------------------------------------------------------


def test_a_network_makes_so_many_accounts_an_hour(server: Server) -> None:
    """A wider network makes some more, however many addresses it has; others do not pay for it."""
    codes = [create(server, f"name{number}") for number in range(2 * MOST_CREATED)]
    assert codes == [0] * MOST_CREATED + [TEMPORARILY] * MOST_CREATED
    assert create(server, "neighbor", "198.51.100.8") == 0
    codes = [create(server, f"named{number}", f"2001:db8:0:{number:x}00::1") for number in range(6 * MOST_CREATED)]
    assert codes.count(0) == 4 * MOST_CREATED
    assert create(server, "other", "2001:db8:1::1") == 0
    server.pass_time(CREATED_SECONDS)
    assert create(server, "later") == 0


def test_a_login_that_makes_an_account_counts_as_well(make_server: Callable[..., Server]) -> None:
    server = make_server(policy="open")
    server.accounts.created.most = 2
    answers = [server.connect().ask("login", username=f"a{number}", password="word") for number in range(3)]
    assert [answer.name for answer in answers] == ["okay", "okay", "fail"]
    assert server.connect().ask("login", username="a0", password="word").name == "okay"
    for number, address in enumerate(["127.0.0.1", "::1"] * 3):
        client = server.connect(address=address)
        assert client.ask("login", username=f"b{number}", password="word").name == "okay"


def test_half_of_all_unused_accounts_are_for_networks_that_have_made_none(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One to which somebody has logged in takes no place."""
    monkeypatch.setattr(accounts, "MOST_UNUSED", 4)
    assert [create(server, f"name{number}") for number in range(3)] == [0, 0, TEMPORARILY]
    assert create(server, "b", "203.0.113.1") == 0
    for name in ("name0", "name1"):
        enter(server, name)
    assert create(server, "c") == 0


@pytest.mark.parametrize(("field", "longest"), [("email", LONGEST_EMAIL), ("comment", LONGEST_COMMENT)])
def test_what_an_account_brings_is_bounded(server: Server, field: str, longest: int) -> None:
    begin = "ann@" if field == "email" else ""
    assert create(server, "long", **{field: begin + "x" * (longest + 1 - len(begin))}) == FRAME
    assert create(server, "long", **{field: begin + "x" * (longest - len(begin))}) == 0


def test_an_account_to_which_nobody_has_logged_in_expires(server: Server) -> None:
    """One that was used, or made by the operator, stays; the name is free again."""
    for name in ("used", "unused", "seated"):
        assert create(server, name) == 0
    enter(server, "used").hang_up()
    result_of(server.accounts.add("zoe", "word"))
    game = server.create()
    seated = server.accounts.named("seated")
    result_of(server.registry.lobby.take_seat(game, seated.id, "seated"))
    server.pass_time(30 * DAY - 1)
    expire(server)
    assert names(server) == ["used", "unused", "seated", "zoe"]
    server.pass_time(1)
    expire(server)
    assert names(server) == ["used", "seated", "zoe"]
    assert create(server, "Unused") == 0


# --- games ------------------------------------------------------------------------------------------------------------


def make(client: Client, name: str, ruleset: str = "auction", seats: int = 2, **more: object) -> str:
    answer = client.ask("create_game", name=name, ruleset=ruleset, seats=seats, **more)
    client.server.pass_time(create_game.REST)
    return "okay" if answer.name == "okay" else answer.text


def test_a_network_makes_so_many_games_an_hour(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many accounts it has; other networks make theirs."""
    monkeypatch.setattr(create_game, "REST", 0.0)
    server.host.making.most_open = 100
    monkeypatch.setattr(create_game, "MOST_NEW", 100)
    clients = []
    for name in ("ann", "ben"):
        assert create(server, name) == 0
        clients.append(enter(server, name, "198.51.100.7"))
    made = [make(clients[number % 2], f"game {number}") for number in range(GAMES_OF_NETWORK + 1)]
    assert made.count("okay") == GAMES_OF_NETWORK
    assert "created from your network" in made[-1]
    assert make(enter(server, "ann", "203.0.113.1"), "elsewhere") == "okay"


def test_strangers_do_not_take_all_games(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games of one person take no place of those with two, and some are kept for new networks and known accounts."""
    monkeypatch.setattr(create_game, "MOST_OF_ALL", 8)
    server.host.making.most_open = 100
    for name in ("ann", "ben", "eve"):
        assert create(server, name) == 0
    ann, ben, eve = enter(server, "ann"), enter(server, "ben"), enter(server, "eve", "203.0.113.1")
    assert make(ann, "real") == "okay"
    assert ben.ask("enter_game", game="real").name == "okay"
    server.pass_time(2 * DAY)
    eve.ask("ping")
    assert [make(eve, f"e{number}", bots=1)[:4] for number in range(5)] == ["okay"] * 4 + ["This"]
    assert make(enter(server, "eve", "203.0.114.1"), "new network") == "okay"
    assert "as many games" in make(enter(server, "eve", "203.0.114.2"), "the same network")
    for name in ("one", "two", "three"):
        assert make(ann, name) == "okay"
    assert "as many games" in make(ann, "four")


def test_a_game_in_which_its_maker_stays_alone_expires(server: Server) -> None:
    """One that has not begun is deleted, one that has is over; those with others and the operator's stay."""
    assert create(server, "ann") == create(server, "ben") == 0
    ann, ben = enter(server, "ann"), enter(server, "ben")
    server.host.making.most_open = 100
    for name in ("alone", "left", "bots"):
        assert make(ann, name) == "okay"
    result_of(server.registry.lobby.take_seat(server.game("bots"), None, "robot", bot=True))
    ben.ask("enter_game", game="left")
    result_of(server.registry.seat_changes.remove_player(server.game("left"), 1, BY_OPERATOR))
    server.create("of the operator")
    server.pass_time(30 * DAY - 3 * create_game.REST - 1)
    expire(server)
    assert server.store.read(stored_ownership.expired, server.now(), 10) == []
    server.pass_time(3 * create_game.REST + 1)
    expire(server)
    there = [row.name for row in server.registry.directory.rows()]
    assert "alone" not in there
    assert {"left", "bots", "of the operator"} <= set(there)
