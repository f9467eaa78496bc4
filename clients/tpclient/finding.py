"""Finds servers through a metaserver and on the local network.

Both sources are untrusted: the data is bounded, checked and shown as text only.
"""

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from tpclient.errors import BadArgument, ClientError
from tpproto import tp_pb2
from tpproto.dialects import METASERVER_DIALECT, TP03
from tpproto.errors import FrameError
from tpproto.stream import FrameReader, RawFrame

MOST_BYTES = 8 << 20
"""Maximum bytes of a metaserver's list."""

MOST_GAMES = 5000
"""Maximum games that are taken from a metaserver or from the network."""

KINDS = {"_tp": "tp", "_tps": "tps", "_tp-http": "tp+http", "_tp-https": "tp+https"}
"""Type of a service on the network -> the way to the server."""

OPEN = ("tp", "tps")
"""The ways that this client goes."""

LAN_SECONDS = 3.0
"""Default seconds for listening to the network."""

_NUMBERS = {1: "plys", 2: "cons", 3: "objs", 4: "admin", 5: "cmt", 6: "next", 8: "sn", 9: "turn", 10: "prd"}
"""Number of a parameter of a Game frame -> its key."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to a game: tp, tps, tp+http or tp+https, a host, and a port."""

    kind: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.kind}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class FoundGame:
    """A game from a metaserver or the network.

    `facts` are texts by the keys of the metaserver's protocol, such as plys (players).
    """

    name: str
    rule: str
    rule_version: str
    server: str
    facts: Mapping[str, str]
    ways: tuple[Way, ...]
    source: str
    """The address of the metaserver, or "lan"."""

    @property
    def address(self) -> str:
        """Return the value for --address; "" if this client supports no way."""
        return next((str(way) for kind in OPEN for way in self.ways if way.kind == kind), "")

    @property
    def login(self) -> str:
        """Return the part after the @ of a user name; "" if unknown."""
        return self.facts.get("sn", "")


def from_metaserver(url: str, seconds: float = 30.0) -> list[FoundGame]:
    """Request the list of a metaserver. Raises BadArgument and ClientError."""
    if not url.startswith(("http://", "https://")):
        raise BadArgument(f"{url!r}: a metaserver is named as http://HOST:PORT/.")
    request = urllib.request.Request(url, b"action=get", {"User-Agent": "tpclient"})
    until = time.monotonic() + seconds
    data = bytearray()
    try:
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            while piece := answer.read1(65536):
                data += piece
                if len(data) > MOST_BYTES:
                    raise ClientError(f"The list of {url} is longer than {MOST_BYTES} bytes.")
                if time.monotonic() > until:
                    raise ClientError(f"{url} has not told its list within {seconds:g} seconds.")
    except urllib.error.HTTPError as error:
        raise ClientError(f"{url} answers with {error.code}, and no list.") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise ClientError(f"{url} cannot be asked: {getattr(reason, 'strerror', None) or reason}.") from None
    try:
        return read_list(bytes(data), url)
    except FrameError as error:
        raise ClientError(f"{url} does not answer with a list of games: {error.text}") from None


def everywhere(
    metaservers: Iterable[str], seconds: float = LAN_SECONDS, interface: str = ""
) -> tuple[list[FoundGame], list[str]]:
    """Return the games of metaservers and of the local network, and a sentence for each failed request.

    `seconds` and `interface` are those of `on_lan`.
    """
    found: list[FoundGame] = []
    faults: list[str] = []
    for look in (*(partial(from_metaserver, url) for url in metaservers), partial(on_lan, seconds, interface)):
        try:
            found += look()
        except ClientError as error:
            faults.append(str(error))
    return found, faults


def read_list(data: bytes, source: str = "") -> list[FoundGame]:
    """Read the response of a metaserver: Sequence, and as many Game frames. Raises FrameError."""
    events = FrameReader(dialect=TP03).feed(data)
    first, frames = (events[0] if events else None), events[1:]
    if not isinstance(first, RawFrame) or first.kind not in (1, 2):
        raise FrameError("it does not begin with a Sequence frame.")
    head: Any = METASERVER_DIALECT.decode_body(first.kind, first.body)
    if first.kind == 1:
        raise FrameError(head.result or "it says that it has failed.")
    if len(frames) != head.number or head.number > MOST_GAMES:
        raise FrameError(f"it announces {head.number} games and has {len(frames)}; {MOST_GAMES} are the most.")
    found = []
    for frame in frames:
        if not isinstance(frame, RawFrame) or frame.kind != 66:
            raise FrameError("there is something else than Game frames in it.")
        game: Any = METASERVER_DIALECT.decode_body(frame.kind, frame.body)
        found.append(_listed(game, source))
    return found


def _listed(game: tp_pb2.ListedGame, source: str) -> FoundGame:
    facts = {_NUMBERS[one.id]: one.string_value or str(one.int_value) for one in game.parameters if one.id in _NUMBERS}
    ways = tuple(Way(one.type, one.dns or one.ip, one.port) for one in game.connections)
    return FoundGame(game.name, game.rule, game.rule_version, f"{game.server_type} {game.server}", facts, ways, source)


def on_lan(seconds: float = LAN_SECONDS, interface: str = "") -> list[FoundGame]:
    """Listen to announcements on the local network for some seconds.

    `interface` is the address of the only interface to listen on; empty means all. Raises ClientError.
    """
    try:
        from zeroconf import InterfaceChoice, ServiceBrowser, ServiceStateChange, Zeroconf
    except ImportError:
        raise ClientError("To look at the local network needs zeroconf: pip install 'tpserver[lan]'.") from None
    seen: dict[tuple[str, str], Any] = {}

    def changed(zeroconf: Any, service_type: str, name: str, state_change: Any) -> None:
        if state_change is ServiceStateChange.Removed:
            seen.pop((service_type, name), None)
        elif len(seen) < MOST_GAMES:
            seen[service_type, name] = None

    try:
        zeroconf = Zeroconf(interfaces=[interface] if interface else InterfaceChoice.All)
    except OSError as error:
        raise ClientError(f"The local network cannot be listened to: {error.strerror or error}.") from None
    try:
        browser = ServiceBrowser(zeroconf, [f"{kind}._tcp.local." for kind in KINDS], handlers=[changed])
        time.sleep(seconds)
        infos = [zeroconf.get_service_info(kind, name, 1000) for kind, name in list(seen)]
        browser.cancel()
    finally:
        zeroconf.close()
    return _announced(info for info in infos if info is not None)


def _announced(infos: Iterable[Any]) -> list[FoundGame]:
    """Merge the services of one game at one server. There are several if there are several ways to it."""
    games: dict[tuple[str, str], tuple[dict[str, str], list[Way]]] = {}
    for info in infos:
        kind = KINDS.get(info.type.partition(".")[0])
        addresses = info.parsed_addresses()
        if kind is None or not addresses or not info.port:
            continue
        name = info.name.removesuffix(f".{info.type}")
        facts = {key: value or "" for key, value in info.decoded_properties.items()}
        _, ways = games.setdefault((name, addresses[0]), (facts, []))
        ways.append(Way(kind, addresses[0], info.port))
    return [
        FoundGame(
            facts.get("ln") or name,
            facts.get("rule", ""),
            facts.get("rulever", ""),
            f"{facts.get('sertype', '')} {facts.get('server', '')}".strip(),
            facts,
            tuple(sorted(ways, key=lambda way: list(KINDS.values()).index(way.kind))),
            "lan",
        )
        for (name, _), (facts, ways) in sorted(games.items())
    ]
