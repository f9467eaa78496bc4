"""List parameters of which a player picks one item."""

from __future__ import annotations

import pytest

from tprules.api import Code, Refusal
from tprules.kit.single_choice import choosing, chosen, one_of


def test_what_is_picked_is_read_back():
    """The argument that picks a thing is accepted as it is, and names that thing."""
    param = one_of("a colour")
    assert param.help == "a colour"
    parsed = param.parse("colour", choosing(7))
    assert not param.is_default(parsed)
    assert chosen({"colour": parsed}, "colour") == 7


def test_nothing_picked_is_a_draft():
    """An empty list is a default that the parameter does not allow."""
    param = one_of("a colour")
    assert param.is_default(param.parse("colour", []))
    assert param.allows_default({}) is False


@pytest.mark.parametrize("raw", [[[1, 2]], [[1, 1], [2, 1]], [[1, 1], [1, 1]], [[1, 0]], [[1]], "x", None])
def test_anything_but_one_of_one_is_refused(raw):
    """Two of a thing, two things, the same twice, none of it, and nonsense are bad frames."""
    with pytest.raises(Refusal) as refused:
        one_of("a colour").parse("colour", raw)
    assert refused.value.code is Code.FRAME
    assert refused.value.param == "colour"
