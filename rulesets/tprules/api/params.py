"""What an order asks for.  Each class is one parameter type of the protocol and checks its own form.

A parsed argument is JSON-able: numbers, text, and lists of them; None where a draft has nothing chosen yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from tprules.api.objects import Kind, Role
from tprules.api.types import Code, Refusal, Seat


def _malformed(name: str, text: str) -> Refusal:
    return Refusal(Code.FRAME, "form", f"{name}: {text}", name)


def _is_whole(raw: Any) -> bool:
    return isinstance(raw, int) and not isinstance(raw, bool)


class Choice(NamedTuple):
    """One thing that a list parameter offers: its id, its name, and how many of it may be chosen."""

    id: int
    name: str
    most: int = 1


@dataclass(frozen=True)
class Param:
    """One parameter of an order type.  ``wire_type`` is its number in the protocol (TP04, OrderParams).

    Graphical clients insert an order before their user has chosen anything, with a ``default`` in each parameter.
    """

    wire_type: ClassVar[int]
    default: ClassVar[Any]
    help: str = ""

    def parse(self, name: str, raw: Any) -> Any:
        """Return the argument for ``raw``, or raise a Refusal that names the parameter and what is allowed."""
        raise NotImplementedError

    def is_default(self, raw: Any) -> bool:
        """Return whether ``raw`` may mean that nothing has been chosen yet."""
        if isinstance(raw, tuple):
            raw = list(raw)
        return type(raw) is type(self.default) and bool(raw == self.default)

    def allows_default(self, kinds: Mapping[str, Kind]) -> bool | None:
        """Return whether the declaration allows the default; None where it does not say, so that it may not be meant.

        ``kinds`` are the ruleset's.
        """
        return None

    def stand_in(self, seat: Seat) -> Any:
        """Return a value that parses, for checks of ``seat``'s order that come before anything has been chosen."""
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
    """A number of turns."""

    wire_type = 1
    default = 0
    low: int = 0
    high: int = 2**31 - 1

    def parse(self, name: str, raw: Any) -> int:
        if not _is_whole(raw) or not self.low <= raw <= self.high:
            raise _malformed(name, f"give a number of turns from {self.low} to {self.high}, not {raw!r}")
        return int(raw)

    def is_default(self, raw: Any) -> bool:
        """Some clients send -1 instead of 0."""
        return super().is_default(raw) or (_is_whole(raw) and raw == -1)

    def allows_default(self, kinds: Mapping[str, Kind]) -> bool:
        return self.low <= 0 <= self.high

    def stand_in(self, seat: Seat) -> int:
        return self.low


@dataclass(frozen=True)
class ObjectRef(Param):
    """An object's number; ``kinds`` tells clients which kinds make sense (empty: all)."""

    wire_type = 2
    default = 0
    kinds: tuple[str, ...] = ()

    def parse(self, name: str, raw: Any) -> int:
        if not _is_whole(raw) or not 0 <= raw < 2**32:
            raise _malformed(name, f"give the number of an object, not {raw!r}")
        return int(raw)

    def allows_default(self, kinds: Mapping[str, Kind]) -> bool | None:
        """Object 0 is the universe; it is meant only where its kind is named."""
        return any(kinds[kind].role is Role.UNIVERSE for kind in self.kinds) if self.kinds else None


@dataclass(frozen=True)
class PlayerRef(Param):
    """A seat (the host turns the player's number into it, and 0 and -1, which are nobody's, into the default)."""

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
    """A whole number from ``low`` to ``high`` in steps.

    The default is -1 in all four fields of a range (value, bounds, step), for which a host says None; a value of -1
    alone is as good or bad as any other.
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
    """A selection from a list that depends on world, seat and object (``OrderType.choices``): [[id, number], ...].

    An empty selection, where at least one is needed, makes the order a draft: it is kept and shown with what can be
    chosen, and counts for nothing until it is replaced.
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
            raise Refusal(Code.FRAME, "choice", f"{name}: select each thing once, with a number of at least 1", name)
        total = sum(count for _, count in picked)
        if picked and not self.least <= total <= self.most:
            wanted = f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"
            raise Refusal(Code.FRAME, "choice", f"{name}: select {wanted}, not {total}", name)
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
    """Resources and how much of each: [[resource id, quantity], ...], from what ``OrderType.choices`` offers."""

    wire_type = 10
    default: ClassVar[Any] = []

    def parse(self, name: str, raw: Any) -> list[list[int]]:
        return Selection(least=0).parse(name, raw)
