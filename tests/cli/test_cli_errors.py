"""Command line errors: one sentence that names the mistake and a remedy.

No error leaves anything half-made.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

CREATE = ("game", "create", "g", "--ruleset", "auction", "--seats", "2")

COMMANDS = (
    "run, report, account, audit, game, node, ruleset, replay, init, reload, restart, doctor, backup, restore, export, "
    "import, archive, metaserver or play"
)

USAGE = [
    ((), "COMMAND is missing"),
    (("plya", "tae"), f"COMMAND is 'plya', but must be {COMMANDS}; did you mean play?"),
    (("game",), "ACTION is missing"),
    (("game", "lsit"), "ACTION is 'lsit', but must be create, list, show"),
    (("game", "create"), "NAME, --ruleset, --seats are missing"),
    (("game", "show"), "NAME is missing"),
    ((*CREATE[:-1], "two"), "--seats: 'two' is not a number of seats from 1 to 1000"),
    ((*CREATE[:-1], "0"), "--seats: '0' is not a number of seats from 1 to 1000"),
    ((*CREATE[:-1], "9" * 5000), "is not a number of seats from 1 to 1000"),
    ((*CREATE, "--bots", "-1"), "--bots"),
    ((*CREATE, "--join", "anyone"), "--join is 'anyone', but must be open or invited"),
    ((*CREATE, "--seeds", "7"), "there is no option --seeds; did you mean --seed?"),
    ((*CREATE, "more"), "'more' is one word too many"),
    ((*CREATE, "--data", ""), "--data: a path cannot be empty"),
    (("run", "--port", "99999"), "--port: '99999' is not a port; ports go from 0 (any free one) to 65535"),
    (("run", "--port", "tp"), "--port: 'tp' is not a port"),
    (
        ("run", "--accounts", "opne"),
        "--accounts is 'opne', but must be open, register, closed or lockdown; did you mean open?",
    ),
    (("run", "--config", "{tmp}/none.toml"), "none.toml: the configuration cannot be read"),
    (("run", "--config", "{tmp}/bad.toml"), "there is no key accounts.polcy; did you mean policy?"),
    (("run", "--web-port", "http"), "--web-port: 'http' is not a port"),
    (("run", "--web", "off", "--web-port", "1"), "--web-port: not allowed with argument --web"),
    (("run", "--web", "\t"), "--web is '\\t', but must be off, or an endpoint string such as"),
    (("run", "--config", "{tmp}/web.toml"), "web.endpoint and web.port are both set"),
    (("run", "--config", "{tmp}/origin.toml"), 'a list of origins such as "https://games.example.org", without a path'),
    (("run", "--prot", "1"), "there is no option --prot; did you mean --port?"),
    (("game", "show", "\udcff"), "is not UTF-8 text"),
    (("play", "tae", "--until"), "there is no option --until; did you mean --until-end?"),
    (("account", "add", "ada", "--password", "x", "--password-stdin"), "not allowed with argument"),
]

REFUSED = [
    (("play", "tea"), "there is no ruleset 'tea'; did you mean tae?"),
    (("play", "tae", "--seats", "9"), "tae is played by 2 to 4, not 9"),
    (("play", "tae", "--bots", "5", "--seats", "4"), "bots can take 0 to 4 of 4 seats, not 5"),
    (("play", "tae", "--option", "bord=x"), "option bord: there is no such option; did you mean board?"),
    (("play", "tae", "--option", "board=@{tmp}/none.map"), "none.map' cannot be read: no such file or directory"),
    (("play", "tae", "--option", "board=@{tmp}/bad.map"), "option board: "),
    (("play", "tae", "--option", "board=@{tmp}/latin.map"), "latin.map, line 2: this is not UTF-8 text"),
    (("play", "tae", "--option", "board"), "--option 'board': write K=V, or K=@FILE"),
    (("play", "tae", "--option", "actions=1", "--option", "actions=2"), "--option actions is given twice"),
    (("play", "tae", "--option", "actions=many"), "option actions: 'many' is not a whole number from 1 to 6"),
    (("play", "brittle", "--option", "setup=raises"), "ruleset brittle failed to set up a game: Broken: setup broke"),
    (("play", "missing"), "ruleset missing cannot be used: loading test_games.nowhere:RULESET failed"),
    ((*CREATE[:4], "auktion", "--seats", "2"), "there is no ruleset 'auktion'; did you mean auction?"),
    (
        (*CREATE, "--clock", "often"),
        "'often' is not a clock; say manual, all-done, interval:SECONDS, threshold:PERCENT:SECONDS or calendar:",
    ),
    ((*CREATE, "--clock", "interval:0"), "seconds go from 1 to"),
    ((*CREATE, "--option", "rounds=0"), "option rounds: '0' is not a whole number from 1 to 1000"),
    ((*CREATE, "--bots", "3"), "bots can take 0 to 2 of 2 seats, not 3"),
    (("game", "create", "../g", "--ruleset", "auction", "--seats", "2"), "'../g' is not a name for a game"),
    *(
        (arguments, "the first account or game makes it; if it is elsewhere, say --config FILE as for tpserver run")
        for arguments in (("game", "list"), ("game", "show", "g"), ("replay", "g"), ("backup",), ("export", "g"))
    ),
    (("node", "list"), "this server is in no cluster: the configuration has no [cluster] address"),
    (("account", "add", "a@b", "--password", "x"), "a name has no @"),
    (("account", "add", "ada", "--password", ""), "a password has 1 to 1024 characters"),
    (("run", "--port", "{taken}"), "port {taken} of 127.0.0.1 is in use by another program"),
    (("ruleset", "show", "tea"), "there is no ruleset 'tea'; did you mean tae?"),
    (("ruleset", "check", "nameless"), "ruleset nameless cannot be used: it does not declare a version of its own"),
]

REFUSED_BY_PROCESSES = [
    (("run", "--listen", "tpc:6923"), "endpoint 'tpc:6923' cannot be used: Unknown endpoint type"),
    (
        ("run", "--web-port", "{taken}"),
        "port {taken} of 127.0.0.1 is in use by another program: stop that one, or choose another port (browsers:",
    ),
    (("run", "--web", "tcq:80"), "endpoint 'tcq:80' cannot be used: Unknown endpoint type"),
    (("play", "tae", "--port", "{taken}"), "port {taken} of 127.0.0.1 is in use by another program"),
]
"""More of those that only a process finds."""

WITHOUT_A_PLACE = ("ruleset",)
SERVING = ("run", "play")
"""Commands that start a reactor, of which a process has one only."""


@pytest.fixture
def places(tmp_path: Path) -> Any:
    """Files that are wrong in one way each, and a port that is taken."""
    (tmp_path / "bad.toml").write_text("[accounts]\npolcy = 'open'\n")
    (tmp_path / "web.toml").write_text("[web]\nport = 1\nendpoint = 'off'\n")
    (tmp_path / "origin.toml").write_text("[web]\norigins = ['https://games.example.org/']\n")
    (tmp_path / "bad.map").write_text("...\n..X\n")
    (tmp_path / "latin.map").write_bytes(b"...\n..\xe9\n")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield {"tmp": tmp_path, "taken": taken.getsockname()[1]}


def _filled(texts: tuple[str, ...], places: dict[str, Any]) -> list[str]:
    return [text.format(**places) for text in texts]


def _sentence(said: Any) -> str:
    assert said.out == ""
    assert said.err.startswith("tpserver: ")
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err
    return str(said.err)


@pytest.mark.parametrize(("arguments", "sentence"), USAGE, ids=[" ".join(case[0])[:50] for case in USAGE])
def test_wrong_command_lines_are_usage_errors(
    arguments: tuple[str, ...], sentence: str, places: dict[str, Any], tpserver: Run, tmp_path: Path
) -> None:
    """Code 2, one sentence on standard error, nothing on standard output, nothing made."""
    before = set(tmp_path.iterdir())
    said = tpserver(*_filled(arguments, places))
    assert sentence in _sentence(said)
    assert said.code == 2
    assert set(tmp_path.iterdir()) == before


@pytest.mark.thorough
@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "brittle", "--option", "setup=raises"),
        ("game", "create", "g", "--ruleset", "brittle", "--seats", "2", "--option", "setup=raises"),
    ],
)
def test_a_ruleset_that_raises_is_one_sentence_in_a_process_of_its_own(
    arguments: tuple[str, ...], process: Run, tmp_path: Path
) -> None:
    """No library prints a traceback of its own before it."""
    ports = ("--port", "0", "--web-port", "0") if arguments[0] == "play" else ()
    said = process(*arguments, *ports, "--data", tmp_path / "data")
    assert "Broken: setup broke" in _sentence(said)
    assert said.code == 1
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [*REFUSED, *(pytest.param(*case, marks=pytest.mark.thorough) for case in REFUSED_BY_PROCESSES)],
    ids=[" ".join(case[0])[:50] for case in [*REFUSED, *REFUSED_BY_PROCESSES]],
)
def test_what_cannot_be_done_is_one_sentence_and_leaves_nothing(
    arguments: tuple[str, ...], sentence: str, places: dict[str, Any], tpserver: Run, process: Run, tmp_path: Path
) -> None:
    """Code 1, one sentence, and not even an empty data directory is left behind."""
    before = set(tmp_path.iterdir())
    starts_a_server = arguments[0] == "run" or "{taken}" in arguments
    serves = arguments[0] in SERVING
    where = [] if arguments[0] in WITHOUT_A_PLACE else ["--data", tmp_path / "data"]
    # Whatever else runs on this machine: no test depends on the usual ports.
    if serves and "--port" not in arguments:
        where += ["--port", "0"]
    if serves and not any(word.startswith("--web") for word in arguments):
        where += ["--web-port", "0"]
    said = (process if starts_a_server else tpserver)(*_filled(arguments, places), *where)
    if starts_a_server:
        # What is wrong with the tests' own rulesets is logged before.
        *_, last = said.err.splitlines(keepends=True)
        said = type(said)(said.code, "", last)
    assert sentence.format(**places) in _sentence(said)
    assert said.code == 1
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", [("game", "list"), ("game", "show", "g"), CREATE, ("replay", "g")])
def test_a_data_directory_that_is_a_file_is_named(command: tuple[str, ...], tpserver: Run, tmp_path: Path) -> None:
    """A file where the directory should be is left alone."""
    (tmp_path / "file").write_text("mine")
    said = tpserver(*command, "--data", tmp_path / "file")
    assert said.code == 1
    assert f"{tmp_path / 'file'} is not a directory" in _sentence(said)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_database_of_somebody_else_is_left_alone(tpserver: Run, tmp_path: Path) -> None:
    """A file of the database's name that is no database is named, and not touched."""
    (tmp_path / "tpserver.sqlite").write_text("a diary")
    said = tpserver("game", "list", "--data", tmp_path)
    assert said.code == 1
    assert "is not a database of tpserver" in _sentence(said)
    assert (tmp_path / "tpserver.sqlite").read_text() == "a diary"


def test_an_unexpected_error_is_one_sentence_and_debug_shows_more(
    tpserver: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of the server is named as such. --debug raises it, to show its place."""

    def fault(*_: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr("tpserver.admin.offline.has_data", fault)
    said = tpserver("game", "list", "--data", tmp_path)
    assert said.code == 1
    assert "unexpected KeyError: 'lost'" in _sentence(said)
    with pytest.raises(KeyError):
        tpserver("game", "list", "--data", tmp_path, "--debug")


@pytest.mark.parametrize("options", [(), ("--password-stdin",)])
def test_at_a_terminal_the_password_is_asked_for_twice_and_not_shown(
    options: tuple[str, ...], tpserver: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it was to come from standard input: nobody types a password blindly, or for all to see."""
    asked: list[str] = []
    typed = iter(["a word", "a word", "a word", "another"])

    def getpass(prompt: str) -> str:
        asked.append(prompt)
        return next(typed)

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", getpass)
    assert tpserver("account", "add", "ada", *options, "--data", tmp_path / "data").out == "Account ada added.\n"
    assert asked == ["Password for ada: ", "Once more: "]
    said = tpserver("account", "add", "ben", *options, "--data", tmp_path / "data")
    assert (said.code, "the two passwords differ" in _sentence(said)) == (1, True)


def test_an_end_of_input_where_a_password_is_asked_for_is_one_sentence(
    tpserver: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-D at the prompt."""

    def getpass(prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", getpass)
    said = tpserver("account", "add", "ada", "--data", tmp_path / "data")
    assert (said.code, _sentence(said)) == (1, "tpserver: no password was typed\n")


def test_a_password_must_come_from_somewhere(process: Run, tmp_path: Path) -> None:
    """Without a terminal to ask at, and without options, the command says what to type."""
    said = process("account", "add", "ada", "--data", tmp_path / "data")
    assert said.code == 1
    assert "say --password-stdin" in _sentence(said)
