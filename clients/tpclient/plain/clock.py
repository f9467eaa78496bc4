"""The command that shows the turn clock, adds time or changes the clock."""

import os

from tpclient.agreements import or_proposed
from tpclient.clocks import clock_facts, clock_rows
from tpclient.columns import shown
from tpclient.errors import BadArgument
from tpclient.games import game_and_purpose
from tpclient.plain.arguments import USER, credentials
from tpclient.plain.context import CommandContext


async def clock(context: CommandContext) -> int:
    """Show or change the turn clock.

    Showing it needs no login. Only the owner of the game may change it.
    """
    options, connection = context.options, context.connection
    name = options.game or game_and_purpose(options.user or os.environ.get(USER, ""))[0]
    if not name:
        games = await connection.games()
        if len(games) != 1:
            raise BadArgument("Say which game: tpclient clock GAME.")
        name = games[0].name
    said = ""
    if options.extend is not None or options.set is not None or options.take_back:
        user, password = credentials(options)
        await connection.login_account(user.partition("@")[0], password)
        if options.take_back:
            said = await connection.take_time_back(name)
        elif options.extend is not None:
            asked = connection.extend_turn(name, options.extend)
            said = await or_proposed(asked, connection, name, "extension", seconds=options.extend)
        else:
            asked = connection.set_clock(name, options.set)
            said = await or_proposed(asked, connection, name, "clock", clock=options.set)
    told = await connection.game_clock(name)
    lines = [f"{head + ':':<7} {shown(words)}" for head, words in clock_rows(told, _name)]
    context.tell({**clock_facts(told, _name), "said": said}, [*([shown(said)] if said else []), *lines])
    return 0


def _name(number: int) -> str:
    """Return the name of a player by number, as names need a login."""
    return f"player {number}"
