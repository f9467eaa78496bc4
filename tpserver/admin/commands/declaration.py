"""Declarations of operator's commands.

A command is a coroutine ``(context, its arguments) -> lines`` under ``@command``. It runs on the reactor's thread of a
server, or in the command line on the store itself. It is the same in both. It raises ``OperationError`` if it is
impossible. The annotations of its parameters declare the arguments. They define the command line, consoles, roles,
audit and the reference page.

A list command returns a ``Listing`` in place of lines. It also has the arguments LIST_ARGUMENTS.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from tpserver.admin.listing import Listing

Perform = TypeVar("Perform", bound=Callable[..., Awaitable[list[str] | Listing]])


@dataclass(frozen=True, slots=True)
class CommandArgument:
    """An argument of a command, created by ``word`` or ``option``."""

    help: str = ""
    metavar: str | None = None
    is_option: bool = False
    choices: Sequence[str] | None = None
    bounds: tuple[str, int, int] | None = None
    """Unit, minimum and maximum of a number on the command line."""
    value: str | bool | None = None
    """The value of an option without a word after it."""
    console: bool = False
    """True if consoles have this optional argument, too.

    They have all required ones.
    """
    is_secret: bool = False
    """True for a value that must not be in the audit."""
    is_player: bool = False
    """True for a player. The audit gets it only if the game is not anonymous. The journal of the game always has it."""
    name: str = ""
    type: type = str
    default: object = inspect.Parameter.empty

    @property
    def is_required(self) -> bool:
        return self.default is inspect.Parameter.empty


def word(metavar: str, text: str, **others: Any) -> CommandArgument:
    """Declare a positional argument of the command line."""
    return CommandArgument(text, metavar, **others)


def option(text: str, metavar: str | None = None, **others: Any) -> CommandArgument:
    """Declare an argument after ``--NAME`` on the command line."""
    return CommandArgument(text, metavar, is_option=True, **others)


LIST_ARGUMENTS: Mapping[str, CommandArgument] = {
    "match": option("only rows with this text in a name, in upper or lower case", "TEXT", name="match", default=None),
    "json": option("print a JSON array of objects", value=True, name="json", type=bool, default=None),
}
"""Arguments of all list commands."""


@dataclass(frozen=True)
class OperatorCommand:
    """An operator's command."""

    name: str
    help: str
    perform: Callable[..., Awaitable[list[str] | Listing]]
    console: int | None = None
    """Its number on consoles."""
    role: Literal["moderator", "operator"] | None = None
    """The lowest role of accounts that may run it over the network; None: it needs shell access."""
    audit: Literal["always", "never", "changes", "itself"] = "always"
    """Recording in the audit. "changes": if it has more arguments than a name; "itself": it writes its own entry."""
    process: Literal["holder", "all", "least loaded"] = "holder"
    """The process of a server that runs it: the one with the game, all in turn, or the least loaded."""
    creates_data: bool = False
    """True if it may create the data; all others need existing data."""
    is_typed: bool = True
    """True if the command line has it under this name.

    Otherwise another command of the command line runs it.
    """

    @cached_property
    def arguments(self) -> dict[str, CommandArgument]:
        """The arguments by name."""
        hints = get_type_hints(self.perform, include_extras=True)
        own = {
            name: replace(_declared(hints[name]), name=name, default=parameter.default)
            for name, parameter in list(inspect.signature(self.perform).parameters.items())[1:]
        }
        return {**own, **LIST_ARGUMENTS} if hints.get("return") is Listing else own

    async def lines(self, context: object, arguments: Mapping[str, Any]) -> list[str]:
        """Run the command with checked arguments, and return its output."""
        own = {name: value for name, value in arguments.items() if self.arguments[name] not in LIST_ARGUMENTS.values()}
        result = await self.perform(context, **own)
        if isinstance(result, Listing):
            return result.lines(arguments.get("match"), arguments.get("json"))
        return result


def _declared(hint: Any) -> CommandArgument:
    """Return the argument that an annotation declares: a type, ``type | None``, or one of these in ``Annotated``."""
    details = getattr(hint, "__metadata__", (CommandArgument(),))
    base = get_args(hint)[0] if hasattr(hint, "__metadata__") else hint
    kind = get_args(base)[0] if type(None) in get_args(base) else base
    argument: CommandArgument = replace(details[0], type=get_origin(kind) or kind)
    return argument


COMMANDS: dict[str, OperatorCommand] = {}
"""All commands by name, in the order of their declarations. Roles list them in this order on the wire."""


def command(name: str, text: str, **others: Any) -> Callable[[Perform], Perform]:
    """Declare a function as the command of this name. ``others`` are further fields of ``OperatorCommand``."""

    def declare(perform: Perform) -> Perform:
        COMMANDS[name] = OperatorCommand(name, text, perform, **others)
        return perform

    return declare
