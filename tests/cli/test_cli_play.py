"""`tpserver play`: a server with one game, from first line to final table."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.process import SECONDS, TPCLIENT, TPSERVER, environment, run

Run = Callable[..., Any]

AUCTION = ("play", "auction", "--port", "0", "--web-port", "0", "--option", "rounds=3")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where throw-away servers keep their data."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    return place


@pytest.mark.thorough
def test_bots_play_to_the_end_and_the_same_seed_plays_the_same(process: Run, temporary: Path) -> None:
    """Final table, counts of events, number of turns and digest; nothing is left afterwards."""
    first, second = (process(*AUCTION, "--seats", "2", "--bots", "2", "--seed", "7", "--until-end") for _ in range(2))
    assert first.code == 0
    end = re.search(
        r"\n\nPLACE  NAME   LOTS\n(.*)\n\nsale: 3\n3 turns; digest ([0-9a-f]{64})\n\n(bot-\d has won|A draw: .*)\.\n\Z",
        first.out,
        re.DOTALL,
    )
    assert end, first.out
    assert sorted(line.split()[1] for line in end[1].splitlines()) == ["bot-1", "bot-2"]
    assert re.search(r"^All are here: bot-1, bot-2\.  Round 1$", first.out, re.MULTILINE)
    assert re.search(r"^   1  Round 2\n      Sold: bot-\d gets the lot$", first.out, re.MULTILINE)
    assert _without_port(first.out) == _without_port(second.out)
    assert list(temporary.iterdir()) == []


def test_an_open_seat_is_taken_by_whoever_logs_in(start: Any, temporary: Path) -> None:
    """The welcome says where to connect and that any name will do; so it is, and the game is played to its end."""
    server = start(*AUCTION, "--seats", "2", "--until-end")
    address = server.wait_for(r"listens on tp://(\S+:\d+)\.")[1]
    server.wait_for(r"1 bot, 1 open seat")
    server.wait_for(r"any user name and any password")
    host, port = address.split(":")
    server.wait_for(rf"host {re.escape(host)}, port {port}\n")
    known = ["--address", address, "--user", "ada", "--password", "any"]
    assert run(TPCLIENT, "bot", "--quiet", *known).code == 0
    assert server.end() == 0
    assert re.search(r"^ +\d  ada +\d$", server.said, re.MULTILINE)
    assert list(temporary.iterdir()) == []


@pytest.mark.thorough
def test_ctrl_c_ends_a_game_that_waits(start: Any, temporary: Path) -> None:
    server = start(*AUCTION, "--seats", "3", "--bots", "1")
    server.wait_for(r"Ctrl-C ends it; nothing is kept")
    assert server.stop(signal.SIGINT) == 0
    assert "Traceback" not in server.said
    assert list(temporary.iterdir()) == []


@pytest.mark.thorough
def test_it_ends_when_nobody_reads_what_it_says(temporary: Path) -> None:
    """As in: tpserver play ... | head."""
    command = [TPSERVER, *AUCTION[:-1], "rounds=1000", "--seats", "2", "--bots", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment()) as server:
        assert server.stdout is not None
        assert any(b"All are here" in line for line in server.stdout)
        server.stdout.close()
        assert server.wait(SECONDS) in (0, 1)  # by itself, not by a signal
    assert list(temporary.iterdir()) == []


@pytest.mark.thorough
def test_data_keeps_the_game(process: Run, tpserver: Run, data: Path) -> None:
    """The played game is there afterwards and can be replayed. A second game of the same name does not overwrite it."""
    played = process(*AUCTION, "--seats", "1", "--bots", "1", "--until-end", "--data", data)
    assert played.code == 0
    digest = re.search(r"digest (\w+)", played.out)
    assert digest
    replayed = tpserver("replay", "auction", "--data", data)
    assert replayed.lines[-2].split()[-1] == digest[1]
    again = process(*AUCTION, "--seats", "1", "--bots", "1", "--until-end", "--data", data)
    assert again.code == 1
    assert f"already a game 'auction'; to go on with what is in {data}: tpserver run --data {data}" in again.err


def test_a_usual_port_that_is_taken_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --port another one is found; a port that was asked for is not replaced."""
    from tpserver.cli import playing
    from tpserver.cli.arguments import parse
    from tpserver.cli.options import config_of

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(playing, "PLAIN_PORT", port)
        assert playing.with_free_ports(config_of(parse(["play", "tae", "--web", "off"]))).listen.port == 0
        assert capsys.readouterr().out == f"Port {port} is in use by another program; taking a free one.\n"
        typed = ["play", "tae", "--web", "off", "--port", str(port)]
        assert playing.with_free_ports(config_of(parse(typed))).listen.port == port
    assert playing.with_free_ports(config_of(parse(["play", "tae", "--web", "off"]))).listen.port is None


def test_a_usual_port_for_browsers_that_is_taken_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same for browsers; with --web off nobody asks."""
    from tpserver.cli import playing
    from tpserver.cli.arguments import parse
    from tpserver.cli.options import config_of

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(playing, "WEB_PORT", port)
        assert playing.with_free_ports(config_of(parse(["play", "tae", "--port", "0"]))).web.port == 0
        said = f"Port {port} is in use by another program; taking a free one for browsers.\n"
        assert capsys.readouterr().out == said
        assert (
            playing.with_free_ports(config_of(parse(["play", "tae", "--port", "0", "--web", "off"]))).web.port is None
        )
        assert (
            playing.with_free_ports(config_of(parse(["play", "tae", "--port", "0", "--web-port", "7"]))).web.port == 7
        )
    assert playing.with_free_ports(config_of(parse(["play", "tae", "--port", "0"]))).web.port is None
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("typed", "seats", "bots"),
    [
        ([], 2, 1),
        (["--seats", "4"], 4, 3),
        (["--bots", "2"], 2, 2),
        (["--bots", "3"], 3, 3),
        (["--seats", "3", "--bots", "0"], 3, 0),
    ],
)
def test_seats_and_bots_that_are_not_said(typed: list[str], seats: int, bots: int) -> None:
    """As few seats as the rules allow, bots in all but one."""
    from tpserver.cli import playing
    from tpserver.cli.arguments import parse
    from tpserver.rules.discovery import discover

    wanted = playing.new_game(discover().named("tae"), parse(["play", "tae", *typed]))
    assert (wanted["seats"], wanted["bots"]) == (seats, bots)


def _without_port(text: str) -> str:
    return re.sub(r"tp://\S+", "", text)
