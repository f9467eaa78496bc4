"""The command that reads the rules of a game for players, and their goal for `status`."""

import os
import shutil
from dataclasses import asdict

from tpproto import tp_pb2

from ..columns import listed, shown
from ..connection import read_manual, ruleset_of
from ..errors import ClientError, UnknownName
from ..games import game_and_purpose
from ..manual import MOST_NAMED, Manual, plain_lines
from .arguments import USER
from .context import CommandContext

PATIENCE = 5.0
"""Maximum seconds that `status` waits for the goal, which a server of another make may never tell."""


async def rules(context: CommandContext) -> int:
    """The rules of a game or ruleset, or a part of them; nobody has to log in for that."""
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
    """Whose rules are wanted: of the game that is named, or else of the ruleset, or else of the game of the user."""
    games = await context.connection.games()
    wanted: str | None = context.options.game
    if wanted is None:
        user = context.options.user or os.environ.get(USER, "")
        return ruleset_of(games, game_and_purpose(user)[0])
    folded = wanted.casefold()
    return next((game.rule for game in games if game.name.casefold() == folded), wanted)


def _about(manual: Manual, name: str) -> str:
    """What is said about a piece or an order type, as Markdown. Raises UnknownName, which lists what there is."""
    found = manual.about(name)
    if found is None:
        known = listed((one.title for one in manual.paragraphs()), MOST_NAMED) or "nothing by its name"
        raise UnknownName(f"The rules say nothing about {name!r}; they tell of: {known}.")
    return found.whole


async def goal(context: CommandContext, game: tp_pb2.Game | None) -> str:
    """The goal of the game that we are in, in one sentence; nothing if the server does not tell."""
    ruleset = game.rule if game is not None else ""
    name, welcome = game_and_purpose(context.options.user)[0], context.connection.welcome
    timeout = min(PATIENCE, context.options.timeout)
    try:
        manual = await read_manual(context.address, ruleset, game=name, welcome=welcome, timeout=timeout)
    except ClientError:
        return ""
    return manual.goal
