"""Seats in JavaScript: all fields read, described in the shell's words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict

from tests.support.node import node
from tests.support.process import run
from tpclient.seats import kept_words, state_words
from tpproto import tp_pb2 as tp

SEATS = Path(__file__).parents[2] / "clients" / "tpclient" / "web" / "core" / "seats.js"


def in_javascript(expression: str, body: dict[str, Any]) -> Any:
    """Return what an expression gives over ``body``, a frame as the server sends it to browsers."""
    program = f"""
        import {{ keptWords, readOpenSeats, readSeats, seatWords }} from {json.dumps(SEATS.as_uri())};
        import {{ readFileSync }} from "node:fs";
        const body = JSON.parse(readFileSync(0, "utf8"));
        console.log(JSON.stringify({expression}));
    """
    said = run(*node(), "--input-type=module", "-e", program, stdin=json.dumps(body))
    assert said.code == 0, said.err
    return json.loads(said.out)


def test_seats_are_told_in_the_same_words() -> None:
    states = [
        {},
        {"missed": 1},
        {"missed": 3, "absent": True, "seeks": True},
        {"absent": True, "bot_plays": True, "missed": 2},
        {"autopilot": 1, "bot_plays": True},
        {"autopilot": 4, "due": 3, "kept": 2, "due_of_all": 3, "kept_of_all": 2},
        {"due": 3, "kept": 2, "due_of_all": 9, "kept_of_all": 5},
    ]
    seats = tp.Seats(seats=[tp.SeatState(player=1, name="ann", **state) for state in states])
    said = in_javascript("readSeats(body).seats.map((one) => [seatWords(one), keptWords(one)])", MessageToDict(seats))
    assert said == [[state_words(one), kept_words(one)] for one in seats.seats]


def test_what_a_frame_says_is_read_whole() -> None:
    policy = tp.SeatPolicy(absent_after=3, absent="bot", seeks=True, reliability=80, roll_call=60, silent_days=14)
    told = tp.Seats(game="mine", policy=policy, words="words", owned=True, has_bot=True, roll_ends=5)
    assert in_javascript("readSeats(body)", MessageToDict(told)) == {
        "game": "mine",
        "words": "words",
        "policy": {
            "absentAfter": 3,
            "absent": "bot",
            "seeks": True,
            "reliability": 80,
            "rollCall": 60,
            "silentDays": 14,
        },
        "seats": [],
        "rollEnds": 5000,
        "isOwned": True,
        "needsConsent": False,
        "hasBot": True,
    }
    empty = in_javascript("readSeats(body)", {})
    assert (empty["policy"]["absent"], empty["rollEnds"], empty["isOwned"]) == ("rules", None, False)
    listed = tp.OpenSeats(seats=[tp.OpenSeat(game="mine", ruleset="tae", turn=2, player=1, name="ann")])
    assert in_javascript("readOpenSeats(body)", MessageToDict(listed)) == [
        {
            "game": "mine", "ruleset": "tae", "title": "tae", "turn": 2, "player": 1, "name": "ann", "isBot": False,
            "reliability": 0,
        }
    ]  # fmt: skip
