"""Strings for people in source text of JavaScript, HTML and Markdown.

They are literals of JavaScript, text of HTML, and paragraphs of Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple


class Text(NamedTuple):
    """A text and the line on which it starts, from 1."""

    line: int
    text: str


GAP = "…"
"""Stands for a value that is inserted when the program runs."""

_JS_TOKEN = re.compile(
    r"""
      (?P<space> \s+ | //[^\n]* | /\*.*?\*/ )
    | (?P<string> '(?:[^'\\\n]|\\.)*' | "(?:[^"\\\n]|\\.)*" )
    | (?P<word> [\w$\#]+ )
    | (?P<regex> /(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/ )
    | (?P<mark> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_JS_TEMPLATE = re.compile(r"(?P<text>(?:[^`\\$]|\\.|\$(?!\{))*)(?P<end>`|\$\{)", re.DOTALL)
_JS_ESCAPE = re.compile(r"\\(?:u\{?([0-9a-fA-F]{4,6})\}?|(.))", re.DOTALL)
_BEFORE_REGEX = frozenset({"return", "typeof", "case", "in", "of", "await", "yield", "throw"})


def javascript(source: str) -> Iterator[Text]:
    """Yield string and template literals. ``GAP`` stands for each inserted expression."""
    at, value_before = 0, False
    templates: list[tuple[int, list[str]]] = []  # the literals that are open: start, and the parts read so far
    depths: list[int] = []  # of each open literal: braces that are open in its expression

    def read_template() -> None:
        nonlocal at, value_before
        found = _JS_TEMPLATE.match(source, at)
        if found is None:
            raise ValueError(f"line {_line(source, at)}: a template literal has no end")
        at = found.end()
        start, parts = templates[-1]
        parts.append(found["text"])
        value_before = found["end"] == "`"
        if value_before:
            templates.pop()
            literals.append(Text(_line(source, start), _unescaped(GAP.join(parts))))
        else:
            depths.append(0)

    literals: list[Text] = []
    while at < len(source):
        token = _JS_TOKEN.match(source, at)
        assert token is not None  # any character is a mark
        kind, value = str(token.lastgroup), token[0]
        if kind == "regex" and value_before:
            kind, value = "mark", "/"
        start, at = at, at + len(value)
        if kind == "string":
            literals.append(Text(_line(source, start), _unescaped(value[1:-1])))
        elif value == "`":
            templates.append((start, []))
            read_template()
            continue
        elif value == "{" and depths:
            depths[-1] += 1
        elif value == "}" and depths:
            if not depths[-1]:
                depths.pop()
                read_template()
                continue
            depths[-1] -= 1
        if kind != "space":
            value_before = kind in ("string", "regex") or value in (")", "]", "}")
            value_before = value_before or (kind == "word" and value not in _BEFORE_REGEX)
    if templates:
        raise ValueError(f"line {_line(source, templates[-1][0])}: a template literal has no end")
    yield from literals


def _line(source: str, at: int) -> int:
    return source.count("\n", 0, at) + 1


def _unescaped(literal: str) -> str:
    def character(escape: re.Match[str]) -> str:
        return chr(int(escape[1], 16)) if escape[1] else {"n": " ", "t": " ", "\n": ""}.get(escape[2], escape[2])

    return _JS_ESCAPE.sub(character, literal)


class _Html(HTMLParser):
    ATTRIBUTES = ("title", "aria-label", "placeholder", "alt", "label", "content")

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[Text] = []
        self._hidden = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden = tag in ("script", "style")
        self.texts += (Text(self.getpos()[0], value) for name, value in attrs if name in self.ATTRIBUTES and value)

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._hidden:
            self.texts.append(Text(self.getpos()[0], data))


def html(source: str) -> list[Text]:
    """Return the text of a page, and the attributes that browsers show or read out."""
    parser = _Html()
    parser.feed(source)
    parser.close()
    return parser.texts


_FENCE = re.compile(r"\s*(?:```|~~~)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_HEADING = re.compile(r"#{1,6}\s+")
_RULE = re.compile(r"[\s|:*_=-]*")
_CELL = re.compile(r"(?<!\\)\|")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def markdown(source: str) -> Iterator[Text]:
    """Yield paragraphs, headings, list items and cells of tables. Block quotes and code blocks are left out."""
    source = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), source)
    start, lines = 0, list[str]()
    fenced = quoted = in_list = False
    for number, line in enumerate([*source.split("\n"), ""], 1):
        if _FENCE.match(line):
            fenced = not fenced
            line = ""
        elif fenced or (line.startswith(("    ", "\t")) and not lines and not in_list):
            line = ""
        quoted = line.lstrip().startswith(">") or (quoted and bool(line.strip()))
        if quoted:
            line = ""
        own = [_HEADING.sub("", line)] if _HEADING.match(line) else []
        if line.lstrip().startswith("|"):
            own = _CELL.split(_CELL.sub("", line, count=1))
        item = _ITEM.match(line)
        if lines and (own or item or _RULE.fullmatch(line)):
            yield Text(start, "\n".join(lines))
            lines = []
        if own:
            in_list = False
            yield from (Text(number, cell) for cell in own if not _RULE.fullmatch(cell))
        elif not _RULE.fullmatch(line):
            in_list = bool(item) or (in_list and (bool(lines) or line.startswith(" ")))
            start = start if lines else number
            lines.append(line[item.end() :] if item else line)
