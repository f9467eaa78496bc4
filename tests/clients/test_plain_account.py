"""Plain commands that manage the player's account."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tpserver.admin.context import AdminContext
from tpserver.admin.roles import administration
from tpserver.notices.contacts import Terms
from tpserver.store.people import accounts as stored_accounts


def test_a_password_is_changed_with_the_old_one(workshop: Any, shell: Any) -> None:
    """In two lines of standard input, or in words; then only the new one lets in."""
    lines = "ann's word\nother word\n"
    code, out, err = shell(workshop, "account", "password", "--password-stdin", typed=lines)
    assert (code, out, err) == (0, "Your password is changed, and you are logged out everywhere else.\n", "")
    assert shell(workshop, "status")[0] == 3
    assert shell(workshop, "status", "--password", "other word")[0] == 0
    words = ("account", "password", "--password", "other word", "--new-password", "ann's word", "--json")
    assert json.loads(shell(workshop, *words)[1])["done"].startswith("Your password is changed")
    assert shell(workshop, "status")[0] == 0


def test_a_link_ends_with_the_old_password_when_asked(workshop: Any, shell: Any) -> None:
    workshop.server.host.notices.terms = Terms(calendar=True)
    assert shell(workshop, "notices", "calendar", "make")[0] == 0
    same = ("account", "password", "--new-password", "ann's word")
    assert shell(workshop, *same, "--drop", "addresses", "--drop", "providers")[0] == 0
    assert json.loads(shell(workshop, "notices", "calendar", "--json")[1])["made"]
    assert shell(workshop, *same, "--drop", "links")[0] == 0
    assert not json.loads(shell(workshop, "notices", "calendar", "--json")[1])["made"]


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--new-password", ""], 3, "refused: A password has 1 to 1024 characters."),
        (["--new-password", "x" * 1025], 3, "refused: A password has 1 to 1024 characters."),
        (["--new-password", "x", "--password", "wrong"], 3, "refused: Wrong user name or password"),
        ([], 2, "Give the new password: --password-stdin with two lines, or --new-password."),
    ],
)
def test_what_is_no_password_is_told(workshop: Any, shell: Any, words: list[str], code: int, told: str) -> None:
    found, out, err = shell(workshop, "account", "password", *words)
    assert (found, out) == (code, "")
    assert told in err
    assert shell(workshop, "status")[0] == 0, "the old one is good still"


def test_a_token_is_made_used_listed_and_revoked(workshop: Any, shell: Any) -> None:
    """It stands in the place of the password of any command, in every dialect."""
    assert shell(workshop, "token", "list")[1] == "You have no tokens; add LABEL makes one.\n"
    code, out, _ = shell(workshop, "token", "add", "my bot", "--days", "3", "--read-only", "--json")
    made = json.loads(out)
    assert (code, made["label"], made["read_only"], made["game"]) == (0, "my bot", True, None)
    for dialect in ("tp03", "tp04", "pb"):
        assert shell(workshop, "status", "--password", made["token"], dialect=dialect)[0] == 0
    code, _, err = shell(workshop, "finish", "--password", made["token"])
    assert (code, "refused: This token is read-only." in err) == (3, True)
    code, _, err = shell(workshop, "token", "list", "--password", made["token"])
    assert (code, "refused: A token is for games only" in err) == (3, True)
    listed = shell(workshop, "token", "list")[1]
    assert listed.startswith(f"{made['id']}. my bot: all my games, to look only, until 20")
    assert "last used 20" in listed
    assert shell(workshop, "token", "revoke", str(made["id"]))[1] == "Token revoked.\n"
    assert shell(workshop, "status", "--password", made["token"])[0] == 3
    assert "you have no seat in a game 'x'" in shell(workshop, "token", "add", "y", "--game", "x")[2].lower()


def test_a_moderator_does_by_words_what_the_operator_does(workshop: Any, shell: Any) -> None:
    assert shell(workshop, "admin")[1] == "Your role here is player.\n"
    code, _, err = shell(workshop, "admin", "account", "disable", "ben")
    assert (code, "You cannot do 'account disable' here" in err) == (2, True)

    def allow() -> None:
        server = workshop.server
        server.host.administration = administration(AdminContext(server.registry, server.accounts))
        server.store.write(stored_accounts.set_role, server.accounts.named("ann").id, "moderator")

    workshop.do(allow)
    assert (
        "Your role here is moderator. You may do: accounts, account list, account disable"
        in shell(workshop, "admin")[1]
    )
    assert shell(workshop, "admin", "accounts", "be")[1].startswith("ben: player, active, online, since 20")
    code, out, _ = shell(workshop, "admin", "account", "disable", "ben", "reason=too loud", "--json")
    assert (code, json.loads(out)["lines"]) == (
        0,
        ["Account ben is disabled: nobody can log in to it, and its connections have ended."],
    )
    assert "disabled (too loud)" in shell(workshop, "admin", "accounts", "ben")[1]
    assert "ann  account disable  ben" in shell(workshop, "admin", "audit")[1]
    code, _, err = shell(workshop, "admin", "account", "disable", "ben")
    assert (code, "refused: The account ben is already disabled." in err) == (3, True)
    assert shell(workshop, "admin", "account", "disable", "ben", "ann")[0] == 2


def test_a_guest_comes_in_and_becomes_an_account(workshop: Any, shell: Any) -> None:
    """The printed data log the guest in, in every dialect, until it has a password."""
    code, _, err = shell(workshop, "account", "guest")
    assert (code, "refused: This server takes no guests" in err) == (3, True)
    workshop.server.host.guests.terms.allowed = True
    code, out, _ = shell(workshop, "account", "guest", "--json")
    told = json.loads(out)
    assert (code, told["name"].startswith("Guest "), told["days"]) == (0, True, 7)
    mine = ("--user", told["name"], "--password", told["secret"])
    assert shell(workshop, "games", "--mine", *mine)[0] == 0
    words = ("account", "become", "zoe", "--new-password", "her word")
    assert shell(workshop, *words, *mine)[1] == (
        "You are zoe now, with all seats and games; log in with the new password.\n"
    )
    assert shell(workshop, "games", "--mine", *mine)[0] == 3
    assert shell(workshop, "games", "--mine", "--user", "zoe", "--password", "her word")[0] == 0
    assert "is not a guest account" in shell(workshop, *words, "--user", "zoe", "--password", "her word")[2]


def test_what_a_guest_is_told_can_be_pasted_into_a_shell(workshop: Any, shell: Any) -> None:
    workshop.server.host.guests.terms.allowed = True
    _, secret, line = shell(workshop, "account", "guest")[1].splitlines()
    assert line.startswith("export TPCLIENT_USER='Guest ")
    assert line.endswith(f" TPCLIENT_PASSWORD={secret}")
