"""Plain commands for the account: password, tokens, and administration."""

import argparse
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from tpclient.columns import shown
from tpclient.connection import Connection
from tpclient.errors import BadArgument
from tpclient.plain.arguments import PASSWORD, USER, new_password_of
from tpclient.plain.context import CommandContext
from tpproto import tp_pb2

PROOF = "proof"
"""The option with the password if the server requests it once more.

The command line never sets it, because it has just logged in.
"""


async def command(context: CommandContext) -> int:
    """Change my password."""
    options = context.options
    options.new_password = new_password_of(options)
    await context.log_in_to_account()
    dropped = {f"drop_{one}": True for one in options.drop}
    words = await context.connection.change_password(options.password, options.new_password, **dropped)
    context.tell({"done": words}, [shown(f"{words}.")])
    return 0


async def guest(context: CommandContext) -> int:
    """Log in as a guest, and show the login for later."""
    told = await context.connection.play_as_guest()
    name, secret = shown(told.name), shown(told.secret)
    lines = [
        f"You are {name}. This secret logs you in like a password. It is shown only once:",
        secret,
        f"export {USER}='{name}' {PASSWORD}={secret}",
    ]
    context.tell({"name": told.name, "secret": told.secret, "days": told.days}, lines)
    return 0


async def become(context: CommandContext) -> int:
    """Turn the guest into an account."""
    options = context.options
    options.new_password = new_password_of(options)
    await context.log_in_to_account()
    name = await context.connection.become_account(options.name, options.new_password, options.email)
    words = f"You are {shown(name)} now, with all seats and games; log in with the new password."
    context.tell({"name": name}, [words])
    return 0


async def forgotten(context: CommandContext) -> int:
    """Request a code that resets a forgotten password."""
    words = await context.connection.request_reset(context.options.account)
    context.tell({"done": words}, [shown(f"{words}.")])
    return 0


async def reset(context: CommandContext) -> int:
    """Set a new password with such a code."""
    words = await context.connection.reset_password(context.options.code, new_password_of(context.options))
    context.tell({"done": words}, [shown(f"{words}.")])
    return 0


async def admin(context: CommandContext) -> int:
    """Run a command of the operator."""
    await context.log_in_to_account()
    context.tell(*await administer(context.connection, context.options.words))
    return 0


async def administer(connection: Connection, words: Sequence[str]) -> tuple[Any, list[str]]:
    """Carry out an administration command.

    The words are those of an operation, then a name and arguments as KEY=VALUE. `accounts` and a part of a name list
    accounts. Return the output as data and as lines. Raises BadArgument, RequestFailed.
    """
    if words and words[0] == "accounts" and len(words) <= 2:
        found = await connection.accounts(words[1] if len(words) > 1 else "")
        return [_account_facts(one) for one in found], [_account_line(one) for one in found] or ["There are none."]
    own = await connection.own_account()
    known = "accounts" if not own.operations else ", ".join(["accounts", *own.operations])
    if not words:
        told = f"Your role here is {own.role}." + (f" You may do: {known}." if own.operations else "")
        return {"role": own.role, "operations": list(own.operations)}, [shown(told)]
    operation = " ".join(words[: 1 if words[0] in own.operations else 2])
    if operation not in own.operations:
        raise BadArgument(f"You cannot do {shown(operation)!r} here; what you can: {shown(known)}.")
    arguments: dict[str, str] = {}
    for word in words[len(operation.split()) :]:
        key, equals, value = word.partition("=")
        if not equals:
            key, value = "name", word
        if key in arguments:
            raise BadArgument(f"{shown(key)!r} is said twice; values are written as KEY=VALUE, with quotation marks.")
        arguments[key] = value
    lines = await connection.administer(operation, arguments)
    return {"lines": lines}, [shown(one) for one in lines]


def _account_facts(account: tp_pb2.ListedAccount) -> dict[str, Any]:
    return {
        "name": account.name,
        "role": account.role,
        "state": account.state,
        "reason": account.reason or None,
        "created": account.created,
        "online": account.online,
    }


def _account_line(account: tp_pb2.ListedAccount) -> str:
    reason = f" ({account.reason})" if account.reason else ""
    online = ", online" if account.online else ""
    return shown(f"{account.name}: {account.role}, {account.state}{reason}{online}, since {_day(account.created)}")


async def token(context: CommandContext) -> int:
    """List, create or revoke tokens."""
    await context.log_in_to_account()
    context.tell(*await carry_out(context.connection, context.options))
    return 0


async def carry_out(connection: Connection, options: argparse.Namespace) -> tuple[Any, list[str]]:
    """Carry out a token command (`arguments.token_options`).

    Return the output as data and as lines. Raises RequestFailed.
    """
    if options.token_command == "list":
        tokens = await connection.tokens()
        lines = [_line(one) for one in tokens]
        return [_facts(one) for one in tokens], lines or ["You have no tokens; add LABEL makes one."]
    if options.token_command == "add":
        made = await connection.create_token(
            options.label, options.game, read_only=options.read_only, days=options.days, password=proof_of(options)
        )
        words = "Use it in place of your password. It is shown only once."
        return {**_facts(made), "token": made.secret}, [shown(made.secret), words]
    words = await connection.revoke_token(options.number)
    return {"done": words}, [shown(f"{words}.")]


def proof_of(options: argparse.Namespace) -> str:
    """Return the password that the server requested once more; "" if it did not."""
    return str(getattr(options, PROOF, ""))


def _facts(token: tp_pb2.Token) -> dict[str, Any]:
    return {
        "id": token.id,
        "label": token.label,
        "game": token.game or None,
        "read_only": token.read_only,
        "created": token.created,
        "ends": token.ends,
        "used": token.used or None,
    }


def _line(token: tp_pb2.Token) -> str:
    where = token.game or "all my games"
    what = ", to look only" if token.read_only else ""
    used = f"last used {_day(token.used)}" if token.used else "never used"
    return shown(f"{token.id}. {token.label}: {where}{what}, until {_day(token.ends)}; {used}")


def _day(at: int) -> str:
    return f"{datetime.fromtimestamp(at):%Y-%m-%d}"
