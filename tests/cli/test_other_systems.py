"""Files and input from other systems: byte order marks, line ends, quotes."""

from __future__ import annotations

import io
from argparse import Namespace
from pathlib import Path

import pytest

from tpserver.admin.console import read_password
from tpserver.cli.commands import Failed, _password
from tpserver.cli.options import _file_text
from tpserver.config import ConfigError, load
from tpserver.notices import mail

MARK = "\ufeff".encode()
WORD = "correct horse"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file"


def test_a_configuration_of_another_system_is_read(file: Path) -> None:
    """With a byte order mark and the line ends of Windows."""
    file.write_bytes(MARK + b'[server]\r\nname = "Friday"\r\n\r\n[accounts]\r\npolicy = "closed"\r\n')
    assert load(file).accounts.policy == "closed"


@pytest.mark.parametrize("line", ["policy = “closed”", "policy = 'closed’", "policy\u00a0= 'closed'"])
def test_what_a_word_processor_made_of_a_configuration_is_said(file: Path, line: str) -> None:
    file.write_text(f"[accounts]\n{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"line 2.*; write plain quotes and plain spaces"):
        load(file)


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n", b"\r\nmore\r\n"])
@pytest.mark.parametrize("before", [b"", MARK])
def test_a_password_file_holds_its_first_line(file: Path, before: bytes, ending: bytes) -> None:
    """For consoles and for the mail server, whatever stands around it."""
    file.write_bytes(before + b"a-long-password" + ending)
    assert read_password(file) == "a-long-password"
    if b"more" not in ending:
        assert mail.password_in(file) == "a-long-password"


def test_a_map_of_another_system_is_read(file: Path) -> None:
    file.write_bytes(MARK + b"A.A.\r\n.M..\r\n")
    assert _file_text("board", str(file)) == "A.A.\n.M..\n"


def typed(monkeypatch: pytest.MonkeyPatch, data: bytes, errors: str = "strict") -> str:
    """The password that a command reads from these bytes."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8", errors))
    return _password(Namespace(password=None, password_stdin=True, name="ada"))


@pytest.mark.parametrize("data", [b"correct horse", b"correct horse\r\n", MARK + b"correct horse\nmore\n"])
def test_a_password_is_read_from_standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    assert typed(monkeypatch, data) == WORD


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_bytes_that_are_no_text_are_said(monkeypatch: pytest.MonkeyPatch, errors: str) -> None:
    """In the locale C, too, where Python reads them as halves of characters."""
    with pytest.raises(Failed, match="is not UTF-8 text"):
        typed(monkeypatch, b"caf\xe9\n", errors)
