"""When a server is ended, and who is to blame for it: with clocks and figures that the test says."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tpserver.parent.judge import FROZEN, GRACE, MEMORY_SECONDS, Judge
from tpserver.processes import Task
from tpserver.rules.page import Keeper, Noted

MAIN, OTHER = 100, 101
MIB = 1 << 20


@dataclass
class House:
    """A server as its parent sees it; ``used`` are the seconds that its threads have had a processor."""

    now: float = 1000.0
    beat: float = 1000.0
    memory: int = 50 * MIB
    calls: list[Noted] = field(default_factory=list)
    used: dict[int, float] = field(default_factory=lambda: {MAIN: 5.0, OTHER: 5.0})
    state: str = "S"
    keeper: Keeper | None = None

    def __post_init__(self) -> None:
        self.judge = Judge(MAIN, 200 * MIB, lambda task: Task(self.state, self.used[task]))

    def look(self, seconds: float = 0.0, *, busy: int | None = None, beats: bool = True):
        self.now += seconds
        if busy is not None:
            self.used[busy] += seconds
        if beats:
            self.beat = self.now
        return self.judge.charge(self.now, self.calls, self.beat, self.memory, self.keeper)

    def call(self, limit: float, task: int = MAIN, game: int = 7, ruleset: str = "seven") -> Noted:
        call = Noted(True, self.now, self.now + limit, game, ruleset, task + 5000, task)
        self.calls = [other for other in self.calls if other.task != task] + [call]
        return call


def test_a_call_that_does_not_end_is_charged_after_its_grace():
    house = House()
    call = house.call(0.5)
    assert house.look(0.01, busy=MAIN) is None
    assert house.look(0.5, busy=MAIN, beats=False) is None
    assert house.look(GRACE - 0.02, busy=MAIN, beats=False) is None
    charge = house.look(0.04, busy=MAIN, beats=False)
    assert charge is not None and charge.call == call


def test_a_late_call_of_the_reactor_is_known_before():
    """So that it gets its signal, and not so in another thread."""
    house = House()
    house.call(0.5)
    assert house.look() is None
    assert not house.judge.overdue(house.now, house.calls)
    assert house.look(0.51, busy=MAIN, beats=False) is None
    assert house.judge.overdue(house.now, house.calls)
    house.calls.clear()
    house.call(0.5, OTHER)
    house.look()
    house.look(0.51, busy=OTHER)
    assert not house.judge.overdue(house.now, house.calls)


def test_a_call_that_does_not_get_the_processor_has_more_time():
    house = House()
    house.call(0.5)
    assert house.look() is None
    assert house.look(0.5 + GRACE + 0.1, beats=False) is None, "the machine is busy"
    assert house.look(4.0, beats=False) is None, "or it waits for something that never comes"
    assert house.look(GRACE, beats=False) is not None


def test_a_server_that_somebody_has_stopped_is_not_to_blame():
    house = House()
    house.call(0.5)
    house.look()
    house.state = "T"
    assert house.look(100.0, beats=False) is None


def test_a_call_in_another_thread_that_lets_nobody_else_run_is_charged():
    """The reactor waits for the interpreter and does nothing, the other thread works all the time."""
    house = House()
    call = house.call(60.0, OTHER)
    assert house.look(0.01) is None
    assert house.look(FROZEN - 0.1, busy=OTHER, beats=False) is None
    charge = house.look(0.2, busy=OTHER, beats=False)
    assert charge is not None and charge.call == call


@pytest.mark.parametrize(("busy", "state"), [(MAIN, "S"), (None, "S"), (OTHER, "D")])
def test_a_silent_reactor_alone_says_nothing_about_a_turn_that_is_computed(busy: int | None, state: str):
    """It works itself, the machine is busy, or it waits for the disk."""
    house = House()
    house.call(60.0, OTHER)
    house.look(0.01)
    house.state = state
    assert house.look(FROZEN + 1.0, busy=busy, beats=False) is None


def test_memory_above_the_limit_is_charged_to_whoever_keeps_it():
    """The server itself knows what short calls have left behind; who happens to run when the parent looks does not."""
    house = House()
    house.look()
    for _ in range(4):
        house.keeper = Keeper(9, "glutton", (house.keeper.kept if house.keeper else 0) + 45 * MIB)
        house.memory += 45 * MIB
        lean = house.call(0.5, MAIN, 3, "lean")
        assert house.look(0.1) is None
        house.calls = [Noted(False, *_rest(lean))]
        house.look(0.1)
    charge = house.look(MEMORY_SECONDS)
    assert charge is not None and charge.call is not None
    assert (charge.call.game, charge.call.ruleset) == (9, "glutton")


def test_memory_that_a_call_takes_while_it_runs_is_charged_to_it():
    house = House()
    house.keeper = Keeper(3, "lean", 60.0 * MIB)
    house.look()
    glutton = house.call(60.0, OTHER, 9, "glutton")
    for _ in range(4):
        house.memory += 45 * MIB
        assert house.look(0.1) is None
    charge = house.look(MEMORY_SECONDS)
    assert charge is not None and charge.call == glutton


def test_memory_that_nobody_kept_is_nobodys_doing():
    """A quarter of the limit is little enough to be an accident."""
    house = House()
    house.keeper = Keeper(9, "lean", 49.0 * MIB)
    house.look()
    house.memory = 250 * MIB
    assert house.look(0.1) is None
    charge = house.look(MEMORY_SECONDS)
    assert charge is not None and charge.call is None


def test_memory_that_comes_down_again_is_no_charge():
    house = House()
    house.look()
    house.memory = 250 * MIB
    assert house.look(0.1) is None
    house.memory = 100 * MIB
    assert house.look(0.1) is None
    house.memory = 250 * MIB
    assert house.look(10.0) is None
    charge = house.look(MEMORY_SECONDS)
    assert charge is not None and charge.call is None, "nobody's rules ran"


def test_far_too_much_memory_is_charged_at_once():
    house = House()
    call = house.call(0.5)
    house.look()
    house.memory = 400 * MIB
    charge = house.look(0.1)
    assert charge is not None and charge.call == call


def _rest(call: Noted) -> tuple[float, float, int, str, int, int]:
    return call.begun, call.until, call.game, call.ruleset, call.thread, call.task
