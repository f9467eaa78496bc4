"""`[log] format = "json"`: each log entry of all processes is one object."""

from __future__ import annotations

import json
import sys
import threading
import warnings
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from twisted.logger import Logger, globalLogPublisher

from tests.support.process import TPSERVER, run
from tpserver import log_lines
from tpserver.cli import log as server_log
from tpserver.cli import main
from tpserver.cli.options import Failed
from tpserver.supervisor import supervisor
from tpserver.supervisor.supervisor import Parent


@pytest.fixture(autouse=True)
def undo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put back what a process does with its log once and for all."""
    monkeypatch.setattr(log_lines, "_form", "text")
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    added: list[Any] = []
    add = globalLogPublisher.addObserver
    monkeypatch.setattr(globalLogPublisher, "addObserver", lambda observer: added.append(observer) or add(observer))
    yield
    for observer in added:
        globalLogPublisher.removeObserver(observer)


def objects(text: str) -> list[dict[str, Any]]:
    """The content of each line, which must be an object with a time, a level and a text."""
    found = [json.loads(line) for line in text.splitlines()]
    assert all({"time", "level", "text", "from", "facts"} <= said.keys() for said in found)
    return found


def test_the_parent_writes_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Its lines, warnings of Python, the sentence with which it ends, and what nothing catches."""
    (tmp_path / "tp.toml").write_text('[log]\nformat = "json"\n')
    failures: list[Exception] = [Failed("it cannot be"), OSError("a fault")]

    def fail(parent: Parent) -> int:
        supervisor.say("error", "first\nsecond")
        warnings.simplefilter("always")
        warnings.warn("something is old", stacklevel=1)
        raise failures.pop(0)

    monkeypatch.setattr(Parent, "run", fail)
    for says in ("it cannot be", "unexpected OSError: a fault"):
        assert main(["run", "--debug", "--config", str(tmp_path / "tp.toml")]) == 1
        said = objects(capsys.readouterr().err)
        assert [one["level"] for one in said] == ["error", "warn", "error"]
        assert said[0]["text"] == "first\\nsecond"
        assert "something is old" in said[1]["text"]
        assert says in said[2]["text"]


def test_a_server_process_writes_tracebacks_as_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of failures, and those of threads and finalizers that nothing catches."""
    out = StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    server_log.begin("info", True, "json")

    def fail() -> None:
        raise ValueError("first\nsecond")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    try:
        fail()
    except ValueError:
        Logger().failure("it failed")
    said = objects(out.getvalue())
    assert [one["text"] for one in said] == ["an exception that nothing catches", "it failed"]
    for one in said:
        assert "ValueError" in one["error"]
        assert len(one["traceback"]) > 2


def test_a_child_of_the_parent_says_in_the_same_form_why_it_cannot_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its configuration may have become unreadable since the supervisor has read it."""
    (tmp_path / "tp.toml").write_text("[log")
    monkeypatch.setenv(log_lines.VARIABLE, "json")
    ended = run(TPSERVER, "run", "--no-parent", "--config", tmp_path / "tp.toml")
    assert ended.code == 2
    (said,) = objects(ended.err)
    assert said["level"] == "error"
