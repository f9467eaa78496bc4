"""What a turn takes in the database: rows and bytes, by table, of games that bots have played.

The bytes are those of whole pages, indexes among them, as SQLite keeps them; `tpserver/SCALE.md` counts with these.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from tests.bench.figures import Figure
from tests.bench.played import PLAYERS, Wanted, play

TURNS, QUICK_TURNS = 200, 40
RULESETS = ("tae", "colony_battle", "antshouse", "swarm", "taller_ants")
LARGEST = 4
"""So many tables are named beside each figure."""


class Taken:
    """What a database with one game holds: its turn, and rows and bytes by table, indexes counted to theirs."""

    def __init__(self, path: Path) -> None:
        self.rows: Counter[str] = Counter()
        self.size: Counter[str] = Counter()
        with closing(sqlite3.connect(path)) as database:
            database.execute("VACUUM")
            self.turn: int = database.execute("SELECT turn FROM games").fetchone()[0]
            owners = dict(database.execute("SELECT name, tbl_name FROM sqlite_master").fetchall())
            for table in sorted(set(owners.values())):
                self.rows[table] = database.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
            for name, size in database.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"):
                self.size[owners.get(name, name)] += size


def measure(quick: bool) -> list[Figure]:
    return [figure for ruleset in RULESETS for figure in _game(ruleset, QUICK_TURNS if quick else TURNS)]


def _game(ruleset: str, turns: int) -> list[Figure]:
    before, after = (_taken(Wanted(ruleset, number, or_over=True)) for number in (0, turns))
    closings = after.turn - before.turn
    rows = {table: (count - before.rows[table]) / closings for table, count in after.rows.items()}
    size = {table: (count - before.size[table]) / closings / 1000 for table, count in after.size.items()}
    title = f"{ruleset} of {len(PLAYERS)}"
    return [
        Figure(f"{title}: rows a turn", sum(rows.values()), "rows", note=f"{_largest(rows)}; {closings} turns"),
        Figure(f"{title}: a turn in the database", sum(size.values()), "kB", note=_largest(size)),
    ]


def _taken(wanted: Wanted) -> Taken:
    with tempfile.TemporaryDirectory(prefix="tpserver-bench-") as folder:
        play(Path(folder), [wanted])
        return Taken(Path(folder) / "tpserver.sqlite")


def _largest(parts: Mapping[str, float]) -> str:
    named = sorted(parts.items(), key=lambda part: -part[1])[:LARGEST]
    return ", ".join(f"{table} {value:.3g}" for table, value in named if value > 0)
