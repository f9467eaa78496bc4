"""Play the same games in other processes.

This finds dependencies on anything but world, orders and seed.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from typing import Any

from tprules.api import Ruleset, digest
from tprules.api.faults import why_it_failed
from tprules.testing.failures import fail
from tprules.testing.play import playing
from tprules.testing.views import knowledge

_HASH_SEEDS = ("1", "20081")
_SECONDS = 300


def trace(rules: Ruleset[Any], options: Mapping[str, Any], games: int, seed: str, most_turns: int) -> Iterator[str]:
    """Play games and yield a line for each turn, with digests of everything that could differ."""
    for number in range(games):
        seats = rules.seats[number % len(rules.seats)]
        for step in playing(rules, options, seats, f"{seed} process {number}", most_turns=most_turns):
            state = step.done.state
            told = digest([[*step.done.reports], [[event.name, dict(event.facts)] for event in step.done.events]])
            views = digest([knowledge(rules, state, seat) for seat in [None, *range(seats)]])
            where = f"game {number} turn {state.turn} {state.phase}"
            yield f"{where}: state {step.done.digest[:16]} told {told[:16]} seen {views[:16]}"


def compare_processes(rules: Ruleset[Any], options: Mapping[str, Any], games: int, seed: str, most_turns: int) -> int:
    """Play the same games in two other processes with other hash seeds. Return the number of compared turns.

    Raises Nonconforming if a game differs.
    """
    here = list(trace(rules, options, games, seed, most_turns))
    request = json.dumps([*_address(rules), dict(options), games, seed, most_turns])
    for hash_seed in _HASH_SEEDS:
        path = os.pathsep.join(part for part in sys.path if part)
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path}
        command = [sys.executable, "-m", "tprules.testing", "--trace"]
        try:
            ran = subprocess.run(
                command, input=request, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            fail(
                f"{rules.name}: another process had not played it after {_SECONDS} seconds",
                "look for an endless loop, or for what makes it slow there",
            )
        if ran.returncode:
            fail(
                f"{rules.name}: another process could not play it: {ran.stderr.strip()[-500:]}",
                "the module of the ruleset must be importable on its own, and run in another process as it does here",
            )
        for mine, other in zip(here, [*ran.stdout.splitlines(), "nothing more"], strict=False):
            if mine != other:
                fail(
                    f"{rules.name}: two processes disagree\n  here:  {mine}\n  there: {other}",
                    "look for iteration over a set or over what came from one, hash(), id(), random, or the clock",
                )
    return len(here)


def answer_trace() -> None:
    """Read a request from standard input and print its trace. The other process runs this."""
    module, file, attribute, options, games, seed, most_turns = json.loads(sys.stdin.read())
    for line in trace(_load(module, file, attribute), options, games, seed, most_turns):
        print(line)


def named(reference: str) -> Ruleset[Any]:
    """Return a ruleset by its installed name, or by MODULE:ATTRIBUTE. Raises LookupError."""
    if ":" in reference:
        module, attribute = reference.split(":", 1)
        try:
            found: Ruleset[Any] = getattr(importlib.import_module(module), attribute)
        except Exception as error:
            raise LookupError(f"{reference} cannot be loaded: {why_it_failed(error)}") from None
        return found
    installed = {entry.name: entry for entry in entry_points(group="tpserver.rulesets")}
    if reference not in installed:
        known = ", ".join(sorted(installed)) or "none"
        raise LookupError(f"no ruleset {reference!r} is installed (installed: {known}); or give MODULE:ATTRIBUTE")
    try:
        rules: Ruleset[Any] = installed[reference].load()
    except Exception as error:
        raise LookupError(f"{reference} cannot be loaded: {why_it_failed(error)}") from None
    return rules


def _address(rules: Ruleset[Any]) -> tuple[str, str, str]:
    """Return the module, file and attribute by which another process can import the ruleset."""
    module = sys.modules[type(rules).__module__]
    attribute = next((name for name, value in vars(module).items() if value is rules), None)
    if attribute is None:
        fail(
            f"{rules.name}: the instance is not a global name of {module.__name__}, so no other process can find it",
            "write RULESET = MyRules() beside the class, or check(..., processes=False)",
        )
    return module.__name__, getattr(module, "__file__", None) or "", attribute


def _load(module: str, file: str, attribute: str) -> Ruleset[Any]:
    try:
        found = importlib.import_module(module)
    except ImportError:
        spec = importlib.util.spec_from_file_location(module, file)
        if spec is None or spec.loader is None:
            raise
        found = importlib.util.module_from_spec(spec)
        sys.modules[module] = found
        spec.loader.exec_module(found)
    rules: Ruleset[Any] = getattr(found, attribute)
    return rules
