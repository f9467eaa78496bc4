"""How one is told of games while not there: what is set, and a line in which it is set anew."""

import argparse
from collections.abc import Sequence
from typing import Any

from ..connection import Connection
from ..plain.arguments import notice_options
from ..plain.notices import carry_out
from .command_screen import CommandScreen

HELP = """\
add KIND ADDRESS    verify N CODE    remove N
tell turn|digest|off|usual [--hours N] [--game NAME]
times ZONE [--quiet 22:00-07:00] [--digest 08:00]
calendar [make|revoke]"""


class NoticesScreen(CommandScreen):
    """What is set about notices; the commands are those of `tpclient notices`."""

    DEFAULT_CSS = """
    NoticesScreen > VerticalScroll { width: 76; }
    """

    HELP = HELP
    HINT = "add mail ann@example.org"
    looking = ("list",)
    longest = 1000

    def options(self, words: Sequence[str]) -> argparse.Namespace:
        return notice_options(words)

    async def carry_out(self, connection: Connection, options: argparse.Namespace) -> tuple[Any, list[str]]:
        return await carry_out(connection, options)
