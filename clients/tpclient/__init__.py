"""Clients for Thousand Parsec games: a session without a socket, a copy of the universe, a connection, a game that is
followed across lost connections, the same for scripts, the two views of the map, and bots.

A name is imported when it is first asked for: all together take half a second.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .address import Address as Address
    from .address import parse_address as parse_address
    from .blocking import BlockingGame as BlockingGame
    from .blocking import open_game as open_game
    from .connection import Connection as Connection
    from .connection import read_manual as read_manual
    from .errors import BadArgument as BadArgument
    from .errors import ClientError as ClientError
    from .errors import ConnectionClosed as ConnectionClosed
    from .errors import NoAnswer as NoAnswer
    from .errors import OrderUnconfirmed as OrderUnconfirmed
    from .errors import RequestFailed as RequestFailed
    from .errors import ServerAway as ServerAway
    from .errors import UnexpectedAnswer as UnexpectedAnswer
    from .errors import UnknownName as UnknownName
    from .following import Game as Game
    from .manual import Manual as Manual
    from .objects import SpaceObject as SpaceObject
    from .reconnect import Persistence as Persistence
    from .session import Answer as Answer
    from .session import Request as Request
    from .session import Session as Session
    from .session import Unasked as Unasked
    from .universe import Changes as Changes
    from .universe import Universe as Universe
    from .views import read_map as read_map

__version__ = "0.1.0"

_NAMES = {
    "address": "Address parse_address",
    "blocking": "BlockingGame open_game",
    "connection": "Connection read_manual",
    "errors": "BadArgument ClientError ConnectionClosed NoAnswer OrderUnconfirmed RequestFailed ServerAway "
    "UnexpectedAnswer UnknownName",
    "following": "Game",
    "manual": "Manual",
    "objects": "SpaceObject",
    "reconnect": "Persistence",
    "session": "Answer Request Session Unasked",
    "universe": "Changes Universe",
    "views": "read_map",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}
"""By name: the module that has it."""

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Return a name of this package (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return value
