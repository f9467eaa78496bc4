"""The command line: bots over a real socket, exit codes, and one line for each thing that can go wrong."""

import io
import os
import signal
import subprocess
import sys
import threading
from typing import Any

import pytest

from tpclient.cli import main

BOARD = ". . . . / . s . . / . . # . / . . . ."


@pytest.fixture
def served(serve: Any, tae_game: Any) -> Any:
    """A TaE board with two seats that is over after three turns."""
    game = tae_game(BOARD, "mmsspr", "mmsspr")
    game.actions = 1000

    def closed() -> None:
        game.turn += 1
        if game.turn == 4:
            game.over = True
            game.turn_name = "Game over"

    game.closed = closed
    return serve(game)


@pytest.mark.parametrize("dialect", ["tp04", "pb"])
def test_bots_play_until_the_game_is_over(served: Any, dialect: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Two bots in one process, a line for each at the end, exit code 0."""
    users = ["--user", "player0", "--user", "player1", "--password", "secret"]
    assert main(["bots", "--address", served.address, *users, "--dialect", dialect, "--seed", "7"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = sorted(out.splitlines())
    assert lines[0].startswith("player0: the game is over after turn 4; took part in 3 turns, ")
    assert lines[1].startswith("player1: the game is over after turn 4; took part in 3 turns, ")
    assert {player for player, _, _, _ in served.game.given} == {1, 2}


def test_quiet_says_nothing(served: Any, capsys: pytest.CaptureFixture[str]) -> None:
    served.game.seats = [1]
    options = ["--address", served.address, "--user", "player0", "--password", "p", "--policy", "random", "--quiet"]
    assert main(["bot", *options]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_refused_login_is_one_line(served: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "--address", served.address, "--user", "stranger", "--password", "secret"]) == 1
    assert capsys.readouterr() == ("", "tpclient: The server refused Login: Wrong user name or password. (code 5).\n")


@pytest.mark.parametrize("command", ["bot", "bots"])
def test_a_bot_has_no_password_that_others_know(
    served: Any, command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one nothing is sent, least of all --register; TPCLIENT_PASSWORD says it as for every other command."""
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.delenv("TPCLIENT_PASSWORD", raising=False)
    served.game.seats = [1]
    served.server.accounts = set()
    options = [command, "--address", served.address, "--user", "player0", "--register", "--quiet"]
    assert main(options) == 2
    words = "tpclient: Give the password: --password-stdin, --password, or set TPCLIENT_PASSWORD.\n"
    assert capsys.readouterr() == ("", words)
    assert (served.server.accounts, served.server.passwords) == (set(), [])
    monkeypatch.setenv("TPCLIENT_PASSWORD", "said")
    assert main(options) == 0
    assert served.server.passwords == ["said", "said"]


def test_register_makes_the_account(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the login is refused the account is made; the password comes from standard input, without its line end."""
    served.game.seats = [1]
    served.server.accounts = set()
    monkeypatch.setattr("sys.stdin", io.StringIO("geheim\n"))
    options = ["--address", served.address, "--user", "player0", "--register", "--password-stdin", "--quiet"]
    assert main(["bot", *options]) == 0
    assert served.server.accounts == {"player0"}
    assert served.server.passwords == ["geheim", "geheim"]


def test_a_name_and_a_game(served: Any) -> None:
    """--game is said at login, as user@game."""
    served.game.seats = [1]
    options = ["--address", served.address, "--user", "player0", "--password", "secret", "--game", "first", "--quiet"]
    assert main(["bot", *options]) == 0
    assert served.server.logins == ["player0@first"]


def test_nobody_listens(serve: Any, tae_game: Any, capsys: pytest.CaptureFixture[str]) -> None:
    served = serve(tae_game(BOARD, ""))
    served.stop()
    assert main(["bot", "--address", served.address, "--user", "x", "--password", "secret"]) == 1
    assert capsys.readouterr().err == f"tpclient: Cannot connect to tp://{served.address}: nobody listens there.\n"


def test_certificates_that_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    """--certificates is what TLS trusts; nothing is sent before it is read."""
    options = ["--address", "tps://localhost", "--certificates", "none.pem", "--user", "x", "--password", "secret"]
    assert main(["bot", *options]) == 2
    words = "tpclient: The certificates in none.pem cannot be read: No such file or directory.\n"
    assert capsys.readouterr().err == words


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["fly"], "invalid choice: 'fly'"),
        (["bot"], "the following arguments are required: --user"),
        (["bot", "--user", "x", "--address", "host:x"], "'host:x': the port is a number from 1 to 65535."),
        (["bot", "--user", "x", "--timeout", "soon"], "'soon' is no number of seconds from 0 to 86400"),
        (["bot", "--user", "x", "--timeout", "nan"], "'nan' is no number of seconds from 0 to 86400"),
        (["bot", "--user", "x", "--policy", "clever"], "argument --policy: invalid choice: 'clever'"),
        (["bots", "--user", "x", "--password", "a", "--password-stdin"], "not allowed with argument --password"),
    ],
)
def test_wrong_command_lines(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and a sentence that says what is allowed."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


def test_as_a_module_and_interrupted(served: Any) -> None:
    """`python -m tpclient` works; Ctrl-C ends it without a traceback, with code 130."""
    served.game.seats = [2]  # this bot is never awaited
    command = [sys.executable, "-m", "tpclient", "bot", "--address", served.address, "--user", "player0"]
    command += ["--password", "secret"]
    seen = threading.Event()
    answer = served.server.answer

    def watch(wire: Any, kind: str, message: Any) -> Any:
        if kind == "get_player":
            seen.set()
        return answer(wire, kind, message)

    served.server.answer = watch
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as bot:
        assert seen.wait(240)
        os.kill(bot.pid, signal.SIGINT)
        out, err = bot.communicate(timeout=240)
    assert (bot.returncode, out, err) == (130, b"", b"")
