"""Declaration of configuration keys, and the rules of their values."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, Generic, Literal, TypeGuard, TypeVar, get_args, get_type_hints

D = TypeVar("D")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return a suggestion for the end of a sentence, or an empty string. Only the last part of dotted words counts."""
    last: dict[str, str] = {}
    for name in words:
        last.setdefault(name.rpartition(".")[2].lower(), name)
    near = difflib.get_close_matches(word.rpartition(".")[2].lower(), last, n=1)
    return f"; did you mean {last[near[0]]}?" if near else ""


def shown(value: object) -> str:
    """Return a value approximately in the operator's form, shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "a list"
    if isinstance(value, str):
        return repr(_cut(value))
    try:
        return _cut(str(value))
    except ValueError:  # an integer with thousands of digits
        return "a very long number"


def named(key: str) -> str:
    """Return an unknown key for a message, as it may be any text in TOML."""
    return _cut(key) if key.isprintable() and key else repr(_cut(key))


def _cut(text: str, length: int = 60) -> str:
    return text if len(text) <= length else f"{text[:length]}…"


class InvalidValue(Exception):
    """The rule of a key does not allow the value.

    The text, if any, is a hint for the end of the sentence. In a list a single item may be wrong: ``item`` is its
    position, counted from 1, and the item itself. ``inside`` describes an error within a value of many parts, and
    replaces the description of the whole.
    """

    def __init__(self, hint: str = "", item: tuple[int, object] | None = None, inside: str = "") -> None:
        super().__init__(hint)
        self.item = item
        self.inside = inside


@dataclass(frozen=True)
class Rule(Generic[T_co]):
    """The rule of a key: `allowed` completes "must be". `read` converts the value for the field."""

    allowed: str
    read: Callable[[object, Path], T_co]
    label: str = ""
    """A short form of `allowed`, with its separator, at the start of the comment of a key."""


Applied = Literal["reload", "restart", "portal"]
"""The event at which a changed key takes effect.

reload: `tpserver reload`; restart: a new engine; portal: a new portal, which `tpserver restart` does not replace.
"""


@dataclass(frozen=True)
class Key:
    """A key, except its name, type and default, which are those of the field."""

    rule: Rule[Any]
    note: str
    applied: Applied
    option: str
    """The command line option of the key, for messages about overrides."""
    example: object
    """A value for a complete file: the default, unless that has no form in TOML or depends on the machine."""

    @property
    def comment(self) -> str:
        """The comment of the key in a configuration file."""
        return f"{self.rule.label}{self.note}" if self.note else self.rule.label.rstrip(" ;:")


def declare(
    default: D,
    note: str = "",
    rule: Rule[T] | None = None,
    *,
    applied: Applied | None = None,
    option: str = "",
    example: object = None,
) -> D | T:
    """Declare a field of a section as a key.

    Without a rule the type is one: ``bool``, or a ``Literal`` of words. A key without ``applied`` has that of its
    section.
    """
    metadata = {"note": note, "rule": rule, "applied": applied, "option": option, "example": example}
    return field(default=default, metadata=metadata)


def declare_factory(make: Callable[[], T], note: str = "", **more: Any) -> T:
    """Declare a section, or a key whose default depends on the machine; ``more`` is as for `declare`."""
    return field(default_factory=make, metadata={"note": note, **more})


def keys_of(section: Field[Any]) -> Mapping[str, Key]:
    """Return the keys of a section by name."""
    kind: Any = section.default_factory
    types = get_type_hints(kind)
    return {
        one.name: Key(
            rule=one.metadata.get("rule") or _rule_of(types[one.name]),
            note=one.metadata["note"],
            applied=one.metadata.get("applied") or section.metadata["applied"],
            option=one.metadata.get("option", ""),
            example=one.default if one.metadata.get("example") is None else one.metadata["example"],
        )
        for one in fields(kind)
    }


def _rule_of(kind: Any) -> Rule[Any]:
    return Rule("true or false", _yes_or_no, "true: ") if kind is bool else _choice(*get_args(kind))


def _yes_or_no(value: object, base: Path) -> bool:
    if type(value) is not bool:
        raise InvalidValue
    return value


def _choice(*choices: str) -> Rule[str]:
    def read(value: object, base: Path) -> str:
        if value not in choices:
            raise InvalidValue(did_you_mean(str(value), choices))
        return value

    allowed = f"{', '.join(choices[:-1])} or {choices[-1]}"
    return Rule(allowed, read, f"{allowed}: ")


def whole(low: int, high: int) -> Rule[int]:
    """Return the rule of a whole number."""

    def read(value: object, base: Path) -> int:
        if type(value) is not int or not low <= value <= high:
            raise InvalidValue
        return value

    return Rule(f"a whole number from {low} to {high}", read, f"{low} to {high}; ")


def amount(unit: str, low: float, high: float, zero: str = "") -> Rule[float]:
    """Return the rule of a number of a unit. With ``zero``, the meaning of 0, zero is allowed, too."""

    def read(value: object, base: Path) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InvalidValue
        if not (low <= value <= high or (zero and value == 0)):
            raise InvalidValue
        return float(value)

    or_zero = f", or 0 for {zero}" if zero else ""
    return Rule(f"a number of {unit} from {low:g} to {high:g}{or_zero}", read, f"{low} to {high}{or_zero}; ")


def _is_fit(value: object, fits: Callable[[str], object]) -> TypeGuard[str]:
    try:
        return type(value) is str and bool(fits(value))
    except ValueError:
        return False


def text(allowed: str, fits: Callable[[str], object]) -> Rule[str]:
    """Return the rule of a text. A text is wrong if ``fits`` returns false or raises ValueError."""

    def read(value: object, base: Path) -> str:
        if not _is_fit(value, fits):
            raise InvalidValue
        return value

    return Rule(allowed, read)


def printable(low: int, high: int, what: str = "a text") -> Rule[str]:
    """Return the rule of a text on one line."""
    return text(
        f"{what} of {low} to {high} printable characters on one line",
        lambda value: low <= len(value) <= high and value.isprintable(),
    )


def path(what: str) -> Rule[Path]:
    """Return the rule of a path. A relative path in a file is relative to the file."""

    def read(value: object, base: Path) -> Path:
        if isinstance(value, Path):
            value = str(value)
        if type(value) is not str or not value or "\0" in value:
            raise InvalidValue
        try:
            return base / Path(value).expanduser()
        except RuntimeError:
            raise InvalidValue("; there is no user with that home") from None

    return Rule(f"the path of {what}", read)


def texts(what: str, fits: Callable[[str], object]) -> Rule[tuple[str, ...]]:
    """Return the rule of a list of texts."""

    def read(value: object, base: Path) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)):
            raise InvalidValue
        for position, item in enumerate(value, start=1):
            if not _is_fit(item, fits):
                raise InvalidValue(item=(position, item))
        return tuple(value)

    return Rule(f"a list of {what}", read)
