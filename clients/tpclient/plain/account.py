"""Plain commands about the own account: its password."""

import argparse
from typing import Any

from ..columns import shown
from ..connection import Connection
from .arguments import new_password_of
from .context import CommandContext


async def command(context: CommandContext) -> int:
    """Change something of my account."""
    options = context.options
    if options.account_command == "password":
        options.new_password = new_password_of(options)
    await context.log_in_to_account()
    context.tell(*await carry_out(context.connection, options))
    return 0


async def carry_out(connection: Connection, options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Do what the options of a command say, and return what is told, as data and as lines.  Raises RequestFailed."""
    words = await connection.change_password(options.password, options.new_password)
    return {"done": words}, [shown(f"{words}.")]
