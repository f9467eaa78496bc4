"""Publishing of the games at a metaserver, by the protocol of 2005.

It sends a GET for each game, repeatedly. The operator names the metaserver, but its responses are not trusted. It may
hang, lie or be offline without harm. Only the success or failure of an update is read from them.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol
from urllib.parse import urlencode, urlsplit

from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger

from tprules.printable import printable
from tpserver.concurrency import Clock
from tpserver.files import write_whole
from tpserver.http_client import Answer, Unanswered
from tpserver.periodic import Repeated
from tpserver.publishing.listing import Location, PublicGame

log = Logger()

SECRET = "metaserver.key"
"""The file in the data directory with the secret for the keys."""

LONGEST_REASON = 120
"""Maximum characters of a metaserver's response that are logged."""

WHO = "the metaserver"


class Client(Protocol):
    """Interface of the HTTP client, an `http_client.HttpClient`."""

    async def ask(self, method: str, url: str, headers: dict[str, str], body: bytes = b"") -> Answer: ...


def read_secret(directory: Path) -> bytes:
    """Return the secret of a data directory, which is created on the first call. Raises OSError."""
    path = directory / SECRET
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        found = b""
    if len(found) == 32:
        return found
    secret = secrets.token_bytes(32)
    write_whole(path, secret)
    return secret


def key_of(secret: bytes, url: str, name: str) -> str:
    """Return the key of an entry. It is constant, useless at another metaserver, and reveals nothing."""
    return hmac.new(secret, f"{url}\n{name}".encode(), hashlib.sha256).hexdigest()[:32]


def update_url(metaserver: str, key: str, game: PublicGame, ways: Sequence[Location]) -> str:
    """Return the address whose GET publishes a game. `metaserver` is the address without a query."""
    words: dict[str, str] = {"action": "update", "key": key, **dict(game.facts)}
    for number, way in enumerate(ways):
        words |= {f"type{number}": way.kind, f"dns{number}": way.host}
        words |= {f"ip{number}": way.host if _is_address(way.host) else "", f"port{number}": str(way.port)}
    path = "" if urlsplit(metaserver).path else "/"
    return f"{metaserver}{path}?{urlencode(words)}"


def _is_address(host: str) -> bool:
    return host.replace(".", "").isdigit() or ":" in host


class Publisher:
    """Publishes games while it is started.

    `wanted` returns a Deferred of the games to publish now, and of their locations. `url` is the metaserver's. Rounds
    begin `every` seconds apart, or when the last one has ended if that is later.
    """

    def __init__(
        self,
        clock: Clock,
        client: Client,
        url: str,
        secret: bytes,
        every: float,
        wanted: Callable[[], Deferred[tuple[Sequence[PublicGame], Sequence[Location]]]],
    ) -> None:
        self._client = client
        self._url = url
        self._secret = secret
        self._wanted = wanted
        self._round: Deferred[None] | None = None
        self._looking = Repeated(clock, every, self._begin)
        self._complained = ""

    def start(self) -> None:
        """Begin to publish."""
        self._looking.start()

    def stop(self) -> None:
        """Stop publishing; a pending request is dropped. The metaserver drops the games by itself."""
        self._looking.stop()
        if self._round is not None:
            self._round.cancel()

    def _begin(self) -> Deferred[None]:
        self._round = Deferred.fromCoroutine(self._publish())
        return self._round

    async def _publish(self) -> None:
        """Publish all games once; the first one without a response ends the round."""
        try:
            games, ways = await self._wanted()
            for game in games if ways else ():
                name = dict(game.facts)["ln"]
                address = update_url(self._url, key_of(self._secret, self._url, name), game, ways)
                answer = await self._client.ask("GET", address, {"User-Agent": "tpserver"})
                if answer.code != 200:
                    said = printable(answer.body.decode(errors="replace").strip(), LONGEST_REASON)
                    self._complain(f"{WHO} answers with {answer.code}{f': {said}' if said else ''}")
                    return
            if self._complained:
                self._complained = ""
                log.info("the games are published at {url} again", url=self._url)
        except CancelledError:
            return
        except Unanswered as error:
            self._complain(error.told(WHO))
        except Exception:
            log.failure("the games could not be published")

    def _complain(self, why: str) -> None:
        """Notify the operator, once for each reason until publishing works again."""
        if why != self._complained:
            self._complained = why
            log.warn("the games are not published at {url}: {why}", url=self._url, why=why)
