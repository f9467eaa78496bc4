"""Execution of operator's commands and their audit entries, by the process or node with the game."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import Any

from twisted.logger import Logger

from tpserver.accounts.accounts import NotAdmitted
from tpserver.admin.archives import BadArchive
from tpserver.admin.commands import COMMANDS
from tpserver.admin.commands.declaration import OperatorCommand
from tpserver.admin.context import OPERATOR, AdminContext
from tpserver.admin.other_processes import OtherProcesses
from tpserver.admin.socket_protocol import Fault, OperationError
from tpserver.games.core.errors import GameElsewhere, GameError, NotNow
from tpserver.games.core.saving import NotSaved
from tpserver.games.terms.anonymity import hides
from tpserver.games.terms.clock import ClockError
from tpserver.games.terms.delay import BadDelay
from tpserver.store import StoreError
from tpserver.store import audit as stored_audit
from tpserver.store.audit import AuditEntry

log = Logger()

LONGEST_DETAIL = 200
"""Maximum characters of an argument in the audit."""


async def perform(
    context: AdminContext, name: str, arguments: Mapping[str, Any], actor: str = OPERATOR, *, passed_on: bool = False
) -> list[str]:
    """Run the operation of this name and return its output lines.

    The audit gets it with its ``actor``, unless it only reads. If another process or node has the game, it runs there,
    unless it was ``passed_on`` already. Raises OperationError, and Fault if it fails there.
    """
    command = COMMANDS.get(name)
    if command is None:
        near = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise OperationError(f"there is no operation {name!r}{hint} (operations: {', '.join(COMMANDS)})")
    checked = _checked(command, arguments)
    others = None if passed_on else context.others
    try:
        if others is not None and command.process == "least loaded" and context.registry.node is not None:
            less_loaded = others.at(context.registry.node.place_of_new_game())
            if less_loaded is not None:
                return await others.ask(less_loaded, name, checked, actor)
        lines = await command.lines(context, checked)
        if command.audit == "always" or (command.audit == "changes" and set(checked) != {"name"}):
            await _note(context, command, checked, actor)
        if others is not None and command.process == "all":
            lines = [*lines, *await _by_others(others, name, checked, actor, lines)]
        return lines
    except GameElsewhere as error:
        holder = None if others is None else others.at(error.address)
        if holder is None and not passed_on and error.address and context.ask_node is not None:
            return await context.ask_node(error.address, name, checked, actor)
        if others is None or holder is None:
            there = "; give the command to that server, on its machine" if error.address else ""
            raise OperationError(f"{error}{there}") from None
        return await others.ask(holder, name, checked, actor)
    except (GameError, NotNow, NotAdmitted, ClockError, BadDelay, BadArchive) as error:
        raise OperationError(str(error)) from None
    except NotSaved as error:
        became = "the outcome is unknown" if error.is_unknown else "nothing has changed"
        raise OperationError(f"it could not be saved, and {became}: {error}") from None
    except StoreError as error:
        raise OperationError(error.sentence) from None


async def _by_others(
    others: OtherProcesses, name: str, arguments: Mapping[str, Any], actor: str, known: list[str]
) -> list[str]:
    """Have the other processes of the server run an operation, too; return their new lines, without ``known``."""
    found = []
    for number in others:
        try:
            lines = await others.ask(number, name, arguments, actor)
        except (OperationError, Fault) as error:
            lines = [f"this was not done: {error}"]
        found += [f"process {number}: {line}" for line in lines if line not in known]
    return found


async def _note(context: AdminContext, command: OperatorCommand, arguments: Mapping[str, Any], actor: str) -> None:
    """Add an operation to the audit. A failure to do so is logged.

    The audit has separate fields for name and reason. Moderators may play and read it. So it gets no secrets: neither
    the seed of a game nor the players of an anonymous one.
    """
    name = command.name
    subject, reason = str(arguments.get("name", "")), str(arguments.get("reason") or "")
    row = context.registry.directory.row_named(subject) if name.startswith("game ") else None
    shows_players = row is None or not hides(row)
    details = {
        key: arguments[key]
        for key, argument in command.arguments.items()
        if key in arguments and key not in ("name", "reason") and arguments[key] not in ("", {})
        if not argument.is_secret and (shows_players or not argument.is_player)
    }
    told = {key: value for key, value in details.items() if len(json.dumps(value)) <= LONGEST_DETAIL}
    entry = AuditEntry(context.registry.now(), actor, name, subject, told, reason)
    try:
        await context.registry.store.write(stored_audit.add, entry)
    except StoreError as error:
        log.error("{what} by {who} is not in the audit: {why}", what=name, who=actor, why=error.sentence)


_FORMS = {str: "text", int: "a whole number", bool: "true or false", dict: "an object"}
"""Descriptions of the types of arguments, for the operator."""


def _checked(command: OperatorCommand, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that a command declares. Raises OperationError, as a socket may send anything."""
    checked = {}
    for name, argument in command.arguments.items():
        value = arguments.get(name)
        if value is None and not argument.is_required:
            continue
        if not isinstance(value, argument.type) or (isinstance(value, bool) and argument.type is not bool):
            raise OperationError(f"the argument {name!r} must be {_FORMS[argument.type]}")
        checked[name] = value
    return checked
