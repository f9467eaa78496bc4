"""Faults found in a world, and the smallest plan that still shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.simulation import cluster
from tests.simulation import world as server
from tests.simulation.cluster import ClusterWorld
from tests.simulation.shrinking import smaller
from tests.simulation.twins import TwinWorld
from tests.simulation.world import VERSION, Step, World, run

KINDS: dict[str, tuple[type[World], Callable[[int, int], list[Step]]]] = {
    "server": (World, server.plan_of),
    "cluster": (ClusterWorld, cluster.plan_of),
    "twins": (TwinWorld, server.plan_of),
}
"""The kinds of worlds, each with what makes the plan of a seed, of so many steps."""


@dataclass
class Found:
    """A world that has come to its end, and what was wrong in it; an empty ``sentence``: nothing."""

    of: str
    """Its kind, of KINDS."""
    seed: int
    plan: Sequence[Step]
    numbers: Sequence[int]
    """The steps of the plan that were done, counted from 1."""
    world: World
    sentence: str = ""
    kind: str = ""
    """The kind of the fault, without its accidental details."""

    def smaller(self) -> list[int]:
        """Return the fewest steps that were found to lead to a fault of this kind."""

        def fails(numbers: Sequence[int]) -> bool:
            return found_in(self.of, self.seed, self.plan, numbers).kind == self.kind

        return smaller(self.numbers, fails)


def plan_of(of: str, seed: int, steps: int) -> list[Step]:
    """Return what happens in the world of this kind and seed."""
    return KINDS[of][1](seed, steps)


def found_in(of: str, seed: int, plan: Sequence[Step], numbers: Sequence[int]) -> Found:
    """Run the world of this kind and seed with these steps of its plan."""
    try:
        world = run(seed, [plan[number - 1] for number in numbers], KINDS[of][0])
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        # Of games and requests the numbers and names are left out: they are others in a smaller plan.
        kind = "".join(letter for letter in text.partition(", turn")[2] or text if letter.isalpha())[:40]
        return Found(of, seed, plan, numbers, error.world, text, kind)  # type: ignore[attr-defined] # see `run`
    return Found(of, seed, plan, numbers, world)


def of_this_version(text: str) -> int:
    """Return the seed in a text that has its version. Raises ValueError with a sentence."""
    version, colon, seed = text.rpartition(":")
    if not seed.isdigit() or (colon and not version.isdigit()):
        raise ValueError(f"{text!r} is no seed; one is written as VERSION:SEED, such as {VERSION}:17.")
    if colon and int(version) != VERSION:
        raise ValueError(
            f"Seed {text} is of version {version} of the simulation and cannot be replayed by this one, version "
            f"{VERSION}, which makes something else of it."
        )
    return int(seed)


def parts_of(text: str) -> list[int]:
    """Return the numbers of a list such as 3,17,40-52."""
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers
