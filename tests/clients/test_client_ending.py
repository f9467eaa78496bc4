"""Scores, final places and settings of a game: in library and shell."""

import asyncio
import json
from typing import Any

import pytest

from tests.support.memory_client import Frames, MemoryServer, Request, Served
from tpclient.errors import BadArgument
from tpproto.dialects import PB, TP03, TP04

HEADS, FIRST, SECOND = "place  player  Gold  Hats", "    1  ann        7     2", "    2  ben              1"


def placed(request: Request) -> Frames:
    """The server's answer; at the end with figures, of which one has no letters that a terminal may be steered by."""
    frames = request.answered()
    for name, one in frames:
        if name == "scores" and one.places:
            one.places[0].figures.add(name="Gold", number=7)
            one.places[0].figures.add(name="Hats", number=2)
            one.places[1].figures.add(name="Hats", number=1)
            one.turns[:] = [0, 1, 2]
            one.lines.add(id=1, name="Gold", start=1, numbers=[6, 7])
    return frames


@pytest.fixture
def ended(workshop: Served) -> Served:
    workshop.server.scripts["get_scores"] = placed
    workshop.do(workshop.server.carry_out, workshop.server.seated["ben"], "end")
    return workshop


def test_the_places_are_told_at_the_end(ended: Served, shell: Any) -> None:
    """By scores without naming a dialect, by status and by watch."""
    code, out, err = shell(ended, "scores", dialect=None)
    assert (code, out.splitlines(), err) == (0, [HEADS, FIRST, SECOND], "")
    lines = shell(ended, "status", dialect="pb")[1].splitlines()
    assert lines[-4:] == ["", HEADS, FIRST, SECOND]
    lines = shell(ended, "watch", dialect="pb")[1].splitlines()
    assert lines[-3:] == [f"  {line}" for line in (HEADS, FIRST, SECOND)]
    assert HEADS not in shell(ended, "status", dialect="tp04")[1]


def test_as_data(ended: Served, shell: Any) -> None:
    facts = json.loads(shell(ended, "scores", "--json", dialect=None)[1])
    assert facts["over"]
    assert facts["players"][1] == {"place": 2, "id": 2, "name": "ben", "figures": {"Hats": 1}}
    assert facts["lines"] == [{"player": 1, "name": "Gold", "turns": [1, 2], "numbers": [6, 7]}]


def test_as_long_as_it_goes_on_all_stand_as_they_stand(server: MemoryServer) -> None:
    """In TaE players see their own score with the public figures, for each turn."""

    async def run() -> None:
        server.begin("ann", "ben", ruleset="tae", options={"board": "..A.MM./.....M./A...A.."})
        connection = await server.join("ann", PB)
        told = await connection.scores()
        assert list(told.turns) == [0]
        assert not told.places
        names = {number: [line.name for line in told.lines if line.id == number] for number in (1, 2)}
        assert names[1][0] == "Score"
        assert names[2] == ["Leaders on the board", "Bombers"]
        made = await connection.setup()
        assert (made.ruleset, made.seats) == ("tae", 2)
        assert [one.name for one in made.options if one.changed] == ["board"]
        assert await connection.setup(made.game) == made

    asyncio.run(run())


def test_a_game_without_scores_says_so(workshop: Served, shell: Any) -> None:
    assert shell(workshop, "scores", dialect=None)[:2] == (0, "This game has no scores.\n")


def test_what_a_game_was_made_with(workshop: Served, shell: Any) -> None:
    """Nobody has to log in for that; a game that is not there is refused."""
    game = workshop.server.game().name
    code, out, err = shell(workshop, "setup", game, dialect=None)
    lines = out.splitlines()
    assert (code, err, lines[0]) == (0, "", f"Game:   {game}")
    assert "option" in out
    facts = json.loads(shell(workshop, "setup", game, "--json", dialect=None)[1])
    assert (facts["game"], facts["seats"], facts["press"]) == (game, 2, "private")
    assert "Talk:   players write to each other and to everybody" in lines
    assert {one["name"] for one in facts["options"]} == {"rounds"}
    assert shell(workshop, "setup", "nothing", dialect=None)[0] == 3


@pytest.mark.parametrize("dialect", [TP03, TP04], ids=lambda one: one.name)
def test_older_dialects_cannot_ask(server: MemoryServer, dialect: Any) -> None:
    async def run() -> None:
        server.begin("ann", "ben")
        connection = await server.join("ann", dialect)
        for ask in (connection.scores, connection.setup):
            with pytest.raises(BadArgument, match=r"Protocol Buffers can \(dialect pb\)"):
                await ask()

    asyncio.run(run())
