"""A plugin of pytest for the mutation run: which tests run first, so that a mutant is noticed soon.

Those that have noticed the last ones, as the next one is in the same function mostly; then the quickest, as mutmut has
measured them.  mutmut itself gives them in no order.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

STATS, NOTICED = Path("mutmut-stats.json"), Path("noticed.json")
"""What mutmut has measured, and the tests that have noticed a mutant, the last one first: in the working directory."""

QUICK_SECONDS = 5.0
"""A test that has failed later than that, as it waited for something in vain, does not come first for it."""


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # it is not there yet, or being written by another process
        return None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    durations: dict[str, float] = (_read(STATS) or {}).get("duration_by_test", {})
    noticed = {test: place for place, test in enumerate(_read(NOTICED) or ())}
    items.sort(key=lambda item: (noticed.get(item.nodeid, len(noticed)), durations.get(item.nodeid, 0.0)))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed and report.duration < QUICK_SECONDS:
        before = [test for test in _read(NOTICED) or () if test != report.nodeid]
        NOTICED.write_text(json.dumps([report.nodeid, *before]), encoding="utf-8")
