"""Commands of an administration console: operator's commands typed in one line.

A console splits a line at its spaces. It sends all parameters of a command or none, and no empty ones. So each command
is one word, and `-` stands for an omitted text. A console cannot omit a number.

Some commands are missing on consoles. `game import`, `account export`, and `account remove` and `game delete` after an
export need a file on the server's machine. Roles are missing. So are `restart`, which would end the console, and `node
drain` and `undrain`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tpproto import tp_pb2 as tp
from tpserver.admin.commands import COMMANDS
from tpserver.admin.commands.declaration import CommandArgument, OperatorCommand
from tpserver.admin.socket_protocol import OperationError

TEXT, NUMBER = 0, 1
"""The types of parameters, as on the wire."""

NOT_GIVEN = "-"

_BY_NUMBER = {one.console: one for one in COMMANDS.values() if one.console is not None}

NUMBERED = tuple(_BY_NUMBER[number] for number in range(len(_BY_NUMBER)))
"""The commands; the id of each is its position."""


def parameters(command: OperatorCommand) -> list[CommandArgument]:
    """Return the arguments of a command that consoles have as parameters."""
    return [one for one in command.arguments.values() if one.is_required or one.console]


def described(command: OperatorCommand, modtime: int) -> tp.CommandDesc:
    """Return the description of a command, with the time of its last change in unix seconds."""
    name = command.name.replace(" ", "-")
    words = "".join(f" {one.name.upper()}" for one in parameters(command))
    return tp.CommandDesc(
        id=command.console,
        name=name,
        help=f"{name}{words}: {command.help}",
        parameters=[
            tp.CommandParameterDesc(name=one.name, type=_type(one), description=_description(one))
            for one in parameters(command)
        ],
        modtime=modtime,
    )


def arguments(command: OperatorCommand, given: Sequence[tp.CommandParameter]) -> dict[str, Any]:
    """Return the arguments for a command.

    Raises OperationError. The number of ``given`` values is that of the parameters.
    """
    read: dict[str, Any] = {}
    for one, value in zip(parameters(command), given, strict=True):
        text = value.text.text
        if _type(one) == NUMBER:
            read[one.name] = value.number.number
        elif one.is_required or text != NOT_GIVEN:
            read[one.name] = _map(one.name, text) if one.type is dict else text
    return read


def _type(argument: CommandArgument) -> int:
    return NUMBER if argument.type is int else TEXT


def _description(argument: CommandArgument) -> str:
    anything = "anything: " if argument.value is not None else ""
    commas = ", with commas between" if argument.type is dict else ""
    omitted = "" if argument.is_required or _type(argument) == NUMBER else f" ({NOT_GIVEN}: not said)"
    return f"{anything}{argument.help}{commas}{omitted}"


def _map(name: str, text: str) -> dict[str, str]:
    pairs = {}
    for pair in text.split(","):
        key, found, value = pair.partition("=")
        if not key or not found:
            raise OperationError(f"write {name} as K=V, with commas between, or {NOT_GIVEN} for none")
        if key in pairs:
            raise OperationError(f"the option {key!r} is given twice")
        pairs[key] = value
    return pairs
