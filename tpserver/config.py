"""The configuration: a TOML file and the command line become one frozen `Config`, or one clear sentence."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from tpserver.games.clock import ClockError, parse_clock
from tpserver.net.budgets import KIB, MIB, Limits

LARGEST_FILE = MIB
"""A configuration file is longer than this only by mistake."""


class ConfigError(ValueError):
    """A configuration that cannot be; the message is one sentence naming the place and what is allowed."""


@dataclass(frozen=True, slots=True)
class Server:
    """Section `[server]`: the server as a whole."""

    data: Path = field(default_factory=lambda: default_data_directory())
    """The directory with everything that must survive: accounts, games, the control socket."""
    name: str = "tpserver"
    """What the server calls itself in the lists of games that clients show."""
    store: str = ""
    """The SQLAlchemy URL of the database; empty: a SQLite file in the data directory."""


@dataclass(frozen=True, slots=True)
class Listen:
    """Section `[listen]`: where clients connect without TLS."""

    address: str = "127.0.0.1"
    """The address of this machine on which `port` listens; 0.0.0.0 or :: for all."""
    port: int | None = None
    """The TCP port, 0 for any free one; None: 6923 unless `endpoints` are given."""
    endpoints: tuple[str, ...] = ()
    """Twisted endpoint strings, such as "tcp:6923:interface=0.0.0.0" or "unix:/run/tpserver"."""


@dataclass(frozen=True, slots=True)
class Tls:
    """Section `[tls]`: where clients connect with TLS; nowhere without a certificate."""

    certificate: Path | None = None
    """PEM file with the certificate, and after it those of the authorities between it and the root."""
    key: Path | None = None
    """PEM file with the private key; without it the key is looked for in `certificate`."""
    address: str = "127.0.0.1"
    port: int = 6924


@dataclass(frozen=True, slots=True)
class Web:
    """Section `[web]`: where browsers connect."""

    address: str = "127.0.0.1"
    """The address of this machine on which `port` listens; 0.0.0.0 or :: for all."""
    port: int | None = None
    """The TCP port, 0 for any free one; None: 8080 unless there is an `endpoint`."""
    endpoint: str = ""
    """A Twisted endpoint string instead of address and port, as for TLS; "off": browsers connect nowhere."""
    origins: tuple[str, ...] = ()
    """Where else pages may come from that talk to this server, such as "https://games.example.org"."""
    ping_seconds: float = 30.0
    """How often a WebSocket is asked whether it is still there, and how long it may take to say so."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """Section `[accounts]`: how accounts come about."""

    policy: Literal["open", "register", "closed"] = "register"
    """open: an unknown name at login makes one; register: CreateAccount does; closed: only the operator does."""


@dataclass(frozen=True, slots=True)
class Games:
    """Section `[games]`: what holds for a new game when nothing else is said."""

    clock: str = "all-done"
    join: Literal["open", "invited"] = "open"


@dataclass(frozen=True, slots=True)
class Log:
    """Section `[log]`."""

    level: Literal["debug", "info", "warn", "error", "critical"] = "info"


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that an operator can set."""

    server: Server = field(default_factory=Server)
    listen: Listen = field(default_factory=Listen)
    tls: Tls = field(default_factory=Tls)
    web: Web = field(default_factory=Web)
    accounts: Accounts = field(default_factory=Accounts)
    games: Games = field(default_factory=Games)
    limits: Limits = field(default_factory=Limits)
    log: Log = field(default_factory=Log)


def default_data_directory(environment: Mapping[str, str] | None = None) -> Path:
    """`$XDG_DATA_HOME/tpserver`, or `~/.local/share/tpserver` where that is not set to an absolute path."""
    base = (os.environ if environment is None else environment).get("XDG_DATA_HOME", "")
    # A relative path there is invalid and to be ignored (XDG Base Directory Specification).
    home = Path(base) if base.startswith("/") else Path("~/.local/share").expanduser()
    return home / "tpserver"


# --- what each key may be ---------------------------------------------------------------------------------------------


class _Unfit(Exception):
    """A value that a rule does not allow; the text, if any, is a hint for the end of the sentence."""


@dataclass(frozen=True)
class _Rule:
    """What a key may be: `allowed` completes the words "must be", `read` turns the value into the field's."""

    allowed: str
    read: Callable[[object, Path], Any]


def _whole(low: int, high: int, also: str = "") -> _Rule:
    def read(value: object, base: Path) -> int:
        if type(value) is not int or not low <= value <= high:
            raise _Unfit
        return value

    return _Rule(f"a whole number from {low} to {high}{also}", read)


def _seconds(low: float, high: float, *, optional: bool = False) -> _Rule:
    def read(value: object, base: Path) -> float:
        if type(value) not in (int, float):
            raise _Unfit
        number = cast(float, value)
        if not (low <= number <= high or (optional and number == 0)):
            raise _Unfit
        return float(number)

    return _Rule(f"a number of seconds from {low:g} to {high:g}{', or 0 for no limit' if optional else ''}", read)


def _text(low: int, high: int, what: str = "a text") -> _Rule:
    def read(value: object, base: Path) -> str:
        if type(value) is not str or not low <= len(value) <= high or not value.isprintable():
            raise _Unfit
        return value

    return _Rule(f"{what} of {low} to {high} printable characters on one line", read)


def _choice(*choices: str) -> _Rule:
    def read(value: object, base: Path) -> str:
        if value not in choices:
            raise _Unfit(_did_you_mean(str(value), choices))
        return value

    return _Rule(f"{', '.join(choices[:-1])} or {choices[-1]}", read)


def _path(what: str) -> _Rule:
    def read(value: object, base: Path) -> Path:
        if isinstance(value, Path):
            value = str(value)
        if type(value) is not str or not value or "\0" in value:
            raise _Unfit
        try:
            return base / Path(value).expanduser()
        except RuntimeError:
            raise _Unfit("; there is no user with that home") from None

    return _Rule(f"the path of {what}", read)


def _texts(what: str) -> _Rule:
    def read(value: object, base: Path) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)):
            raise _Unfit
        for position, item in enumerate(value, start=1):
            if type(item) is not str or not item.strip():
                raise _Unfit(f"; its item {position} is {_shown(item)}")
        return tuple(value)

    return _Rule(f"a list of {what}", read)


def _endpoint(value: object, base: Path) -> str:
    if type(value) is not str or (value and not value.strip()) or not value.isprintable():
        raise _Unfit
    return value


def _origins(value: object, base: Path) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise _Unfit
    for position, item in enumerate(value, start=1):
        if type(item) is not str or not re.fullmatch(r"https?://(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?", item):
            raise _Unfit(f"; its item {position} is {_shown(item)}")
    return tuple(value)


def _url(value: object, base: Path) -> str:
    if type(value) is not str or not (value == "" or re.fullmatch(r"[a-z0-9+]+://\S*", value)):
        raise _Unfit
    return value


def _clock(value: object, base: Path) -> str:
    if type(value) is not str:
        raise _Unfit
    try:
        return str(parse_clock(value))
    except ClockError as error:
        raise _Unfit(f" ({error})") from None


_SIZE = 64 * MIB
_ADDRESS = _text(1, 255, "an address of this machine, such as 127.0.0.1,")

RULES: Mapping[str, Mapping[str, _Rule]] = {
    "server": {
        "data": _path("a directory"),
        "name": _text(1, 64),
        "store": _Rule("a database URL such as sqlite:////path/file.sqlite or postgresql+psycopg://host/name", _url),
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
        "endpoint": _Rule('off, or an endpoint string such as "tcp:8080:interface=0.0.0.0"', _endpoint),
        "origins": _Rule('a list of origins such as "https://games.example.org", without a path', _origins),
        "ping_seconds": _seconds(1, 3600),
    },
    "accounts": {"policy": _choice("open", "register", "closed")},
    "games": {
        "clock": _Rule("manual, all-done, interval:SECONDS or threshold:PERCENT:SECONDS", _clock),
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
        "unread_seconds": _seconds(1, 3600),
        "farewell_seconds": _seconds(0.1, 60),
    },
    "log": {"level": _choice("debug", "info", "warn", "error", "critical")},
}
"""Section -> key -> what it may be."""

RENAMED: Mapping[str, str] = {}
"""Keys ("section.key") and sections that had another name in an earlier version -> what they are called now."""

OPTIONS: Mapping[str, str] = {
    "server.data": "--data",
    "listen.port": "--port",
    "listen.endpoints": "--listen",
    "web.endpoint": "--web",
    "web.port": "--web-port",
    "accounts.policy": "--accounts",
}
"""What people type on the command line for a key: refusals of overrides speak of it."""


# --- reading ----------------------------------------------------------------------------------------------------------


def load(
    path: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
    *,
    renamed: Mapping[str, str] = RENAMED,
) -> Config:
    """The configuration: defaults, then the TOML file `path` if given, then `overrides` from the command line.

    `overrides` maps "section.key" to a value of the key's type; a value of None means that nothing was said.  Paths in
    the file are relative to the file, those in overrides to the working directory.

    Raises ConfigError with one sentence for the first thing that is wrong.
    """
    values: dict[str, dict[str, Any]] = {section: {} for section in RULES}
    if path is not None:
        place = Path(path)
        for section, table in _sections(_parse(place), str(place), renamed):
            for key, value in table.items():
                name = f"{section}.{key}"
                rule = _rule(section, key, str(place), renamed)
                values[section][key] = _read(rule, value, name, str(place), place.absolute().parent)
    for name, value in (overrides or {}).items():
        if value is None:
            continue
        section, _, key = name.partition(".")
        if section not in RULES:
            raise ConfigError(f"command line: there is no key {_named(name)}{_did_you_mean(name, _all_keys())}")
        rule = _rule(section, key, "command line", renamed)
        values[section][key] = _read(rule, value, OPTIONS.get(name, name), "command line", Path.cwd())
    return _agreed(_config(values), "the configuration" if path is None else str(path))


def _parse(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ConfigError(f"{path}: the configuration cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a zero byte in the name
        raise ConfigError(f"{str(path)!r}: the configuration cannot be read: {error}") from None
    if len(raw) > LARGEST_FILE:
        raise ConfigError(f"{path}: a configuration has at most {LARGEST_FILE} bytes, this file has more")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: a configuration is UTF-8 text, byte {error.start} is not") from None
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{path}: tables and lists are nested too deeply for a configuration") from None
    except ValueError as error:  # TOMLDecodeError, and int() refusing thousands of digits
        what, _, where = str(error).partition(" (at ")
        found = re.fullmatch(r"line (\d+), column (\d+)\)", where)
        if found:
            place = f"line {found[1]}, column {found[2]}"
        elif where:
            place = f"line {text.rstrip().count(chr(10)) + 1}, at the end"
        else:
            raise ConfigError(f"{path}: this is not TOML: {what}") from None
        raise ConfigError(f"{path}, {place}: this is not TOML: {what[:1].lower()}{what[1:]}") from None


def _sections(
    document: Mapping[str, Any], place: str, renamed: Mapping[str, str]
) -> Iterable[tuple[str, Mapping[str, Any]]]:
    for section, table in document.items():
        if section in RULES and isinstance(table, dict):
            yield section, table
        elif section in RULES:
            raise ConfigError(
                f"{place}: {section} is {_shown(table)}, but must be a section: write [{section}] and below it its keys"
            )
        elif section in renamed:
            raise ConfigError(f"{place}: {_titled(section, table)} is now called {_titled(renamed[section], table)}")
        elif isinstance(table, dict):
            known = ", ".join(f"[{name}]" for name in RULES)
            near = difflib.get_close_matches(section, RULES, n=1)
            hint = f"; did you mean [{near[0]}]?" if near else ""
            raise ConfigError(f"{place}: there is no section [{_named(section)}]{hint} (there are {known})")
        else:
            hint = _did_you_mean(section, _all_keys())
            raise ConfigError(f"{place}: {_named(section)} stands before the first section{hint}")


def _rule(section: str, key: str, place: str, renamed: Mapping[str, str]) -> _Rule:
    rules = RULES[section]
    if key in rules:
        return rules[key]
    name = f"{section}.{key}"
    if name in renamed:
        raise ConfigError(f"{place}: {name} is now called {renamed[name]}")
    hint = _did_you_mean(key, rules) or _did_you_mean(key, _all_keys())
    raise ConfigError(f"{place}: there is no key {section}.{_named(key)}{hint} ([{section}] has {', '.join(rules)})")


def _read(rule: _Rule, value: object, name: str, place: str, base: Path) -> Any:
    try:
        return rule.read(value, base)
    except _Unfit as unfit:
        raise ConfigError(f"{place}: {name} is {_shown(value)}, but must be {rule.allowed}{unfit}") from None


def _config(values: Mapping[str, Mapping[str, Any]]) -> Config:
    types = {"server": Server, "listen": Listen, "tls": Tls, "web": Web, "accounts": Accounts}
    types |= {"games": Games, "limits": Limits, "log": Log}
    return Config(**{section: types[section](**values[section]) for section in types})


def _agreed(config: Config, place: str) -> Config:
    """The configuration, if its keys agree with each other."""
    if config.tls.key is not None and config.tls.certificate is None:
        raise ConfigError(f"{place}: tls.key is set, but tls.certificate is not; TLS needs both")
    if config.web.endpoint and config.web.port is not None:
        raise ConfigError(f"{place}: web.endpoint and web.port are both set; the endpoint has a port of its own")
    limits = config.limits
    if limits.unsent_bytes < limits.pause_bytes:
        raise ConfigError(
            f"{place}: limits.unsent_bytes is {limits.unsent_bytes}, "
            f"but must be at least limits.pause_bytes, which is {limits.pause_bytes}"
        )
    return config


def _all_keys() -> list[str]:
    return [f"{section}.{key}" for section, rules in RULES.items() for key in rules]


def _did_you_mean(word: str, words: Iterable[str]) -> str:
    """A hint for the end of a sentence; of dotted words, the last part counts."""
    last: dict[str, str] = {}
    for name in words:
        last.setdefault(name.rpartition(".")[2].lower(), name)
    near = difflib.get_close_matches(word.rpartition(".")[2].lower(), last, n=1)
    return f"; did you mean {last[near[0]]}?" if near else ""


def _titled(name: str, value: object) -> str:
    return f"[{name}]" if isinstance(value, dict) and "." not in name else name


def _shown(value: object) -> str:
    """A value as the operator wrote it, more or less, and never long."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "a list"
    if isinstance(value, str):
        return repr(_cut(value))
    try:
        return _cut(str(value))
    except ValueError:  # a number with thousands of digits
        return "a very long number"


def _cut(text: str, length: int = 60) -> str:
    return text if len(text) <= length else f"{text[:length]}…"


def _named(key: str) -> str:
    """A key that is not one of ours, which in TOML may be any text."""
    return _cut(key) if key.isprintable() and key else repr(_cut(key))
