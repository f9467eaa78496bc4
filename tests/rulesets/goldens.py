"""Golden playthroughs: whole games as readable text, one file each.

`python -m tests.rulesets.goldens` in the project's root writes them again after a deliberate change of rules. Read the
differences before you commit them. The test compares them, so that no rule changes unnoticed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.rulesets.taller_ants.keen import keen_bot
from tprules.antshouse import RULESET as ANTSHOUSE
from tprules.api import BotTurn, Dice, ObjectRef, Order, Report, Ruleset, parse_options, with_names
from tprules.api.advance import opening
from tprules.api.bots import Bot, random_bot
from tprules.api.params import Selection
from tprules.api.ruleset import find_order_type, find_phase
from tprules.colony_battle import RULESET as COLONY_BATTLE
from tprules.colony_battle import bot as colony_battle_bot
from tprules.swarm import RULESET as SWARM
from tprules.tae import RULESET as TAE
from tprules.taller_ants import RULESET as TALLER_ANTS
from tprules.testing import playing

HERE = Path(__file__).parent


def draw_tae(world: Any) -> list[str]:
    """Draw the board, the north first: . free, # uninhabitable, x destroyed, colonies mspr, leaders 0M, artifacts *."""
    cells = []
    leaders = world.leaders()
    for square, ground in enumerate(world.board.ground):
        if square in leaders:
            seat, kind = leaders[square]
            cell = f"{seat}{'MSPR'[kind]}"
        elif square in world.colonies:
            cell = "mspr"[world.colonies[square]]
        elif square in world.destroyed:
            cell = "x"
        else:
            cell = "#" if ground == "M" else "."
        cells.append(cell + "*" * (square in world.artifacts))
    width = world.board.width
    rows = [
        " ".join(f"{cell:<3}" for cell in cells[start : start + width]).rstrip()
        for start in range(0, len(cells), width)
    ]
    return rows[::-1]


def draw_swarm(world: Any) -> list[str]:
    """Draw the board, the north first: . free, R red, B blue; and the supplies."""
    rows = [
        " ".join("." if (cube := world.cubes.get(6 * rank + file)) is None else "RB"[cube.seat] for file in range(6))
        for rank in range(5, -1, -1)
    ]
    return [*rows, f"supply {world.supply(0)} and {world.supply(1)}"]


def draw_antshouse(world: Any) -> list[str]:
    """Draw the pavement, the north first: . free, ants by seat, * turned, x a pine cone; and the pads."""
    rows = []
    for row in range(7, -1, -1):
        cells = ["x" if square in world.cones else "" for square in range(8 * row, 8 * row + 8)]
        for seat, player in enumerate(world.players):
            if player.ant // 8 == row:
                cells[player.ant % 8] += f"{seat}{'*' * player.turned}"
        rows.append(" ".join(f"{cell or '.':<3}" for cell in cells).rstrip())
    pads = ", ".join("/".join(str(number) for number in player.pad[1:]) for player in world.players)
    return [*rows, f"pads {pads}"]


class _RandomDice(Dice):
    """Dice that draw like Python's generator, as those of the bot did when its playthrough was written."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def below(self, limit: int) -> int:
        return self._random.randrange(limit)


def _race_and_fight(turn: BotTurn[Any]) -> None:
    """Race in seat 0, fight in seat 1."""
    if turn.seat == turn.world.seat:
        turn.dice = _RandomDice(turn.dice.below(2**32))
        colony_battle_bot.play(turn, (colony_battle_bot.RACE, colony_battle_bot.FIGHT)[turn.seat])


def draw_colony_battle(world: Any) -> list[str]:
    """Draw the boards side by side, the north first.

    The signs are: units WSDYQAT by seat, ~ webs, = worms, X spiders, * items, # closed sites, o open ones. Below stand
    the digging that is left, and the hit points of the queens.
    """
    items = {item.square for item in world.items.values()}
    rows = []
    for row in range(world.layout.height):
        boards = []
        for board in range(3):
            start = board * world.layout.area + row * world.layout.width
            boards.append(
                "".join(_colony_square(world, square, items) for square in range(start, start + world.layout.width))
            )
        rows.append("  ".join(boards).rstrip())
    queens = [world.queen(seat) for seat in range(2)]
    points = " and ".join(str(queen.hit_points if queen else 0) for queen in queens)
    return [*rows, f"left to dig {world.left}, queens {points}"]


def _colony_square(world: Any, square: int, items: set[int]) -> str:
    oid = world.occupied.get(square)
    if oid in world.units:
        unit = world.units[oid]
        return f"{'WSDYQAT'[unit.kind]}{unit.owner}"
    if oid is not None:
        return "X " if oid in world.spiders else "= "
    if square in items:
        return "* "
    if square in world.layout.sites:
        return "# " if world.is_closed(square) else "o "
    return "~ " if world.in_web(square) else ". "


def draw_taller_ants(world: Any) -> list[str]:
    """Draw both boards, the north first, the surface to the left.

    Signs of the surface: . land, ~ water, F fungus, V wards, O holes. Signs below: # dirt, . dug, digits food. On both:
    a " marks webs, S spiders, B and R groups with their ants, Q queens. The totals follow.
    """
    board = world.board
    rows = []
    for y in range(board.height):
        sides = [
            " ".join(_ants_square(world, board.at(x, y) + side).ljust(2) for x in range(board.width))
            for side in (0, board.area)
        ]
        rows.append("  ".join(sides).rstrip())
    totals = [f"webs {len(world.webs)}, cocooned {world.cocooned()}, spiders {len(world.spiders())}"]
    totals += [f"seat {seat}: food {world.stored(seat)}, ants {world.ants(seat)}" for seat in range(1, world.seats)]
    return [*rows, "; ".join(totals)]


def _ants_square(world: Any, place: int) -> str:
    units = list(world.units_at(place))
    web = '"' if place in world.webs else ""
    if units:
        unit = min(units, key=lambda unit: unit.id)
        if unit.seat == 0:
            return f"S{web}"
        return f"{'BR'[unit.colour]}{unit.ants}" if hasattr(unit, "ants") else f"Q{web}"
    if world.board.below(place):
        return str(world.food.get(place, ".")) if place in world.dug else "#"
    if world.is_hole(place):
        return f"O{web}"
    if place in world.wards:
        return "V"
    if world.fungus_at(place) is not None:
        return "F"
    return ("~" if world.board.water[place] else ".") + web


@dataclass(frozen=True)
class Game:
    """One golden playthrough."""

    file: str
    """Relative to this directory."""
    about: str
    rules: Ruleset[Any]
    draw: Callable[[Any], list[str]]
    bot: Bot
    seats: int
    seed: int
    options: dict[str, Any] = field(default_factory=dict)


SMALL_MAP = "..A.MM./.....M./A...A.."

GAMES = (
    Game(
        "tae/goldens/two-greedy.txt",
        "two greedy players on a small map: internal and external combat, artifacts, the pool runs out",
        TAE,
        draw_tae,
        TAE.bot,
        2,
        8,
        {"board": SMALL_MAP, "pool": "14,20,14,10", "min_artifacts": 2},
    ),
    Game(
        "tae/goldens/three-greedy.txt",
        "three greedy players, three actions, protected artifacts",
        TAE,
        draw_tae,
        TAE.bot,
        3,
        3,
        {"board": SMALL_MAP, "pool": "14,24,14,10", "actions": 3, "protect_artifacts": "on", "min_artifacts": 1},
    ),
    Game(
        "tae/goldens/four-random.txt",
        "four players at random on the default map",
        TAE,
        draw_tae,
        random_bot,
        4,
        11,
        {"max_turns": 12},
    ),
    Game(
        "swarm/goldens/two-greedy.txt",
        "two greedy players: captures, chains, doubles",
        SWARM,
        draw_swarm,
        SWARM.bot,
        2,
        6,
    ),
    Game(
        "swarm/goldens/two-random.txt",
        "two players at random with few cubes, who now and then leave steps to the default",
        SWARM,
        draw_swarm,
        random_bot,
        2,
        7,
        {"cubes_total": 14, "initial_cubes": 4, "chain_swarm": "off"},
    ),
    Game(
        "antshouse/goldens/two-greedy.txt",
        "two players who run and aim: pushes, water, deaths, there and back",
        ANTSHOUSE,
        draw_antshouse,
        ANTSHOUSE.bot,
        2,
        7,
    ),
    Game(
        "antshouse/goldens/four-corners.txt",
        "four players in the corners, who run and aim: the guard, chance alone in contests",
        ANTSHOUSE,
        draw_antshouse,
        ANTSHOUSE.bot,
        4,
        2,
        {"layout": "corners", "goal": "there", "contest": "rng"},
    ),
    Game(
        "antshouse/goldens/three-random.txt",
        "three players at random, who now and then leave things to the default; a draw",
        ANTSHOUSE,
        draw_antshouse,
        random_bot,
        3,
        14,
        {"max_rounds": 10},
    ),
    Game(
        "colony_battle/goldens/race-and-fight.txt",
        "a bot that races and one that fights, on a small map",
        COLONY_BATTLE,
        draw_colony_battle,
        _race_and_fight,
        2,
        4,
        {
            "width": 13,
            "height": 9,
            "starts": "0:2,4 0:10,4",
            "entrance1": "0:6,4",
            "entrance2": "1:6,6",
            "throne": "2:6,3",
            "dig_turns": "2,3,4",
            "items": "0:3,6 0:9,2 1:4,4 1:8,4",
            "item_kinds": "2,2",
            "worms": "0:12,1 right 4",
            "spiders": "1:6,1",
            "web_max": 3,
            "spider_relocate": 5,
        },
    ),
    Game(
        "colony_battle/goldens/two-random.txt",
        "two players at random on a crowded map, for a few rounds",
        COLONY_BATTLE,
        draw_colony_battle,
        random_bot,
        2,
        8,
        {
            "width": 13,
            "height": 9,
            "starts": "0:4,4 0:8,4",
            "entrance1": "0:6,4",
            "entrance2": "1:6,6",
            "throne": "2:6,3",
            "dig_turns": "1,1,1",
            "items": "0:3,4 0:9,4 0:4,6 0:8,2",
            "item_kinds": "2,2",
            "worms": "0:12,0 right 4 0:0,7 left 4",
            "spiders": "0:6,8",
            "web_max": 3,
            "spider_relocate": 5,
            "max_rounds": 10,
        },
    ),
    Game(
        "taller_ants/goldens/one-colony.txt",
        "a spider and a colony that seek each other: webs, cocoons, eggs, harvests, two turns a phase",
        TALLER_ANTS,
        draw_taller_ants,
        keen_bot,
        2,
        4,
        {"max_rounds": 8, "phase_steps": 2, "web_under_ants": "on"},
    ),
    Game(
        "taller_ants/goldens/two-colonies.txt",
        "two colonies with two groups each and hidden squares below",
        TALLER_ANTS,
        draw_taller_ants,
        keen_bot,
        3,
        5,
        {"max_rounds": 7, "ant_setup": "two_groups", "underground": "own", "ant_order": "alternate"},
    ),
    Game(
        "taller_ants/goldens/at-random.txt",
        "two players at random on a small map with a river",
        TALLER_ANTS,
        draw_taller_ants,
        random_bot,
        2,
        9,
        {
            "max_rounds": 8,
            "map": "text",
            "map_text": "........./.1...~~../....~~~../...~~~.../..~~...2./........./......2../......,../.....#...",
        },
    ),
)


def text_of(game: Game) -> str:
    """Return the whole playthrough."""
    return "\n".join(_lines(game)) + "\n"


def _lines(game: Game) -> Iterator[str]:
    rules = game.rules
    yield f"{rules.name}: {game.about}"
    yield f"seats {game.seats}, seed {game.seed}"
    for name, value in game.options.items():
        yield f"option {name} = {value}"
    first = opening(rules, parse_options(rules.options, game.options), game.seats, str(game.seed).encode())
    yield ""
    yield from (f"    {row}" for row in game.draw(first.state.world))
    yield f"digest {first.digest}"
    outcome = None
    for step in playing(rules, game.options, game.seats, game.seed, game.bot):
        before, done = step.before, step.done
        title = find_phase(rules, before.phase).title(before.world)
        yield ""
        yield _named(f"== {before.turn} {before.phase}: {title}")
        orders = sorted((order for queue in before.queues.values() for order in queue), key=lambda order: order.stamp)
        for order in orders:
            yield _named(f"  P{order.seat} orders {_order(rules, before, order)}")
        for report in done.reports:
            yield from (_named(line) for line in _report(report))
        for event in done.events:
            yield f"  event {event.name}: {', '.join(f'{name} {value}' for name, value in event.facts.items())}"
        yield from (f"    {row}" for row in game.draw(done.state.world))
        yield f"digest {done.digest}"
        outcome = done.outcome
    assert outcome is not None
    yield ""
    yield f"over: {outcome.why}"
    for seat, place in sorted(outcome.places.items()):
        figures = ", ".join(f"{name} {value}" for name, value in outcome.figures[seat].items())
        yield f"  P{seat} place {place}: {figures}"


def _order(rules: Ruleset[Any], state: Any, order: Order) -> str:
    sight = state.sight(rules, order.seat)
    shown = rules.show(state.world, order.on, sight[order.on])
    designs = {design.id: design.name for design in rules.catalogue.designs}
    ships = "".join(f" ({designs[ships.design]})" for ships in shown.ships)
    words = [f"{order.type}: {shown.name}{ships}"]
    kind = find_order_type(rules, order.type)
    assert kind is not None
    for name, param in kind.params.items():
        value = order.args[name]
        if isinstance(param, ObjectRef):
            words.append(f"to {rules.show(state.world, value, sight[value]).name}")
        elif isinstance(param, Selection):
            names = {choice.id: choice.name for choice in kind.choices(state.plan(order.seat), order.on, name)}
            words.append(", ".join(f"{number} {names.get(chosen, chosen)}" for chosen, number in value))
        else:
            words.append(f"{name} {value}")
    return " ".join(words)


def _report(report: Report) -> list[str]:
    to = "all" if report.to is None else f"P{report.to}"
    first, *more = report.body.split("\n")
    return [f"  to {to}: {report.subject} | {first}", *(f"      {line}" for line in more)]


def _named(text: str) -> str:
    return with_names(text, lambda seat: f"P{seat}")


def main() -> None:
    """Rewrite all golden playthroughs and say which changed."""
    for game in GAMES:
        path = HERE / game.file
        text = text_of(game)
        changed = not path.exists() or path.read_text(encoding="utf-8") != text
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"{'changed' if changed else 'same   '} {game.file}")


if __name__ == "__main__":
    main()
