"""Addresses and ranges that could be written better. Source: apimachinery/pkg/util/validation/ip.go."""

import ipaddress
from collections.abc import Iterator
from typing import Any


def each(given: Any, path: str) -> Iterator[str]:
    for number, text in enumerate(given or ()):
        yield from of(str(text), f"{path}[{number}]")


def of(text: str, path: str) -> Iterator[str]:
    """Nothing of what is no address: validation says so."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return
    if isinstance(found, ipaddress.IPv6Address) and str(found) != text:
        yield f'{path}: IPv6 address "{text}" should be in RFC 5952 canonical format ("{found}")'


def of_range(text: str, path: str) -> Iterator[str]:
    """As `of`. What means more than one range is refused, so only its writing is left. Source: GetWarningsForCIDR."""
    try:
        found = ipaddress.ip_network(text)
    except ValueError:
        return
    if isinstance(found, ipaddress.IPv6Network) and str(found) != text:
        yield f'{path}: IPv6 CIDR value "{text}" should be in RFC 5952 canonical format ("{found}")'
