"""What accounts may do by their role, over the network: some of the operations, on accounts below their own."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from tpproto.errors import FailCode
from tpserver.accounts.accounts import NotAdmitted
from tpserver.admin.game_listing import DIGEST, SEED
from tpserver.admin.operations import OPERATIONS, AdminContext, perform
from tpserver.admin.socket_protocol import Refused
from tpserver.games.game import Game, GameError
from tpserver.requests import refusals as requests
from tpserver.requests.session import Administration
from tpserver.store.accounts import Account

MODERATOR = (
    "account list",
    "account disable",
    "account enable",
    "game list",
    "game show",
    "game players",
    "game pause",
    "game resume",
    "audit",
)
BY_ROLE: Mapping[str, tuple[str, ...]] = {
    "moderator": MODERATOR,
    "operator": (
        *MODERATOR,
        "account reset-password",
        "account rename",
        "game start",
        "game close-turn",
        "game extend",
        "game set-clock",
        "game invite",
        "game rename",
        "game close",
        "game open",
        "game watch-delay",
        "game abort",
    ),
}
"""Operations by role. Only who has the machine says who is what, removes accounts and sees what is stored of them."""

RANKS = {"moderator": 1, "operator": 2}

MOST_LINES = 1000
"""Maximum lines of an answer."""


def administration(context: AdminContext) -> Administration:
    """Return what the requests of accounts need to know of this."""

    async def do(account: Account, operation: str, arguments: Mapping[str, str]) -> list[str]:
        try:
            return await administer(context, account, operation, arguments)
        except Refused as error:
            raise requests.Refused(FailCode.UNAVAILABLE_PERMANENTLY, str(error)) from None

    return Administration(operations_of, do)


def operations_of(account: Account) -> tuple[str, ...]:
    """Return the operations that an account may perform; none for most."""
    return BY_ROLE.get(account.role, ()) if account.may_log_in else ()


def _named(context: AdminContext, name: object) -> Game | None:
    try:
        return context.registry.named(name) if isinstance(name, str) else None
    except GameError:
        return None  # the operation says so


def _without_secrets(name: str, lines: list[str]) -> list[str]:
    """Return what an operation prints without what only who has the machine may know, who knows all anyway.

    The digest of a game that goes on: moderators may play, and whoever knows the rules and all but a little of a world
    finds the rest by trying which digest it has.
    """
    if name != "game show" or any(line.startswith(SEED) for line in lines[1:]):
        return lines
    return [line for line in lines if not line.startswith(DIGEST)]


async def administer(context: AdminContext, account: Account, name: str, arguments: Mapping[str, str]) -> list[str]:
    """Perform an operation as an account, with arguments as text, and return its output lines.  Raises Refused."""
    if name not in operations_of(account):
        raise Refused(f"this is for the operator of the server; your account is a {account.role}'s")
    given: dict[str, Any] = {}
    for key, parameter in inspect.signature(OPERATIONS[name]).parameters.items():
        text = arguments.get(key)
        if text is not None and key != "context":
            is_number = parameter.annotation == "int" and text.isascii() and text.isdigit() and len(text) < 12
            given[key] = int(text) if is_number else text
    for key in arguments:
        if key not in given:
            raise Refused(f"{name} has no argument {key[:20]!r}")
    if name.startswith("account ") and "name" in given:
        try:
            target = context.accounts.named(given["name"])
        except NotAdmitted as error:
            raise Refused(str(error)) from None
        if RANKS.get(target.role, 0) >= RANKS[account.role]:
            raise Refused(f"{target.name} is a {target.role}; only who has the machine changes that account")
    game = _named(context, given.get("name")) if name == "game players" else None
    if game is not None and game.hides_players and game.seat_of(account.id) is not None:
        raise Refused(f"you play in the anonymous game {game.name}, and so are not told who else does")
    lines = _without_secrets(name, await perform(context, name, given, actor=account.name))
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else [*lines[:MOST_LINES], f"... and {more} more lines"]
