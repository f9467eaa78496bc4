"""Parameters of orders: one class per parameter type of the protocol.

Each checks the form of its arguments. A parsed argument is JSON-able: numbers, text, and lists of them. None stands for
a choice that a draft still lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from tprules.api.objects import Kind, Role
from tprules.api.types import Code, Refusal, Seat


def _malformed(name: str, text: str) -> Refusal:
    return Refusal(f"{name}: {text}", name, reason="form", code=Code.FRAME)


def _is_whole(raw: Any) -> bool:
    return isinstance(raw, int) and not isinstance(raw, bool)


class Choice(NamedTuple):
    """One item that a Selection or ResourceList offers: its id, its name, and the maximum that may be chosen."""

    id: int
    name: str
    most: int = 1


@dataclass(frozen=True)
class Param:
    """One parameter of an order type.

    ``wire_type`` is the number of its type in the protocol (TP04, OrderParams). ``help`` is the prompt for the player.
    Graphical clients send ``default`` when they insert an order before any choice of their user.
    """

    wire_type: ClassVar[int]
    default: ClassVar[Any]
    help: str = ""

    def parse(self, name: str, raw: Any) -> Any:
        """Return the argument for ``raw``. Raises a Refusal with the parameter and the allowed values."""
        raise NotImplementedError

    def is_default(self, raw: Any) -> bool:
        """Return whether ``raw`` may mean that no value is chosen yet."""
        if isinstance(raw, tuple):
            raw = list(raw)
        return type(raw) is type(self.default) and bool(raw == self.default)

    def allows_default(self, kinds: Mapping[str, Kind]) -> bool | None:
        """Return whether the declaration allows the default as a choice of the player.

        None means that the declaration leaves it open, so a choice may be missing. ``kinds`` are those of the ruleset.
        """
        return None

    def stand_in(self, seat: Seat) -> Any:
        """Return a valid value with which a game's own check can judge a draft of ``seat`` without a choice."""
        return self.default


@dataclass(frozen=True)
class Coordinates(Param):
    """A point in space: [x, y, z]."""

    wire_type = 0
    default: ClassVar[Any] = [0, 0, 0]

    def parse(self, name: str, raw: Any) -> list[int]:
        if not isinstance(raw, list | tuple) or len(raw) != 3 or not all(_is_whole(part) for part in raw):
            raise _malformed(name, "give three whole numbers x, y, z")
        return [int(part) for part in raw]


@dataclass(frozen=True)
class Turns(Param):
    """A number of turns from ``low`` to ``high``, both allowed."""

    wire_type = 1
    default = 0
    low: int = 0
    high: int = 2**31 - 1

    def parse(self, name: str, raw: Any) -> int:
        if not _is_whole(raw) or not self.low <= raw <= self.high:
            raise _malformed(name, f"give a number of turns from {self.low} to {self.high}, not {raw!r}")
        return int(raw)

    def is_default(self, raw: Any) -> bool:
        """Return whether ``raw`` is 0, or -1, which some clients send instead."""
        return super().is_default(raw) or (_is_whole(raw) and raw == -1)

    def allows_default(self, kinds: Mapping[str, Kind]) -> bool:
        return self.low <= 0 <= self.high

    def stand_in(self, seat: Seat) -> int:
        return self.low


@dataclass(frozen=True)
class ObjectRef(Param):
    """The number of an object.

    ``kinds`` tells clients which kinds of object fit (empty: all). It is not checked here, so ``OrderType.check`` must
    refuse an object that does not fit.
    """

    wire_type = 2
    default = 0
    kinds: tuple[str, ...] = ()

    def parse(self, name: str, raw: Any) -> int:
        if not _is_whole(raw) or not 0 <= raw < 2**32:
            raise _malformed(name, f"give the number of an object, not {raw!r}")
        return int(raw)

    def allows_default(self, kinds: Mapping[str, Kind]) -> bool | None:
        """Return whether the kind of the universe (object 0, the default) fits; None if ``self.kinds`` is empty."""
        return any(kinds[kind].role is Role.UNIVERSE for kind in self.kinds) if self.kinds else None


@dataclass(frozen=True)
class PlayerRef(Param):
    """A player, as a seat from 0.

    The host turns the player's number into the seat. The numbers 0 and -1 stand for nobody and become the default.
    """

    wire_type = 3
    default = -1

    def parse(self, name: str, raw: Any) -> int:
        if not _is_whole(raw) or raw < 0:
            raise _malformed(name, "give a player of this game")
        return int(raw)

    def allows_default(self, kinds: Mapping[str, Kind]) -> bool:
        return False

    def stand_in(self, seat: Seat) -> Seat:
        return seat


@dataclass(frozen=True)
class Number(Param):
    """A whole number from ``low`` to ``high``, both allowed, in steps of ``step`` from ``low``.

    Clients send -1 in all four fields of a range (value, both bounds, step) for a missing choice. The host passes this
    on as None. A value of -1 with other bounds or step is treated like any other number.
    """

    wire_type = 5
    default = -1
    low: int = 0
    high: int = 2**31 - 1
    step: int = 1

    def parse(self, name: str, raw: Any) -> int:
        if not _is_whole(raw) or not self.low <= raw <= self.high or (raw - self.low) % self.step:
            steps = f" in steps of {self.step}" if self.step != 1 else ""
            raise _malformed(name, f"give a whole number from {self.low} to {self.high}{steps}, not {raw!r}")
        return int(raw)

    def is_default(self, raw: Any) -> bool:
        return raw is None

    def allows_default(self, kinds: Mapping[str, Kind]) -> bool:
        return self.low <= self.default <= self.high and not (self.default - self.low) % self.step

    def stand_in(self, seat: Seat) -> int:
        return self.low


@dataclass(frozen=True)
class Selection(Param):
    """A selection from the items that ``OrderType.choices`` offers: [[id, number], ...].

    ``least`` and ``most`` bound the sum of the numbers. If ``least`` is above 0, an empty selection makes the order a
    draft. The draft is shown with the possible choices, and has no effect until it is replaced.
    """

    wire_type = 6
    default: ClassVar[Any] = []
    least: int = 1
    most: int = 2**31 - 1

    def parse(self, name: str, raw: Any) -> list[list[int]]:
        if not isinstance(raw, list | tuple):
            raise _malformed(name, "give a list of selections")
        picked: list[list[int]] = []
        for item in raw:
            if not isinstance(item, list | tuple) or len(item) != 2 or not all(_is_whole(part) for part in item):
                raise _malformed(name, "a selection is an id and a number")
            picked.append([int(item[0]), int(item[1])])
        if len({number for number, _ in picked}) != len(picked) or any(count < 1 for _, count in picked):
            raise Refusal(
                f"{name}: select each thing once, with a number of at least 1", name, reason="choice", code=Code.FRAME
            )
        total = sum(count for _, count in picked)
        if picked and not self.least <= total <= self.most:
            wanted = f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"
            raise Refusal(f"{name}: select {wanted}, not {total}", name, reason="choice", code=Code.FRAME)
        return picked

    def allows_default(self, kinds: Mapping[str, Kind]) -> bool | None:
        return self.least <= 0


@dataclass(frozen=True)
class String(Param):
    """Text of at most ``longest`` characters."""

    wire_type = 7
    default = ""
    longest: int = 255

    def parse(self, name: str, raw: Any) -> str:
        if not isinstance(raw, str) or len(raw) > self.longest:
            raise _malformed(name, f"give text of at most {self.longest} characters")
        try:
            raw.encode()
        except UnicodeEncodeError:
            raise _malformed(name, "half of a surrogate pair is no text") from None
        return raw

    def allows_default(self, kinds: Mapping[str, Kind]) -> bool:
        return True


@dataclass(frozen=True)
class ResourceList(Param):
    """Resources with quantities, from the offers of ``OrderType.choices``: [[resource id, quantity], ...]."""

    wire_type = 10
    default: ClassVar[Any] = []

    def parse(self, name: str, raw: Any) -> list[list[int]]:
        return Selection(least=0).parse(name, raw)
