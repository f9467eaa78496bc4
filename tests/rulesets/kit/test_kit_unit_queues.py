"""Order queues that units carry out one after the other."""

from __future__ import annotations

from tprules.kit.unit_queues import Verdict, run_queues


def _run(queues, units=None, gone=()):
    """Carry out queues of words; return what was done: words beginning with s stop, with l let others first."""
    done = []
    verdicts = {"s": Verdict.STOPS, "l": Verdict.LAST}

    def execute(unit, word):
        done.append(f"{unit}:{word}")
        return verdicts.get(word[0], Verdict.DONE)

    run_queues(units or sorted(queues), queues, execute, lambda unit: unit not in gone)
    return done


def test_units_act_one_after_the_other():
    """All of a queue, then the next; what is done has left the queue."""
    queues = {"a": ["x", "y"], "b": ["z"]}
    assert _run(queues) == ["a:x", "a:y", "b:z"]
    assert queues == {"a": [], "b": []}


def test_what_stops_stays_at_the_head():
    """The unit does no more; the others do."""
    queues = {"a": ["x", "stop", "y"], "b": ["z"]}
    assert _run(queues) == ["a:x", "a:stop", "b:z"]
    assert queues["a"] == ["stop", "y"]


def test_the_last_comes_again_after_all_others():
    """Each such word lets the others go first once."""
    assert _run({"a": ["last", "x"], "b": ["y"]}) == ["a:last", "b:y", "a:x"]
    assert _run({"a": ["last", "last", "x"], "b": ["last", "y"]}) == ["a:last", "b:last", "a:last", "b:y", "a:x"]


def test_who_is_gone_does_nothing():
    """Neither a unit that was never there nor one that vanishes on the way."""
    queues = {"a": ["x"], "b": ["y"]}
    assert _run(queues, gone=("a",)) == ["b:y"]
    gone = set()
    done = []

    def execute(unit, word):
        done.append(word)
        gone.add("a")
        return Verdict.DONE

    run_queues(["a"], {"a": ["x", "y"]}, execute, lambda unit: unit not in gone)
    assert done == ["x"]
