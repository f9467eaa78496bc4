"""Plain commands for the owner of a game.

They rename it, decide who may join, hand it over, or end it without a result.
"""

import argparse
from typing import Any

from tpclient.agreements import or_proposed
from tpclient.columns import shown
from tpclient.connection import Connection
from tpclient.plain.context import CommandContext


async def command(context: CommandContext) -> int:
    """Change a game that the player owns."""
    await context.log_in_to_account()
    context.tell(*await carry_out(context.connection, context.options))
    return 0


async def carry_out(connection: Connection, options: argparse.Namespace) -> tuple[Any, list[str]]:
    """Carry out a command of the owner (`arguments.owner_options`).

    Return the output as data and as lines. Raises RequestFailed.
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
        asked = connection.abort_game(game, options.reason)
        words = await or_proposed(asked, connection, game, "abort", reason=options.reason)
    return {"done": words}, [shown(f"{words}.")]
