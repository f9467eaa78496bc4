"""Whom I hear and who hears me: what it is now, and a line in which it is changed."""

import argparse
from collections.abc import Sequence
from typing import Any, ClassVar

from ..connection import Connection
from ..plain import talk
from ..plain.arguments import talk_options
from .command_screen import CommandScreen


class TalkScreen(CommandScreen):
    """What may be written, whom I have blocked, whether I may write; changed as by `tpclient talk`."""

    HELP = """\
block ACCOUNT    unblock ACCOUNT    its letters are not taken, in any game
block --player N    unblock --player N    the same by number; of an anonymous game there only
mute    unmute    letters to everybody in this game
report SLOT REASON    shows a letter to the moderators; the newest message has the highest slot, the first 0
spectators    what they write to each other; players read it when the game is over    say TEXT    to who watches, too
For moderators: silence ACCOUNT DAYS REASON    unsilence ACCOUNT
reports [--closed]    close N dismissed|warned|silenced REASON [--days N]"""
    HINT = "block NAME"
    looking: ClassVar[Sequence[str]] = ("show",)

    def options(self, words: Sequence[str]) -> argparse.Namespace:
        return talk_options(words)

    async def carry_out(self, connection: Connection, options: argparse.Namespace) -> tuple[Any, list[str]]:
        return await talk.carry_out(connection, options)
