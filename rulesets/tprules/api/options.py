"""Options of a ruleset, chosen when a game is created.

Each option parses the text that the operator typed, and describes the allowed values.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tprules.api.types import OptionError


@dataclass(frozen=True)
class Option:
    """One option: its default and its meaning. ``parse`` takes text, or a value that already has the right type."""

    default: Any
    help: str = ""

    @property
    def limits(self) -> str:
        """Return the allowed values, as text."""
        return "any"

    def parse(self, name: str, raw: Any) -> Any:
        """Return the JSON-able value of ``raw``. Raises OptionError with the allowed values if it is not valid."""
        raise NotImplementedError


@dataclass(frozen=True)
class Integer(Option):
    """A whole number from ``low`` to ``high``, both allowed."""

    low: int = 0
    high: int = 2**31 - 1

    @property
    def limits(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def parse(self, name: str, raw: Any) -> int:
        value = _whole(raw)
        if value is None or not self.low <= value <= self.high:
            raise OptionError(name, f"{raw!r} is not {self.limits}")
        return value


@dataclass(frozen=True)
class IntegerList(Option):
    """A list of exactly ``count`` whole numbers from ``low`` to ``high``, typed with commas between them."""

    count: int = 1
    low: int = 0
    high: int = 2**31 - 1

    @property
    def limits(self) -> str:
        return f"{self.count} whole numbers from {self.low} to {self.high}, with commas between them"

    def parse(self, name: str, raw: Any) -> list[int]:
        items = raw.split(",") if isinstance(raw, str) else list(raw) if isinstance(raw, list | tuple) else [raw]
        values = [_whole(item) for item in items]
        good = [value for value in values if value is not None and self.low <= value <= self.high]
        if len(good) != len(values) or len(values) != self.count:
            raise OptionError(name, f"{raw!r} is not {self.limits}")
        return good


@dataclass(frozen=True)
class Flag(Option):
    """On or off. ``parse`` returns a bool."""

    @property
    def limits(self) -> str:
        return "on or off"

    def parse(self, name: str, raw: Any) -> bool:
        word = str(raw).strip().lower()
        if word not in {"on", "yes", "true", "1", "off", "no", "false", "0"}:
            raise OptionError(name, f"{raw!r} is not {self.limits}")
        return word in {"on", "yes", "true", "1"}


@dataclass(frozen=True)
class OneOf(Option):
    """One of ``words``."""

    words: tuple[str, ...] = ()

    @property
    def limits(self) -> str:
        return "one of " + ", ".join(self.words)

    def parse(self, name: str, raw: Any) -> str:
        word = str(raw).strip()
        if word not in self.words:
            raise OptionError(name, f"{raw!r} is not {self.limits}")
        return word


@dataclass(frozen=True)
class Text(Option):
    """Text such as a map, of at most ``longest`` characters.

    ``reader`` turns it into JSON-able data, or raises ValueError with the position of the fault. Without a reader the
    value is the text. ``allowed`` describes the text in refusals.
    """

    reader: Callable[[str], Any] | None = None
    longest: int = 65536
    allowed: str = "text"

    @property
    def limits(self) -> str:
        return self.allowed

    def parse(self, name: str, raw: Any) -> Any:
        if not isinstance(raw, str) or len(raw) > self.longest:
            raise OptionError(name, f"give {self.allowed} of at most {self.longest} characters")
        if self.reader is None:
            return raw
        try:
            return self.reader(raw)
        except OptionError:
            raise
        except ValueError as error:
            raise OptionError(name, str(error)) from None


def parse_options(declared: Mapping[str, Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every declared option, with defaults for missing ones.

    Raises OptionError for an invalid value and for an option that is not declared.
    """
    for name in given:
        if name not in declared:
            near = difflib.get_close_matches(name, declared, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            known = ", ".join(declared) or "none"
            raise OptionError(name, f"there is no such option{hint} (options: {known})")
    return {name: option.parse(name, given.get(name, option.default)) for name, option in declared.items()}


def _whole(raw: Any) -> int | None:
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int):
        return raw
    try:
        return int(str(raw).strip(), 10) if str(raw).isascii() else None
    except ValueError:
        return None
