"""Command line errors without network imports, which take long."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import tpclient

HEAVY = {"asyncio", "google", "ssl", "textual", "websockets"}

PROGRAM = """
import sys
from tpclient.cli import main
try:
    code = main(sys.argv[1:])
except SystemExit as leaving:
    code = leaving.code or 0
print("imported:", *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["play", "--help"], 0),
        (["bot", "--help"], 0),
        (["order", "add", "--help"], 0),
        (["nonsense"], 2),
        (["bot", "--user", "me", "--dialect", "nonsense"], 2),
        (["bot", "--user", "me", "--certificates", "file.pem"], 2),
        (["status", "--timeout", "never"], 2),
        (["status"], 2),
        (["status", "--user", "me"], 2),
        (["status", "--user", "me", "--password", "word", "--address", "host:port"], 2),
        (["games", "--certificates", "file.pem"], 2),
        (["servers", "--help"], 0),
        (["servers", "--seconds", "never"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_what_needs_no_network(arguments: list[str], code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        stdin=subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin"},
    )
    *said, imported = done.stderr.splitlines()
    assert done.returncode == code, said
    assert imported.startswith("imported:"), said
    assert set(imported.split()[1:]) & HEAVY == set()


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    from tpclient.cli import main

    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"tpclient {version('tpserver')}\n"


def test_every_name_of_the_package() -> None:
    """They are imported when they are asked for, and there is no other."""
    assert all(getattr(tpclient, name) for name in tpclient.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        tpclient.Nonsense  # noqa: B018 - asking is the test
