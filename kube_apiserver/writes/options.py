"""The options and the result of a write."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kube_apiserver.access import UserInfo
from kube_apiserver.admission.attributes import AdmissionRequest

Object = dict[str, Any]

Guard = Callable[[Mapping[str, Any] | None, Mapping[str, Any]], None]
"""A check with the object before and after the write. It raises ApiError if the client may not write it."""


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """The options of a write: field manager, time (RFC 3339), validation of unknown fields, and others.

    UIDs and endings of generated names follow from `seed` and `draw`, the number of earlier tries. Without a `request`
    no admission policy runs.
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
    caller: UserInfo | None = None
    is_dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """The result of a write: the object to store, None if nothing changes.

    `warnings` become the Warning headers of the response.
    """

    value: Object | None
    warnings: list[str]
