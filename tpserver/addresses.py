"""Whom an address stands for."""

from __future__ import annotations

import ipaddress


def network_of(address: str) -> str:
    """Return what counts as one customer: an IPv4 address, or for IPv6 the network of 64 bits.

    An IPv4 address that was mapped into IPv6 is that IPv4 address; what is no IP address is returned as it is.
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
