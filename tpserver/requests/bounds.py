"""Limits on the size of each request, checked before it is handled."""

from __future__ import annotations

from typing import NamedTuple

from tpproto import tp_pb2 as tp
from tpproto.frames import FrameKind

KIB = 1024

MOST_IDS = 16_384
"""Maximum ids, or slots, per request; clients request all objects of a game at once."""

MOST_FILTERS = 64
"""Maximum filter numbers per SetFilters; two are known."""

_LONG_MESSAGES = (tp.GetWithID, tp.GetWithIDSlot, tp.Message, tp.Order, tp.Object, tp.Design, tp.Category)
_LISTS = {
    tp.GetWithID: ("ids", MOST_IDS),
    tp.GetWithIDSlot: ("slots", MOST_IDS),
    tp.SetFilters: ("filters", MOST_FILTERS),
}


class RequestBounds(NamedTuple):
    """Limits of one type of request."""

    longest: int
    """Maximum bytes of the body in TP03 and TP04."""
    longest_elsewhere: int
    """Maximum bytes of the body in the other dialects, where an id or letter may take more."""
    list: str
    """The field whose entries are counted; empty if there is none."""
    most: int
    """Maximum entries of that field."""


def bounds_of(kind: FrameKind) -> RequestBounds:
    """Return the limits of a type of request.

    A long one may have `MOST_IDS` ids, the longest message, or an order with everything that can be chosen.
    """
    sizes = (72 * KIB, 192 * KIB) if kind.message in _LONG_MESSAGES else (4 * KIB, 8 * KIB)
    return RequestBounds(*sizes, *_LISTS.get(kind.message, ("", 0)))
