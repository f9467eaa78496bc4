"""Account changes by the operator reach all open sessions of the account."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest
from twisted.internet.defer import Deferred, succeed

from tests.requests.test_my_games import at_home, come_back, kept
from tests.support.server_in_memory import CHEAP, Server, result_of
from tpserver.accounts.accounts import Accounts, NotAdmitted, Requester
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people.accounts import Account

TEMPORARILY, DENIED = 3, 5
WORD = "ann's word"


def account(server: Server, name: str = "ann") -> Account:
    return server.accounts.named(name)


def test_whoever_is_there_is_told_and_gone_when_the_account_is_disabled(server: Server, dialect: str) -> None:
    """In every dialect; another account's connections go on."""
    server.create("first")
    ann, ben = server.player("ann", dialect, "first"), server.player("ben", dialect, "first")
    result_of(server.accounts.disable(account(server), "spam"))
    refused = ann.ask("get_time_remaining")
    assert refused.code == DENIED
    assert refused.text == "The operator of this server has disabled this account: spam."
    assert ann.session.closing
    assert ben.ask("get_time_remaining").name == "time_remaining"
    again = server.connect(dialect).ask("login", username="ann@first", password=WORD)
    assert (again.code, again.text) == (DENIED, refused.text)
    wrong = server.connect(dialect).ask("login", username="ann@first", password="no")
    assert "wrong user name or password" in wrong.text.lower(), "only who knows the password is told"
    result_of(server.accounts.enable(account(server)))
    assert server.connect(dialect).ask("login", username="ann@first", password=WORD).name == "okay"


def test_a_browser_that_stayed_logged_in_is_not_any_more(server: Server) -> None:
    """After the account was disabled, and after it got another password; nor is a ticket good for anything then."""
    for change in ("disable", "password"):
        ann = at_home(server)
        token, ticket = kept(server, ann), ann.ask("keep_login", label="x").message.ticket
        if change == "disable":
            result_of(server.accounts.disable(account(server), ""))
            result_of(server.accounts.enable(account(server)))
        else:
            result_of(server.accounts.set_password(account(server), "new"))
        assert come_back(server, token).code == DENIED
        with pytest.raises(NotAdmitted, match="already used or has expired"):
            result_of(server.host.logins.redeem(ticket))
        assert ann.ask("get_my_games").code == DENIED
    assert server.connect().ask("login", username="ann", password=WORD).code == DENIED
    assert server.connect("pb").ask("login_account", username="ann", password="new").name == "account"


def test_whoever_is_led_into_a_game_while_the_account_is_disabled_does_not_come_in(
    make_server: Callable[..., Server],
) -> None:
    server = make_server(delayed=True)
    server.create("first")
    at_home(server)
    server.disk.at_once = False
    done = Deferred.fromCoroutine(server.accounts.disable(account(server), "spam"))
    waiting = server.connect("pb").post("login", username="ann@first", password=WORD)
    server.disk.commit()
    assert done.called
    assert waiting.reply.code == DENIED


def test_a_password_that_is_replaced_while_it_is_checked_is_wrong(server: Server) -> None:
    at_home(server)
    found = account(server)
    replaced: list[object] = []

    def hashing(work: Callable[[], object]) -> Deferred[object]:
        right = work()
        replaced.append(result_of(server.store.write(stored_accounts.set_hash, found.id, "another")))
        return succeed(right)

    slow = Accounts(server.store, "open", hashing, server.now, CHEAP)  # type: ignore[arg-type] # of one type only
    with pytest.raises(NotAdmitted, match="wrong user name or password"):
        result_of(slow.login("ann", WORD))
    assert len(replaced) == 1


def test_a_renamed_player_is_seen_under_the_new_name(server: Server, dialect: str) -> None:
    """Others see it at once, with a modification time by which clients download it again, and after a restart."""
    server.create("first")
    ben = server.player("ben", dialect, "first")
    server.player("ann", dialect, "first")
    before = ben.ids("get_player_ids") if dialect != "tp03" else {}
    server.pass_time(10)
    name = result_of(server.accounts.rename(account(server), "Zoe"))
    server.registry.labels.renamed(account(server, "Zoe").id, name)
    assert ben.ask("get_player", ids=[2]).things[0].name == "Zoe"
    if before:
        assert list(ben.ids("get_player_ids", max(before.values()))) == [2]
    again = server.restarted()
    assert again.player("ben", dialect, "first").ask("get_player", ids=[2]).things[0].name == "Zoe"


def test_nothing_personal_is_left_of_an_account_that_was_removed(server: Server) -> None:
    """The rows of its games contain nothing of it, and neither do entries about taken seats."""
    server.create("first")
    result_of(server.accounts.register("ann", WORD, "ann@example.org", "a comment", Requester("x")))
    ann = at_home(server)
    kept(server, ann, "her browser")
    ann.ask("enter_game", game="first")
    ben = server.player("ben", game="first")
    name = result_of(server.accounts.remove(account(server)))
    server.registry.labels.renamed(1, name)
    assert ben.ask("get_player", ids=[1]).things[0].name == name == "removed player 1"
    again = server.restarted()
    assert (again.game("first").players[0].name, again.game("first").players[0].account) == ("Player 1", None)
    rows = _rows(again)
    assert [text for text in ("ann@example", "her browser", "a comment", '"ann"', "'ann'") if text in rows] == []
    assert rows.count("argon2id") == 1, "that is ben's"


def _rows(server: Server) -> str:
    """Return all rows of the database as text."""
    with sqlite3.connect(server.path) as connection:
        return "\n".join(connection.iterdump())


def test_an_account_that_says_that_it_is_a_program_is_shown_as_one(server: Server) -> None:
    """And nobody else plays for it."""
    server.create("first")
    ann, ben = server.player("ann", game="first"), at_home(server, "ben")
    ben.ask("enter_game", game="first")
    result_of(server.accounts.set_role(account(server), "bot"))
    server.registry.labels.label_bot(account(server).id, is_bot=True)
    assert ben.ask("get_player", ids=[1]).things[0].race == "Bot"
    assert [seat.bot for seat in ben.ask("get_my_games").message.games[0].seats] == [True, False]
    assert not server.game("first").players[0].bot
    assert ann.session.seat == 0
    again = server.restarted()
    assert [seat.bot for seat in at_home(again, "ben").ask("get_my_games").message.games[0].seats] == [True, False]


def test_a_removed_name_is_taken_by_nobody_before(server: Server) -> None:
    """An account of old times may have the name that a removed one would get."""
    added = at_home(server).session.account
    assert added is not None

    def take(connection: object) -> None:
        stored_accounts.add(connection, "Removed Player 1", "x", now=1.0)  # type: ignore[arg-type]

    result_of(server.store.write(take))
    assert result_of(server.accounts.remove(added)) == "removed player 1-2"


def test_one_changes_ones_own_password_with_the_old_one(server: Server) -> None:
    """All other connections and kept logins end; this connection goes on, and needs a ticket to stay."""
    server.create("first")
    ann, elsewhere = at_home(server), server.player("ann", "tp04", "first")
    token = kept(server, ann)
    for old, new in (("wrong", "new"), (WORD, ""), (WORD, "x" * 1025), ("", "new")):
        assert ann.ask("change_password", old=old, new=new).code == DENIED
    assert ann.ask("change_password", old="wrong", new="new").text == "The old password is wrong."
    assert come_back(server, token).name == "account", "nothing has changed"
    server.pass_time(60)
    assert ann.ask("change_password", old=WORD, new="new").name == "okay"
    assert ann.ask("get_my_games").name == "my_games"
    assert elsewhere.ask("ping").code == DENIED
    assert elsewhere.session.closing
    assert come_back(server, token).code == DENIED
    assert ann.session.kept_login == 0
    assert server.connect().ask("login", username="ann@first", password=WORD).code == DENIED
    assert server.restarted().connect().ask("login", username="ann@first", password="new").name == "okay"


def test_whoever_guesses_the_old_password_has_to_pause(server: Server) -> None:
    ann = at_home(server)
    codes = [ann.ask("change_password", old=f"guess {number}", new="new").code for number in range(5)]
    assert codes[:3] == [DENIED] * 3
    assert codes[3:] == [TEMPORARILY] * 2


# --- locked down ------------------------------------------------------------------------------------------------------


def test_on_a_locked_down_server_those_play_on_who_play_and_nobody_else_comes(server: Server, dialect: str) -> None:
    """Nobody makes an account or a game or takes a seat; a moderator comes in; afterwards all is as before."""
    server.create("first")
    server.create("second")
    ann = server.player("ann", dialect, "first")
    guest = server.player("guest", dialect, "first/watch")
    at_home(server, "mo")
    result_of(server.accounts.set_role(account(server, "mo"), "moderator"))
    server.accounts.policy = "lockdown"
    server.host.lock_down()
    assert ann.ask("get_time_remaining").name == "time_remaining"
    assert "in lockdown" in guest.ask("get_time_remaining").text
    for name, game in (("guest", "first/watch"), ("guest", "second"), ("stranger", "second"), ("ann", "second")):
        refused = server.connect(dialect).ask("login", username=f"{name}@{game}", password=f"{name}'s word")
        assert refused.code == DENIED, (name, game)
    assert server.connect(dialect).ask("create_account", username="new", password="word").code == DENIED
    assert server.connect(dialect).ask("login", username="ann@first", password=WORD).name == "okay"
    assert server.connect(dialect).ask("login", username="mo@first/watch", password="mo's word").name == "okay"
    features = server.connect(dialect).ask("get_features").message.features
    assert not {1000, 1001} & set(features)
    assert server.game("second").seat_of(1) is None
    server.accounts.policy = "open"
    assert server.connect(dialect).ask("login", username="guest@second", password="guest's word").name == "okay"


def test_a_locked_down_server_lets_no_browser_in_that_stayed_and_makes_no_game(server: Server) -> None:
    server.create("first")
    ann, guest = at_home(server), at_home(server, "guest")
    ann.ask("enter_game", game="first")
    tokens = kept(server, ann), kept(server, guest)
    server.accounts.policy = "lockdown"
    assert come_back(server, tokens[0]).name == "account"
    assert come_back(server, tokens[1]).code == DENIED
    refused = at_home(server).ask("create_game", name="third", ruleset="auction", seats=2)
    assert (refused.code, "in lockdown" in refused.text) == (DENIED, True)
