"""Clients for Thousand Parsec games: a session without a socket, a copy of the universe, a connection, a game that is
followed across lost connections, the same for scripts, the two views of the map, and bots."""

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
from .lifeline import Persistence
from .objects import SpaceObject
from .session import Answer, Request, Session, Unasked
from .transport import Address, parse_address
from .universe import Changes, Universe
from .views import read_map

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
