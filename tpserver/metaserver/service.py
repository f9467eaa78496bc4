"""The whole metaserver: a listener, the list, and its file."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tpserver.concurrency import Timer
from tpserver.files import write_whole
from tpserver.metaserver.entries import Entries
from tpserver.metaserver.site import BODY_BYTES, List, resolver
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import Limits
from tpserver.wire.net.listeners import Listeners, listen, web
from tpserver.wire.net.proxies import Proxies
from tpserver.wire.web.connection import WebFactory
from tpserver.wire.web.http import WebSite

LIMITS = Limits(connections=1000, connections_per_address=20, waiting_bytes=8 * 1024 * 1024)
"""The limits of connections. Each request and response is short."""

SAVE_SECONDS = 10.0
"""Seconds between a change and the save of the list with all changes."""

LARGEST_FILE = 64 * 1024 * 1024
"""Maximum bytes of the file with the list."""

log = Logger()


class MetaserverError(Exception):
    """The metaserver cannot start. The message is a sentence."""


class Metaserver:
    """A metaserver. `file` has its list. `proxies` are addresses whose X-Forwarded-For is trusted."""

    def __init__(self, reactor: Any, file: Path | None = None, proxies: Iterable[str] = ()) -> None:
        self._reactor = reactor
        self._file = file
        self._saving: Timer | None = None
        self.entries = Entries(time.time)
        # There are no frames, but connections and their time are counted in the same way.
        self._connections = ConnectionFactory(_no_session, LIMITS, reactor)
        root = List(self.entries, resolver(reactor), self._changed)
        self._factory = WebFactory(self._connections, WebSite(self._connections, root, reactor, BODY_BYTES))
        self._factory.proxies = Proxies(proxies)
        self.listeners = Listeners(())

    async def start(self, address: str, port: int) -> None:
        """Read the saved list, check that it can be saved again, and listen.

        Raises MetaserverError and ListenError.
        """
        if self._file is not None and self._file.exists():
            try:
                if self._file.stat().st_size > LARGEST_FILE:
                    raise ValueError("it is too large")
                self.entries.load(self._file.read_text("utf-8"))
            except (OSError, ValueError) as error:
                raise MetaserverError(
                    f"{self._file} cannot be read: {error}. Move it away to start with an empty list"
                ) from None
        if problem := self._save():
            raise MetaserverError(f"the list cannot be kept in {self._file}: {problem}; --file names another")
        self.listeners = await listen(self._reactor, self._factory, [web(port, address)])

    async def stop(self) -> None:
        """Stop listening, and save the list."""
        await self.listeners.close()
        self._factory.close()
        await self._connections.close()
        if self._saving is not None:
            self._saving.cancel()
            self._save_later()

    def _changed(self) -> None:
        if self._saving is None and self._file is not None:
            self._saving = self._reactor.callLater(SAVE_SECONDS, self._save_later)

    def _save_later(self) -> None:
        self._saving = None
        if problem := self._save():
            log.error("the list cannot be kept in {file}: {why}", file=str(self._file), why=problem)

    def _save(self) -> str:
        """Write the list to its file, if it has one; return the reason of a failure, or an empty text."""
        if self._file is None:
            return ""
        try:
            write_whole(self._file, self.entries.dump().encode(), mode=0o666)
        except OSError as error:
            return error.strerror or str(error)
        return ""


def _no_session(address: str, secure: bool, send: object, token: str) -> Any:
    raise AssertionError("a metaserver has no sessions")


def run(reactor: Any, metaserver: Metaserver, address: str, port: int) -> None:
    """Run until the reactor is stopped by a signal. Raises the errors of the start."""
    errors: list[BaseException] = []

    async def begin() -> None:
        try:
            await metaserver.start(address, port)
        except Exception as error:
            errors.append(error)
            reactor.stop()
            return
        (listener,) = metaserver.listeners.all
        log.info("the metaserver listens on {where}", where=str(listener))

    reactor.addSystemEventTrigger("before", "shutdown", lambda: Deferred.fromCoroutine(metaserver.stop()))
    reactor.callWhenRunning(lambda: Deferred.fromCoroutine(begin()))
    reactor.run()
    if errors:
        raise errors[0]
