"""The functions that Kubernetes adds to CEL: addresses, URLs, lists and formats.

Values without a type in the library are texts with a prefix that no object contains. Source:
apiserver/pkg/cel/library/{ip,cidr,urls,lists,format}.go, cel-go ext/{formatting,lists}.go.
"""

import ipaddress
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

import cel
from cel.stdlib import STDLIB_FUNCTIONS

from kube_objects import formats, names
from kube_objects.cel.work import LONGEST_TEXT, MOST_IN_RANGE

_IP, _CIDR, _URL, _FORMAT = "\x00ip ", "\x00cidr ", "\x00url ", "\x00format "
_NO_OVERLOAD = "no such overload"
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_ESCAPE = re.compile(r"%(?:%|(?:\.(\d{1,2}))?([sdfebxXo]))")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_TEXTS = {True: "true", False: "false", None: "null"}


# Addresses


def _address(text: str) -> _Address:
    if "%" in text:
        raise ValueError(f'IP Address "{text}" with zone value is not allowed')
    found = ipaddress.ip_address(text)
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        raise ValueError(f'IPv4-mapped IPv6 address "{text}" is not allowed')
    return found


def _network(text: str) -> tuple[_Address, _Network]:
    """Return the address as written, and its network."""
    before, _, bits = text.partition("/")
    address = _address(before)
    if not bits.isdigit() or (len(bits) > 1 and bits.startswith("0")):
        raise ValueError(f'CIDR "{text}" cannot be parsed')
    return address, ipaddress.ip_network(f"{before}/{bits}", strict=False)


def _is_read(read: Callable[[str], Any]) -> Callable[[str], bool]:
    def is_read(text: str) -> bool:
        try:
            read(text)
        except ValueError:
            return False
        return True

    return is_read


def _given(prefix: str, value: Any) -> str:
    if not isinstance(value, str) or not value.startswith(prefix):
        raise ValueError(_NO_OVERLOAD)
    return value.removeprefix(prefix)


def _ip(value: str) -> str:
    """Return the IP of a text, or the address of a CIDR."""
    if value.startswith(_CIDR):
        return f"{_IP}{_network(value.removeprefix(_CIDR))[0]}"
    return f"{_IP}{_address(value)}"


def _cidr(text: str) -> str:
    _network(text)
    return f"{_CIDR}{text}"


def _of_address(what: Callable[[_Address], Any]) -> Callable[[str], Any]:
    return lambda value: what(_address(_given(_IP, value)))


def _is_global(address: _Address) -> bool:
    others = (address.is_multicast, address.is_unspecified, address.is_loopback, address.is_link_local)
    return not any(others) and str(address) != "255.255.255.255"


def _contains(cidr: str, other: str) -> bool:
    """Return whether an address or a CIDR is inside of a CIDR."""
    _, network = _network(_given(_CIDR, cidr))
    for prefix in (_IP, _CIDR):
        other = other.removeprefix(prefix)
    _, inner = _network(other) if "/" in other else (None, ipaddress.ip_network(_address(other)))
    if inner.version != network.version:
        return False
    return inner.network_address in network and inner.prefixlen >= network.prefixlen


def _masked(cidr: str) -> str:
    return f"{_CIDR}{_network(_given(_CIDR, cidr))[1]}"


# URLs


def _parts(text: str) -> SplitResult:
    """Source: net/url ParseRequestURI: an absolute one, or a path."""
    url = urlsplit(text)
    is_path = text.startswith("/") and not url.scheme
    if not text.isprintable() or " " in text or not (is_path or (url.scheme and (url.netloc or url.path))):
        raise ValueError(f'URL parse error during conversion from string: parse "{text}": invalid URI for request')
    url.port  # noqa: B018  raises ValueError for an invalid port
    return url


def _url(text: str) -> str:
    _parts(text)
    return f"{_URL}{text}"


def _of_url(what: Callable[[SplitResult], Any]) -> Callable[[str], Any]:
    return lambda value: what(_parts(_given(_URL, value)))


def _host(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


# Texts


def _format(template: str, values: Sequence[Any]) -> str:
    """Implement `"%s".format([…])`."""
    left = iter(values)

    def written(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        try:
            return _written(next(left), found[2], found[1])
        except StopIteration:
            raise ValueError("index out of range") from None

    return _bounded(_ESCAPE.sub(written, template))


def _bounded(text: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise ValueError("the text gets too long")
    return text


def _written(value: Any, verb: str, digits: str | None) -> str:
    if verb == "s":
        return _text(value)
    if verb == "d" and type(value) is int:
        return str(value)
    if verb == "f" and isinstance(value, int | float):
        return f"{value:.{digits or 6}f}"
    if verb == "e" and isinstance(value, int | float):
        number, _, exponent = f"{value:.{digits or 6}e}".partition("e")
        return f"{number}×10{exponent.replace('+', '').translate(_RAISED)}"
    if verb in "bxXo" and isinstance(value, int):
        return format(value, verb)
    if verb in "xX" and isinstance(value, str | bytes):
        found = (value.encode() if isinstance(value, str) else value).hex()
        return found.upper() if verb == "X" else found
    raise ValueError(f"error during formatting: no formatting function for %{verb}")


def _text(value: Any, *, is_within: bool = False) -> str:
    """Return the value as text. With `is_within`, inside a list or map, strings are quoted."""
    if isinstance(value, Mapping):
        items = sorted((_text(key, is_within=True), _text(item, is_within=True)) for key, item in value.items())
        return f"{{{', '.join(f'{key}:{item}' for key, item in items)}}}"
    if isinstance(value, list):
        return f"[{', '.join(_text(each, is_within=True) for each in value)}]"
    match value:
        case None | bool():
            return _TEXTS[value]
        case float():
            return f"{value:.6f}" if is_within else repr(value).removesuffix(".0")
        case bytes():
            return value.decode(errors="replace")
        case timedelta():
            return f"{value.total_seconds():g}s"
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
    return json.dumps(value, ensure_ascii=False) if is_within and isinstance(value, str) else str(value)


def _rules(check: Callable[[str], str]) -> Callable[[str], list[str]]:
    return lambda text: [rule for rule in check(text).split("; ") if rule]


def _prefix(check: Callable[[str], str]) -> Callable[[str], list[str]]:
    """Return a check of a generated name's prefix. A dash at its end is valid because a suffix follows."""
    return lambda text: _rules(check)(f"{text[:-2]}a" if len(text) > 1 and text.endswith("-") else text)


def _one_rule(rule: str, of: str) -> Callable[[str], list[str]]:
    return lambda text: [] if formats.CHECKS[of](text) else [rule]


def _uri(text: str) -> list[str]:
    return [] if _is_read(_parts)(text) else [f'parse "{text}": invalid URI for request']


_FORMATS: Mapping[str, Callable[[str], list[str]]] = {
    "dns1123Label": _rules(names.dns_label),
    "dns1123Subdomain": _rules(names.dns_subdomain),
    "dns1035Label": _rules(names.dns_1035),
    "dns1123LabelPrefix": _prefix(names.dns_label),
    "dns1123SubdomainPrefix": _prefix(names.dns_subdomain),
    "dns1035LabelPrefix": _prefix(names.dns_1035),
    "qualifiedName": _rules(names.qualified_name),
    "labelValue": _rules(names.label_value),
    "uri": _uri,
    "uuid": _one_rule("does not match the UUID format", "uuid"),
    "byte": _one_rule("invalid base64", "byte"),
    "date": _one_rule("invalid date", "date"),
    "datetime": _one_rule("invalid datetime", "datetime"),
}


def _named_format(name: str) -> Any:
    return cel.OptionalValue.of(f"{_FORMAT}{name}") if name in _FORMATS else cel.OptionalValue.none()


def _validate(of: str, text: str) -> Any:
    """Return the rules that a text breaks; none for a valid text."""
    wrong = _FORMATS[_given(_FORMAT, of)](text)
    return cel.OptionalValue.of(wrong) if wrong else cel.OptionalValue.none()


# Lists


def _is_sorted(items: Sequence[Any]) -> bool:
    return all(one <= other for one, other in pairwise(items))


def _index_of(inside: Any, wanted: Any, *offset: int) -> int:
    if isinstance(inside, str):
        return int(STDLIB_FUNCTIONS["indexOf"](inside, wanted, *offset))
    return next((at for at, each in enumerate(inside) if each == wanted), -1)


def _last_index_of(inside: Any, wanted: Any, *offset: int) -> int:
    if isinstance(inside, str):
        return int(STDLIB_FUNCTIONS["lastIndexOf"](inside, wanted, *offset))
    return max((at for at, each in enumerate(inside) if each == wanted), default=-1)


def _range(size: int) -> list[int]:
    if size > MOST_IN_RANGE:
        raise ValueError("the list gets too long")
    return list(range(size))


def _at(place: int) -> Callable[[list[Any]], Any]:
    return lambda items: cel.OptionalValue.of(items[place]) if items else cel.OptionalValue.none()


ADDED_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "ip": _ip,
    "isIP": _is_read(_address),
    "ip.isCanonical": lambda text: str(_address(text)) == text,
    "family": _of_address(lambda address: address.version),
    "isUnspecified": _of_address(lambda address: address.is_unspecified),
    "isLoopback": _of_address(lambda address: address.is_loopback),
    "isLinkLocalUnicast": _of_address(lambda address: address.is_link_local),
    "isLinkLocalMulticast": _of_address(
        lambda address: address in ipaddress.ip_network("224.0.0.0/24" if address.version == 4 else "ff02::/16")
    ),
    "isGlobalUnicast": _of_address(_is_global),
    "cidr": _cidr,
    "isCIDR": _is_read(_network),
    "containsIP": _contains,
    "containsCIDR": _contains,
    "prefixLength": lambda cidr: _network(_given(_CIDR, cidr))[1].prefixlen,
    "masked": _masked,
    "url": _url,
    "isURL": _is_read(_parts),
    "getScheme": _of_url(lambda parts: parts.scheme),
    "getHost": _of_url(_host),
    "getHostname": _of_url(lambda parts: parts.hostname or ""),
    "getPort": _of_url(lambda parts: str(parts.port or "")),
    "getEscapedPath": _of_url(lambda parts: parts.path),
    "getQuery": _of_url(lambda parts: parse_qs(parts.query, keep_blank_values=True)),
    "isSorted": _is_sorted,
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "lists.range": _range,
    "first": _at(0),
    "last": _at(-1),
    "format": _format,
    "format.named": _named_format,
    **{f"format.{name}": lambda name=name: f"{_FORMAT}{name}" for name in _FORMATS},
    "validate": _validate,
}
