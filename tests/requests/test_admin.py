"""Administration requests: present role, rank of accounts, audit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests.test_my_games import at_home
from tests.support.server_in_memory import Client, Server, result_of
from tpserver.admin.commands import COMMANDS
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.admin.roles import BY_ROLE, MOST_LINES, administration
from tpserver.requests.account.admin import ACCOUNTS_AT_ONCE, LONGEST_ARGUMENT, MOST_ARGUMENTS
from tpserver.store import audit as stored_audit

PERMANENTLY, DENIED, TOO_BIG = 2, 5, 8


@pytest.fixture
def served(server: Server) -> Server:
    """A server that operators administer: olga is one, mo is a moderator, ann and ben are players."""
    server.host.administration = administration(AdminContext(server.registry, server.accounts))
    for name in ("olga", "mo", "ann", "ben"):
        at_home(server, name)
    for name, role in (("olga", "operator"), ("mo", "moderator")):
        result_of(server.accounts.set_role(server.accounts.named(name), role))
    server.create("first")
    return server


def do(client: Client, operation: str, **arguments: str) -> Any:
    given = [{"name": name, "value": value} for name, value in arguments.items()]
    return client.ask("administer", operation=operation, arguments=given)


def test_a_moderator_disables_a_player_who_is_told_why(served: Server) -> None:
    ann, mo = at_home(served, "ann"), at_home(served, "mo")
    answer = do(mo, "account disable", name="ann", reason="spam")
    assert list(answer.message.lines) == [
        "Account ann is disabled: nobody can log in to it, and its connections have ended."
    ]
    assert ann.ask("get_my_games").text.endswith("has disabled this account: spam.")
    (entry,) = served.store.read(stored_audit.newest, 10)
    assert (entry.actor, entry.operation, entry.subject, entry.reason) == ("mo", "account disable", "ann", "spam")
    assert do(mo, "account enable", name="ann").name == "administered"
    assert do(mo, "account enable", name="ann").code == PERMANENTLY
    assert len(served.store.read(stored_audit.newest, 10)) == 2, "what was refused is not in it"


def test_a_seed_is_not_in_the_audit_that_moderators_read(served: Server) -> None:
    """Moderators may play, and the seed reveals all future dice."""
    context = AdminContext(served.registry, served.accounts)
    given = {"name": "second", "ruleset": "auction", "seats": 2, "seed": "secret-seed"}
    result_of(perform(context, "game create", given))
    lines = "\n".join(do(at_home(served, "mo"), "audit").message.lines)
    assert "game create" in lines
    assert 'ruleset="auction"' in lines
    assert "secret-seed" not in lines
    assert "secret-seed" not in "\n".join(do(at_home(served, "mo"), "game show", name="second").message.lines)


def test_the_digest_of_a_game_that_goes_on_is_for_who_has_the_machine(served: Server) -> None:
    """Players could find hidden values by trying them against the digest. After the end, digest and seed are shown."""
    context, mo = AdminContext(served.registry, served.accounts), at_home(served, "mo")
    for name in ("ann", "ben"):
        served.player(name, "pb", "first")
    digest = served.game().digest
    assert any(digest in line for line in result_of(perform(context, "game show", {"name": "first"})))
    told = do(mo, "game show", name="first").message.lines
    assert told[0].startswith("first: ")
    assert not any(digest in line for line in told)
    result_of(perform(context, "game abort", {"name": "first", "reason": "No time"}))
    told = do(mo, "game show", name="first").message.lines
    assert any(served.game().digest in line for line in told)


def test_a_list_is_filtered_but_is_no_json(served: Server) -> None:
    """The answer has a maximum number of lines, so that JSON would be cut."""
    mo = at_home(served, "mo")
    assert [line.split()[0] for line in do(mo, "account list", match="OLG").message.lines] == ["NAME", "olga"]
    assert do(mo, "account list", json="true").text == "Account list has no argument 'json'."


def test_players_do_nothing_and_learn_nothing(served: Server) -> None:
    ann = at_home(served, "ann")
    assert ann.ask("get_accounts").code == DENIED
    for operation in ("account list", "account disable", "audit", "reload", "nonsense", ""):
        assert do(ann, operation, name="ben").code == DENIED
    own = ann.ask("get_own_account").message
    assert (own.name, own.role, list(own.operations)) == ("ann", "player", [])
    assert served.accounts.named("ben").may_log_in


@pytest.mark.parametrize("role", ["moderator", "operator"])
def test_a_role_lets_do_what_is_said_of_it_and_nothing_else(served: Server, role: str) -> None:
    client = at_home(served, "mo" if role == "moderator" else "olga")
    own = client.ask("get_own_account").message
    assert (own.role, tuple(own.operations)) == (role, BY_ROLE[role])
    for operation in set(COMMANDS) - set(BY_ROLE[role]):
        assert do(client, operation, name="ann").code == DENIED, operation
    assert {"account role", "account remove", "account export", "game create", "reload"}.isdisjoint(BY_ROLE[role])


@pytest.mark.parametrize(("actor", "target"), [("mo", "mo"), ("mo", "olga"), ("olga", "olga")])
def test_nobody_changes_an_account_of_the_own_or_a_higher_role(served: Server, actor: str, target: str) -> None:
    client = at_home(served, actor)
    assert do(client, "account disable", name=target).code == PERMANENTLY
    assert served.accounts.named(target).may_log_in
    assert do(at_home(served, "olga"), "account disable", name="mo").name == "administered"


def test_a_role_counts_as_it_is_now(served: Server) -> None:
    """An account without the role, or a disabled one, does nothing more on an open connection."""
    mo = at_home(served, "mo")
    assert do(mo, "account list").name == "administered"
    result_of(served.accounts.set_role(served.accounts.named("mo"), "player"))
    assert do(mo, "account list").code == DENIED
    assert mo.ask("get_own_account").message.role == "player"


def test_accounts_are_listed_in_parts_and_found_by_a_part_of_the_name(served: Server) -> None:
    mo = at_home(served, "mo")
    told = mo.ask("get_accounts").message
    assert [(one.name, one.role, one.state) for one in told.accounts] == [
        ("olga", "operator", "active"),
        ("mo", "moderator", "active"),
        ("ann", "player", "active"),
        ("ben", "player", "active"),
    ]
    assert told.accounts[1].online
    assert [one.name for one in mo.ask("get_accounts", search="NN").message.accounts] == ["ann"]
    for text in ("%", "_", "x" * 5000):
        assert list(mo.ask("get_accounts", search=text).message.accounts) == []
    for number in range(ACCOUNTS_AT_ONCE):
        result_of(served.accounts.add(f"name{number}", "word"))
    told = mo.ask("get_accounts").message
    assert len(told.accounts) == ACCOUNTS_AT_ONCE
    rest = mo.ask("get_accounts", start=told.following).message
    assert (len(rest.accounts), rest.following) == (4, 0)


def test_an_operator_looks_after_games_and_passwords(served: Server) -> None:
    """Numbers come as text; what an operation does not take is refused."""
    olga = at_home(served, "olga")
    served.players(2, game="first")
    assert do(olga, "game pause", name="first").name == "administered"
    assert do(olga, "game extend", name="first", seconds="60").code == PERMANENTLY
    assert "no deadline" in do(olga, "game extend", name="first", seconds="60").text
    for seconds in ("x", "-1", "1" * 400, "٣"):
        assert do(olga, "game extend", name="first", seconds=seconds).code == PERMANENTLY
    assert do(olga, "game pause", name="first", actor="the operator").code == PERMANENTLY
    assert do(olga, "account reset-password", name="ben", password="hush").name == "administered"
    assert served.connect().ask("login", username="ben@first", password="hush").name == "okay"
    lines = "\n".join(do(olga, "audit").message.lines)
    assert "olga  account reset-password  ben" in lines
    assert "hush" not in lines


def test_the_audit_shows_no_seed_that_an_earlier_version_has_noted(served: Server) -> None:
    """A moderator may play in the game whose dice it decides."""
    details = {"ruleset": "tae", "seed": "hush"}
    entry = stored_audit.AuditEntry(served.now(), "the operator", "game create", "first", details)
    result_of(served.store.write(stored_audit.add, entry))
    lines = "\n".join(do(at_home(served, "mo"), "audit").message.lines)
    assert 'ruleset="tae"' in lines
    assert "hush" not in lines


def test_what_is_asked_and_answered_is_bounded(served: Server) -> None:
    olga = at_home(served, "olga")
    many = {f"key{number}": "x" for number in range(MOST_ARGUMENTS + 1)}
    assert do(olga, "account list", **many).code == TOO_BIG
    assert do(olga, "account disable", name="x" * (LONGEST_ARGUMENT + 1)).code == TOO_BIG
    now = served.now()
    entry = stored_audit.AuditEntry(now, "olga", "account enable", "ann")

    def fill(connection: Any) -> None:
        for _ in range(MOST_LINES + 5):
            stored_audit.add(connection, entry)

    result_of(served.store.write(fill))
    lines = do(olga, "audit", most="9999").message.lines
    assert len(lines) == MOST_LINES + 1
    assert lines[-1] == "... and 6 more lines"


def test_a_server_without_operators_has_nothing_of_it(server: Server) -> None:
    """As one in memory, or one whose operator has named nobody."""
    olga = at_home(server, "olga")
    result_of(server.accounts.set_role(server.accounts.named("olga"), "operator"))
    assert do(olga, "account list").code == DENIED
