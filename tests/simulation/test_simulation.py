"""Simulated worlds: no faults found, and one seed makes one world."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.simulation.__main__ import main
from tests.simulation.finding import KINDS, found_in, of_this_version, plan_of
from tests.simulation.shrinking import smaller
from tests.simulation.world import VERSION
from tpserver.fault_points import POINTS, interfering, reached
from tpserver.requests.play import orders

ROOT = Path(__file__).parents[2]
STEPS = 250
LEAKING = 13
"""The seed of twins in which somebody looks at secret orders."""


def check(kind: str, seeds: Sequence[int], steps: int) -> None:
    for seed in seeds:
        outcome = found_in(kind, seed, plan := plan_of(kind, seed, steps), range(1, len(plan) + 1))
        again = f"python -m tests.simulation --kind {kind} --seed {VERSION}:{seed} --steps {steps}"
        assert not outcome.sentence, f"{outcome.sentence}\n{again}"


def test_nothing_wrong_is_found():
    check("server", range(4), STEPS)


def test_nothing_shows_that_is_secret():
    check("twins", range(3), STEPS)


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(1000, 1024, 6))
def test_nothing_shows_that_is_secret_in_more_twins(first: int):
    check("twins", range(first, first + 6), 500)


def test_what_shows_is_found(monkeypatch: pytest.MonkeyPatch):
    """Everybody can read the orders of all; of this game none has a secret word."""
    monkeypatch.setattr(orders, "_commands", lambda view, oid: True)
    monkeypatch.setattr(orders, "own_queue", lambda view, oid: view.objects[oid])
    outcome = found_in("twins", LEAKING, plan_of("twins", LEAKING, 400), range(1, 401))
    assert "keeps secret shows: at step" in outcome.sentence


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(1000, 1024, 6))
def test_nothing_wrong_is_found_in_more_worlds(first: int):
    check("server", range(first, first + 6), 500)


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(1000, 1008, 2))
def test_nothing_wrong_is_found_in_clusters(first: int):
    check("cluster", range(first, first + 2), 400)


@pytest.mark.thorough
def test_a_seed_always_leads_to_the_same():
    """Byte for byte, in another process whose sets have another order, too."""
    seed, steps = 3, 60
    outcomes = {kind: found_in(kind, seed, plan_of(kind, seed, steps), range(1, steps + 1)) for kind in KINDS}
    command = [sys.executable, "-m", "tests.simulation", "--kind", "all", "--seed", str(seed), "--steps", str(steps)]
    environment = {**os.environ, "PYTHONHASHSEED": "17"}
    done = subprocess.run(
        [*command, "--digest"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    for kind, outcome in outcomes.items():
        assert f"{kind} {VERSION}:{seed} {outcome.world.digest()}" in done.stdout, done.stdout + done.stderr


def test_a_seed_of_another_version_says_that_it_cannot_be_replayed(capsys: pytest.CaptureFixture[str]):
    assert main(["--seed", f"{VERSION + 1}:17"]) == 2
    assert f"Seed {VERSION + 1}:17 is of version {VERSION + 1}" in capsys.readouterr().out
    assert of_this_version(f"{VERSION}:17") == 17
    with pytest.raises(ValueError, match="is no seed"):
        of_this_version("seventeen")


def test_a_plan_is_made_as_small_as_it_can_be():
    """Two of a hundred steps are needed, wherever they are."""
    tried: list[int] = []

    def fails(steps: Sequence[int]) -> bool:
        tried.append(len(steps))
        return {17, 80} <= set(steps)

    assert smaller(range(100), fails) == [17, 80]
    assert len(tried) < 100


def test_every_point_is_somewhere_and_has_a_meaning():
    """Each name is reached in one module at least, and none is that is not known."""
    found: set[str] = set()
    for file in (ROOT / "tpserver").rglob("*.py"):
        found |= set(re.findall(r'\breached\("([^"]+)"\)', file.read_text()))
    assert found == set(POINTS)


def test_a_point_that_is_not_known_is_an_error_while_somebody_interferes():
    reached("no such point")
    seen: list[str] = []
    with interfering(seen.append):
        reached("store: begun")
        with pytest.raises(KeyError):
            reached("no such point")
    assert seen == ["store: begun"]
