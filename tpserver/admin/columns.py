"""Tables as text for the operator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from tprules.printable import printable

LONGEST_CELL = 100
"""Maximum characters of a cell, so that long names do not displace other columns."""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return a table with columns as wide as their longest cell, numbers aligned right."""
    head = [printable(cell, LONGEST_CELL) for cell in head]
    body = [[printable(str(cell), LONGEST_CELL) for cell in row] for row in rows]
    numbers = [all(_is_number(row[column]) for row in body) and bool(body) for column in range(len(head))]
    widths = [max(len(row[column]) for row in [list(head), *body]) for column in range(len(head))]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numbers, strict=True)
        ).rstrip()
        for row in [list(head), *body]
    ]


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdigit()


def when(at: float) -> str:
    """Return a time in unix seconds as readable UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
