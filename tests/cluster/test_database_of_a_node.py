"""Checks of a node on its database: restored to older data, wrong clock."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tests.support.postgres import PATIENT
from tests.support.server_in_memory import result_of
from tpserver.cluster.lease import BEAT_SECONDS
from tpserver.cluster.node import CLOCK_SECONDS, NOTED_BEATS, LeaseLost, Node
from tpserver.store import Store, StoreError
from tpserver.store.games import nodes

LEASE = 3600.0


class Served:
    """A server that is a node; the machine's clocks are ours."""

    def __init__(self, url: str, file: Path) -> None:
        self.store = Store.open(url, reactor=None, timeouts=PATIENT)
        self.clock, self.slept, self.ahead, self.losses = Clock(), 0.0, 0.0, 0
        timers: Any = self.clock
        boot = lambda: self.clock.seconds() + self.slept  # noqa: E731
        wall = lambda: time.time() + self.ahead  # noqa: E731
        self.node = Node(self.store, timers, "one:1", "1", LEASE, boot, wall=wall, file=file)
        self.node.bus.subscribe(LeaseLost, lambda event: setattr(self, "losses", self.losses + 1))

    def start(self) -> None:
        result_of(Deferred.fromCoroutine(self.node.start()))
        result_of(self.store.write(lambda connection: None))

    def living(self) -> list[str]:
        return [node.id for node in self.store.read(nodes.living)]


@pytest.fixture
def serve(cleared_postgres: str, tmp_path: Path) -> Iterator[Callable[[], Served]]:
    """serve(): a server on the same database and data directory, not started."""
    made: list[Served] = []

    def serve() -> Served:
        made.append(Served(cleared_postgres, tmp_path / "node.json"))
        return made[-1]

    yield serve
    for served in made:
        served.store.close()


@pytest.fixture
def change(cleared_postgres: str) -> Iterator[Callable[[str], None]]:
    """change(statement): what an older copy of the database would be like."""
    engine = create_engine(cleared_postgres)

    def change(statement: str) -> None:
        with engine.begin() as connection:
            connection.exec_driver_sql(statement)

    yield change
    engine.dispose()


# --- clocks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ahead", "way"), [(CLOCK_SECONDS + 5, "ahead of"), (-CLOCK_SECONDS - 5, "behind")])
def test_whose_clock_is_far_from_the_databases_is_no_node(serve: Callable[[], Served], ahead: float, way: str) -> None:
    one = serve()
    one.ahead = ahead
    with pytest.raises(StoreError, match=f"The clock of this machine is 6. s {way} that of the database") as error:
        one.start()
    assert error.value.code == "clock" and one.living() == []
    one.ahead = ahead / 2
    one.start()
    assert one.living() == [one.node.id]


def test_whose_clock_is_set_is_a_node_no_longer_than_its_lease(serve: Callable[[], Served]) -> None:
    one = serve()
    one.start()
    before = one.node.id
    one.ahead = 3 * 3600.0
    one.slept = LEASE - 10  # since the last beat, which was confirmed
    one.clock.advance(BEAT_SECONDS)
    assert one.losses == 1 and one.node.id == "", "and becomes none again"
    one.ahead = 0.0
    one.clock.advance(BEAT_SECONDS)
    assert one.node.id not in ("", before)


# --- a database that goes back ----------------------------------------------------------------------------------------


LACKING = {
    "the node": "DELETE FROM nodes",
    "its last beats": "UPDATE nodes SET beats = beats - 1",
    "what it has saved": "UPDATE writers SET committed = 0",
}


@pytest.mark.parametrize("lacks", list(LACKING))
def test_a_node_ends_whose_database_has_gone_back(
    serve: Callable[[], Served], change: Callable[[str], None], lacks: str
) -> None:
    """With the next beat; and also if its lease has run out meanwhile, so that it would begin another life."""
    for slept in (0.0, LEASE):
        one = serve()
        one.start()
        one.clock.advance(BEAT_SECONDS)
        change(LACKING[lacks])
        one.slept = slept
        one.clock.advance(BEAT_SECONDS)
        assert one.store.gone is not None and "has gone back" in one.store.gone.sentence
        assert one.losses == (slept > 0) and not one.node.may_speak()
        with pytest.raises(StoreError, match="has gone back"):
            one.store.write_apart(nodes.clock)
        change("DELETE FROM nodes")


@pytest.mark.parametrize("lacks", list(LACKING))
def test_a_server_that_was_stopped_says_that_its_database_has_gone_back(
    serve: Callable[[], Served], change: Callable[[str], None], lacks: str
) -> None:
    """Once."""
    one = serve()
    one.start()
    one.clock.advance(BEAT_SECONDS)
    result_of(Deferred.fromCoroutine(one.node.stop()))
    for said in (False, True, False):
        if said:
            change(LACKING[lacks])
        again = serve()
        again.start()
        assert bool(again.node.went_back) == said and again.living() == [again.node.id]
        result_of(Deferred.fromCoroutine(again.node.stop()))


def test_the_newest_beat_is_noted_now_and_then_for_who_is_killed(serve: Callable[[], Served], tmp_path: Path) -> None:
    one, file = serve(), tmp_path / "node.json"
    one.start()
    for beats in (0, NOTED_BEATS):
        assert json.loads(file.read_text())["beats"] == beats
        one.clock.pump([BEAT_SECONDS] * NOTED_BEATS)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"node": 1, "address": "", "started": "yesterday", "beats": 0}'])
def test_a_note_that_cannot_be_read_is_no_obstacle(serve: Callable[[], Served], tmp_path: Path, text: str) -> None:
    (tmp_path / "node.json").write_text(text)
    one = serve()
    one.start()
    assert one.living() == [one.node.id] and not one.node.went_back
