"""Recorded client frames of TaE, sent to our server."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from tests.requests import recorded_sessions


@pytest.mark.parametrize("name", recorded_sessions.NAMES)
def test_every_recorded_request_gets_the_frames_that_are_asked_for(name: str):
    """Each of them, in its order, with the right number in Sequence frames."""
    done, _ = recorded_sessions.compared(name)
    assert len(done) == len([row for row in recorded_sessions.recording(name) if row["dir"] == "c2s"])
    logged_in = False
    for exchange in done:
        kinds = recorded_sessions.wanted(exchange, logged_in=logged_in)
        assert recorded_sessions.fits(exchange.ours, kinds), (exchange.request, kinds[:5])
        logged_in = logged_in or exchange.request == "login"
    assert logged_in


@pytest.mark.parametrize("name", recorded_sessions.NAMES)
def test_every_difference_to_the_recording_is_explained(name: str):
    """And every explanation is of a difference that there is."""
    _, found = recorded_sessions.compared(name)
    reasons = recorded_sessions.explained(name)
    assert [place for place in sorted(found) if recorded_sessions.why_of(place, reasons) is None] == []
    assert [pattern for pattern, _ in reasons if not any(fnmatchcase(place, pattern) for place in found)] == []
    assert len({pattern for pattern, _ in reasons}) == len(reasons)
