"""A reader for the notation of Antshouse's page, and a table to play on.

Notation: `0 d4` is the ant of seat 0 at d4, and `*` means turned. `X=a2 b1` are pine cones. `0: N, glass d5, R` means
Go N, Throw glass at d5, gesture rock (R, P, S). `stay` and `-` mean what they say. The reader checks that every text a
test takes from its vector is in that vector.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

from tprules.antshouse import RULESET
from tprules.antshouse.board import DIRECTION_NAMES, NAMES
from tprules.antshouse.orders import DIRECTION, GESTURE, SQUARE, TARGET, WEAPON
from tprules.antshouse.world import CONE, GLASS, WATER, World
from tprules.api import Order, Refusal, Report, parse_options
from tprules.api.advance import advance, opening
from tprules.api.order_checks import apply, insertion
from tprules.api.ruleset import find_order_type, find_phase
from tprules.kit.single_choice import choosing

VECTORS: dict[str, str] = dict(
    re.findall(
        r"^\* \*\*(A\d+)\*\* (.*)$", (files("tprules.antshouse") / "RULES.md").read_text(encoding="utf-8"), re.MULTILINE
    )
)
"""The page's own lines by number."""

WEAPON_WORDS = {"cone": CONE, "water": WATER, "glass": GLASS}
GESTURE_LETTERS = {"R": 1, "P": 2, "S": 3, "gesture -": 0}

NEVER, LATER, NOTHING, DENIED, FRAME = 2, 3, 4, 5, 1
"""The page's classes of error: codes of the protocol's Fail frame."""


def square(name: str) -> int:
    """Return the number of a square."""
    return NAMES.index(name)


class Table:
    """A game at a position. ``vector`` is the number of the vector that the texts are from, or empty."""

    def __init__(self, vector: str, position: str, seats: int = 2, **options: Any) -> None:
        self.line = VECTORS[vector] if vector else None
        self.seed = b"table"
        self.reports: list[Report] = []
        self.events: list[Any] = []
        self.outcome: Any = None
        self.state = opening(RULESET, parse_options(RULESET.options, options), seats, self.seed).state
        ants, _, cones = self._quoted(position).partition("X=")
        for name in re.findall(r"[a-h][1-8]", cones):
            self.world.cones[square(name)] = 0
        self.world.round = 1
        self.place(ants)

    @property
    def world(self) -> World:
        return self.state.world

    @property
    def active(self) -> list[int]:
        return list(find_phase(RULESET, self.state.phase).active(self.world))

    def place(self, ants: str) -> None:
        """Put ants where the text says; those without a place are dead."""
        for seat, name, turned in re.findall(r"(\d) ([a-h][1-8])(\*?)", ants):
            self.world.players[int(seat)].ant = square(name)
            self.world.players[int(seat)].turned = bool(turned)
        self.state.phase = self.world.phase

    def plan(self, orders: str) -> None:
        """Give orders of a PLAN phase in the vector's own words, and close it; `|` joins words that stand apart."""
        self.play(self._quoted(orders))

    def play(self, orders: str) -> None:
        """Give orders of a PLAN phase in other words than the vector's, and close it."""
        for part in orders.split(";"):
            found = re.fullmatch(r"\s*(\d):? (.*)", part)
            assert found, part
            self._give(int(found[1]), [item.strip() for item in found[2].split(",")])
        self.close()

    def choose(self, seat: int, way: str) -> None:
        """Answer a PUSH or a WATER phase and close it."""
        name = {"push": "Push", "water": "Flush"}[self.state.phase]
        self.insert(seat, name, way)
        self.close()

    def enter(self, seat: int, name: str) -> None:
        self.insert(seat, "Enter", name)

    def insert(self, seat: int, name: str, *what: Any, on: int | None = None) -> Order:
        """Insert one order, given as in ``_arguments``, on its usual object or on another one; it is accepted."""
        carrier = self.world.ant(seat) if name == "Go" else self.world.kid(seat)
        change = insertion(RULESET, self.state, seat, carrier if on is None else on, name, self._arguments(name, *what))
        apply(self.state, change)
        return change.order

    def refused(self, seat: int, name: str, *what: Any, on: int | None = None) -> int:
        """Return the code with which an order is refused, 0 if it would be accepted; nothing changes."""
        carrier = self.world.ant(seat) if name == "Go" else self.world.kid(seat)
        try:
            insertion(RULESET, self.state, seat, carrier if on is None else on, name, self._arguments(name, *what))
        except Refusal as refusal:
            return int(refusal.code)
        return 0

    def close(self) -> None:
        done = advance(RULESET, self.state, self.seed)
        self.state, self.reports, self.events, self.outcome = done.state, done.reports, done.events, done.outcome

    def offers(self) -> list[int]:
        """Return the directions that a PUSH or WATER phase offers."""
        (seat,) = self.active
        kind = find_order_type(RULESET, {"push": "Push", "water": "Flush"}[self.state.phase])
        assert kind is not None
        return [offer.id for offer in kind.choices(self.state.plan(seat), self.world.kid(seat), DIRECTION)]

    def shows(self, position: str) -> None:
        """Assert that the ants named are where the text says, with no cones but those named, if any are."""
        for seat, name, turned in re.findall(r"(\d) ([a-h][1-8])(\*?)", position):
            player = self.world.players[int(seat)]
            assert (seat, NAMES[player.ant], "*" * player.turned) == (seat, name, turned)
        if "X=" in position:
            found = sorted(NAMES[cone] for cone in self.world.cones)
            assert found == sorted(re.findall(r"[a-h][1-8]", position.partition("X=")[2]))

    def pad(self, seat: int) -> str:
        """Return a pad as the page writes it."""
        return "/".join(str(number) for number in self.world.players[seat].pad[1:])

    def goes_on(self, phase: str = "plan", active: list[int] | None = None) -> None:
        """Assert which phase it is, and for whom."""
        everybody = list(range(len(self.world.players)))
        assert (self.state.phase, self.active) == (phase, everybody if active is None else active)

    def told(self, subject: str) -> list[Report]:
        return [report for report in self.reports if report.subject == subject]

    def _quoted(self, text: str) -> str:
        assert self.line is None or all(part.strip() in self.line for part in text.split("|"))
        return text.replace("|", ";")

    def _give(self, seat: int, items: list[str]) -> None:
        way, gesture = items[0], "gesture -"
        for item in items[1:]:
            if item in GESTURE_LETTERS:
                gesture = item
            else:
                self.insert(seat, "Throw", *item.split())
        self.insert(seat, "Go", way, gesture)

    def _arguments(self, name: str, *what: Any) -> dict[str, Any]:
        if name == "Enter":
            return {SQUARE: self._object(what[0])}
        if name == "Throw":
            return {WEAPON: choosing(WEAPON_WORDS[what[0]]), TARGET: self._object(what[1])}
        way = {DIRECTION: choosing(DIRECTION_NAMES.index(what[0]))}
        if name == "Go":
            return way | {GESTURE: choosing(GESTURE_LETTERS[what[1] if len(what) > 1 else "gesture -"])}
        return way

    def _object(self, name: str | int) -> int:
        return self.world.system(square(name)) if isinstance(name, str) else name
