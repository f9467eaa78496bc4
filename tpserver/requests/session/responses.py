"""Responses as payloads, cached and joined (see `Dialect.payload`).

Sending a cached frame again needs no encoding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain

from twisted.internet.defer import Deferred

from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03, Dialect
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.printable import KEPT_FOR_PLAYERS, printable
from tpserver.requests.session.refusals import RequestError

FRAMES_AT_ONCE, BYTES_AT_ONCE = 32, 64 * 1024
"""Maximum frames, and bytes, of a long response that are produced before other connections are served."""

OKAY, FAIL, SEQUENCE = BY_NAME["okay"].number, BY_NAME["fail"].number, BY_NAME["sequence_of"].number

Answer = list[bytes]
"""The payloads of a response."""

Reply = bytes | Deferred[bytes] | Iterator[bytes | Deferred[bytes]]
"""A whole response, now or later, or the pieces of a long one, which are produced on demand."""


class FromElsewhere(bytes):
    """A response from another node. This one passes it on even if it may not speak for itself."""

    __slots__ = ()


class Frames:
    """A response of many frames, produced in parts while it is sent.

    They are never all in memory. `payloads` yields `count` of them. A single one is sent bare, several follow a
    Sequence. With `always` a single one does, too. `settled` returns a Deferred to wait for before produced frames may
    be sent. If None, it is the unsaved changes of the request's game. `at_once` is the maximum of frames produced
    before other connections are served. It is below `FRAMES_AT_ONCE` for expensive frames.
    """

    def __init__(
        self,
        dialect: Dialect,
        count: int,
        payloads: Iterable[bytes],
        *,
        always: bool = False,
        at_once: int = FRAMES_AT_ONCE,
        settled: Callable[[], Deferred[None] | None] | None = None,
    ) -> None:
        bare = count == 1 and not always
        self.left = count if bare else count + 1
        self.settled = settled
        self.at_once = min(at_once, FRAMES_AT_ONCE)
        self._payloads = iter(payloads) if bare else chain((sequence_of(dialect, count),), payloads)

    def take(self) -> list[bytes]:
        """Produce the next frames, at most `at_once` frames or about `BYTES_AT_ONCE` bytes."""
        size = 0
        made: list[bytes] = []
        while self.left and len(made) < self.at_once and size < BYTES_AT_ONCE:
            made.append(next(self._payloads))
            self.left -= 1
            size += len(made[-1])
        return made


@lru_cache(128)
def okay(dialect: Dialect, text: str) -> bytes:
    return dialect.payload(OKAY, tp.Okay(result=text))


def failed(dialect: Dialect, refused: RequestError) -> bytes:
    """Return the payload of a Fail frame. TP03 has fewer codes: "gone" becomes "no such thing" there."""
    code = refused.code
    if dialect is TP03 and code > FailCode.PERMISSION_DENIED:
        code = FailCode.NO_SUCH_THING if code is FailCode.GONE else FailCode.UNAVAILABLE_PERMANENTLY
    references = [tp.Reference(type=kind, id=number & 0xFFFFFFFF) for kind, number in refused.references]
    return dialect.payload(FAIL, tp.Fail(code=int(code), result=_sentence(refused.text), references=references))


def sequence_of(dialect: Dialect, number: int) -> bytes:
    return dialect.payload(SEQUENCE, tp.Sequence(number=number))


LONGEST_SENTENCE = 1000
"""Maximum characters of a refusal, which may quote a ruleset or a client."""


def _sentence(text: str) -> str:
    text = printable(text[:1].upper() + text[1:], LONGEST_SENTENCE, KEPT_FOR_PLAYERS)
    return text if text.endswith((".", "!", "?")) else text + "."
