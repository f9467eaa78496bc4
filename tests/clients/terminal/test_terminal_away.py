"""Return after some turns: the card with the news, and the key H."""

from typing import Any

import pytest

from tests.clients.terminal.test_terminal_guard import close_turn
from tests.clients.terminal.test_terminal_summary import card
from tests.support.memory_client import Frames, Request, Served
from tests.support.workshop import BOAT, PLACE
from tpclient.summaries import Absence, absence_of, fight_at, missed_in
from tpclient.terminal.past_screen import PastScreen
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP04

pytestmark = pytest.mark.thorough


def eventful(request: Request) -> Frames:
    """The server's answer, with a combat in turn 2, an order that failed in turn 4, and fair weather in turn 8."""
    frames = request.answered()
    for name, one in frames:
        if name == "turn_summary" and one.turn == 2:
            for words in ("Combat over", "Combat over, too"):
                one.reports.add(subject=words, body="3 to 1", references=[tp.Reference(type=1, id=PLACE)])
        if name == "turn_summary" and one.turn == 4:
            one.reports.add(player=1, failed=True, subject="Move", references=[tp.Reference(type=1, id=BOAT)])
        if name == "turn_summary" and one.turn == 8:
            one.reports.add(subject="Fair")
    return frames


@pytest.fixture
def week(workshop: Served) -> Served:
    """A game that went on for seven turns without ann, and a message of ben to her."""

    def passes() -> None:
        ann, ben = workshop.server.seated.values()
        ann.hang_up()
        for _ in range(7):
            workshop.server.close_turn()
        assert ben.ask("post_message", id=1, slot=-1, subject="Hello", body="?").name == "okay"

    workshop.do(passes)
    workshop.server.scripts["get_turn_summaries"] = eventful
    return workshop


def test_the_card_tells_first_what_failed_and_what_was_fought(week: Served, play: Any) -> None:
    """Then come the newest turns as usual. Escape closes the card, and the next turn is shown alone."""

    async def scene(player: Any) -> None:
        await player.until(lambda: "while you were away" in card(player), "the absence is not told")
        words = card(player)
        order = [
            "7 turns while you were away (H: one by one)",
            "1 message (m)",
            "ann: failed: Move [turn 4]",
            "Combat over [turn 2]",
            "What happened",
            "Combat over, too: 3 to 1",
        ]
        assert sorted(order, key=words.index) == order
        assert "Combat over, too" not in words.partition("What happened")[0]
        await player.press("escape")
        assert not card(player)
        await close_turn(player, week)
        await player.until(lambda: player.game_screen.card.turns == [8])
        assert "you were away" not in card(player)

    async def later(player: Any) -> None:
        await player.until(lambda: player.game_screen.card.turns == [8])
        await player.until(
            lambda: not [one for one in player.app.workers if not one.is_finished and one.group == "absence"]
        )
        assert "you were away" not in card(player)

    play(week.address, scene, size=(120, 60), dialect=PB)
    play(week.address, later, dialect=PB)


def test_h_goes_through_the_turns_the_oldest_first(week: Served, play: Any) -> None:
    """It goes to the newest. After that nothing is shown again, and H shows the turn before the present one."""

    async def scene(player: Any) -> None:
        await player.until(lambda: "while you were away" in card(player))
        await player.press("H")
        await player.until(lambda: isinstance(player.app.screen, PastScreen))
        for number in range(1, 8):
            await player.sees(
                f"PAST: turn {number} of 7 (escape: back to the game) - {number} of 7 while you were away"
            )
            await player.press("right_square_bracket")
        await player.sees("That is the newest turn; escape goes back to the game.")
        await player.press("escape")
        await player.until(lambda: player.app.screen is player.game_screen and not card(player))
        await player.press("H")
        await player.sees("PAST: turn 6 of 7 (escape: back to the game) - Round 7")

    play(week.address, scene, size=(120, 40), dialect=PB)


@pytest.mark.parametrize("dialect", [TP04, PB], ids=lambda one: one.name)
def test_nothing_is_told_where_the_server_does_not_tell_it(week: Served, play: Any, dialect: Any) -> None:
    """In TP04, and by an older server in Protocol Buffers."""

    def older(request: Request) -> Frames:
        frames = request.answered()
        for _, one in frames:
            for game in one.games:
                game.ClearField("new_turns")
        return frames

    week.server.scripts["get_my_games"] = older

    async def scene(player: Any) -> None:
        await player.press("H")
        await player.sees("PAST: turn 6 of 7")
        await player.press("escape")
        assert "you were away" not in card(player)

    play(week.address, scene, dialect=dialect)


def test_what_counts_as_an_absence() -> None:
    """Several turns; all of them if there are more than there were."""
    assert absence_of(tp.MyGame(turn=9, new_turns=1, new_letters=5)) is None
    assert absence_of(tp.MyGame(turn=9, new_turns=2, new_letters=5)) == Absence(8, 9, 5)
    assert absence_of(tp.MyGame(turn=2, new_turns=3)) == Absence(0, 2, 0)
    assert absence_of(tp.MyGame(turn=2, new_turns=30)) == Absence(0, 2, 0)


def test_a_fight_is_told_once_a_turn_and_place() -> None:
    here, there = ([tp.Reference(type=1, id=number)] for number in (4, 5))
    reports = [
        tp.TurnReport(subject="Internal Combat", references=here),
        tp.TurnReport(subject="The battle ends", references=here),
        tp.TurnReport(subject="CLASH", references=[tp.Reference(type=7, id=1), *there]),
        tp.TurnReport(subject="Combatants, unite", references=[]),
        tp.TurnReport(subject="Uncombed", references=there),
        tp.TurnReport(subject="Fight", failed=True, references=there),
    ]
    assert [fight_at(one) for one in reports] == [4, 4, 5, None, None, None]
    found = missed_in([tp.TurnSummary(turn=turn, reports=reports) for turn in (1, 2)])
    fights = [(summary.turn, report.subject) for summary, report in found.fights]
    assert fights == [(turn, words) for turn in (1, 2) for words in ("Internal Combat", "CLASH")]
    assert [(summary.turn, report.subject) for summary, report in found.failed] == [(1, "Fight"), (2, "Fight")]
