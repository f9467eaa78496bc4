"""The configuration: reads a TOML file and the command line into a frozen `Config`, or reports one error."""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args, get_origin, get_type_hints

from tpserver.addresses import is_loopback
from tpserver.games.clock import FORMS, ClockError, parse_clock
from tpserver.games.retention import FORMS as KEEP_FORMS
from tpserver.games.retention import BadRule, parse_rule
from tpserver.net.limits import KIB, MIB, Limits
from tpserver.oidc.terms import Provider


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return a suggestion for the end of a sentence, or an empty string; of dotted words, the last part is compared."""
    last: dict[str, str] = {}
    for name in words:
        last.setdefault(name.rpartition(".")[2].lower(), name)
    near = difflib.get_close_matches(word.rpartition(".")[2].lower(), last, n=1)
    return f"; did you mean {last[near[0]]}?" if near else ""


def shown(value: object) -> str:
    """Return a value about as the operator wrote it, shortened."""
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
    except ValueError:  # an integer with thousands of digits
        return "a very long number"


def named(key: str) -> str:
    """Return an unknown key for a message; in TOML it may be any text."""
    return _cut(key) if key.isprintable() and key else repr(_cut(key))


def _cut(text: str, length: int = 60) -> str:
    return text if len(text) <= length else f"{text[:length]}…"


class InvalidValue(Exception):
    """The rule of a key does not allow the value; the text, if any, is a hint for the end of the sentence.

    Of a list it may be one item that is not allowed: ``item`` is its position, counted from 1, and the item.
    ``inside`` says what is wrong within a value of many parts, in the place of all that would be said of the whole.
    """

    def __init__(self, hint: str = "", item: tuple[int, object] | None = None, inside: str = "") -> None:
        super().__init__(hint)
        self.item = item
        self.inside = inside


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


def _hours(low: float, high: float) -> Rule:
    def read(value: object, base: Path) -> float:
        if type(value) not in (int, float) or not (low <= cast(float, value) <= high or value == 0):
            raise InvalidValue
        return float(cast(float, value))

    return Rule(f"a number of hours from {low:g} to {high:g}, or 0 for never", read)


def _text(allowed: str, fits: Callable[[str], object]) -> Rule:
    def read(value: object, base: Path) -> str:
        if type(value) is not str or not fits(value):
            raise InvalidValue
        return value

    return Rule(allowed, read)


def _printable(low: int, high: int, what: str = "a text") -> Rule:
    return _text(
        f"{what} of {low} to {high} printable characters on one line",
        lambda text: low <= len(text) <= high and text.isprintable(),
    )


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _word(low: int, high: int) -> Rule:
    return _text(
        f"a word of {low} to {high} printable characters without spaces",
        lambda text: low <= len(text) <= high and text.isprintable() and " " not in text,
    )


def _choice(*choices: str) -> Rule:
    def read(value: object, base: Path) -> str:
        if value not in choices:
            raise InvalidValue(did_you_mean(str(value), choices))
        return value

    return Rule(f"{', '.join(choices[:-1])} or {choices[-1]}", read)


def _yes_or_no(value: object, base: Path) -> bool:
    if type(value) is not bool:
        raise InvalidValue
    return value


_YES_OR_NO = Rule("true or false", _yes_or_no)


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


def _texts(what: str, form: str = r"(?s).*\S.*", fits: Callable[[str], object] = lambda item: True) -> Rule:
    def read(value: object, base: Path) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)):
            raise InvalidValue
        for position, item in enumerate(value, start=1):
            if type(item) is not str or not re.fullmatch(form, item):
                raise InvalidValue(item=(position, item))
            try:
                fits(item)
            except ValueError:
                raise InvalidValue(item=(position, item)) from None
        return tuple(value)

    return Rule(f"a list of {what}", read)


_OPERATOR = _texts('addresses such as "ntfy://topic" or "mailtos://..."', r"[a-z][a-z0-9+.-]*://\S{1,500}")
_ORIGINS = _texts(
    'origins such as "https://games.example.org", without a path', r"https?://(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?"
)


_NETWORKS = _texts(
    'addresses or networks such as "127.0.0.1" or "10.0.0.0/8"',
    r"[0-9.]+(/\d{1,2})?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(/\d{1,3})?",
    lambda item: ipaddress.ip_network(item, strict=False),
)


def _clock(value: object, base: Path) -> str:
    if type(value) is not str:
        raise InvalidValue
    try:
        return str(parse_clock(value))
    except ClockError as error:
        raise InvalidValue(f" ({error})") from None


def _keep_rule(value: object, base: Path) -> str:
    if type(value) is not str:
        raise InvalidValue
    try:
        return str(parse_rule(value))
    except BadRule as error:
        raise InvalidValue(f" ({error})") from None


_PROVIDER_TEXTS: Mapping[str, tuple[str, str]] = {
    "id": (r"[a-z0-9][a-z0-9-]{0,31}", "a word of small letters, digits and dashes"),
    "name": (r"[^\x00-\x1f\x7f]{1,40}", "1 to 40 characters, for people"),
    "issuer": (r"https?://[!-~]{1,200}", "the address of the issuer"),
    "client_id": (r"[ -~]{1,255}", "what the provider calls this server"),
    "secret": (r"[^\0]{1,1000}", "the path of a file with the secret"),
    "secret_env": (r"[A-Za-z_][A-Za-z0-9_]{0,99}", "the name of an environment variable with the secret"),
    "name_claim": (r"[A-Za-z0-9_:./-]{1,100}", "the claim that proposes a name"),
    "accounts": (r"make|known", "make or known"),
}
"""By key of a provider: the form of its text, and what it is."""

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
    known = {*_PROVIDER_TEXTS, "scopes", "own_network"}
    for key in value:
        if key not in known:
            raise InvalidValue(inside=f"{where}there is no key {named(key)}{did_you_mean(key, known)}")
    for key, (form, what) in _PROVIDER_TEXTS.items():
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
_ADDRESS = _printable(1, 255, "an address of this machine, such as 127.0.0.1,")
LAST_PORT = 65535
_PORT = _whole(0, LAST_PORT)
_IP = _text('an IP address of this machine such as "192.168.1.7"', lambda text: text == "" or _is_ip(text))
_STORE = _text(
    "a database URL such as sqlite:////path/file.sqlite or postgresql+psycopg://host/name",
    lambda text: text == "" or re.fullmatch(r"[a-z0-9+]+://\S*", text),
)
_ENDPOINT = _text(
    'off, or an endpoint string such as "tcp:8080:interface=0.0.0.0"',
    lambda text: text == "" or (text.strip() and text.isprintable()),
)
_CLOCK = Rule(FORMS, _clock)
_KEEP_RULE = Rule(KEEP_FORMS, _keep_rule)
_SITE = _text(
    'the address of a page such as "https://games.example.org/"',
    lambda text: text == "" or re.fullmatch(r"https?://[!-~]{1,200}", text),
)
_METASERVER = _text(
    'the address of a metaserver such as "http://games.example.org:8090/", without ? and #',
    lambda text: text == "" or re.fullmatch(r"https?://[!\"$->@-~]{1,200}", text),
)
_HOST = _text(
    'a host such as "games.example.org"',
    lambda text: text == "" or re.fullmatch(r"[0-9A-Fa-f:.]{2,45}|[\w.-]{1,253}", text),
)
_NODE = _text(
    'a host and port such as "10.0.0.5:6926" or "[fd00::5]:6926"',
    lambda text: text == "" or re.fullmatch(r"(\[[0-9A-Fa-f:.]{2,45}\]|[\w.-]{1,253}):\d{1,5}", text),
)
_MAIL_SERVER = _text(
    'a host such as "mail.example.org" or "mail.example.org:587"',
    lambda text: text == "" or re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{1,5})?", text),
)
_MAIL = _text(
    'a mail address such as "games@example.org"',
    lambda text: text == "" or re.fullmatch(r"[!-?A-~]{1,64}@[\w.-]{1,253}", text),
)
_SIZE = 64 * MIB

# The class is of the connections' room, which knows no configuration.
_LIMITS: Mapping[str, Rule] = {
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
}


def default_data_directory(environment: Mapping[str, str] | None = None) -> Path:
    """Return `$XDG_DATA_HOME/tpserver`, or `~/.local/share/tpserver` if that is not set to an absolute path."""
    base = (os.environ if environment is None else environment).get("XDG_DATA_HOME", "")
    # A relative path there is invalid and must be ignored (XDG Base Directory Specification).
    home = Path(base) if base.startswith("/") else Path("~/.local/share").expanduser()
    return home / "tpserver"


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Section `[server]`: the server as a whole."""

    data: Annotated[Path, _path("a directory")] = field(default_factory=lambda: default_data_directory())
    """The directory of all persistent data: accounts, games, the control socket."""
    name: Annotated[str, _printable(1, 64)] = "tpserver"
    """The server's name in the lists of games that clients show."""
    store: Annotated[str, _STORE] = ""
    """The SQLAlchemy URL of the database; empty: a SQLite file in the data directory."""
    keep_connections: bool = False
    """Whether a process of its own keeps the connections of clients, while that with the games is replaced."""
    order_entries: Annotated[int, _whole(10, 1_000_000)] = 1000
    """Number of journal entries about orders in a turn from which they may be replaced by their result."""


@dataclass(frozen=True, slots=True)
class ListenConfig:
    """Section `[listen]`: where clients connect without TLS."""

    address: Annotated[str, _ADDRESS] = "127.0.0.1"
    """The local address for `port`; 0.0.0.0 or :: for all."""
    port: Annotated[int | None, _PORT] = None
    """The TCP port, 0 for any free one; None: 6923 unless `endpoints` are given."""
    endpoints: Annotated[tuple[str, ...], _texts('endpoint strings such as "tcp:6923:interface=0.0.0.0"')] = ()
    """Twisted endpoint strings, such as "tcp:6923:interface=0.0.0.0" or "unix:/run/tpserver"."""


@dataclass(frozen=True, slots=True)
class TlsConfig:
    """Section `[tls]`: where clients connect with TLS; nowhere without a certificate."""

    certificate: Annotated[Path | None, _path("a PEM file")] = None
    """PEM file with the certificate, followed by those of intermediate authorities."""
    key: Annotated[Path | None, _path("a PEM file")] = None
    """PEM file with the private key; without it the key is read from `certificate`."""
    address: Annotated[str, _ADDRESS] = "127.0.0.1"
    port: Annotated[int, _PORT] = 6924


@dataclass(frozen=True, slots=True)
class WebConfig:
    """Section `[web]`: where browsers connect."""

    address: Annotated[str, _ADDRESS] = "127.0.0.1"
    """The local address for `port`; 0.0.0.0 or :: for all."""
    port: Annotated[int | None, _PORT] = None
    """The TCP port, 0 for any free one; None: 8080 unless an `endpoint` is given."""
    endpoint: Annotated[str, _ENDPOINT] = ""
    """A Twisted endpoint string instead of address and port, such as for TLS; "off": no listener for browsers."""
    origins: Annotated[tuple[str, ...], _ORIGINS] = ()
    """Origins of other pages that may use this server, such as "https://games.example.org"."""
    tunnel: Literal["on", "off"] = "on"
    """Whether the protocol may be tunnelled through HTTP there."""
    ping_seconds: Annotated[float, _seconds(1, 3600)] = 30.0
    """Seconds of silence before a WebSocket is pinged, and maximum seconds for its answer."""


@dataclass(frozen=True, slots=True)
class ProxyConfig:
    """Section `[proxy]`: proxies in front of this server, which say whose connections they pass on."""

    addresses: Annotated[tuple[str, ...], _NETWORKS] = ()
    """Addresses and networks of the proxies; nobody else is believed."""
    header: bool = False
    """Whether their connections to `[listen]` and `[tls]` begin with a header of the PROXY protocol."""


@dataclass(frozen=True, slots=True)
class AccountsConfig:
    """Section `[accounts]`: who may create accounts."""

    policy: Literal["open", "register", "closed", "lockdown"] = "register"
    """open: an unknown name at login creates one; register: CreateAccount does; closed: only the operator does;
    lockdown: that, and only those come in who have a seat in a game already."""
    guests: bool = False
    """Whether somebody may play without an account of his own; not under lockdown."""
    guests_most: Annotated[int, _whole(1, 100_000)] = 200
    """Maximum guests, those who are away among them."""
    guest_days: Annotated[int, _whole(1, 366)] = 7
    """Days without a login after which a guest is removed, unless it is in a game that goes on."""


@dataclass(frozen=True, slots=True)
class OidcConfig:
    """Section `[oidc]`: sign-in through OpenID Connect; for that joserfc has to be installed."""

    site: Annotated[str, _SITE] = ""
    """The address of the server's page for the world, to which providers send browsers back; empty: notices.site."""
    providers: Annotated[tuple[Provider, ...], _PROVIDERS] = ()


@dataclass(frozen=True, slots=True)
class GamesConfig:
    """Section `[games]`: defaults for new games."""

    clock: Annotated[str, _CLOCK] = "all-done"
    join: Literal["open", "invited"] = "open"
    create: Literal["accounts", "operator"] = "accounts"
    """Who makes games: whoever has an account, or only the operator."""
    created_open: Annotated[int, _whole(1, 1000)] = 8
    """Maximum games made by an account that are not over."""
    idle_minutes: Annotated[int, _whole(1, 100_000)] = 10
    """Minutes after which a game that nobody is in, and in which nothing is due soon, leaves memory."""
    keep_snapshots: Annotated[str, _KEEP_RULE] = "all"
    """Which snapshots of old turns are kept; the others are computed again when somebody looks at them."""


@dataclass(frozen=True, slots=True)
class BackupConfig:
    """Section `[backup]`: copies of the database, made by a running server or by the operator."""

    every_hours: Annotated[float, _hours(0.1, 8760)] = 0.0
    """Hours from one backup to the next that the server makes by itself; 0: it makes none."""
    directory: Annotated[Path | None, _path("a directory")] = None
    """Where backups are; None: the directory `backups` in that of the data."""
    keep: Annotated[int, _whole(1, 10_000)] = 14
    """Number of backups that are kept; a new one takes the place of the oldest."""
    sample: Annotated[int, _whole(0, 10_000)] = 3
    """Number of games that are run again to prove a backup, those that were played last."""


@dataclass(frozen=True, slots=True)
class NoticesConfig:
    """Section `[notices]`: how players are told of their games while they are not there."""

    webhooks: Literal["off", "on"] = "off"
    """Whether notices go to webhooks; a server that sends some loads TLS."""
    own_network: Literal["refused", "allowed"] = "refused"
    """Whether notices may go to webhooks in the own network, and without TLS."""
    calendar: Literal["on", "off"] = "on"
    """Whether accounts get links to calendars of their turns; for that icalendar has to be installed."""
    site: Annotated[str, _SITE] = ""
    """The address of the server's page for the world, for links in notices; empty: there are none."""
    mail_server: Annotated[str, _MAIL_SERVER] = ""
    """The host of an SMTP server, with or without its port; empty: no mail."""
    mail_tls: Literal["starttls", "tls", "off"] = "starttls"
    mail_from: Annotated[str, _MAIL] = ""
    """The sender of mail."""
    mail_user: Annotated[str, _printable(0, 255, "a name")] = ""
    """The name to log in to the SMTP server with; empty: nobody logs in."""
    mail_password: Annotated[Path | None, _path("a file with a password")] = None
    push: Literal["off", "on"] = "off"
    """Whether notices go to browsers by Web Push; that needs its libraries, and loads TLS."""
    operator: Annotated[tuple[str, ...], _OPERATOR] = ()
    """Where the operator is told what should not wait, as addresses of Apprise; for that it has to be installed."""


@dataclass(frozen=True, slots=True)
class LogConfig:
    """Section `[log]`."""

    level: Literal["debug", "info", "warn", "error", "critical"] = "info"
    format: Literal["text", "json"] = "text"
    """A line of text for each event, or an object of JSON with its facts."""


@dataclass(frozen=True, slots=True)
class MetricsConfig:
    """Section `[metrics]`: where Prometheus asks; nowhere without a port."""

    address: Annotated[str, _ADDRESS] = "127.0.0.1"
    port: Annotated[int | None, _PORT] = None
    """The TCP port of http://address:port/metrics, 0 for any free one."""


@dataclass(frozen=True, slots=True)
class LanConfig:
    """Section `[lan]`: announcing the games on the local network, by multicast DNS."""

    announce: Literal["off", "on"] = "off"
    interface: Annotated[str, _IP] = ""
    """The address of the one interface to announce on; empty: all."""


@dataclass(frozen=True, slots=True)
class MetaserverConfig:
    """Section `[metaserver]`: publishing the games at a metaserver, which lists servers of the whole internet."""

    url: Annotated[str, _METASERVER] = ""
    """The address of the metaserver, such as "http://games.example.org:8090/"; empty: nothing is published."""
    host: Annotated[str, _HOST] = ""
    """The name or address by which players all over reach this server."""
    every_seconds: Annotated[int, _whole(60, 540)] = 300
    """Seconds from one publication to the next; metaservers forget what they have not heard of for 600."""


@dataclass(frozen=True, slots=True)
class AdminConfig:
    """Section `[admin]`: where administration consoles connect; nowhere without a user and a password."""

    user: Annotated[str, _word(0, 64)] = ""
    """The name by which the operator logs in; empty: no consoles."""
    password: Annotated[Path | None, _path("a file with a password")] = None
    address: Annotated[str, _ADDRESS] = "127.0.0.1"
    port: Annotated[int, _PORT] = 6925


@dataclass(frozen=True, slots=True)
class ClusterConfig:
    """Section `[cluster]`: this server as one of several that share a PostgreSQL database."""

    address: Annotated[str, _NODE] = ""
    """Where the other nodes reach this one; empty: it has its database for itself."""
    listen: Annotated[str, _NODE] = ""
    """Where this node listens for the others, if not at `address`, which then leads there."""
    lease_seconds: Annotated[int, _whole(3, 300)] = 10
    """Seconds after which a node that is not heard of is dead, and others take its games."""
    certificate: Annotated[Path | None, _path("a file with a certificate")] = None
    """What this node shows to the others: PEM, the certificate with its chain."""
    key: Annotated[Path | None, _path("a file with a private key")] = None
    """The private key; left out: it is in the file of the certificate."""
    authority: Annotated[Path | None, _path("a file with a certificate")] = None
    """Who has signed the certificates of all nodes: PEM; nobody else is talked to."""
    processes: Annotated[int, _whole(1, 64)] = 1
    """How many processes this server is, each a node of its own with the next port of `address`."""

    def address_of(self, process: int) -> str:
        """Return where the other nodes reach one of the processes, counted from 0."""
        host, _, port = self.address.rpartition(":")
        return f"{host}:{int(port) + process}" if process and self.address else self.address


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of the operator."""

    server: ServerConfig = field(default_factory=ServerConfig)
    listen: ListenConfig = field(default_factory=ListenConfig)
    tls: TlsConfig = field(default_factory=TlsConfig)
    web: WebConfig = field(default_factory=WebConfig)
    proxy: ProxyConfig = field(default_factory=ProxyConfig)
    accounts: AccountsConfig = field(default_factory=AccountsConfig)
    oidc: OidcConfig = field(default_factory=OidcConfig)
    games: GamesConfig = field(default_factory=GamesConfig)
    notices: NoticesConfig = field(default_factory=NoticesConfig)
    limits: Limits = field(default_factory=Limits)
    backup: BackupConfig = field(default_factory=BackupConfig)
    log: LogConfig = field(default_factory=LogConfig)
    metrics: MetricsConfig = field(default_factory=MetricsConfig)
    admin: AdminConfig = field(default_factory=AdminConfig)
    lan: LanConfig = field(default_factory=LanConfig)
    metaserver: MetaserverConfig = field(default_factory=MetaserverConfig)
    cluster: ClusterConfig = field(default_factory=ClusterConfig)

    @property
    def may_encrypt(self) -> bool:
        """Whether a listener uses TLS, or may by its kind of Twisted endpoint; or HTTP is spoken to others."""
        endpoints = [*self.listen.endpoints, *([self.web.endpoint] if self.web.endpoint not in ("", "off") else [])]
        speaks = "on" in (self.notices.webhooks, self.notices.push) or self.metaserver.url or self.oidc.providers
        if self.tls.certificate is not None or self.cluster.certificate is not None or speaks:
            return True
        return not all(_is_plain(endpoint) for endpoint in endpoints)


def of_process(config: Config, number: int) -> Config:
    """Return the configuration of one of the processes of a server, counted from 0, which share its ports.

    The first one alone does what is to be done once for all that they have in common: it makes the backups, announces
    and publishes the games, and has the one port for consoles.  Metrics are of each process, and so are their ports.
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


def _rules(section: type[Any]) -> Mapping[str, Rule]:
    """Return the rules of a section's keys, which stand in their annotations, or are a choice of words."""
    hints = get_type_hints(section, include_extras=True)
    return {
        key: _YES_OR_NO
        if hint is bool
        else _choice(*get_args(hint))
        if get_origin(hint) is Literal
        else hint.__metadata__[0]
        for key, hint in hints.items()
    }


SECTIONS: Mapping[str, Any] = {section.name: section.default_factory for section in fields(Config)}
"""By name: the class of the section."""

RULES: Mapping[str, Mapping[str, Rule]] = {
    name: _LIMITS if section is Limits else _rules(section) for name, section in SECTIONS.items()
}
"""By section and key: the rule."""


OPTIONS: Mapping[str, str] = {
    "server.data": "--data",
    "listen.port": "--port",
    "listen.endpoints": "--listen",
    "web.endpoint": "--web",
    "web.port": "--web-port",
    "accounts.policy": "--accounts",
}
"""The command line option of a key, named in messages about overrides."""


LARGEST_FILE = MIB
"""Maximum bytes of a configuration file; a longer one must be a mistake."""


class ConfigError(ValueError):
    """An invalid configuration; the message is one sentence naming the place and what is allowed."""


def load(path: str | Path | None = None, overrides: Mapping[str, object] | None = None) -> Config:
    """Return the configuration: defaults, then the TOML file `path` if given, then `overrides` from the command line.

    `overrides` maps "section.key" to a value of the key's type, or None if it was not given.  Paths in the file are
    relative to the file, those in overrides to the working directory.

    Raises ConfigError with one sentence for the first error.
    """
    values: dict[str, dict[str, Any]] = {section: {} for section in RULES}
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
        if section not in RULES:
            raise ConfigError(f"command line: there is no key {named(name)}{did_you_mean(name, _all_keys())}")
        rule = _rule(section, key, "command line")
        values[section][key] = _read(rule, value, OPTIONS.get(name, name), "command line", Path.cwd())
    config = Config(**{section: SECTIONS[section](**given) for section, given in values.items()})
    return _agreed(config, "the configuration" if path is None else str(path))


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
        text = raw.decode()
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
        raise ConfigError(f"{path}, {place}: this is not TOML: {what[:1].lower()}{what[1:]}") from None


def _sections(document: Mapping[str, Any], place: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
    for section, table in document.items():
        if section in RULES and isinstance(table, dict):
            yield section, table
        elif section in RULES:
            raise ConfigError(
                f"{place}: {section} is {shown(table)}, but must be a section: write [{section}] and below it its keys"
            )
        elif isinstance(table, dict):
            near = difflib.get_close_matches(section, RULES, n=1)
            hint = f"; did you mean [{near[0]}]?" if near else ""
            raise ConfigError(f"{place}: there is no section [{named(section)}]{hint} (there are {_all_sections()})")
        else:
            hint = did_you_mean(section, _all_keys())
            raise ConfigError(
                f"{place}: {named(section)} stands before the first section, but every key has one{hint} "
                f"(there are {_all_sections()})"
            )


def _rule(section: str, key: str, place: str) -> Rule:
    rules = RULES[section]
    if key in rules:
        return rules[key]
    hint = did_you_mean(key, rules) or did_you_mean(key, _all_keys())
    raise ConfigError(f"{place}: there is no key {section}.{named(key)}{hint} ([{section}] has {', '.join(rules)})")


def _read(rule: Rule, value: object, name: str, place: str, base: Path) -> Any:
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


def _agreed(config: Config, place: str) -> Config:
    """Return the configuration.  Raises ConfigError if its keys contradict each other."""
    if config.tls.key is not None and config.tls.certificate is None:
        raise ConfigError(f"{place}: tls.key is set, but tls.certificate is not; TLS needs both")
    if config.web.endpoint and config.web.port is not None:
        raise ConfigError(f"{place}: web.endpoint and web.port are both set; the endpoint has a port of its own")
    notices = config.notices
    if notices.mail_server and not notices.mail_from:
        raise ConfigError(f"{place}: notices.mail_server is set, but notices.mail_from is not; mail needs a sender")
    if notices.push == "on" and not (notices.site.startswith("https:") or notices.mail_from):
        raise ConfigError(
            f"{place}: notices.push is on, but neither notices.site is set to a https address nor notices.mail_from; "
            "the services of browsers want to know who sends"
        )
    if notices.mail_user and (notices.mail_password is None or notices.mail_tls == "off"):
        raise ConfigError(
            f"{place}: notices.mail_user is set, but to log in needs notices.mail_password, and TLS, which is off"
            if notices.mail_password is not None
            else f"{place}: notices.mail_user is set, but notices.mail_password, the file with the password, is not"
        )
    if config.oidc.providers and not (config.oidc.site or notices.site):
        raise ConfigError(f"{place}: oidc.providers is set, but oidc.site, to which they send browsers back, is not")
    if config.admin.user and config.admin.password is None:
        raise ConfigError(f"{place}: admin.user is set, but admin.password, the file with the password, is not")
    if config.metaserver.url and not config.metaserver.host:
        raise ConfigError(
            f"{place}: metaserver.url is set, but metaserver.host, where players reach the server, is not"
        )
    if config.cluster.address and not config.server.store.startswith("postgresql"):
        raise ConfigError(
            f"{place}: cluster.address is set, but server.store is no PostgreSQL database; SQLite is for one server"
        )
    cluster = config.cluster
    if (cluster.certificate is None) != (cluster.authority is None):
        raise ConfigError(
            f"{place}: cluster.certificate and cluster.authority are set together: what this node shows to the others, "
            "and who has signed what they show"
        )
    for key in ("address", "listen"):
        where = getattr(cluster, key)
        host = where.rpartition(":")[0].strip("[]")
        if cluster.address and where and cluster.certificate is None and not is_loopback(host):
            raise ConfigError(
                f"{place}: cluster.{key} is {where}, which other machines reach, so that cluster.certificate "
                "and cluster.authority have to be set; without them nodes talk on one machine only, as at "
                "127.0.0.1:6926"
            )
    if cluster.address and config.server.keep_connections:
        raise ConfigError(
            f"{place}: server.keep_connections and cluster.address are set, but a node does not keep its connections "
            "over a restart; tpserver node drain hands its games over before"
        )
    if config.cluster.processes > 1:
        _check_processes(config, place)
    limits = config.limits
    if limits.unsent_bytes < limits.pause_bytes:
        raise ConfigError(
            f"{place}: limits.unsent_bytes is {limits.unsent_bytes}, "
            f"but must be at least limits.pause_bytes, which is {limits.pause_bytes}"
        )
    return config


def _check_processes(config: Config, place: str) -> None:
    """Raise ConfigError if a server cannot be several processes."""
    cluster, number = config.cluster, config.cluster.processes
    is_several = f"{place}: cluster.processes is {number}, but"
    if not cluster.address:
        raise ConfigError(f"{is_several} cluster.address is not set; each process is a node of a cluster")
    for name, first in (
        ("cluster.address", int(cluster.address.rpartition(":")[2])),
        ("metrics.port", config.metrics.port),
    ):
        if first is not None and first + number - 1 > LAST_PORT:
            raise ConfigError(f"{is_several} {name} has the port {first}: there are not as many after it")
    for name, endpoint in [
        *(("listen.endpoints", endpoint) for endpoint in config.listen.endpoints),
        *([("web.endpoint", config.web.endpoint)] if config.web.endpoint not in ("", "off") else []),
    ]:
        if not endpoint.lower().startswith("tcp:"):
            raise ConfigError(
                f"{is_several} {name} has {shown(endpoint)}; processes share only what begins with tcp:, and [tls]"
            )


def _all_sections() -> str:
    return ", ".join(f"[{name}]" for name in RULES)


def _all_keys() -> list[str]:
    return [f"{section}.{key}" for section, rules in RULES.items() for key in rules]
