"""Text for a terminal: safe with any name from a server, and in columns."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

GAP = 2
"""Spaces between two columns."""

_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories that move the cursor, turn the direction of writing, or break lines."""


def shown(text: str) -> str:
    """Return one line of text, with all characters escaped that could control a terminal."""
    return "".join(
        letter.encode("unicode_escape").decode("ascii") if unicodedata.category(letter) in _INVISIBLE else letter
        for letter in text
    )


def lines_of(text: str) -> list[str]:
    """Return the lines of a longer text, each safe to print; none for an empty text."""
    return [shown(line.expandtabs()) for line in text.replace("\r\n", "\n").split("\n")] if text else []


def width(text: str) -> int:
    """Return the terminal columns of a line.

    Combining marks have none, wide letters two.
    """
    if text.isascii():
        return len(text)
    return sum(_columns(letter) for letter in text)


def _columns(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def padded(text: str, columns: int, *, right: bool = False) -> str:
    """Return text padded with spaces to a width. With `right` the spaces come first."""
    spaces = " " * max(0, columns - width(text))
    return spaces + text if right else text + spaces


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return rows below their heads, in columns.

    Columns of numbers are aligned to the right. Columns without any content are left out. Heads and cells are escaped
    as in `shown`. Spaces at the beginning of a cell stay.
    """
    body = [[shown(str(cell)) for cell in row] for row in rows]
    kept = [column for column in range(len(heads)) if any(row[column] for row in body)]
    numbers = {column for column in kept if all(row[column].lstrip("-").isdigit() or not row[column] for row in body)}
    everything = [list(heads), *body]
    widths = {column: max(width(row[column]) for row in everything) for column in kept}
    return [
        (" " * GAP).join(padded(row[column], widths[column], right=column in numbers) for column in kept).rstrip()
        for row in everything
    ]


def indented(lines: Sequence[str]) -> list[str]:
    """Return the lines indented by two columns."""
    return [f"  {line}" for line in lines]


def listed(words: Iterable[str], most: int = 12) -> str:
    """Return at most `most` words with commas between them, and the number of further ones."""
    everything = list(words)
    text = ", ".join(everything[:most])
    return f"{text} and {len(everything) - most} more" if len(everything) > most else text


def brief(text: str, most: int) -> str:
    """Return a text, cut to a maximum length with an ellipsis at the end."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip(' ,')}…"


_UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""Soft hyphens, marks of direction and the like, which come with what is copied from a page or a mail."""


def as_typed(text: str) -> str:
    """Return a number as a plain keyboard types it.

    Wide digits, special spaces and the minus signs of editors become plain.
    """
    return re.sub("[\u2010-\u2015\u2212]", "-", unicodedata.normalize("NFKC", _UNSEEN.sub("", text))).strip()


def as_named(text: str) -> str:
    """Return a typed name, code or address, composed (NFC), with plain spaces and without invisible characters."""
    letters = _UNSEEN.sub("", unicodedata.normalize("NFC", text))
    return "".join(" " if unicodedata.category(one) == "Zs" else one for one in letters).strip()


def counted(number: int, one: str) -> str:
    """Return a number and the word for it: 1 order, 2 orders."""
    return f"{number} {one}{'' if number == 1 else 's'}"
