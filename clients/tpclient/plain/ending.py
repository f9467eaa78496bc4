"""The commands for scores or final places, and for the setup of a game."""

from collections.abc import Sequence
from typing import Any, Protocol

from tpclient.columns import brief, shown, table
from tpclient.connection import SCORES
from tpclient.errors import RequestFailed
from tpclient.games import game_and_purpose, press_words, watch_words
from tpclient.names import player_name
from tpclient.plain.context import CommandContext
from tpclient.universe import Universe
from tpproto import tp_pb2

LONGEST_VALUE = 48
"""Maximum characters of an option's value in the table. --json has all of them."""


def place_facts(universe: Universe, scores: tp_pb2.Scores) -> list[dict[str, Any]]:
    """Return the final table, the best place first; empty while the game goes on."""
    return [
        {"place": one.place, **_player_facts(universe, one.id, one.figures)}
        for one in sorted(scores.places, key=lambda one: (one.place, one.id))
    ]


def figure_table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return a table of players, with a column for each figure, and places if there are any."""
    names = list(dict.fromkeys(name for row in rows for name in row["figures"]))
    heads = ("place", "player", *names)
    return table(heads, [[row.get("place", ""), row["name"], *_cells(row["figures"], names)] for row in rows])


class _Source(Protocol):
    def speaks(self, request: str) -> bool: ...

    async def scores(self) -> tp_pb2.Scores: ...


async def told_places(source: _Source, universe: Universe) -> list[dict[str, Any]]:
    """Return the final table from a connection or a followed game.

    Empty if the server does not send it.
    """
    if not source.speaks(SCORES):
        return []
    try:
        return place_facts(universe, await source.scores())
    except RequestFailed:  # an older server
        return []


async def read_places(context: CommandContext) -> list[str]:
    """Return the final table of a finished game as lines; none if the server does not send it."""
    rows = await told_places(context.connection, context.universe)
    return figure_table(rows) if rows else []


async def scores(context: CommandContext) -> int:
    """Show the scores, or the places of a game that is over.

    With --json also the scores of each turn.
    """
    universe = await context.meet()
    told = await context.connection.scores()
    rows = place_facts(universe, told)
    if not rows:
        standing = await context.connection.standing()
        rows = [_player_facts(universe, one.id, one.figures) for one in standing.scores]
    lines = [
        {"player": line.id, "name": line.name, "turns": _turns(told, line), "numbers": [*line.numbers]}
        for line in told.lines
    ]
    words = (
        figure_table(rows) if any(row["figures"] or "place" in row for row in rows) else ["This game has no scores."]
    )
    context.tell({"over": bool(told.places), "players": rows, "lines": lines}, words)
    return 0


async def setup(context: CommandContext) -> int:
    """Show the setup of a game.

    Needs no login, unless the game is for invited players.
    """
    name = context.options.game or game_and_purpose(context.options.user or "")[0]
    told = await context.connection.setup(name)
    options = [{"name": one.name, "value": one.value, "changed": one.changed, "help": one.help} for one in told.options]
    facts = {
        key: getattr(told, key) for key in ("game", "ruleset", "title", "version", "seats", "bots", "clock", "invited")
    }
    facts["press"], facts["anonymous"] = told.press or "private", told.anonymous
    facts["watch_delay"] = None if told.unwatched else told.watch_delay
    seats = f"{told.seats}, {told.bots} of them for bots" if told.bots else str(told.seats)
    head = [("Game", told.game), ("Rules", f"{told.title} ({told.ruleset})"), ("Seats", seats), ("Clock", told.clock)]
    head.append(("Join", "invited players only" if told.invited else "open"))
    head.append(("Talk", press_words(told.press)))
    if told.anonymous:
        head.append(("Players", "anonymous until it is over"))
    head.append(("Watch", watch_words(told.watch_delay, told.unwatched)))
    lines = [f"{title + ':':<7} {shown(text)}" for title, text in head]
    rows = [
        (one.name, brief(one.value or "(another text)", LONGEST_VALUE), "*" if one.changed else "")
        for one in told.options
    ]
    if rows:
        lines += ["", *table(("option", "value", "changed"), rows)]
    context.tell({**facts, "options": options}, lines)
    return 0


def _player_facts(universe: Universe, number: int, figures: Sequence[tp_pb2.Figure]) -> dict[str, Any]:
    return {
        "id": number,
        "name": player_name(universe, number),
        "figures": {one.name: one.number for one in figures},
    }


def _cells(figures: dict[str, int], names: Sequence[str]) -> list[object]:
    return [figures.get(name, "") for name in names]


def _turns(told: tp_pb2.Scores, line: tp_pb2.ScoreLine) -> list[int]:
    return list(told.turns[line.start : line.start + len(line.numbers)])
