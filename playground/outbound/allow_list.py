"""The hosts that may be called: the entries of EXTENDER_ALLOWED_HOSTS.

An entry is a name, an address or a network, with a port or without one (any port): `extender.example.org`,
`10.1.2.3:8888`, `[::1]:8888`, `10.0.0.0/8`. `localhost` means the loopback addresses.

An address that is not public, such as a loopback or private one, must match an address or a network in the list, even
if a listed name resolves to it. Otherwise the owner of a DNS name could point it at machines of the operator's network.
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass

SETTING = "EXTENDER_ALLOWED_HOSTS"

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?", re.ASCII)
# IPv6 networks whose addresses contain an IPv4 address, which NAT64 translators extract.
_TRANSLATED = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))


class AllowListError(ValueError):
    """An invalid entry, which the message names."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of the list. `networks` is empty for a name; `port` None allows any port."""

    name: str
    networks: tuple[Network, ...]
    port: int | None

    def fits_port(self, port: int) -> bool:
        return self.port is None or self.port == port


class AllowList:
    """A list of allowed hosts. The constructor raises AllowListError with all invalid entries."""

    def __init__(self, entries: Iterable[str]) -> None:
        self._entries: list[_Entry] = []
        problems = []
        for text in entries:
            try:
                self._entries.append(_parsed(text))
            except ValueError as error:
                problems.append(f"{SETTING}: {text!r}: {error}")
        if problems:
            raise AllowListError("; ".join(problems))

    def allows_host(self, host: str, port: int) -> bool:
        """Return whether the list contains a host, which is a name or an address from a URL."""
        address = _address(host)
        if address is not None:
            return self._lists(address, port)
        name = _normal(host)
        return any(entry.name == name and entry.fits_port(port) for entry in self._entries)

    def allows_address(self, address: str, port: int) -> bool:
        """Return whether a connection to this address of an allowed host is allowed."""
        parsed = ipaddress.ip_address(address)
        return is_public(parsed) or self._lists(parsed, port)

    def _lists(self, address: Address, port: int) -> bool:
        address = _unwrapped(address)
        return any(
            entry.fits_port(port) and any(address in network for network in entry.networks) for entry in self._entries
        )


def is_public(address: Address) -> bool:
    """Return whether an address belongs to the public internet, also in its IPv6 notations."""
    address = _unwrapped(address)
    if isinstance(address, ipaddress.IPv6Address):
        if address.sixtofour is not None or address.teredo is not None or address.is_site_local:
            return False
        if any(address in network for network in _TRANSLATED):
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _unwrapped(address: Address) -> Address:
    """Return the IPv4 address that an IPv4-mapped IPv6 address contains, else the address itself."""
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _address(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _normal(host: str) -> str:
    return host.lower().removesuffix(".")


def _parsed(text: str) -> _Entry:
    host, port = _split(text.strip())
    try:
        return _Entry("", (_network(host),), port)
    except ValueError:
        name = _normal(host)
    if not _NAME.fullmatch(name) or re.fullmatch(r"[0-9.]+", name):
        raise ValueError("must be a name, an address or a network, with a port or without; * is not accepted")
    return _Entry(name, LOOPBACK if name == "localhost" else (), port)


def _network(host: str) -> Network:
    network = ipaddress.ip_network(host)
    mapped = network.network_address.ipv4_mapped if isinstance(network, ipaddress.IPv6Network) else None
    return ipaddress.ip_network(mapped) if mapped is not None and network.prefixlen == 128 else network


def _split(text: str) -> tuple[str, int | None]:
    """Return host and port of an entry. An IPv6 address with a port is in brackets."""
    bracketed = re.fullmatch(r"\[(.+)\](?::(.*))?", text)
    if bracketed:
        host, port = bracketed.groups()
    elif text.count(":") == 1:
        host, port = text.split(":")
    else:
        host, port = text, None
    if port is None:
        return host, None
    if not re.fullmatch(r"[0-9]{1,5}", port, re.ASCII) or not 1 <= int(port) <= 65535:
        raise ValueError("the port must be a number from 1 to 65535")
    return host, int(port)
