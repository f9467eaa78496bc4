"""The operator's rule for which snapshots are kept."""

from __future__ import annotations

import pytest

from tpserver.config import ConfigError, load
from tpserver.games.terms.snapshot_retention import KEEP_ALL, BadRule, KeepRule, parse_rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("all", KEEP_ALL),
        ("every:2:last:2", KeepRule(2, 2)),
        ("every:100:last:1000000", KeepRule(100, 1_000_000)),
        ("every:10:last:20:over:0", KeepRule(10, 20, 0)),
        ("every:10:last:20:over:36500", KeepRule(10, 20, 36_500)),
    ],
)
def test_a_rule_is_read_as_it_is_written(text: str, rule: KeepRule) -> None:
    assert parse_rule(text) == rule
    assert str(rule) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("every:1:last:2", "every goes from 2 to 100"),
        ("every:101:last:2", "every goes from 2 to 100"),
        ("every:2:last:1", "last goes from 2 to 1000000"),
        ("every:2:last:1000001", "last goes from 2 to 1000000"),
        ("every:2:last:2:over:36501", "over goes from 0 to 36500 days"),
        ("every:2", "is none of all, every:N:last:M or every:N:last:M:over:DAYS"),
        ("every:-2:last:2", "is none of"),
        ("every:٢:last:2", "is none of"),
        ("All", "is none of"),
        ("", "is none of"),
        ("x" * 1000, "is none of"),
    ],
)
def test_what_is_no_rule_is_a_sentence(text: str, why: str) -> None:
    with pytest.raises(BadRule, match=why):
        parse_rule(text)
    with pytest.raises(ConfigError, match=why):
        load(None, {"games.keep_snapshots": text})
