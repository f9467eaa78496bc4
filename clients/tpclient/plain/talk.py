"""Plain commands about whom I hear and who hears me: blocks, mutes, and for moderators silences."""

import argparse
import os
from typing import Any

from tpproto import tp_pb2

from ..clocks import own_time
from ..columns import listed, shown
from ..connection import Connection
from ..games import game_and_purpose
from .arguments import USER
from .context import CommandContext


async def command(context: CommandContext) -> int:
    """Show or change it; whoever names a game in --user means that one."""
    options = context.options
    if getattr(options, "game", None) == "":
        options.game = game_and_purpose(options.user or os.environ.get(USER, ""))[0]
    await context.log_in_to_account()
    context.tell(*await carry_out(context.connection, options))
    return 0


async def carry_out(connection: Connection, options: argparse.Namespace) -> tuple[Any, list[str]]:
    """Do what the options of a command about talk say (`arguments.talk_options`), and return what is told, as data and
    as lines.

    Raises RequestFailed.
    """
    kind = options.talk_command
    if kind == "show":
        talk = await connection.talk(options.game)
        return _facts(talk), _lines(talk)
    if kind in ("mute", "unmute"):
        words = await connection.set_mute(kind == "mute", options.game)
    elif kind in ("block", "unblock"):
        words = await connection.set_block(options.name, kind == "block")
    elif kind == "silence":
        words = await connection.set_silence(options.name, options.days, options.reason)
    else:
        words = await connection.set_silence(options.name, 0)
    return {"done": words}, [shown(f"{words.rstrip('.')}.")]


def _facts(talk: tp_pb2.Talk) -> dict[str, Any]:
    return {
        "game": talk.game or None,
        "press": talk.press or None,
        "muted": talk.muted,
        "blocked": [one.name for one in talk.blocked],
        "silenced": talk.silenced or None,
        "reason": talk.reason or None,
        "moderates": talk.moderates,
    }


def _lines(talk: tp_pb2.Talk) -> list[str]:
    lines = []
    if talk.game:
        lines.append(f"In {talk.game} {talk.words}.")
    if talk.muted:
        lines.append(f"You hear no letters to everybody in {talk.game}.")
    if talk.silenced:
        lines.append(f"You write to nobody until {own_time(talk.silenced)}: {talk.reason}.")
    names = listed(f"{one.name} in {one.game}" if one.game else one.name for one in talk.blocked)
    lines.append(f"You have blocked {names}." if names else "You have blocked nobody.")
    return [shown(line) for line in lines]
