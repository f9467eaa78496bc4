"""Dumps, loads and copies worlds, which are dataclasses, by their type hints.

The table of types and of what they are in the dumped data is in rulesets/README.md, "How a world is stored".

If the values of a dictionary are stored as such lists of fields, these follow the key: ``[key, field, field]``.  A
field with ``init=False`` is not stored: ``__post_init__`` computes it, or it has its default.  A class must not contain
itself, so that data are never nested deeper than their type.

The functions for a type are made once.  Those for the fields of a class are generated as source text and compiled,
because worlds are copied, dumped and loaded at the end of each turn.
"""

from __future__ import annotations

import enum
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from tprules.printable import LONGEST_WORD, printable, quoted

T = TypeVar("T")

MOST_ITEMS = 1_000_000
"""Maximum entries of one stored list, set or dictionary."""


class WorldError(ValueError):
    """The data are not a world.  ``path`` says where (``seats[2].hand.red``), ``text`` what is there and what is
    allowed."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f"{path}: {text}" if path else text)
        self.path = path
        self.text = text

    def within(self, step: str) -> WorldError:
        """Return the same error with ``step``, such as ``[2]`` or ``red``, put before its path."""
        joint = "." if self.path and not self.path.startswith("[") else ""
        return WorldError(f"{step}{joint}{self.path}", self.text)


def dump_world(world: Any) -> Any:
    """Return JSON-able data for an instance of a dataclass.  It shares no list or dictionary with the world.

    Raises TypeError if a type hint of the dataclass cannot be stored.
    """
    return (_codec_of(type(world), None).dump or _as_it_is)(world)


def load_world(kind: type[T], data: Any, version: int | None = None) -> T:
    """Return the instance of the dataclass ``kind`` that ``dump_world`` turned into ``data``, or raise WorldError.

    ``version`` is the version of the ruleset that dumped the data, None the present one.  Fields that were added later
    (``stored``) get their default.
    """
    loaded: T = _codec_of(kind, version).load(data)
    return loaded


def copy_world(world: T) -> T:
    """Return an independent copy of an instance of a dataclass.  Immutable parts are shared."""
    copied: T = (_codec_of(type(world), None).copy or _as_it_is)(world)
    return copied


def stored_as_row(kind: type[T]) -> type[T]:
    """Class decorator: store the fields of a dataclass as a list, without their names.

    For small classes with many instances.  The order of the fields must then stay as it is.
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


class _Codec(NamedTuple):
    """How values of one type are loaded, dumped and copied."""

    load: Callable[[Any], Any]
    """Raises WorldError."""
    dump: Callable[[Any], Any] | None = None
    """None: values are stored unchanged."""
    copy: Callable[[Any], Any] | None = None
    """None: values are immutable, and copies share them."""
    plain: type[Any] | None = None
    """The Python type of the values, if that is all there is to check."""
    is_sorted: bool = False
    """Whether stored values can be sorted, so that they can be keys."""
    is_row: bool = False
    """Whether each value is stored as a list of fields."""
    written_dump: str = ""
    """``dump`` as source text of an expression about ``{x}``, if that is faster than a call; else empty."""
    written_copy: str = ""
    """The same for ``copy``."""


def _as_it_is(value: Any) -> Any:
    return value


_MADE: dict[tuple[type[Any], int | None], _Codec] = {}


def _codec_of(kind: type[Any], version: int | None) -> _Codec:
    """Return the codec of a dataclass for data of this version of its ruleset.  It is made once.  Raises TypeError."""
    made = _MADE.get((kind, version))
    if made is None:
        if not is_dataclass(kind):
            raise TypeError(f"{kind.__name__} is no dataclass")
        made = _MADE[kind, version] = _Reading(version).of_class(kind)
    return made


# Errors in data.


def _shown(value: Any) -> str:
    """Return a short text for a value in the data."""
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > 64:
        return f"a number of {value.bit_length()} bits"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return printable(type(value).__name__, LONGEST_WORD)


def _wrong(value: Any, allowed: str) -> WorldError:
    return WorldError("", f"{_shown(value)} is not {allowed}")


def _no_collection(data: Any, kind: type[Any]) -> WorldError:
    """Return the error for data that should be a list or an object of at most MOST_ITEMS entries."""
    if type(data) is not kind:
        return _wrong(data, "a list" if kind is list else "an object")
    return WorldError("", f"{len(data)} entries; at most {MOST_ITEMS} are allowed")


def _wrong_row(data: Any, names: Sequence[str]) -> WorldError:
    """Return the error for data that should be a list with one item for each of these names."""
    allowed = f"a list of {len(names)}: {', '.join(names)}"
    return WorldError("", f"{f'a list of {len(data)}' if type(data) is list else _shown(data)} is not {allowed}")


def _wrong_table(data: Any, names: Sequence[str]) -> WorldError:
    """Return the error for data that should be an object with exactly these names."""
    if type(data) is not dict:
        return _wrong(data, "an object")
    missing = [name for name in names if name not in data]
    name = missing[0] if missing else next(name for name in data if name not in names)
    return WorldError("", f"{_shown(name)} is {'missing' if missing else 'unknown'}; allowed are {', '.join(names)}")


def _step(key: Any, place: int) -> str:
    """Return the step of a path for the value of a key, or for this position if the key cannot be named."""
    if type(key) is str:
        return key if key.isidentifier() and len(key) <= LONGEST_WORD else f"[{quoted(key)}]"
    return f"[{key}]" if type(key) is int and key.bit_length() <= 64 else f"[{place}]"


# Single values.

_PLAIN: Mapping[Any, str] = {int: "a whole number", bool: "true or false", str: "text"}


def _plain(kind: type[Any]) -> _Codec:
    def load(data: Any) -> Any:
        if type(data) is not kind:
            raise _wrong(data, _PLAIN[kind])
        return data

    return _Codec(load, plain=kind, is_sorted=True)


def _word(members: Mapping[Any, Any]) -> _Codec:
    """Return the codec of a Literal or enumeration; ``members`` maps the word that is stored to the value."""
    known = {(type(word), word): value for word, value in members.items()}
    words = {value: word for word, value in members.items()}

    def load(data: Any) -> Any:
        if type(data) not in (int, str) or (type(data), data) not in known:
            raise _wrong(data, f"one of {', '.join(map(_shown, members))}")
        return known[type(data), data]

    return _Codec(load, words.__getitem__, is_sorted=len(set(map(type, members))) == 1)


def _optional(inner: _Codec) -> _Codec:
    def unless_none(of: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
        return of and (lambda value: None if value is None else of(value))

    load = inner.load
    dump, copy = unless_none(inner.dump), unless_none(inner.copy)
    return _Codec(lambda data: None if data is None else load(data), dump, copy)


# Several values.


def _items(kind: type[Any], inner: _Codec) -> _Codec:
    """Return the codec of a list, tuple, set or frozenset of any length."""
    load_each, dump_each, copy_each, plain = inner.load, inner.dump, inner.copy, inner.plain

    def load(data: Any) -> Any:
        if type(data) is not list or len(data) > MOST_ITEMS:
            raise _no_collection(data, list)
        for item in data:
            if type(item) is not plain:
                break
        else:
            return kind(data)
        loaded: list[Any] = []
        try:
            for item in data:
                loaded.append(load_each(item))
        except WorldError as error:
            raise error.within(f"[{len(loaded)}]") from error.__cause__
        return kind(loaded)

    def load_set(data: Any) -> Any:
        loaded = load(data)
        if len(loaded) != len(data):
            raise WorldError("", "an entry is there twice")
        return loaded

    def dump(value: Any) -> list[Any]:
        return [dump_each(item) for item in value] if dump_each else [*value]

    def copy(value: Any) -> Any:
        return kind([copy_each(item) for item in value]) if copy_each else value.copy()

    used = None if copy_each is None and kind in (tuple, frozenset) else copy
    copied = "" if copy_each else "{x}.copy()"
    if kind in (set, frozenset):
        dumped = "" if dump_each else "sorted({x})"
        return _Codec(load_set, lambda value: sorted(dump(value)), used, written_dump=dumped, written_copy=copied)
    dumped, is_sorted = "" if dump_each else "[*{x}]", kind is tuple and inner.is_sorted
    return _Codec(load, dump, used, None, is_sorted, False, dumped, copied)


def _places(inner: Sequence[_Codec]) -> _Codec:
    """Return the codec of a tuple with a type for each position."""
    loads = [one.load for one in inner]
    dumps, copies = [one.dump or _as_it_is for one in inner], [one.copy or _as_it_is for one in inner]

    def load(data: Any) -> Any:
        if type(data) is not list or len(data) != len(loads):
            raise _wrong_row(data, [str(place) for place in range(len(loads))])
        loaded: list[Any] = []
        try:
            for each, item in zip(loads, data, strict=True):
                loaded.append(each(item))
        except WorldError as error:
            raise error.within(f"[{len(loaded)}]") from error.__cause__
        return tuple(loaded)

    def dump(value: Any) -> list[Any]:
        return [each(item) for each, item in zip(dumps, value, strict=True)]

    def copy(value: Any) -> Any:
        return tuple([each(item) for each, item in zip(copies, value, strict=True)])

    return _Codec(
        load,
        dump if any(one.dump for one in inner) else list,
        copy if any(one.copy for one in inner) else None,
        is_sorted=all(one.is_sorted for one in inner),
    )


def _pairs(kind: type[Any], key: _Codec, inner: _Codec) -> _Codec:
    """Return the codec of a dictionary stored as a list of keys with their values, by rising key unless ``kind`` is
    OrderedDict."""
    load_key, load_value, is_row = key.load, inner.load, inner.is_row
    dump_key, dump_value = key.dump or _as_it_is, inner.dump or _as_it_is
    is_plain = key.plain is int and inner.plain is not None
    plain = inner.plain

    def load(data: Any) -> Any:
        if type(data) is not list or len(data) > MOST_ITEMS:
            raise _no_collection(data, list)
        loaded = plain_pairs(data) if is_plain else None
        if loaded is None:
            loaded, at = kind(), None
            try:
                for row in data:
                    at = None
                    if type(row) is not list or (not row if is_row else len(row) != 2):
                        raise _wrong_row(row, ("key", "value"))
                    at, *rest = row
                    loaded[load_key(at)] = load_value(rest if is_row else rest[0])
            except WorldError as error:
                raise error.within(_step(at, len(loaded))) from error.__cause__
        if len(loaded) != len(data):
            raise WorldError("", "a key is there twice")
        return loaded

    def plain_pairs(data: list[Any]) -> Any:
        """Return the dictionary from whole numbers to plain values, or None if a value is wrong."""
        loaded = kind()
        try:
            for number, value in data:
                if type(number) is not int or type(value) is not plain:
                    return None
                loaded[number] = value
        except (TypeError, ValueError):
            return None
        return loaded

    def dump(value: Any) -> list[Any]:
        keys = value if kind is OrderedDict else sorted(value, key=key.dump)
        if is_row:
            return [[dump_key(each), *dump_value(value[each])] for each in keys]
        return [[dump_key(each), dump_value(value[each])] for each in keys]

    written = f"[[k, {{x}}[k]] for k in {'{x}' if kind is OrderedDict else 'sorted({x})'}]"
    return _Codec(
        load,
        dump,
        _copied_values(inner),
        written_dump="" if key.dump or inner.dump else written,
        written_copy="" if inner.copy else "{x}.copy()",
    )


def _object(inner: _Codec) -> _Codec:
    """Return the codec of a dictionary with keys of text, stored as a JSON object."""
    load_value, dump_value = inner.load, inner.dump or _as_it_is

    def load(data: Any) -> Any:
        if type(data) is not dict or len(data) > MOST_ITEMS:
            raise _no_collection(data, dict)
        for at in data:
            if type(at) is not str:
                raise _wrong(at, "text")
        loaded: dict[str, Any] = {}
        try:
            for at in sorted(data):
                loaded[at] = load_value(data[at])
        except WorldError as error:
            raise error.within(_step(at, len(loaded))) from error.__cause__
        return loaded

    def dump(value: dict[str, Any]) -> dict[str, Any]:
        return {each: dump_value(value[each]) for each in sorted(value)}

    return _Codec(load, dump, _copied_values(inner), written_copy="" if inner.copy else "{x}.copy()")


def _keyed(attribute: str, inner: _Codec) -> _Codec:
    """Return the codec of a dictionary stored as a list of its values, whose ``attribute`` is the key."""
    of_list = _items(list, inner)

    def load(data: Any) -> Any:
        loaded = {getattr(value, attribute): value for value in of_list.load(data)}
        if len(loaded) != len(data):
            raise WorldError("", f"two have the same {attribute}")
        return loaded

    def dump(value: dict[Any, Any]) -> Any:
        return (of_list.dump or list)([value[each] for each in sorted(value)])

    return _Codec(load, dump, _copied_values(inner), written_copy="" if inner.copy else "{x}.copy()")


def _copied_values(inner: _Codec) -> Callable[[Any], Any]:
    def copy(value: Any) -> Any:
        copied = value.copy()
        if copy_each is not None:
            for key, item in value.items():
                copied[key] = copy_each(item)
        return copied

    copy_each = inner.copy
    return copy


def _one_of(codecs: Mapping[type[Any], _Codec]) -> _Codec:
    """Return the codec of a union of classes, each stored as a list: the name of the class, and its fields."""
    loads = {kind.__name__: codec.load for kind, codec in codecs.items()}
    copies = {kind: codec.copy or _as_it_is for kind, codec in codecs.items()}
    dumps = {kind: (kind.__name__, codec.dump or _as_it_is) for kind, codec in codecs.items()}

    def load(data: Any) -> Any:
        if type(data) is not list or not data:
            raise _wrong_row(data, ("class", "..."))
        name, *rest = data
        if type(name) is not str or name not in loads:
            raise _wrong(name, f"one of {', '.join(loads)}")
        return loads[name](rest)

    def dump(value: Any) -> list[Any]:
        name, each = dumps[type(value)]
        return [name, *each(value)]

    has_copy = any(codec.copy for codec in codecs.values())
    return _Codec(load, dump, (lambda value: copies[type(value)](value)) if has_copy else None, is_row=True)


# Classes.


class _Field(NamedTuple):
    """A stored field of a class."""

    attribute: str
    name: str
    codec: _Codec
    by_keyword: bool


def _class(kind: type[Any], stored_fields: Sequence[_Field], is_row: bool, is_constant: bool) -> _Codec:
    """Generate and compile the functions for a class, and return its codec."""
    names = [field.name for field in stored_fields]
    known: dict[str, Any] = {"kind": kind, "names": names, "keys": frozenset(names)}
    known |= {each.__name__: each for each in (WorldError, _wrong, _wrong_row, _wrong_table)}
    for place, field in enumerate(stored_fields):
        known |= {f"load{place}": field.codec.load, f"dump{place}": field.codec.dump, f"copy{place}": field.codec.copy}

    def made(values: Iterator[str]) -> str:
        given = zip(stored_fields, values, strict=True)
        return f"kind({', '.join(f'{field.attribute}={x}' if field.by_keyword else x for field, x in given)})"

    def each(what: str) -> Iterator[str]:
        for place, field in enumerate(stored_fields):
            x = f"x.{field.attribute}"
            written = field.codec.written_dump if what == "dump" else field.codec.written_copy
            yield (written.format(x=x) or f"{what}{place}({x})") if known[f"{what}{place}"] else x

    dumped = ", ".join(each("dump") if is_row else (f"{n!r}: {x}" for n, x in zip(names, each("dump"), strict=True)))
    lines = [
        f"def dump(x): return {f'[{dumped}]' if is_row else f'{{{dumped}}}'}",
        f"def copy(x): return {made(each('copy'))}",
        "def load(x):",
    ]
    lines += _fields_read(names, is_row)
    lines += _fields_loaded(stored_fields)
    result = made(f"x{place}" for place in range(len(names)))
    if hasattr(kind, "__post_init__"):
        lines += ["  try:", f"    return {result}", "  except ValueError as error:"]
        lines += ["    raise WorldError('', str(error)) from error"]
    else:
        lines += [f"  return {result}"]
    exec("\n".join(lines), known)
    is_sorted = is_row and is_constant and all(field.codec.is_sorted for field in stored_fields)
    return _Codec(known["load"], known["dump"], None if is_constant else known["copy"], None, is_sorted, is_row)


def _fields_read(names: Sequence[str], is_row: bool) -> Iterator[str]:
    """Yield the source lines that read the stored fields of ``x`` into ``x0``, ``x1`` and so on."""
    if is_row:
        yield f"  if type(x) is not list or len(x) != {len(names)}: raise _wrong_row(x, names)"
        if names:
            yield f"  {''.join(f'x{place}, ' for place in range(len(names)))} = x"
        return
    yield "  if type(x) is not dict or x.keys() != keys: raise _wrong_table(x, names)"
    for place, name in enumerate(names):
        yield f"  x{place} = x[{name!r}]"


def _fields_loaded(stored_fields: Sequence[_Field]) -> Iterator[str]:
    """Yield the source lines that load the values of ``x0``, ``x1`` and so on, in place."""
    yield "  at = ''"
    yield "  try:"
    for place, field in enumerate(stored_fields):
        plain = field.codec.plain
        if plain is None:
            yield f"    at = {field.name!r}; x{place} = load{place}(x{place})"
        else:
            yield f"    if type(x{place}) is not {plain.__name__}:"
            yield f"      at = {field.name!r}; raise _wrong(x{place}, {_PLAIN[plain]!r})"
    yield "    pass"
    yield "  except WorldError as error:"
    yield "    raise error.within(at) from error.__cause__"


# From type hints to codecs.

_STORABLE = "int, bool, str, Literal, enumerations, None, list, tuple, set, dict, dataclasses and NamedTuples of these"


@dataclass(frozen=True)
class _Reading:
    """Makes codecs from type hints; it knows where in the tree of types it is."""

    version: int | None
    around: tuple[type[Any], ...] = ()
    """The classes that contain this type, the outermost first."""
    at: str = ""
    """Class and field, for errors."""

    def fault(self, what: str) -> TypeError:
        return TypeError(f"{self.at}: {what}" if self.at else what)

    def codec(self, hint: Any, key: str = "") -> _Codec:
        """Return the codec of a type hint, or raise TypeError for what cannot be stored."""
        hint = getattr(hint, "__supertype__", hint)  # a NewType
        origin, args = get_origin(hint), get_args(hint)
        if key and origin is not dict:
            raise self.fault("only the keys of a dict are attributes of its values")
        if hint in _PLAIN:
            return _plain(hint)
        if origin in (Union, UnionType):
            return self._union(args)
        if origin in (list, tuple, set, frozenset):
            return self._collection(origin, args)
        if origin in (dict, OrderedDict):
            return self._dictionary(origin, args[0], args[1], key)
        if isinstance(hint, type) and (is_dataclass(hint) or issubclass(hint, tuple)):
            return self.of_class(hint)
        words = list(args) if origin is Literal else []
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            words = [member.value for member in hint]
        if words and all(type(word) in (int, str) for word in words):
            return _word({word: word if origin is Literal else hint(word) for word in words})
        raise self.unknown(hint)

    def unknown(self, hint: Any) -> TypeError:
        name = hint.__name__ if isinstance(hint, type) and not get_args(hint) else hint
        return self.fault(f"{name} cannot be stored; possible are {_STORABLE}")

    def _collection(self, kind: type[Any], args: tuple[Any, ...]) -> _Codec:
        if kind is tuple and args[-1:] != (...,):
            return _places([self.codec(arg) for arg in args])
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
        return _object(values) if keys.plain is str and kind is dict else _pairs(kind, keys, values)

    def _union(self, args: Sequence[Any]) -> _Codec:
        some = [arg for arg in args if arg is not NoneType]
        if len(some) == 1:
            inner = self.codec(some[0])
        else:
            for arg in some:
                if not is_dataclass(arg):
                    raise self.fault(f"{arg} is one of several types; possible are only dataclasses, or one and None")
            inner = _one_of({arg: self.of_class(arg, is_row=True) for arg in some})
        return inner if len(some) == len(args) else _optional(inner)

    def of_class(self, kind: type[Any], is_row: bool = False) -> _Codec:
        """Return the codec of a dataclass or NamedTuple."""
        if kind in self.around:
            raise self.fault(f"{kind.__name__} contains itself; store the number of the other one")
        try:
            hints = get_type_hints(kind)
        except NameError as error:
            raise self.fault(f"a type that {kind.__name__} names is not in its module: {error}") from None
        described: list[tuple[str, _Stored, bool]] = []
        by_keyword = False
        if not is_dataclass(kind):
            if not hasattr(kind, "_fields"):
                raise self.unknown(kind)
            described += [(name, _Stored(), False) for name in kind._fields]
            is_row = is_constant = True
        else:
            is_constant = kind.__dataclass_params__.frozen  # type: ignore[attr-defined]  # dataclasses have it
            is_row = is_row or kind in _ROWS
            for field in fields(kind):
                said = field.metadata.get("stored", _Stored())
                if said.since and field.default is MISSING and field.default_factory is MISSING:
                    raise TypeError(f"{kind.__name__}.{field.name}: a field that was added later needs a default")
                if self.version is not None and said.since > self.version:
                    by_keyword = True  # fields after one that is left out are passed by keyword
                elif field.init:
                    described.append((field.name, said, field.kw_only is True or by_keyword))
        found = []
        for name, said, named in described:
            codec = _Reading(self.version, (*self.around, kind), f"{kind.__name__}.{name}").codec(hints[name], said.key)
            found.append(_Field(name, said.name or name, codec, named))
        if len({field.name for field in found}) != len(found):
            raise TypeError(f"{kind.__name__}: two fields are stored under one name")
        is_constant = is_constant and all(field.codec.copy is None for field in found)
        return _class(kind, found, is_row, is_constant)
