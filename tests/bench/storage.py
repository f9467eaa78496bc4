"""Benchmark: rows and bytes that a turn takes in the database, by table.

The games were played by bots. The bytes are those of whole pages as SQLite keeps them, including indexes.
`tpserver/docs/scale.md` calculates with these figures.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from sqlalchemy import select

from tests.bench.figures import Figure
from tests.bench.played import PLAYERS, Wanted, play
from tpserver.concurrency import result_now
from tpserver.games.terms.snapshot_retention import KeepRule
from tpserver.store import Store
from tpserver.store.games import snapshots
from tpserver.store.tables import games

TURNS, QUICK_TURNS = 200, 40
RULESETS = ("tae", "colony_battle", "antshouse", "swarm", "taller_ants")
LARGEST = 4
"""So many tables are named beside each figure."""
RULE = KeepRule(50, 10)
"""The worlds that are kept where most of them are thinned."""


class Taken:
    """The content of a database with one game: its turn, and rows and bytes by table, with the indexes of each."""

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
    (before, _), (after, thinned) = (_taken(Wanted(ruleset, number, or_over=True)) for number in (0, turns))
    closings = after.turn - before.turn
    rows = {table: (count - before.rows[table]) / closings for table, count in after.rows.items()}
    size, less = (
        {table: (count - before.size[table]) / closings / 1000 for table, count in one.size.items()}
        for one in (after, thinned)
    )
    title = f"{ruleset} of {len(PLAYERS)}"
    return [
        Figure(f"{title}: rows a turn", sum(rows.values()), "rows", note=f"{_largest(rows)}; {closings} turns"),
        Figure(f"{title}: a turn in the database", sum(size.values()), "kB", note=_largest(size)),
        Figure(f"{title}: the same, thinned ({RULE})", sum(less.values()), "kB", note=_largest(less)),
    ]


def _taken(wanted: Wanted) -> tuple[Taken, Taken]:
    """Return what a game takes, and what it takes when it is thinned."""
    with tempfile.TemporaryDirectory(prefix="tpserver-bench-") as folder:
        play(Path(folder), [wanted])
        file = Path(folder) / "tpserver.sqlite"
        whole = Taken(file)
        with closing(Store.open(f"sqlite:///{file}", reactor=None)) as store:
            game, _ = store.read(lambda c: c.execute(select(games.c.id, games.c.turn)).one())
            _, thinned = store.read(snapshots.to_thin, game, RULE.every, -1, whole.turn - RULE.last, TURNS)
            result_now(store.write(snapshots.thin, game, thinned))
        return whole, Taken(file)


def _largest(parts: Mapping[str, float]) -> str:
    named = sorted(parts.items(), key=lambda part: -part[1])[:LARGEST]
    return ", ".join(f"{table} {value:.3g}" for table, value in named if value > 0)
