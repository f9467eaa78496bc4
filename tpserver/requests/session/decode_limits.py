"""Size limits of requests, checked before they are handled."""

from __future__ import annotations

from google.protobuf.message import Message

from tpproto import tp_pb2 as tp
from tpproto.descriptions import Lookup
from tpproto.dialects import TP03, TP04
from tpproto.errors import FailCode
from tpproto.frames import FrameKind
from tpproto.stream import RawFrame
from tpserver.requests.session.refusals import RequestError

CLASSIC = (TP03, TP04, TP04.padded)
"""The binary dialects of TP03 and TP04. In others an id or character may take more bytes."""

KIB = 1024

MOST_IDS = 16_384
"""Maximum ids, or slots, in a request. Clients request all objects of a game at once.

In JSON `MESSAGE_VALUES` and `MESSAGE_BYTES` of `wire.net.limits` limit them, too.
"""

MOST_FILTERS = 64
"""Maximum filter numbers in SetFilters; two are known."""

_LONG_MESSAGES = {tp.GetWithID, tp.GetWithIDSlot, tp.Message, tp.Order, tp.Object, tp.Design, tp.Category}
_LISTS = {
    tp.GetWithID: ("ids", MOST_IDS),
    tp.GetWithIDSlot: ("slots", MOST_IDS),
    tp.SetFilters: ("filters", MOST_FILTERS),
}


def decoded(kind: FrameKind, frame: RawFrame, lookup: Lookup) -> Message:
    """Return the message of a request. Raises RequestError if it is too long, or names too many things.

    The longest requests have `MOST_IDS` ids, the longest message, or an order with everything that can be chosen.
    """
    classic, elsewhere = (72 * KIB, 192 * KIB) if kind.message in _LONG_MESSAGES else (4 * KIB, 8 * KIB)
    longest = classic if frame.dialect in CLASSIC else elsewhere
    if len(frame.body) > longest:
        text = f"this request has {len(frame.body)} bytes; {longest} are the most"
        raise RequestError(FailCode.REQUEST_TOO_BIG, text)
    message = frame.dialect.decode_body(frame.kind, frame.body, lookup)
    field, most = _LISTS.get(kind.message, ("", 0))
    if field and len(getattr(message, field)) > most:
        text = f"a request can name {most} at once, not {len(getattr(message, field))}; ask for less"
        raise RequestError(FailCode.REQUEST_TOO_BIG, text)
    return message
