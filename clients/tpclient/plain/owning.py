"""Plain commands of whoever has made a game: another name, who may join, another owner, its end without a result."""

import argparse
from typing import Any

from ..columns import shown
from ..connection import Connection
from .context import CommandContext


async def command(context: CommandContext) -> int:
    """Change a game that I have made."""
    await context.log_in_to_account()
    context.tell(*await carry_out(context.connection, context.options))
    return 0


async def carry_out(connection: Connection, options: argparse.Namespace) -> tuple[Any, list[str]]:
    """Do what the options of a command about an own game say (`arguments.owner_options`), and return what is told, as
    data and as lines.

    Raises RequestFailed.
    """
    kind, game = options.owner_command, options.game
    if kind == "rename":
        words = await connection.rename_game(game, options.name)
    elif kind in ("close", "open"):
        words = await connection.set_join(game, invited=kind == "close")
    elif kind == "watch-delay":
        closed = options.turns == "closed"
        words = await connection.set_watch_delay(game, 0 if closed else int(options.turns), closed=closed)
    elif kind == "hand-over":
        words = await connection.hand_over_game(game, options.account, options.player)
    else:
        words = await connection.abort_game(game, options.reason)
    return {"done": words}, [shown(f"{words}.")]
