"""Abuse reports: the moderators' view, decisions, messages and audit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests.test_blocks import moderator, subjects
from tests.requests.test_boards import post
from tests.requests.test_my_games import at_home
from tests.support.server_in_memory import Client, Server, result_of
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.games.service import moderation
from tpserver.requests.talk import abuse_reports
from tpserver.store import audit as stored_audit
from tpserver.store.copies import export_account

PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 2, 3, 4, 5


@pytest.fixture(params=["pb", "json"])
def title(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def two(server: Server, title: str) -> list[Client]:
    """Ann has a message of Ben on her board, and a note to herself."""
    server.create(clock="manual")
    ann, ben = server.players(2, title)
    post(ben, 1, "You fool", "and worse\x1b[31m")
    post(ann, 0, "Note")
    return [ann, ben]


def report(client: Client, slot: int = 1, subject: str = "You fool", reason: str = "An insult") -> Any:
    return client.ask("report_message", slot=slot, subject=subject, reason=reason)


def reports(client: Client, **more: Any) -> list[Any]:
    return list(client.ask("get_message_reports", **more).message.reports)


def test_a_moderator_sees_the_letter_as_it_was_stored_and_no_other(server: Server, two: list[Client]):
    """Also when it was removed since; and nothing that was not reported."""
    ann, ben = two
    post(ben, 1, "Secret plan", "which is nobody's business")
    assert report(ann).text == "The moderators will look at this message, and notify you of their decision"
    ann.ask("remove_message", id=0, slots=[1])
    mod = moderator(server)
    (told,) = reports(mod)
    assert (told.reporter, told.writer, told.game, told.turn) == ("ann", "ben", "first", 0)
    assert (told.subject, told.body, told.reason) == ("You fool", "and worse\x1b[31m", "An insult")
    assert (told.decision, told.closed, told.at) == ("", 0, int(server.now()))
    assert "Secret" not in str(mod.ask("get_message_reports"))
    (entry,) = server.store.read(stored_audit.newest, 5)
    assert (entry.actor, entry.operation, dict(entry.details)) == ("mod", "report look", {"numbers": [told.id]})
    reports(server.restarted().player("mod", "pb", "first/watch"))


@pytest.mark.parametrize(
    ("decision", "days", "letter"),
    [("dismissed", 0, None), ("warned", 0, "A warning"), ("silenced", 3, "You are silenced")],
)
def test_a_report_is_closed_with_a_decision_and_all_whom_it_concerns_are_told(
    server: Server, two: list[Client], decision: str, days: int, letter: str | None
):
    ann, ben = two
    report(ann)
    mod = moderator(server)
    before = len(ben.messages())
    (told,) = reports(mod)
    words = {"id": told.id, "decision": decision, "days": days, "answer": "Read the rules."}
    assert mod.ask("close_report", **words).name == "okay"
    assert ann.messages()[-1].subject == "Your report"
    assert "because of this: Read the rules." in ann.messages()[-1].body
    assert [one.subject for one in ben.messages()[before:]] == ([letter] if letter else [])
    assert (post(ben, 1).name == "okay") == (decision != "silenced")
    assert reports(mod) == []
    (closed,) = reports(mod, closed=True)
    assert (closed.decision, closed.closed_by, closed.answer) == (decision, "mod", "Read the rules")
    assert mod.ask("close_report", **words).code == PERMANENTLY, "it is closed already"
    entry = server.store.read(stored_audit.newest, 1, "ben")[0]
    assert (entry.actor, entry.operation, entry.reason) == ("mod", "report close", "Read the rules")
    assert entry.details["decision"] == decision
    later = server.restarted()
    assert subjects(later.player("ann", ann.title))[-1] != "Note"


def test_whoever_has_reported_is_told_also_of_a_game_that_is_over_and_not_in_memory(server: Server, two: list[Client]):
    report(two[0])
    result_of(server.store.write(lambda c: c.exec_driver_sql("UPDATE games SET state = 'over'")))
    later = server.restarted()
    assert not later.registry.games
    mod = moderator(later)
    assert mod.ask("close_report", id=1, decision="dismissed", answer="No harm").name == "okay"
    assert later.player("ann", two[0].title, "first").messages()[-1].subject == "Your report"


def test_whoever_asks_what_is_stored_of_him_is_told_what_he_has_reported(server: Server, two: list[Client]):
    report(two[0])
    told = server.store.read(export_account.all_of, server.accounts.named("ann"))["reported"]
    assert [(one["game"], one["subject"], one["reason"]) for one in told] == [("first", "You fool", "An insult")]


def test_only_a_letter_of_another_player_is_reported_and_only_once(server: Server, two: list[Client]):
    ann, ben = two
    for fields, code in (
        ({"slot": 0, "subject": "Welcome"}, PERMANENTLY),
        ({"slot": 2, "subject": "Note"}, PERMANENTLY),
        ({"slot": 3}, NO_SUCH_THING),
        ({"slot": 1, "subject": "Another"}, NO_SUCH_THING),
        ({"reason": ""}, PERMANENTLY),
        ({"reason": "x" * (moderation.LONGEST_REASON + 1)}, PERMANENTLY),
    ):
        assert report(ann, **fields).code == code
    assert reports(moderator(server)) == []
    assert report(ann).name == "okay"
    assert report(ann).text == "You have already reported this message."
    watcher = server.player("eve", ann.title, "first/watch")
    assert report(watcher).code == NO_SUCH_THING, "spectators report what is on their own board"
    assert report(ben, 1, "You fool").code == PERMANENTLY, "it is his own copy"


def test_so_many_letters_are_reported_and_not_more(server: Server, two: list[Client], monkeypatch: pytest.MonkeyPatch):
    ann, ben = two
    post(ben, 1, "Again")
    monkeypatch.setattr(abuse_reports, "MOST_OPEN", 1)
    assert report(ann).name == "okay"
    assert report(ann, 3, "Again").code == TEMPORARILY
    monkeypatch.setattr(abuse_reports, "MOST_OPEN", 9)
    monkeypatch.setattr(abuse_reports, "MOST_OF_ALL", 1)
    assert report(ann, 3, "Again").code == TEMPORARILY
    mod = moderator(server)
    mod.ask("close_report", id=reports(mod)[0].id, decision="dismissed", answer="No harm")
    assert report(ann, 3, "Again").name == "okay"


def test_reports_are_listed_in_parts(server: Server, two: list[Client], monkeypatch: pytest.MonkeyPatch):
    ann, ben = two
    for index in range(3):
        post(ben, 1, f"Letter {index}")
        assert report(ann, 3 + index, f"Letter {index}").name == "okay"
    monkeypatch.setattr(abuse_reports, "REPORTS_AT_ONCE", 2)
    mod = moderator(server)
    first = mod.ask("get_message_reports").message
    assert [one.subject for one in first.reports] == ["Letter 0", "Letter 1"]
    second = mod.ask("get_message_reports", start=first.following).message
    assert ([one.subject for one in second.reports], second.following) == (["Letter 2"], 0)


def test_nobody_decides_about_himself_or_a_game_that_he_plays(server: Server, title: str):
    """Nor sees such reports; when the game is over others' are his as well. Who is no moderator sees nothing."""
    server.create(seats=3, clock="manual")
    ann, ben, _ = server.players(3, title)
    post(ben, 1, "You fool")
    report(ann)
    homes = {name: at_home(server, name, title) for name in ("ann", "ben", "cem", "dan")}
    assert {home.ask("get_message_reports").code for home in homes.values()} == {DENIED}
    for name in homes:
        result_of(server.accounts.set_role(server.accounts.named(name), "moderator"))

    def may_decide() -> list[str]:
        seen = [name for name, home in homes.items() if reports(home)]
        for name, home in homes.items():
            # A decision that is none is refused later than a report that is not shown.
            code = home.ask("close_report", id=1, decision="none", answer="x").code
            assert code == (PERMANENTLY if name in seen else NO_SUCH_THING)
        return seen

    assert may_decide() == ["dan"]
    result_of(server.store.write(lambda c: c.exec_driver_sql("UPDATE games SET state = 'over'")))
    assert may_decide() == ["cem", "dan"]


def test_the_operator_lists_reports_and_decides(server: Server, two: list[Client]):
    """The code is the same, for all of them. The message is shown without effect on a terminal."""
    report(two[0])
    context = AdminContext(server.registry, server.accounts)
    lines = result_of(perform(context, "report list", {}))
    assert lines[0].startswith("1. ben to ann in first, turn 0, ")
    assert lines[1:3] == ["  subject   You fool", "  text      and worse\\x1b[31m"]
    given = {"number": 1, "decision": "silenced", "days": 2, "reason": "Enough"}
    assert result_of(perform(context, "report close", given)) == ["Report 1 is closed; those concerned are notified."]
    assert "decided   silenced by the operator" in "\n".join(
        result_of(perform(context, "report list", {"closed": "yes"}))
    )
    assert post(two[1], 1).code == DENIED
    assert [entry.operation for entry in server.store.read(stored_audit.newest, 5)] == [
        "report list", "report close", "report list",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [
        {"decision": "shot"}, {"decision": ""}, {"answer": ""}, {"decision": "silenced"}, {"days": 3},
        {"decision": "silenced", "days": 367}, {"answer": "x" * 301},
    ],
)  # fmt: skip
def test_a_decision_that_is_none_changes_nothing(server: Server, two: list[Client], fields: dict[str, Any]):
    report(two[0])
    mod = moderator(server)
    number = reports(mod)[0].id
    before = [len(client.messages()) for client in two]
    given = {"id": number, "decision": "dismissed", "answer": "No harm", **fields}
    assert mod.ask("close_report", **given).code == PERMANENTLY
    assert len(reports(mod)) == 1
    assert [len(client.messages()) for client in two] == before
    assert [entry.operation for entry in server.store.read(stored_audit.newest, 5)] == ["report look"]
