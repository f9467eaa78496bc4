"""Tokens of bots and scripts, used in place of the password.

They are good for all games or one, to play or only to watch.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests.test_my_games import at_home
from tests.support.server_in_memory import BID, Client, Server, number, result_of, text
from tpserver.accounts.accounts import Accounts
from tpserver.accounts.passwords import Passwords
from tpserver.accounts.tokens import EXACTNESS, LONGEST_LABEL, MOST_DAYS, MOST_TOKENS
from tpserver.requests.dispatch import REQUESTS
from tpserver.store.people import tokens as stored_tokens

FRAME, PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 1, 2, 3, 4, 5
DAY = 86400


def token_of(client: Client, game: str = "", *, read_only: bool = False, days: int = 30, label: str = "my bot") -> str:
    made = client.ask("create_token", label=label, game=game, read_only=read_only, days=days)
    assert made.name == "token", made
    return str(made.message.secret)


def log_in(server: Server, name: str, token: str, dialect: str = "tp04") -> Any:
    client = server.connect(dialect)
    return client, client.ask("login", username=name, password=token)


@pytest.fixture
def ann(server: Server) -> Client:
    """Ann at home, with seats in two games that have begun."""
    for game in ("first", "second"):
        server.create(game)
        server.players(2, game=game)
    return at_home(server)


def test_a_token_plays_in_every_dialect_without_a_slow_hash(
    server: Server, ann: Client, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = token_of(ann)

    def slow(self: Passwords, stored: str, password: str) -> bool:
        raise AssertionError("a password is checked")

    monkeypatch.setattr(Passwords, "fits", slow)
    for game in ("first", "second"):
        bot, answer = log_in(server, f"ann@{game}", token, dialect)
        assert answer.name == "okay", answer
        assert bot.insert(bot.home, BID, number(1), text("by a bot")).name in ("okay", "order")
    if dialect in ("pb", "json"):
        bot = server.connect(dialect)
        assert bot.ask("login_account", username="ann", password=token).name == "account"
        assert len(bot.ask("get_my_games").message.games) == 2
        assert bot.ask("enter_game", game="second").name == "okay"


def test_a_token_is_told_once_and_listed_with_its_last_use(server: Server, ann: Client) -> None:
    token = token_of(ann, "first", read_only=True, days=2)
    (told,) = ann.ask("get_tokens").message.tokens
    now = int(server.now())
    assert (told.label, told.game, told.read_only, told.secret) == ("my bot", "first", True, "")
    assert (told.created, told.ends, told.used) == (now, now + 2 * DAY, 0)
    server.pass_time(60)
    log_in(server, "ann", token)
    server.pass_time(EXACTNESS - 1)
    log_in(server, "ann", token)
    assert ann.ask("get_tokens").message.tokens[0].used == now + 60, "to the hour"
    server.pass_time(1)
    log_in(server, "ann", token)
    assert ann.ask("get_tokens").message.tokens[0].used == now + 60 + EXACTNESS
    kept = server.path.read_bytes() + server.path.with_name(f"{server.path.name}-wal").read_bytes()
    assert token.encode() not in kept


def test_a_token_lets_in_nobody_under_another_name(server: Server, ann: Client) -> None:
    token = token_of(ann)
    assert log_in(server, "ben@first", token)[1].code == DENIED
    assert log_in(server, "ann@first", f"{token[:-1]}{'a' if token[-1] != 'a' else 'b'}")[1].code == DENIED
    assert log_in(server, "ANN@first", token)[1].name == "okay", "names are one in upper and lower case"


def test_a_token_of_a_game_is_good_for_nothing_else(server: Server, ann: Client) -> None:
    """Whatever asks for another game by its name is refused, and lists have this one only."""
    token = token_of(ann, "first")
    bot, answer = log_in(server, "ann", token)
    assert answer.text.startswith("Welcome to first, ann"), "it need not be named"
    assert bot.bid(3).name in ("okay", "order")
    for name in ("ann@second", "ann@second/watch", "ann@second/turn/0"):
        assert log_in(server, name, token)[1].code == DENIED
    bot = server.connect("pb")
    assert bot.ask("login_account", username="ann", password=token).name == "account"
    assert [game.name for game in bot.ask("get_my_games").message.games] == ["first"]
    for name, fields in (
        ("enter_game", {"game": "second"}),
        ("enter_game", {"game": "nowhere"}),
        ("get_game_setup", {"game": "second"}),
        ("get_clock", {"game": "second"}),
        ("set_clock", {"game": "second", "clock": "manual"}),
        ("create_game", {"name": "third", "ruleset": "auction", "seats": 2}),
    ):
        assert bot.ask(name, **fields).code == DENIED, name
    assert bot.ask("enter_game", game="first").name == "okay"


def test_who_may_look_only_changes_nothing(server: Server, ann: Client) -> None:
    """Nor takes a seat; what is asked without a change is answered."""
    token = token_of(ann, read_only=True)
    bot, answer = log_in(server, "ann@first", token, "pb")
    assert answer.name == "okay"
    assert bot.ask("get_time_remaining").name == "time_remaining"
    assert bot.probe(bot.home, BID, number(1), text("x")).name == "order"
    assert bot.ask("get_legal_orders").name == "legal_orders"
    before = server.game("first").last_entry
    assert bot.bid(1).code == DENIED
    assert bot.ask("finished_turn").code == DENIED
    assert bot.ask("post_message", id=2, slot=-1, subject="x", body="x").code == DENIED
    assert bot.ask("create_game", name="third", ruleset="auction", seats=2).code == DENIED
    assert server.game("first").last_entry == before
    server.create("open")
    assert log_in(server, "ann@open", token)[1].code == DENIED
    assert server.game("open").seat_of(1) is None
    assert log_in(server, "ann@open/watch", token)[1].name == "okay"


def test_what_is_about_the_account_is_refused_to_every_token(server: Server, ann: Client) -> None:
    """A token that is stolen makes no other, and learns no address."""
    bot, _ = log_in(server, "ann@first", token_of(ann), "pb")
    of_account = {request.kind.field for request in REQUESTS.values() if request.access == "account"}
    assert of_account >= {"create_token", "change_password", "keep_login", "get_notices", "add_notice_address"}
    for name in sorted(of_account):
        assert bot.ask(name).code == DENIED, name
    assert len(ann.ask("get_tokens").message.tokens) == 1


def test_every_request_that_is_no_reading_is_refused_to_who_may_look_only() -> None:
    """A request that is added later counts as one about the account until somebody says what it is."""
    reads = {request.kind.field for request in REQUESTS.values() if request.access == "read"}
    asks = {"order_probe", "enter_game", "show_turn"}
    before_login = {request.kind.field for request in REQUESTS.values() if request.is_open}
    assert {name for name in reads if not name.startswith("get_")} == asks | {
        name for name in before_login if not name.startswith("get_")
    }


def test_a_revoked_token_lets_nobody_in_and_nobody_on(server: Server, ann: Client) -> None:
    token, other = token_of(ann), token_of(ann)
    bot, _ = log_in(server, "ann@first", token)
    still, _ = log_in(server, "ann@first", other)
    assert at_home(server, "ben").ask("revoke_token", id=1).code == NO_SUCH_THING
    assert ann.ask("revoke_token", id=1).name == "okay"
    assert bot.ask("get_time_remaining").text == "This token was revoked."
    assert bot.session.closing
    assert log_in(server, "ann@first", token)[1].code == DENIED
    assert still.ask("get_time_remaining").name == "time_remaining"
    assert ann.ask("revoke_token", id=1).code == NO_SUCH_THING


@pytest.mark.parametrize("asked", ["get_time_remaining", "finished_turn"])
def test_a_token_ends_also_for_who_is_in(server: Server, ann: Client, asked: str) -> None:
    token = token_of(ann, days=1)
    bot, _ = log_in(server, "ann@first", token)
    server.pass_time(DAY - 1)
    assert bot.ask("get_time_remaining").name == "time_remaining"
    server.pass_time(1)
    assert bot.ask(asked).text == "This token has expired; make another one."
    assert bot.session.closing
    assert "this token has expired" in log_in(server, "ann@first", token)[1].text.lower()
    assert list(ann.ask("get_tokens").message.tokens) == []


def test_tokens_end_with_the_password_and_with_the_account(server: Server, ann: Client) -> None:
    token = token_of(ann)
    bot, _ = log_in(server, "ann@first", token)
    ann.ask("change_password", old="ann's word", new="new")
    assert bot.ask("get_time_remaining").code == DENIED
    assert log_in(server, "ann@first", token)[1].code == DENIED
    token = token_of(ann)
    accounts: Accounts = server.accounts
    result_of(accounts.disable(accounts.named("ann"), ""))
    result_of(accounts.enable(accounts.named("ann")))
    assert log_in(server, "ann@first", token)[1].code == DENIED
    assert server.store.read(stored_tokens.of_account, 1) == []


def test_tokens_survive_a_restart(server: Server, ann: Client) -> None:
    token = token_of(ann)
    assert log_in(server.restarted(), "ann@first", token)[1].name == "okay"


def test_tokens_of_an_account_are_bounded(server: Server, ann: Client) -> None:
    """Those that have ended make room; another account has its own."""
    for turn in range(MOST_TOKENS):
        token_of(ann, days=1 if turn else 2)
    assert ann.ask("create_token", label="x", days=1).code == TEMPORARILY
    token_of(at_home(server, "ben"))
    server.pass_time(DAY)
    assert ann.ask("create_token", label="x", days=1, password="ann's word").name == "token"
    assert len(server.store.read(stored_tokens.of_account, 1)) == 2


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"label": "", "days": 1}, FRAME),
        ({"label": "  ", "days": 1}, FRAME),
        ({"label": "x" * (LONGEST_LABEL + 1), "days": 1}, FRAME),
        ({"label": "x", "days": 0}, FRAME),
        ({"label": "x", "days": MOST_DAYS + 1}, FRAME),
        ({"label": "x", "days": 2**32 - 1}, FRAME),
        ({"label": "x", "days": 1, "game": "nowhere"}, NO_SUCH_THING),
        ({"label": "x", "days": 1, "game": "hall"}, NO_SUCH_THING),
    ],
)
def test_what_can_be_no_token_is_refused(server: Server, ann: Client, fields: dict[str, Any], code: int) -> None:
    server.create("hall")
    assert ann.ask("create_token", **fields).code == code
    assert list(ann.ask("get_tokens").message.tokens) == []


def test_a_password_may_look_like_a_token(server: Server) -> None:
    """It is one, and goes the slow way."""
    word = "tpt_" + "x" * 43
    server.connect().ask("create_account", username="eve", password=word)
    assert log_in(server, "eve", word)[1].name == "okay"
