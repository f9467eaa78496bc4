"""Dump, load and copy worlds, which are dataclasses, by their type hints.

`rulesets/docs/storage.md` has the types and their form in dumped data.

If the values of a dictionary are stored as such lists of fields, the fields follow the key: ``[key, field, field]``. A
field with ``init=False`` is not stored: ``__post_init__`` computes it, or it has its default. A class must not contain
itself, so that data are never nested deeper than their type.

Worlds are copied, dumped and loaded at the end of each turn. For speed, three functions per class of worlds are
generated as source text and compiled once. One expression dumps the whole tree, one copies it, and loops load it.
"""

from __future__ import annotations

import enum
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from itertools import count
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from tprules.printable import LONGEST_WORD, printable, quoted

T = TypeVar("T")

MOST_ITEMS = 1_000_000
"""Maximum entries of one stored list, set or dictionary."""


class WorldError(ValueError):
    """The data are not a world.

    ``path`` is the position (``seats[2].hand.red``). ``text`` has the value there and the allowed ones.
    """

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f"{path}: {text}" if path else text)
        self.path = path
        self.text = text


def dump_world(world: Any) -> Any:
    """Return JSON-able data for an instance of a dataclass. It shares no list or dictionary with the world.

    Raises TypeError if a type hint of the dataclass cannot be stored.
    """
    return _functions_of(type(world), None).dump(world)


def load_world(kind: type[T], data: Any, version: int | None = None) -> T:
    """Return the instance of the dataclass ``kind`` for ``data`` from ``dump_world``, or raise WorldError.

    ``version`` is the version of the ruleset that dumped the data, None the present one. Fields that were added later
    (``stored``) get their default.
    """
    loaded: T = _functions_of(kind, version).load(data)
    return loaded


def copy_world(world: T) -> T:
    """Return an independent copy of an instance of a dataclass. Immutable parts are shared."""
    copied: T = _functions_of(type(world), None).copy(world)
    return copied


def stored_as_row(kind: type[T]) -> type[T]:
    """Store the fields of a dataclass as a list, without their names. This is a class decorator.

    It is for small classes with many instances. The order of the fields must then stay as it is.
    """
    _ROWS.add(kind)
    return kind


class _Stored(NamedTuple):
    """The arguments of ``stored`` for a field."""

    key: str = ""
    name: str = ""
    since: int = 0


def stored(*, key: str = "", name: str = "", since: int = 0) -> Mapping[str, Any]:
    """Return metadata for a field of a dataclass: ``field(metadata=stored(since=2))``.

    ``key``: for a dictionary whose keys are this attribute of its values: only the values are stored.
    ``name``: the name under which the field is stored, if it differs from that in Python.
    ``since``: the version of the ruleset that added the field, which needs a default, because older data lack it.
    """
    return {"stored": _Stored(key, name, since)}


_ROWS: set[type[Any]] = set()


class _Functions(NamedTuple):
    """Functions that load, dump and copy the worlds of one class."""

    load: Callable[[Any], Any]
    dump: Callable[[Any], Any]
    copy: Callable[[Any], Any]


_MADE: dict[tuple[type[Any], int | None], _Functions] = {}


def _functions_of(kind: type[Any], version: int | None) -> _Functions:
    """Return the functions of a dataclass, for data of this version of its ruleset. Raises TypeError."""
    made = _MADE.get((kind, version))
    if made is None:
        if not is_dataclass(kind):
            raise TypeError(f"{kind.__name__} is no dataclass")
        reading = _Reading(version)
        codec = reading.of_class(kind)
        lines = [
            f"def make({', '.join(reading.constants)}):",
            " def load(x):",
            *_indented(_indented([*codec.load("x", ""), "return x"])),
            f" return load, lambda x: {codec.dump('x')}, lambda x: {codec.copy('x')}",
        ]
        found: dict[str, Any] = {}
        exec("\n".join(lines), globals(), found)
        made = _MADE[kind, version] = _Functions(*found["make"](**reading.constants))
    return made


# Source text.

Expression = Callable[[str], str]
"""Takes a short expression such as ``x.seats``, and returns one about its value."""

Statements = Callable[[str, str], list[str]]
"""Returns lines that check the data in a variable and replace them by the value.

The first argument is the name of the variable. The second argument is the path of the data for a WorldError, as the
inside of an f-string: ``seats[{len(x3)}].red``. Python allows 20 nested loops, and so many nested collections.
"""

_NUMBERS = count()


def _variable() -> str:
    """Return a new name."""
    return f"x{next(_NUMBERS)}"


def _indented(lines: Iterable[str]) -> list[str]:
    return [f" {line}" for line in lines]


def _unchanged(x: str) -> str:
    return x


class _Codec(NamedTuple):
    """The source text that loads, dumps and copies values of one type."""

    load: Statements
    dump: Expression = _unchanged
    copy: Expression = _unchanged
    """Copies a value. ``_unchanged`` means that values are immutable, and copies share them."""
    is_sorted: bool = False
    """True if stored values can be sorted, so that they can be keys."""
    is_row: bool = False
    """True if each value is stored as a list of fields."""


# Errors in data.


def _shown(value: Any) -> str:
    """Return a short text for a value in the data."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int) and value.bit_length() > 64:
        return f"a number of {value.bit_length()} bits"
    if value is None or isinstance(value, int | float):
        return json.dumps(value)
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return printable(type(value).__name__, LONGEST_WORD)


def _wrong(path: str, value: Any, allowed: str) -> WorldError:
    return WorldError(path, f"{_shown(value)} is not {allowed}")


def _of_length(value: tuple[Any, ...], length: int) -> tuple[Any, ...]:
    """Return a tuple that has a type for each position. Raises ValueError for another length."""
    if len(value) != length:
        raise ValueError(f"{value!r} is no tuple of {length}")
    return value


def _no_collection(path: str, data: Any, kind: type[Any]) -> WorldError:
    """Return the error for data that should be a list or an object of at most MOST_ITEMS entries."""
    if type(data) is not kind:
        return _wrong(path, data, "a list" if kind is list else "an object")
    return WorldError(path, f"{len(data)} entries; at most {MOST_ITEMS} are allowed")


def _wrong_row(path: str, data: Any, names: Sequence[str]) -> WorldError:
    """Return the error for data that should be a list with one item for each of these names."""
    shown = f"a list of {len(data)}" if type(data) is list else _shown(data)
    return WorldError(path, f"{shown} is not a list of {len(names)}: {', '.join(names)}")


def _wrong_table(path: str, data: Any, names: Sequence[str]) -> WorldError:
    """Return the error for data that should be an object with exactly these names."""
    if type(data) is not dict:
        return _wrong(path, data, "an object")
    missing = [name for name in names if name not in data]
    name = missing[0] if missing else next(name for name in data if name not in names)
    return WorldError(path, f"{_shown(name)} is {'missing' if missing else 'unknown'}; allowed are {', '.join(names)}")


def _step(key: Any, place: int) -> str:
    """Return the step of a path for the value of a key, or for this position if the key cannot be named."""
    if type(key) is str:
        return f".{key}" if key.isidentifier() and len(key) <= LONGEST_WORD else f"[{quoted(key)}]"
    return f"[{key}]" if type(key) is int and key.bit_length() <= 64 else f"[{place}]"


# Single values.


def _plain(name: str, allowed: str) -> _Codec:
    def load(x: str, path: str) -> list[str]:
        return [f"if type({x}) is not {name}: raise _wrong(f{path!r}, {x}, {allowed!r})"]

    return _Codec(load, is_sorted=True)


_PLAIN = {int: _plain("int", "a whole number"), bool: _plain("bool", "true or false"), str: _plain("str", "text")}


def _optional(inner: _Codec) -> _Codec:
    def unless_none(of: Expression) -> Expression:
        return of if of is _unchanged else lambda x: f"(None if {x} is None else {of(x)})"

    def load(x: str, path: str) -> list[str]:
        return [f"if {x} is not None:", *_indented(inner.load(x, path))]

    return _Codec(load, unless_none(inner.dump), unless_none(inner.copy))


# Several values.


def _check_collection(x: str, path: str, kind: str) -> str:
    return f"if type({x}) is not {kind} or len({x}) > MOST_ITEMS: raise _no_collection(f{path!r}, {x}, {kind})"


def _each(of: Expression, x: str) -> str:
    """Return the expression of a list with ``of`` applied to each item of ``x``."""
    item = _variable()
    return f"[*{x}]" if of is _unchanged else f"[{of(item)} for {item} in {x}]"


def _items(kind: type[Any], inner: _Codec) -> _Codec:
    """Return the codec of a list, tuple, set or frozenset of any length."""
    name, is_set = kind.__name__, kind in (set, frozenset)

    def load(x: str, path: str) -> list[str]:
        item, loaded = _variable(), _variable()
        each = [*inner.load(item, f"{path}[{{len({loaded})}}]"), f"{loaded}.append({item})"]
        lines = [_check_collection(x, path, "list"), f"{loaded} = []", f"for {item} in {x}:", *_indented(each)]
        twice = f"if len({x}) != len({loaded}): raise WorldError(f{path!r}, 'an entry is there twice')"
        return [*lines, f"{x} = {loaded if kind is list else f'{name}({loaded})'}", *([twice] if is_set else [])]

    def dump(x: str) -> str:
        return f"sorted({_each(inner.dump, x)})" if is_set else _each(inner.dump, x)

    def copy(x: str) -> str:
        if inner.copy is _unchanged:
            return f"{x}.copy()"
        return _each(inner.copy, x) if kind is list else f"{name}({_each(inner.copy, x)})"

    is_shared = kind in (tuple, frozenset) and inner.copy is _unchanged
    return _Codec(load, dump, _unchanged if is_shared else copy, is_sorted=kind is tuple and inner.is_sorted)


def _pairs(kind: type[Any], key: _Codec, inner: _Codec) -> _Codec:
    """Return the codec of a dictionary that is stored as a list of keys with their values.

    Keys are sorted, unless ``kind`` is OrderedDict.
    """
    star = "*" if inner.is_row else ""

    def load(x: str, path: str) -> list[str]:
        row, k, v, loaded = (_variable() for _ in range(4))
        at = f"{path}{{_step({row}[0], len({loaded}))}}"
        place = f"{path}[{{len({loaded})}}]"
        wrong = f"raise _wrong_row(f{place!r}, {row}, ('key', 'value')) from None"
        each = [
            f"if type({row}) is not list: {wrong}",
            f"try: {k}, {star}{v} = {row}",
            f"except ValueError: {wrong}",  # faster than a check of the length
            *inner.load(v, at),
            *key.load(k, at),
            f"{loaded}[{k}] = {v}",
        ]
        return [
            _check_collection(x, path, "list"),
            f"{loaded} = {kind.__name__}()",
            f"for {row} in {x}:",
            *_indented(each),
            f"if len({x}) != len({loaded}): raise WorldError(f{path!r}, 'a key is there twice')",
            f"{x} = {loaded}",
        ]

    def dump(x: str) -> str:
        k, v = _variable(), _variable()
        by_stored = "" if key.dump is _unchanged else f", key=lambda {k}: {key.dump(k)}"
        keys = x if kind is OrderedDict else f"sorted({x}{by_stored})"
        return f"[[{key.dump(k)}, {star}{inner.dump(v)}] for {k} in {keys} for {v} in [{x}[{k}]]]"

    return _Codec(load, dump, _values_copied(kind, inner))


def _object(inner: _Codec) -> _Codec:
    """Return the codec of a dictionary with keys of text, stored as a JSON object."""

    def load(x: str, path: str) -> list[str]:
        k, v, loaded = (_variable() for _ in range(3))
        each = inner.load(v, f"{path}{{_step({k}, 0)}}")
        return [
            _check_collection(x, path, "dict"),
            f"for {k} in {x}:",
            f" if type({k}) is not str: raise _wrong(f{path!r}, {k}, 'text')",
            f"{loaded} = {{}}",
            f"for {k} in sorted({x}):",
            *_indented([f"{v} = {x}[{k}]", *each, f"{loaded}[{k}] = {v}"]),
            f"{x} = {loaded}",
        ]

    def dump(x: str) -> str:
        k, v = _variable(), _variable()
        return f"{{{k}: {inner.dump(v)} for {k} in sorted({x}) for {v} in [{x}[{k}]]}}"

    return _Codec(load, dump, _values_copied(dict, inner))


def _keyed(attribute: str, inner: _Codec) -> _Codec:
    """Return the codec of a dictionary stored as a list of its values, whose ``attribute`` is the key."""
    values = _items(list, inner)

    def load(x: str, path: str) -> list[str]:
        loaded = _variable()
        return [
            *values.load(x, path),
            f"{loaded} = {{value.{attribute}: value for value in {x}}}",
            f"if len({x}) != len({loaded}): raise WorldError(f{path!r}, 'two have the same {attribute}')",
            f"{x} = {loaded}",
        ]

    def dump(x: str) -> str:
        return values.dump(f"[{x}[key] for key in sorted({x})]")

    return _Codec(load, dump, _values_copied(dict, inner))


def _values_copied(kind: type[Any], inner: _Codec) -> Expression:
    """Return the expression that copies a dictionary. Its keys are immutable."""

    def copy(x: str) -> str:
        k, v = _variable(), _variable()
        copied = f"{{{k}: {inner.copy(v)} for {k}, {v} in {x}.items()}}"
        return copied if kind is dict else f"OrderedDict({copied})"

    return (lambda x: f"{x}.copy()") if inner.copy is _unchanged else copy


# Classes, and tuples with a type for each position.


class _Field(NamedTuple):
    """A stored field of a class, or a position of a tuple."""

    name: str
    """The name under which the field is stored."""
    step: str
    """The step of the field in a path: ``.name`` or ``[0]``."""
    got: str
    """The Python code that reads the field from the object: ``.attribute`` or ``[0]``."""
    given: str
    """The code before the value in the call that creates the object: "" or ``attribute=``."""
    codec: _Codec


def _fields(made: str, found: Sequence[_Field], keys: str, is_constant: bool) -> _Codec:
    """Return the codec of objects with these fields. A call of ``made`` creates the objects.

    ``keys`` is the name of a constant with the set of stored names. It is empty if the fields are stored as a list.
    """
    names = [each.name for each in found]
    is_constant = is_constant and all(each.codec.copy is _unchanged for each in found)

    def made_of(values: Iterable[str]) -> str:
        return f"{made}({''.join(f'{each.given}{x}, ' for each, x in zip(found, values, strict=True))})"

    def load(x: str, path: str) -> list[str]:
        variables = [_variable() for _ in found]
        if keys:
            lines = [f"if type({x}) is not dict or {x}.keys() != {keys}: raise _wrong_table(f{path!r}, {x}, {names})"]
            lines += [f"{variable} = {x}[{name!r}]" for variable, name in zip(variables, names, strict=True)]
        else:
            wrong = f"raise _wrong_row(f{path!r}, {x}, {names})"
            lines = [f"if type({x}) is not list or len({x}) != {len(names)}: {wrong}"]
            lines += [f"[{', '.join(variables)}] = {x}"]
        for each, variable in zip(found, variables, strict=True):
            lines += each.codec.load(variable, f"{path}{each.step}".removeprefix("."))
        lines += ["try:", f" {x} = {made_of(variables)}", "except ValueError as error:"]
        return [*lines, f" raise WorldError(f{path!r}, str(error)) from error"]

    def dump(x: str) -> str:
        values = [each.codec.dump(f"{x}{each.got}") for each in found]
        pairs = (f"{name!r}: {value}" for name, value in zip(names, values, strict=True))
        return f"{{{', '.join(pairs)}}}" if keys else f"[{', '.join(values)}]"

    def copy(x: str) -> str:
        return made_of(each.codec.copy(f"{x}{each.got}") for each in found)

    is_sorted = not keys and is_constant and all(each.codec.is_sorted for each in found)
    return _Codec(load, dump, _unchanged if is_constant else copy, is_sorted, is_row=not keys)


# From type hints to codecs.

_STORABLE = "int, bool, str, Literal, enumerations, None, list, tuple, set, dict, dataclasses and NamedTuples of these"


@dataclass(frozen=True)
class _Reading:
    """Creates codecs from type hints, and tracks its place in the tree of types."""

    version: int | None
    around: tuple[type[Any], ...] = ()
    """The classes that contain this type, the outermost first."""
    at: str = ""
    """Class and field, for errors."""
    constants: dict[str, Any] = field(default_factory=dict)
    """Name -> value: constants of the generated source text, in addition to the names of this module."""

    def constant(self, value: Any) -> str:
        """Return a new name for a value in the generated source text."""
        name = _variable()
        self.constants[name] = value
        return name

    def fault(self, what: str) -> TypeError:
        return TypeError(f"{self.at}: {what}" if self.at else what)

    def codec(self, hint: Any, key: str = "") -> _Codec:
        """Return the codec of a type hint. Raises TypeError for a type that cannot be stored."""
        hint = getattr(hint, "__supertype__", hint)  # a NewType
        origin, args = get_origin(hint), get_args(hint)
        if key and origin is not dict:
            raise self.fault("only the keys of a dict are attributes of its values")
        if hint in _PLAIN:
            return _PLAIN[hint]
        if origin in (Union, UnionType):
            return self._union(args)
        if origin in (list, tuple, set, frozenset):
            return self._collection(origin, args)
        if origin in (dict, OrderedDict):
            return self._dictionary(origin, args[0], args[1], key)
        if isinstance(hint, type) and (is_dataclass(hint) or hasattr(hint, "_fields")):
            return self.of_class(hint)
        words = list(args) if origin is Literal else []
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            words = [member.value for member in hint]
        if words and all(type(word) in (int, str) for word in words):
            return self._word({word: word if origin is Literal else hint(word) for word in words})
        name = hint.__name__ if isinstance(hint, type) and not args else hint
        raise self.fault(f"{name} cannot be stored; possible are {_STORABLE}")

    def _word(self, members: Mapping[Any, Any]) -> _Codec:
        """Return the codec of a Literal or enumeration. ``members`` maps the stored word to the value."""
        known = self.constant({(type(word), word): value for word, value in members.items()})
        words = self.constant({value: word for word, value in members.items()})
        allowed = f"one of {', '.join(map(_shown, members))}"

        def load(x: str, path: str) -> list[str]:
            wrong = f"raise _wrong(f{path!r}, {x}, {allowed!r})"
            return [
                f"if type({x}) not in (int, str) or (type({x}), {x}) not in {known}: {wrong}",
                f"{x} = {known}[type({x}), {x}]",
            ]

        return _Codec(load, lambda x: f"{words}[{x}]", is_sorted=len(set(map(type, members))) == 1)

    def _collection(self, kind: type[Any], args: tuple[Any, ...]) -> _Codec:
        if kind is tuple and args[-1:] != (...,):
            steps = [f"[{place}]" for place in range(len(args))]
            found = [_Field(s[1:-1], s, s, "", self.codec(arg)) for s, arg in zip(steps, args, strict=True)]
            made = _fields("", found, "", is_constant=True)
            whole = f"_of_length({{}}, {len(args)})"
            copy = made.copy if made.copy is _unchanged else lambda x: made.copy(whole.format(x))
            return made._replace(dump=lambda x: made.dump(whole.format(x)), copy=copy, is_row=False)
        return _items(kind, self._key(args[0]) if kind in (set, frozenset) else self.codec(args[0]))

    def _key(self, hint: Any) -> _Codec:
        codec = self.codec(hint)
        if not codec.is_sorted:
            raise self.fault(f"{hint} has no order by which keys or the entries of a set could be stored")
        return codec

    def _dictionary(self, kind: type[Any], of: Any, hint: Any, key: str) -> _Codec:
        keys, values = self._key(of), self.codec(hint)
        if key:
            return _keyed(key, values)
        return _object(values) if keys is _PLAIN[str] and kind is dict else _pairs(kind, keys, values)

    def _union(self, args: Sequence[Any]) -> _Codec:
        some = [arg for arg in args if arg is not NoneType]
        if len(some) == 1:
            inner = self.codec(some[0])
        else:
            for arg in some:
                if not is_dataclass(arg):
                    raise self.fault(f"{arg} is one of several types; possible are only dataclasses, or one and None")
            inner = self._one_of({arg: self.of_class(arg, is_row=True) for arg in some})
        return inner if len(some) == len(args) else _optional(inner)

    def _one_of(self, codecs: Mapping[type[Any], _Codec]) -> _Codec:
        """Return the codec of a union of classes, each stored as a list: the name of the class, and its fields."""
        kinds = {self.constant(kind): (kind.__name__, codec) for kind, codec in codecs.items()}
        allowed = f"one of {', '.join(name for name, _ in kinds.values())}"

        def load(x: str, path: str) -> list[str]:
            word, row = _variable(), _variable()
            lines = [
                f"if type({x}) is not list or not {x}: raise _wrong_row(f{path!r}, {x}, ('class', '...'))",
                f"{word}, *{row} = {x}",
                f"match {word}:",
            ]
            for name, codec in kinds.values():
                lines += [f" case {name!r}:", *_indented(_indented(codec.load(row, path)))]
            return [*lines, f" case _: raise _wrong(f{path!r}, {word}, {allowed!r})", f"{x} = {row}"]

        def by_type(x: str, cases: Iterable[str]) -> str:
            tests = (f"{case} if type({x}) is {kind} else " for kind, case in zip(kinds, cases, strict=True))
            return f"({''.join(tests)}{{}}[type({x})])"  # KeyError for any other type

        def dump(x: str) -> str:
            return by_type(x, (f"[{name!r}, *{codec.dump(x)}]" for name, codec in kinds.values()))

        def copy(x: str) -> str:
            return by_type(x, (codec.copy(x) for codec in codecs.values()))

        is_shared = all(codec.copy is _unchanged for codec in codecs.values())
        return _Codec(load, dump, _unchanged if is_shared else copy, is_row=True)

    def of_class(self, kind: type[Any], is_row: bool = False) -> _Codec:
        """Return the codec of a dataclass or NamedTuple."""
        if kind in self.around:
            raise self.fault(f"{kind.__name__} contains itself; store the number of the other one")
        try:
            hints = get_type_hints(kind)
        except NameError as error:
            raise self.fault(f"a type that {kind.__name__} names is not in its module: {error}") from None
        found: list[_Field] = []

        def add(name: str, said: _Stored, by_keyword: bool) -> None:
            inside = replace(self, around=(*self.around, kind), at=f"{kind.__name__}.{name}")
            step = f".{said.name or name}".replace("{", "{{").replace("}", "}}")
            codec = inside.codec(hints[name], said.key)
            found.append(_Field(said.name or name, step, f".{name}", f"{name}=" if by_keyword else "", codec))

        if not is_dataclass(kind):
            is_row = is_constant = True
            for name in kind._fields:  # a NamedTuple's
                add(name, _Stored(), False)
        else:
            is_row = is_row or kind in _ROWS
            is_constant = kind.__dataclass_params__.frozen  # type: ignore[attr-defined]  # dataclasses have it
            by_keyword = False
            for each in fields(kind):
                said = each.metadata.get("stored", _Stored())
                if said.since and each.default is MISSING and each.default_factory is MISSING:
                    raise TypeError(f"{kind.__name__}.{each.name}: a field that was added later needs a default")
                if self.version is not None and said.since > self.version:
                    by_keyword = True  # fields after one that is left out are passed by keyword
                elif each.init:
                    add(each.name, said, each.kw_only is True or by_keyword)
        names = frozenset(each.name for each in found)
        if len(names) != len(found):
            raise TypeError(f"{kind.__name__}: two fields are stored under one name")
        return _fields(self.constant(kind), found, "" if is_row else self.constant(names), is_constant)
