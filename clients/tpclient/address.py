"""Addresses of servers, and their notation.

Imports no network code, so a wrong command line fails at once.
"""

from dataclasses import dataclass, replace

from tpclient.errors import BadArgument

PORT = 6923
"""Default port for plain connections."""
TLS_PORT = 6924
"""Default port for TLS."""
WEB_PORT = 8080
"""Default port for browsers."""
WEB_TLS_PORT = 443
"""Default port for browsers with TLS. A proxy before the server provides it."""
WEB_PATH = "/ws"
"""Default path of the WebSocket."""

TRUSTED = "SSL_CERT_FILE"
"""The environment variable with the file of certificates to trust, as OpenSSL and many programs read it."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host and port. `tls` tells whether to use TLS, and `path` is that of a WebSocket, empty for a plain stream.

    `certificates` names a file with the certificates to trust instead of the system's own.
    """

    host: str
    port: int
    tls: bool = False
    certificates: str | None = None
    path: str = ""

    @property
    def is_web(self) -> bool:
        """Return whether the address is a WebSocket."""
        return bool(self.path)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        scheme = "ws" if self.is_web else "tp"
        return f"{scheme}{'s' if self.tls else ''}://{host}:{self.port}{self.path}"


_DEFAULT_PORTS = {"tp": PORT, "tps": TLS_PORT, "ws": WEB_PORT, "wss": WEB_TLS_PORT}
"""Scheme -> its default port."""


def parse_address(text: str) -> Address:
    """Read HOST, HOST:PORT or [IPv6]:PORT, optionally after tp://, tps:// (TLS), ws:// or wss:// (WebSocket).

    A WebSocket may have a path after it; the default is /ws. Raises BadArgument, which lists the allowed forms.
    """
    scheme, found, rest = text.rpartition("://")
    if not found:
        scheme = "tp"
    if scheme not in _DEFAULT_PORTS:
        allowed = "tp:// or tps:// (TLS), ws:// or wss:// (WebSocket), or with the host itself"
        raise BadArgument(f"{text!r}: an address begins with {allowed}.")
    path = ""
    if scheme in ("ws", "wss"):
        rest, _, path = rest.partition("/")
        path = f"/{path}" if path else WEB_PATH
        if not path.isascii() or not path.isprintable() or any(sign in path for sign in " ?#"):
            raise BadArgument(f"{text!r}: the path of a WebSocket has letters, digits and the like, as {WEB_PATH}.")
    rest = rest.rstrip("/")
    standard = _DEFAULT_PORTS[scheme]
    if rest.startswith("["):
        host, bracket, tail = rest[1:].partition("]")
        port = tail[1:] if tail.startswith(":") else ""
        if not bracket or (tail and not port):
            raise BadArgument(f"{text!r}: an IPv6 address is written [::1]:{standard}.")
    elif rest.count(":") > 1:
        raise BadArgument(f"{text!r}: an IPv6 address is written [::1]:{standard}.")
    else:
        host, _, port = rest.partition(":")
    if not host:
        raise BadArgument(f"{text!r}: the host is missing; write HOST:PORT, as 127.0.0.1:{standard}.")
    tls = scheme in ("tps", "wss")
    if not port and not rest.endswith(":"):
        return Address(host, standard, tls, path=path)
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65535):
        raise BadArgument(f"{text!r}: the port is a number from 1 to 65535.")
    return Address(host, int(port), tls, path=path)


def trusting(address: Address, certificates: str | None) -> Address:
    """Return the address with a file of trusted certificates, if any.

    Raises BadArgument if the address does not use TLS, because the user would believe the connection to be safe.
    """
    if not certificates:
        return address
    if not address.tls:
        scheme = "wss" if address.is_web else "tps"
        raise BadArgument(f"Certificates are for TLS, which is not spoken to {address}; with TLS it is {scheme}://.")
    return replace(address, certificates=certificates)
