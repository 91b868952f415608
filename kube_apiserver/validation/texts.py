"""Validation of strings that several kinds share: paths, IP addresses, keys, variable names, user and group IDs.

Source: apimachinery/pkg/util/validation, pkg/apis/core/validation.
"""

import ipaddress
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause

Object = Mapping[str, Any]

_CONFIG_KEY = re.compile(r"[-._a-zA-Z0-9]+")
_CONFIG_KEY_RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
_UNDERSCORED = re.compile(r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?")
_UNDERSCORED_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')"
)
_HEADER_RULE = (
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for "
    "validation is '[-A-Za-z0-9]+')"
)
_VARIABLE = "a valid environment variable name must consist only of printable ASCII characters other than '='"
_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_RANGE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
_FILE_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
_MOST_ID = 2147483647
_PADDING = re.compile(r"(?<!\d)0+(?=\d)")
_LINK_LOCAL_MULTICAST = ipaddress.ip_network("224.0.0.0/24")
_LINK_LOCAL_MULTICAST_6 = ipaddress.ip_network("ff02::/16")


def validate_config_key(key: str, path: str) -> Iterator[Cause]:
    if len(key) > 253:
        yield causes.invalid(path, key, "must be no more than 253 characters")
    if not _CONFIG_KEY.fullmatch(key):
        yield causes.invalid(path, key, _CONFIG_KEY_RULE)
    if key in (".", ".."):
        yield causes.invalid(path, key, f"must not be '{key}'")
    elif key.startswith(".."):
        yield causes.invalid(path, key, "must not start with '..'")


def validate_variable_name(name: str, path: str) -> Iterator[Cause]:
    if any(not " " <= sign <= "~" or sign == "=" for sign in name):
        yield causes.invalid(path, name, _VARIABLE)


def find_subdomain_error(name: str) -> str:
    """Return the error message for a name, or "" if it is valid. Source: IsDNS1123SubdomainWithUnderscore."""
    if len(name) > 253:
        return "must be no more than 253 characters"
    return "" if all(_UNDERSCORED.fullmatch(part) for part in name.split(".")) else _UNDERSCORED_RULE


def find_header_name_error(name: str) -> str:
    """Return the error message for the name of an HTTP header, or "". Source: IsHTTPHeaderName."""
    return "" if re.fullmatch(r"[-A-Za-z0-9]+", name) else _HEADER_RULE


def validate_no_backsteps(path: str, field: str) -> Iterator[Cause]:
    if ".." in path.split("/"):
        yield causes.invalid(field, path, "must not contain '..'")


def validate_local_descending_path(path: str, field: str) -> Iterator[Cause]:
    if path.startswith("/"):
        yield causes.invalid(field, path, "must be a relative path")
    yield from validate_no_backsteps(path, field)


def validate_local_non_reserved_path(path: str, field: str) -> Iterator[Cause]:
    yield from validate_local_descending_path(path, field)
    if path.startswith("..") and not path.startswith("../"):
        yield causes.invalid(field, path, "must not start with '..'")


def validate_file_mode(holder: Object, key: str, path: str) -> Iterator[Cause]:
    mode = holder.get(key)
    if mode is not None and not 0 <= mode <= 0o777:
        yield causes.invalid(f"{path}.{key}", mode, _FILE_MODE)


def validate_id(number: int, path: str) -> Iterator[Cause]:
    if not 0 <= number <= _MOST_ID:
        yield causes.invalid(path, number, f"must be between 0 and {_MOST_ID}, inclusive")


def validate_ip(text: str, path: str, there: Collection[str] = ()) -> Iterator[Cause]:
    """Validate an IP address.

    Addresses in `there` belong to the stored object and may stay. Source: IsValidIPForLegacyField.
    """
    if text in there:
        return
    parsed = _parse_ip(text)
    if parsed is None:
        yield causes.invalid(path, text, _ADDRESS)
    elif _is_padded(text):
        yield causes.invalid(path, text, "must not have leading 0s")
    elif isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped:
        yield causes.invalid(path, text, "must not be an IPv4-mapped IPv6 address")


def validate_ip_families(addresses: Sequence[str], path: str, shown: object) -> Iterator[Cause]:
    """Validate that addresses have at most one per IP family. Source: k8s.io/utils/net IsDualStackIPStrings."""
    if len(addresses) < 2:
        return
    parsed = [_parse_ip(each) for each in addresses]
    if None in parsed:
        reason = f"invalid IP[{parsed.index(None)}]: {addresses[parsed.index(None)]}"
        yield causes.internal(path, f"failed to check for dual stack with error:{reason}")
    if None in parsed or len(addresses) > 2 or len({each.version for each in parsed if each is not None}) < 2:
        yield causes.invalid(path, shown, "may specify no more than one IP for each IP family")


def validate_cidr(text: str, path: str, there: Collection[str] = ()) -> Iterator[Cause]:
    """Validate a CIDR. CIDRs in `there` belong to the stored object and may stay. Source: IsValidCIDRForLegacyField."""
    if text in there:
        return
    start, slash, length = text.partition("/")
    parsed = _parse_ip(start)
    if (
        parsed is None
        or not slash
        or not length.isascii()
        or not length.isdigit()
        or int(length[:9]) > parsed.max_prefixlen
    ):
        yield causes.invalid(path, text, _RANGE)
    elif _is_padded(start) or (length != "0" and length.startswith("0")):
        yield causes.invalid(path, text, "must not have leading 0s in IP or prefix length")
    elif isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped:
        yield causes.invalid(path, text, "must not have an IPv4-mapped IPv6 address")
    elif ipaddress.ip_network(f"{parsed}/{length}", strict=False).network_address != parsed:
        yield causes.invalid(path, text, "must not have bits set beyond the prefix length")


def validate_endpoint_address(text: str, path: str, there: Collection[str] = ()) -> Iterator[Cause]:
    """Validate an IP address that must be usable as an endpoint."""
    wrong = list(validate_ip(text, path, there))
    yield from wrong or validate_endpoint_ip(text, path)


def validate_endpoint_ip(text: str, path: str) -> Iterator[Cause]:
    """Source: ValidateEndpointIP."""
    parsed = _parse_ip(text)
    if parsed is None:
        yield causes.invalid(path, text, "must be a valid IP address")
        return
    if parsed.is_unspecified:
        yield causes.invalid(path, text, f"may not be unspecified ({text})")
    if parsed.is_loopback:
        yield causes.invalid(path, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)")
    if parsed.is_link_local:
        yield causes.invalid(path, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")
    if parsed in _LINK_LOCAL_MULTICAST or parsed in _LINK_LOCAL_MULTICAST_6:
        yield causes.invalid(path, text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")


def _parse_ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the parsed address, or None.

    Leading zeros are ignored; zones are invalid. Source: k8s.io/utils/net ParseIPSloppy.
    """
    if "%" in text:
        return None
    try:
        return ipaddress.ip_address(_PADDING.sub("", text) if ":" not in text and len(text) < 64 else text)
    except ValueError:
        return None


def _is_padded(text: str) -> bool:
    return ":" not in text and _PADDING.search(text) is not None
