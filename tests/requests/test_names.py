"""Unreadable and confusable names are refused for new accounts."""

from __future__ import annotations

import pytest

from tests.support.server_in_memory import CHEAP, Server, result_of
from tpserver.accounts.accounts import NameIsTaken, NotAdmitted
from tpserver.accounts.passwords import Passwords
from tpserver.names import BadName, NamesInUse, appearances, new_name
from tpserver.store.people import accounts as stored_accounts

DENIED = 5

UNREADABLE = {
    "\u3164": "invisible",
    "\u115f": "invisible",
    "\u2800": "invisible",
    "ali\u034fce": "invisible",
    "ali\u200dce": "invisible",
    "ali\u00adce": "invisible",
    "alice\ufe0f": "invisible",
    "ali\u202ece": "invisible",
    "ali\ufffdce": "symbols",
    "ali\ue000ce": "invisible",
    "\U0001f600": "symbols",
    "ali\u00a0ce": "space",
    "ali\u3000ce": "space",
    "an\tn": "space",
    "ann  lee": "two in a row",
    "\u0430lice": "Cyrillic and Latin",
    "p\u03b1ul": "Greek and Latin",
    "Player 2": "open seat",
    "Player-2.": "open seat",
    "bot_1": "open seat",
    "2": "a letter in it",
    "4-2": "a letter in it",
    "!!": "a letter in it",
    "-x": "does not begin with -",
    "a=b": "has no =",
    "everybody": "kept for the server",
    "All": "kept for the server",
    "Spectators": "kept for the server",
    "operator": "kept for the server",
    "0perator": "kept for the server",
    "M.o.d.e.r.a.t.o.r": "kept for the server",
    "Server": "kept for the server",
    "System 1": "kept for the server",
    "the admin": "kept for the server",
    "player 17": "open seat",
    "PLAYER 2": "open seat",
    "P1ayer 2": "open seat",
    "\u0420layer 2": "Cyrillic and Latin",
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_names_that_nobody_can_read_or_that_mislead(server: Server, name: str, dialect: str):
    """Refused with what is allowed, by CreateAccount and by a Login that would make an account."""
    client = server.connect(dialect)
    for request in ("create_account", "login"):
        answer = client.ask(request, username=name, password="word")
        assert answer.code == DENIED
        assert UNREADABLE[name] in answer.text
    assert server.store.read(stored_accounts.all) == []


@pytest.mark.parametrize("name", ["admin", "Server", "the moderators", "M.o.d.e.r.a.t.o.r"])
def test_an_operator_gives_a_name_of_authority_on_purpose(server: Server, name: str):
    with pytest.raises(NotAdmitted, match="kept for the server"):
        result_of(server.accounts.add(name, "word"))
    assert result_of(server.accounts.add(name, "word", has_authority=True)).name == name


@pytest.mark.parametrize("name", ["everybody", "Spectators", "Player 2", "bot-1", "removed player 1", "Ann."])
def test_no_other_reserved_name_is_given_on_purpose(server: Server, name: str):
    result_of(server.accounts.add("ann", "word"))
    with pytest.raises(NotAdmitted):
        result_of(server.accounts.add(name, "word", has_authority=True))


@pytest.mark.parametrize(
    "name",
    ["alice", "Zo\u00eb", "Ωμέγα", "Сергей", "山田太郎", "山田たろう", "김철수", "דוד", "أحمد", "राम", "สมชาย",
     "Игрок 2", "ann lee", "o'neil", "bob-2", "x_y.z!", "Player", "player2", "A", "Systema", "Hal"],
)  # fmt: skip
def test_names_of_all_scripts_are_welcome(server: Server, name: str):
    assert server.connect().ask("create_account", username=name, password="word").name == "okay"
    assert server.connect().ask("login", username=name, password="word").name == "okay"
    (account,) = server.store.read(stored_accounts.all)
    assert account.name == name


def test_a_name_is_kept_in_its_composed_form(server: Server):
    """As a keyboard of another system would send it."""
    assert server.connect().ask("create_account", username="Zoe\u0308", password="word").name == "okay"
    assert server.connect().ask("login", username="Zo\u00eb", password="word").name == "okay"
    assert server.connect().ask("login", username="zoe\u0308", password="word").name == "okay"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("alice", "\u0430\u04c0\u0456\u0441\u0435"),  # Cyrillic all of it
        ("\u0430\u04c0\u0456\u0441\u0435", "alice"),
        ("Alice", "AIice"),
        ("ALICE", "\u0430\u04c0\u0456\u0441\u0435"),
        ("bob1", "bobl"),
        ("modern", "modem"),
        ("Zoe", "Z0e"),
        ("cab-1", "cab-l"),
        ("alice", "alice."),
        ("alice.", "Alice"),
        ("ann lee", "annlee"),
        ("ann-lee", "ann_lee"),
        ("o'neil", "oneil"),
        ("allie", "a||ie"),
    ],
)
def test_a_name_that_looks_like_another_account_s(server: Server, first: str, second: str):
    """Refused with a sentence that names the other one, which goes on as before."""
    assert server.connect().ask("login", username=first, password="word").name == "okay"
    client = server.connect()
    answer = client.ask("create_account", username=second, password="word")
    assert answer.code == DENIED
    assert f"looks like {first!r}" in answer.text
    assert server.connect().ask("login", username=first, password="word").name == "okay"
    assert len(server.store.read(stored_accounts.all)) == 1


def test_names_from_before_can_still_log_in(server: Server):
    """And two that look alike are both let in, each with its own password."""
    hashed = Passwords(CHEAP).hash("word")
    old = [
        "2",
        "Operator",
        "everybody",
        "alice.",
        "\u3164",
        "Player 2",
        "ali\u034fce",
        "alice",
        "\u0430lice",
        "a\ufffdb",
    ]
    for name in old:
        server.store.write(lambda c, name=name: stored_accounts.add(c, name, hashed, now=1.0))
    for name in old:
        assert server.connect().ask("login", username=name, password="word").name == "okay"
    assert server.connect().ask("create_account", username="alice", password="word").code == DENIED


def test_a_name_is_free_again_when_its_account_could_not_be_made(make_server):
    server = make_server(delayed=True)
    server.disk.at_once = False
    waiting = server.connect().post("create_account", username="alice", password="word")
    with pytest.raises(NameIsTaken, match="looks like"):
        result_of(server.accounts.add("aIice", "word"))
    server.disk.fail()
    assert waiting.came
    server.disk.at_once = True
    assert result_of(server.accounts.add("aIice", "word")).name == "aIice"


@pytest.mark.parametrize("name", ["bot-1", "Bot-999", "bot-l"])
def test_nobody_is_called_like_a_bot_of_the_server(server: Server, name: str):
    with pytest.raises(NotAdmitted, match="or a bot, like Player 2 or bot-1"):
        result_of(server.accounts.add(name, "word"))


def test_appearances_of_single_signs():
    """Every sign that looks like another one in Unicode's table has the same skeleton as that."""
    alike = [("1", "l"), ("I", "l"), ("0", "O"), ("m", "rn"), ("\u0430", "a"), ("\u03bf", "o"), ("\u0585", "o")]
    for one, other in alike:
        assert appearances(one) & appearances(other), (one, other)
    different = [("a", "b"), ("e", "\u00e9"), ("2", "3"), ("日", "本")]
    for one, other in different:
        assert not appearances(one) & appearances(other), (one, other)


def test_names_in_use_can_be_taken_back():
    names = NamesInUse(["alice"])
    names.add("bob")
    assert names.alike("b0b") == "bob"
    names.remove("bob")
    assert names.alike("b0b") is None
    names.remove("aIice")
    assert names.alike("alice") == "alice"


def test_a_sentence_names_the_sign_that_is_not_allowed():
    with pytest.raises(BadName, match=r"U\+3164 HANGUL FILLER"):
        new_name("ann \u3164")
