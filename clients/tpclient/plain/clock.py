"""The command that tells what a game's clock says, gives its turn more time, or gives it another clock."""

import os

from ..clocks import clock_facts, clock_rows
from ..columns import shown
from ..errors import BadArgument
from ..games import game_and_purpose
from .arguments import USER, credentials
from .context import CommandContext


async def clock(context: CommandContext) -> int:
    """What the clock says; nobody has to log in for that, but for a change whoever has made the game."""
    options, connection = context.options, context.connection
    name = options.game or game_and_purpose(options.user or os.environ.get(USER, ""))[0]
    if not name:
        games = await connection.games()
        if len(games) != 1:
            raise BadArgument("Say which game: tpclient clock GAME.")
        name = games[0].name
    said = ""
    if options.extend is not None or options.set is not None:
        user, password = credentials(options)
        await connection.login_account(user.partition("@")[0], password)
        if options.extend is not None:
            said = await connection.extend_turn(name, options.extend)
        else:
            said = await connection.set_clock(name, options.set)
    told = await connection.game_clock(name)
    lines = [f"{head + ':':<7} {shown(words)}" for head, words in clock_rows(told, _name)]
    context.tell({**clock_facts(told, _name), "said": said}, [*([shown(said)] if said else []), *lines])
    return 0


def _name(number: int) -> str:
    """What a player is called; names are for those who are in the game."""
    return f"player {number}"
