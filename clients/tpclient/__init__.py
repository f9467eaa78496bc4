"""Clients for Thousand Parsec games: a session without a socket, a copy of the universe, a connection, a game that is
followed across lost connections, the same for scripts, the two views of the map, and bots.

A name is imported when it is first asked for: all together take half a second.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .address import Address, parse_address
    from .blocking import BlockingGame, open_game
    from .connection import Connection
    from .errors import (
        BadArgument,
        ClientError,
        ConnectionClosed,
        NoAnswer,
        OrderUnconfirmed,
        RequestFailed,
        ServerAway,
        UnexpectedAnswer,
        UnknownName,
    )
    from .following import Game
    from .objects import SpaceObject
    from .reconnect import Persistence
    from .session import Answer, Request, Session, Unasked
    from .universe import Changes, Universe
    from .views import read_map

__version__ = "0.1.0"

__all__ = [
    "Address",
    "Answer",
    "BadArgument",
    "BlockingGame",
    "Changes",
    "ClientError",
    "Connection",
    "ConnectionClosed",
    "Game",
    "NoAnswer",
    "OrderUnconfirmed",
    "Persistence",
    "Request",
    "RequestFailed",
    "ServerAway",
    "Session",
    "SpaceObject",
    "Unasked",
    "UnexpectedAnswer",
    "Universe",
    "UnknownName",
    "open_game",
    "parse_address",
    "read_map",
]

_HOMES = {
    "Address": "address",
    "Answer": "session",
    "BadArgument": "errors",
    "BlockingGame": "blocking",
    "Changes": "universe",
    "ClientError": "errors",
    "Connection": "connection",
    "ConnectionClosed": "errors",
    "Game": "following",
    "NoAnswer": "errors",
    "OrderUnconfirmed": "errors",
    "Persistence": "reconnect",
    "Request": "session",
    "RequestFailed": "errors",
    "ServerAway": "errors",
    "Session": "session",
    "SpaceObject": "objects",
    "Unasked": "session",
    "UnexpectedAnswer": "errors",
    "Universe": "universe",
    "UnknownName": "errors",
    "open_game": "blocking",
    "parse_address": "address",
    "read_map": "views",
}
"""By name: the module that has it."""


def __getattr__(name: str) -> Any:
    """Return a name of this package (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return value
