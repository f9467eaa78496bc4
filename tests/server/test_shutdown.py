"""The parts of a server stop in the order of the stages, whatever the order in which they started."""

from __future__ import annotations

from functools import partial

from twisted.internet.defer import Deferred

from tpserver.server.shutdown import Shutdown, Stage


def begin(shutdown: Shutdown) -> Deferred[None]:
    return Deferred.fromCoroutine(shutdown.run())


def test_stages_run_in_order_and_each_waits_for_the_one_before() -> None:
    shutdown, stopped, ports = Shutdown(), list[str](), Deferred[None]()
    shutdown.add(Stage.STORE, partial(stopped.append, "store"), partial(stopped.append, "mark"))
    shutdown.add(Stage.GAMES, partial(stopped.append, "games"))
    shutdown.add(Stage.PORTS, lambda: ports)
    assert not shutdown.has_begun
    first, second = begin(shutdown), begin(shutdown)
    assert shutdown.has_begun and stopped == [] and not first.called and not second.called
    ports.callback(None)
    assert stopped == ["games", "store", "mark"]
    assert first.called and second.called


def test_a_part_that_starts_during_the_shutdown_stops_in_its_stage() -> None:
    """A signal may end a server that is still starting."""
    shutdown, stopped, ports = Shutdown(), list[str](), Deferred[None]()
    shutdown.add(Stage.PORTS, lambda: ports)
    done = begin(shutdown)
    shutdown.add(Stage.PORTS, partial(stopped.append, "another port"))
    shutdown.add(Stage.STORE, partial(stopped.append, "store"))
    ports.callback(None)
    assert stopped == ["another port", "store"] and done.called
