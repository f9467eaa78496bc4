"""Faults planted in a copy of the server are found.

Each replacement still fits the present source.
"""

from __future__ import annotations

import pytest

from tests.simulation.planted import ALL, NOT_FOUND_YET, ROOT, worlds_until_found


@pytest.mark.parametrize("name", ALL)
def test_a_fault_can_still_be_planted(name: str):
    """The text that it replaces is there once: else the list is of another version of the server."""
    for file, text, _ in ALL[name]:
        assert (ROOT / file).read_text().count(text) == 1, (file, text)


@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name in ALL if name not in NOT_FOUND_YET])
def test_a_planted_fault_is_found(name: str):
    worlds, _ = worlds_until_found(name, 100)
    assert worlds
