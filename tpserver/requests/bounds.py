"""Limits on the size of a request, checked before it is handled."""

from __future__ import annotations

from google.protobuf.message import Message

from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03, TP04
from tpproto.frames import KINDS
from tpproto.stream import RawFrame
from tpserver.requests import refusals

KIB = 1024

MOST_IDS = 16_384
"""Maximum ids, or slots, per request; clients request all objects of a game at once."""

MOST_FILTERS = 64
"""Maximum filter numbers per SetFilters; two are known."""

_CLASSIC = (TP03, TP04, TP04.padded)
_LONG = (72 * KIB, 192 * KIB)
"""Maximum bytes of a long body in TP03 and TP04, and in the other dialects, where an id or letter may take more:
`MOST_IDS` ids, the longest message, or an order with everything that can be chosen."""
_SHORT = (4 * KIB, 8 * KIB)

_LONG_MESSAGES = (tp.GetWithID, tp.GetWithIDSlot, tp.Message, tp.Order, tp.Object, tp.Design, tp.Category)
_LONG_KINDS = frozenset(kind.number for kind in KINDS if kind.request and kind.message in _LONG_MESSAGES)


def check_length(frame: RawFrame, title: str) -> None:
    """Raise Refused if the body is too long for a request of its type."""
    most = (_LONG if frame.kind in _LONG_KINDS else _SHORT)[frame.dialect not in _CLASSIC]
    if len(frame.body) > most:
        raise refusals.too_long(title, len(frame.body), most)


def check_counts(message: Message, title: str) -> None:
    """Raise Refused if the request has too many ids, slots or filters."""
    if isinstance(message, tp.GetWithID):
        count, most = len(message.ids), MOST_IDS
    elif isinstance(message, tp.GetWithIDSlot):
        count, most = len(message.slots), MOST_IDS
    elif isinstance(message, tp.SetFilters):
        count, most = len(message.filters), MOST_FILTERS
    else:
        return
    if count > most:
        raise refusals.too_many(title, count, most)
