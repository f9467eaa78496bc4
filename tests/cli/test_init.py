"""`tpserver init`: files that work unchanged, and no file overwritten."""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.certificates import certificate_pem, new_key, private_pem
from tests.support.process import run
from tpserver.cli import main, setting_up
from tpserver.config import KEYS, Config, load

Run = Callable[..., Any]


def test_its_configuration_is_one_and_keeps_the_defaults(tmp_path: Path, tpserver: Run) -> None:
    """But for a turn a day and backups."""
    said = tpserver("init", tmp_path / "friends")
    assert said.code == 0
    written = load(tmp_path / "friends" / "tpserver.toml")
    assert written.server.data == tmp_path / "friends" / "data"
    assert written.games.clock == "interval:86400"
    assert (written.backup.every_hours, written.backup.keep) == (24, 14)
    assert written.limits == Config().limits
    assert (tmp_path / "friends" / "data").stat().st_mode & 0o777 == 0o700
    assert sorted(one.name for one in (tmp_path / "friends").iterdir()) == ["data", "tpserver.service", "tpserver.toml"]


def test_what_it_proposes_in_comments_is_a_configuration_too(tmp_path: Path, tpserver: Run) -> None:
    """Each line can be used as it stands, under the section that stands above it."""
    assert tpserver("init", tmp_path / "friends").code == 0
    file = tmp_path / "friends" / "tpserver.toml"
    chosen = [name for name, table in tomllib.loads(file.read_text()).items() if table]
    assert chosen == ["server", "listen", "games", "backup"]
    file.write_text(re.sub(r"(?m)^# (?=\w+ = )", "", file.read_text()))
    assert {section: table.keys() for section, table in tomllib.loads(file.read_text()).items()} == {
        section: keys.keys() for section, keys in KEYS.items()
    }
    written = load(file)
    assert (written.games.clock, written.backup.every_hours, written.server.name) == ("interval:86400", 24, "tpserver")
    assert (written.listen.port, written.metrics.port, written.limits) == (6923, 9123, Config().limits)


def test_what_is_said_is_in_it(tmp_path: Path, tpserver: Run) -> None:
    key = new_key()
    (tmp_path / "c.pem").write_bytes(certificate_pem(key))
    (tmp_path / "k.pem").write_bytes(private_pem(key))
    words = ("--name", 'Ann\'s "ants" 🐜', "--address", "0.0.0.0", "--origin", "https://games.example.org")
    files = ("--certificate", tmp_path / "c.pem", "--key", tmp_path / "k.pem")
    assert tpserver("init", tmp_path / "x", *words, *files).code == 0
    written = load(tmp_path / "x" / "tpserver.toml")
    assert written.server.name == 'Ann\'s "ants" 🐜'
    assert (written.listen.address, written.tls.address) == ("0.0.0.0", "0.0.0.0")
    assert (written.tls.certificate, written.tls.key) == (tmp_path / "c.pem", tmp_path / "k.pem")
    assert written.web.origins == ("https://games.example.org",)


@pytest.mark.parametrize("there", ["tpserver.toml", "tpserver.service", "data"])
def test_nothing_is_overwritten(tmp_path: Path, tpserver: Run, there: str) -> None:
    (tmp_path / there).write_text("precious")
    said = tpserver("init", tmp_path)
    assert (said.code, said.err.count("\n")) == (1, 1)
    assert f"{there} exists, and is not overwritten" in said.err
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [(there, "precious")]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--name", "a\nb"), "server.name is 'a\\nb', but must be"),
        (("--origin", "games.example.org"), "item 1 of web.origins"),
        (("--key", "k.pem"), "--key is given, but --certificate is not"),
        (("--certificate", "none.pem"), "none.pem: the certificate cannot be read"),
    ],
)
def test_what_is_wrong_is_a_sentence_and_leaves_nothing(
    tmp_path: Path, tpserver: Run, words: tuple[str, ...], sentence: str
) -> None:
    said = tpserver("init", tmp_path / "new", *words)
    assert (said.code, said.err.count("\n")) == (1, 1)
    assert sentence in said.err
    assert not (tmp_path / "new").exists()


def test_the_unit_says_what_systemd_needs(tmp_path: Path, tpserver: Run) -> None:
    """Paths with what has a meaning in units are words that mean themselves."""
    place = tmp_path / "100% ours"
    said = tpserver("init", place, "--user", "games")
    assert said.code == 0
    assert f"  sudo chown -R games '{place}'" in said.lines, "the server writes there"
    unit = (place / "tpserver.service").read_text()
    assert f'run --config "{tmp_path}/100%% ours/tpserver.toml"\n' in unit
    assert "Type=notify\n" in unit
    assert "WatchdogSec=30\n" in unit
    assert "User=games\n" in unit
    assert f'ReadWritePaths="{tmp_path}/100%% ours"\n' in unit


@pytest.mark.parametrize(
    ("words", "user", "says"),
    [
        ((), "tpserver", "sudo useradd --system --home-dir {place} --shell /usr/sbin/nologin tpserver"),
        (
            ("--user", "root"),
            "root",
            "# The unit runs the server as root, which it never needs: better say --user NAME.",
        ),
        (("--user", "nobody"), "nobody", "sudo chown -R nobody {place}"),
    ],
)
def test_a_unit_that_root_makes_does_not_run_the_server_as_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, words: tuple[str, ...], user: str, says: str
) -> None:
    """Unless that is asked for; what is to be done first is said."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("getpass.getuser", lambda: "root")
    assert main(["init", str(tmp_path / "x"), *words]) == 0
    assert f"User={user}\n" in (tmp_path / "x" / "tpserver.service").read_text()
    said = capsys.readouterr().out
    assert f"  {says.format(place=tmp_path / 'x')}\n" in said
    assert ("sudo -u" in said) == (user != "root")


def test_a_server_that_needs_a_home_sees_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may read the directories of users only if its files, program or certificate are there."""
    assert setting_up.protect_home(Path("/opt/x"), Path("/srv/y")) == "yes"
    for place in ("/home/ann/server", "/root/server", "/run/user/1000/x"):
        assert setting_up.protect_home(Path("/opt/x"), Path(place)) == "read-only"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_understands_the_unit_and_rates_it_well(tmp_path: Path, tpserver: Run) -> None:
    assert tpserver("init", tmp_path / "x", "--user", "games").code == 0
    unit = tmp_path / "x" / "tpserver.service"
    done = run("systemd-analyze", "verify", unit)
    assert "tpserver.service" not in done.err, done.err
    rated = run("systemd-analyze", "security", "--offline=true", "--threshold=30", unit)
    assert rated.code == 0, rated.out


@pytest.mark.thorough
def test_a_server_runs_from_it(tmp_path: Path, tpserver: Run, start: Any) -> None:
    """As the output says, but for the ports, which others may have."""
    assert tpserver("init", tmp_path / "x").code == 0
    config = tmp_path / "x" / "tpserver.toml"
    config.write_text(re.sub(r"(?m)^# (?=port = (6923|8080))", "", config.read_text()))
    config.write_text(re.sub(r"(?m)^port = (6923|8080)", "port = 0", config.read_text()))
    assert tpserver("account", "add", "ann", "--password", "word", "--config", config).code == 0
    server = start("run", "--config", config)
    server.wait_for("listens on tp://127.0.0.1")
    server.wait_for("backup: Backup")
    assert server.stop() == 0
