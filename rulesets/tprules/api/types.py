"""Shared types: seats, object numbers, refusals, references, player names."""

from __future__ import annotations

import enum
import hashlib
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

Seat: TypeAlias = int
"""A player's number, 0 to n - 1 in the order of play. Only the host knows the players. None means a spectator."""

Oid: TypeAlias = int
"""The number of an object. 0 is the universe. Within one game, a number is never used for a second object."""


class Code(enum.IntEnum):
    """The codes of refusals in the protocol (TP04, Fail frame, field code)."""

    PROTOCOL = 0
    FRAME = 1
    UNAVAILABLE_PERMANENTLY = 2
    UNAVAILABLE_TEMPORARILY = 3
    NO_SUCH_THING = 4
    PERMISSION_DENIED = 5
    GONE = 6


class Refusal(Exception):
    """An order or request is against the rules. Nothing has changed.

    ``text`` is the sentence for the player. ``param`` is the name of the order parameter at fault, if there is one.
    ``reason`` is one short word for programs and tests, which stays the same in later versions.
    """

    def __init__(
        self, text: str, param: str = "", reason: str = "illegal", code: Code = Code.UNAVAILABLE_TEMPORARILY
    ) -> None:
        super().__init__(text)
        if not isinstance(text, str):
            raise TypeError("Refusal(code, reason, text, param) is now Refusal(text, param, reason, code)")
        self.code = code
        self.reason = reason
        self.text = text
        self.param = param


class OptionError(ValueError):
    """The value of an option is not allowed.

    ``option`` is its name. ``text`` describes the fault and the allowed values.
    """

    def __init__(self, option: str, text: str) -> None:
        super().__init__(f"option {option}: {text}")
        self.option = option
        self.text = text


class RefKind(enum.IntEnum):
    """The target of a reference in a report.

    TP04, Message frame: the generic reference system.
    """

    PLAYER_ACTION = -4
    ORDER_ACTION = -2
    OBJECT_ACTION = -1
    SYSTEM = 0
    OBJECT = 1
    ORDER_TYPE = 2
    RESOURCE = 6
    SEAT = 7
    """The id is a seat. The host replaces it by the player's number."""
    DESIGN = 9


class Reference(NamedTuple):
    """One reference of a report: the kind and the id of a thing."""

    kind: RefKind
    id: int


ORDER_COMPLETED = Reference(RefKind.ORDER_ACTION, 1)
ORDER_INVALID = Reference(RefKind.ORDER_ACTION, 4)
ELIMINATED = Reference(RefKind.PLAYER_ACTION, 1)

_PLAYER = re.compile(r"\{player (\d+)\}")


def player(seat: Seat) -> str:
    """Return a placeholder for the name of the player in ``seat``.

    Any text of a ruleset (names of objects, reports, titles, refusals) may contain it. The host replaces it with the
    name. Rules do not know names, so that digests do not depend on them.
    """
    return f"{{player {seat}}}"


def with_names(text: str, name_of: Callable[[Seat], str]) -> str:
    """Return ``text`` with each ``player(seat)`` replaced by ``name_of(seat)``. Names are not searched again."""
    if "{player " not in text:
        return text
    return _PLAYER.sub(lambda found: name_of(int(found.group(1))), text)


def canonical(data: Any) -> bytes:
    """Return JSON-able ``data`` as JSON in bytes. Equal data always give the same bytes."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def digest(data: Any) -> str:
    """Return the SHA-256 of ``canonical(data)`` in hexadecimal."""
    return digest_of(canonical(data))


def digest_of(dumped: bytes) -> str:
    """Return the digest of bytes that ``canonical`` returned."""
    return hashlib.sha256(dumped).hexdigest()
