"""Results of list commands: rows printed as text or as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tprules.printable import quoted
from tpserver.admin.columns import table


class Row(NamedTuple):
    """One row of a list."""

    data: Mapping[str, Any]
    """Its JSON object. All rows of a list have the same keys. Times are UTC unix seconds."""
    cells: Sequence[object] = ()
    """Its cells in the table; empty if it has no line there."""
    below: Sequence[str] = ()
    """Its lines below the table."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows of a list command.

    ``names`` are the keys of the data that ``--match`` searches. ``head`` has the columns of the table. ``empty`` is
    the text for no rows.
    """

    names: Sequence[str]
    rows: Sequence[Row]
    head: Sequence[str] = ()
    empty: str = ""

    def lines(self, match: str | None = None, as_json: bool | None = None) -> list[str]:
        """Return the rows with ``match`` in a name, as text or as a JSON array with one object in each line."""
        part = (match or "").casefold()
        rows = [row for row in self.rows if any(part in str(row.data[name] or "").casefold() for name in self.names)]
        if as_json:
            objects = ",\n".join(json.dumps(row.data) for row in rows)
            return f"[{objects}]".split("\n")
        if self.rows and not rows:
            return [f"Nothing in this list matches {quoted(match or '')}."]
        if self.empty and not rows:
            return [self.empty]
        cells = [row.cells for row in rows if row.cells]
        below = [line for row in rows for line in row.below]
        return [*(table(self.head, cells) if cells or not below else []), *below]
