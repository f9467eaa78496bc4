"""Clocks in JavaScript: the form builds clocks that the server accepts.

The page describes them in the server's words.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

from tests.support.node import node
from tests.support.process import run
from tpserver.games.terms.clock import ClockError, duration, parse_clock

CLOCKS = Path(__file__).parents[2] / "clients" / "tpclient" / "web" / "ui" / "clocktext.js"

CHOICES = [
    {
        "form": form, "days": days, "times": times, "zone": zone, "waits": waits, "grace": grace, "bank": bank,
        "plus": plus, "first": first, "phases": phases, "vacation": vacation,
    }
    for form, (days, times, zone), waits, grace, (bank, plus), first, phases, vacation in product(
        ("all-done", "interval:300", "interval:604800", "calendar"),
        (("daily", ["20:00"], "UTC"), ("mon+wed+fri", ["08:00", "20:30"], "Europe/Berlin"), ("sat", ["00:00"], "UTC")),
        (False, True),
        (0, 3600),
        ((0, 0), (600, 30), (86400, 3600)),
        ("", "2026-12-01T20:00"),
        ([], [["combat", "interval:3600"], ["a_b", ""]]),
        (0, 14),
    )
]  # fmt: skip

SECONDS = {0: "0 seconds", **{each: duration(each) for each in (30, 300, 600, 3600, 86400, 604800)}}


def in_javascript(expression: str) -> list[str]:
    """Return what an expression over `choices` gives, with durations in the server's words."""
    program = f"""
        import {{ clockNotes, clockWords, composeClock, againClock }} from {json.dumps(CLOCKS.as_uri())};
        import {{ readFileSync }} from "node:fs";
        const {{ choices, seconds }} = JSON.parse(readFileSync(0, "utf8"));
        const duration = (number) => seconds[number] ?? `${{number}} seconds`;
        const compose = (one) => composeClock({{ ...one, phases: new Map(one.phases) }});
        console.log(JSON.stringify({expression}));
    """
    said = run(
        *node(), "--input-type=module", "-e", program, stdin=json.dumps({"choices": CHOICES, "seconds": SECONDS})
    )
    assert said.code == 0, said.err
    found: list[str] = json.loads(said.out)
    return found


def test_whatever_is_chosen_is_a_clock_of_the_server_in_its_spelling() -> None:
    for choice, text in zip(CHOICES, in_javascript("choices.map(compose)"), strict=True):
        try:
            clock = parse_clock(text)
        except ClockError as refused:
            raise AssertionError(f"{choice} gave {text}: {refused}") from None
        assert str(clock) == text
        assert clock.wait == (choice["waits"] and choice["form"] != "all-done")


def test_the_words_are_those_of_the_server() -> None:
    texts = in_javascript("choices.map(compose)")
    said = in_javascript("choices.map((one) => clockWords(compose(one), duration))")
    for text, words in zip(texts, said, strict=True):
        assert words == parse_clock(text).words()


def test_the_words_of_other_clocks_are_those_of_the_server() -> None:
    """Of those that the form does not offer: an operator, or another client, has chosen them."""
    texts = [
        "threshold:50:3600 wait", "calendar:daily:2000+2100+2200:UTC", "calendar:tue-thu+sun:0005+2359:Asia/Kathmandu",
        "all-done bank:600:30 phase:combat=calendar:mon:0800:UTC", "manual phase:combat=interval:3600",
        "interval:300 phase:a_b=threshold:100:30 phase:combat=manual",
        "calendar:sat+sun:0000:UTC wait grace:30 vacation:1",
    ]  # fmt: skip
    said = in_javascript(f"{json.dumps(texts)}.map((text) => clockWords(text, duration))")
    assert said == [parse_clock(text).words() for text in texts]


def test_the_page_says_of_the_same_settings_that_they_have_no_effect() -> None:
    texts = [
        *in_javascript("choices.map(compose)"),
        "manual", "threshold:50:60", "interval:300 phase:a_b=interval:300 phase:combat=all-done",
        "all-done first:2026-12-01T20:00:UTC grace:60 vacation:3", "manual phase:combat=interval:300",
    ]  # fmt: skip
    for after in (0, 1, 2):
        said = in_javascript(f"{json.dumps(texts)}.map((text) => clockNotes(text, {after}).join('; '))")
        assert said == ["; ".join(parse_clock(text).notes(after)) for text in texts]


def test_what_is_no_clock_stays_as_it_is() -> None:
    """The lists of games have notes of other kinds."""
    notes = ["running", "2 of 3 seats taken", "awaited: ann", "calendar:mon", "interval:60 soon", "manual"]
    said = in_javascript(f"{json.dumps(notes)}.map((note) => clockWords(note, duration))")
    assert said == [*notes[:-1], "the operator ends turns"]


def test_a_first_deadline_is_not_taken_over() -> None:
    again = in_javascript('["interval:60 wait first:2026-12-01T20:00:UTC grace:5"].map(againClock)')
    assert again == ["interval:60 wait grace:5"]
