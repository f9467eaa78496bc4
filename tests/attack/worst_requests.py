"""The most expensive requests of one connection, as bytes.

They are repeated for as long as the server takes them. Each of them once took seconds, or kept hundreds of megabytes.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from google.protobuf.message import Message

from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP04, Dialect
from tpproto.frames import BY_NAME, frame

ALL = 16_384
"""Maximum ids per request."""


def request(name: str, message: Message, dialect: Dialect = TP04) -> bytes:
    """Return an encoded request."""
    return dialect.encode(frame(1, name, message))


def _raw(name: str, body: bytes) -> bytes:
    return TP04.header(1, BY_NAME[name].number, len(body)) + body


_CONNECT = request("connect", tp.Connect(client="attack"))
_GAMES = request("get_games", tp.GetGames())
_LOGIN = request("login", tp.Login(username="nobody-at-all", password="wrong"))

STRANGER: Mapping[str, bytes] = {
    "lists of games": _CONNECT + _GAMES * 2_000,
    "lists of games, in Protocol Buffers": PB.greeting + request("get_games", tp.GetGames(), PB) * 2_000,
    "filters": _CONNECT + request("set_filters", tp.SetFilters(filters=[0x1D00] * 1000)) * 50,
    "half a million filters": _CONNECT + request("set_filters", tp.SetFilters(filters=[0x1D00] * 260_000)),
    "requests behind a login": _CONNECT + _LOGIN + _GAMES * 10_000,
    "long frames behind a login": _CONNECT + _LOGIN + _raw("ping", bytes(4096)) * 500,
    "a frame that does not end": _CONNECT + _GAMES + TP04.header(1, 27, 4096) + bytes(4000),
    "features": _CONNECT + request("get_features", tp.GetFeatures()) * 4_000,
}
"""Requests that need no account."""

_EVERY = tp.GetIDSequence(key=-1, start=0, amount=-1, fromtime=-1)

MEMBER: Mapping[str, bytes] = {
    "all objects": request("get_objects_by_id", tp.GetWithID(ids=[*range(500)] * 32)) * 8,
    "objects that are not there": request("get_objects_by_id", tp.GetWithID(ids=[0xFFFFFF] * ALL)) * 8,
    "a quarter of a million ids": _raw("get_objects_by_id", struct.pack(">I", 260_000) + bytes(4 * 260_000)),
    "descriptions": request("get_order_desc", tp.GetWithID(ids=[1, 2, 3, 4] * 4096)) * 8,
    "players": request("get_player", tp.GetWithID(ids=[0] * ALL)) * 8,
    "boards": request("get_boards", tp.GetWithID(ids=[0] * ALL)) * 8,
    "messages": request("get_message", tp.GetWithIDSlot(id=0, slots=[0] * 10_000)) * 8,
    "lists of ids": request("get_object_ids", _EVERY) * 2_000,
    "queues": request("get_order_queue", tp.GetWithID(ids=[*range(500)] * 32)) * 8,
    "removals": request("remove_message", tp.GetWithIDSlot(id=0, slots=[0] * 10_000)) * 8,
    "lists of games": _GAMES * 2_000,
    "half a long frame": TP04.header(1, 5, 1 << 20) + bytes((1 << 20) - 16),
}
"""Requests of an account, after login."""
