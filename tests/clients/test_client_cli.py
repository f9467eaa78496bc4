"""The command line of bots over a real socket: exit codes and errors.

Each error is one line.
"""

import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from tests.support.memory_client import Served
from tpclient.cli import main
from tpproto import tp_pb2 as tp


def three_turns(served: Served, *users: str) -> list[tp.Login]:
    """Make a game with a seat for each of them that is over after three turns; return the logins to come."""
    logins: list[tp.Login] = []
    served.do(served.server.create, "first", "workshop", len(users), options={"rounds": 3})
    served.server.scripts["login"] = lambda request: logins.append(request.message)
    return logins


@pytest.mark.parametrize("dialect", ["tp04", "pb"])
def test_bots_play_until_the_game_is_over(served: Served, dialect: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Two bots in one process, a line for each at the end, exit code 0."""
    three_turns(served, "ann", "ben")
    users = ["--user", "ann", "--user", "ben", "--password", "secret"]
    options = ["--dialect", dialect, "--seed", "7"]
    assert main(["bots", "--address", served.address, *users, *options]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = sorted(out.splitlines())
    assert lines[0].startswith("ann: the game is over after turn 3; took part in 3 turns, ")
    assert lines[1].startswith("ben: the game is over after turn 3; took part in 3 turns, ")
    assert {(0, "order_insert"), (1, "order_insert")} <= set(served.server.asked)


def test_quiet_says_nothing(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    three_turns(served, "ann")
    options = ["--address", served.address, "--user", "ann", "--password", "p", "--quiet"]
    assert main(["bot", *options]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_refused_login_is_one_line(make_served: Callable[..., Served], capsys: pytest.CaptureFixture[str]) -> None:
    served = make_served(policy="closed")
    assert main(["bot", "--address", served.address, "--user", "stranger", "--password", "secret"]) == 1
    assert capsys.readouterr() == ("", "tpclient: The server refused Login: Wrong user name or password. (code 5).\n")


@pytest.mark.parametrize("command", ["bot", "bots"])
def test_a_bot_has_no_password_that_others_know(
    make_served: Callable[..., Served],
    command: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without one nothing is sent, least of all --register; TPCLIENT_PASSWORD says it as for every other command."""
    served = make_served(policy="register")
    logins = three_turns(served, "ann")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.delenv("TPCLIENT_PASSWORD", raising=False)
    options = [command, "--address", served.address, "--user", "ann", "--register", "--quiet"]
    assert main(options) == 2
    words = "tpclient: Give the password: --password-stdin, --password, or set TPCLIENT_PASSWORD.\n"
    assert capsys.readouterr() == ("", words)
    assert served.server.asked == []
    monkeypatch.setenv("TPCLIENT_PASSWORD", "said")
    assert main(options) == 0
    assert [login.password for login in logins] == ["said", "said"]


def test_register_makes_the_account(make_served: Callable[..., Served], monkeypatch: pytest.MonkeyPatch) -> None:
    """If the login is refused the account is made; the password comes from standard input, without its line end."""
    served = make_served(policy="register")
    logins = three_turns(served, "ann")
    monkeypatch.setattr("sys.stdin", io.StringIO("geheim\n"))
    options = ["--address", served.address, "--user", "ann", "--register", "--password-stdin", "--quiet"]
    assert main(["bot", *options]) == 0
    assert [(login.username, login.password) for login in logins] == [("ann", "geheim")] * 2
    assert served.server.asked.count((None, "create_account")) == 1


def test_a_name_and_a_game(served: Served) -> None:
    """--game is said at login, as user@game."""
    logins = three_turns(served, "ann")
    options = ["--address", served.address, "--user", "ann", "--password", "secret", "--game", "first", "--quiet"]
    assert main(["bot", *options]) == 0
    assert [login.username for login in logins] == ["ann@first"]


def test_nobody_listens(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
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
        (["bots", "--user", "x", "--password", "a", "--password-stdin"], "not allowed with argument --password"),
    ],
)
def test_wrong_command_lines(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and a sentence that says what is allowed."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


def test_as_a_module_and_interrupted(served: Served) -> None:
    """`python -m tpclient` works; Ctrl-C ends it without a traceback, with code 130."""
    three_turns(served, "ann", "ben")  # ben does not come, so the bot waits
    command = [sys.executable, "-m", "tpclient", "bot", "--address", served.address, "--user", "ann"]
    command += ["--password", "secret"]
    seen = threading.Event()
    served.server.scripts["get_player"] = lambda request: seen.set()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as bot:
        assert seen.wait(240)
        os.kill(bot.pid, signal.SIGINT)
        out, err = bot.communicate(timeout=240)
    assert (bot.returncode, out, err) == (130, b"", b"")
