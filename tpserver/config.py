"""Configuration: a TOML file and the command line as a frozen `Config`.

An invalid configuration is reported as one error.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from tpserver.accounts.oidc.terms import Provider
from tpserver.addresses import CLIENT_HEADER, is_loopback
from tpserver.config_keys import (
    InvalidValue,
    Key,
    Rule,
    amount,
    declare,
    declare_factory,
    did_you_mean,
    keys_of,
    named,
    path,
    printable,
    shown,
    text,
    texts,
    whole,
)
from tpserver.games.terms.clock import FORMS, parse_clock
from tpserver.games.terms.snapshot_retention import FORMS as KEEP_FORMS
from tpserver.games.terms.snapshot_retention import parse_rule
from tpserver.wire.net.limits import Limits

_OPERATOR = texts(
    'addresses such as "ntfy://topic" or "mailtos://..."',
    lambda item: re.fullmatch(r"[a-z][a-z0-9+.-]*://\S{1,500}", item),
)
_ORIGINS = texts(
    'origins such as "https://games.example.org", without a path',
    lambda item: re.fullmatch(r"https?://(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?", item),
)
_NETWORKS = texts(
    'addresses or networks such as "127.0.0.1" or "10.0.0.0/8"',
    lambda item: (
        re.fullmatch(r"[0-9.]+(/\d{1,2})?|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(/\d{1,3})?", item)
        and ipaddress.ip_network(item, strict=False)
    ),
)
_ENDPOINTS = texts('endpoint strings such as "tcp:6923:interface=0.0.0.0"', str.strip)
_HEADER = text(
    'the name of a header such as "X-Forwarded-For"', lambda value: re.fullmatch(r"[A-Za-z0-9-]{1,64}", value)
)


def _parsed(parse: Callable[[str], object], forms: str) -> Rule[str]:
    """Return the rule of a text that ``parse`` converts to its shortest form. The error of ``parse`` is a hint."""

    def read(value: object, base: Path) -> str:
        if type(value) is not str:
            raise InvalidValue
        try:
            return str(parse(value))
        except ValueError as error:
            raise InvalidValue(f" ({error})") from None

    return Rule(forms, read, f"{forms}, ")


PROVIDER_KEYS: Mapping[str, tuple[str, str]] = {
    "id": (r"[a-z0-9][a-z0-9-]{0,31}", "a word of small letters, digits and dashes"),
    "name": (r"[^\x00-\x1f\x7f]{1,40}", "1 to 40 characters, for people"),
    "issuer": (r"https?://[!-~]{1,200}", "the address of the issuer"),
    "client_id": (r"[ -~]{1,255}", "what the provider calls this server"),
    "secret": (r"[^\0]{1,1000}", "the path of a file with the secret"),
    "secret_env": (r"[A-Za-z_][A-Za-z0-9_]{0,99}", "the name of an environment variable with the secret"),
    "name_claim": (r"[A-Za-z0-9_:./-]{1,100}", "the claim that proposes a name"),
    "accounts": (r"make|known", "make or known"),
}
"""The form of each key of a provider as a pattern, and its description."""

MOST_PROVIDERS = 16


def _providers(value: object, base: Path) -> tuple[Provider, ...]:
    if not isinstance(value, (list, tuple)):
        raise InvalidValue
    if len(value) > MOST_PROVIDERS:
        raise InvalidValue(inside=f"there are {len(value)}, but at most {MOST_PROVIDERS} are allowed")
    found = tuple(_provider(number, one, base) for number, one in enumerate(value, start=1))
    for key in ("id", "issuer"):
        if len({getattr(one, key) for one in found}) < len(found):
            raise InvalidValue(inside=f"two providers have the same {key}")
    return found


def _provider(number: int, value: object, base: Path) -> Provider:
    if not isinstance(value, dict):
        raise InvalidValue
    where = f"provider {number}: "
    known = {*PROVIDER_KEYS, "scopes", "own_network"}
    for key in value:
        if key not in known:
            raise InvalidValue(inside=f"{where}there is no key {named(key)}{did_you_mean(key, known)}")
    for key, (form, what) in PROVIDER_KEYS.items():
        if key in value and (type(value[key]) is not str or not re.fullmatch(form, value[key])):
            raise InvalidValue(inside=f"{where}{key} is {shown(value[key])}, but must be {what}")
    for key in ("id", "name", "issuer", "client_id"):
        if key not in value:
            raise InvalidValue(inside=f"{where}{key} is missing")
    scopes, own_network = value.get("scopes", ["openid", "profile"]), value.get("own_network", False)
    if not isinstance(scopes, (list, tuple)) or not all(
        type(one) is str and re.fullmatch(r"[!#-\[\]-~]{1,100}", one) for one in scopes[:20]
    ):
        raise InvalidValue(inside=f"{where}scopes is {shown(scopes)}, but must be a list of words")
    if "openid" not in scopes or len(scopes) > 20:
        raise InvalidValue(inside=f"{where}scopes must have openid among them, and 20 at most")
    if type(own_network) is not bool:
        raise InvalidValue(inside=f"{where}own_network is {shown(own_network)}, but must be true or false")
    if not (own_network or value["issuer"].startswith("https:")):
        problem = f"issuer is {shown(value['issuer'])}, but must begin with https: unless own_network is true"
        raise InvalidValue(inside=f"{where}{problem}")
    if "secret" in value and "secret_env" in value:
        raise InvalidValue(inside=f"{where}secret and secret_env are both there")
    return Provider(
        id=value["id"],
        name=value["name"],
        issuer=value["issuer"],
        client_id=value["client_id"],
        secret=base / Path(value["secret"]) if "secret" in value else None,
        secret_env=value.get("secret_env", ""),
        scopes=tuple(scopes),
        name_claim=value.get("name_claim", "preferred_username"),
        makes_accounts=value.get("accounts", "make") == "make",
        own_network=own_network,
    )


_PROVIDERS = Rule("tables, each with id, name, issuer and client_id", _providers)
_USER = text(
    "a word of 0 to 64 printable characters without spaces",
    lambda value: len(value) <= 64 and value.isprintable() and " " not in value,
)
_ADDRESS = printable(1, 255, "an address of this machine, such as 127.0.0.1,")
LAST_PORT = 65535
_PORT = whole(0, LAST_PORT)
_IP = text(
    'an IP address of this machine such as "192.168.1.7"', lambda value: value == "" or ipaddress.ip_address(value)
)
_STORE = text(
    "a database URL such as sqlite:////path/file.sqlite or postgresql+psycopg://host/name",
    lambda value: value == "" or re.fullmatch(r"[a-z0-9+]+://\S*", value),
)
_ENDPOINT = text(
    'off, or an endpoint string such as "tcp:8080:interface=0.0.0.0"',
    lambda value: value == "" or (value.strip() and value.isprintable()),
)
_CLOCK = _parsed(parse_clock, FORMS)
_KEEP_RULE = _parsed(parse_rule, KEEP_FORMS)
_SITE = text(
    'the address of a page such as "https://games.example.org/"',
    lambda value: value == "" or re.fullmatch(r"https?://[!-~]{1,200}", value),
)
_METASERVER = text(
    'the address of a metaserver such as "http://games.example.org:8090/", without ? and #',
    lambda value: value == "" or re.fullmatch(r"https?://[!\"$->@-~]{1,200}", value),
)
_HOST = text(
    'a host such as "games.example.org"',
    lambda value: value == "" or re.fullmatch(r"[0-9A-Fa-f:.]{2,45}|[\w.-]{1,253}", value),
)
_NODE = text(
    'a host and port such as "10.0.0.5:6926" or "[fd00::5]:6926"',
    lambda value: value == "" or re.fullmatch(r"(\[[0-9A-Fa-f:.]{2,45}\]|[\w.-]{1,253}):\d{1,5}", value),
)
_MAIL_SERVER = text(
    'a host such as "mail.example.org" or "mail.example.org:587"',
    lambda value: value == "" or re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?", value),
)
_MAIL = text(
    'a mail address such as "games@example.org"',
    lambda value: value == "" or re.fullmatch(r"[!-?A-~]{1,64}@[\w.-]{1,253}", value),
)


def default_data_directory(environment: Mapping[str, str] | None = None) -> Path:
    """Return `$XDG_DATA_HOME/tpserver`, or `~/.local/share/tpserver` without an absolute path there."""
    base = (os.environ if environment is None else environment).get("XDG_DATA_HOME", "")
    # A relative path there is invalid and must be ignored (XDG Base Directory Specification).
    home = Path(base) if base.startswith("/") else Path("~/.local/share").expanduser()
    return home / "tpserver"


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Section `[server]`: the server as a whole."""

    data: Path = declare_factory(
        default_data_directory,
        "default: $XDG_DATA_HOME/tpserver, else ~/.local/share/tpserver",
        rule=path("a directory"),
        option="--data",
        example="/var/lib/tpserver",
    )
    name: str = declare("tpserver", "1 to 64 characters; the name of the server in lists of games", printable(1, 64))
    store: str = declare("", 'a database URL such as "postgresql+psycopg://host/name"; "": SQLite in data', _STORE)
    keep_connections: bool = declare(
        False, "a separate process keeps the connections over tpserver restart, see portal.md", applied="portal"
    )
    order_entries: int = declare(
        1000, "order changes in a turn after which the journal is compacted", whole(10, 1_000_000), applied="reload"
    )


@dataclass(frozen=True, slots=True)
class ListenConfig:
    """Section `[listen]`: where clients connect without TLS."""

    address: str = declare(
        "127.0.0.1", '"0.0.0.0" or "::": all addresses; "127.0.0.1": only connections from this machine', _ADDRESS
    )
    port: int | None = declare(
        None, "0: any free port; default: 6923 unless endpoints are given", _PORT, option="--port", example=6923
    )
    endpoints: tuple[str, ...] = declare(
        (), 'further Twisted endpoints, such as ["tcp:6923:interface=0.0.0.0"]', _ENDPOINTS, option="--listen"
    )


@dataclass(frozen=True, slots=True)
class TlsConfig:
    """Section `[tls]`: where clients connect with TLS; unused without a certificate."""

    certificate: Path | None = declare(
        None,
        "a PEM file: the certificate, then its chain; no default",
        path("a PEM file"),
        example="server.pem",
        applied="reload",
    )
    key: Path | None = declare(
        None,
        "a PEM file; default: the key is in certificate",
        path("a PEM file"),
        example="server.key",
        applied="reload",
    )
    address: str = declare("127.0.0.1", rule=_ADDRESS)
    port: int = declare(6924, rule=_PORT)


@dataclass(frozen=True, slots=True)
class WebConfig:
    """Section `[web]`: where browsers connect."""

    address: str = declare("127.0.0.1", rule=_ADDRESS)
    port: int | None = declare(
        None, "default: 8080 unless there is an endpoint", _PORT, option="--web-port", example=8080
    )
    endpoint: str = declare(
        "", 'in place of address and port: an endpoint, or "off" for no listener', _ENDPOINT, option="--web"
    )
    origins: tuple[str, ...] = declare(
        (), 'other origins of the page, such as ["https://games.example.org"]', _ORIGINS, applied="reload"
    )
    tunnel: Literal["on", "off"] = declare("on", "TP03, TP04 and Protocol Buffers through HTTP")
    ping_seconds: float = declare(
        30.0, "silence before a WebSocket is pinged, and the longest wait for its answer", amount("seconds", 1, 3600)
    )


@dataclass(frozen=True, slots=True)
class ProxyConfig:
    """Section `[proxy]`: trusted proxies in front of this server."""

    addresses: tuple[str, ...] = declare((), 'trusted proxies, such as ["127.0.0.1", "10.0.0.0/8"]', _NETWORKS)
    header: bool = declare(False, "their connections to [listen] and [tls] begin with the PROXY protocol")
    client_header: str = declare(
        CLIENT_HEADER, 'the header with a browser\'s address, such as "Forwarded"; all others are ignored', _HEADER
    )


@dataclass(frozen=True, slots=True)
class AccountsConfig:
    """Section `[accounts]`: policy for the creation of accounts."""

    policy: Literal["open", "register", "closed", "lockdown"] = declare(
        "register",
        "how accounts are created; open: an unknown name at login creates one; register: clients may create one; "
        "closed: only tpserver account add does; lockdown: as closed, and only accounts with a seat may log in, and "
        "seats cannot be taken",
        option="--accounts",
    )
    created_per_hour: int = declare(
        30, "accounts that clients of an address (IPv6: /64 network) create", whole(1, 1_000_000)
    )
    guests: bool = declare(False, "people may play without an account, in games with --guests yes; not under lockdown")
    guests_most: int = declare(200, "guests, including those who are away", whole(1, 100_000))
    guest_days: int = declare(7, "days without a login after which a guest is removed", whole(1, 366))


@dataclass(frozen=True, slots=True)
class OidcConfig:
    """Section `[oidc]`: sign-in through OpenID Connect, which needs joserfc."""

    site: str = declare(
        "", 'the public address of the page, to which providers return browsers; "": notices.site', _SITE
    )
    providers: tuple[Provider, ...] = declare(
        (), "tables, as [[oidc.providers]]: id, name, issuer, client_id and more", _PROVIDERS
    )


@dataclass(frozen=True, slots=True)
class GamesConfig:
    """Section `[games]`: defaults for new games."""

    clock: str = declare("all-done", "with settings after it, see clocks.md", _CLOCK)
    join: Literal["open", "invited"] = declare("open", "who may take a seat")
    create: Literal["accounts", "operator"] = declare("accounts", "who may create games")
    created_open: int = declare(8, "unfinished games that an account has created", whole(1, 1000))
    idle_minutes: int = declare(10, "minutes until an unused game is hibernated, see database.md", whole(1, 100_000))
    keep_snapshots: str = declare("all", "see turn-history.md", _KEEP_RULE)


@dataclass(frozen=True, slots=True)
class BackupConfig:
    """Section `[backup]`: copies of the database, by a running server or by the operator."""

    every_hours: float = declare(0.0, "how often the server makes a backup", amount("hours", 0.1, 8760, zero="never"))
    directory: Path | None = declare(
        None,
        "default: backups in the data directory; if elsewhere, name it in ReadWritePaths of the systemd unit",
        path("a directory"),
        example="backups",
    )
    keep: int = declare(14, "the number of backups; a new backup replaces the oldest", whole(1, 10_000))
    sample: int = declare(3, "games that are replayed to prove a backup", whole(0, 10_000))


@dataclass(frozen=True, slots=True)
class NoticesConfig:
    """Section `[notices]`: notifications of players who are offline."""

    webhooks: Literal["off", "on"] = declare("off", "POST to Discord, Slack, Matrix and programs of players; loads TLS")
    own_network: Literal["refused", "allowed"] = declare("refused", "webhooks in the own network, and without TLS")
    calendar: Literal["on", "off"] = declare("on", "links to calendars of turns, if tpserver[calendar] is installed")
    site: str = declare("", 'the public address of the page, such as "https://games.example.org/"; for links', _SITE)
    mail_server: str = declare("", 'the host of an SMTP server, or host:port; "": no mail', _MAIL_SERVER)
    mail_tls: Literal["starttls", "tls", "off"] = declare("starttls")
    mail_from: str = declare("", 'the sender, such as "games@example.org"; required by mail_server', _MAIL)
    mail_user: str = declare("", 'the user name at the SMTP server; "": no login', printable(0, 255, "a name"))
    mail_password: Path | None = declare(
        None,
        "a file with the password in its first line; required by mail_user; no default",
        path("a file with a password"),
        example="mail.password",
    )
    push: Literal["off", "on"] = declare("off", "Web Push, with tpserver[push]; needs site or mail_from; loads TLS")
    operator: tuple[str, ...] = declare(
        (),
        'urgent messages to the operator, as Apprise addresses: ["ntfys://ntfy.sh/topic"]; with tpserver[operator]',
        _OPERATOR,
    )


@dataclass(frozen=True, slots=True)
class LogConfig:
    """Section `[log]`: the level and form of the log."""

    level: Literal["debug", "info", "warn", "error", "critical"] = declare("info")
    format: Literal["text", "json"] = declare(
        "text", "a line of text, or a JSON object, for each event", applied="portal"
    )


@dataclass(frozen=True, slots=True)
class MetricsConfig:
    """Section `[metrics]`: where Prometheus reads; unused without a port."""

    address: str = declare("127.0.0.1", rule=_ADDRESS)
    port: int | None = declare(None, "default: no port, and no metrics", _PORT, example=9123)


@dataclass(frozen=True, slots=True)
class LanConfig:
    """Section `[lan]`: announcement of the games on the local network, by multicast DNS."""

    announce: Literal["off", "on"] = declare("off", "announce the games in the local network")
    interface: str = declare("", 'the address of one interface for announcements; "": all interfaces', _IP)


@dataclass(frozen=True, slots=True)
class MetaserverConfig:
    """Section `[metaserver]`: publication of the games at a metaserver, which lists servers of the whole internet."""

    url: str = declare("", 'the metaserver, such as "http://games.example.org:8090/"; "": none', _METASERVER)
    host: str = declare("", "the public name of this server; required by url", _HOST)
    every_seconds: int = declare(300, "seconds between two publications", whole(60, 540))


@dataclass(frozen=True, slots=True)
class AdminConfig:
    """Section `[admin]`: where administration consoles connect; unused without a user and a password."""

    user: str = declare("", "a word of 0 to 64 characters: the user name of the operator", _USER)
    password: Path | None = declare(
        None,
        "a file with the password in its first line, of 12 to 1024 characters; no default",
        path("a file with a password"),
        example="admin.password",
    )
    address: str = declare("127.0.0.1", rule=_ADDRESS)
    port: int = declare(6925, rule=_PORT)


@dataclass(frozen=True, slots=True)
class ClusterConfig:
    """Section `[cluster]`: this server as one of several that share a PostgreSQL database."""

    address: str = declare("", 'where other nodes reach this node, such as "10.0.0.5:6926"; "": no cluster', _NODE)
    listen: str = declare("", 'where this node listens for other nodes, such as "0.0.0.0:6926"; "": at address', _NODE)
    lease_seconds: int = declare(
        10, "seconds of silence after which other nodes take the games of a node", whole(3, 300)
    )
    certificate: Path | None = declare(
        None,
        "the certificate of this node, a PEM file; needed unless address is of this machine",
        path("a file with a certificate"),
        example="node.pem",
    )
    key: Path | None = declare(
        None, "a PEM file; default: the key is in certificate", path("a file with a private key"), example="node.key"
    )
    authority: Path | None = declare(
        None,
        "the authority that signed the certificates of all nodes, a PEM file",
        path("a file with a certificate"),
        example="cluster.pem",
    )
    processes: int = declare(1, "nodes on this machine, which share its ports", whole(1, 64))

    def address_of(self, process: int) -> str:
        """Return the address of one of the processes for the other nodes. Processes are counted from 0."""
        host, _, port = self.address.rpartition(":")
        return f"{host}:{int(port) + process}" if process and self.address else self.address


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of the operator."""

    server: ServerConfig = declare_factory(ServerConfig, applied="restart")
    listen: ListenConfig = declare_factory(
        ListenConfig, "TP03, TP04 and Protocol Buffers without TLS", applied="portal"
    )
    tls: TlsConfig = declare_factory(
        TlsConfig, "the same with TLS; off without a certificate; tpserver reload reads renewed files", applied="portal"
    )
    web: WebConfig = declare_factory(
        WebConfig, "browsers and WebSocket; put a proxy with TLS before it, see browsers.md", applied="portal"
    )
    proxy: ProxyConfig = declare_factory(
        ProxyConfig, "proxies in front of this server, see browsers.md", applied="portal"
    )
    accounts: AccountsConfig = declare_factory(AccountsConfig, "see accounts.md", applied="reload")
    oidc: OidcConfig = declare_factory(
        OidcConfig,
        "sign-in with OpenID Connect, see sign-in.md; pip install 'tpserver[oidc]'; loads TLS",
        applied="restart",
    )
    games: GamesConfig = declare_factory(GamesConfig, "defaults for new games", applied="reload")
    notices: NoticesConfig = declare_factory(
        NoticesConfig, "notifications of absent players, see notices.md", applied="restart"
    )
    limits: Limits = declare_factory(
        Limits, "of each connection unless stated otherwise; sizes in bytes; see limits.md", applied="reload"
    )
    backup: BackupConfig = declare_factory(
        BackupConfig, "tpserver restore FILE puts a backup back, see backups.md", applied="reload"
    )
    log: LogConfig = declare_factory(LogConfig, "see metrics.md", applied="reload")
    metrics: MetricsConfig = declare_factory(
        MetricsConfig, "for Prometheus: http://address:port/metrics; pip install 'tpserver[metrics]'", applied="restart"
    )
    admin: AdminConfig = declare_factory(
        AdminConfig, "administration consoles, see consoles.md; off without user and password", applied="restart"
    )
    lan: LanConfig = declare_factory(
        LanConfig, "multicast DNS, see publishing.md; pip install 'tpserver[lan]'", applied="restart"
    )
    metaserver: MetaserverConfig = declare_factory(
        MetaserverConfig, "lists the games on the internet, see publishing.md; loads TLS", applied="restart"
    )
    cluster: ClusterConfig = declare_factory(
        ClusterConfig, "several servers with one PostgreSQL database, see cluster.md", applied="restart"
    )

    @property
    def may_encrypt(self) -> bool:
        """True if a listener uses TLS, or may by its kind of Twisted endpoint, or if the server sends HTTP requests."""
        endpoints = [*self.listen.endpoints, *([self.web.endpoint] if self.web.endpoint not in ("", "off") else [])]
        speaks = "on" in (self.notices.webhooks, self.notices.push) or self.metaserver.url or self.oidc.providers
        if self.tls.certificate is not None or self.cluster.certificate is not None or speaks:
            return True
        return not all(_is_plain(endpoint) for endpoint in endpoints)


def of_process(config: Config, number: int) -> Config:
    """Return the configuration of one process of a server.

    Processes are counted from 0, and share the server's ports. Only the first process does the common work: backups,
    announcement and publication of the games, and the one port for consoles. Metrics are separate for each process, and
    so are their ports.
    """
    if number == 0:
        return config
    metrics = config.metrics
    return replace(
        config,
        cluster=replace(config.cluster, address=config.cluster.address_of(number)),
        metrics=replace(metrics, port=metrics.port + number) if metrics.port else metrics,
        backup=replace(config.backup, every_hours=0.0),
        admin=replace(config.admin, user=""),
        lan=replace(config.lan, announce="off"),
        metaserver=replace(config.metaserver, url=""),
    )


_PLAIN = ("tcp", "tcp6", "unix", "systemd", "stdio")
"""Kinds of Twisted endpoints that do not encrypt."""


def _is_plain(endpoint: str) -> bool:
    return endpoint.partition(":")[0].lower() in _PLAIN


KEYS: Mapping[str, Mapping[str, Key]] = {section.name: keys_of(section) for section in fields(Config)}
"""By section and name: the key."""

OPTIONS: Mapping[str, str] = {
    f"{section}.{name}": key.option for section, keys in KEYS.items() for name, key in keys.items() if key.option
}
"""By key: its command line option."""


LARGEST_FILE = 1024 * 1024
"""Maximum bytes of a configuration file; a longer one must be a mistake."""


class ConfigError(ValueError):
    """An invalid configuration. The message is one sentence with the place and the allowed values."""


def load(path: str | Path | None = None, overrides: Mapping[str, object] | None = None) -> Config:
    """Return the configuration: defaults, then the TOML file `path` if given, then `overrides` from the command line.

    `overrides` maps "section.key" to a value of the key's type, or to None without a value. Paths in the file are
    relative to the file, those in overrides to the working directory.

    Raises ConfigError with one sentence for the first error.
    """
    values: dict[str, dict[str, Any]] = {section: {} for section in KEYS}
    if path is not None:
        place = Path(path)
        for section, table in _sections(_parse(place), str(place)):
            for key, value in table.items():
                name = f"{section}.{key}"
                rule = _rule(section, key, str(place))
                values[section][key] = _read(rule, value, name, str(place), place.absolute().parent)
    for name, value in (overrides or {}).items():
        if value is None:
            continue
        section, _, key = name.partition(".")
        if section not in KEYS:
            raise ConfigError(f"command line: there is no key {named(name)}{did_you_mean(name, _all_keys())}")
        rule = _rule(section, key, "command line")
        values[section][key] = _read(rule, value, OPTIONS.get(name, name), "command line", Path.cwd())
    usual = Config()
    config = Config(**{section: replace(getattr(usual, section), **given) for section, given in values.items()})
    contradiction = next(_contradictions(config), None)
    if contradiction is not None:
        raise ConfigError(f"{'the configuration' if path is None else path}: {contradiction}")
    return config


def _parse(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ConfigError(f"{path}: the configuration cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a zero byte in the path
        raise ConfigError(f"{str(path)!r}: the configuration cannot be read: {error}") from None
    if len(raw) > LARGEST_FILE:
        raise ConfigError(f"{path}: a configuration has at most {LARGEST_FILE} bytes, this file has more")
    try:
        text = raw.decode().removeprefix("\ufeff")  # some editors begin a file with a byte order mark
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: a configuration is UTF-8 text, byte {error.start} is not") from None
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{path}: tables and lists are nested too deeply for a configuration") from None
    except ValueError as error:  # TOMLDecodeError, or int() refusing thousands of digits
        what, _, where = str(error).partition(" (at ")
        found = re.fullmatch(r"line (\d+), column (\d+)\)", where)
        if found:
            place = f"line {found[1]}, column {found[2]}"
        elif where:
            place = f"line {text.rstrip().count(chr(10)) + 1}, at the end"
        else:
            raise ConfigError(f"{path}: this is not TOML: {what}") from None
        lines = text.splitlines()
        at = int(found[1]) - 1 if found else len(lines) - 1
        if re.search("[\u2018-\u201f\u00ab\u00bb\u00a0]", "".join(lines[at : at + 1])):
            what += "; write plain quotes and plain spaces"  # word processors write others
        raise ConfigError(f"{path}, {place}: this is not TOML: {what[:1].lower()}{what[1:]}") from None


def _sections(document: Mapping[str, Any], place: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
    for section, table in document.items():
        if section in KEYS and isinstance(table, dict):
            yield section, table
        elif section in KEYS:
            raise ConfigError(
                f"{place}: {section} is {shown(table)}, but must be a section: write [{section}] and below it its keys"
            )
        elif isinstance(table, dict):
            near = difflib.get_close_matches(section, KEYS, n=1)
            hint = f"; did you mean [{near[0]}]?" if near else ""
            raise ConfigError(f"{place}: there is no section [{named(section)}]{hint} (there are {_all_sections()})")
        else:
            hint = did_you_mean(section, _all_keys())
            raise ConfigError(
                f"{place}: {named(section)} stands before the first section, but every key has one{hint} "
                f"(there are {_all_sections()})"
            )


def _rule(section: str, key: str, place: str) -> Rule[Any]:
    keys = KEYS[section]
    if key in keys:
        return keys[key].rule
    hint = did_you_mean(key, keys) or did_you_mean(key, _all_keys())
    raise ConfigError(f"{place}: there is no key {section}.{named(key)}{hint} ([{section}] has {', '.join(keys)})")


def _read(rule: Rule[Any], value: object, name: str, place: str, base: Path) -> Any:
    try:
        return rule.read(value, base)
    except InvalidValue as invalid:
        if invalid.item is not None:
            position, item = invalid.item
            raise ConfigError(
                f"{place}: item {position} of {name} is {shown(item)}, but {name} must be {rule.allowed}"
            ) from None
        if invalid.inside:
            raise ConfigError(f"{place}: {name}: {invalid.inside}") from None
        raise ConfigError(f"{place}: {name} is {shown(value)}, but must be {rule.allowed}{invalid}") from None


def _contradictions(config: Config) -> Iterator[str]:
    """Generate the contradictions between keys. Each check may rely on those before it."""
    if config.tls.key is not None and config.tls.certificate is None:
        yield "tls.key is set, but tls.certificate is not; TLS needs both"
    if config.web.endpoint and config.web.port is not None:
        yield "web.endpoint and web.port are both set; the endpoint has a port of its own"
    notices = config.notices
    if notices.mail_server and not notices.mail_from:
        yield "notices.mail_server is set, but notices.mail_from is not; mail needs a sender"
    if notices.push == "on" and not (notices.site.startswith("https:") or notices.mail_from):
        yield (
            "notices.push is on, but neither notices.site is set to a https address nor notices.mail_from; "
            "the services of browsers want to know who sends"
        )
    if notices.mail_user and (notices.mail_password is None or notices.mail_tls == "off"):
        yield (
            "notices.mail_user is set, but to log in needs notices.mail_password, and TLS, which is off"
            if notices.mail_password is not None
            else "notices.mail_user is set, but notices.mail_password, the file with the password, is not"
        )
    if config.oidc.providers and not (config.oidc.site or notices.site):
        yield "oidc.providers is set, but oidc.site, to which they send browsers back, is not"
    if config.admin.user and config.admin.password is None:
        yield "admin.user is set, but admin.password, the file with the password, is not"
    if config.metaserver.url and not config.metaserver.host:
        yield "metaserver.url is set, but metaserver.host, where players reach the server, is not"
    if config.cluster.address and not config.server.store.startswith("postgresql"):
        yield "cluster.address is set, but server.store is no PostgreSQL database; SQLite is for one server"
    cluster = config.cluster
    if (cluster.certificate is None) != (cluster.authority is None):
        yield (
            "cluster.certificate and cluster.authority are set together: what this node shows to the others, "
            "and who has signed what they show"
        )
    for key in ("address", "listen"):
        where = getattr(cluster, key)
        host = where.rpartition(":")[0].strip("[]")
        if cluster.address and where and cluster.certificate is None and not is_loopback(host):
            yield (
                f"cluster.{key} is {where}, which other machines reach, so that cluster.certificate "
                "and cluster.authority have to be set; without them nodes talk on one machine only, as at "
                "127.0.0.1:6926"
            )
    if cluster.address and config.server.keep_connections:
        yield (
            "server.keep_connections and cluster.address are set, but a node does not keep its connections "
            "over a restart; tpserver node drain hands its games over before"
        )
    if config.cluster.processes > 1:
        yield from _of_processes(config)
    limits = config.limits
    if limits.unsent_bytes < limits.pause_bytes:
        yield (
            f"limits.unsent_bytes is {limits.unsent_bytes}, "
            f"but must be at least limits.pause_bytes, which is {limits.pause_bytes}"
        )


def _of_processes(config: Config) -> Iterator[str]:
    """Generate the reasons why a server cannot have several processes."""
    cluster, number = config.cluster, config.cluster.processes
    is_several = f"cluster.processes is {number}, but"
    if not cluster.address:
        yield f"{is_several} cluster.address is not set; each process is a node of a cluster"
    for name, first in (
        ("cluster.address", int(cluster.address.rpartition(":")[2])),
        ("metrics.port", config.metrics.port),
    ):
        if first is not None and first + number - 1 > LAST_PORT:
            yield f"{is_several} {name} has the port {first}: there are not as many after it"
    for name, endpoint in [
        *(("listen.endpoints", endpoint) for endpoint in config.listen.endpoints),
        *([("web.endpoint", config.web.endpoint)] if config.web.endpoint not in ("", "off") else []),
    ]:
        if not endpoint.lower().startswith("tcp:"):
            yield f"{is_several} {name} has {shown(endpoint)}; processes share only what begins with tcp:, and [tls]"


def _all_sections() -> str:
    return ", ".join(f"[{name}]" for name in KEYS)


def _all_keys() -> list[str]:
    return [f"{section}.{key}" for section, keys in KEYS.items() for key in keys]
