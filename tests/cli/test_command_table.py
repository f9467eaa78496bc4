"""Operator's commands: the frozen table in ``command_table.txt``.

It has the words, arguments and help of each command, its number on consoles, the roles that may give it, and whether
the audit gets it. A role or an audit entry is a decision about security. A change of a line needs a reason in its
commit.
"""

from __future__ import annotations

import io
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.command_page import PAGE, written
from tpserver.admin import console_commands, roles
from tpserver.admin.commands import COMMANDS
from tpserver.cli import main

TABLE = Path(__file__).with_name("command_table.txt")
COMMON = ("-h", "--debug", "--data", "--config", "--new")
"""Options of every command, or of every command about stored data."""


class Helps:
    """Help texts of the command line."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def of(self, *words: str) -> list[str]:
        with pytest.raises(SystemExit):
            main([*words, "--help"])
        return self._capsys.readouterr().out.splitlines()

    def commands(self, *words: str) -> Iterator[tuple[str, ...]]:
        """Yield the words of all commands that begin with these."""
        inner = [match[1] for line in self.of(*words) if (match := re.match(r" {4}([a-z-]+)(?:  |$)", line))]
        if not inner:
            yield words
        for word in inner:
            yield from self.commands(*words, word)

    def arguments(self, words: tuple[str, ...]) -> list[str]:
        """Return the description of a command and a line for each of its own arguments, options sorted."""
        _, _, text = "\n".join(self.of(*words)).partition("\n\n")
        text = re.sub(r"\n {20,}", "  ", text)
        lines = [re.sub(r"  +", ": ", line.strip()) for line in text.splitlines() if line and not line.endswith(":")]
        own = [f"  {line}" for line in lines if not line.startswith(COMMON)]
        return sorted(own, key=lambda line: line if line.startswith("  -") else "")


@pytest.fixture
def helps(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Helps:
    monkeypatch.setenv("COLUMNS", "1000")
    return Helps(capsys)


def operation_lines() -> Iterator[str]:
    """Yield what is declared of each operation, and of its console command."""
    for name, command in sorted(COMMANDS.items()):
        may = [role for role, some in roles.BY_ROLE.items() if name in some]
        number = "none" if command.console is None else str(command.console)
        yield f"{name} | console {number} | roles {' '.join(may) or 'none'} | audit {command.audit}"
        if command.console is not None:
            described = console_commands.described(command, 0)
            yield f"  {described.help}"
            yield from (
                f"  {one.name} {('text', 'number')[one.type]}: {one.description}" for one in described.parameters
            )


def role_lines() -> Iterator[str]:
    for role, names in roles.BY_ROLE.items():
        yield f"{role}: {', '.join(names)}"


EVERY_OPTION = (
    "game create every --ruleset tae --seats 3 --bots 1 --clock manual --join invited --absent-after 2 --absent bot",
    "game create every --ruleset tae --seats 3 --roll-call 60 --silent-days 3 --seek yes --reliability 50 --seed 7",
    "game create every --ruleset tae --seats 3 --press public --anonymous yes --watch-delay 2 --guests silent",
    "game create every --ruleset tae --seats 3 --option duration=5",
    "game seats every --absent-after 2 --absent bot --roll-call 60 --silent-days 3 --seek no --reliability 50",
    "game delete every --without-export",
    "account add admin --password secret --reserved",
    "account role bob bot --reason why",
    "account enable bob --reason why",
    "account remove bob --without-export --reason why",
    "report list --closed",
    "report close 2 silenced --reason why --days 7",
    "audit --most 5",
)


def request_lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Yield what a running server is asked for by each example of the page of commands, and by all options."""
    asked: list[str] = []

    def ask(directory: Path, operation: str, arguments: Mapping[str, Any]) -> list[str]:
        asked.append(f"{operation} {json.dumps(dict(sorted(arguments.items())))}")
        return ["done"]

    # First where it is imported by name: loaded later, this module would keep the substitute.
    for module in ("tpserver.cli.archives", "tpserver.admin.socket_client"):
        monkeypatch.setattr(f"{module}.ask_running", ask)
    text = PAGE.read_text().replace("$CONFIG", "")
    examples = re.findall(r"(?m)^    tpserver ((?:account|audit|game|node [^l]|reload|report|restart)[^#\n]*)", text)
    for line in (*(line.strip() for line in examples if "game delete" not in line), *EVERY_OPTION):
        monkeypatch.setattr("sys.stdin", io.StringIO("from-input\n"))
        assert main(shlex.split(line)) == 0
        yield line
        yield f"  {asked.pop()}"


def test_the_commands_are_the_frozen_ones(helps: Helps, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lines = ["# OPERATION | CONSOLE | ROLES | AUDIT, then its console command", *operation_lines()]
    lines += ["# ROLE: OPERATIONS, in their order on the wire", *role_lines()]
    lines += ["# COMMAND of the command line, then its description and arguments"]
    for words in sorted(helps.commands()):
        lines += [" ".join(("tpserver", *words)), *helps.arguments(words)]
    monkeypatch.chdir(tmp_path)
    lines += ["# EXAMPLE, then the request to a running server", *request_lines(monkeypatch)]
    assert lines == TABLE.read_text().splitlines()


def test_the_page_is_what_the_declarations_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == written(), "run python -m tests.command_page"
