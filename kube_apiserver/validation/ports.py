"""Validation of ports and port names of containers and Services.

Source: pkg/apis/core/validation validateContainerPorts.
"""

import re
from collections.abc import Iterator
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause

PROTOCOLS = ("SCTP", "TCP", "UDP")
_NUMBER = "must be between 1 and 65535, inclusive"


def validate_container_ports(ports: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, port in enumerate(ports or ()):
        port_path, name = f"{path}[{number}]", str(port.get("name") or "")
        wrong = list(validate_port_name(name, f"{port_path}.name")) if name else []
        yield from wrong
        if name in seen and not wrong:
            yield causes.duplicate(f"{port_path}.name", name)
        if name and not wrong:
            seen.add(name)
        if not port.get("containerPort"):
            yield causes.required(f"{port_path}.containerPort")
        else:
            yield from validate_port_number(port["containerPort"], f"{port_path}.containerPort")
        if port.get("hostPort"):
            yield from validate_port_number(port["hostPort"], f"{port_path}.hostPort")
        yield from validate_protocol(port.get("protocol"), f"{port_path}.protocol")


def validate_protocol(protocol: Any, path: str) -> Iterator[Cause]:
    if not protocol:
        yield causes.required(path)
    elif protocol not in PROTOCOLS:
        yield causes.unsupported(path, protocol, PROTOCOLS)


def validate_port_number(number: int, path: str) -> Iterator[Cause]:
    if not 1 <= number <= 65535:
        yield causes.invalid(path, number, _NUMBER)


def validate_port_number_or_name(port: Any, path: str) -> Iterator[Cause]:
    if isinstance(port, str):
        yield from validate_port_name(port, path)
    else:
        yield from validate_port_number(port or 0, path)


def validate_port_name(name: str, path: str) -> Iterator[Cause]:
    """Source: IsValidPortName."""
    if len(name) > 15:
        yield causes.invalid(path, name, "must be no more than 15 characters")
    if not re.fullmatch(r"[-a-z0-9]+", name):
        detail = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"
        yield causes.invalid(path, name, detail)
    if not any("a" <= sign <= "z" for sign in name):
        yield causes.invalid(path, name, "must contain at least one letter (a-z)")
    if "--" in name:
        yield causes.invalid(path, name, "must not contain consecutive hyphens")
    if name and "-" in (name[0], name[-1]):
        yield causes.invalid(path, name, "must not begin or end with a hyphen")
