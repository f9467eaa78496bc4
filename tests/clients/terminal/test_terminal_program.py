"""`tpclient play` in a real pseudo-terminal, and where it cannot run.

It plays on the real server.
"""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.conftest import opened
from tpclient.cli import main

BIN = Path(sys.executable).parent
PATIENCE = 240.0


@pytest.fixture(scope="module")
def tae() -> Iterator[str]:
    with opened("tae") as where:
        yield where


class Terminal:
    """A pseudo-terminal with a program in it."""

    def __init__(self, *words: str, columns: int = 80, lines: int = 24, **environment: str) -> None:
        self.mine, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        known = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [str(BIN / "tpclient"), *words],
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            env={**known, "TERM": "xterm-256color", "LANG": "C.UTF-8", **environment},
        )
        os.close(other)
        self.output = ""

    def read(self, wanted: str) -> None:
        """Read until these words have come, without the escapes between them."""
        end = time.monotonic() + PATIENCE
        while wanted not in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.output):
            ready, _, _ = select.select([self.mine], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"{wanted!r} has not come: {self.output[-2000:]!r}"
            try:
                self.output += os.read(self.mine, 65536).decode(errors="replace")
            except OSError:
                raise AssertionError(f"the program has ended without {wanted!r}: {self.output[-2000:]!r}") from None

    def type(self, keys: str) -> None:
        os.write(self.mine, keys.encode())

    def ended(self) -> int:
        """Read on until the program has ended, and return its exit code."""
        while True:
            try:
                data = os.read(self.mine, 65536)
            except OSError:
                break
            if not data:
                break
            self.output += data.decode(errors="replace")
        os.close(self.mine)
        return self.process.wait(PATIENCE)


def look(where: str) -> None:
    """Open a game, see both views, and leave; the terminal is then as it was."""
    terminal = Terminal("play", "--address", where, "--user", "me", "--password", "me's word")
    terminal.read("owners (v)")
    terminal.type("v")
    terminal.read("resources (v)")
    terminal.type("q")
    assert terminal.ended() == 0
    assert "\x1b[?1049l" in terminal.output
    assert "Traceback" not in terminal.output


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["swarm", "antshouse", "colony_battle", "taller_ants"])
def test_both_views(game: str) -> None:
    """Games that the client has never heard of open in both views."""
    with opened(game) as where:
        look(where)


@pytest.mark.thorough
def test_both_views_of_tae(tae: str) -> None:
    look(tae)


@pytest.mark.thorough
def test_a_turn_of_tae(tae: str, play: Any) -> None:
    """On the real server, an order is refused at its parameter, corrected, given, drawn as a path, and carried out."""

    async def scene(player: Any) -> None:
        link, screen = player.game_screen.link, player.game_screen
        settler = next(
            one for one in link.universe.own() if [o.name for o in link.universe.offers(one)] == ["Colonize"]
        )
        screen.go_to(settler.id)
        await player.press("o")
        await player.until(lambda: screen.form is not None)
        (field,) = screen.form.fields
        field.text = "4, 10"
        await player.sees("Refused: 4, 10 has the wrong ground")
        assert field.has_class("-wrong")
        field.text = "0, 5"
        await player.sees("The server would take it: Colonize: Star System = 0, 5")
        await player.press("ctrl+s")
        await player.hears("Given to Colonist Fleet")
        await player.until(lambda: "1" in screen.map.path_signs.values(), "no path is drawn")
        await player.sees("0 Colonize: Star System")
        await player.press("f")
        await player.sees("Turn 2: ")
        await player.sees("Your order Colonize to 0, 5 was carried out.")
        assert settler.id not in link.universe.objects

    play(tae, scene, "me", size=(160, 50))


@pytest.mark.thorough
def test_without_colours(tae: str) -> None:
    """With NO_COLOR nothing is colored. Shapes and brackets replace the colors."""
    terminal = Terminal(
        "play", TPCLIENT_ADDRESS=tae, TPCLIENT_USER="me", TPCLIENT_PASSWORD="me's word", NO_COLOR="1", columns=100
    )
    terminal.read("owners (v)")
    terminal.read("●")
    terminal.read("[")
    terminal.type("q")
    assert terminal.ended() == 0
    colours = re.findall(r"\x1b\[[0-9;]*(?:38;2;(\d+);(\d+);(\d+))", terminal.output)
    assert all(red == green == blue for red, green, blue in colours), set(colours)


@pytest.mark.thorough
def test_twenty_columns(tae: str) -> None:
    terminal = Terminal("play", "--address", tae, "--user", "me", "--password", "me's word", columns=20)
    terminal.read("columns and 24")
    terminal.type("q")
    assert terminal.ended() == 0


def test_no_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TPCLIENT_PASSWORD", "secret")
    assert main(["play", "--user", "me"]) == 2
    assert capsys.readouterr().err == (
        "tpclient: tpclient play needs a terminal; scripts use the plain commands, as tpclient status.\n"
    )
    assert main(["play", "--user", "me", "--json"]) == 2
    assert "has no --json" in capsys.readouterr().err
    assert main(["play", "--user", "me", "--password-stdin"]) == 2
    assert "give the password with --password or TPCLIENT_PASSWORD" in capsys.readouterr().err


def test_without_textual(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the extra is not installed, a sentence names it, and the other commands do not mind."""
    monkeypatch.setitem(sys.modules, "textual", None)
    assert main(["play"]) == 1
    assert capsys.readouterr().err == (
        "tpclient: tpclient play needs Textual, which is the extra \"terminal\": pip install 'tpserver[terminal]'.\n"
    )


def test_the_other_commands_do_without_textual() -> None:
    """Nothing of Textual is loaded before `play` runs."""
    code = "import sys, tpclient.cli; sys.exit(any(name.partition('.')[0] == 'textual' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
