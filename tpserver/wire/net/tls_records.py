"""TLS transport with one TLS record per frame of TP03 and TP04.

libtpproto-cpp waits for its socket to become readable before it reads a frame. A second frame in the same TLS record is
in the memory of OpenSSL by then. The socket stays silent, and the client hangs.
"""

from __future__ import annotations

from twisted.protocols.tls import TLSMemoryBIOProtocol

HEADER = 16
"""Bytes of a frame's header. The last four are the length of its body (TP03, Frame)."""

MAGIC = (b"TP03", b"TP\x04\x00")


class FrameSplitter:
    """Cuts the bytes of one connection at the ends of frames. Bytes that are not TP03 or TP04 stay unchanged."""

    def __init__(self) -> None:
        self._head = b""
        self._left = 0
        self._is_plain = False

    def split(self, data: bytes) -> list[bytes]:
        """Return the same bytes in pieces. No piece has parts of two frames."""
        pieces, start, at = [], 0, 0
        while at < len(data) and not self._is_plain:
            if not self._left:
                part = data[at : at + HEADER - len(self._head)]
                self._head += part
                at += len(part)
                if len(self._head) < HEADER:
                    break
                self._is_plain = self._head[:4] not in MAGIC
                self._left = int.from_bytes(self._head[12:])
                self._head = b""
            step = min(self._left, len(data) - at)
            self._left -= step
            at += step
            if not self._left and not self._is_plain:
                pieces.append(data[start:at])
                start = at
        return [*pieces, data[start:]] if start < len(data) else pieces


class FramePerRecord(TLSMemoryBIOProtocol):
    """TLS on top of a transport; a record has bytes of one frame only."""

    def makeConnection(self, transport: object) -> None:
        self._frames = FrameSplitter()
        super().makeConnection(transport)  # type: ignore[no-untyped-call] # Twisted declares no types here

    def write(self, data: bytes) -> None:
        for piece in self._frames.split(data):
            super().write(piece)  # type: ignore[no-untyped-call] # as above
