"""Account changes at one node reach the other nodes a moment later.

Sessions end there, and names and roles are new.
"""

from __future__ import annotations

from typing import Any

from tests.support.server_in_memory import Server, result_of
from tpserver.requests.session.revocation import Rechecks
from tpserver.requests.session.session import ACCOUNT_CHANGED, LOGGED_OUT, TOKEN_REVOKED
from tpserver.store.people import accounts as stored_accounts


def account_of(server: Server, name: str) -> stored_accounts.Account:
    found = server.store.read(stored_accounts.by_name, name)
    assert found is not None
    return found


def look(server: Server) -> None:
    result_of(Rechecks(server.host, server.clock).look())


def home(server: Server, name: str) -> Any:
    client = server.connect("pb")
    assert client.ask("login_account", username=name, password=f"{name}'s word").name == "account"
    return client


def test_another_password_ends_the_sessions_at_other_nodes_but_not_the_one_that_has_given_it(
    one: Server, two: Server
) -> None:
    here, there, other = home(one, "ann"), home(two, "ann"), home(two, "ben")
    assert here.ask("change_password", old="ann's word", new="a longer word").name == "okay"
    for server in (one, two):
        look(server)
    assert here.ask("get_my_games").names and other.ask("get_my_games").names
    refused = there.ask("get_my_games")
    assert ACCOUNT_CHANGED in refused.text.lower() and there.session.closing


def test_a_disabled_account_is_out_everywhere(one: Server, two: Server) -> None:
    there = home(two, "ann")
    result_of(one.accounts.disable(account_of(one, "ann"), "spam"))
    look(two)
    assert ACCOUNT_CHANGED in there.ask("get_my_games").text.lower()


def test_a_revoked_token_and_a_login_that_was_ended_are_good_for_nothing_anywhere(one: Server, two: Server) -> None:
    owner = home(one, "ann")
    made = owner.ask("create_token", label="a script", days=30).message
    script, browser, other = two.connect("pb"), home(two, "ann"), home(two, "ann")
    assert script.ask("login_account", username="ann", password=made.secret).name == "account"
    ticket = browser.ask("keep_login", label="a browser").message.ticket
    result_of(two.host.logins.redeem(ticket))
    assert browser.session.kept_login
    look(two)
    assert script.session.account is not None and browser.session.account is not None
    assert owner.ask("revoke_token", id=made.id).names
    assert owner.ask("revoke_login", id=browser.session.kept_login).names
    look(two)
    assert TOKEN_REVOKED in script.ask("get_my_games").text.lower()
    assert LOGGED_OUT in browser.ask("get_my_games").text.lower()
    assert other.ask("get_my_games").names


def test_another_name_is_shown_in_the_games_of_other_nodes(one: Server, two: Server) -> None:
    ann = account_of(two, "ann")
    result_of(two.accounts.rename(ann, "anna"))
    look(one)
    assert [player.name for player in one.game().players] == ["anna", "ben"]
    assert one.registry.directory.seat_names(1) == ("anna", "ben")


def test_who_is_labelled_as_a_program_is_that_everywhere(one: Server, two: Server) -> None:
    result_of(two.store.write(stored_accounts.set_role, account_of(two, "ann").id, "bot"))
    look(one)
    assert one.registry.labels.is_bot(one.game().players[0])
