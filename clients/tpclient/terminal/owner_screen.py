"""What whoever has made the game does with it: a line for its name, who joins, who watches, its owner, its end."""

import argparse
from collections.abc import Sequence
from typing import Any

from ..connection import Connection
from ..plain import owning
from ..plain.arguments import owner_options
from .command_screen import CommandScreen


class OwnerScreen(CommandScreen):
    """The game that is played is changed as by `tpclient game`; the server refuses whoever has not made it."""

    HELP = """\
For whoever has made this game; all players are told:
rename NEW-NAME    close    open    to newcomers
watch-delay TURNS|closed    how much later spectators see it; once it has begun only later than before
hand-over ACCOUNT    or hand-over --player N
abort REASON    ends it without a result, and cannot be taken back"""
    HINT = "rename NEW-NAME"

    def options(self, words: Sequence[str]) -> argparse.Namespace:
        return owner_options([*words[:1], "", *words[1:]])

    async def carry_out(self, connection: Connection, options: argparse.Namespace) -> tuple[Any, list[str]]:
        options.game = (await connection.game_clock()).game  # what it is called now
        return await owning.carry_out(connection, options)
