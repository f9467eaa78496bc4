"""The reactor, with or without TLS."""

from __future__ import annotations

import sys
from typing import Any

_LIBRARY = "OpenSSL"


def load_reactor(*, tls: bool) -> Any:
    """Return Twisted's reactor, the best for this system: epoll on Linux.  To be called before Twisted is imported.

    Twisted imports pyOpenSSL wherever it is installed, which is a quarter of the memory of a server that has just
    started.  Without ``tls`` Twisted is loaded as where it is not installed; no listener of this process can encrypt.
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
