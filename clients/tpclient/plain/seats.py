"""The commands about who plays the seats of a game: who is away, the own autopilot, and seats that seek somebody."""

import os
from typing import Any

from tpproto import tp_pb2

from ..clocks import own_time
from ..columns import shown, table
from ..errors import BadArgument
from ..games import game_and_purpose
from ..seats import HEADS, seats_facts, seats_rows
from .arguments import USER, credentials
from .context import CommandContext


async def seats(context: CommandContext) -> int:
    """Who plays and who is away; nobody has to log in for that, but for a change whoever has made the game."""
    options, connection = context.options, context.connection
    name = options.game or game_and_purpose(options.user or os.environ.get(USER, ""))[0]
    if not name:
        games = await connection.games()
        if len(games) != 1:
            raise BadArgument("Say which game: tpclient seats GAME.")
        name = games[0].name
    changes = {
        "absent_after": options.absent_after,
        "absent": options.absent,
        "seeks": None if options.seek is None else options.seek == "yes",
        "reliability": options.reliability,
        "roll_call": options.roll_call,
    }
    changes = {field: value for field, value in changes.items() if value is not None}
    said = []
    if changes or options.remove is not None:
        user, password = credentials(options)
        await connection.login_account(user.partition("@")[0], password)
    if changes:
        policy = (await connection.game_seats(name)).policy
        for field, value in changes.items():
            setattr(policy, field, value)
        said.append(await connection.set_seat_policy(name, policy))
    if options.remove is not None:
        said.append(await connection.remove_player(name, options.remove))
    told = await connection.game_seats(name)
    if told.roll_ends:
        said.append(f"The game begins when all have said that they are here, until {own_time(told.roll_ends)}")
    lines = [*map(shown, said), shown(f"{told.words[:1].upper()}{told.words[1:]}.")]
    context.tell({**seats_facts(told), "said": said}, [*lines, *table(HEADS, seats_rows(told))])
    return 0


async def open_seats(context: CommandContext) -> int:
    """The seats that seek somebody."""
    found = await context.connection.open_seats()
    facts = [
        {
            "game": one.game,
            "ruleset": one.ruleset,
            "turn": one.turn,
            "player": one.player,
            "name": one.name,
            "bot": one.bot,
            "reliability": one.reliability,
        }
        for one in found
    ]
    rows = [_open_row(one) for one in found]
    lines = table(("GAME", "RULES", "TURN", "SEAT", "OF"), rows) if rows else ["No seat seeks anybody."]
    context.tell({"seats": facts}, lines)
    return 0


def _open_row(seat: tp_pb2.OpenSeat) -> tuple[str, str, str, str, str]:
    asks = f" (for who kept {seat.reliability} % of turns)" if seat.reliability else ""
    return seat.game, seat.title or seat.ruleset, str(seat.turn), str(seat.player), f"{seat.name}{asks}"


async def take(context: CommandContext) -> int:
    """Take a seat that seeks somebody."""
    await context.log_in_to_account()
    options = context.options
    return _done(context, await context.connection.take_seat(options.game, options.player, options.invitation or ""))


async def here(context: CommandContext) -> int:
    """Say that I am here, so that the game waits for me again."""
    return _done(context, await context.connection.say_here())


async def autopilot(context: CommandContext) -> int:
    """Leave my seat to the bot of the rules."""
    return _done(context, await context.connection.set_autopilot(context.options.turns))


def _done(context: CommandContext, words: str) -> int:
    facts: dict[str, Any] = {"done": words}
    context.tell(facts, [shown(f"{words}.")])
    return 0
