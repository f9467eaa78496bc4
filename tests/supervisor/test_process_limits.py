"""Process limits: the end of a server process, and the call to blame.

The test chooses clocks and measurements.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tpserver.processes import Task
from tpserver.rules.page import Keeper, Noted
from tpserver.supervisor.process_limits import FROZEN, GRACE, MEMORY_SECONDS, Judge

MAIN, OTHER, THIRD = 100, 101, 102
MIB = 1 << 20


@dataclass
class House:
    """A server as its supervisor sees it; ``used`` are the seconds that its threads have had a processor."""

    now: float = 1000.0
    beat: float = 1000.0
    memory: int = 50 * MIB
    calls: list[Noted] = field(default_factory=list)
    used: dict[int, float] = field(default_factory=lambda: {MAIN: 5.0, OTHER: 5.0, THIRD: 5.0})
    state: str = "S"
    keeper: Keeper | None = None
    pulse: float = 0.0

    def __post_init__(self) -> None:
        self.judge = Judge(MAIN, 200 * MIB, lambda task: Task(self.state, self.used[task]))

    def look(self, seconds: float = 0.0, *, busy: int | None = None, beats: bool = True):
        self.now += seconds
        if busy is not None:
            self.used[busy] += seconds
        if beats:
            self.beat = self.now
        return self.judge.charge(self.now, self.calls, self.beat, self.memory, self.keeper, self.pulse)

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
    house.used[MAIN] += 0.3
    assert house.look(0.5 + GRACE + 0.1, beats=False) is None, "the machine is busy"
    assert house.look(4.0, beats=False) is None, "or it waits for something that never comes"
    assert house.look(GRACE, beats=False) is not None


def test_no_call_is_to_blame_while_somebody_has_stopped_the_server():
    house = House()
    house.call(0.5)
    house.look()
    house.state = "T"
    assert house.look(100.0, beats=False) is None


@pytest.mark.parametrize("state", ["S", "R", "D", "T"])
def test_a_server_without_a_heartbeat_is_ended_whatever_the_cause(state: str):
    """It sleeps, computes, waits for a disk or is stopped; one heartbeat is enough to go on."""
    house = House()
    house.look()
    house.state = state
    assert [house.look(0.5, beats=False) for _ in range(59)] == [None] * 59
    assert house.look(0.5) is None
    assert [house.look(0.5, beats=False) for _ in range(59)] == [None] * 59
    charge = house.look(0.5, beats=False)
    assert charge is not None and charge.call is None


def test_time_in_which_the_parent_did_not_run_is_no_silence():
    """A suspended laptop or container wakes up: the supervisor checks before the server has given a heartbeat."""
    house = House()
    house.look()
    for _ in range(20):
        assert house.look(3600.0, beats=False) is None
    assert house.judge.silence == 20.0


@pytest.mark.parametrize("beat", [0.0, -1.0])
def test_a_server_that_starts_or_has_ended_gives_no_heartbeat(beat: float):
    """A migration may take an hour."""
    house = House(beat=beat)
    assert {house.look(1.0, beats=False) for _ in range(3600)} == {None}


def test_a_server_that_stops_is_not_ended_for_its_silence():
    """The supervisor has a separate limit for that, in which unsaved changes are saved."""
    house = House()
    house.look()
    house.judge.is_stopping = True
    assert {house.look(1.0, beats=False) for _ in range(100)} == {None}


def test_a_call_in_another_thread_that_lets_nobody_else_run_is_charged():
    """The reactor waits for the interpreter and does nothing, the other thread works all the time."""
    house = House()
    call = house.call(60.0, OTHER)
    assert house.look(0.01) is None
    assert house.look(FROZEN - 0.1, busy=OTHER, beats=False) is None
    charge = house.look(0.2, busy=OTHER, beats=False)
    assert charge is not None and charge.call == call


def test_of_two_turns_that_which_lets_nobody_else_run_is_charged():
    """The other one was there before, and has used the processor all the time until then."""
    house = House()
    house.call(60.0, OTHER, 7, "innocent")
    for _ in range(50):
        assert house.look(0.1, busy=OTHER) is None
    guilty = house.call(60.0, THIRD, 9, "guilty")
    assert house.look(0.01) is None
    assert house.look(FROZEN - 0.1, busy=THIRD, beats=False) is None
    charge = house.look(0.2, busy=THIRD, beats=False)
    assert charge is not None and charge.call == guilty


def test_a_call_that_is_late_because_another_one_lets_it_not_run_is_not_charged():
    """Beside busy programs it takes longer to find out which thread has the processor."""
    house = House()
    guilty = house.call(60.0, OTHER, 9, "guilty")
    assert house.look(0.01) is None
    house.call(0.5, MAIN, 7, "innocent")
    charge = None
    while charge is None:
        house.used[OTHER] += 0.02
        charge = house.look(0.1, beats=False)
    assert charge.call == guilty


def test_a_call_that_sleeps_is_charged_although_another_one_computes():
    """The watchdog runs meanwhile, so that nobody keeps the interpreter to itself."""
    house = House()
    house.call(60.0, OTHER, 7, "innocent")
    assert house.look(0.01) is None
    guilty = house.call(0.5, MAIN, 9, "guilty")
    charge = None
    while charge is None:
        house.pulse = house.now
        charge = house.look(0.1, busy=OTHER, beats=False)
    assert charge.call == guilty


def test_a_reactor_that_waits_by_itself_is_nobodys_fault():
    """As for a slow disk, while a turn is computed: the watchdog's thread runs."""
    house = House()
    house.call(60.0, OTHER)
    for _ in range(50):
        house.pulse = house.now
        assert house.look(0.1, busy=OTHER, beats=False) is None


@pytest.mark.parametrize(("busy", "state"), [(MAIN, "S"), (None, "S"), (OTHER, "D")])
def test_a_silent_reactor_alone_says_nothing_about_a_turn_that_is_computed(busy: int | None, state: str):
    """It works itself, the machine is busy, or it waits for the disk."""
    house = House()
    house.call(60.0, OTHER)
    house.look(0.01)
    house.state = state
    assert house.look(FROZEN + 1.0, busy=busy, beats=False) is None


def test_memory_above_the_limit_is_charged_to_whoever_keeps_it():
    """The server itself knows the memory that short calls have left. The call during a check is not to blame."""
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
