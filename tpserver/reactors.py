"""The reactor, with or without TLS, and its run."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

_LIBRARY = "OpenSSL"


class Startable(Protocol):
    """A server or another process that uses the reactor."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


def run(reactor: Any, process: Startable, main: Callable[[], Awaitable[int | None]]) -> int:
    """Start a process and run ``main`` until it returns an exit code.

    If ``main`` returns None, the process runs until a signal. After a signal the exit code is 0. Raises the errors of
    the start or of ``main`` after everything is closed.
    """
    from twisted.internet.defer import Deferred

    outcome: list[int] = []
    errors: list[BaseException] = []

    async def everything() -> None:
        try:
            await process.start()
            code = await main()
            if code is None:
                return
            outcome.append(code)
        except Exception as error:
            errors.append(error)
        if reactor.running:
            reactor.stop()

    reactor.addSystemEventTrigger("before", "shutdown", lambda: Deferred.fromCoroutine(process.stop()))
    reactor.callWhenRunning(lambda: Deferred.fromCoroutine(everything()))
    reactor.run()
    if errors:
        raise errors[0]
    return outcome[0] if outcome else 0


def load_reactor(*, tls: bool) -> Any:
    """Return Twisted's reactor, the best for this system: epoll on Linux. It must be called before Twisted is imported.

    Twisted imports pyOpenSSL if it is installed. That takes a quarter of the memory of a new server. Without ``tls``
    Twisted is loaded as without pyOpenSSL, and no listener of this process can encrypt.
    """
    if not tls and _LIBRARY not in sys.modules:
        sys.modules[_LIBRARY] = None  # type: ignore[assignment] # import raises ImportError
        try:
            import twisted.internet.endpoints
            import twisted.internet.reactor  # noqa: F401 - these three parts of Twisted look for it
        finally:
            del sys.modules[_LIBRARY]
    from twisted.internet import reactor

    return reactor


def can_encrypt() -> bool:
    """Return whether Twisted was loaded with TLS."""
    return _LIBRARY in sys.modules
