"""Replay of all kept fuzzing inputs, without atheris.

Old faults stay fixed, and the checks of the targets notice a fault.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from twisted.internet.defer import Deferred, fail
from twisted.logger import Logger

from tests.fuzzing import corpora
from tests.fuzzing.target import Finding, Target, always, expect_sentence, pieces, some, trial
from tests.fuzzing.targets import MODULES, find

log = Logger(namespace="tpserver.test")

PATIENCE = 20
"""By what factor an input may take longer here: whether something became quadratic is seen, and not what else runs."""


@pytest.mark.parametrize("name", MODULES)
def test_nothing_is_wrong_with_any_entry(name: str) -> None:
    """The entries of the archive, and some of the seeds."""
    target = find(name)
    with trial(target, PATIENCE) as tried:
        for data in [*corpora.read(name).values(), *some(target.seeds(), target.few)]:
            tried(data)


def _found(target: Target, data: bytes = b"x") -> str:
    with pytest.raises(Finding) as found, trial(target) as tried:
        tried(data)
    return str(found.value)


def _target(take: object) -> Target:
    return Target("made-up", "for the oracles", always(take), list)  # type: ignore[arg-type] # any function


def test_what_is_logged_as_an_error_is_found() -> None:
    """With its traceback, also if it was caught; what should be logged is not."""

    def caught(data: bytes) -> None:
        try:
            raise KeyError("inside")
        except KeyError:
            log.failure("It failed")

    assert "KeyError: 'inside'" in _found(_target(caught))

    def told(data: bytes) -> None:
        log.error("The link is closed")

    assert _found(_target(told)) == "The link is closed"
    with trial(replace(_target(told), logged=["The link"])) as tried:
        tried(b"x")


def test_what_fails_where_nobody_looks_is_found() -> None:
    def lost(data: bytes) -> None:
        waiting: Deferred[None] = fail(RuntimeError("nobody looks"))
        waiting.cycle = waiting  # type: ignore[attr-defined] # so that only the collector finds it

    assert "nobody looks" in _found(_target(lost))


def test_what_takes_too_long_or_too_much_is_found() -> None:
    def long(data: bytes) -> None:
        sum(range(3_000_000))

    assert "ms" in _found(replace(_target(long), seconds=0.001))

    def much(data: bytes) -> None:
        bytes(range(256)) * (80_000)

    assert "MB" in _found(_target(much))


def test_a_refusal_that_is_no_sentence_is_found() -> None:
    expect_sentence("There is no such thing.", 4)
    for text, code in (
        ("there is no such thing.", 4),
        ("No.", 4),
        ("There is no such thing", 4),
        ("There is no such thing.", 99),
    ):
        with pytest.raises(Finding):
            expect_sentence(text, code)


@pytest.mark.parametrize("how", [0, 1, 2, 200])
def test_bytes_are_cut_without_losing_any(how: int) -> None:
    data = bytes(range(256)) * 3
    assert b"".join(pieces(data, how)) == data
    assert pieces(b"", how) == []


def test_an_entry_has_a_name_that_says_what_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(corpora, "DIRECTORY", tmp_path)
    assert corpora.read("streams") == {}
    corpora.add("streams", "half-a-header", b"TP03")
    assert corpora.read("streams") == {"half-a-header": b"TP03"}
    for name in ("Half a header", "", corpora.name_of(b"x")):
        with pytest.raises(ValueError, match="no name for a fault"):
            corpora.add("streams", name, b"x")
    with pytest.raises(ValueError, match="another entry"):
        corpora.add("streams", "half-a-header", b"TP04")


def test_who_has_no_atheris_is_told_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.fuzzing import __main__ as program

    missing = subprocess.CompletedProcess([], 1)
    monkeypatch.setattr(program.subprocess, "run", lambda *words, **more: missing)
    monkeypatch.setattr(sys, "argv", ["fuzzing", "streams"])
    assert program.main() == 2
    assert "--editable '.[fuzz]'" in capsys.readouterr().err


def test_each_target_says_what_it_is(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.fuzzing import __main__ as program

    monkeypatch.setattr(sys, "argv", ["fuzzing"])
    assert program.main() == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(MODULES)
    with ExitStack() as stack:
        assert callable(find("streams").make(stack))
