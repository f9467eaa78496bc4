"""A command that needs no server imports none: that would take most of its time."""

from __future__ import annotations

import json
import socket
import sys
import threading
from pathlib import Path

import pytest

from tests.support import process

HEAVY = {"alembic", "argon2", "autobahn", "confusable_homoglyphs", "google", "precis_i18n", "sqlalchemy", "twisted"}

PROGRAM = """
import sys
from tpserver.cli import main
try:
    code = main(sys.argv[1:])
except SystemExit as leaving:
    code = leaving.code or 0
print("imported:", *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(code)
"""


def run(*arguments: str) -> tuple[int, str, set[str]]:
    """Return the exit code, what was printed, and which packages were imported."""
    done = process.run(sys.executable, "-c", PROGRAM, *arguments)
    *_, imported = done.err.splitlines()
    assert imported.startswith("imported:"), done.err
    return done.code, done.out, set(imported.split()[1:])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["game", "create", "--help"], 0),
        (["run", "--help"], 0),
        (["ruleset", "list"], 0),
        (["ruleset", "show", "tae"], 0),
        (["ruleset", "show", "nonsense"], 1),
        (["nonsense"], 2),
        (["run", "--port", "70000"], 2),
        (["game", "list", "--config", "/nowhere/at/all.toml"], 2),
        (["game", "create", "x", "--ruleset", "tae", "--seats", "2", "--option", "nonsense"], 1),
        (["account", "add", "ann"], 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_commands_that_need_no_server(arguments: list[str], code: int):
    ended, _, imported = run(*arguments)
    assert ended == code
    assert imported & HEAVY == set()


@pytest.mark.parametrize(
    ("reply", "code", "printed"), [({"lines": ["one game"]}, 0, "one game\n"), ({"refused": "no"}, 1, "")]
)
def test_what_a_running_server_does(tmp_path: Path, reply: dict[str, object], code: int, printed: str):
    """It is asked over its control socket, and does all the work."""
    asked: list[bytes] = []
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "control.socket"))
        door.listen()

        def serve() -> None:
            connection, _ = door.accept()
            with connection, connection.makefile("rb") as lines:
                asked.append(lines.readline())
                connection.sendall(json.dumps({"tpserver": 1, **reply}).encode() + b"\n")

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        ended, told, imported = run("game", "list", "--data", str(tmp_path))
        server.join(60)
    assert (ended, told) == (code, printed)
    assert json.loads(asked[0])["operation"] == "game list"
    assert imported & HEAVY == set()


def test_a_socket_that_nobody_listens_at_is_no_server(tmp_path: Path):
    """As a server leaves it that was killed."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "control.socket"))
    ended, _, imported = run("account", "add", "ann", "--password", "word", "--data", str(tmp_path))
    assert ended == 0
    assert "sqlalchemy" in imported
