"""Which addresses on the net are somebody's on the public net, and nothing else.

``ipaddress.is_global`` is not enough: Python 3.11 says True of NAT64, 6to4, IPv4-compatible and site-local addresses,
each of which may lead to a private one. So IPv6 is 2000::/3 less what the IANA registry of special-purpose addresses
takes out of it, and IPv4 is all but that registry's and multicast.
"""

from ipaddress import IPv4Network, IPv6Network, ip_address

_SPECIAL_4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.31.196.0/24",
            "192.52.193.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "192.175.48.0/24",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/3",
        ),
    )
)
_GLOBAL_6 = IPv6Network("2000::/3")
_SPECIAL_6 = tuple(
    map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3ffe::/16", "3fff::/20"))
)


def public(address: str) -> bool:
    """Whether a numeric address may be connected to. A zone (``%eth0``) or another spelling makes it none."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if str(found) != address:
        return False
    if found.version == 4:
        return not any(found in network for network in _SPECIAL_4)
    return found in _GLOBAL_6 and not any(found in network for network in _SPECIAL_6)


__all__ = ["public"]
