"""How a client wants something written, and what comes of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kube_apiserver.access import Who
from kube_apiserver.admission.attributes import AdmissionRequest

Object = dict[str, Any]

Guard = Callable[[Mapping[str, Any] | None, Mapping[str, Any]], None]
"""Told what there was and what comes of it; ApiError if this client may not write it."""


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """A write as the client asks for it: by which manager, when (RFC 3339), how strict about unknown fields.

    What the server draws, uids and endings of names, follows from `seed` and `draw`, the number of tries before.
    Without a `request` no admission policy is asked.
    """

    manager: str
    time: str
    validation: str = "Strict"
    force: bool = False
    subresource: str = ""
    seed: str = ""
    draw: int = 0
    guard: Guard | None = None
    request: AdmissionRequest | None = None
    caller: Who | None = None
    is_dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """The object to store; None when nothing changes. `warnings` are for the answer's Warning headers."""

    value: Object | None
    warnings: list[str]
