"""The commands for seats: absent players, autopilot, and open seats."""

import argparse
import os
from typing import Any

from tpclient.agreements import SEATS, or_proposed
from tpclient.clocks import own_time
from tpclient.columns import shown, table
from tpclient.errors import BadArgument
from tpclient.games import game_and_purpose
from tpclient.plain.arguments import USER, credentials
from tpclient.plain.context import CommandContext
from tpclient.seats import HEADS, seats_facts, seats_rows, set_silent_days
from tpproto import tp_pb2

POLICY_OPTIONS = ("absent_after", "silent_days", "absent", "seek", "reliability", "roll_call")
"""The options of `arguments` that say what a game does about absent players."""


async def seats(context: CommandContext) -> int:
    """Show or change the seats of a game.

    Showing them needs no login. Only the owner of the game may change them.
    """
    options, connection = context.options, context.connection
    name = options.game or game_and_purpose(options.user or os.environ.get(USER, ""))[0]
    if not name:
        games = await connection.games()
        if len(games) != 1:
            raise BadArgument("Say which game: tpclient seats GAME.")
        name = games[0].name
    said = []
    if changes_policy(options) or options.remove is not None:
        user, password = credentials(options)
        await connection.login_account(user.partition("@")[0], password)
    if changes_policy(options):
        policy = changed_policy((await connection.game_seats(name)).policy, options)
        asked = connection.set_seat_policy(name, policy)
        said.append(await or_proposed(asked, connection, name, SEATS, policy=policy))
    if options.remove is not None:
        asked = connection.remove_player(name, options.remove)
        said.append(await or_proposed(asked, connection, name, "remove", player=options.remove))
    told = await connection.game_seats(name)
    if told.roll_ends:
        said.append(f"The game begins when all have said that they are here, until {own_time(told.roll_ends)}")
    lines = [*map(shown, said), shown(f"{told.words[:1].upper()}{told.words[1:]}.")]
    context.tell({**seats_facts(told), "said": said}, [*lines, *table(HEADS, seats_rows(told))])
    return 0


def changes_policy(options: argparse.Namespace) -> bool:
    """Return whether options change the policy for absent players."""
    return any(getattr(options, name) is not None for name in POLICY_OPTIONS)


def changed_policy(policy: tp_pb2.SeatPolicy, options: argparse.Namespace) -> tp_pb2.SeatPolicy:
    """Return the policy of a game, changed by the options."""
    changed = tp_pb2.SeatPolicy()
    changed.CopyFrom(policy)
    for name in ("absent_after", "absent", "reliability", "roll_call"):
        if getattr(options, name) is not None:
            setattr(changed, name, getattr(options, name))
    if options.seek is not None:
        changed.seeks = options.seek == "yes"
    if options.silent_days is not None:
        set_silent_days(changed, options.silent_days)
    return changed


async def open_seats(context: CommandContext) -> int:
    """List the open seats."""
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
    lines = table(("GAME", "RULES", "TURN", "SEAT", "OF"), rows) if rows else ["There are no open seats."]
    context.tell({"seats": facts}, lines)
    return 0


def _open_row(seat: tp_pb2.OpenSeat) -> tuple[str, str, str, str, str]:
    asks = f" (requires {seat.reliability} % of turns kept)" if seat.reliability else ""
    return seat.game, seat.title or seat.ruleset, str(seat.turn), str(seat.player), f"{seat.name}{asks}"


async def take(context: CommandContext) -> int:
    """Take an open seat."""
    await context.log_in_to_account()
    options = context.options
    return _done(context, await context.connection.take_seat(options.game, options.player, options.invitation or ""))


async def here(context: CommandContext) -> int:
    """Report that the player is present, so that the game waits for the player again."""
    return _done(context, await context.connection.say_here())


async def autopilot(context: CommandContext) -> int:
    """Let the bot of the rules play the seat."""
    return _done(context, await context.connection.set_autopilot(context.options.turns))


def _done(context: CommandContext, words: str) -> int:
    facts: dict[str, Any] = {"done": words}
    context.tell(facts, [shown(f"{words}.")])
    return 0
