"""What cannot leave a connection yet: answers behind one that is not ready, and bytes that the client does not read."""

from __future__ import annotations

from collections import deque


class PendingResponse:
    """A response in its place in the queue; None: not ready."""

    __slots__ = ("data",)

    def __init__(self, data: bytes | None) -> None:
        self.data = data


class ResponseQueue(deque[PendingResponse]):
    """Answers in the order of their requests, of which the first is not ready.  `size` is the bytes that are there.

    It is a deque itself, so that to ask whether anything waits costs nothing.
    """

    __slots__ = ("size",)

    def __init__(self) -> None:
        super().__init__()
        self.size = 0

    def put(self, data: bytes | None) -> PendingResponse:
        """Put an answer behind all others, or keep its place, and return what is pending."""
        pending = PendingResponse(data)
        self.append(pending)
        if data is not None:
            self.size += len(data)
        return pending

    def fill(self, pending: PendingResponse, data: bytes) -> None:
        """An answer that was waited for is here."""
        pending.data = data
        self.size += len(data)

    def end_at(self, pending: PendingResponse) -> None:
        """Throw away all answers behind this one."""
        while self[-1] is not pending:
            self.size -= len(self.pop().data or b"")

    def take_ready(self) -> list[bytes]:
        """Take out the answers that nothing holds back any more."""
        ready = []
        while self and (first := self[0].data) is not None:
            ready.append(first)
            self.popleft()
            self.size -= len(first)
        return ready


class SendBuffer(deque[bytes]):
    """Bytes that are not given to the transport yet, in pieces of at most `most` bytes; `size` is all of them."""

    __slots__ = ("most", "size")

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self.size = 0

    def put(self, data: bytes) -> None:
        """Put data behind all others."""
        self.extend(data[start : start + self.most] for start in range(0, len(data), self.most))
        self.size += len(data)

    def take(self) -> bytes:
        """Take out as much as one piece may hold, from the front; there must be something."""
        piece = [self.popleft()]
        size = len(piece[0])
        while self and size + len(self[0]) <= self.most:
            piece.append(self.popleft())
            size += len(piece[-1])
        self.size -= size
        return b"".join(piece)
