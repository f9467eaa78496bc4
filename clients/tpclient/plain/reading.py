"""The command that shows the rules of a game, and the goal for `status`."""

import os
import shutil
from dataclasses import asdict

from tpclient.columns import listed, shown
from tpclient.connection import read_manual, ruleset_of
from tpclient.errors import ClientError, UnknownName
from tpclient.games import game_and_purpose
from tpclient.manual import MOST_NAMED, Manual, plain_lines
from tpclient.plain.arguments import USER
from tpclient.plain.context import CommandContext
from tpproto import tp_pb2

PATIENCE = 5.0
"""Maximum seconds that `status` waits for the goal. Other servers may never send it."""


async def rules(context: CommandContext) -> int:
    """Show the rules of a game or ruleset, or a part of them. Needs no login."""
    options, connection = context.options, context.connection
    manual = await connection.rules(await _ruleset(context))
    text = manual.text
    if options.section is not None:
        text = manual.section(options.section).whole
    elif options.about is not None:
        text = _about(manual, options.about)
    width = shutil.get_terminal_size((80, 24)).columns
    title = shown(manual.title or manual.ruleset)
    context.tell(
        {**asdict(manual), "text": text}, plain_lines(text, width) if text else [f"{title} has no rules to read."]
    )
    return 0


async def _ruleset(context: CommandContext) -> str:
    """Return the ruleset whose rules to show.

    It is that of the named game, or else the named ruleset, or else that of the user's game.
    """
    games = await context.connection.games()
    wanted: str | None = context.options.game
    if wanted is None:
        user = context.options.user or os.environ.get(USER, "")
        return ruleset_of(games, game_and_purpose(user)[0])
    folded = wanted.casefold()
    return next((game.rule for game in games if game.name.casefold() == folded), wanted)


def _about(manual: Manual, name: str) -> str:
    """Return the rules on a piece or an order type, as Markdown.

    Raises UnknownName, which lists the names that exist.
    """
    found = manual.about(name)
    if found is None:
        known = listed((one.title for one in manual.paragraphs()), MOST_NAMED) or "nothing by its name"
        raise UnknownName(f"The rules say nothing about {name!r}; they tell of: {known}.")
    return found.whole


async def goal(context: CommandContext, game: tp_pb2.Game | None) -> str:
    """Return the goal of the present game, in one sentence; "" if the server does not send it."""
    ruleset = game.rule if game is not None else ""
    name, welcome = game_and_purpose(context.options.user)[0], context.connection.welcome
    timeout = min(PATIENCE, context.options.timeout)
    try:
        manual = await read_manual(context.address, ruleset, game=name, welcome=welcome, timeout=timeout)
    except ClientError:
        return ""
    return manual.goal
