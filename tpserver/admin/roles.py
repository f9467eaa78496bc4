"""Operations over the network for accounts with a role.

They are some of the operator's operations, on accounts with a lower role.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tpproto.errors import FailCode
from tpserver.accounts.accounts import NotAdmitted
from tpserver.admin.commands import COMMANDS
from tpserver.admin.context import AdminContext
from tpserver.admin.game_listing import DIGEST, SEED
from tpserver.admin.operations import perform
from tpserver.admin.socket_protocol import OperationError
from tpserver.games.core.errors import GameError
from tpserver.games.core.game import Game
from tpserver.requests.session import refusals as requests
from tpserver.requests.session.session import Administration
from tpserver.store.people.accounts import Account

MODERATOR, OPERATOR = (
    tuple(one.name for one in COMMANDS.values() if one.role == role) for role in ("moderator", "operator")
)
BY_ROLE: Mapping[str, tuple[str, ...]] = {"moderator": MODERATOR, "operator": (*MODERATOR, *OPERATOR)}
"""Operations by role. Only an administrator with shell access may assign roles, and remove or export accounts."""

RANKS = {"moderator": 1, "operator": 2}

MOST_LINES = 1000
"""Maximum lines of a response."""


def administration(context: AdminContext) -> Administration:
    """Return the interface of these operations for the requests of accounts."""

    async def do(account: Account, operation: str, arguments: Mapping[str, str]) -> list[str]:
        try:
            return await administer(context, account, operation, arguments)
        except OperationError as error:
            raise requests.RequestError(FailCode.UNAVAILABLE_PERMANENTLY, str(error)) from None

    return Administration(operations_of, do)


def operations_of(account: Account) -> tuple[str, ...]:
    """Return the operations that an account may perform; most accounts have none."""
    return BY_ROLE.get(account.role, ()) if account.may_log_in else ()


def _named(context: AdminContext, name: object) -> Game | None:
    try:
        return context.registry.named(name) if isinstance(name, str) else None
    except GameError:
        return None  # the operation reports that


def _without_secrets(name: str, lines: list[str]) -> list[str]:
    """Return the output of an operation without secrets of the machine.

    Only an administrator with shell access may see those. The digest of a running game is such a secret, as moderators
    may play. A player with the rules and most of a world could find the rest by comparing digests.
    """
    if name != "game show" or any(line.startswith(SEED) for line in lines[1:]):
        return lines
    return [line for line in lines if not line.startswith(DIGEST)]


async def administer(context: AdminContext, account: Account, name: str, arguments: Mapping[str, str]) -> list[str]:
    """Perform an operation as an account, with text arguments, and return its output lines. Raises OperationError."""
    if name not in operations_of(account):
        raise OperationError(f"this is for the operator of the server; your role is {account.role}")
    given: dict[str, Any] = {}
    for key, argument in COMMANDS[name].arguments.items():
        text = arguments.get(key)
        if text is not None and argument.type is not bool:  # responses are cut, so JSON is not allowed here
            is_number = argument.type is int and text.isascii() and text.isdigit() and len(text) < 12
            given[key] = int(text) if is_number else text
    for key in arguments:
        if key not in given:
            raise OperationError(f"{name} has no argument {key[:20]!r}")
    if name.startswith("account ") and "name" in given:
        try:
            target = context.accounts.named(given["name"])
        except NotAdmitted as error:
            raise OperationError(str(error)) from None
        if RANKS.get(target.role, 0) >= RANKS[account.role]:
            raise OperationError(
                f"{target.name} has the role {target.role}; only an administrator with shell access can change that "
                "account"
            )
    game = _named(context, given.get("name")) if name == "game players" else None
    if game is not None and game.hides_players and game.seat_of(account.id) is not None:
        raise OperationError(f"you play in the anonymous game {game.name}, so its players stay hidden from you")
    lines = _without_secrets(name, await perform(context, name, given, actor=account.name))
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else [*lines[:MOST_LINES], f"... and {more} more lines"]
