"""The schemas of the served kinds as they are kept: `data/types.json.gz`."""

import gzip
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_DATA = Path(__file__).parent / "data" / "types.json.gz"


@cache
def read() -> Mapping[str, Any]:
    """`types` by their names, and under `kinds` the names of the types of kinds."""
    found: Mapping[str, Any] = json.loads(gzip.decompress(_DATA.read_bytes()))
    return found
