"""Regular expressions of the four packages run in linear time."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import signal
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined] # what re.compile itself uses
from re import _parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import pytest

import tpclient
import tpproto
import tprules
import tpserver
from tests.support.node import node
from tests.support.process import run
from tpserver import config

PACKAGES = (tpserver, tpproto, tprules, tpclient)
SCANS = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
"""The methods that try a pattern at each place of a text."""

LENGTHS = (60, 20_000)
"""Characters of a near miss: an exponential pattern never ends with the first, a quadratic one takes seconds with the
second."""

CPU_SECONDS = 0.3
REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
FEW = 100
"""Repetitions up to which a repeat is bounded."""

CALLS = frozenset({*SCANS, "compile", "match", "fullmatch"})
GIVEN = {"tpserver.config": [form for form, _ in config.PROVIDER_KEYS.values()]}
"""By module with a function that takes a pattern as an argument: the patterns that are not written in calls."""

PAGE = Path(tpclient.__path__[0]) / "web"
IN_NODE = Path(__file__).with_name("patterns_in_node.mjs")

_SCANNING = re.compile(rf"(\w+)\.(?:{'|'.join(SCANS)})\(")
_JS_PATTERN = re.compile(
    r"(?:[(,=:\[!&|?{};]|=>|return)\s*/(?![/*])((?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([a-z]*)"
)


class TooSlow(Exception):
    """A pattern has used CPU_SECONDS."""


@dataclass(frozen=True)
class Pattern:
    """A pattern, where it stands, and whether it is tried at each place of a text."""

    where: str
    source: str | bytes
    flags: int
    scans: bool

    def __str__(self) -> str:
        return f"{self.where}: {self.source!r}"


def _module_names() -> Iterator[str]:
    for package in PACKAGES:
        yield package.__name__
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                yield module.name


def _held(value: object, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    """Yield the patterns in a value of a module: itself, or what containers and classes hold."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        for one in value.values():
            yield from _held(one, depth - 1)
    elif depth and isinstance(value, (list, tuple, set, frozenset)):
        for one in value:
            yield from _held(one, depth - 1)
    elif depth and isinstance(value, type):
        yield from _held(dict(vars(value)), depth - 1)


@cache
def patterns_of_python() -> tuple[Pattern, ...]:
    """Return all patterns that modules hold, and those written in calls of functions of ``re``."""
    found: dict[tuple[object, int], Pattern] = {}
    modules = {name: importlib.import_module(name) for name in _module_names()}
    texts = {name: Path(str(module.__file__)).read_text() for name, module in modules.items()}
    scanning = {name: set(_SCANNING.findall(text)) for name, text in texts.items()}
    everywhere = set().union(*scanning.values())

    def add(where: str, source: str | bytes, flags: int, scans: bool) -> None:
        before = found.get((source, flags))
        found[source, flags] = Pattern(where, source, flags, scans or (before is not None and before.scans))

    for name, module in modules.items():
        for called, value in vars(module).items():
            if not called.startswith("__") and not (isinstance(value, type) and value.__module__ != name):
                scans = called in (scanning[name] if called.startswith("_") else everywhere)
                for pattern in _held(value):
                    add(name, pattern.pattern, pattern.flags & ~re.UNICODE, scans)
        for where, first, method, flags in _calls(ast.parse(texts[name])):
            for source in _sources(first, module):
                add(f"{name} line {where}", source, flags, method in SCANS)
    return tuple(found.values())


def _calls(tree: ast.AST) -> Iterator[tuple[int, ast.expr, str, int]]:
    """Yield line, pattern, function and flags of each call of a function of ``re``, by whatever name it is imported."""
    modules, functions = set(), {}
    for found in ast.walk(tree):
        if isinstance(found, ast.Import):
            modules |= {one.asname or one.name for one in found.names if one.name == "re"}
        elif isinstance(found, ast.ImportFrom) and found.module == "re":
            functions |= {one.asname or one.name: one.name for one in found.names}
    for found in ast.walk(tree):
        match found:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if name in modules:
                pass
            case ast.Call(func=ast.Name(id=name)) if name in functions:
                method = functions[name]
            case _:
                continue
        named = [word.value for word in found.keywords if word.arg == "pattern"]
        if method in CALLS:
            yield found.lineno, (found.args or named)[0], method, _flags(found)


def _sources(node: ast.expr, module: ModuleType) -> Iterator[str | bytes]:
    """Yield the patterns that an expression may be. An argument of a function has those of the module's calls."""
    source = _text(node, vars(module))
    if source is not None:
        yield source
        return
    assert module.__name__ in GIVEN, f"{module.__name__} line {node.lineno}: what pattern is {ast.unparse(node)}?"
    assert isinstance(node, ast.Name)
    yield from GIVEN[module.__name__]
    tree = ast.parse(Path(str(module.__file__)).read_text())
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        taken = [one.arg for one in function.args.args]
        if node.id not in taken:
            continue
        at = taken.index(node.id)
        values = [*function.args.defaults[at - len(taken) :][:1]]
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == function.name:
                values += [*call.args[at : at + 1], *(word.value for word in call.keywords if word.arg == node.id)]
        for value in values:
            yield from filter(None, [_text(value, vars(module))])


def _flags(call: ast.Call) -> int:
    named = [one.attr for one in ast.walk(call) if isinstance(one, ast.Attribute)]
    return sum(re.RegexFlag[name] for name in named if name in re.RegexFlag.__members__)


def _text(node: ast.expr, known: dict[str, Any]) -> str | bytes | None:
    """Return a literal, a sum of some, or a text that a module has; None: it is another expression.

    Values in a formatted literal that the module does not have count as a word.
    """
    match node:
        case ast.Constant(value=str() | bytes() as value):
            return value
        case ast.Name(id=name) if isinstance(known.get(name), (str, bytes)):
            value = known[name]
            assert isinstance(value, (str, bytes))
            return value
        case ast.Call(func=ast.Attribute(attr="escape"), args=[what]):
            value = _text(what, known)
            return "word" if value is None else re.escape(value)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            parts: list[Any] = [_text(left, known), _text(right, known)]
            return None if None in parts else parts[0] + parts[1]
        case ast.JoinedStr(values=values):
            texts = [_text(one.value if isinstance(one, ast.FormattedValue) else one, known) for one in values]
            return "".join(text if isinstance(text, str) else "word" for text in texts)
    return None


def patterns_of_pages() -> Iterator[tuple[str, str, str]]:
    """Yield script, source and flags of the patterns that the page's scripts write as literals or make of text."""
    making = []
    for script in sorted(PAGE.glob("**/*.js")):
        text = re.sub(r"^\s*(//|/?\*).*$", "", script.read_text(), flags=re.MULTILINE)
        for source, flags in _JS_PATTERN.findall(text):
            yield script.name, source, flags
        if "RegExp(" in text:
            making.append(str(script))
    for script, source, flags in _in_node({"making": making}):
        yield Path(script).name, source, flags


def _in_node(asked: dict[str, Any]) -> Any:
    ran = run(*node(), IN_NODE, stdin=json.dumps(asked))
    assert not ran.code, ran.err
    return json.loads(ran.out)


def _as_python(script: str, source: str, flags: str) -> Pattern:
    said = (
        re.sub(r"\\p\{(\w+)\}", r"\\w", source).replace("(?<", "(?P<").replace("(?P<=", "(?<=").replace("(?P<!", "(?<!")
    )
    return Pattern(script, said, re.IGNORECASE if "i" in flags else 0, "y" not in flags)


def near_misses(pattern: Pattern) -> Iterator[tuple[str, str, int, str]]:
    """Yield the parts of long texts that begin like one that matches, and go on with what one of the repeats takes.

    They are the start, the unit that is repeated, how often, and the end.
    """
    tree = _parser.parse(pattern.source, pattern.flags)
    letters = {*_letters(tree), "a", "0", " "}
    found = {*_repeats(tree, "", 0), *_repeats(tree, "", -1)}
    for length, (start, body, rest) in product(LENGTHS, sorted(found)):
        for unit in sorted({*letters, body, start + body, body + rest, rest}):
            for end in ("\0", "\n!"):
                yield start, unit, length // max(1, len(unit)), end


def _repeats(items: Sequence[Any], start: str, choice: int) -> Iterator[tuple[str, str, str]]:
    """Yield, for each repeat without a bound, a text that leads to it, one that it takes, and one that follows it.

    ``choice``: which of several branches is taken.
    """
    for number, (code, value) in enumerate(items):
        if code in REPEATS:
            _, most, body = value
            if most > FEW:
                yield start, _sample(body, choice), _sample(items[number + 1 :], choice)
            yield from _repeats(body, start, choice)
        else:
            for part in _parts(code, value):
                yield from _repeats(part, start, choice)
        start += _sample([(code, value)], choice)


def _parts(code: Any, value: Any) -> list[Any]:
    if code is codes.SUBPATTERN:
        return [value[-1]]
    if code is codes.BRANCH:
        return list(value[1])
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [value[1]]
    return [value] if code is codes.ATOMIC_GROUP else []


def _letters(items: Iterable[Any]) -> Iterator[str]:
    """Yield the characters that a pattern names, and one of each kind of them."""
    for code, value in items:
        if code in REPEATS:
            yield from _letters(value[2])
        elif code is codes.IN:
            yield from _letters(value)
        else:
            yield _sample([(code, value)])[:1]
            for part in _parts(code, value):
                yield from _letters(part)


_OF_KIND = {
    codes.CATEGORY_DIGIT: "0",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_NOT_WORD: "-",
}


def _sample(items: Iterable[Any], choice: int = 0) -> str:
    """Return a text that a part of a pattern takes, most often."""
    text = ""
    for code, value in items:
        if code is codes.LITERAL:
            text += chr(value)
        elif code in (codes.NOT_LITERAL, codes.ANY):
            text += "a"
        elif code is codes.RANGE:
            text += chr(value[0])
        elif code is codes.CATEGORY:
            text += _OF_KIND[value]
        elif code is codes.IN:
            text += "a" if value[0][0] is codes.NEGATE else _sample([value[choice]])
        elif code in REPEATS:
            text += _sample(value[2], choice) * max(1, value[0])
        elif code is codes.ASSERT or code is codes.ASSERT_NOT:
            continue
        else:
            parts = _parts(code, value)
            text += _sample(parts[choice], choice) if parts else ""
    return text


def _is_slow(pattern: Pattern) -> bool:
    compiled = re.compile(pattern.source, pattern.flags)
    try:
        for start, unit, times, end in near_misses(pattern):
            text = start + unit * times + end
            given: Any = text if isinstance(pattern.source, str) else text.encode("latin-1", "replace")
            signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
            compiled.match(given)
            compiled.fullmatch(given)
            if pattern.scans:
                compiled.sub(given[:0], given)
    except TooSlow:
        return True
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return False


@pytest.fixture(autouse=True)
def stop_when_slow() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    yield
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.thorough
def test_no_pattern_takes_long_for_a_near_miss():
    """The processor time counts, not that of the clock: a busy machine changes nothing."""
    assert len(patterns_of_python()) > 60
    sources = {pattern.source for pattern in patterns_of_python()}
    assert {form for form, _ in config.PROVIDER_KEYS.values()} < sources
    assert r"[a-z][a-z0-9+.-]*://\S{1,500}" in sources
    assert [str(pattern) for pattern in patterns_of_python() if _is_slow(pattern)] == []


def test_patterns_are_found_wherever_they_are_written():
    """In functions and classes, by any name of ``re``, in sums and formatted literals, and as arguments."""
    written = """
import re as expressions
from re import compile as made, sub
class Notes:
    END = made(START + "b+")
    def clean(self, text):
        return sub(f"{START}{text}c+", "", text), expressions.search(pattern=r"d+", string=text)
"""
    module = ModuleType("notes")
    vars(module)["START"] = "a+"
    calls = list(_calls(ast.parse(written)))
    found = {(next(_sources(first, module)), method) for _, first, method, _ in calls}
    assert found == {("a+b+", "compile"), ("a+wordc+", "sub"), ("d+", "search")}


def _slow_in_node(found: Iterable[tuple[str, str, str]]) -> list[str]:
    """Return the patterns that take too long in the language of the page itself."""
    asked = [(source, flags, list(near_misses(_as_python(script, source, flags)))) for script, source, flags in found]
    slow: list[str] = _in_node({"patterns": asked, "milliseconds": CPU_SECONDS * 1000})
    return slow


@pytest.mark.thorough
def test_no_pattern_of_the_page_takes_long_for_a_near_miss():
    found = list(patterns_of_pages())
    assert len(found) > 80
    assert {"appearance.js", "pictures.js"} <= {script for script, source, _ in found if "(?:" in source}
    assert _slow_in_node(found) == []


@pytest.mark.parametrize("source", [r"(a+)+b", r"\s*\n\s*!", r"a*a*b"])
def test_a_slow_pattern_of_the_page_is_seen(source: str):
    assert _slow_in_node([("here", source, "u"), ("here", "a+", "g")]) == [source]


@pytest.mark.parametrize("source", [r"(a+)+b", r"x@([a-z]([a-z-]*[a-z])?\.?)+", r"\s*\n\s*!", r"a*a*b"])
def test_a_slow_pattern_is_seen(source: str):
    """Exponential ones and quadratic ones."""
    assert _is_slow(Pattern("here", source, 0, True))
