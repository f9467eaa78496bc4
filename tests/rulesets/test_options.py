"""Options of the shipped games as operators type or store them."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest

from tprules.api import Text
from tprules.taller_ants.board import MEADOW

SHIPPED = [point.load() for point in entry_points(group="tpserver.rulesets") if point.value.startswith("tprules.")]
ONE_LINE = {"map_text": MEADOW.strip().replace("\n", "/")}
"""Texts for options whose default is none."""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
@pytest.mark.parametrize(
    ("rules", "name"),
    [
        pytest.param(rules, name, id=f"{rules.name}-{name}")
        for rules in SHIPPED
        for name, option in rules.options.items()
        if isinstance(option, Text)
    ],
)
def test_a_text_may_end_as_any_file_does(rules, name, end):
    """Line breaks at its end change nothing, on one line with slashes neither."""
    option = rules.options[name]
    text = option.default or ONE_LINE[name]
    value = option.parse(name, text)
    assert option.parse(name, text.strip() + end) == value
    one_line = text.strip().replace("\n", "/")
    assert option.parse(name, one_line) == value
    assert option.parse(name, one_line + end) == value


@pytest.mark.parametrize("rules", SHIPPED, ids=lambda rules: rules.name)
def test_any_option_may_end_as_a_line_does(rules):
    """Numbers, words and flags too."""
    for name, option in rules.options.items():
        if not isinstance(option, Text):
            default = option.default
            text = ",".join(map(str, default)) if isinstance(default, tuple) else str(default)
            assert option.parse(name, f"{text}\n") == option.parse(name, default)
