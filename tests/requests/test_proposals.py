"""Proposals of players: votes, effects, and faults meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.requests.test_create_game import make
from tests.support.server_in_memory import BEGINNING, Client, Server, result_of, state_of
from tpserver.admin.game_listing import game_page
from tpserver.games.core import attendance
from tpserver.games.seats.proposals import (
    KEPT_SECONDS,
    LONGEST_EXTENSION,
    MOST_A_DAY,
    MOST_EXTENSIONS,
    OPEN_SECONDS,
)
from tpserver.store.games import journal as stored_journal
from tpserver.store.games import proposals as stored_proposals

PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 2, 3, 4, 5
WARNING = 2
HOUR, DAY = 3600, 86_400


@pytest.fixture(params=["pb", "json"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def proposals(client: Client, game: str = "first") -> Any:
    return client.ask("get_proposals", game=game).message


def propose(client: Client, kind: str, game: str = "first", **more: Any) -> Any:
    return client.ask("propose", game=game, kind=kind, **more)


def vote(client: Client, word: str, number: int = 1, game: str = "first") -> Any:
    return client.ask("vote", game=game, id=number, vote=word)


def states(client: Client, game: str = "first") -> list[tuple[int, str]]:
    return [(one.id, one.state) for one in proposals(client, game).proposals]


def told(client: Client, subject: str) -> list[str]:
    return [message.body for message in client.messages() if message.subject == subject]


def kinds(server: Server, game: str = "first") -> list[str]:
    found = server.store.read(lambda c: stored_journal.after(c, server.game(game).row.id, 0))
    return [entry.kind for entry in found]


def table(server: Server, seats: int = 2, clock: str = "interval:3600", dialect: str = "pb") -> list[Client]:
    server.create(seats=seats, clock=clock)
    return server.players(seats, dialect)


def owned(server: Server, dialect: str = "pb", clock: str = "interval:3600") -> tuple[Client, Client]:
    """Return ann, who has made the game "mine" and plays in it, and ben, who plays in it."""
    ann = server.connect(dialect)
    ann.ask("create_account", username="ann", password="ann's word")
    ann.ask("login_account", username="ann", password="ann's word")
    assert make(ann, "mine", clock=clock).name == "okay"
    ben = server.player("ben", dialect, "mine")
    ann.ask("enter_game", game="mine")
    return ann, ben


# --- proposing and agreeing -------------------------------------------------------------------------------------------


def test_a_pause_comes_into_force_when_all_agree_and_all_are_told(server: Server, dialect: str):
    """Votes are public, also to a program of 2010: it reads them on its board, and gets the time remaining again."""
    ann, ben = table(server, 3, dialect=dialect)[:2]
    old = server.player("cem", "tp04")
    old.times_pushed()
    answer = propose(ann, "pause")
    assert (
        answer.text
        == "You have proposed to stop the clock, and all players are notified; all present players must agree"
    )
    (told_,) = proposals(old if old.knows("get_proposals") else ben).proposals
    assert (told_.id, told_.kind, told_.words, told_.player, told_.state) == (
        1,
        "pause",
        "to stop the clock",
        1,
        "open",
    )
    assert (list(told_.agreeing), list(told_.waiting)) == ([1], [2, 3])
    assert (told_.made, told_.until, told_.turn) == (BEGINNING, BEGINNING + OPEN_SECONDS, 0)
    assert vote(ben, "agree").text == "You agree to stop the clock; other players have not voted yet"
    assert server.game().row.state == "running"
    assert vote(server.player("cem", dialect), "agree").text == "The clock is stopped, and all players are notified"
    assert (server.game().row.state, server.game().row.left) == ("paused", HOUR)
    (told_,) = proposals(ann).proposals
    assert (told_.state, list(told_.agreeing), list(told_.waiting)) == ("agreed", [1, 2, 3], [])
    assert told(old, "A proposal") == [
        "ann proposes to stop the clock. All present players must agree until 2023-11-17 22:13 (UTC)."
    ]
    assert told(old, "A vote") == ["ben agrees to the proposal of ann: to stop the clock."]
    assert told(old, "The game is paused") == [
        "An agreement of the players has stopped the clock; orders are still taken."
    ]
    assert old.times_pushed() == [(HOUR, WARNING), (HOUR, WARNING), (2147483647, WARNING)]
    assert kinds(server)[-3:] == ["proposal", "vote", "pause"]


def test_what_the_players_have_paused_they_resume(server: Server):
    ann, ben = table(server)
    propose(ann, "pause"), vote(ben, "agree")
    server.pass_time(DAY)
    propose(ben, "resume")
    assert vote(ann, "agree", 2).text == "The clock runs again, and all players are notified"
    assert (server.game().row.state, server.game().row.deadline) == ("running", BEGINNING + DAY + HOUR)


def test_what_the_operator_has_paused_only_he_resumes(server: Server):
    """Also after a restart."""
    ann, _ = table(server)
    server.undergo("pause")
    for _ in range(2):
        refused = propose(ann, "resume")
        assert refused.code == TEMPORARILY
        assert "operator" in refused.text
        server = server.restarted()
        ann = server.player("ann", "pb")


def test_an_extension_gives_the_turn_more_time_so_often_in_a_game(server: Server):
    ann, ben = table(server)
    for number in range(1, MOST_EXTENSIONS + 1):
        propose(ann if number % 2 else ben, "extension", seconds=DAY)
        assert (
            vote(ben if number % 2 else ann, "agree", number).text
            == "This turn has more time, and all players are notified"
        )
    assert server.game().row.deadline == BEGINNING + HOUR + MOST_EXTENSIONS * DAY
    assert told(ben, "More time")[0].startswith("An agreement of the players has given this turn 1 day more; it is due")
    refused = propose(ann, "extension", seconds=DAY)
    assert refused.code == PERMANENTLY
    assert f"{MOST_EXTENSIONS} extensions" in refused.text
    (offer,) = [offer for offer in proposals(ann).offers if offer.kind == "extension"]
    assert (offer.most, "extensions" in offer.problem) == (LONGEST_EXTENSION, True)


def test_one_refusal_ends_a_proposal(server: Server):
    ann, ben, cem = table(server, 3)
    propose(ann, "pause")
    assert vote(ben, "refuse").text == "The proposal to stop the clock is refused, and all players are notified"
    assert states(cem) == [(1, "refused")]
    assert list(proposals(cem).proposals[0].refusing) == [2]
    refused = vote(cem, "agree")
    assert refused.code == PERMANENTLY
    assert refused.text == "Proposal 1 is already refused."
    assert told(cem, "A proposal is refused") == ["ben refuses the proposal of ann: to stop the clock."]
    assert server.game().row.state == "running"


def test_who_has_proposed_something_withdraws_it(server: Server):
    ann, ben = table(server)
    propose(ann, "pause")
    assert vote(ben, "withdraw").code == DENIED
    assert vote(ann, "withdraw").name == "okay"
    assert states(ben) == [(1, "withdrawn")]
    assert told(ben, "A proposal is withdrawn") == ["ann withdraws the proposal: to stop the clock."]
    assert propose(ben, "pause").name == "okay"


# --- how they end -----------------------------------------------------------------------------------------------------


def test_a_proposal_lapses_when_not_all_have_agreed_in_time(server: Server):
    """Also one of a server that was down then."""
    ann, _ = table(server, clock="all-done")
    propose(ann, "pause")
    server.pass_time(OPEN_SECONDS - 1)
    assert states(ann) == [(1, "open")]
    server.pass_time(1)
    assert states(ann) == [(1, "lapsed")]
    why = "The proposal of ann, to stop the clock, is over: not all have agreed in time."
    assert told(ann, "A proposal is over") == [why]
    propose(ann, "pause")
    server = server.restarted(later=OPEN_SECONDS + 1)
    assert states(server.player("ben", "pb")) == [(2, "lapsed"), (1, "lapsed")]


def test_a_proposal_of_a_turn_lapses_with_it_and_another_one_does_not(server: Server):
    ann, ben = table(server)
    propose(ann, "extension", seconds=DAY)
    propose(ann, "pause")
    ann.ask("finished_turn"), ben.ask("finished_turn")
    assert states(ann) == [(2, "open"), (1, "lapsed")]
    assert vote(ben, "agree", 1).code == PERMANENTLY
    assert vote(ben, "agree", 2).name == "okay"
    assert server.game().row.state == "paused"


def test_a_pause_that_the_operator_has_brought_about_meanwhile_lapses(server: Server):
    ann, ben = table(server)
    propose(ann, "pause")
    server.undergo("pause")
    assert vote(ben, "agree").code == PERMANENTLY
    assert states(ann) == [(1, "lapsed")]


# --- who is asked -----------------------------------------------------------------------------------------------------


def test_the_absent_do_not_block(server: Server):
    """Nor do bots. Who comes too late for the turn becomes absent, and what all others agree on comes into force."""
    server.create(seats=4, clock="interval:3600")
    ann, ben, cem = server.players(3, "pb")
    game = server.game()
    result_of(server.registry.lobby.take_seat(game, None, "robot", bot=True))
    propose(ann, "pause")
    vote(ben, "agree")
    ann.ask("finished_turn"), ben.ask("finished_turn")
    assert list(proposals(ann).proposals[0].waiting) == [3]
    server.pass_time(HOUR)
    assert states(ann) == [(1, "agreed")]
    assert server.game().row.state == "paused"
    assert told(cem, "The game is paused")


def test_who_has_missed_a_turn_is_still_absent_after_a_restart_and_back_when_done(server: Server):
    ann, _ = table(server)
    ann.ask("finished_turn")
    server.pass_time(HOUR)
    server = server.restarted()
    ann, ben = server.players(2, "pb")
    assert not attendance.is_asked(server.game(), 1)
    ben.ask("finished_turn")
    propose(ann, "pause")
    assert list(proposals(ann).proposals[0].waiting) == [2]


def test_when_all_are_absent_nothing_comes_into_force(server: Server):
    """Nothing happens by itself. A player who returns is present and can vote."""
    ann, ben = table(server)
    propose(ann, "pause")
    server.pass_time(HOUR)
    assert not any(attendance.is_asked(server.game(), seat) for seat in (0, 1))
    assert states(ann) == [(1, "open")]
    assert vote(ben, "agree").text == "The clock is stopped, and all players are notified"


def test_an_absent_player_who_votes_is_heard(server: Server):
    ann, ben, cem = table(server, 3)
    ann.ask("finished_turn"), ben.ask("finished_turn")
    server.pass_time(HOUR)
    propose(ann, "pause")
    assert list(proposals(ann).proposals[0].waiting) == [2]
    assert vote(cem, "refuse").name == "okay"
    assert states(ann) == [(1, "refused")]


def test_who_alone_is_there_agrees_with_himself(server: Server):
    ann, _ = table(server)
    ann.ask("finished_turn")
    server.pass_time(HOUR)
    assert propose(ann, "pause").text == "The clock is stopped, and all players are notified"
    assert states(ann) == [(1, "agreed")]


NEEDS_CONSENT = 9


def test_a_game_master_pauses_and_resumes_alone(server: Server, dialect: str):
    ann = server.connect(dialect)
    ann.ask("create_account", username="ann", password="ann's word")
    ann.ask("login_account", username="ann", password="ann's word")
    assert make(ann, "mine", clock="interval:3600", master=True).name == "okay"
    ben, _ = (server.player(name, dialect, "mine") for name in ("ben", "cem"))
    offers = {offer.kind: offer.alone for offer in proposals(ann, "mine").offers}
    assert offers == dict.fromkeys(("pause", "resume", "take-back"), True)
    assert [offer.kind for offer in proposals(ben, "mine").offers if offer.alone] == ["nudge", "resign"]
    assert propose(ann, "pause", "MINE").text == "The clock is stopped, and all players are notified"
    assert server.game("mine").row.state == "paused"
    assert told(ben, "The game is paused") == ["ann has stopped the clock; orders are still taken."]
    assert propose(ann, "resume", "mine").text == "The clock runs again, and all players are notified"
    assert server.game("mine").row.state == "running"
    assert states(ann, "mine") == [(2, "agreed"), (1, "agreed")]


OF_OWNER: dict[str, tuple[str, dict[str, Any]]] = {
    "extension": ("extend_turn", {"seconds": 60}),
    "clock": ("set_clock", {"clock": "interval:60"}),
    "seats": ("set_seat_policy", {"policy": {"absent_after": 2}}),
    "remove": ("remove_player", {"player": 2}),
    "abort": ("abort_game", {"reason": "No time"}),
}
"""By kind of proposal: the request that does the same at once."""


@pytest.mark.parametrize("kind", ["pause", "resume", "take-back", *OF_OWNER])
def test_an_owner_with_a_seat_needs_the_others(server: Server, kind: str):
    """The request is refused with a code, and names the kind to propose; it comes into force as the other agrees."""
    ann, ben = owned(server)
    if kind == "resume":
        propose(ann, "pause", "mine"), vote(ben, "agree", 1, "mine")
    before = state_of(server.game("mine"))
    assert ann.ask("get_clock", game="mine").message.needs_consent
    assert ann.ask("get_seats", game="mine").message.needs_consent
    request, fields = OF_OWNER.get(kind, ("", {}))
    if request:
        refused = ann.ask(request, game="mine", **fields)
        assert (refused.code, f"propose '{kind}'." in refused.text) == (NEEDS_CONSENT, True)
    assert not any(offer.alone for offer in proposals(ann, "mine").offers if offer.kind == kind)
    assert state_of(server.game("mine")) == before
    if kind == "take-back":
        return
    assert ann.ask("propose", game="mine", kind=kind, **fields).text.startswith("You have proposed ")
    assert state_of(server.game("mine"))[-1] == before[-1]
    number = server.game("mine").proposals[-1].number
    answer = vote(ben, "agree", number, "mine")
    assert answer.text.endswith("and all players are notified")
    game = server.game("mine")
    assert game.proposals[-1].state == "agreed"
    assert {
        "extension": game.row.due == BEGINNING + HOUR + 60,
        "clock": game.row.clock == "interval:60",
        "seats": game.policy.absent_after == 2,
        "remove": game.players[1].account is None,
        "abort": game.over,
        "pause": game.row.state == "paused",
        "resume": game.row.state == "running",
    }[kind]
    again = server.restarted().game("mine")
    assert again.proposals[-1].state == "agreed"
    assert (again.row.clock, again.policy, again.over) == (game.row.clock, game.policy, game.over)


def test_one_refusal_keeps_an_owner_from_it_and_a_vote_outlives_a_restart(server: Server):
    ann, ben = owned(server)
    for number, kind in enumerate(("clock", "remove", "abort"), 1):
        assert ann.ask("propose", game="mine", kind=kind, **OF_OWNER[kind][1]).name == "okay"
        if number == 2:
            server = server.restarted()
            ann, ben = (server.player(name, "pb", "mine") for name in ("ann", "ben"))
        assert vote(ben, "refuse", number, "mine").name == "okay"
    game = server.game("mine")
    assert (game.row.clock, game.players[1].account_name, game.over) == ("interval:3600", "ben", False)


def test_an_owner_decides_with_those_who_are_present_and_alone_where_nobody_else_plays(server: Server):
    """An absent player is not waited for. A removed or resigned player has no vote."""
    ann, _ = owned(server)
    ann.ask("finished_turn")
    server.pass_time(HOUR)
    assert ann.ask("extend_turn", game="mine", seconds=60).code == NEEDS_CONSENT
    assert propose(ann, "pause", "mine").text == "The clock is stopped, and all players are notified"
    assert propose(ann, "resume", "mine").name == "okay"
    assert (
        ann.ask("propose", game="mine", kind="remove", player=2).text
        == "The player is removed, and all players are notified"
    )
    assert ann.ask("extend_turn", game="mine", seconds=60).name == "okay"
    assert not ann.ask("get_clock", game="mine").message.needs_consent
    assert ann.ask("abort_game", game="mine", reason="Alone").name == "okay"


def test_an_owner_who_takes_a_seat_needs_consent_from_then_on_and_without_it_does_not(server: Server):
    ann = server.connect("pb")
    ann.ask("create_account", username="ann", password="ann's word")
    ann.ask("login_account", username="ann", password="ann's word")
    assert make(ann, "mine", clock="interval:3600", master=True).name == "okay"
    server.player("ben", "pb", "mine"), server.player("cem", "pb", "mine")
    assert ann.ask("remove_player", game="mine", player=2).name == "okay"
    assert ann.ask("take_seat", game="mine", player=2).name == "okay"
    for request, fields in OF_OWNER.values():
        assert ann.ask(request, game="mine", **fields).code == NEEDS_CONSENT


def test_before_the_start_who_does_not_vote_in_three_days_agrees(server: Server):
    """Otherwise a player who has left would keep the owner from ending a game that never begins."""
    ann = server.connect("pb")
    ann.ask("create_account", username="ann", password="ann's word")
    ann.ask("login_account", username="ann", password="ann's word")
    assert make(ann, "mine", seats=3).name == "okay"
    ben = server.player("ben", "pb", "mine")
    assert ann.ask("abort_game", game="mine", reason="No time").code == NEEDS_CONSENT
    assert ann.ask("propose", game="mine", kind="clock", clock="interval:60").name == "okay"
    assert vote(ben, "refuse", 1, "mine").name == "okay"
    assert ann.ask("propose", game="mine", kind="abort", reason="No time").name == "okay"
    server.pass_time(OPEN_SECONDS - 1)
    assert not server.game("mine").over
    server.pass_time(2)
    assert (server.game("mine").over, server.game("mine").row.clock) == (True, "all-done")


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "clock", "clock": "manual"},
        {"kind": "clock", "clock": "x" * 1000},
        {"kind": "seats", "policy": {"absent_after": 101}},
        {"kind": "remove", "player": 3},
        {"kind": "remove", "player": 2**32 - 1},
        {"kind": "abort"},
        {"kind": "abort", "reason": "x" * 301},
    ],
)
def test_what_cannot_be_done_cannot_be_proposed(server: Server, fields: dict[str, Any]):
    ann, _ = owned(server)
    before = state_of(server.game("mine"))
    assert ann.ask("propose", game="mine", **fields).code == PERMANENTLY
    assert state_of(server.game("mine")) == before


def test_a_game_whose_maker_has_left_goes_on_by_the_votes_of_the_others(server: Server):
    """The owner has stopped the clock and left."""
    ann, ben = owned(server)
    propose(ann, "pause", "mine"), vote(ben, "agree", 1, "mine")
    ann.hang_up()
    maker = server.game("mine").players[0]
    maker.record = replace(maker.record, missed=1)  # as after a turn that ran out
    assert propose(ben, "resume", "mine").text == "The clock runs again, and all players are notified"


def test_the_operator_sees_what_is_proposed_and_who_is_gone(server: Server):
    server.create(seats=4, clock="interval:3600 vacation:5")
    ann, ben, cem, _ = server.players(4, "pb")
    propose(ann, "pause")
    propose(ben, "resign")
    cem.ask("add_vacation", ends=BEGINNING + DAY)
    page = game_page(server.game(), Counter(), server.now())
    assert "    1  ann: to stop the clock; agreed by ann, until 2023-11-17 22:13:20 UTC" in page
    assert "    2  ben (resigned)" in page
    assert "    3  cem (awaited, on vacation until 2023-11-15 22:13:20 UTC)" in page


# --- reminding --------------------------------------------------------------------------------------------------------


def test_a_player_reminds_those_whose_turn_it_is_once_a_day(server: Server, dialect: str):
    """The reminder is a message to the awaited players only. All players together may send one a day and game."""
    ann, ben, cem = table(server, 3, clock="all-done", dialect=dialect)
    cem.ask("finished_turn")
    assert propose(ann, "nudge").text == "ben is reminded"
    assert told(ben, "A reminder") == ["ann reminds you that your turn awaits you."]
    assert told(ann, "A reminder") == told(cem, "A reminder") == []
    assert kinds(server)[-1] == "nudged"
    refused = propose(cem, "nudge")
    assert refused.code == TEMPORARILY
    assert "already sent within a day" in refused.text
    server = server.restarted(later=DAY - 10)
    ann, cem = server.player("ann", dialect), server.player("cem", dialect)
    assert propose(cem, "nudge").code == TEMPORARILY
    server.pass_time(11)
    assert propose(cem, "nudge").text == "ann and ben are reminded"


def test_where_nobody_is_awaited_nobody_is_reminded(server: Server):
    """Neither oneself, nor bots, nor anybody in a game that is paused."""
    server.create(seats=3, clock="interval:3600")
    ann, ben = server.players(2, "pb")
    result_of(server.registry.lobby.take_seat(server.game(), None, "robot", bot=True))
    ben.ask("finished_turn")
    assert "nobody to remind" in propose(ann, "nudge").text
    server.undergo("pause")
    assert "paused" in propose(ben, "nudge").text


# --- who has no say ---------------------------------------------------------------------------------------------------


def test_who_does_not_play_has_no_say_and_is_told_all_that_is_public(server: Server, dialect: str):
    ann, _ = table(server)
    propose(ann, "pause")
    watcher = server.player("eve", dialect, "first/watch")
    before = state_of(server.game())
    assert propose(watcher, "extension", seconds=60).code == DENIED
    assert vote(watcher, "agree").code == DENIED
    found = proposals(watcher, "")
    assert [(one.id, list(one.agreeing)) for one in found.proposals] == [(1, [1])]
    assert len(found.offers) == 0
    assert state_of(server.game()) == before


def test_of_a_game_for_invited_players_only_they_are_told(server: Server, dialect: str):
    server.create("closed", join="invited")
    server.create()
    assert server.player("eve", dialect, "first").ask("get_proposals", game="closed").code == DENIED


@pytest.mark.parametrize(
    ("request_", "code", "why"),
    [
        (
            ("propose", {"kind": "party"}),
            PERMANENTLY,
            "not a kind of proposal; use pause, resume, extension, take-back",
        ),
        (("propose", {"kind": ""}), PERMANENTLY, "not a kind of proposal"),
        (("propose", {"kind": "resume"}), TEMPORARILY, "not paused"),
        (("propose", {"kind": "extension", "seconds": 0}), PERMANENTLY, f"1 to {LONGEST_EXTENSION}"),
        (("propose", {"kind": "extension", "seconds": LONGEST_EXTENSION + 1}), PERMANENTLY, "seconds"),
        (("propose", {"kind": "pause"}), TEMPORARILY, "already proposed"),
        (("vote", {"id": 9, "vote": "agree"}), NO_SUCH_THING, "no proposal 9"),
        (("vote", {"id": 1, "vote": "maybe"}), PERMANENTLY, "use agree, refuse, withdraw"),
        (("vote", {"id": 1, "vote": "agree"}), PERMANENTLY, "already voted on proposal 1"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_has_changed(server: Server, request_: Any, code: int, why: str):
    ann, _ = table(server)
    propose(ann, "pause")
    before = state_of(server.game())
    name, fields = request_
    refused = ann.ask(name, game="first", **fields)
    assert refused.code == code
    assert why in refused.text
    assert state_of(server.game()) == before
    assert states(ann) == [(1, "open")]


def test_before_the_start_and_without_a_deadline_there_is_nothing_to_agree_on(server: Server):
    server.create(clock="all-done")
    ann = server.player("ann", "pb")
    assert propose(ann, "pause").code == TEMPORARILY
    server.player("ben")
    refused = propose(ann, "extension", seconds=60)
    assert refused.code == TEMPORARILY
    assert "no deadline" in refused.text


def test_a_player_proposes_so_much_in_a_day(server: Server):
    ann, ben = table(server, clock="all-done")
    for number in range(1, MOST_A_DAY + 1):
        assert propose(ann, "pause").name == "okay"
        assert vote(ann, "withdraw", number).name == "okay"
    refused = propose(ann, "pause")
    assert refused.code == TEMPORARILY
    assert f"{MOST_A_DAY} proposals within a day" in refused.text
    assert propose(ben, "pause").name == "okay"
    vote(ben, "withdraw", MOST_A_DAY + 1)
    server.pass_time(DAY)
    assert propose(ann, "pause").name == "okay"


def test_what_has_ended_long_ago_is_forgotten_but_what_counts_for_a_quota(server: Server):
    ann, ben = table(server)
    propose(ann, "extension", seconds=30 * 60), vote(ben, "agree")
    propose(ann, "pause"), vote(ben, "refuse", 2)
    server.pass_time(KEPT_SECONDS + 1)
    ann.ask("finished_turn"), ben.ask("finished_turn")
    propose(ann, "pause"), vote(ben, "agree", 3)
    assert states(ann) == [(3, "agreed"), (1, "agreed")]
    kept = server.store.read(stored_proposals.of_game, server.game().row.id)
    assert [one.number for one in kept] == [1, 3]


# --- durable ----------------------------------------------------------------------------------------------------------


def test_proposals_and_votes_outlive_a_crash(server: Server, tmp_path: Path):
    ann, ben, _ = table(server, 3)
    propose(ann, "pause"), vote(ben, "agree")
    server = server.crashed(tmp_path / "copy.sqlite")
    cem = server.player("cem", "pb")
    (one,) = proposals(cem).proposals
    assert (one.state, list(one.agreeing), list(one.waiting), one.until) == (
        "open",
        [1, 2],
        [3],
        BEGINNING + OPEN_SECONDS,
    )
    assert vote(cem, "agree").text == "The clock is stopped, and all players are notified"
    server.stop()


def test_nothing_is_told_of_a_vote_that_could_not_be_saved(make_server: Callable[..., Server]):
    server = make_server(delayed=True)
    ann, ben = table(server)
    propose(ann, "pause")
    ann.times_pushed()
    server.disk.at_once = False
    asked = vote_later(ben)
    assert not asked.came
    server.disk.fail()
    assert asked.reply.code == TEMPORARILY
    server.disk.at_once = True
    assert server.game().row.state == "running"
    assert ann.times_pushed() == []
    assert states(server.player("ben", "pb")) == [(1, "open")]


def test_nobody_votes_while_the_turn_is_computed(make_server: Callable[..., Server]):
    server = make_server(delayed=True)
    ann, ben = table(server)
    propose(ann, "pause")
    server.disk.at_once = False
    ann.post("finished_turn"), ben.post("finished_turn")
    server.disk.commit(2)
    assert server.game().closing
    asked = vote_later(ben)
    server.disk.commit()
    server.disk.at_once = True
    assert asked.reply.code == TEMPORARILY
    assert states(ann) == [(1, "open")]


def vote_later(client: Client) -> Any:
    return client.post("vote", game="first", id=1, vote="agree")


def test_a_proposal_that_is_not_saved_yet_is_told_to_nobody(make_server: Callable[..., Server]):
    server = make_server(delayed=True)
    ann, ben = table(server)
    server.disk.at_once = False
    assert not ann.post("propose", game="first", kind="pause").came
    looked = ben.post("get_proposals", game="first")
    assert not looked.came
    server.disk.commit()
    assert [one.id for one in looked.reply.message.proposals] == [1]
    server.disk.at_once = True
