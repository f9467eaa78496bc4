"""Blocked players, mutes and abuse reports, with a line for commands."""

import argparse
from collections.abc import Sequence
from typing import Any, ClassVar

from tpclient.connection import Connection
from tpclient.plain import talk
from tpclient.plain.arguments import talk_options
from tpclient.terminal.command_screen import CommandScreen


class TalkScreen(CommandScreen):
    """Chat rules, blocks and silences, with the commands of `tpclient talk`."""

    HELP = """\
block ACCOUNT    unblock ACCOUNT    no messages from it, in any game
block --player N    unblock --player N    the same by number; of an anonymous game there only
mute    unmute    messages to everybody in this game
report SLOT REASON    shows a message to the moderators; the newest message has the highest slot, the first 0
spectators    their messages; players read them when the game is over    say TEXT    to your fellow spectators
For moderators: silence ACCOUNT DAYS REASON    unsilence ACCOUNT
reports [--closed]    close N dismissed|warned|silenced REASON [--days N]"""
    HINT = "block NAME"
    looking: ClassVar[Sequence[str]] = ("show",)

    def options(self, words: Sequence[str]) -> argparse.Namespace:
        return talk_options(words)

    async def carry_out(self, connection: Connection, options: argparse.Namespace) -> tuple[Any, list[str]]:
        return await talk.carry_out(connection, options)
