"""Registration of the handlers of requests, beside each handler."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from tpproto.frames import BY_NAME
from tpserver.requests.session.session import Handler, QuickHandler

H = TypeVar("H", bound=Handler)


class Registered(NamedTuple):
    """A handler of a request, and one without a decoded message."""

    handle: Handler
    quick: QuickHandler | None


HANDLERS: dict[str, Registered] = {}
"""By the name of the request in the schema."""


def handles(name: str, quick: QuickHandler | None = None) -> Callable[[H], H]:
    """Return a decorator that registers the handler of a request; ``name`` is its field in ``Frame.body``.

    Raises ValueError for an unknown request, or one with a handler.
    """

    def register(handler: H) -> H:
        if name not in BY_NAME or not BY_NAME[name].request:
            raise ValueError(f"there is no request {name!r}")
        if name in HANDLERS:
            raise ValueError(f"the request {name!r} has two handlers")
        HANDLERS[name] = Registered(handler, quick)
        return handler

    return register
