"""Text for a terminal: safe whatever names a server sends, and aligned in columns."""

import unicodedata
from collections.abc import Iterable, Sequence

GAP = 2
"""Spaces between two columns."""

_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories that move the cursor, turn the direction of writing, or break lines."""


def shown(text: str) -> str:
    """One line of text with everything that could steer a terminal written out as an escape."""
    return "".join(
        letter.encode("unicode_escape").decode("ascii") if unicodedata.category(letter) in _INVISIBLE else letter
        for letter in text
    )


def lines_of(text: str) -> list[str]:
    """The lines of a longer text, each safe to print; none for an empty one."""
    return [shown(line.expandtabs()) for line in text.replace("\r\n", "\n").split("\n")] if text else []


def width(text: str) -> int:
    """How many columns of a terminal a line takes: none for combining marks, two for wide letters."""
    if text.isascii():
        return len(text)
    return sum(_columns(letter) for letter in text)


def _columns(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def padded(text: str, columns: int, *, right: bool = False) -> str:
    """Text filled up with spaces to a width; `right` puts them before it."""
    spaces = " " * max(0, columns - width(text))
    return spaces + text if right else text + spaces


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Rows under their heads. A column of numbers only is set to the right; one that is empty throughout is left out.

    Heads and cells are made safe with `shown`; spaces at the beginning of a cell stay.
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
    """The same lines two columns further to the right."""
    return [f"  {line}" for line in lines]


def listed(words: Iterable[str], most: int = 12) -> str:
    """Words with commas between them, `most` of them at most."""
    everything = list(words)
    text = ", ".join(everything[:most])
    return f"{text} and {len(everything) - most} more" if len(everything) > most else text


def brief(text: str, most: int) -> str:
    """A text of at most so many letters, with an ellipsis for what is missing."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip(' ,')}…"


def counted(number: int, one: str) -> str:
    """A number and the word for it: 1 order, 2 orders."""
    return f"{number} {one}{'' if number == 1 else 's'}"
