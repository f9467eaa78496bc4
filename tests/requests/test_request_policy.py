"""The policy of each request is the one in ``request_policy.txt``."""

from __future__ import annotations

from tests.requests.request_policy import TABLE, written


def test_the_policy_of_each_request_is_the_frozen_one() -> None:
    """``make goldens`` writes a new request, and a new policy of an old one, to the file."""
    assert TABLE.read_text(encoding="utf-8") == written()
