"""The commands of an administration console: the operations, as words that somebody types in one line.

A console splits a line at its spaces, sends all parameters of a command or nothing, and no empty ones.  So each command
is one word, and a text that is not given is `-`.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tpproto import tp_pb2 as tp
from tpserver.admin.descriptions import ARGUMENTS, DOES
from tpserver.admin.operations import OPERATIONS
from tpserver.admin.socket_protocol import Refused

TEXT, NUMBER = 0, 1
"""The types of parameters, as on the wire."""

NOT_GIVEN = "-"

NUMBERED = (
    "account add",
    "game create",
    "game list",
    "game show",
    "game invite",
    "game start",
    "game pause",
    "game resume",
    "game close-turn",
    "game extend",
    "game set-clock",
    "reload",
    "game seats",
    "game remove",
    "game give",
    "account list",
    "account reset-password",
    "account rename",
    "account disable",
    "account enable",
    "audit",
    "account silence",
    "account unsilence",
    "report list",
    "report close",
    "game rename",
    "game close",
    "game open",
    "game abort",
    "game players",
    "game watch-delay",
)
"""The operations that are commands; the id of each is its position.  Those that need a file on the server's machine
(`game import`, `account export`, and `account remove` and `game delete` after an export) are none, nor is who has which
role, nor what is about the server's process: `restart`, which would end the console, and `node drain` and `undrain`."""

LEFT_OUT = ("absent_after", "absent", "seek", "reliability", "roll_call", "press", "anonymous", "watch_delay", "guests")
"""Arguments that no command has where they can be left out, as a console cannot leave out a number: what becomes of
absent players, what players may write, whether anybody is told who plays, how late spectators see it, and whether
guests join."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a command, which is the argument `name` of its operation."""

    name: str
    type: int
    optional: bool
    is_map: bool

    @property
    def description(self) -> str:
        note = f" ({NOT_GIVEN}: not said)" if self.optional and self.type == TEXT else ""
        return f"{ARGUMENTS[self.name]}{note}"


@dataclass(frozen=True, slots=True)
class ConsoleCommand:
    """A command, which performs an operation."""

    id: int
    operation: str
    parameters: tuple[Parameter, ...]

    @property
    def name(self) -> str:
        return self.operation.replace(" ", "-")

    def described(self, modtime: int) -> tp.CommandDesc:
        """Return its description, with the time of its last change in unix seconds."""
        words = "".join(f" {parameter.name.upper()}" for parameter in self.parameters)
        return tp.CommandDesc(
            id=self.id,
            name=self.name,
            help=f"{self.name}{words}: {DOES[self.operation]}",
            parameters=[
                tp.CommandParameterDesc(name=one.name, type=one.type, description=one.description)
                for one in self.parameters
            ],
            modtime=modtime,
        )

    def arguments(self, given: Sequence[tp.CommandParameter]) -> dict[str, Any]:
        """Return the arguments of the operation.  Raises Refused.  There are as many `given` as parameters."""
        arguments: dict[str, Any] = {}
        for parameter, value in zip(self.parameters, given, strict=True):
            if parameter.type == NUMBER:
                arguments[parameter.name] = value.number.number
            elif not (parameter.optional and value.text.text == NOT_GIVEN):
                text = value.text.text
                arguments[parameter.name] = _map(parameter.name, text) if parameter.is_map else text
        return arguments


def _map(name: str, text: str) -> dict[str, str]:
    pairs = {}
    for pair in text.split(","):
        key, found, value = pair.partition("=")
        if not key or not found:
            raise Refused(f"write {name} as K=V, with commas between, or {NOT_GIVEN} for none")
        if key in pairs:
            raise Refused(f"the option {key!r} is given twice")
        pairs[key] = value
    return pairs


def _command(number: int, operation: str) -> ConsoleCommand:
    declared = [
        one
        for name, one in inspect.signature(OPERATIONS[operation]).parameters.items()
        if name != "context" and not (name in LEFT_OUT and one.default is not one.empty)
    ]
    return ConsoleCommand(
        number,
        operation,
        tuple(
            Parameter(
                one.name,
                NUMBER if one.annotation == "int" else TEXT,
                one.default is not one.empty,
                one.annotation.startswith("dict"),
            )
            for one in declared
        ),
    )


COMMANDS: tuple[ConsoleCommand, ...] = tuple(_command(number, name) for number, name in enumerate(NUMBERED))
"""All commands, by id."""
