"""Games, objects and orders as text, and as data for --json."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tpclient.clocks import NO_DEADLINE, seconds_words
from tpclient.columns import counted, lines_of, listed, shown, table
from tpclient.connection import Connection
from tpclient.games import comment_of
from tpclient.names import (
    amount_words,
    design_name,
    holdings,
    letter_words,
    meanings_in,
    object_name,
    order_name,
    parameter_name,
    player_name,
    reference_name,
    resource_name,
)
from tpclient.objects import NOBODY, SpaceObject
from tpclient.parameters import NOTHING_CHOSEN, Kind, parameter_facts, parameter_words, type_of
from tpclient.summaries import by_weight
from tpclient.universe import Universe
from tpproto import tp_pb2

PLAYERS, OBJECTS, NEXT_TURN, TURN = 1, 3, 6, 9
"""The numbers of a Game frame that are shown (TP04, Game)."""

NO_TITLES: Mapping[str, str] = MappingProxyType({})

Groups = list[tuple[str, list[tuple[str, str]]]]
"""Groups of values by name, with the names and words of the values."""


def game_facts(game: tp_pb2.Game, titles: Mapping[str, str] = NO_TITLES) -> dict[str, Any]:
    """Return a game as data. `titles` has the titles of rulesets by name."""
    numbers = {parameter.id: parameter for parameter in game.parameters}

    def number(key: int) -> int | None:
        return numbers[key].int_value if key in numbers else None

    return {
        "name": game.name,
        "ruleset": game.rule,
        "title": titles.get(game.rule, game.rule),
        "version": game.rule_version,
        "players": number(PLAYERS),
        "turn": number(TURN),
        "objects": number(OBJECTS),
        "next_turn": number(NEXT_TURN),
        "comment": comment_of(game),
        "protocols": list(game.tp),
        "connections": [{"type": one.type, "host": one.dns or one.ip, "port": one.port} for one in game.connections],
    }


def game_table(games: Iterable[dict[str, Any]]) -> list[str]:
    """Return a table of games from `game_facts`: the heads, and a line for each game."""
    columns = ("name", "title", "players", "turn", "comment")
    rows = [["" if one[key] is None else one[key] for key in columns] for one in games]
    return table(("game", "ruleset", "players", "turn", "state"), rows)


def own_game_facts(game: tp_pb2.MyGame) -> dict[str, Any]:
    return {
        "name": game.name,
        "ruleset": game.ruleset,
        "title": game.title,
        "version": game.version,
        "state": game.state,
        "turn": game.turn,
        "turn_name": game.turn_name,
        "seconds": None if game.time >= NO_DEADLINE else game.time,
        "awaited": any(seat.awaited for seat in game.seats[game.player - 1 : game.player]),
        "new_turns": game.new_turns,
        "new_letters": game.new_letters,
        "seats": [{"name": seat.name, "bot": seat.bot, "awaited": seat.awaited} for seat in game.seats],
        "clock": game.clock,
    }


def own_game_table(games: Iterable[dict[str, Any]]) -> list[str]:
    """Return a table of games from `own_game_facts`."""
    rows = [
        (
            one["name"],
            one["title"] or one["ruleset"],
            one["turn"],
            "you are awaited" if one["awaited"] else one["state"],
            "" if one["seconds"] is None else seconds_words(one["seconds"]),
            news_words(one["new_turns"], one["new_letters"]),
            listed(seat["name"] or "nobody yet" for seat in one["seats"]),
        )
        for one in games
    ]
    return table(("game", "ruleset", "turn", "state", "time left", "new", "players"), rows)


def news_words(turns: int, letters: int) -> str:
    """Return the number of new turns and messages in words; "" if none."""
    told = [counted(turns, "turn")] if turns else []
    return ", ".join([*told, counted(letters, "message")] if letters else told)


def object_facts(universe: Universe, thing: SpaceObject) -> dict[str, Any]:
    return {
        "id": thing.id,
        "kind": thing.kind,
        "name": thing.name,
        "parent": thing.parent,
        "contains": list(thing.contains),
        "position": list(thing.position),
        "owner": {"id": thing.owner, "name": player_name(universe, thing.owner)} if thing.owner else None,
        "resources": [
            {
                "id": number,
                "name": resource_name(universe, number, 1),
                "stored": amount.stored,
                "minable": amount.minable,
                "unavailable": amount.unavailable,
            }
            for number, amount in thing.resources.items()
        ],
        "ships": [
            {"id": number, "name": design_name(universe, number) if number in universe.designs else "", "count": count}
            for number, count in thing.ships.items()
        ],
    }


async def described(connection: Connection, universe: Universe, thing: SpaceObject) -> tuple[str, Groups]:
    """Return an object's description, and the groups of its present values."""
    answer = await connection.ask("get_objects_by_id", tp_pb2.GetWithID(ids=[thing.id]))
    if not connection.has_turn_numbers:
        answer.one(tp_pb2.ClassicObject)
        return "", _classic_groups(universe, thing)
    frame = answer.one(tp_pb2.Object)
    return frame.desc, _value_groups(universe, frame)


def _value_groups(universe: Universe, frame: tp_pb2.Object) -> Groups:
    """Return the groups of an object's description, each with the names and values of its parameters."""
    description = universe.object_descriptions.get(frame.otype)
    values = iter(frame.parameters)
    return [
        (
            group.name,
            [
                (parameter.name, _value_words(universe, value, parameter.description))
                for parameter, value in zip(group.parameters, values, strict=False)
            ],
        )
        for group in (description.property_groups if description is not None else ())
    ]


def _classic_groups(universe: Universe, thing: SpaceObject) -> Groups:
    """Return the groups for TP03. Its objects have no description, so these are the values of its six kinds."""
    groups: dict[str, list[tuple[str, str]]] = {
        "Positional": [("Position", ", ".join(map(str, thing.position))), ("Size", str(thing.size))]
    }
    if thing.owner != NOBODY:
        groups["Ownership"] = [("Owner", player_name(universe, thing.owner))]
    held = holdings(universe, thing)
    if held:
        groups["Holds"] = [("Ships" if thing.ships else "Resources", held)]
    for (group, name), number in thing.numbers.items():
        groups.setdefault(group, []).append((name, str(number)))
    return list(groups.items())


def _value_words(universe: Universe, value: tp_pb2.ObjectParameter, description: str) -> str:
    """Return one parameter of an object in words (TP04, Object frame). `description` may have meanings of a number."""
    which = value.WhichOneof("value")
    if which in ("position", "velocity", "acceleration"):
        moving: tp_pb2.RelativeVector = getattr(value, which)
        words = f"{moving.vector.x}, {moving.vector.y}, {moving.vector.z}"
        return f"{words} from {object_name(universe, moving.relative)}" if moving.relative else words
    if which == "bound_position":
        return f"slot {value.bound_position.slot} of what it is in"
    if which == "order_queue":
        queue = universe.queues.get(value.order_queue.queue_id)
        return counted(queue.num_orders, "order") if queue is not None else "none that is yours"
    if which == "resource_list":
        rows = value.resource_list.resources
        return ", ".join(amount_words(universe, row.id, row) for row in rows) or "none"
    if which == "reference":
        return reference_name(universe, value.reference.type, value.reference.id)
    if which == "reference_quantity_list":
        references = value.reference_quantity_list.references
        words = ", ".join(f"{row.number} x {reference_name(universe, row.type, row.id)}" for row in references)
        return words or "none"
    if which == "integer":
        meaning = meanings_in(description).get(value.integer.value)
        return f"{meaning} ({value.integer.value})" if meaning else str(value.integer.value)
    if which == "size":
        return str(value.size.size)
    return value.media.url


def offer_facts(universe: Universe, offer: tp_pb2.OrderDesc) -> dict[str, Any]:
    """Return an order type as data: `name` in the protocol, `called` for people, and the same for its parameters."""
    return {
        "name": offer.name,
        "called": order_name(universe, offer),
        "description": offer.description,
        "parameters": [
            {
                "name": parameter.name,
                "called": parameter_name(universe, offer, parameter),
                "wants": type_of(parameter).meaning,
                "description": parameter.description,
            }
            for parameter in offer.parameters
        ],
    }


def offer_lines(universe: Universe, offers: Sequence[tp_pb2.OrderDesc]) -> list[str]:
    """Return the order types that an object takes, with their parameters.

    Each order type has its description, and its parameters below it.
    """
    lines = []
    for offer in offers:
        name = order_name(universe, offer)
        lines.append(shown(name + (f": {offer.description}" if offer.description else "")))
        for parameter in offer.parameters:
            about = f"; {parameter.description}" if parameter.description else ""
            called = parameter_name(universe, offer, parameter)
            lines.append(shown(f"  {called}= {type_of(parameter).meaning}{about}"))
    return lines


def order_facts(universe: Universe, order: tp_pb2.Order) -> dict[str, Any]:
    """Return an order as data. Its parameters include their limits."""
    description = universe.order_descriptions.get(order.otype)
    parameters = description.parameters if description is not None else ()
    return {
        "object": order.id,
        "slot": order.slot,
        "type": description.name if description is not None else str(order.otype),
        "called": order_name(universe, description) if description is not None else str(order.otype),
        "turns": order.turns,
        "parameters": [
            {
                **parameter_facts(universe, parameter, value),
                "called": parameter_name(universe, description, parameter) if description is not None else "",
            }
            for parameter, value in zip(parameters, order.parameters, strict=False)
        ],
    }


def order_line(universe: Universe, order: tp_pb2.Order) -> str:
    """Return an order as one line: the game's sentence, or its type and parameters.

    The number of turns follows, if the server sends it.
    """
    facts = order_facts(universe, order)
    turns = f" (takes {counted(facts['turns'], 'turn')})" if facts["turns"] else ""
    words = universe.appearance.orders.get(order.otype)
    if words is not None and words.sentence:
        return shown(f"{words.told({one['name']: _in_sentence(universe, one) for one in facts['parameters']})}{turns}")
    values = [f"{one['called']} = {parameter_words(one)}" for one in facts["parameters"]]
    return shown(f"{facts['called']}{': ' if values else ''}{'; '.join(values)}{turns}")


def _in_sentence(universe: Universe, facts: Mapping[str, Any]) -> int | str:
    """Return the value of a parameter for the sentence of an order: a number, or words."""
    if facts.get("words") == NOTHING_CHOSEN:
        return f"({facts['called']} not chosen)"
    value = facts["value"] if "words" not in facts else None
    if facts["type"] == Kind.TIME.name.lower():
        return counted(facts["value"], "turn")
    return value if isinstance(value, int) else parameter_words(facts)


def message_heading(universe: Universe, message: tp_pb2.Message) -> str:
    """Return the turn, the subject and the writer of a message."""
    words = letter_words(universe, message)
    return shown(f"[turn {message.turn}] {message.subject}" + (f" ({words})" if words else ""))


FAILED = "failed: "
"""The prefix of a report on a failed order."""


def summary_facts(universe: Universe, summary: tp_pb2.TurnSummary) -> dict[str, Any]:
    """Return a turn summary as data: the reports, failures first.

    `player` is the player that caused the report, if known.
    """
    return {
        "turn": summary.turn,
        "title": summary.title,
        "began": summary.began,
        "reports": [
            {
                "player": {"id": one.player, "name": player_name(universe, one.player)} if one.player else None,
                "failed": one.failed,
                "subject": one.subject,
                "body": one.body,
                "references": [{"type": about.type, "id": about.id} for about in one.references],
            }
            for one in by_weight(summary)
        ],
    }


def summary_heading(summary: tp_pb2.TurnSummary) -> str:
    """Return the number and the title of a turn."""
    return shown(f"[turn {summary.turn}] {summary.title}".rstrip())


def report_heading(universe: Universe, report: tp_pb2.TurnReport) -> str:
    """Return the player of a report, if known, its failure, and its subject."""
    who = f"{player_name(universe, report.player)}: " if report.player else ""
    return shown(f"{who}{FAILED if report.failed else ''}{report.subject}")


def summary_lines(universe: Universe, summary: tp_pb2.TurnSummary) -> list[str]:
    """Return a turn summary as lines: a heading, and the reports indented."""
    lines = [summary_heading(summary)]
    for report in by_weight(summary):
        lines.append(f"  {report_heading(universe, report)}")
        lines += [f"      {line}".rstrip() for line in lines_of(report.body)]
    return lines if summary.reports else [*lines, "  no reports"]
