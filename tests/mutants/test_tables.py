"""The tables of the mutation run match the present code."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.mutants import quicker
from tests.mutants.__main__ import POSTGRES, Change, Explained, _forget_survivors, evaluate, modules

ROOT = Path(__file__).parents[2]


def test_each_module_and_each_of_its_tests_is_there() -> None:
    for module, tests in modules().items():
        named = tests[: tests.index("-k")] if "-k" in tests else tests
        assert all((ROOT / one).exists() for one in (module, *named) if one != POSTGRES), module


def test_what_may_survive_is_still_in_its_module() -> None:
    """A reason for a line that has changed meanwhile is a reason for nothing."""
    for one in tomllib.loads(Path(__file__).with_name("survivors.toml").read_text(encoding="utf-8"))["survivor"]:
        assert one["module"] in modules()
        source = {line.strip() for line in (ROOT / one["module"]).read_text(encoding="utf-8").splitlines()}
        assert source.issuperset(one["was"].splitlines()), one


@pytest.mark.parametrize(
    ("was", "now", "may_survive"),
    [
        ("self._waiting = False", "self._waiting = None", True),
        ("self._waiting = False", "self._waiting = True", False),
        ('raise Refused("no such game")', 'raise Refused("XXno such gameXX")', True),
        ('raise Refused("no such game")', 'raise Refused("NO SUCH GAME")', True),
        ('raise Refused("no such game")', "raise Refused(None)", False),
        ('kind == "insert"', 'kind == "XXinsertXX"', False),
    ],
)
def test_only_wording_and_what_is_asked_for_its_truth_may_survive_anywhere(
    was: str, now: str, may_survive: bool
) -> None:
    assert Explained().takes(Change("tpserver/any.py", "any", was, now)) is may_survive


def test_a_reason_is_for_one_mutant() -> None:
    explained = Explained()
    one = next(iter(explained.left))
    assert [explained.takes(one) for _ in range(explained.left[one] + 1)][-1] is False


def test_a_run_goes_on_with_what_has_survived_also_after_one_that_was_ended_early(tmp_path: Path) -> None:
    """The interrupted run may have copied no tests yet."""
    meta = tmp_path / "mutants" / "tpserver" / "any.py.meta"
    meta.parent.mkdir(parents=True)
    meta.write_text(json.dumps({"exit_code_by_key": {"killed": 1, "survived": 0, "timed out": 36, "untested": 33}}))
    _forget_survivors(tmp_path, "tpserver/any.py")
    codes = json.loads(meta.read_text())["exit_code_by_key"]
    assert codes == {"killed": 1, "survived": None, "timed out": None, "untested": None}


def test_a_change_is_shown_as_the_module_has_it(tmp_path: Path) -> None:
    """Also in the line with the name of a function, which mutmut writes otherwise."""
    made = {
        "x_count": ("def x_count__mutmut_orig(most: int = 1) -> int:", "def x_count__mutmut_1(most: int = 2) -> int:"),
        "xǁNodeǁdrain": (
            "    def xǁNodeǁdrain__mutmut_orig(self, on: int = 1) -> None:",
            "    def xǁNodeǁdrain__mutmut_1(self, on: int = 2) -> None:",
        ),
    }
    place = tmp_path / "mutants" / "tpserver"
    place.mkdir(parents=True)
    lines = [line for pair in made.values() for line in pair]
    (place / "any.py").write_text("\n".join(lines), encoding="utf-8")
    codes = {f"tpserver.any.{name}__mutmut_1": 0 for name in made}
    names = [f"{name}__mutmut_{which}" for name in made for which in ("orig", "1")]
    spans = {name: (number, number) for number, name in enumerate(names, 1)}
    (place / "any.py.meta").write_text(json.dumps({"exit_code_by_key": codes}), encoding="utf-8")
    (place / "any.py.spans").write_text(json.dumps({"spans": spans}), encoding="utf-8")
    first, second = evaluate(tmp_path, "tpserver/any.py").new
    assert (first.function, first.was) == ("count", "def count(most: int = 1) -> int:")
    assert first.now == "def count(most: int = 2) -> int:"
    assert (second.function, second.now) == ("Node.drain", "def drain(self, on: int = 2) -> None:")


def test_a_mutant_is_noticed_soon_by_what_has_noticed_the_last_ones_or_else_is_quick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def order() -> str:
        items: Any = [SimpleNamespace(nodeid=name) for name in "abcde"]
        quicker.pytest_collection_modifyitems(items)
        return "".join(item.nodeid for item in items)

    def ran(name: str, failed: bool, seconds: float) -> None:
        report: Any = SimpleNamespace(nodeid=name, failed=failed, duration=seconds)
        quicker.pytest_runtest_logreport(report)

    assert order() == "abcde", "nothing is known yet"
    durations = {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.2, "e": 0.1}
    Path("mutmut-stats.json").write_text(json.dumps({"duration_by_test": durations}), encoding="utf-8")
    assert order() == "edcba"
    for name in "baba":
        ran(name, True, 0.5)
    ran("c", False, 0.5)
    ran("d", True, 60.0)
    assert order() == "abedc"
