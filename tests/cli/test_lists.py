"""``--json`` and ``--match`` of all list commands, which the frozen table of commands names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

from tests.cli.test_command_table import TABLE
from tests.support.played import played
from tpserver.store import Store, tables
from tpserver.store.games import nodes

Run = Callable[..., Any]

BODY = "Long. \x1b" * 1000
NOTHING = "no such name"

PARTS = {
    "account list": "ADA",
    "audit": "BOB",
    "backup --list": "20240102t",
    "game list": "First",
    "node list": "East",
    "report list": "Ada",
    "ruleset list": "SWARM",
}
"""A part of a name in a row of each list, which is not in all rows."""


def lists() -> list[str]:
    """Return the words of all list commands."""
    commands = re.findall(r"(?m)^tpserver (.+)\n((?:  .+\n)+)", TABLE.read_text(encoding="utf-8"))
    found = [words for words, _ in commands if words == "audit" or words.endswith(" list")]
    return [*found, *(f"{words} --list" for words, text in commands if "\n  --list:" in text)]


@pytest.fixture
def place(data: Path, tpserver: Run) -> list[object]:
    """Options for data that has two rows in each list, except that of nodes."""
    played(data, name="first", turns=0)
    played(data, name="second", turns=0)
    for account in ("ada", "bob"):
        tpserver("account", "reset-password", account, "--password", "secret", "--data", data)
    report = {"at": 5.0, "written": 5.0, "turn": 0, "board": 1, "number": 1, "sender": 1}
    report |= {"subject": "Hello", "body": BODY, "reason": "An insult", "decision": "", "closed_by": "", "answer": ""}
    store = Store.open(f"sqlite:///{data}/tpserver.sqlite", reactor=None)
    for account in (1, 2):
        row = insert(tables.reported_letters).values({**report, "account": account, "game": account})
        store.write(lambda connection, row=row: connection.execute(row).rowcount)
    store.close()
    (data / "backups").mkdir()
    for day in ("20240101", "20240102"):
        (data / "backups" / f"tpserver-{day}T000000Z.sqlite").touch()
    return ["--data", data]


@pytest.fixture
def cluster(tmp_path: Path, cleared_postgres: str) -> list[object]:
    """Options for a database of two nodes."""
    store = Store.open(cleared_postgres, reactor=None)
    for node in ("west", "east"):
        store.write(nodes.register, node, "127.0.0.1:1", "1", 60.0)
    store.close()
    config = tmp_path / "node.toml"
    config.write_text(f'[server]\nstore = "{cleared_postgres}"\n[cluster]\naddress = "127.0.0.1:1"\n')
    return ["--config", config]


@pytest.mark.parametrize("words", lists())
def test_a_list_is_filtered_and_printed_as_json(words: str, request: pytest.FixtureRequest, tpserver: Run) -> None:
    """The filter ignores upper and lower case. JSON is one array of objects with the same keys, however long."""
    where: list[object] = []
    if words != "ruleset list":
        where = request.getfixturevalue("cluster" if words == "node list" else "place")

    def ask(*options: str) -> Any:
        ended = tpserver(*words.split(), *options, *where)
        assert ended.code == 0, ended.err
        return ended

    part = PARTS[words]
    rows = json.loads(ask("--json").out)
    assert len({tuple(row) for row in rows}) == 1, "all have the same keys"
    found = json.loads(ask("--json", "--match", part).out)
    assert 0 < len(found) < len(rows)
    assert all(row in rows and part.casefold() in str(row).casefold() for row in found)
    assert part.casefold() in ask("--match", part).out.casefold()
    assert len(ask("--match", part).lines) < len(ask().lines)
    assert json.loads(ask("--json", "--match", NOTHING).out) == []
    assert ask("--match", NOTHING).lines[-1] == f"Nothing in this list matches {NOTHING!r}."


def test_a_filter_of_backups_needs_their_list(data: Path, tpserver: Run) -> None:
    """It would otherwise have no effect on a backup."""
    for options in (["--json"], ["--match", "x"]):
        ended = tpserver("backup", *options, "--data", data)
        assert ended.code == 2
        assert "--json and --match go with --list" in ended.err
