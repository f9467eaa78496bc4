"""HTTP client for untrusted addresses, such as webhooks of players.

The module looks up a name, checks all its addresses, and connects to a checked one. So no name can lead into the
server's own network. It does not follow redirects, and bounds time and bytes. It loads TLS, so import it only for the
first request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from twisted.internet import defer
from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint, wrapClientTLS
from twisted.internet.error import ConnectError, ConnectionLost, DNSLookupError
from twisted.internet.interfaces import IResolutionReceiver, IStreamClientEndpoint
from twisted.internet.protocol import Protocol
from twisted.internet.ssl import optionsForClientTLS
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.web.client import URI, Agent, HTTPConnectionPool, ResponseFailed
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgentEndpointFactory, IBodyProducer
from zope.interface import implementer  # type: ignore[import-untyped] # zope.interface has no annotations

from tpserver.addresses import is_public

SECONDS = 20.0
"""Maximum seconds of a request, from the look-up of the name to the end of the answer."""
CONNECT_SECONDS = 8.0
"""Maximum seconds to connect to one address."""
MOST_ADDRESSES = 3
"""Maximum addresses of a name that are tried."""
ANSWER_BYTES = 64 * 1024
"""Maximum bytes of an answer, with its headers; the connection is cut at more."""

# Twisted annotates only some of these.
_Wrapper: Any = ProtocolWrapper
_Factory: Any = WrappingFactory
_Agent: Any = Agent
_Pool: Any = HTTPConnectionPool


class Unanswered(Exception):
    """The request got no response. ``final``: it will never get one."""

    def __init__(self, why: str, final: bool = False) -> None:
        """Create it; ``why`` is part of a sentence, with {who} for the other side."""
        super().__init__(why)
        self.final = final

    def told(self, who: str) -> str:
        """Return why, naming the other side, such as "the receiver"."""
        return str(self).replace("{who}", who)


class Answer(NamedTuple):
    """The response to a request.

    ``headers`` has the last value of each header, by its name in lower case. ``body`` is the beginning of the body, and
    empty unless the code is from 200 to 299.
    """

    code: int
    headers: Mapping[str, str]
    body: bytes


class _OwnNetwork(Exception):
    """A name leads into the server's own network."""


class HttpClient:
    """Makes requests.

    ``own_network``: they may go to the server's own network. ``tls`` returns how to check the certificate of a host.
    """

    def __init__(self, reactor: Any, *, own_network: bool = False, tls: Callable[[str], Any] | None = None) -> None:
        self._reactor = reactor
        self._own_network = own_network
        self._tls = tls or optionsForClientTLS

    async def ask(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        """Make a request and return its answer. Raises Unanswered."""
        doing = Deferred.fromCoroutine(self._ask(method, url, headers, body))
        doing.addTimeout(SECONDS, self._reactor)
        try:
            return await doing
        except _OwnNetwork:
            raise Unanswered("{who}'s name leads into the server's own network", final=True) from None
        except (defer.TimeoutError, CancelledError):
            raise Unanswered(f"{{who}} does not answer within {SECONDS:g} s") from None
        except DNSLookupError:
            raise Unanswered("{who}'s name is not known") from None
        except ConnectError:
            raise Unanswered("nobody listens at {who}'s address") from None
        except ResponseFailed as error:
            raise Unanswered(_why(error)) from None

    async def _ask(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        way = _Way(self._reactor, self._own_network, self._tls)
        agent = _Agent.usingEndpointFactory(self._reactor, way, _Pool(self._reactor, persistent=False))
        sent = Headers({name: [value] for name, value in headers.items()})
        try:
            answer = await agent.request(method.encode(), url.encode(), sent, _Body(body))
        except ResponseFailed:
            if way.is_too_long:
                raise Unanswered(f"{{who}}'s answer is longer than {ANSWER_BYTES} bytes") from None
            raise
        reader = _Reader()
        answer.deliverBody(reader)
        read = await reader.done if 200 <= answer.code < 300 else reader.stop()
        said = {
            name.decode("ascii", "replace").lower(): values[-1].decode(errors="replace")
            for name, values in answer.headers.getAllRawHeaders()
        }
        return Answer(answer.code, said, read)


def _why(error: ResponseFailed) -> str:
    reasons = [reason.value for reason in error.reasons]
    if any(type(reason).__module__.startswith(("OpenSSL", "service_identity")) for reason in reasons):
        return "{who}'s certificate cannot be trusted"
    if any(isinstance(reason, CancelledError | defer.TimeoutError) for reason in reasons):
        return f"{{who}} does not answer within {SECONDS:g} s"
    if any(isinstance(reason, ConnectionLost) for reason in reasons):
        return "{who} ends the connection without an answer"
    return "{who} does not answer as HTTP has it"


@implementer(IBodyProducer)
class _Body:
    """A short body, written at once."""

    def __init__(self, body: bytes) -> None:
        self.length = len(body)
        self._body = body

    def startProducing(self, consumer: Any) -> Deferred[None]:
        consumer.write(self._body)
        return succeed(None)

    def pauseProducing(self) -> None: ...

    def resumeProducing(self) -> None: ...

    def stopProducing(self) -> None: ...


class _Reader(Protocol):
    """Reads the beginning of a body and ends the connection."""

    def __init__(self) -> None:
        self.done: Deferred[bytes] = Deferred(lambda _: self._cut())
        self._read = b""

    def dataReceived(self, data: bytes) -> None:
        self._read += data
        if len(self._read) >= ANSWER_BYTES // 2:
            self.stop()

    def connectionLost(self, reason: object = None) -> None:
        self._end()

    def stop(self) -> bytes:
        """Stop reading, and return the bytes read."""
        self._cut()
        self._end()
        return self._read

    def _cut(self) -> None:
        transport: Any = self.transport
        if transport is not None:
            transport.loseConnection()

    def _end(self) -> None:
        if not self.done.called:
            self.done.callback(self._read)


class _Limited(_Wrapper):  # type: ignore[misc] # see above
    """A connection that is cut if the response is too long."""

    left = ANSWER_BYTES

    def dataReceived(self, data: bytes) -> None:
        self.left -= len(data)
        if self.left < 0:
            self.factory.way.is_too_long = True
            self.abortConnection()
        else:
            super().dataReceived(data)


class _LimitedFactory(_Factory):  # type: ignore[misc] # see above
    protocol = _Limited
    noisy = False

    def __init__(self, factory: Any, way: _Way) -> None:
        super().__init__(factory)
        self.way = way


@implementer(IAgentEndpointFactory)
class _Way:
    """Connection of one request to its receiver."""

    def __init__(self, reactor: Any, own_network: bool, tls: Callable[[str], Any]) -> None:
        self._reactor = reactor
        self._own_network = own_network
        self._tls = tls
        self.is_too_long = False

    def endpointForURI(self, uri: URI) -> _Endpoint:
        return _Endpoint(self, uri.host.decode("ascii"), uri.port, uri.scheme == b"https")

    async def connect(self, host: str, port: int, is_secure: bool, factory: Any) -> Any:
        addresses = await _addresses(self._reactor, host, port)
        if not self._own_network and not all(is_public(address.host) for address in addresses):
            raise _OwnNetwork
        failure: ConnectError | None = None
        for address in addresses[:MOST_ADDRESSES]:
            kind = TCP6ClientEndpoint if ":" in address.host else TCP4ClientEndpoint
            endpoint: Any = kind(self._reactor, address.host, port, timeout=CONNECT_SECONDS)
            if is_secure:
                endpoint = wrapClientTLS(self._tls(host), endpoint)
            try:
                return (await endpoint.connect(_LimitedFactory(factory, self))).wrappedProtocol
            except ConnectError as error:
                failure = error
        raise failure or DNSLookupError()


@implementer(IStreamClientEndpoint)
class _Endpoint:
    def __init__(self, way: _Way, host: str, port: int, is_secure: bool) -> None:
        self._way, self._host, self._port, self._is_secure = way, host, port, is_secure

    def connect(self, factory: Any) -> Deferred[Any]:
        return Deferred.fromCoroutine(self._way.connect(self._host, self._port, self._is_secure, factory))


@implementer(IResolutionReceiver)
class _Resolved:
    """Collects the addresses of a name."""

    def __init__(self) -> None:
        self.done: Deferred[list[Any]] = Deferred()
        self._found: list[Any] = []

    def resolutionBegan(self, resolution: object) -> None: ...

    def addressResolved(self, address: Any) -> None:
        self._found.append(address)

    def resolutionComplete(self) -> None:
        if not self.done.called:
            self.done.callback(self._found)


async def _addresses(reactor: Any, host: str, port: int) -> list[Any]:
    """Return the addresses of a name. Raises DNSLookupError if there are none."""
    receiver = _Resolved()
    reactor.nameResolver.resolveHostName(receiver, host.removeprefix("[").removesuffix("]"), port)
    found = await receiver.done
    if not found:
        raise DNSLookupError()
    return found
