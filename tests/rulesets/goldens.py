"""Golden playthroughs: whole games as readable text, one file each.

``python -m tests.rulesets.goldens`` in the project's root rewrites them after a deliberate change of rules; the test
compares them, so that no rule changes unnoticed.  Read the difference before you commit it.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tprules.api import ObjectRef, Order, Report, Ruleset, parse_options, with_names
from tprules.api.advance import opening
from tprules.api.params import Pick
from tprules.tae import RULESET as TAE
from tprules.testing import Policy, playing, random_policy

HERE = Path(__file__).parent


def _greedy_tae() -> Policy:
    spec = importlib.util.spec_from_file_location("golden_greedy", HERE / "tae" / "greedy.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    policy: Policy = module.greedy_policy
    return policy


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


@dataclass(frozen=True)
class Game:
    """One golden playthrough."""

    file: str
    """Relative to this directory."""
    about: str
    rules: Ruleset[Any]
    draw: Callable[[Any], list[str]]
    policy: Callable[[], Policy]
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
        _greedy_tae,
        2,
        8,
        {"board": SMALL_MAP, "pool": "14,20,14,10", "min_artifacts": 2},
    ),
    Game(
        "tae/goldens/three-greedy.txt",
        "three greedy players, three actions, protected artifacts",
        TAE,
        draw_tae,
        _greedy_tae,
        3,
        3,
        {"board": SMALL_MAP, "pool": "14,24,14,10", "actions": 3, "protect_artifacts": "on", "min_artifacts": 1},
    ),
    Game(
        "tae/goldens/four-random.txt",
        "four players at random on the default map",
        TAE,
        draw_tae,
        lambda: random_policy,
        4,
        11,
        {"max_turns": 12},
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
    for step in playing(rules, game.options, game.seats, game.seed, game.policy()):
        before, done = step.before, step.done
        title = rules.phase(before.phase).title(before.world)
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
    kind = rules.order_type(order.type)
    assert kind is not None
    for name, param in kind.params.items():
        value = order.args[name]
        if isinstance(param, ObjectRef):
            words.append(f"to {rules.show(state.world, value, sight[value]).name}")
        elif isinstance(param, Pick):
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
