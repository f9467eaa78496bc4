"""Imports of commands: a command without a server does not load one.

Such an import would take most of the time of the command.
"""

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
        (["run", "--help"], 0),
        (["ruleset", "list"], 0),
        (["ruleset", "show", "tae"], 0),
        (["ruleset", "manual", "tae"], 0),
        (["ruleset", "manual", "nonsense"], 1),
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


@pytest.mark.thorough
def test_a_socket_that_nobody_listens_at_is_no_server(tmp_path: Path):
    """As a server leaves it that was killed."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "control.socket"))
    ended, _, imported = run("account", "add", "ann", "--password", "word", "--data", str(tmp_path))
    assert ended == 0
    assert "sqlalchemy" in imported


SERVER = """
import sys
from tpserver.cli.options import config_of
from tpserver.cli.arguments import parse
from tpserver.reactors import load_reactor
load_reactor(tls=config_of(parse(sys.argv[1:])).may_encrypt)
import tpserver.cli.running
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [
        ([], False),
        (["--listen", "unix:/tmp/x", "--listen", "TCP:0", "--web", "tcp:0"], False),
        (["--listen", "ssl:0:privateKey=key.pem"], True),
        (["--listen", "tls:0"], True),
        (["--listen", "somebodys:0"], True),
        (["--web", "ssl:8443:privateKey=key.pem"], True),
        (["--config", "tls.toml"], True),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_server_loads_what_it_listens_with(tmp_path: Path, arguments: list[str], loaded: bool):
    """Without TLS nothing of OpenSSL, before it listens for browsers nothing of WebSocket: a third of its memory."""
    (tmp_path / "tls.toml").write_text('[tls]\ncertificate = "server.pem"\n')
    arguments = [str(tmp_path / word) if word.endswith(".toml") else word for word in arguments]
    done = process.run(sys.executable, "-c", SERVER, "run", *arguments)
    assert done.code == 0, done.err
    imported = set(done.out.split())
    assert "twisted" in imported
    assert not imported & {"autobahn", "alembic", "confusable_homoglyphs", "precis_i18n"}
    assert ("OpenSSL" in imported) == loaded
    assert ("cryptography" in imported) == loaded


CHANGED = """
import sys
from tpserver.reactors import load_reactor
load_reactor(tls=False)
from tpserver.cli.arguments import parse
from tpserver.cli.running import run
run(parse(sys.argv[1:]))
"""


def test_a_process_that_has_loaded_no_tls_says_so_when_it_is_asked_for(tmp_path: Path):
    """The configuration may change while a spare server waits. Its supervisor starts another."""
    done = process.run(
        sys.executable, "-c", CHANGED, "run", "--no-parent", "--data", tmp_path, "--listen", "ssl:0:privateKey=key.pem"
    )
    assert done.code == 1
    assert "the configuration has asked for TLS since this process has loaded its modules without it" in done.err
