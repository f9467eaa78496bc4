"""A listener for services on the local network: what a browser of servers does, on the loopback interface."""

from __future__ import annotations

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
