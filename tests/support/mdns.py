"""A listener for services on the local network, on the loopback interface.

It browses servers, and receives packets as the client library of 2008 does.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, Queue
from typing import Any

from tests.support.process import SECONDS

TYPES = [f"_{kind}._tcp.local." for kind in ("tp", "tps", "tp-http", "tp-https")]


class Services:
    """The services that are there, as (type, name) with port, addresses and facts; `wait` until something is so."""

    def __init__(self) -> None:
        self.there: dict[tuple[str, str], tuple[int, list[str], dict[str, str]]] = {}
        self._changes: Queue[tuple[str, str, Any]] = Queue()

    # --- called by zeroconf, in its thread

    def add_service(self, zeroconf: Any, kind: str, name: str) -> None:
        info = zeroconf.get_service_info(kind, name, int(SECONDS * 1000))
        if info is not None:
            told = info.port, info.parsed_addresses(), info.decoded_properties
            self._changes.put((kind, name.removesuffix(f".{kind}"), told))

    update_service = add_service

    def remove_service(self, zeroconf: Any, kind: str, name: str) -> None:
        self._changes.put((kind, name.removesuffix(f".{kind}"), None))

    # --- called by the test

    def wait(self, for_: Any) -> None:
        """Wait until a function of `there` says that it is as wanted."""
        while not for_(self.there):
            try:
                kind, name, told = self._changes.get(timeout=SECONDS)
            except Empty:
                raise AssertionError(f"this is all that is announced: {self.there}") from None
            if told is None:
                self.there.pop((kind, name), None)
            else:
                self.there[kind, name] = told


@contextmanager
def services() -> Iterator[Services]:
    """Listen for the services of games on the loopback interface."""
    from zeroconf import ServiceBrowser, Zeroconf

    zeroconf, found = Zeroconf(interfaces=["127.0.0.1"]), Services()
    browser = ServiceBrowser(zeroconf, TYPES, found)  # type: ignore[arg-type]
    try:
        yield found
    finally:
        browser.cancel()
        zeroconf.close()


KNOWN_TYPES = (1, 5, 12, 13, 16, 28, 33)
"""The record types that the client library of 2008 reads: A, CNAME, PTR, HINFO, TXT, AAAA, SRV. It skips no other."""


class Packets:
    """The multicast packets of one service, as the client library of 2008 receives them."""

    def __init__(self, receiver: socket.socket) -> None:
        self._receiver = receiver

    def responses(self, name: str) -> list[list[int]]:
        """Return the record types of each response so far that names a service."""
        found = []
        while True:
            try:
                packet = self._receiver.recv(9000)
            except BlockingIOError:
                return found
            if packet[2] & 0x80 and name.encode() in packet:
                found.append(record_types(packet))


def record_types(packet: bytes) -> list[int]:
    """Return the types of all records of a response (RFC 1035, 4.1)."""
    questions, *records = struct.unpack_from(">4H", packet, 4)
    assert questions == 0
    at, types = 12, []
    for _ in range(sum(records)):
        while packet[at] and packet[at] < 0xC0:
            at += 1 + packet[at]
        at += 2 if packet[at] else 1
        kind, _, _, length = struct.unpack_from(">HHIH", packet, at)
        types.append(kind)
        at += 10 + length
    assert at == len(packet)
    return types


@contextmanager
def packets() -> Iterator[Packets]:
    """Receive all multicast packets on the loopback interface."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "SO_REUSEPORT"):
            receiver.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        receiver.bind(("", 5353))
        group = socket.inet_aton("224.0.0.251") + socket.inet_aton("127.0.0.1")
        receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
        receiver.setblocking(False)
        yield Packets(receiver)
