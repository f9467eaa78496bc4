"""Queues for output: responses in order, and bytes the client must read."""

from __future__ import annotations

from collections import deque


class PendingResponse:
    """The place of one response in the queue; `data` is None while it is not ready."""

    __slots__ = ("data",)

    def __init__(self, data: bytes | None) -> None:
        self.data = data


class ResponseQueue(deque[PendingResponse]):
    """Responses in the order of their requests, the first of which is not ready.

    `size` is the number of bytes that are ready. It is a subclass of deque, so that a test for emptiness is cheap.
    """

    __slots__ = ("size",)

    def __init__(self) -> None:
        super().__init__()
        self.size = 0

    def put(self, data: bytes | None) -> PendingResponse:
        """Append a response, or None to reserve its place; return its entry."""
        pending = PendingResponse(data)
        self.append(pending)
        if data is not None:
            self.size += len(data)
        return pending

    def fill(self, pending: PendingResponse, data: bytes) -> None:
        """Set the data of a pending response."""
        pending.data = data
        self.size += len(data)

    def end_at(self, pending: PendingResponse) -> None:
        """Drop all responses behind this one."""
        while self[-1] is not pending:
            self.size -= len(self.pop().data or b"")

    def take_ready(self) -> list[bytes]:
        """Remove and return the responses up to the first that is not ready."""
        ready = []
        while self and (first := self[0].data) is not None:
            ready.append(first)
            self.popleft()
            self.size -= len(first)
        return ready


class SendBuffer(deque[bytes]):
    """Bytes not yet given to the transport, in pieces of at most `most` bytes; `size` is their total."""

    __slots__ = ("most", "size")

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self.size = 0

    def put(self, data: bytes) -> None:
        """Append data."""
        self.extend(data[start : start + self.most] for start in range(0, len(data), self.most))
        self.size += len(data)

    def take(self) -> bytes:
        """Remove and return the next piece; the buffer must not be empty."""
        piece = [self.popleft()]
        size = len(piece[0])
        while self and size + len(self[0]) <= self.most:
            piece.append(self.popleft())
            size += len(piece[-1])
        self.size -= size
        return b"".join(piece)
