"""Sentences of the original games, beside the rules that follow from them."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

GAMES = ("antshouse", "colony_battle", "swarm", "tae", "taller_ants")


def page(game: str, name: str) -> str:
    """Return a page of a game, as it is installed."""
    return (files(f"tprules.{game}") / name).read_text(encoding="utf-8")


def sentences(game: str) -> list[tuple[int, str, list[str]]]:
    """Return number, sentence and rules of each line of the table."""
    rows = re.findall(r"^\| S(\d+) \| (.*) \| (R[R\d, ]*) \|$", page(game, "ORIGINAL.md"), re.MULTILINE)
    return [(int(number), text, rules.split(", ")) for number, text, rules in rows]


def plain(text: str) -> str:
    return " ".join(re.sub(r"[^a-z0-9 ]", "", text.lower()).split())


@pytest.mark.parametrize("game", GAMES)
def test_each_sentence_names_rules_that_exist(game: str):
    """They are numbered from 1 on, and the page of the rules refers to them."""
    found = sentences(game)
    assert [number for number, *_ in found] == list(range(1, len(found) + 1))
    assert len(found) > 20
    rules = page(game, "RULES.md")
    assert "ORIGINAL.md" in rules
    assert {rule for *_, named in found for rule in named} <= set(re.findall(r"^\| (R\d+) \|", rules, re.MULTILINE))


@pytest.mark.parametrize("game", [game for game in GAMES if game != "tae"])
def test_what_the_rules_quote_is_in_the_original(game: str):
    """Each quoted piece is in a sentence that names the rule, and each rule without one is a decision of ours."""
    original = sentences(game)
    named = {rule for *_, rules in original for rule in rules}
    for rule, seed in re.findall(r"^\| (R\d+) \| (.*?) \|", page(game, "RULES.md"), re.MULTILINE):
        if rule not in named:
            assert seed.startswith("("), f"{rule} follows from no sentence"
            continue
        text = plain(" ".join(text for _, text, rules in original if rule in rules))
        for piece in re.findall(r'"([^"]+)"', seed):
            for words in piece.split("..."):
                assert plain(words) in text, f"{rule}: {words!r}"


def test_the_sentences_of_tae_have_the_numbers_that_its_rules_name():
    """The column "from" of its page names S1 to S21."""
    rules = page("tae", "RULES.md")
    named: dict[int, set[str]] = {}
    for rule, source in re.findall(r"^\| (R\d+) \| ([^|]*) \|", rules, re.MULTILINE):
        for first, last in re.findall(r"\bS(\d+)(?:-S(\d+))?", source):
            for number in range(int(first), int(last or first) + 1):
                named.setdefault(number, set()).add(rule)
    assert {number: set(rules) for number, _, rules in sentences("tae")} == named
