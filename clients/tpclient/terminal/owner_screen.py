"""The screen of the owner: a line for commands that change the game.

They change its name, who may join or watch, and its owner, or end it.
"""

import argparse
from collections.abc import Sequence
from typing import Any

from tpclient.connection import Connection
from tpclient.plain import owning
from tpclient.plain.arguments import owner_options
from tpclient.terminal.command_screen import CommandScreen


class OwnerScreen(CommandScreen):
    """The changes of this game by its owner, with the commands of `tpclient game`.

    The server refuses everyone else.
    """

    HELP = """\
For the owner of this game. All players are notified:
rename NEW-NAME    close    open    to newcomers
watch-delay TURNS|closed    how much later spectators see it; once it has begun only later than before
hand-over ACCOUNT    or hand-over --player N
abort REASON    ends it without a result, and cannot be taken back"""
    HINT = "rename NEW-NAME"

    def options(self, words: Sequence[str]) -> argparse.Namespace:
        return owner_options([*words[:1], "", *words[1:]])

    async def carry_out(self, connection: Connection, options: argparse.Namespace) -> tuple[Any, list[str]]:
        options.game = (await connection.game_clock()).game  # its present name
        return await owning.carry_out(connection, options)
