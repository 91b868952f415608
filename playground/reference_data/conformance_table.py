"""The conformance of the engine, as measured before the release."""

import json
from functools import cache
from typing import TypedDict

from django.conf import settings

from scheduler_core.emulations import DEFAULT

TABLE = settings.BASE_DIR / "docs" / "conformance.json"


class Family(TypedDict):
    family: str
    passed: int
    total: int


class Conformance(TypedDict):
    emulates: str
    families: list[Family]


@cache
def read_conformance_table() -> Conformance:
    """Return the table that `make conformance` wrote with `--json`."""
    return {"emulates": DEFAULT.version, "families": json.loads(TABLE.read_text()) if TABLE.exists() else []}
