"""Clients for Thousand Parsec games: a session without a socket, a copy of the universe, a connection, and bots."""

from .connection import Connection
from .errors import (
    BadArgument,
    ClientError,
    ConnectionClosed,
    NoAnswer,
    RequestFailed,
    ServerAway,
    UnexpectedAnswer,
    UnknownName,
)
from .objects import SpaceObject
from .session import Answer, Request, Session, Unasked
from .transport import Address, parse_address
from .universe import Changes, Universe

__all__ = [
    "Address",
    "Answer",
    "BadArgument",
    "Changes",
    "ClientError",
    "Connection",
    "ConnectionClosed",
    "NoAnswer",
    "Request",
    "RequestFailed",
    "ServerAway",
    "Session",
    "SpaceObject",
    "Unasked",
    "UnexpectedAnswer",
    "Universe",
    "UnknownName",
    "parse_address",
]
