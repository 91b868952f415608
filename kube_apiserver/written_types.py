"""The stored schemas of the served kinds: `data/types.json.gz`."""

import gzip
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_DATA = Path(__file__).parent / "data" / "types.json.gz"


@cache
def read() -> Mapping[str, Any]:
    """Return `types` by name, and `kinds`, which maps kinds to the names of their types."""
    found: Mapping[str, Any] = json.loads(gzip.decompress(_DATA.read_bytes()))
    return found
