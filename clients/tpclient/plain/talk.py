"""Plain commands for blocks, mutes, abuse reports and silences."""

import argparse
import os
from typing import Any

from tpclient.clocks import own_time
from tpclient.columns import lines_of, listed, shown
from tpclient.connection import Connection
from tpclient.errors import BadArgument
from tpclient.games import game_and_purpose
from tpclient.plain.arguments import USER
from tpclient.plain.context import CommandContext
from tpproto import tp_pb2


async def command(context: CommandContext) -> int:
    """Show or change blocks and messages. --user may name the game."""
    options = context.options
    if getattr(options, "game", None) == "":
        options.game = game_and_purpose(options.user or os.environ.get(USER, ""))[0]
    await context.log_in_to_account()
    if options.talk_command in ("report", "spectators", "say"):  # the message is on a board of the game
        await context.connection.enter_game((options.user or os.environ.get(USER, "")).partition("@")[2])
    context.tell(*await carry_out(context.connection, options))
    return 0


async def carry_out(connection: Connection, options: argparse.Namespace) -> tuple[Any, list[str]]:
    """Carry out a talk command (`arguments.talk_options`).

    Return the output as data and as lines. Raises RequestFailed.
    """
    kind = options.talk_command
    if kind == "show":
        talk = await connection.talk(options.game)
        return _facts(talk), _lines(talk)
    if kind == "reports":
        reports = await connection.message_reports(closed=options.closed)
        lines = [line for one in reports for line in _report_lines(one)]
        return [_report_facts(one) for one in reports], lines or ["There are no such reports."]
    if kind == "spectators":
        letters = await connection.spectator_letters()
        lines = [line for one in letters for line in _letter_lines(one)]
        return [_letter_facts(one) for one in letters], lines or ["No spectator has written anything."]
    if kind == "say":
        await connection.post_to_spectators(options.subject, options.text)
        words = "The spectators read it"
    elif kind in ("mute", "unmute"):
        words = await connection.set_mute(kind == "mute", options.game)
    elif kind in ("block", "unblock"):
        words = await connection.set_block(options.name or "", kind == "block", options.player, options.game)
    elif kind == "report":
        words = await _report(connection, options.slot, options.reason, spectators=options.spectators)
    elif kind == "close":
        words = await connection.close_report(options.number, options.decision, options.answer, options.days)
    elif kind == "silence":
        words = await connection.set_silence(options.name, options.days, options.reason)
    else:
        words = await connection.set_silence(options.name, 0)
    return {"done": words}, [shown(f"{words.rstrip('.')}.")]


def _letter_facts(one: tp_pb2.Message) -> dict[str, Any]:
    return {"slot": one.slot, "turn": one.turn, "writer": one.writer, "subject": one.subject, "body": one.body}


def _letter_lines(one: tp_pb2.Message) -> list[str]:
    """Return a spectator's message as lines.

    In TP03 and TP04, its subject begins with its author.
    """
    writer = f"{one.writer}: " if one.writer else ""
    lines = [shown(f"{one.slot}. [turn {one.turn}] {writer}{one.subject}".rstrip(": "))]
    return lines + [f"    {line}".rstrip() for line in lines_of(one.body)]


async def _report(connection: Connection, slot: int, reason: str, *, spectators: bool) -> str:
    """Report the message in a slot. Raises BadArgument if there is none."""
    letters = await (connection.spectator_letters() if spectators else connection.messages())
    letter = next((one for one in letters if one.slot == slot), None)
    if letter is None:
        raise BadArgument(f"There is no message {slot}; tpclient messages --all lists them.")
    return await connection.report_message(slot, letter.subject, reason, spectators=spectators)


def _report_facts(one: tp_pb2.MessageReport) -> dict[str, Any]:
    return {
        "id": one.id,
        "at": one.at,
        "reporter": one.reporter,
        "writer": one.writer or None,
        "game": one.game or None,
        "turn": one.turn,
        "written": one.written,
        "subject": one.subject,
        "body": one.body,
        "reason": one.reason,
        "decision": one.decision or None,
        "closed": one.closed or None,
        "closed_by": one.closed_by or None,
        "answer": one.answer or None,
    }


def _report_lines(one: tp_pb2.MessageReport) -> list[str]:
    """Return an abuse report as lines: writer, addressee, reason and decision."""
    where = f"{one.game or 'a game that is gone'}, turn {one.turn}, {own_time(one.written)}"
    lines = [shown(f"{one.id}. {one.writer or 'somebody'} to {one.reporter} in {where}: {one.subject}")]
    lines += [f"    {line}".rstrip() for line in lines_of(one.body)]
    lines.append(shown(f"  reported {own_time(one.at)}: {one.reason}"))
    if one.decision:
        lines.append(shown(f"  {one.decision} by {one.closed_by}, {own_time(one.closed)}: {one.answer}"))
    return lines


def _facts(talk: tp_pb2.Talk) -> dict[str, Any]:
    return {
        "game": talk.game or None,
        "press": talk.press or None,
        "muted": talk.muted,
        "blocked": [one.name for one in talk.blocked if not one.game],
        "blocked_players": [{"game": one.game, "player": one.player} for one in talk.blocked if one.game],
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
