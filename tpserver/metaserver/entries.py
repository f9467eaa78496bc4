"""Entries of a metaserver: bounded, and dropped without updates.

Servers create their entries themselves. So the text is untrusted, and each entry is checked, printable and short.
"""

from __future__ import annotations

import bisect
import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tpproto import tp_pb2 as tp
from tpproto.dialects import METASERVER_DIALECT
from tprules.printable import printable
from tpserver.addresses import is_public, network_of
from tpserver.network_counts import HeldCounts, may_take

LIVES_SECONDS = 600.0
"""Seconds for which an entry is listed after its last update."""

CLOCK_TOLERANCE = 60.0
"""Seconds by which the clock may go back before later entries count as from the future."""

MOST_ENTRIES, MOST_PER_NETWORK = 4096, 64
"""Maximum entries in total, and from one address. Wider networks may have more (see `levels_of`).

The second half of the list is for networks without an entry.
"""

MOST_WAYS = 8
"""Maximum ways to a game; further ones are left out."""

LONGEST_NAME, LONGEST_VALUE, LONGEST_KEY = 100, 200, 200
"""Maximum characters of a name, of another value and of a key."""

KINDS = ("tp", "tps", "tp+http", "tp+https")
REQUIRED = ("tp", "server", "sertype", "rule", "rulever")
OPTIONAL = ("plys", "cons", "objs", "admin", "cmt", "turn", "next", "prd", "sn")

PARAMETERS: Mapping[str, int] = {
    "plys": 1,
    "cons": 2,
    "objs": 3,
    "admin": 4,
    "cmt": 5,
    "next": 6,
    "sn": 8,
    "turn": 9,
    "prd": 10,
}
"""The number of each key in a Game frame.

Numbers are sent as numbers.
"""

TEXTS = ("admin", "cmt", "sn")


class NotListed(Exception):
    """An update is refused. The message is a sentence, and ``code`` is an HTTP status."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True, slots=True)
class Way:
    """A location of a game: one of `KINDS`, a host name, an address, and a port."""

    kind: str
    dns: str
    ip: str
    port: int


@dataclass(frozen=True, slots=True)
class Entry:
    """Listed data of a game.

    `key` is a digest, `network` is that in which it counts, `seen` is the time of its last update.
    """

    name: str
    facts: tuple[tuple[str, str], ...]
    ways: tuple[Way, ...]
    key: str
    network: str
    seen: float


class Entries:
    """The list. `now` returns unix seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._entries: dict[str, Entry] = {}
        """By name, the one with the oldest update first."""
        self._names: list[str] = []
        """Sorted."""
        self._latest = 0.0
        """The latest time of an entry or of the clock."""
        self._held = HeldCounts()
        self._changes = 0

    @property
    def version(self) -> int:
        """A number that changes with the list."""
        self._forget()
        return self._changes

    def all(self) -> list[Entry]:
        """Return the listed entries, by name."""
        self._forget()
        return [self._entries[name] for name in self._names]

    def update(self, said: Mapping[str, str], address: str, hosts: Collection[str]) -> Entry:
        """Create or renew the entry that a server at this address requests. Raises NotListed.

        `hosts` are those of its host names that lead to that address. Others are not listed. A server of the own
        network may name its address. Another one is listed with the address of its request.
        """
        self._forget()
        name = _value(said, "ln" if "ln" in said else "name", LONGEST_NAME)
        key = hashlib.sha256(_value(said, "key", LONGEST_KEY).encode()).hexdigest()
        known, network = self._entries.get(name), network_of(address)
        if known is not None and known.key != key:
            raise NotListed(403, "Another server is listed by this name, and this key is not its own.")
        if known is None and len(self._entries) >= MOST_ENTRIES:
            raise NotListed(503, f"This list is full: it has {MOST_ENTRIES} entries.")
        is_new = self._held.is_new(network)
        if known is None and not may_take(len(self._entries), MOST_ENTRIES, is_new=is_new, is_known=is_new):
            raise NotListed(503, "This list is almost full: its last places are for networks without an entry.")
        if (known is None or known.network != network) and self._held.is_full(network, MOST_PER_NETWORK):
            raise NotListed(403, f"There are {MOST_PER_NETWORK} entries from your address, and may be no more.")
        facts = [(field, _value(said, field, LONGEST_VALUE)) for field in REQUIRED]
        facts += [(field, _value(said, field, LONGEST_VALUE, "")) for field in OPTIONAL if field in said]
        if "ln" not in said and "sn" not in said and "next" not in said and "turn" in said:
            # Programs of 2005 send as "turn" the time of the next turn.
            facts = [("next" if field == "turn" else field, value) for field, value in facts]
        entry = Entry(name, tuple(facts), _ways(said, address, hosts), key, network, self._now())
        self._remove(name)
        self._add(entry)
        return entry

    def _add(self, entry: Entry) -> None:
        self._entries[entry.name] = entry
        bisect.insort(self._names, entry.name)
        self._latest = max(self._latest, entry.seen)
        self._held.add(entry.network)
        self._changes += 1

    def _remove(self, name: str) -> None:
        entry = self._entries.pop(name, None)
        if entry is not None:
            del self._names[bisect.bisect_left(self._names, name)]
            self._held.remove(entry.network)
            self._changes += 1

    def dump(self) -> str:
        """Return the list as text for a file."""
        return json.dumps([asdict(entry) for entry in self.all()])

    def load(self, text: str) -> None:
        """Restore a list that `dump` has returned, without expired entries. Raises ValueError."""
        try:
            found = [_entry(item) for item in json.loads(text)]
        except (TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(f"this is no list of a metaserver: {error!r}") from None
        for name in list(self._names):
            self._remove(name)
        for entry in sorted(found[:MOST_ENTRIES], key=lambda entry: entry.seen):
            self._remove(entry.name)
            self._add(entry)
        self._forget()

    def _forget(self) -> None:
        now = self._now()
        if now < self._latest - CLOCK_TOLERANCE:  # the clock was set back, and entries are from the future
            for name in [one.name for one in self._entries.values() if one.seen > now + CLOCK_TOLERANCE]:
                self._remove(name)
            self._latest = now
        self._latest = max(self._latest, now)
        while self._entries and (first := next(iter(self._entries.values()))).seen < now - LIVES_SECONDS:
            self._remove(first.name)


def hosts_of(said: Mapping[str, str]) -> list[str]:
    """Return the host names in an update, at most MOST_WAYS."""
    found = dict.fromkeys(said.get(f"dns{number}", "") for number in range(MOST_WAYS))
    return [host for host in found if _is_host(host)]


def frames(entries: Iterable[Entry]) -> bytes:
    """Return the list in the format of programs of 2005-2010."""
    return join_frames([frame(entry) for entry in entries])


def frame(entry: Entry) -> bytes:
    """Return the Game frame of an entry, in the form of TP03."""
    return METASERVER_DIALECT.join_payloads(1, [METASERVER_DIALECT.payload(66, listed_game(entry))])


def join_frames(games: Sequence[bytes]) -> bytes:
    """Return Game frames after the Sequence frame with their number."""
    sequence = METASERVER_DIALECT.payload(2, tp.Sequence(number=len(games)))
    return b"".join([METASERVER_DIALECT.join_payloads(1, [sequence]), *games])


def objects(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """Return the list for JSON: name, facts, locations, and the time of the last update of each entry."""
    return list(map(object_of, entries))


def object_of(entry: Entry) -> dict[str, Any]:
    """Return an entry for JSON."""
    return {
        "name": entry.name,
        **dict(entry.facts),
        "ways": [asdict(way) for way in entry.ways],
        "seen": int(entry.seen),
    }


def listed_game(entry: Entry) -> tp.ListedGame:
    """Return the message of a Game frame with an entry."""
    facts = dict(entry.facts)
    parameters = [_parameter(number, facts[key], key in TEXTS) for key, number in PARAMETERS.items() if key in facts]
    return tp.ListedGame(
        name=entry.name,
        tp=facts["tp"].split(","),
        server=facts["server"],
        server_type=facts["sertype"],
        rule=facts["rule"],
        rule_version=facts["rulever"],
        connections=[tp.GameConnection(type=way.kind, dns=way.dns, ip=way.ip, port=way.port) for way in entry.ways],
        parameters=[parameter for parameter in parameters if parameter is not None],
    )


def _parameter(number: int, value: str, is_text: bool) -> tp.GameParameter | None:
    if is_text:
        return tp.GameParameter(id=number, string_value=value)
    if not value.isascii() or not value.isdigit() or len(value) > 10 or int(value) > 0xFFFFFFFF:
        return None
    return tp.GameParameter(id=number, int_value=int(value))


def _value(said: Mapping[str, str], field: str, longest: int, default: str | None = None) -> str:
    value = said.get(field, default)
    if value is None or (not value and default is None):
        raise NotListed(400, f"{field} is missing.")
    if len(value) > longest:
        raise NotListed(400, f"{field} has {len(value)} characters; {longest} are the most.")
    return printable(value)


def _ways(said: Mapping[str, str], address: str, hosts: Collection[str]) -> tuple[Way, ...]:
    found: list[Way] = []
    for number in range(MOST_WAYS):
        kind = said.get(f"type{number}")
        if kind is None:
            break
        port = said.get(f"port{number}", "")
        if kind not in KINDS:
            raise NotListed(400, f"type{number} is not one of {', '.join(KINDS)}.")
        if not port.isascii() or not port.isdigit() or not 1 <= int(port[:6]) <= 65535:
            raise NotListed(400, f"port{number} is no port from 1 to 65535.")
        told = said.get(f"ip{number}", "")
        ip = told if not is_public(address) and is_public(told) is not None else address
        dns = said.get(f"dns{number}", "")
        found.append(Way(kind, dns if dns in hosts else ip, ip, int(port)))
    if not found:
        raise NotListed(400, "type0, dns0, ip0 and port0 are missing: a game needs a way to it.")
    return tuple(found)


def _is_host(host: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9._:-]{1,253}", host) is not None


def _entry(item: Any) -> Entry:
    ways = [Way(str(way["kind"]), str(way["dns"]), str(way["ip"]), int(way["port"])) for way in item["ways"]]
    facts = [(str(field), str(value)) for field, value in item["facts"]]
    if not set(REQUIRED) <= dict(facts).keys():
        raise KeyError("facts")
    return Entry(
        str(item["name"]), tuple(facts), tuple(ways), str(item["key"]), str(item["network"]), float(item["seen"])
    )
