"""The sections of the configuration, with their defaults."""

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
    """The directory of all persistent data: accounts, games, the control socket."""
    name: str = "tpserver"
    """The server's name in the lists of games that clients show."""
    store: str = ""
    """The SQLAlchemy URL of the database; empty: a SQLite file in the data directory."""
    order_entries: int = 1000
    """Number of journal entries about orders in a turn from which they may be replaced by their result."""


@dataclass(frozen=True, slots=True)
class ListenConfig:
    """Section `[listen]`: where clients connect without TLS."""

    address: str = "127.0.0.1"
    """The local address for `port`; 0.0.0.0 or :: for all."""
    port: int | None = None
    """The TCP port, 0 for any free one; None: 6923 unless `endpoints` are given."""
    endpoints: tuple[str, ...] = ()
    """Twisted endpoint strings, such as "tcp:6923:interface=0.0.0.0" or "unix:/run/tpserver"."""


@dataclass(frozen=True, slots=True)
class TlsConfig:
    """Section `[tls]`: where clients connect with TLS; nowhere without a certificate."""

    certificate: Path | None = None
    """PEM file with the certificate, followed by those of intermediate authorities."""
    key: Path | None = None
    """PEM file with the private key; without it the key is read from `certificate`."""
    address: str = "127.0.0.1"
    port: int = 6924


@dataclass(frozen=True, slots=True)
class WebConfig:
    """Section `[web]`: where browsers connect."""

    address: str = "127.0.0.1"
    """The local address for `port`; 0.0.0.0 or :: for all."""
    port: int | None = None
    """The TCP port, 0 for any free one; None: 8080 unless an `endpoint` is given."""
    endpoint: str = ""
    """A Twisted endpoint string instead of address and port, such as for TLS; "off": no listener for browsers."""
    origins: tuple[str, ...] = ()
    """Origins of other pages that may use this server, such as "https://games.example.org"."""
    ping_seconds: float = 30.0
    """Seconds of silence before a WebSocket is pinged, and maximum seconds for its answer."""


@dataclass(frozen=True, slots=True)
class AccountsConfig:
    """Section `[accounts]`: who may create accounts."""

    policy: Literal["open", "register", "closed"] = "register"
    """open: an unknown name at login creates one; register: CreateAccount does; closed: only the operator does."""


@dataclass(frozen=True, slots=True)
class GamesConfig:
    """Section `[games]`: defaults for new games."""

    clock: str = "all-done"
    join: Literal["open", "invited"] = "open"


@dataclass(frozen=True, slots=True)
class LogConfig:
    """Section `[log]`."""

    level: Literal["debug", "info", "warn", "error", "critical"] = "info"


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of the operator."""

    server: ServerConfig = field(default_factory=ServerConfig)
    listen: ListenConfig = field(default_factory=ListenConfig)
    tls: TlsConfig = field(default_factory=TlsConfig)
    web: WebConfig = field(default_factory=WebConfig)
    accounts: AccountsConfig = field(default_factory=AccountsConfig)
    games: GamesConfig = field(default_factory=GamesConfig)
    limits: Limits = field(default_factory=Limits)
    log: LogConfig = field(default_factory=LogConfig)


def default_data_directory(environment: Mapping[str, str] | None = None) -> Path:
    """Return `$XDG_DATA_HOME/tpserver`, or `~/.local/share/tpserver` if that is not set to an absolute path."""
    base = (os.environ if environment is None else environment).get("XDG_DATA_HOME", "")
    # A relative path there is invalid and must be ignored (XDG Base Directory Specification).
    home = Path(base) if base.startswith("/") else Path("~/.local/share").expanduser()
    return home / "tpserver"
