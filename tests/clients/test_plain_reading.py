"""`tpclient rules`, and the goal in `status`, for people and programs.

`rules` needs no user.
"""

import json
from typing import Any

import pytest

from tests.support.memory_client import Served, fail
from tpproto import tp_pb2 as tp

GOAL = (
    "You win if, when the game ends, the lowest of your four kinds of points (Money, Technology, People, Raw "
    "Materials) is higher than every other player's lowest."
)


@pytest.mark.parametrize("dialect", ["tp03", "pb"])
def test_the_rules_whatever_dialect_is_said(tae: Served, shell: Any, dialect: str) -> None:
    """Protocol Buffers are spoken for it, nobody logs in, and the text is set in lines under underlined headings."""
    asked = len(tae.server.asked)
    code, out, err = shell(tae, "rules", user="", dialect=dialect)
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[:2] == ["TaE: Tigris and Euphrates in space", "=" * 34]
    assert lines[lines.index("Scoring") + 1] == "-------"
    assert max(map(len, lines)) <= 80
    assert "**" not in out
    assert [kind for _, kind in tae.server.asked[asked:]] == ["connect", "get_games", "get_rules"]


def test_the_width_is_that_of_the_terminal(tae: Served, shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As far as a line can be read."""
    longest = {}
    for columns in (40, 300):
        monkeypatch.setenv("COLUMNS", str(columns))
        longest[columns] = max(map(len, shell(tae, "rules")[1].splitlines()))
    assert 36 <= longest[40] <= 40
    assert 95 <= longest[300] <= 100


def test_a_part_of_them(tae: Served, shell: Any) -> None:
    """A section, or what is said about a piece or an order, by its name in any letters."""
    assert shell(tae, "rules", "--section", "how it ENDS")[1].startswith("How it ends\n-----------\n\n")
    out = shell(tae, "rules", "--about", "colonize")[1]
    assert out.startswith("Colonize\n\n  For a colonist ship in your hand.")
    assert "Bomber" not in out
    assert shell(tae, "rules", "--about", "Bomber")[1].startswith("Bomber\n\n  ")


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["--section", "Money"], 2, "The rules have no section 'Money'; there are: Set-up, A turn, Pieces, Orders, "),
        (["--about", "Money"], 2, "The rules say nothing about 'Money'; they tell of: Merchant ship, Scientist ship, "),
        (["--about", "Move", "--section", "Orders"], 2, "not allowed with argument"),
        (["nothing"], 3, "refused: There is no ruleset 'nothing' (there are: auction, tae, workshop)."),
        (["--user", "ann@nothing"], 2, "There is no game 'nothing'; name one, or a ruleset: first (tae)."),
    ],
)
def test_what_can_be_wrong(tae: Served, shell: Any, words: list[str], code: int, sentence: str) -> None:
    found, out, err = shell(tae, "rules", *words)
    assert (found, out) == (code, "")
    assert sentence in err


def test_whose_rules(tae: Served, shell: Any) -> None:
    """Of a game, of a ruleset, of the game of --user or TPCLIENT_USER; without any of that there is to be one only."""
    tae.do(tae.server.create, "second", "workshop")

    def title(*words: str, user: str = "") -> str:
        found: str = json.loads(shell(tae, "rules", "--json", *words, user=user)[1])["title"]
        return found

    assert title("tae").startswith("TaE")
    assert title("Second") == "Workshop"
    assert title(user="ann@second") == "Workshop"
    assert title("--user", "ann@first/watch").startswith("TaE")
    assert title("first", user="ann@second").startswith("TaE")
    code, _, err = shell(tae, "rules", user="ann")
    assert (code, err) == (
        2,
        "tpclient: The server has several games; name one, or a ruleset: first (tae), second (workshop).\n",
    )


def test_as_data(tae: Served, shell: Any) -> None:
    """The text as the server has it, or the part that is asked for."""
    facts = json.loads(shell(tae, "rules", "--json")[1])
    assert (facts["ruleset"], facts["version"], facts["goal"]) == ("tae", "2", GOAL)
    assert facts["text"].startswith("# TaE: Tigris and Euphrates in space\n")
    part = json.loads(shell(tae, "rules", "--json", "--section", "Orders")[1])["text"]
    assert part.startswith("## Orders\n")


def test_a_ruleset_without_rules_to_read(workshop: Served, shell: Any) -> None:
    assert shell(workshop, "rules") == (0, "Workshop has no rules to read.\n", "")


def test_hostile_rules_steer_no_terminal(workshop: Served, shell: Any) -> None:
    evil = tp.Rules(ruleset="workshop", title="\x1b[2J", goal="\x1b[2J\ngoal", text="# \x1b[2J\n\n- \x07[red]x[/]\n")
    workshop.server.scripts["get_rules"] = lambda request: [("rules", evil)]
    out = shell(workshop, "rules")[1]
    assert out == "\\x1b[2J\n=======\n\n- \\x07[red]x[/]\n"
    assert "Goal:       \\x1b[2J\\ngoal\n" in shell(workshop, "status")[1]


@pytest.mark.parametrize("dialect", ["tp03", "pb"])
def test_status_tells_the_goal(tae: Served, shell: Any, dialect: str) -> None:
    """In one line, and as data."""
    assert f"Goal:       {GOAL}\n" in shell(tae, "status", dialect=dialect)[1]
    assert json.loads(shell(tae, "status", "--json", dialect=dialect)[1])["goal"] == GOAL


def test_status_without_a_goal(tae: Served, shell: Any) -> None:
    """If the server has no goal, there is no such line, and that is no error."""
    tae.server.scripts["get_rules"] = fail(2, "There is no frame 1001.")
    code, out, err = shell(tae, "status")
    assert (code, err) == (0, "")
    assert "Goal" not in out
    assert json.loads(shell(tae, "status", "--json")[1])["goal"] == ""
