"""How faithful the engine is, as measured when it was shipped."""

import json
from functools import cache
from typing import Any

from django.conf import settings

from playground.selectors.clusters import EMULATES

TABLE = settings.BASE_DIR / "docs" / "conformance.json"


@cache
def table() -> dict[str, Any]:
    """`{emulates, families: [{family, passed, total}]}`: what `make conformance` wrote with `--json`."""
    return {"emulates": EMULATES, "families": json.loads(TABLE.read_text()) if TABLE.exists() else []}
