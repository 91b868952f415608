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


def of_container(given: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for place, port in enumerate(given or ()):
        port_path, name = f"{path}[{place}]", str(port.get("name") or "")
        wrong = list(port_name(name, f"{port_path}.name")) if name else []
        yield from wrong
        if name in seen and not wrong:
            yield causes.duplicate(f"{port_path}.name", name)
        if name and not wrong:
            seen.add(name)
        if not port.get("containerPort"):
            yield causes.required(f"{port_path}.containerPort")
        else:
            yield from number(port["containerPort"], f"{port_path}.containerPort")
        if port.get("hostPort"):
            yield from number(port["hostPort"], f"{port_path}.hostPort")
        yield from protocol(port.get("protocol"), f"{port_path}.protocol")


def protocol(given: Any, path: str) -> Iterator[Cause]:
    if not given:
        yield causes.required(path)
    elif given not in PROTOCOLS:
        yield causes.unsupported(path, given, PROTOCOLS)


def number(given: int, path: str) -> Iterator[Cause]:
    if not 1 <= given <= 65535:
        yield causes.invalid(path, given, _NUMBER)


def number_or_name(given: Any, path: str) -> Iterator[Cause]:
    if isinstance(given, str):
        yield from port_name(given, path)
    else:
        yield from number(given or 0, path)


def port_name(name: str, path: str) -> Iterator[Cause]:
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
