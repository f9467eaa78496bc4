"""Three nodes under clients of all dialects: killed, frozen, cut, drained.

No promise is broken. The whole test is

    TP_POSTGRES=required python -m pytest -m soak -s tests/cluster/test_cluster_lives.py

with sizes from the environment: TP_SHOW_GAMES (200), TP_SHOW_CLIENTS (400), TP_SHOW_EVENTS (100),
TP_SHOW_FAILOVERS (5), TP_SHOW_SEED (1), TP_SHOW_LEASE (3). No event begins after TP_SHOW_SECONDS, if that is set.

With TP_SHOW_DATABASE=patroni the database is three servers, and the failover loses their leader. Otherwise it is one
server, and the failover kills it. If the user may create network namespaces, the kernel cuts the network to a single
database, unless TP_SHOW_NETWORKS is 0.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cluster.databases import one_postgres, three_postgres
from tests.cluster.lives import ClusterLives, report
from tests.cluster.namespaces import may_be_made
from tests.durability.ledger import Violation
from tests.support.process import ProcessFailed
from tests.support.wire import Failed, Gone

EVENTS = ("kill", "freeze", "cut off", "cut links", "cut database", "drain")


def play(
    directory: Path, kept: Path, games: int, clients: int, events: Sequence[str], seed: int, networks: bool = False
) -> ClusterLives:
    """Have all of it happen; what a fault leaves behind is kept."""
    begun = time.monotonic()
    servers = three_postgres if os.environ.get("TP_SHOW_DATABASE") == "patroni" else one_postgres
    with servers() as database, ClusterLives(directory, database, games, clients, seed, networks) as lives:
        try:
            asyncio.run(lives.live_through(events, float(os.environ.get("TP_SHOW_SECONDS", "inf"))))
            for node in lives.nodes:
                node.stop()
            lives.compare()
            lives.replay()
            lives.check_logs()
        except (Violation, ProcessFailed, Failed, Gone, TimeoutError) as problem:
            for node in lives.nodes:
                shutil.copy(node.server.log, kept / node.server.log.name)
            (kept / "story").write_text(lives.story)
            logs = "\n".join(f"{node.name}:\n{node.server.tail(12)}" for node in lives.nodes)
            found = "\n".join(report(lives, time.monotonic() - begun))
            what = f"{type(problem).__name__} during {lives.event}: {problem}"
            pytest.fail(f"{what}\nuntil then:\n{found}\nthe logs are in {kept}; their ends:\n{logs}")
        print(*report(lives, time.monotonic() - begun), "no promise was broken", sep="\n")
        return lives


@pytest.mark.thorough
def test_a_cluster_that_loses_nodes_has_kept_every_promise(directory: Path, tmp_path: Path) -> None:
    """Killed, frozen for longer than a lease, cut off without a FIN, and drained, once each."""
    lives = play(directory, tmp_path, 6, 12, ("kill", "freeze", "cut off", "drain"), seed=3)
    tally = lives.figures.tally
    assert tally["orders inserted"] > 50 and tally["messages posted"] > 10 and tally["turns"] > 20
    assert lives.figures.lost["kill"] > 0, "nobody was connected to the node that was killed"


@pytest.mark.soak
@pytest.mark.timeout(40_000)
def test_the_show_of_a_cluster(directory: Path, tmp_path: Path) -> None:
    """Prints its figures."""
    games, clients, count, failovers, seed = (
        int(os.environ.get(f"TP_SHOW_{name}", default))
        for name, default in (
            ("GAMES", "200"), ("CLIENTS", "400"), ("EVENTS", "100"), ("FAILOVERS", "5"), ("SEED", "1"),
        )
    )  # fmt: skip
    events = [EVENTS[number % len(EVENTS)] for number in range(count)]
    for number in range(failovers):
        events.insert((number + 1) * len(events) // (failovers + 1), "fail over")
    is_one = os.environ.get("TP_SHOW_DATABASE") != "patroni"  # the three listen at addresses of this machine only
    networks = is_one and os.environ.get("TP_SHOW_NETWORKS", "1") == "1" and may_be_made()
    print("the way to the database is cut by", "the kernel" if networks else "a gate")
    play(directory, tmp_path, games, clients, events, seed, networks)
