"""Write the generated parts of tpserver/docs/commands.md: ``python -m tests.command_page``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.config_page import with_parts
from tpserver.admin.commands import COMMANDS
from tpserver.admin.commands.declaration import CommandArgument

PAGE = Path(__file__).parents[1] / "tpserver" / "docs" / "commands.md"

AUDIT = {"always": "yes", "never": "no", "changes": "changes", "itself": "yes"}
ROLES = {None: "", "operator": "operator", "moderator": "moderator, operator"}
FILES = {"game import": "import FILE", "game archive": "archive DIR"}
"""Operations that the command line has in commands of its own."""

NAME = "its name"
"""Help of the name that most commands begin with."""


def usage(argument: CommandArgument) -> str:
    """The argument as it is typed."""
    if argument.type is dict:
        return "`--option K=V`"
    metavar = argument.metavar or ("" if argument.value or argument.choices else argument.name.upper())
    words = [f"--{argument.name.replace('_', '-')}"] if argument.is_option else []
    return f"`{' '.join([*words, *([metavar] if metavar else [])])}`"


def commands() -> str:
    """The table of commands, with what may be given by whom and what is recorded."""
    rows = []
    for command in sorted(COMMANDS.values(), key=lambda one: one.name):
        required = [usage(one).strip("`") for one in command.arguments.values() if one.is_required]
        typed = FILES.get(command.name) or " ".join([command.name, *(one for one in required if "password" not in one)])
        number = "" if command.console is None else str(command.console)
        rows.append((f"`{typed}`", command.help, ROLES[command.role], number, AUDIT[command.audit]))
    return _table(("Command", "Meaning", "Roles", "Console", "Audit"), rows)


def arguments(creating: bool) -> str:
    """The table of the options of ``game create``, or of the arguments of all other commands."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for command in COMMANDS.values():
        if command.is_typed and (command.name == "game create") == creating:
            for one in command.arguments.values():
                if one.is_option or (not creating and one.help != NAME):
                    found.setdefault((usage(one), _values(one), one.help), []).append(f"`{command.name}`")
    if creating:
        return _table(("Option", "Values", "Meaning"), found)
    rows = [(*key, ", ".join(names)) for key, names in sorted(found.items())]
    return _table(("Argument", "Values", "Meaning", "Commands"), rows)


def written() -> str:
    """The page with its generated parts."""
    parts = {"options": arguments(True), "commands": commands(), "arguments": arguments(False)}
    return with_parts(PAGE, "tests.command_page", parts)


def _values(argument: CommandArgument) -> str:
    if argument.bounds is not None:
        return "{1} to {2} {0}".format(*argument.bounds)
    return ", ".join(f"`{choice}`" for choice in argument.choices or ())


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
