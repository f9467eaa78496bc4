"""Throttled work on the reactor's thread: in order, in slices, with rests."""

from __future__ import annotations

from twisted.internet.task import Clock

from tpserver.concurrency import Throttle


def test_work_begins_in_order_in_slices_and_rests_for_half_as_long() -> None:
    clock, now, begun = Clock(), [0.0], list[int]()
    throttle = Throttle(clock, 1.0, lambda: now[0])

    def work(number: int) -> None:
        begun.append(number)
        now[0] += 0.6

    for number in range(5):
        throttle.admit().addCallback(lambda _, number=number: work(number))
    assert begun == []
    clock.advance(0)
    assert begun == [0, 1]
    clock.advance(0.59)
    assert begun == [0, 1]
    clock.advance(0.02)
    assert begun == [0, 1, 2, 3]
    clock.advance(0.61)
    assert begun == [0, 1, 2, 3, 4] and not clock.getDelayedCalls()
    throttle.admit().addCallback(lambda _: work(5))
    clock.advance(0)
    assert begun[-1] == 5
