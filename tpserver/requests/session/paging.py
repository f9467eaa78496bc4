"""Lists of ids and modification times, requested before the items."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03
from tpproto.dialects.binary import BinaryDialect
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer
from tpserver.requests.session.session import Session

Ids = list[tuple[int, int]]
"""Pairs of id and modification time."""

Source = Callable[[Session, int], tuple[Ids, int]]
"""Function from a session and a time (-1: list everything) to the changed ids and the next time.

The ids are those changed after the time. The next time is the one from which to request further changes.
"""


def get_ids(answer: str, source: Source) -> Callable[[Session, tp.GetIDSequence], Answer]:
    """Return the handler of a request for ids (TP04, GetIDSequence); ``answer`` names the frame of the response."""
    kind = BY_NAME[answer].number

    def handler(session: Session, message: tp.GetIDSequence) -> Answer:
        if message.amount < -1:
            text = f"an amount is -1 for all or a number from 0, not {message.amount}"
            raise RequestError(FailCode.FRAME, text)
        if message.key == -1:
            ids, latest = source(session, message.fromtime)
            key = session.lists.keep(ids, latest)
        else:
            key = message.key
        kept = session.lists.get(key)
        if message.start > len(kept):
            text = f"position {message.start} is beyond the end; this list has {len(kept)} ids"
            raise RequestError(FailCode.NO_SUCH_THING, text)
        end = len(kept) if message.amount == -1 else min(len(kept), message.start + message.amount)
        if end == len(kept):
            session.lists.finish(key)
        return [id_payload(session, kind, key, len(kept) - end, kept.part(message.start, end), kept.latest)]

    return handler


def id_payload(
    session: Session, kind: int, key: int, remaining: int, ids: Sequence[tuple[int, int]], latest: int
) -> bytes:
    """Return the payload of a frame with an IDSequence (TP03 has no ``latest``)."""
    dialect = session.dialect
    if isinstance(dialect, BinaryDialect):
        row = (key, remaining, ids) if dialect is TP03 else (key, remaining, ids, latest)
        return dialect.payload_of(kind, dialect.encode_row(kind, row))
    pairs = [tp.IdAndTime(id=number, modtime=time) for number, time in ids]
    return session.payload(kind, tp.IDSequence(key=key, remaining=remaining, ids=pairs, fromtime=latest))


def after(ids: Ids, fromtime: int) -> Ids:
    """Return the ids changed after a time; any negative time means all."""
    return ids if fromtime < 0 else [pair for pair in ids if pair[1] > fromtime]
