"""Blocked accounts, muted games and silenced players, in every dialect.

The tests also cover the right to do these things.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.requests.test_boards import post
from tests.requests.test_my_games import at_home
from tests.support.server_in_memory import Client, Server, result_of
from tpserver.games.service import moderation
from tpserver.requests.talk import blocks
from tpserver.requests.talk.boards import EVERYBODY
from tpserver.store import audit as stored_audit
from tpserver.store.people import accounts as stored_accounts

FRAME, PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 1, 2, 3, 4, 5
DAY = 86400


@pytest.fixture
def three(server: Server, dialect: str) -> list[Client]:
    server.create(seats=3, clock="manual")
    return server.players(3, dialect)


def at_table(server: Server, name: str, title: str = "json") -> Client:
    """Return another connection of a player that can ask for what old clients cannot."""
    return server.player(name, title)


def moderator(server: Server, title: str = "json") -> Client:
    client = at_home(server, "mod", title)
    account = server.accounts.named("mod")
    result_of(server.accounts.set_role(account, "moderator"))
    return client


def subjects(client: Client) -> list[str]:
    return [message.subject for message in client.messages()]


# --- blocks -----------------------------------------------------------------------------------------------------------


def test_no_letter_of_a_blocked_account_arrives(server: Server, three: list[Client]):
    """The sender is notified in every game, and after a restart. Other players get the message as before."""
    ann, ben, cem = three
    assert at_table(server, "ben").ask("set_block", name="ANN", blocked=True).text == (
        "You have blocked ann, and the two of you cannot write to each other"
    )
    before = subjects(ben)
    answer = post(ann, 2, "Peace?")
    assert (answer.code, answer.text) == (DENIED, "Ben does not accept your messages.")
    assert post(ann, EVERYBODY, "To all").text == "The message is on all boards; ben did not take it"
    assert subjects(ben) == before
    assert subjects(cem)[-1] == "To all"
    assert post(ben, 1).text == "You have blocked ann; unblock it to write to it."
    assert post(cem, 2, "Hello").name == "okay"
    server.create("second", clock="manual")
    others = server.players(2, ann.title, "second")
    assert post(others[0], 2).code == DENIED
    later = server.restarted()
    assert post(later.player("ann", ann.title, "first"), 2).code == DENIED
    home = at_home(later, "ben")
    assert home.ask("set_block", name="ann@first/watch").text == "You have unblocked ann"
    assert home.ask("set_block", name="ann").code == NO_SUCH_THING
    assert post(later.player("ann", ann.title, "first"), 2, "Peace!").name == "okay"


def test_a_player_of_the_own_game_is_blocked_by_its_number(server: Server):
    server.create(clock="manual")
    ann, ben = server.players(2, "pb")
    assert ann.ask("set_block", player=2, blocked=True).name == "okay"
    assert [one.name for one in ann.ask("get_talk").message.blocked] == ["ben"]
    assert post(ben, 1).code == DENIED
    for fields, code in (
        ({"player": 1}, PERMANENTLY), ({"player": 3}, NO_SUCH_THING), ({"name": "nobody"}, NO_SUCH_THING),
        ({"name": "ann"}, PERMANENTLY), ({}, NO_SUCH_THING),
    ):  # fmt: skip
        assert ann.ask("set_block", blocked=True, **fields).code == code
    assert at_home(server, "cem").ask("set_block", player=1, blocked=True).code == TEMPORARILY


def test_who_is_blocked_is_told_by_letters_that_are_not_taken_alone(server: Server):
    """No request of the blocked account reveals the block."""
    server.create(clock="manual")
    ann, ben = server.players(2, "json")
    ben.ask("set_block", name="ann", blocked=True)
    told = ann.ask("get_talk").message
    assert (list(told.blocked), told.muted, told.silenced, told.moderates) == ([], False, 0, False)


def test_so_many_can_be_blocked_and_not_more(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(blocks, "MOST_BLOCKED", 2)
    ann = at_home(server, "ann")
    for name in ("ben", "cem", "dan"):
        at_home(server, name)
    assert [ann.ask("set_block", name=name, blocked=True).name for name in ("ben", "cem", "ben")] == ["okay"] * 3
    assert ann.ask("set_block", name="dan", blocked=True).code == TEMPORARILY
    assert [one.name for one in ann.ask("get_talk").message.blocked] == ["ben", "cem"]


# --- mutes ------------------------------------------------------------------------------------------------------------


def test_whoever_mutes_a_game_hears_nothing_that_goes_to_everybody(server: Server, three: list[Client]):
    """Private messages still arrive, and the muting player can write. The sender does not learn who muted the game."""
    ann, ben, cem = three
    assert at_table(server, "ben").ask("set_mute", muted=True).text == "You get no messages to everybody in first"
    before = subjects(ben)
    assert post(ann, EVERYBODY, "To all").text == "The message is on all boards that take messages to everybody"
    assert subjects(ben) == before
    assert subjects(cem)[-1] == "To all"
    assert post(ann, 2, "For you").name == "okay"
    assert subjects(ben)[-1] == "For you"
    assert post(ben, EVERYBODY, "Still here").name == "okay"
    at_table(server, "cem").ask("set_mute", game="FIRST", muted=True)
    answer = post(ann, EVERYBODY)
    assert (answer.code, answer.text) == (DENIED, "No other player of this game gets messages to everybody.")
    later = server.restarted()
    home = at_home(later, "ben")
    assert home.ask("get_talk", game="first").message.muted
    assert home.ask("set_mute", game="first", muted=False).text == "You get messages to everybody again in first"
    assert post(later.player("ann", ann.title, "first"), EVERYBODY, "Again").name == "okay"
    assert subjects(later.player("ben", ann.title, "first"))[-1] == "Again"


def test_only_an_own_game_is_muted(server: Server):
    server.create(clock="manual")
    server.players(2)
    home = at_home(server, "cem")
    assert home.ask("set_mute", game="first", muted=True).code == NO_SUCH_THING
    assert home.ask("set_mute", game="none", muted=True).code == NO_SUCH_THING
    assert home.ask("set_mute", muted=True).code == TEMPORARILY


# --- silences ---------------------------------------------------------------------------------------------------------


def test_whom_a_moderator_silences_is_told_why_and_writes_to_nobody(server: Server, three: list[Client]):
    """The silence holds in every game. The account plays on and writes notes to itself. The audit has the actor."""
    ann, _, cem = three
    mod = moderator(server)
    answer = mod.ask("set_silence", name="ann", days=2, reason="Insults.")
    assert answer.text == "ann is silenced until 2023-11-16 22:13 UTC, and notified of the reason"
    letter = ann.messages()[-1]
    assert letter.subject == "You are silenced"
    assert letter.body.endswith("Why a moderator has decided that: Insults.")
    for number in (3, EVERYBODY):
        refused = post(ann, number, "But")
        assert (refused.code, "silenced until 2023-11-16 22:13 UTC" in refused.text) == (DENIED, True)
        assert refused.text.endswith(": Insults.")
    assert post(ann, 0, "Note").name == "okay"
    assert post(cem, 1, "Why?").name == "okay"
    (entry,) = server.store.read(stored_audit.newest, 5, "ann")
    assert (entry.actor, entry.operation, dict(entry.details), entry.reason) == (
        "mod", "account silence", {"days": 2}, "Insults",
    )  # fmt: skip
    told = at_home(server, "ann").ask("get_talk").message
    assert (told.silenced, told.reason) == (int(server.now()) + 2 * DAY, "Insults")
    later = server.restarted(2 * DAY - 1)
    again = later.player("ann", ann.title)
    assert post(again, 3).code == DENIED
    later.pass_time(1)
    assert post(again, 3).name == "okay"


def test_a_silence_is_ended(server: Server):
    server.create(clock="manual")
    ann, _ = server.players(2)
    mod = moderator(server)
    assert mod.ask("set_silence", name="ann").code == PERMANENTLY, "it is not silenced"
    mod.ask("set_silence", name="ann", days=366, reason="Spam")
    assert mod.ask("set_silence", name="ann").text == "ann may write again"
    assert subjects(ann)[-1] == "You can write again"
    assert post(ann, 2).name == "okay"
    assert [entry.operation for entry in server.store.read(stored_audit.newest, 5, "ann")] == [
        "account silence", "account unsilence",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"name": "nobody", "days": 1, "reason": "x"}, NO_SUCH_THING),
        ({"name": "mod", "days": 1, "reason": "x"}, PERMANENTLY),
        ({"name": "ann", "days": 367, "reason": "x"}, PERMANENTLY),
        ({"name": "ann", "days": 1, "reason": " . "}, PERMANENTLY),
        ({"name": "ann", "days": 1, "reason": "x" * (moderation.LONGEST_REASON + 1)}, PERMANENTLY),
        ({"name": "ann", "days": 1, "reason": "red \x1b[31m"}, PERMANENTLY),
    ],
)
def test_what_a_moderator_cannot_do_changes_nothing(server: Server, fields: dict[str, Any], code: int):
    at_home(server, "ann")
    mod = moderator(server)
    assert mod.ask("set_silence", **fields).code == code
    assert server.store.read(stored_audit.newest, 5) == []
    assert at_home(server, "ann").ask("get_talk").message.silenced == 0


def test_only_moderators_silence_from_the_moment_they_are_some(server: Server):
    """And operators; the role is looked up at each request."""
    ann, ben = at_home(server, "ann"), at_home(server, "ben")
    for role, allowed in (
        ("player", False),
        ("moderator", True),
        ("bot", False),
        ("operator", True),
        ("player", False),
    ):
        result_of(server.accounts.set_role(server.accounts.named("ann"), role))
        assert ann.ask("get_talk").message.moderates == allowed
        answer = ann.ask("set_silence", name="ben", days=1, reason="because")
        assert answer.name == "okay" if allowed else answer.code == DENIED
    assert ben.ask("get_talk").message.silenced


@pytest.mark.parametrize(
    ("who", "whom", "allowed"),
    [
        ("moderator", "player", True), ("moderator", "bot", True), ("moderator", "moderator", False),
        ("moderator", "operator", False), ("operator", "moderator", True), ("operator", "operator", False),
    ],
)  # fmt: skip
def test_nobody_silences_who_is_above(server: Server, who: str, whom: str, allowed: bool):
    """The rule is the same for a direct silence and for a decision about an abuse report."""
    server.create(clock="manual")
    ann, ben = server.players(2, "json")
    mod = moderator(server)
    post(ben, 1, "Hello")
    assert ann.ask("report_message", slot=1, subject="Hello", reason="x").name == "okay"
    for name, role in (("mod", who), ("ben", whom)):
        result_of(server.accounts.set_role(server.accounts.named(name), role))
    closing = mod.ask("close_report", id=1, decision="silenced", days=1, answer="because")
    silencing = mod.ask("set_silence", name="ben", days=1, reason="because")
    for answer in (closing, silencing):
        assert answer.name == "okay" if allowed else answer.code == DENIED


def test_of_a_removed_account_nothing_is_kept_and_before_that_it_is_told(server: Server):
    from tpserver.store.copies import export_account

    server.create(clock="manual")
    server.players(2)
    home = at_home(server, "ann")
    home.ask("set_block", name="ben", blocked=True)
    home.ask("set_mute", game="first", muted=True)
    account = server.accounts.named("ann")
    told = server.store.read(export_account.all_of, account)
    assert (told["blocked"], told["muted"]) == (["ben"], ["first"])
    json.dumps(told)
    result_of(server.store.write(stored_accounts.remove, account.id, server.now()))
    for table in ("blocks", "mutes", "silences"):
        count = server.store.read(lambda c, name: c.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar(), table)
        assert count == 0
