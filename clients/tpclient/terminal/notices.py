"""The notification settings, with a line for commands to change them."""

import argparse
from collections.abc import Sequence
from typing import Any

from tpclient.connection import Connection
from tpclient.plain.arguments import notice_options
from tpclient.plain.notices import carry_out
from tpclient.terminal.command_screen import CommandScreen

HELP = """\
add KIND ADDRESS [--resets]    verify N CODE    remove N
resets N yes|no    whether a mail address may reset a forgotten password
tell turn|digest|off|usual [--hours N] [--game NAME]
times ZONE [--quiet 22:00-07:00] [--digest 08:00]
calendar [make|revoke]"""


class NoticesScreen(CommandScreen):
    """The notification settings, with the commands of `tpclient notices`."""

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
