"""Words that every ruleset and every host share: seats, object numbers, refusals, references, names of players."""

from __future__ import annotations

import enum
import hashlib
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

Seat: TypeAlias = int
"""0..n-1 in the order of play.  The host seats people; rules never see who they are.  ``None`` means a spectator."""

Oid: TypeAlias = int
"""An object's number.  0 is the universe.  A number is never used again within one game."""


class Code(enum.IntEnum):
    """The kinds of refusal of the protocol (TP04, Fail frame, field code)."""

    PROTOCOL = 0
    FRAME = 1
    UNAVAILABLE_PERMANENTLY = 2
    UNAVAILABLE_TEMPORARILY = 3
    NO_SUCH_THING = 4
    PERMISSION_DENIED = 5
    GONE = 6


class Refusal(Exception):
    """Something asked for is against the rules; nothing has changed.

    ``text`` is shown to the player as written; ``reason`` is one short stable word for programs and tests; ``param``
    names the order parameter at fault, if one is.
    """

    def __init__(self, code: Code, reason: str, text: str, param: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.reason = reason
        self.text = text
        self.param = param


class OptionError(ValueError):
    """An option of a game is not acceptable.  ``option`` names it; the text says where and what is allowed."""

    def __init__(self, option: str, text: str) -> None:
        super().__init__(f"option {option}: {text}")
        self.option = option
        self.text = text


class RefKind(enum.IntEnum):
    """What a reference in a message points to (TP04, Message frame: the generic reference system)."""

    PLAYER_ACTION = -4
    ORDER_ACTION = -2
    OBJECT_ACTION = -1
    SYSTEM = 0
    OBJECT = 1
    ORDER_TYPE = 2
    RESOURCE = 6
    SEAT = 7
    """The id is a seat; the host turns it into the player's number."""
    DESIGN = 9


class Reference(NamedTuple):
    """One reference of a report."""

    kind: RefKind
    id: int


ORDER_COMPLETED = Reference(RefKind.ORDER_ACTION, 1)
ORDER_INVALID = Reference(RefKind.ORDER_ACTION, 4)
ELIMINATED = Reference(RefKind.PLAYER_ACTION, 1)

_PLAYER = re.compile(r"\{player (\d+)\}")


def player(seat: Seat) -> str:
    """Return the text that stands for the name of the player in ``seat``.

    Rules do not know names, so that digests do not depend on them.  Any text that a ruleset gives away (names of
    objects, reports, titles, refusals) may contain it; the host puts the name in.
    """
    return f"{{player {seat}}}"


def with_names(text: str, name_of: Callable[[Seat], str]) -> str:
    """Return ``text`` with each ``player(seat)`` replaced by ``name_of(seat)``; names are not looked into again."""
    if "{player " not in text:
        return text
    return _PLAYER.sub(lambda found: name_of(int(found.group(1))), text)


def canonical(data: Any) -> bytes:
    """Return JSON-able ``data`` as the one byte string that equal data always have."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def digest(data: Any) -> str:
    """Return the SHA-256 of ``canonical(data)`` in hexadecimal."""
    return digest_of(canonical(data))


def digest_of(dumped: bytes) -> str:
    """Return the same of data that ``canonical`` has turned into bytes already."""
    return hashlib.sha256(dumped).hexdigest()
