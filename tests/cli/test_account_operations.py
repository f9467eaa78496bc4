"""Operations on accounts, with and without a running server.

Both ways do the same, and the audit records each operation.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture(params=["without a server", pytest.param("with a server", marks=pytest.mark.thorough)])
def do(request: pytest.FixtureRequest, data: Path, tpserver: Run) -> Iterator[Run]:
    """Run commands on the data directory, with or without a server that runs there; ada has an account."""
    server = request.getfixturevalue("serve")() if request.param == "with a server" else None

    def run(*arguments: object) -> Any:
        return tpserver(*arguments, "--data", data)

    run("account", "add", "ada", "--password", "secret")
    yield run
    if server is not None:
        assert server.stop() == 0
        assert "Traceback" not in server.said


@pytest.mark.thorough
def test_accounts_are_listed_renamed_and_labelled(do: Run) -> None:
    """Their seats are called as they are; a name that another account has, or that looks like it, is refused."""
    do("account", "add", "bob", "--password", "secret")
    do("game", "create", "lots", "--ruleset", "auction", "--seats", "2")
    do("game", "invite", "lots", "ada")
    assert do("account", "rename", "ADA", "Cleo").lines == ["Account ada is called Cleo now, also in its games."]
    assert do("account", "role", "bob", "bot").lines == ["Account bob has the role bot now."]
    head, cleo, bob = do("account", "list").lines
    assert head.split() == ["NAME", "ROLE", "STATE", "SEATS", "MADE"]
    assert cleo.split()[:4] == ["Cleo", "player", "active", "1"]
    assert bob.split()[:4] == ["bob", "bot", "active", "0"]
    assert "1  Cleo" in do("game", "show", "lots").out
    assert "there is no account 'ada'" in do("account", "rename", "ada", "x").err
    alone = "tpserver: there is no account 'bob@lots'; give the name alone, without the game\n"
    assert do("account", "role", "bob@lots", "player").err == alone
    assert "looks like 'bob', which is taken" in do("account", "rename", "Cleo", "BOB").err
    assert "a name has 1 to 32 characters" in do("account", "rename", "Cleo", "").err
    assert do("account", "rename", "Cleo", "CLEO").code == 0, "in other letters it is its own"
    assert do("account", "add", "ada", "--password", "x").code == 0, "the old name is free"
    assert "kept for the server" in do("account", "add", "admin", "--password", "x").err
    assert do("account", "add", "admin", "--password", "x", "--reserved").lines == ["Account admin added."]
    assert "ROLE is 'king', but must be player, moderator," in do("account", "role", "bob", "king").err


def test_a_password_is_reset(do: Run) -> None:
    assert do("account", "reset-password", "ada", "--password", "other").lines == [
        "Account ada has another password; logins with the old one have ended."
    ]
    assert "there is no account 'bob'" in do("account", "reset-password", "bob", "--password", "other").err
    assert "a password has 1 to 1024 characters" in do("account", "reset-password", "ada", "--password", "").err


def test_an_account_is_disabled_and_enabled(do: Run) -> None:
    assert "is not disabled" in do("account", "enable", "ada").err
    assert "has disabled" not in do("account", "list").out
    assert do("account", "disable", "ada", "--reason", "He shouts.").lines == [
        "Account ada is disabled: nobody can log in to it, and its connections have ended."
    ]
    assert "disabled: He shouts  " in do("account", "list").out
    assert "is already disabled" in do("account", "disable", "ada").err
    assert "a reason has at most 300 printable characters" in do("account", "disable", "ada", "--reason", "x" * 301).err
    assert do("account", "enable", "ada").lines == ["Account ada can log in again."]


def test_an_account_is_removed_after_what_is_stored_of_it_was_written(do: Run, tmp_path: Path) -> None:
    """Its seat is open again; the file is for its owner only, and is not written over."""
    do("game", "create", "lots", "--ruleset", "auction", "--seats", "2")
    do("game", "invite", "lots", "ada")
    file = tmp_path / "ada.json"
    said = do("account", "remove", "ada", "--to", file, "--reason", "asked for it")
    assert said.lines == [
        f"All that is stored of ada is in {file}.",
        "Account ada is removed; in games that are over it is 'removed player 1', in others it has no seat.",
    ]
    kept = json.loads(file.read_text())
    assert kept["account"]["name"] == "ada"
    assert [(one["game"], one["player"]) for one in kept["games"]] == [("lots", 1)]
    assert "argon2" not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "1  - (open)" in do("game", "show", "lots").out
    assert do("account", "list").lines[1].split()[:5] == ["removed", "player", "1", "player", "removed"]
    assert "there is no account 'removed player 1'" in do("account", "enable", "removed player 1").err
    assert do("account", "add", "ada", "--password", "x").code == 0, "the name is free"
    assert "cannot be written: file exists" in do("account", "remove", "ada", "--to", file).err
    assert do("account", "list").lines[2].split()[2] == "active", "without the file it stays"
    assert do("audit").out.count("account export") == 1, "nor does the audit say that it was written"
    assert "removed accounts" in do("account", "add", "Removed player 7", "--password", "x").err
    assert do("account", "remove", "ada", "--without-export").code == 0
    do("account", "add", "bob", "--password", "secret")
    do("game", "invite", "lots", "bob")
    assert "run again" in do("replay", "lots").out


def test_the_audit_has_who_has_done_what_with_whom_and_why(do: Run) -> None:
    """It has no password and no seed, as moderators may play. Refused and read-only operations are not in it."""
    do("account", "reset-password", "ada", "--password", "hush hush")
    do("account", "disable", "ada", "--reason", "spam")
    do("account", "disable", "ada", "--reason", "again")
    do("account", "role", "ada", "moderator")
    do("account", "list")
    do("game", "create", "lots", "--ruleset", "auction", "--seats", "2", "--seed", "hush")
    lines = do("audit").lines
    assert [line.split("the operator  ")[1].split()[0:3] for line in lines[1:]] == [
        ["account", "add", "ada"],
        ["account", "reset-password", "ada"],
        ["account", "disable", "ada"],
        ["account", "role", "ada"],
        ["game", "create", "lots"],
    ]
    assert lines[3].endswith("spam")
    assert 'role="moderator"' in lines[4]
    assert "hush" not in "".join(lines)
    assert "{}" not in lines[5], "what was not said is not in it"
    assert len(do("audit", "ada").lines) == 5
    assert len(do("audit", "--most", "2").lines) == 3
    assert do("audit", "nobody").lines == ["There is nothing in the audit about 'nobody'."]
    do("game", "seats", "lots")
    assert "game seats" not in do("audit").out
    do("game", "seats", "lots", "--seek", "yes")
    assert 'seek="yes"' in do("audit").lines[-1]


def test_an_account_cannot_be_exported_that_is_not_there(do: Run, tmp_path: Path) -> None:
    assert "there is no account 'bob'" in do("account", "export", "bob", "--to", tmp_path / "x").err
    assert not (tmp_path / "x").exists()


def test_an_account_is_silenced_and_may_write_again(do: Run) -> None:
    """The account gets the reason, and the audit has the operation and the reason."""
    assert "the account ada is not silenced" in do("account", "unsilence", "ada").err
    (told,) = do("account", "silence", "ada", 3, "--reason", "Insults.").lines
    assert told.startswith("Account ada is silenced until 20")
    assert told.endswith("; it is notified of the reason.")
    assert do("account", "unsilence", "ada").lines == ["Account ada may write again."]
    assert "of days from 1 to 366" in do("account", "silence", "ada", 367, "--reason", "x").err
    assert "give a reason" in do("account", "silence", "ada", 1, "--reason", " ").err
    assert "there is no account 'bob'" in do("account", "silence", "bob", 1, "--reason", "x").err
    audit = do("audit", "ada").out
    assert audit.index("account silence") < audit.index("account unsilence")
    assert "Insults" in audit
    assert "days=3" in audit


def test_reported_letters_are_listed_and_closed(do: Run) -> None:
    """Without one there is nothing to decide; `tests/requests/test_abuse_reports.py` has what comes of decisions."""
    assert do("report", "list").lines == ["There are no open reports."]
    assert do("report", "list", "--closed").lines == ["There are no closed reports yet."]
    assert "there is no report 7" in do("report", "close", 7, "dismissed", "--reason", "x").err
    assert (
        "DECISION is 'shot', but must be dismissed, warned or silenced"
        in do("report", "close", 7, "shot", "--reason", "x").err
    )
    assert (
        "--days: '367' is not a number of days from 1 to 366"
        in do("report", "close", 7, "silenced", "--days", "367", "--reason", "x").err
    )
    assert "report list" in do("audit").out, "a look is in the audit, too"
