"""The next turn, computed and checked before it is saved.

The game does not change meanwhile, and nobody is notified yet.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.server_in_memory import Server, state_of, view_of
from tprules.api import Outcome, Report
from tprules.api.advance import Advanced, RulesFault, advance
from tpserver.games.core import next_turn
from tpserver.games.core.game import Game
from tpserver.games.core.next_turn import active_in, check_reports, compute, default_ending, outcome_data, outcome_from
from tpserver.games.core.scores import scores_of
from tpserver.games.core.views import dump_view
from tpserver.rules.call_limits import CHECK_SECONDS, TURN_SECONDS, WATCHDOG

NOW = 1_800_000_000


@pytest.fixture
def game(server: Server) -> Game:
    """An auction of one lot, for which ann has bid."""
    server.create("first", clock="manual", seats=3, options={"rounds": 2})
    ann, *_ = server.players(3)
    ann.bid(3)
    return server.game()


def closed(game: Game) -> Advanced[Any]:
    return advance(game.rules, game.state, game.row.seed)


def last_turn(game: Game) -> None:
    """Make the turn that is played the last one."""
    game.state = replace(game.state, world=replace(game.state.world, round=1))


def test_a_turn_is_computed_for_all_and_changes_nothing(game: Game) -> None:
    before, views = state_of(game), repr(view_of(game))
    result = compute(game, NOW)
    assert state_of(game) == before and repr(view_of(game)) == views
    wanted = closed(game)
    assert (result.advanced.digest, result.advanced.data) == (wanted.digest, wanted.data)
    kept = result.snapshot
    assert (kept.game, kept.turn, kept.journal_number, kept.at) == (game.row.id, 1, 0, NOW)
    assert (kept.phase, kept.title, kept.digest, kept.state) == ("bidding", "Round 2", wanted.digest, wanted.data)
    assert (kept.events, kept.outcome) == ([["sale", {"seat": 0}]], None)
    assert result.active == [0, 1, 2]
    assert list(result.views) == list(result.blobs) == game.viewers()
    assert result.scores == scores_of(game.rules, result.advanced.state.world, 3)


def test_each_seat_has_its_own_view_which_goes_on_from_the_one_before(game: Game) -> None:
    result = compute(game, NOW)
    for seat, view in result.views.items():
        assert view.seat == seat
        assert view.objects.keys() == game.views[seat].objects.keys()
        assert view.begun == game.views[seat].begun and set(view.changed.values()) <= {
            NOW,
            *game.views[seat].changed.values(),
        }
        assert result.blobs[seat] == dump_view(view, game.mark)
    assert result.views[0].objects[2] is not result.views[1].objects[2], "only ann sees what she has"
    assert NOW in result.views[0].changed.values(), "she has paid"
    again = [one for old, new in zip(game.projected, result.projected, strict=False) for one in new if one in old]
    assert again, "what has not changed is taken over"


def test_what_looks_alike_is_taken_over_also_if_no_other_game_has_it(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that views are compared, and objects encoded, no more often than they change."""
    monkeypatch.setattr(game.description, "_in_common", lambda: None)
    result = compute(game, NOW)
    assert result.views[1].objects[1] is game.views[1].objects[1]


def test_the_news_of_the_server_come_before_the_reports_of_the_rules(game: Game) -> None:
    result = compute(game, NOW, [Report(None, "Late", "Ben was late"), Report(1, "To ben")])
    told = {seat: [message.subject for message in messages] for seat, messages in result.messages.items()}
    assert told == {0: ["Late", "Sold"], 1: ["Late", "To ben", "Sold"], 2: ["Late", "Sold"], None: ["Late", "Sold"]}


def test_a_step_of_the_players_takes_the_place_of_the_closing(game: Game) -> None:
    ended = replace(closed(game), outcome=Outcome({0: 1, 1: 2, 2: 2}, "agreed"), reports=[])
    result = compute(game, NOW, step=lambda: ended)
    assert result.advanced.outcome == ended.outcome
    assert result.snapshot.outcome == {"places": [(0, 1), (1, 2), (2, 2)], "why": "agreed", "figures": []}
    assert [message.subject for message in result.messages[1]] == ["Game over"]


def test_the_last_turn_has_no_title_and_waits_for_nobody(game: Game) -> None:
    """The rules are no longer asked for these. Players who resigned are behind all others."""
    last_turn(game)
    game.resigned = frozenset({0})
    result = compute(game, NOW)
    assert result.advanced.state.over
    assert (result.snapshot.title, list(result.active)) == ("", [])
    assert result.advanced.outcome is not None
    assert result.advanced.outcome.places == {0: 3, 1: 1, 2: 1}, "though only ann has bought something"
    assert result.snapshot.outcome == outcome_data(result.advanced.outcome)


def test_who_has_resigned_is_not_awaited(game: Game) -> None:
    game.resigned = frozenset({1})
    assert compute(game, NOW).active == [0, 2]


def test_scores_that_cannot_be_told_are_no_reason_not_to_close(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = ValueError("no scores")

    def fails(*_: Any) -> Any:
        raise wrong

    monkeypatch.setattr(type(game.rules), "scores", fails)
    assert compute(game, NOW).scores is wrong
    game.has_no_scores = True
    assert compute(game, NOW).scores is None, "they are not asked any more"


def test_the_scores_are_those_of_the_new_turn(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(game.rules), "scores", lambda self, world, seat: {0: {"lots": world.won[0]}})
    scores = compute(game, NOW).scores
    assert isinstance(scores, dict) and set(scores) == {None, 0, 1, 2}
    assert all(told[0] == {"lots": 1} for told in scores.values())


def test_rules_are_called_within_the_time_of_a_turn_and_of_a_check_on_account_of_their_game(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[tuple[float, object]] = []
    call = WATCHDOG.call

    def noted(seconds: float, work: Any, caller: Any, **more: Any) -> Any:
        called.append((seconds, caller))
        return call(seconds, work, caller, **more)

    monkeypatch.setattr(WATCHDOG, "call", noted)
    compute(game, NOW)
    assert called == [(TURN_SECONDS, game.caller), (CHECK_SECONDS, game.caller)]


def test_what_cannot_be_stored_is_found_before_it_is_saved(game: Game) -> None:
    """An event, or an outcome, that JSON does not hold."""
    fine = closed(game)
    for spoilt in (
        replace(fine, events=[fine.events[0]._replace(facts={"seat": {1}})]),
        replace(fine, outcome=Outcome({0: 1}, "over", {0: {"lots": b"1"}})),  # type: ignore[dict-item]
        replace(fine, reports=[Report(7, "To nobody")]),
    ):
        with pytest.raises((TypeError, ValueError, RulesFault)):
            compute(game, NOW, step=lambda spoilt=spoilt: spoilt)


def test_for_notices_rules_that_fail_wait_for_nobody(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    assert active_in(game.rules, game.state) == (0, 1, 2)
    last_turn(game)
    assert active_in(game.rules, compute(game, NOW).advanced.state) == ()

    monkeypatch.setattr(game.rules, "phases", ())
    assert active_in(game.rules, game.state) == ()


@pytest.mark.parametrize(
    ("report", "why"),
    [
        (Report(3, "Hello"), "auction: a report goes to seat 3 of 3"),
        (Report(-1, "Hello"), "auction: a report goes to seat -1 of 3"),
        (Report(0, "Hello", by=3), "auction: a report is of seat 3 of 3"),
        (Report(0, "Hello", by=-1), "auction: a report is of seat -1 of 3"),
        (Report(0, b"Hello"), "auction: a report says b'Hello', which is no text"),  # type: ignore[arg-type]
        (Report(0, "Hello", None), "auction: a report says None, which is no text"),  # type: ignore[arg-type]
    ],
)
def test_a_report_that_cannot_be_told_is_a_fault_of_the_rules(game: Game, report: Report, why: str) -> None:
    """The error has a sentence for the author of the rules. The same report to and about present seats is fine."""
    with pytest.raises(RulesFault) as fault:
        check_reports(game, [Report(2, "Hello", by=2), Report(0, "Hello", by=0), report])
    assert str(fault.value) == why


def test_the_reports_of_a_turn_are_so_long_and_no_longer(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """In bytes, of all of them together."""
    monkeypatch.setattr(next_turn, "LONGEST_REPORTS", 10)
    check_reports(game, [Report(None, "ä", "123"), Report(0, "45", "678")])
    with pytest.raises(RulesFault) as fault:
        check_reports(game, [Report(None, "ä", "123"), Report(0, "45", "6789")])
    assert str(fault.value) == "auction: the reports of a turn have 11 bytes; 10 are allowed"


OUTCOME = Outcome({1: 1, 0: 2, 2: 2}, "all lots are sold", {2: {"lots": 1, "gold": 4}, 1: {"lots": 3}})


def test_a_game_that_ends_without_a_word_has_its_places_and_figures_told(game: Game) -> None:
    ended = replace(closed(game), outcome=OUTCOME, reports=[Report(0, "Game over"), Report(None, "Sold")])
    body = "1. {player 1}: lots 3\n2. {player 0}\n2. {player 2}: lots 1, gold 4"
    assert default_ending(ended) == [Report(None, "Game over", body)]
    assert default_ending(replace(ended, outcome=None)) == []
    assert default_ending(replace(ended, reports=[Report(None, "GAME OVER: ben wins")])) == []


def test_an_outcome_comes_back_as_it_was_stored() -> None:
    data = {
        "places": [(0, 2), (1, 1), (2, 2)],
        "why": "all lots are sold",
        "figures": [[1, {"lots": 3}], [2, {"lots": 1, "gold": 4}]],
    }
    assert outcome_data(OUTCOME) == data
    assert outcome_from(data) == OUTCOME
    assert outcome_data(None) is outcome_from(None) is None
