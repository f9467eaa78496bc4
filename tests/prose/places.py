"""Places that contain a banned idiom, and the list of those that are left.

A place has a file, a kind of text and an idiom. `allowlist.txt` has a line for each place that is left, with the number
of times: `FILE: KIND: IDIOM: COUNT`. The list may only shrink.
"""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.prose.idioms import ADVICE, Found, clauses, first_words, idioms, long_sentences, sentence_lengths
from tests.prose.strings import GAP, Text, html, javascript, markdown

ROOT = Path(__file__).parents[2]
ALLOWLIST = Path(__file__).parent / "allowlist.txt"

NAMES = ("come back",)
"""Names that processes send each other. They stay, because processes of two versions run together in a restart."""

FOLDERS = (".github", "clients", "protocol", "rulesets", "tests", "tpserver")
"""Folders that are scanned. Of the root only Markdown is."""

REFUSAL = "refusal"
"""A string of the server, the protocol or a ruleset, or one that the client raises."""
LABEL = "label"
"""Any other string of the client: its terminal, its commands and its page."""
MODULE, DOCSTRING = "module docstring", "docstring"
README, PAGE = "readme", "page"
"""Markdown files: each README.md, and the others."""

EXEMPT_PAGES = frozenset({"RULES.md", "FRAMES.md", "ORIGINAL.md"})
GENERATED = ("_pb2.py",)

Key = tuple[str, str, str]
"""File, kind and idiom."""


class Place(NamedTuple):
    """One occurrence of an idiom."""

    file: str
    line: int
    kind: str
    idiom: str
    words: str

    @property
    def key(self) -> Key:
        return self.file, self.kind, self.idiom

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.kind}: {self.idiom}: {self.words}"


def places(root: Path = ROOT) -> Iterator[Place]:
    """Yield all places of a tree, sorted by file."""
    for path in sorted(_files(root)):
        name = path.relative_to(root).as_posix()
        for kind, text in _texts(name, path.read_text(encoding="utf-8")):
            for found in _search(kind, text.text):
                yield Place(name, text.line + found.lines, kind, found.idiom, found.words)


def page_sizes(root: Path = ROOT) -> Iterator[tuple[str, int, int]]:
    """Yield each Markdown file that is scanned, its words, and the words of its longest sentence."""
    for path in sorted(_files(root)):
        if path.suffix == ".md":
            texts = markdown(path.read_text(encoding="utf-8"))
            lengths = [length for text in texts for length in sentence_lengths(text.text)]
            yield path.relative_to(root).as_posix(), sum(lengths), max(lengths, default=0)


def read_allowlist(path: Path = ALLOWLIST) -> Counter[Key]:
    """Return how often each place may be there. Raises ValueError if a line is wrong or a place is listed twice."""
    allowed: Counter[Key] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        file, kind, idiom, count = line.split(": ")
        if (file, kind, idiom) in allowed or int(count) < 1:
            raise ValueError(f"{path.name}: {line}")
        allowed[file, kind, idiom] = int(count)
    return allowed


def write_allowlist(allowed: Counter[Key], path: Path = ALLOWLIST) -> None:
    """Write the list, sorted."""
    lines = [": ".join((*key, str(count))) for key, count in sorted(allowed.items()) if count]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def lowered(allowed: Counter[Key], found: list[Place]) -> Counter[Key]:
    """Return the list without the places that are gone. Nothing is added."""
    return allowed & Counter(place.key for place in found)


def differences(allowed: Counter[Key], found: list[Place]) -> list[str]:
    """Return a sentence for each place that is not in the list, and each line of the list that counts too many."""
    counts = Counter(place.key for place in found)
    added = [f"{place}\n    {ADVICE[place.idiom]}" for place in found if counts[place.key] > allowed[place.key]]
    gone = [
        f"allowlist.txt has {': '.join(key)}: {count}; there are {counts[key]}. Run python -m tests.prose --write."
        for key, count in sorted(allowed.items())
        if count > counts[key]
    ]
    return added + gone


def _files(root: Path) -> Iterator[Path]:
    yield from root.glob("*.md")
    for top in FOLDERS:
        for folder, folders, names in os.walk(root / top):
            folders[:] = [name for name in folders if name not in ("__pycache__", "node_modules")]
            yield from (Path(folder, name) for name in names if _is_scanned(name))


def _is_scanned(name: str) -> bool:
    if name.endswith(".md"):
        return name not in EXEMPT_PAGES
    return name.endswith((".py", ".js", ".html")) and not name.endswith(GENERATED)


def _texts(file: str, source: str) -> Iterator[tuple[str, Text]]:
    """Yield the texts of a file with their kinds. The scripts and pages of the tests have none."""
    if file.endswith(".md"):
        kind = README if file.endswith("README.md") else PAGE
        yield from ((kind, text) for text in markdown(source))
    elif file.endswith(".py"):
        tree = ast.parse(source)
        yield from _docstrings(tree, MODULE)
        if not file.startswith("tests/"):
            yield from _literals(tree, LABEL if file.startswith("clients/") else REFUSAL)
    elif not file.startswith("tests/"):
        yield from ((LABEL, text) for text in (javascript if file.endswith(".js") else html)(source))


def _docstrings(node: ast.AST, kind: str) -> Iterator[tuple[str, Text]]:
    """Yield the docstrings of a module, its classes, functions and constants."""
    for at, statement in enumerate(getattr(node, "body", [])):
        match statement:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield kind if not at else DOCSTRING, Text(statement.lineno, text)
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _docstrings(statement, DOCSTRING)


def _literals(node: ast.AST, kind: str) -> Iterator[tuple[str, Text]]:
    """Yield the strings of a module that are no docstrings. ``GAP`` stands for each value in a formatted one."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Constant(value=str(text)):
                if text not in NAMES:
                    yield kind, Text(child.lineno, text)
            case ast.JoinedStr(values=values):
                parts = [str(part.value) if isinstance(part, ast.Constant) else GAP for part in values]
                yield kind, Text(child.lineno, "".join(parts))
                for part in values:
                    if isinstance(part, ast.FormattedValue):
                        yield from _literals(part, kind)
            case _:
                yield from _literals(child, REFUSAL if isinstance(child, ast.Raise) else kind)


def _search(kind: str, text: str) -> Iterator[Found]:
    yield from idioms(text)
    if kind in (REFUSAL, LABEL):
        yield from clauses(text)
    elif kind in (MODULE, DOCSTRING):
        yield from first_words(text)
    else:
        yield from long_sentences(text)
