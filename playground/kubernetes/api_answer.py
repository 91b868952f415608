"""The answer to a request before it is encoded as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    body: Mapping[str, Any]
    status: int = 200
    warnings: list[str] = field(default_factory=list)
