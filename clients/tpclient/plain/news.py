"""The commands for messages and turns: messages, post, finish, watch.

`watch` and `finish --wait` read only the clock and the board. So they keep no copy of the game, unlike `following`.
They end when the server is unavailable, which scripts see in the exit code.
"""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from tpclient.clocks import seconds_words
from tpclient.columns import counted, indented, lines_of, listed, shown
from tpclient.errors import BadArgument, GameSuspended, NoAnswer, RequestFailed
from tpclient.games import hindrance_of, is_over, is_suspended
from tpclient.mail import Mail
from tpclient.names import EVERYBODY, addressee_name, find_board, find_named_player, writer_name
from tpclient.plain.context import CommandContext
from tpclient.plain.ending import read_places
from tpclient.plain.facts import message_heading, summary_facts, summary_lines
from tpclient.summaries import read_summaries
from tpclient.universe import Universe
from tpproto import tp_pb2


async def messages(context: CommandContext) -> int:
    """Show the messages of this turn, since a turn, or all. With --remove, remove some from the board."""
    await context.meet()
    await context.ask_clock()
    found = await context.connection.messages()
    options = context.options
    if options.remove:
        return await _remove(context, found)
    if options.since is not None:
        chosen = [message for message in found if message.turn >= options.since]
    else:
        chosen = found if options.all else messages_of_turn(context, found)
    lines: list[str] = []
    for message in chosen:
        first, *others = message_lines(context, message)
        lines += [f"{message.slot} {first}", *others, ""]  # --remove takes the slot
    lines = lines[:-1]
    if not chosen:
        lines = [f"No new messages; --all shows {counted(len(found), 'older one')}." if found else "No messages."]
    context.tell([message_facts(context, message) for message in chosen], lines)
    return 0


async def _remove(context: CommandContext, found: Sequence[tp_pb2.Message]) -> int:
    """Remove the messages with the given slots from the board. The last slot is the first to go, so that none moves.

    Raises BadArgument, and removes nothing, if there is no such message. Raises RequestFailed if the server refuses
    one.
    """
    known = {message.slot: message for message in found}
    slots = sorted(set(context.options.remove), reverse=True)
    missing = [slot for slot in reversed(slots) if slot not in known]
    if missing:
        there = f"they have the slots 0 to {max(known)}" if known else "the board is empty"
        what = "is no message" if len(missing) == 1 else "are no messages"
        raise BadArgument(f"There {what} {listed(map(str, missing))}; {there}. Nothing was removed.")
    gone: list[int] = []
    try:
        for slot in slots:
            await context.connection.remove_messages(slot)
            gone.append(slot)
    except RequestFailed as refusal:
        if gone:
            refusal.text = f"{refusal.text.rstrip('.')}; removed before that: {listed(map(str, gone))}"
        raise
    lines = [shown(f"Removed: [turn {known[slot].turn}] {known[slot].subject}") for slot in reversed(slots)]
    context.tell([message_facts(context, known[slot]) for slot in reversed(slots)], lines)
    return 0


def messages_of_turn(context: CommandContext, found: Sequence[tp_pb2.Message]) -> list[tp_pb2.Message]:
    """Return the messages of this turn and later. Without turn numbers on the clock, those of the newest turn."""
    if context.connection.has_turn_numbers:
        turn = context.clock.turn
    else:
        turn = max((message.turn for message in found), default=0)
    return [message for message in found if message.turn >= turn]


def message_facts(context: CommandContext, message: tp_pb2.Message) -> dict[str, Any]:
    """Return a message as data. `from` is the writer, or None for a report of the game."""
    return {
        "slot": message.slot,
        "turn": message.turn,
        "from": writer_name(context.universe, message) or None,
        "to": addressee_name(context.universe, message) or None,
        "subject": message.subject,
        "body": message.body,
        "references": [{"type": one.type, "id": one.id} for one in message.references],
    }


def message_lines(context: CommandContext, message: tp_pb2.Message) -> list[str]:
    """Return a message as lines: the turn, the subject and the writer, and below them the body, indented."""
    return [message_heading(context.universe, message), *(f"    {line}".rstrip() for line in lines_of(message.body))]


async def summary(context: CommandContext) -> int:
    """Show the reports of this turn, another one, or all since one.

    Failures come first.
    """
    await context.meet()
    await context.ask_clock()
    options, newest = context.options, context.clock.turn
    first = next((one for one in (options.turn, options.since) if one is not None), newest)
    last = first if options.turn is not None else max(first, newest)
    found = await read_summaries(context.connection.turn_summaries, first, last)
    lines = [line for one in found for line in ("", *summary_lines(context.universe, one))][1:]
    context.tell([summary_facts(context.universe, one) for one in found], lines)
    return 0


async def post(context: CommandContext) -> int:
    """Send a message to a player or to everybody. The body is an argument or comes from standard input."""
    universe = await context.meet()
    board, subject, body = _addressed(context, universe)
    if body is None:
        if sys.stdin is None:
            raise BadArgument("There is no standard input to read the message from.")
        if sys.stdin.isatty():
            print("Write the message; Ctrl-D on an empty line sends it.", file=sys.stderr)
        body = sys.stdin.read().rstrip("\n")
    if not body and not subject:
        raise BadArgument("There is nothing to post: subject and body are empty.")
    await context.connection.post(board, subject, body)
    name = universe.boards[board].name if board in universe.boards else f"board {board}"
    if board == EVERYBODY:
        name = "the boards of everybody"
    context.tell({"board": board, "subject": subject, "body": body}, [shown(f"Posted on {name}.")])
    return 0


def _addressed(context: CommandContext, universe: Universe) -> tuple[int, str, str | None]:
    """Return the board, the subject and the body of a message. With --player, only subject and body may follow."""
    options = context.options
    if options.named is None:
        if options.player is None:
            raise BadArgument("Say to whom: post PLAYER SUBJECT, or --player NAME.")
        return find_board(universe, options.player), options.subject, options.body
    words = [one for one in (options.player, options.subject, options.body) if one is not None]
    if len(words) > 2:
        raise BadArgument("Give PLAYER or --player NAME, not both.")
    return find_named_player(universe, options.named), words[0], words[1] if len(words) > 1 else None


async def finish(context: CommandContext) -> int:
    """Finish the turn. With --wait or --at-most, wait for the next turn and show its messages.

    With --undo, reopen the turn.
    """
    await context.meet()
    connection = context.connection
    if context.options.undo:
        if context.options.wait or context.options.at_most is not None:
            raise BadArgument("--undo takes back that the turn is finished; --wait and --at-most wait for its end.")
        words = await connection.unfinish_turn()
        await context.ask_clock()
        context.tell(context.clock_facts(), [shown(f"{words}.")])
        return 0
    await context.ask_clock()
    before = context.turns
    mail = Mail()
    await mail.read(connection)
    await connection.finish_turn()
    if not context.options.wait and context.options.at_most is None:
        await context.ask_clock()
        facts = context.clock_facts()
        line = "You are done with this turn"
        line += f"; awaited: {context.awaited_words()}." if facts["awaited"] else "."
        context.tell(facts, [context.turn_line() if facts["over"] else line])
        return 0
    await _next_turn(context, before)
    news = (await mail.read(connection)).fresh
    await context.meet()
    facts = {**context.clock_facts(news), "messages": [message_facts(context, message) for message in news]}
    context.tell(facts, [*_turn_lines(context), *_news_lines(context, news), *await _places(context, news)])
    return 0


async def _next_turn(context: CommandContext, before: int) -> None:
    """Wait for the turn after number `before`, or the end.

    Raises NoAnswer after --at-most seconds without either. Raises GameSuspended if the operator has to resume the game.
    """
    patience = context.options.at_most
    with suppress(TimeoutError):
        async with asyncio.timeout(patience):
            while True:
                await context.next_clock()
                if context.turns > before or is_over(context.clock, ()):
                    return
                if is_suspended(context.clock):
                    raise GameSuspended("The rules of this game failed. It waits until its operator resumes it.")
    await context.ask_clock()
    game = await context.game()
    hindrance = shown(hindrance_of(game)) if game is not None else ""
    why = f" The game is {hindrance}." if hindrance else ""
    raise NoAnswer(f"No new turn began within {patience:g} seconds; awaited: {context.awaited_words()}.{why}")


async def watch(context: CommandContext) -> int:
    """Show each new turn and message until the game is over. With --json, each line is one document."""
    await context.meet()
    connection = context.connection
    await context.ask_clock()
    mail = Mail()
    await mail.read(connection)
    news: Sequence[tp_pb2.Message] = messages_of_turn(context, mail.messages)
    told: object = None
    while True:
        clock = context.clock
        present = (context.turns, clock.turn_name)
        is_new = present != told and clock.time > 0
        if is_new:
            told = present
            await context.meet()
        if is_new or news:
            facts = {**context.clock_facts(news), "new_turn": is_new}
            facts["messages"] = [message_facts(context, message) for message in news]
            context.tell(facts, [*(_turn_lines(context) if is_new else ()), *_news_lines(context, news)])
        if is_over(clock, news):
            if not context.options.json:
                context.tell(None, await _places(context, news))
            return 0
        await context.next_clock()
        # Reports are on the board before the clock shows their turn, so the messages read now belong to it.
        news = (await mail.read(connection)).fresh


def _turn_lines(context: CommandContext) -> list[str]:
    """Return the heading of a turn, with the time left and the awaited players."""
    parts = [] if is_over(context.clock, ()) else [seconds_words(context.clock.time)]
    if context.clock.waiting:
        parts.append(f"awaited: {context.awaited_words()}")
    return [context.turn_line() + (f" ({'; '.join(parts)})" if parts else "")]


async def _places(context: CommandContext, news: Sequence[tp_pb2.Message]) -> list[str]:
    """Return the final table, if the game is over."""
    return indented(await read_places(context)) if is_over(context.clock, news) else []


def _news_lines(context: CommandContext, news: Sequence[tp_pb2.Message]) -> list[str]:
    return [f"  {line}" for message in news for line in message_lines(context, message)]
