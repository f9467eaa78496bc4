"""The commands that only read: games, status, objects, object, map."""

import shlex
import shutil
import time
from collections.abc import Sequence
from typing import Any

from tpclient.clocks import NO_DEADLINE, own_time, seconds_words
from tpclient.columns import brief, indented, listed, shown, table
from tpclient.errors import UnknownName
from tpclient.games import game_and_purpose, late_words, turn_in
from tpclient.names import (
    called_name,
    find_object,
    grounds_of,
    holdings,
    kind_name,
    object_name,
    order_name,
    place_name,
    player_name,
)
from tpclient.objects import SpaceObject
from tpclient.plain.chart import chart
from tpclient.plain.context import CommandContext
from tpclient.plain.ending import read_places
from tpclient.plain.facts import (
    described,
    game_facts,
    game_table,
    object_facts,
    offer_facts,
    offer_lines,
    own_game_facts,
    own_game_table,
)
from tpclient.plain.news import messages_of_turn
from tpclient.plain.reading import goal
from tpclient.universe import ROOT, Universe
from tpclient.views import read_map

MOST_ROWS = 40
"""Maximum rows for kinds of pieces in `status`, and for contents in `object`. `objects` has all of them."""
LONGEST_HOLDINGS = 48
"""Maximum characters of the contents of a piece in `status`. `object` shows everything."""
MOST_IDS = 8
"""Maximum ids of similar pieces in one row."""


async def games(context: CommandContext) -> int:
    """List the games of the server. Needs no login."""
    found = await context.connection.games()
    titles = await context.connection.ruleset_titles()
    facts = [game_facts(game, titles) for game in found]
    context.tell(facts, game_table(facts) if facts else ["There is no game on this server."])
    return 0


async def own_games(context: CommandContext) -> int:
    """List the player's own games, games that wait for the player first. Logs in without a game."""
    await context.log_in_to_account()
    facts = [own_game_facts(game) for game in await context.connection.my_games()]
    facts.sort(key=lambda one: not one["awaited"])
    context.tell(facts, own_game_table(facts) if facts else ["You have a seat in no game."])
    return 0


async def status(context: CommandContext) -> int:
    """Show name, turn, time, awaited players, objects, queues, and news."""
    facts, lines = await read_status(context)
    places = await read_places(context) if facts["over"] else []
    context.tell(facts, [*lines, *(["", *places] if places else [])])
    return 0


async def read_status(context: CommandContext) -> tuple[dict[str, Any], list[str]]:
    """Return the output of `status`, as data and as lines."""
    universe = await context.look_at_turn()
    found = await context.game()
    titles = await context.connection.ruleset_titles() if found is not None else {}
    game = game_facts(found, titles) if found is not None else None
    purpose = game_and_purpose(context.options.user)[1]
    messages = await context.connection.messages()
    new = messages_of_turn(context, messages)
    carriers = [thing for thing in universe.where(lambda thing: True) if universe.offers(thing)]
    queued = [(thing, queue.num_orders) for thing in carriers if (queue := universe.queue_of(thing)) is not None]
    facts = {
        "player": {"id": universe.me, "name": player_name(universe, universe.me)},
        "server": context.connection.welcome,
        "game": game,
        "purpose": purpose or "play",
        **context.clock_facts(messages),
        "me_awaited": universe.me in context.clock.waiting,
        "orders": [{"object": thing.id, "count": count} for thing, count in queued if count],
        "commands": [
            {**object_facts(universe, thing), "takes": [offer.name for offer in universe.offers(thing)]}
            for thing in carriers
        ],
        "messages": {"all": len(messages), "new": len(new)},
    }
    facts["goal"] = await goal(context, found)
    return facts, _status_lines(context, facts, carriers)


def _status_lines(context: CommandContext, facts: dict[str, Any], carriers: Sequence[SpaceObject]) -> list[str]:
    universe, game = context.universe, facts["game"]
    is_playing = facts["purpose"] == "play"
    purpose = "watching" if facts["purpose"] == "watch" else facts["purpose"]  # as in `carol@friday/watch`
    turn = turn_in(facts["purpose"])  # as in `carol@friday/turn/3`
    if turn is not None:
        purpose = f"looking at turn {turn} of"
    who = facts["player"]["name"] + (f" (player {universe.me})" if is_playing else "")
    where = game_and_purpose(context.options.user)[0]  # TP03 has no more
    if game is not None:
        where = game["name"] + (f" ({game['title']})" if game["title"] else "")
    if turn is not None:
        where = where or "the game"
    if where:
        who += f" in {where}" if is_playing else f", {purpose} {where}"
    orders = sum(one["count"] for one in facts["orders"])
    limited = 0 < context.clock.time < NO_DEADLINE
    summary = [
        ("You are", shown(who)),
        ("Game" if turn is None else "Game now", shown(game["comment"]) if game is not None else ""),
        ("Goal", shown(facts["goal"])),
        ("Turn", context.turn_line()),
        ("Shown", late_words(context.clock)),
        ("Time left", "the game is over" if facts["over"] else seconds_words(context.clock.time)),
        ("Until", "" if facts["over"] or not limited else own_time(time.time() + context.clock.time)),
        ("Awaited", context.awaited_words() if context.connection.has_turn_numbers else ""),
        ("Orders", f"{orders} queued" if orders else "none queued"),
        ("Messages", f"{facts['messages']['new']} new, {facts['messages']['all']} in all"),
    ]
    if turn is not None:  # old turns have no awaited players and no time remaining
        summary = [row for row in summary if row[0] not in ("Time left", "Until", "Awaited")]
    lines = [f"{title + ':':<11} {text}" for title, text in summary if text]
    if not carriers:
        return [*lines, "", "Nothing takes orders from you now."]
    rows = _command_rows(universe, carriers)
    lines += ["", *table(("id", "what", "holds", "in", "queued", "takes"), rows[:MOST_ROWS])]
    if len(rows) > MOST_ROWS:
        lines.append(f"and {len(rows) - MOST_ROWS} rows more; tpclient objects --mine shows everything.")
    return lines


def _command_rows(universe: Universe, carriers: Sequence[SpaceObject]) -> list[tuple[str, ...]]:
    """Return one row for all similar pieces: same name, contents, place and offers."""
    alike: dict[tuple[str, ...], list[int]] = {}
    for thing in carriers:
        queue = universe.queue_of(thing)
        count = str(queue.num_orders) if queue is not None and queue.num_orders else ""
        takes = ", ".join(order_name(universe, offer) for offer in universe.offers(thing))
        row: tuple[str, ...] = (
            called_name(universe, thing) or kind_name(universe, thing),
            brief(holdings(universe, thing), LONGEST_HOLDINGS),
            place_name(universe, thing),
            count,
            takes,
        )
        alike.setdefault(row, []).append(thing.id)
    rows: list[tuple[str, ...]] = []
    for row, numbers in alike.items():
        more = f" +{len(numbers) - MOST_IDS}" if len(numbers) > MOST_IDS else ""
        rows.append((" ".join(map(str, numbers[:MOST_IDS])) + more, *row))
    return rows


async def objects(context: CommandContext) -> int:
    """List the objects as a tree, or only those of a kind or of the player."""
    universe, options = await context.look(), context.options
    top = find_object(universe, options.under).id if options.under is not None else ROOT
    kind = options.kind.casefold() if options.kind is not None else None
    if kind is not None and kind not in {known.name.casefold() for known in universe.object_descriptions.values()}:
        everything = [*universe.objects.values()]  # TP03 has no descriptions
        if kind not in {name.casefold() for thing in everything for name in (thing.kind, kind_name(universe, thing))}:
            kinds = sorted({kind_name(universe, thing) for thing in everything})
            raise UnknownName(f"No object is of the kind {options.kind!r}; there are: {listed(kinds, MOST_ROWS)}.")

    def is_wanted(thing: SpaceObject) -> bool:
        names = (thing.kind.casefold(), kind_name(universe, thing).casefold())
        return (kind is None or kind in names) and (not options.mine or thing.owner == universe.me)

    chosen = [(depth, thing) for depth, thing in universe.tree(top) if is_wanted(thing)]
    is_tree = kind is None and not options.mine
    rows = [
        (
            thing.id,
            "  " * depth * is_tree + called_name(universe, thing),
            kind_name(universe, thing),
            player_name(universe, thing.owner),
            holdings(universe, thing),
            "" if is_tree else place_name(universe, thing),
        )
        for depth, thing in chosen
    ]
    facts = [{**object_facts(universe, thing), "depth": depth} for depth, thing in chosen]
    lines = table(("id", "name", "kind", "owner", "holds", "in"), rows) if rows else ["There is no such object."]
    context.tell(facts, lines)
    return 0


async def one_object(context: CommandContext) -> int:
    """Show an object by the groups and names of its description."""
    universe = await context.look()
    thing = find_object(universe, context.options.object)
    about, groups = await described(context.connection, universe, thing)
    description = universe.object_descriptions.get(thing.role)
    queue = universe.queue_of(thing)
    offers = universe.offers(thing)
    facts = {
        **object_facts(universe, thing),
        "description": about,
        "groups": {group: dict(values) for group, values in groups},
        "queued": queue.num_orders if queue is not None else 0,
        "takes": [offer_facts(universe, offer) for offer in offers],
    }
    about = about or (description.description if description is not None else "")
    lines = [
        shown(
            f"{called_name(universe, thing)} ({thing.id}), {kind_name(universe, thing)}"
            + (f": {about}" if about else "")
        )
    ]
    if thing.id != ROOT:
        lines.append(shown(f"in {object_name(universe, thing.parent)}"))
    for group, values in groups:
        rows = [(f"  {name}", text) for name, text in values]
        lines += ["", shown(group), *table(("", ""), rows)[1:]]
    inside = universe.children(thing.id)
    if inside:
        contents = [(one.id, called_name(universe, one), holdings(universe, one)) for one in inside[:MOST_ROWS]]
        lines += ["", "Contains", *indented(table(("", "", ""), contents)[1:])]
        if len(inside) > MOST_ROWS:
            lines.append(f"  and {len(inside) - MOST_ROWS} more: tpclient objects --under {thing.id}")
    if offers:
        lines += ["", "Takes", *indented(offer_lines(universe, offers))]
        lines.append(f"tpclient rules --about {shlex.quote(shown(offers[0].name))} tells the rules of it.")
    context.tell(facts, lines)
    return 0


async def draw_map(context: CommandContext) -> int:
    """Draw the map of every galaxy as text."""
    context.tell(*await read_drawn_map(context))
    return 0


async def read_drawn_map(context: CommandContext) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the output of `map`, as data and as lines."""
    universe, options = await context.look(), context.options
    drawn = read_map(universe).boards
    grounds = grounds_of(universe, (icon.thing for board in drawn for icon in board.icons))
    facts = [
        {
            "id": board.thing.id,
            "name": board.thing.name,
            "systems": [
                {
                    "id": icon.thing.id,
                    "name": icon.thing.name,
                    "position": list(icon.thing.position),
                    "ground": grounds[icon.thing.id].words if icon.thing.id in grounds else "",
                    "owners": list(icon.owners),
                    "amount": icon.amount,
                    "resources": {str(number): amount for number, amount in icon.amounts.items()},
                    "slices": [list(row) for row in icon.slices],
                }
                for icon in board.icons
            ],
        }
        for board in drawn
    ]
    if not drawn:
        return facts, ["There is nothing on the map yet."]
    # Any width, if the output is no terminal and COLUMNS is not set.
    columns = options.width if options.width is not None else shutil.get_terminal_size((0, 0)).columns
    return facts, list(chart(universe, drawn, resources=options.resources, columns=columns, skip=options.skip))
