"""Clients for Thousand Parsec games.

The package has a session without a socket, a copy of the universe, and a connection. `following` follows a game across
lost connections, and `blocking` does so for scripts. There are also the two views of the map, and bots.

A name is imported at its first use, since importing all of them takes half a second.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tpclient.address import Address as Address
    from tpclient.address import parse_address as parse_address
    from tpclient.blocking import BlockingGame as BlockingGame
    from tpclient.blocking import open_game as open_game
    from tpclient.connection import Connection as Connection
    from tpclient.connection import read_manual as read_manual
    from tpclient.errors import BadArgument as BadArgument
    from tpclient.errors import ClientError as ClientError
    from tpclient.errors import ConnectionClosed as ConnectionClosed
    from tpclient.errors import GameSuspended as GameSuspended
    from tpclient.errors import NoAnswer as NoAnswer
    from tpclient.errors import OrderUnconfirmed as OrderUnconfirmed
    from tpclient.errors import RequestFailed as RequestFailed
    from tpclient.errors import ServerAway as ServerAway
    from tpclient.errors import TurnPassed as TurnPassed
    from tpclient.errors import UnexpectedAnswer as UnexpectedAnswer
    from tpclient.errors import UnknownName as UnknownName
    from tpclient.following import Game as Game
    from tpclient.manual import Manual as Manual
    from tpclient.objects import SpaceObject as SpaceObject
    from tpclient.reconnect import Persistence as Persistence
    from tpclient.session import Answer as Answer
    from tpclient.session import Request as Request
    from tpclient.session import Session as Session
    from tpclient.session import Unasked as Unasked
    from tpclient.universe import Changes as Changes
    from tpclient.universe import Universe as Universe
    from tpclient.views import read_map as read_map

__version__ = "0.1.0"

_NAMES = {
    "address": "Address parse_address",
    "blocking": "BlockingGame open_game",
    "connection": "Connection read_manual",
    "errors": "BadArgument ClientError ConnectionClosed GameSuspended NoAnswer OrderUnconfirmed RequestFailed "
    "ServerAway TurnPassed UnexpectedAnswer UnknownName",
    "following": "Game",
    "manual": "Manual",
    "objects": "SpaceObject",
    "reconnect": "Persistence",
    "session": "Answer Request Session Unasked",
    "universe": "Changes Universe",
    "views": "read_map",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}
"""Name -> its module."""

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Return a name of this package (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return value
