"""IP addresses: networks of clients, checked destinations, listeners."""

from __future__ import annotations

import ipaddress
import socket

CLIENT_HEADER = "X-Forwarded-For"
"""The HTTP header in which proxies name the client, unless the operator names another."""


def is_loopback(host: str) -> bool:
    """Return whether a host is an address that only this machine reaches, or the name `localhost`."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host == "localhost"
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def network_of(address: str) -> str:
    """Return the key under which an address is counted.

    It is an IPv4 address, or the /64 network of an IPv6 address. An IPv4 address mapped into IPv6 counts as that IPv4
    address. Other texts are returned unchanged.
    """
    if ":" not in address:
        return address
    try:
        version6 = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    if version6.ipv4_mapped is not None:
        return str(version6.ipv4_mapped)
    return str(ipaddress.IPv6Network((version6, 64), strict=False))


def bind_error(address: str, port: int) -> OSError | None:
    """Return why a port cannot be opened now, or None."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as trial:
        # As in the server itself: ended connections do not block the port.
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((address, port))
            trial.listen(1)
        except OSError as error:
            return error
    return None


def is_public(host: str) -> bool | None:
    """Return whether an IP address is public, or None for another text.

    Addresses with an embedded IPv4 address (mapped, NAT64, 6to4, Teredo) are public if that is.
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0].removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        inside = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inside is None and address in _NAT64:
            inside = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inside is not None:
            return is_public(str(inside))
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
