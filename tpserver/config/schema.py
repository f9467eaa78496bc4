"""The allowed values of each key of the configuration."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tpserver.config.messages import did_you_mean
from tpserver.games.clock import ClockError, parse_clock
from tpserver.net.limits import KIB, MIB


class InvalidValue(Exception):
    """The rule of a key does not allow the value; the text, if any, is a hint for the end of the sentence."""


class InvalidItem(InvalidValue):
    """The rule of a key does not allow an item of a list; counted from 1."""

    def __init__(self, position: int, item: object) -> None:
        super().__init__("")
        self.position = position
        self.item = item


@dataclass(frozen=True)
class Rule:
    """The rule of a key: `allowed` completes "must be", `read` converts the value for the field."""

    allowed: str
    read: Callable[[object, Path], Any]


def _whole(low: int, high: int) -> Rule:
    def read(value: object, base: Path) -> int:
        if type(value) is not int or not low <= value <= high:
            raise InvalidValue
        return value

    return Rule(f"a whole number from {low} to {high}", read)


def _seconds(low: float, high: float, *, optional: bool = False) -> Rule:
    def read(value: object, base: Path) -> float:
        if type(value) not in (int, float):
            raise InvalidValue
        number = cast(float, value)
        if not (low <= number <= high or (optional and number == 0)):
            raise InvalidValue
        return float(number)

    return Rule(f"a number of seconds from {low:g} to {high:g}{', or 0 for no limit' if optional else ''}", read)


def _text(low: int, high: int, what: str = "a text") -> Rule:
    def read(value: object, base: Path) -> str:
        if type(value) is not str or not low <= len(value) <= high or not value.isprintable():
            raise InvalidValue
        return value

    return Rule(f"{what} of {low} to {high} printable characters on one line", read)


def _choice(*choices: str) -> Rule:
    def read(value: object, base: Path) -> str:
        if value not in choices:
            raise InvalidValue(did_you_mean(str(value), choices))
        return value

    return Rule(f"{', '.join(choices[:-1])} or {choices[-1]}", read)


def _path(what: str) -> Rule:
    def read(value: object, base: Path) -> Path:
        if isinstance(value, Path):
            value = str(value)
        if type(value) is not str or not value or "\0" in value:
            raise InvalidValue
        try:
            return base / Path(value).expanduser()
        except RuntimeError:
            raise InvalidValue("; there is no user with that home") from None

    return Rule(f"the path of {what}", read)


def _texts(what: str) -> Rule:
    def read(value: object, base: Path) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)):
            raise InvalidValue
        for position, item in enumerate(value, start=1):
            if type(item) is not str or not item.strip():
                raise InvalidItem(position, item)
        return tuple(value)

    return Rule(f"a list of {what}", read)


def _endpoint(value: object, base: Path) -> str:
    if type(value) is not str or (value and not value.strip()) or not value.isprintable():
        raise InvalidValue
    return value


def _origins(value: object, base: Path) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise InvalidValue
    for position, item in enumerate(value, start=1):
        if type(item) is not str or not re.fullmatch(r"https?://(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?", item):
            raise InvalidItem(position, item)
    return tuple(value)


def _url(value: object, base: Path) -> str:
    if type(value) is not str or not (value == "" or re.fullmatch(r"[a-z0-9+]+://\S*", value)):
        raise InvalidValue
    return value


def _clock(value: object, base: Path) -> str:
    if type(value) is not str:
        raise InvalidValue
    try:
        return str(parse_clock(value))
    except ClockError as error:
        raise InvalidValue(f" ({error})") from None


_SIZE = 64 * MIB
_ADDRESS = _text(1, 255, "an address of this machine, such as 127.0.0.1,")

RULES: Mapping[str, Mapping[str, Rule]] = {
    "server": {
        "data": _path("a directory"),
        "name": _text(1, 64),
        "store": Rule("a database URL such as sqlite:////path/file.sqlite or postgresql+psycopg://host/name", _url),
        "order_entries": _whole(10, 1_000_000),
    },
    "listen": {
        "address": _ADDRESS,
        "port": _whole(0, 65535),
        "endpoints": _texts('endpoint strings such as "tcp:6923:interface=0.0.0.0"'),
    },
    "tls": {
        "certificate": _path("a PEM file"),
        "key": _path("a PEM file"),
        "address": _ADDRESS,
        "port": _whole(0, 65535),
    },
    "web": {
        "address": _ADDRESS,
        "port": _whole(0, 65535),
        "endpoint": Rule('off, or an endpoint string such as "tcp:8080:interface=0.0.0.0"', _endpoint),
        "origins": Rule('a list of origins such as "https://games.example.org", without a path', _origins),
        "ping_seconds": _seconds(1, 3600),
    },
    "accounts": {"policy": _choice("open", "register", "closed")},
    "games": {
        "clock": Rule("manual, all-done, interval:SECONDS or threshold:PERCENT:SECONDS", _clock),
        "join": _choice("open", "invited"),
    },
    "limits": {
        "frame_bytes": _whole(KIB, _SIZE),
        "frame_seconds": _seconds(1, 3600),
        "login_seconds": _seconds(1, 86400),
        "idle_seconds": _seconds(1, 31_536_000, optional=True),
        "connections": _whole(1, 1_000_000),
        "connections_per_address": _whole(1, 1_000_000),
        "pipeline": _whole(1, 65536),
        "pause_bytes": _whole(KIB, _SIZE),
        "unsent_bytes": _whole(KIB, 1024 * MIB),
        "waiting_bytes": _whole(MIB, 1024 * 1024 * MIB),
        "unread_seconds": _seconds(1, 3600),
        "farewell_seconds": _seconds(0.1, 60),
        "memory_bytes": _whole(128 * MIB, 1024 * 1024 * MIB),
    },
    "log": {"level": _choice("debug", "info", "warn", "error", "critical")},
}
"""By section and key: the rule."""

RENAMED: Mapping[str, str] = {}
"""The present names of keys ("section.key") and sections that were renamed, by their old names."""

OPTIONS: Mapping[str, str] = {
    "server.data": "--data",
    "listen.port": "--port",
    "listen.endpoints": "--listen",
    "web.endpoint": "--web",
    "web.port": "--web-port",
    "accounts.policy": "--accounts",
}
"""The command line option of a key, named in messages about overrides."""
