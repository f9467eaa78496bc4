"""Turn summaries: many turns, at the shell, and in which dialects."""

import asyncio
import json
from typing import Any

import pytest

from tests.support.memory_client import Frames, Request, Served
from tpclient.summaries import by_weight, read_summaries
from tpproto import tp_pb2 as tp


@pytest.mark.parametrize(("most", "there"), [(64, 200), (3, 7), (64, 5), (2, 0)])
def test_turns_are_asked_for_in_parts(most: int, there: int) -> None:
    """As many as there are; fewer may come at once than were asked for."""
    asked: list[tuple[int, int]] = []

    async def ask(first: int, amount: int) -> list[tp.TurnSummary]:
        asked.append((first, amount))
        return [tp.TurnSummary(turn=turn) for turn in range(first, min(there, first + min(amount, most)))]

    found = asyncio.run(read_summaries(ask, 0, 200))
    assert [one.turn for one in found] == [*range(there)]
    assert len(asked) <= there // most + 2
    assert all(amount <= 64 for _, amount in asked)


def test_a_server_that_repeats_itself_is_not_asked_for_ever() -> None:
    async def ask(first: int, amount: int) -> list[tp.TurnSummary]:
        return [tp.TurnSummary(turn=1)]

    assert len(asyncio.run(read_summaries(ask, 0, 9))) == 1


def told(request: Request) -> Frames:
    """The server's answer, with a report at the end of each that an order of player 2 has failed."""
    frames = request.answered()
    for name, one in frames:
        if name == "turn_summary":
            one.reports.add(
                player=2, failed=True, subject="Tune", body="No\nstrings", references=[tp.Reference(type=1)]
            )
    return frames


@pytest.fixture
def played(workshop: Served) -> Served:
    for wish in ("A hat", "A coat"):
        workshop.do(workshop.server.carry_out, workshop.server.seated["ann"], wish)
    workshop.server.scripts["get_turn_summaries"] = told
    return workshop


def test_what_failed_is_first() -> None:
    reports = [tp.TurnReport(subject="a"), tp.TurnReport(subject="b", failed=True), tp.TurnReport(subject="c")]
    assert [one.subject for one in by_weight(tp.TurnSummary(reports=reports))] == ["b", "a", "c"]


def test_at_the_shell(played: Served, shell: Any) -> None:
    """The command prints this turn, another one, or all since one, without naming a dialect."""
    newest = ["[turn 2] Round 3", "  ben: failed: Tune", "      No", "      strings"]
    code, out, err = shell(played, "summary", dialect=None)
    lines = out.splitlines()
    assert (code, lines[:4], lines[-2:], err) == (0, newest, ["  A coat", "      as you wished"], "")
    newest = lines
    assert shell(played, "summary", "1", dialect=None)[1].splitlines()[0] == "[turn 1] Round 2"
    lines = shell(played, "summary", "--since", "1", dialect=None)[1].splitlines()
    assert lines[0] == "[turn 1] Round 2"
    assert lines[-len(newest) - 1 :] == ["", *newest]
    code, _, err = shell(played, "summary", "3", dialect=None)
    assert (code, "no turn 3" in err) == (3, True)
    assert shell(played, "summary", "1", "--since", "1")[0] == 2
    code, _, err = shell(played, "summary", dialect="tp04")
    assert (code, "Protocol Buffers can" in err) == (2, True)


def test_as_data(played: Served, shell: Any) -> None:
    (facts,) = json.loads(shell(played, "summary", "1", "--json", dialect=None)[1])
    assert (facts["turn"], facts["title"]) == (1, "Round 2")
    assert facts["reports"][0] == {
        "player": {"id": 2, "name": "ben"},
        "failed": True,
        "subject": "Tune",
        "body": "No\nstrings",
        "references": [{"type": 1, "id": 0}],
    }
    assert facts["reports"][1]["player"] is None
