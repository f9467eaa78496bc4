"""The command for old turns: history.

It logs in to an old turn, which takes no seat and changes nothing. It does so even to list the turns.
"""

from collections.abc import Sequence
from typing import Any

from tpclient.columns import brief, counted, shown, table
from tpclient.errors import BadArgument
from tpclient.games import game_and_purpose, own_game
from tpclient.plain.context import CommandContext
from tpclient.plain.facts import game_facts
from tpclient.plain.inspect import read_drawn_map, read_status
from tpproto import tp_pb2

MOST_TURNS = 40
"""Maximum turns in the list, the newest ones. With --json all are listed."""
LONGEST_NEWS = 60
"""Maximum characters of the subjects of a turn's messages in the list."""


async def history(context: CommandContext) -> int:
    """List the turns of the game, or show one of them like `status` and `map`."""
    if context.options.turn is None:
        return await _list_turns(context)
    await context.enter(context.options.turn)
    status, lines = await read_status(context)
    drawn, rows = await read_drawn_map(context)
    context.tell({"status": status, "map": drawn}, [*lines, "", *rows])
    return 0


async def _list_turns(context: CommandContext) -> int:
    """List all turns.

    The server sends the number of turns, the name of the newest one, and the messages of each. The name of another turn
    is known only after a login to it.
    """
    connection = context.connection
    if not connection.has_turn_numbers:
        raise BadArgument("In TP03 no server tells how many turns there are; name one, or say --dialect tp04.")
    game = own_game(await connection.games(), game_and_purpose(context.options.user)[0], "")
    await context.enter(_newest(game))
    game = game or await context.game()
    await context.ask_clock()
    newest = max(context.clock.turn, _newest(game))
    messages = await connection.messages()
    turns = [_turn_facts(context, number, messages) for number in range(newest + 1)]
    name = game.name if game is not None else game_and_purpose(context.options.user)[0]
    rows = [
        (one["turn"], shown(one["turn_name"] or ""), brief(shown("; ".join(one["messages"])), LONGEST_NEWS))
        for one in turns[-MOST_TURNS:]
    ]
    heading = shown(f"{name}: {counted(len(turns), 'turn')}, the newest is {newest}".removeprefix(": "))
    older = len(turns) - len(rows)
    more = [f"and {counted(older, 'turn')} before that, from turn 0 on."] if older else []
    context.tell({"game": name, "turns": turns}, [heading, *table(("turn", "name", "what came"), rows), *more])
    return 0


def _newest(game: tp_pb2.Game | None) -> int:
    """Return the number of a game's newest turn; 0, which every game has, if the game is unknown."""
    return (game_facts(game)["turn"] or 0) if game is not None else 0


def _turn_facts(context: CommandContext, number: int, messages: Sequence[tp_pb2.Message]) -> dict[str, Any]:
    """Return the facts of a turn that need no login to it.

    The name is None unless it is the turn of the clock.
    """
    return {
        "turn": number,
        "turn_name": context.clock.turn_name if context.clock.turn == number else None,
        "messages": [message.subject for message in messages if message.turn == number],
    }
