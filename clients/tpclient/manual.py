"""The rules for players, in a small part of Markdown, set in lines.

Strangers write rulesets and may be hostile. So the length is bounded, control characters are escaped, and only
headings, paragraphs, lists and emphasis have a meaning.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tpclient.columns import listed, shown, width
from tpclient.errors import UnknownName
from tpproto import tp_pb2

LONGEST = 65_536
"""Maximum characters of the rules that are read (tpserver sends no more)."""

LONGEST_LINE = 400
"""Maximum characters of a title, a version or a goal."""

MOST_NAMED = 40
"""Maximum of headings in an error."""

PIECES, ORDERS = "Pieces", "Orders"
"""The sections in which pieces and order types have headings (protocol/docs/requests.md, get_rules)."""

NARROWEST, WIDEST = 20, 100
"""The minimum and maximum columns of a line. Longer lines are hard to read."""

BOLD, ITALIC, CODE = "bold", "italic", "code"
"""Styles of emphasis. A span has several with spaces between, or none."""

_HEADING = re.compile(r"(#{1,3})[ \t]+(\S.*)")
_ITEM = re.compile(r" {0,3}(-|\d{1,4}\.)[ \t]+(\S.*)")
_EMPHASIS = re.compile(r"\*\*(?=\S)([^*]*(?:\*(?!\*)[^*]*)*)\*\*|\*(?=[^\s*])([^*]*)(?<=\S)\*|`([^`]*)`")

Span = tuple[str, str]
"""A piece of text, and its emphasis."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the rules without its marks, and the Markdown below it.

    The text ends at the next heading of the same or a higher level.
    """

    title: str
    level: int
    text: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the heading. Several names may share a heading."""
        return tuple(dict.fromkeys([self.title, *(name.strip() for name in self.title.split(","))]))

    @property
    def whole(self) -> str:
        """The section with its heading, as Markdown."""
        return f"{'#' * self.level} {self.title}\n\n{self.text}"


@dataclass(frozen=True, slots=True)
class Manual:
    """The rules of a ruleset for players.

    `ruleset` is its name, `title` its name for people, and `goal` one sentence. `text` has all rules as Markdown. Goal
    and text may be empty.
    """

    ruleset: str
    title: str
    version: str
    goal: str
    text: str

    @classmethod
    def told(cls, rules: tp_pb2.Rules) -> "Manual":
        """Return the rules from a server's frame, cut to safe lengths."""
        title, version, goal = (text[:LONGEST_LINE] for text in (rules.title, rules.version, rules.goal))
        return cls(rules.ruleset, title, version, goal, rules.text[:LONGEST])

    def sections(self) -> tuple[Section, ...]:
        """Return the sections under headings of the second level."""
        return tuple(_sections(self.text, 2))

    def section(self, name: str) -> Section:
        """Return the section with this name. Case does not matter. Raises UnknownName, which lists all sections."""
        found = self.sections()
        for one in found:
            if one.title.casefold() == name.strip().casefold():
                return one
        known = listed((one.title for one in found), MOST_NAMED) or "none"
        raise UnknownName(f"The rules have no section {name!r}; there are: {known}.")

    def about(self, name: str, among: Sequence[str] = (PIECES, ORDERS)) -> Section | None:
        """Return the section on a piece or an order type, or None.

        An exact name has priority over one that differs in case or spaces. `among` are the sections to search, in
        order.
        """
        paragraphs = self.paragraphs(among)
        wanted = name.strip()
        for one in paragraphs:
            if wanted in one.names:
                return one
        folded = _plain(wanted)
        return next((one for one in paragraphs if folded in map(_plain, one.names)), None)

    def paragraphs(self, among: Sequence[str] = (PIECES, ORDERS)) -> list[Section]:
        """Return the sections on pieces and order types.

        These are all under headings of the third level in the sections `among`.
        """
        found = self.sections()
        return [
            paragraph
            for title in among
            for section in found
            if section.title == title
            for paragraph in _sections(section.text, 3)
        ]


def _plain(name: str) -> str:
    """Return a name for comparison. "RedCube", "Red Cube" and "red cube" are the same."""
    return re.sub(r"[\s_-]+", "", name.casefold())


def _sections(text: str, level: int) -> Iterator[Section]:
    """Yield the parts of a text under the headings of a level."""
    title: str | None = None
    lines: list[str] = []
    for line in text.split("\n"):
        heading = _HEADING.match(line)
        if heading is None or len(heading[1]) > level:
            lines.append(line)
            continue
        if title is not None:
            yield Section(title, level, "\n".join(lines).strip("\n"))
        title = heading[2].strip() if len(heading[1]) == level else None
        lines = []
    if title is not None:
        yield Section(title, level, "\n".join(lines).strip("\n"))


# --- blocks


@dataclass(slots=True)
class Block:
    """A heading of level 1 to 3, an item of a list with its mark, or a paragraph with neither."""

    text: str
    level: int = 0
    mark: str = ""


def blocks(text: str) -> list[Block]:
    """Return the blocks of a text. The lines of each are joined, and control characters are escaped."""
    found: list[Block] = []
    lines: list[str] = []

    def close() -> None:
        if lines:
            found[-1].text = shown(" ".join(" ".join(lines).split()))
            lines.clear()

    for line in text[:LONGEST].split("\n"):
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if heading is not None:
            close()
            found.append(Block(shown(" ".join(heading[2].split())), level=len(heading[1])))
        elif item is not None:
            close()
            found.append(Block("", mark=item[1]))
            lines.append(item[2])
        elif not line.strip():
            close()
        else:
            if not lines:
                found.append(Block(""))
            lines.append(line)
    close()
    return found


def spans(text: str, around: str = "") -> list[Span]:
    """Return the pieces of a block's text with their emphasis, without its marks."""
    found: list[Span] = []
    end = 0
    for match in _EMPHASIS.finditer(text):
        found.append((text[end : match.start()], around))
        end = match.end()
        bold, italic, code = match.groups()
        if code is not None:
            found.append((code, f"{around} {CODE}".strip()))
        elif not around:  # so emphasis has at most two levels
            found += spans(bold, BOLD) if bold is not None else spans(italic, ITALIC)
        else:
            found.append((bold or italic, f"{around} {ITALIC}" if bold is None else around))
    found.append((text[end:], around))
    return [span for span in found if span[0]]


# --- lines


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the rules for display: its spans, the number of its block, and the level of a heading."""

    spans: tuple[Span, ...] = ()
    block: int = 0
    level: int = 0

    @property
    def text(self) -> str:
        return "".join(piece for piece, _ in self.spans)


def set_lines(text: str, columns: int) -> list[Line]:
    """Return a text in lines of `columns` columns, within NARROWEST and WIDEST.

    Blocks are separated by an empty line, except items of one list. Items are indented behind their marks. Text below a
    heading of the third level is indented.
    """
    columns = min(WIDEST, max(NARROWEST, columns))
    lines: list[Line] = []
    inside = False
    before: Block | None = None
    for number, block in enumerate(blocks(text)):
        if before is not None and not (block.mark and before.mark):
            lines.append(Line(block=number))
        before = block
        if block.level:
            inside = block.level == 3
        margin = "  " if inside and not block.level else ""
        first = f"{margin}{block.mark} " if block.mark else margin
        rest = " " * len(first)
        for index, row in enumerate(wrapped(spans(block.text), columns - len(first))):
            edge = rest if index else first
            lines.append(Line(((edge, ""), *row) if edge else tuple(row), number, block.level))
    return lines


def wrapped(pieces: Iterable[Span], columns: int) -> Iterator[list[Span]]:
    """Yield rows of at most `columns` columns. Breaks are between words, or within a word longer than a row."""
    row: list[Span] = []
    taken = 0
    for word in _words(pieces):
        long = sum(width(piece) for piece, _ in word)
        if row and taken + 1 + long > columns:
            yield row
            row, taken = [], 0
        if row:
            row.append((" ", word[0][1] if word[0][1] == row[-1][1] else ""))
            taken += 1
        if long <= columns and sum(len(piece) for piece, _ in word) <= 4 * columns:
            row += word
            taken += long
            continue
        for piece in _cut(word, columns):
            if row:
                yield row
            row = [piece]
        taken = width(row[0][0])
    if row:
        yield row


def _words(pieces: Iterable[Span]) -> Iterator[list[Span]]:
    """Yield the words of spans. A word may have several spans, such as `a1` with a comma behind it."""
    word: list[Span] = []
    for text, style in pieces:
        first, *others = text.split(" ")
        if first:
            word.append((first, style))
        for other in others:
            if word:
                yield word
            word = [(other, style)] if other else []
    if word:
        yield word


def _cut(word: Iterable[Span], columns: int) -> Iterator[Span]:
    """Yield the parts of a word that is too long for a row.

    A character without width, such as an accent, counts as a quarter of a column.
    """
    for text, style in word:
        start, taken = 0, 0.0
        for at, letter in enumerate(text):
            needs = width(letter) or 0.25
            if taken + needs > columns:
                yield text[start:at], style
                start, taken = at, 0.0
            taken += needs
        yield text[start:], style


UNDERLINED = {1: "=", 2: "-"}


def plain_lines(text: str, columns: int) -> Iterator[str]:
    """Yield the lines of `set_lines` as plain text, with headings of the first two levels underlined."""
    lines = set_lines(text, columns)
    for at, line in enumerate(lines):
        yield line.text
        is_last = at + 1 == len(lines) or lines[at + 1].block != line.block
        if line.level in UNDERLINED and is_last:
            rows = [other for other in lines[max(0, at - 8) : at + 1] if other.block == line.block]
            yield UNDERLINED[line.level] * max(width(row.text) for row in rows)
