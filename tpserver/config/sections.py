"""The sections of the configuration, with what holds where nothing is said."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tpserver.net.limits import Limits


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Section `[server]`: the server as a whole."""

    data: Path = field(default_factory=lambda: default_data_directory())
    """The directory with everything that must survive: accounts, games, the control socket."""
    name: str = "tpserver"
    """What the server calls itself in the lists of games that clients show."""
    store: str = ""
    """The SQLAlchemy URL of the database; empty: a SQLite file in the data directory."""
    order_entries: int = 1000
    """How many changes of orders in a turn the journal keeps one by one before their result takes their place."""


@dataclass(frozen=True, slots=True)
class ListenConfig:
    """Section `[listen]`: where clients connect without TLS."""

    address: str = "127.0.0.1"
    """The address of this machine on which `port` listens; 0.0.0.0 or :: for all."""
    port: int | None = None
    """The TCP port, 0 for any free one; None: 6923 unless `endpoints` are given."""
    endpoints: tuple[str, ...] = ()
    """Twisted endpoint strings, such as "tcp:6923:interface=0.0.0.0" or "unix:/run/tpserver"."""


@dataclass(frozen=True, slots=True)
class TlsConfig:
    """Section `[tls]`: where clients connect with TLS; nowhere without a certificate."""

    certificate: Path | None = None
    """PEM file with the certificate, and after it those of the authorities between it and the root."""
    key: Path | None = None
    """PEM file with the private key; without it the key is looked for in `certificate`."""
    address: str = "127.0.0.1"
    port: int = 6924


@dataclass(frozen=True, slots=True)
class WebConfig:
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
class AccountsConfig:
    """Section `[accounts]`: how accounts come about."""

    policy: Literal["open", "register", "closed"] = "register"
    """open: an unknown name at login makes one; register: CreateAccount does; closed: only the operator does."""


@dataclass(frozen=True, slots=True)
class GamesConfig:
    """Section `[games]`: what holds for a new game when nothing else is said."""

    clock: str = "all-done"
    join: Literal["open", "invited"] = "open"


@dataclass(frozen=True, slots=True)
class LogConfig:
    """Section `[log]`."""

    level: Literal["debug", "info", "warn", "error", "critical"] = "info"


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that an operator can set."""

    server: ServerConfig = field(default_factory=ServerConfig)
    listen: ListenConfig = field(default_factory=ListenConfig)
    tls: TlsConfig = field(default_factory=TlsConfig)
    web: WebConfig = field(default_factory=WebConfig)
    accounts: AccountsConfig = field(default_factory=AccountsConfig)
    games: GamesConfig = field(default_factory=GamesConfig)
    limits: Limits = field(default_factory=Limits)
    log: LogConfig = field(default_factory=LogConfig)


def default_data_directory(environment: Mapping[str, str] | None = None) -> Path:
    """`$XDG_DATA_HOME/tpserver`, or `~/.local/share/tpserver` where that is not set to an absolute path."""
    base = (os.environ if environment is None else environment).get("XDG_DATA_HOME", "")
    # A relative path there is invalid and to be ignored (XDG Base Directory Specification).
    home = Path(base) if base.startswith("/") else Path("~/.local/share").expanduser()
    return home / "tpserver"
