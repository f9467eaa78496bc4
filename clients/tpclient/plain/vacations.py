"""The command that lists, adds and removes the player's vacations."""

from tpclient.columns import shown
from tpclient.errors import BadArgument
from tpclient.plain.context import CommandContext
from tpclient.vacations import AWAY_FORM, days_between, left_words, vacation_words, vacations_facts


async def vacation(context: CommandContext) -> int:
    """Show my vacations, after a change also the server's response.

    The account needs no game for that.
    """
    options, connection = context.options, context.connection
    times = None
    if options.days:
        times = days_between(" ".join(options.days))
        if times is None:
            raise BadArgument(f"{' '.join(options.days)!r} is no vacation; say {AWAY_FORM}.")
        if options.end is not None:
            raise BadArgument("Say either when you are away, or which vacation ends.")
    await context.log_in_to_account()
    said = ""
    if times is not None:
        said = await connection.add_vacation(*times)
    elif options.end is not None:
        said = await connection.end_vacation(options.end)
    told = await connection.vacations()
    lines = [shown(f"{said}.")] if said else []
    lines += [f"{one.id:>3}  {vacation_words(one)}" for one in told.vacations] or ["No vacation."]
    lines.append(f"{left_words(told).capitalize()}.")
    context.tell({**vacations_facts(told), "said": said}, lines)
    return 0
