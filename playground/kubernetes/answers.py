"""What a request is answered with, before it is written as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    body: Mapping[str, Any]
    status: int = 200
    warnings: list[str] = field(default_factory=list)
