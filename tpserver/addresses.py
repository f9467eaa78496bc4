"""IP addresses as customers."""

from __future__ import annotations

import ipaddress


def network_of(address: str) -> str:
    """Return the key under which an address is counted: an IPv4 address, or the /64 network of an IPv6 address.

    An IPv4 address mapped into IPv6 counts as that IPv4 address; what is no IP address is returned unchanged.
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
