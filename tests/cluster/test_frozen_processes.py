"""Server processes on one PostgreSQL server, one frozen by a signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cluster_node import Node
from tests.support.postgres import PATIENT
from tests.support.process import SECONDS, TPSERVER, environment, run
from tests.support.wire import Client
from tpproto import tp_pb2 as tp
from tpserver.store import Store
from tpserver.store.database import ReadOnly
from tpserver.store.games import journal, nodes

LEASE = 8
"""Seconds of the leases here: a busy machine must not take the lease of the node that runs."""
FREEZING = Path(__file__).with_name("freezing_process.py")


def entries(url: str) -> list[tuple[int, str]]:
    """Number and kind of all entries of game 1."""
    database = ReadOnly(url)
    try:
        return [(entry.number, entry.kind) for entry in database.read(journal.after, 1, 0)]
    finally:
        database.close()


def listed(node: Node) -> list[str]:
    """Return the lines of `tpserver node list`, without the heading."""
    done = run(TPSERVER, "node", "list", "--config", node.config, "--data", node.data)
    assert done.code == 0, done.err
    return done.lines[1:]


@pytest.mark.thorough
def test_a_server_that_was_frozen_writes_nothing_and_says_nothing_old(
    make_node: Callable[..., Node], cleared_postgres: str
) -> None:
    """A node is stopped for longer than its lease, and the other one takes the game.

    The players continue there. When the first node wakes up, it refuses the requests that its clients sent meanwhile.
    It continues as another node, and its clients play the game at its present state on the other node.
    """
    one, two = (make_node(name, cleared_postgres, LEASE) for name in ("one", "two"))
    one.start()
    two.start()
    one.create_game("first", "auction", 2)
    ann, ben = one.connected("ann@first"), one.connected("ben@first")
    assert ben.one("get_time_remaining", tp.GetTimeRemaining(), tp.TimeRemaining).turn == 0
    assert [line.split()[-2:] for line in listed(one)] == [["lives", "1"], ["lives", "0"]]

    frozen = one.serving()
    os.kill(one.pid, signal.SIGSTOP)  # its parent, too, which would replace it after a while
    os.kill(frozen, signal.SIGSTOP)
    ann.begin("get_time_remaining", tp.GetTimeRemaining())
    ann.begin("finished_turn", tp.FinishedTurn())
    players = [two.connected(f"{name}@first") for name in ("ann", "ben")]
    for player in players:
        player.ask("finished_turn", tp.FinishedTurn())
    two.wait_until(lambda: any(kind == "close" for _, kind in entries(cleared_postgres)), "closes no turn")
    before = entries(cleared_postgres)

    said = len(one.said)
    os.kill(frozen, signal.SIGCONT)
    os.kill(one.pid, signal.SIGCONT)
    looked, finished = ann.hear(2)
    assert [type(frame) for frame in finished] == [tp.Fail], "it was meant for the turn that has ended"
    for frame in looked:
        assert isinstance(frame, tp.Fail) or frame.turn == 1
    assert ann.one("get_time_remaining", tp.GetTimeRemaining(), tp.TimeRemaining).turn == 1
    one.wait_for("has lost its lease", said)
    one.wait_for("this server is node", said)
    assert entries(cleared_postgres) == before and [number for number, _ in before] == list(range(1, len(before) + 1))
    late = Client(one.port, user="ann@first")
    assert late.one("get_time_remaining", tp.GetTimeRemaining(), tp.TimeRemaining).turn == 1


def test_a_process_that_is_frozen_before_its_commit(cleared_postgres: str) -> None:
    """It is frozen between the last statement and the COMMIT.

    Another node that takes the game waits only for the limit of the database. The COMMIT of the process fails when it
    continues.
    """
    with subprocess.Popen(
        [sys.executable, str(FREEZING), cleared_postgres], stdout=subprocess.PIPE, text=True, env=environment()
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "freezing\n"
            store = Store.open(cleared_postgres, reactor=None, timeouts=PATIENT)
            store.write_apart(nodes.register, "other", "other:1", "1", 3600.0)
            give_up = time.monotonic() + SECONDS
            while store.read(nodes.living, "other"):
                assert time.monotonic() < give_up
                time.sleep(0.05)
            epoch = store.write_apart(nodes.take, 1, "other")  # waits for the limit of the frozen one
            process.send_signal(signal.SIGCONT)
            assert process.stdout.readline() == "unavailable\n"
            assert process.stdout.readline() == "fenced\n"
            assert store.read(journal.after, 1, 0) == [] and epoch == 2
            store.close()
        finally:
            process.kill()
