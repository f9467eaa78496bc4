"""The command that tells when I am on vacation, says so, and takes it back."""

from ..columns import shown
from ..errors import BadArgument
from ..vacations import AWAY_FORM, days_between, left_words, vacation_words, vacations_facts
from .context import CommandContext


async def vacation(context: CommandContext) -> int:
    """When I am on vacation, after a change with its answer; the account needs no game for that."""
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
