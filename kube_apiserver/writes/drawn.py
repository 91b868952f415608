"""What an API server draws for a new object: its uid and the ending of its name. Here both follow from a seed."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


def uid(seed: str, draw: int, kind: str, metadata: Mapping[str, Any]) -> str:
    """The same of the same write in the same cluster."""
    name = metadata.get("name", "")
    return str(UUID(bytes=_drawn(seed, draw, kind, metadata.get("namespace"), name)[:16], version=4))


def ending(seed: str, draw: int) -> str:
    """Source: apiserver/pkg/storage/names."""
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in _drawn(seed, draw, "name")[:5])


def _drawn(seed: str, draw: int, *about: Any) -> bytes:
    return hashlib.sha256(json.dumps([seed, draw, *about]).encode()).digest()
