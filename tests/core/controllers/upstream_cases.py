"""The environment of upstream's cases (objects, a time, fixed randomness), and their comparison."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from kube_controllers.objects import Objects, View


def view_of(*found: Mapping[str, Any], now: float = 0.0) -> View:
    objects = Objects()
    for obj in found:
        objects.put(obj)
    return View(objects, now, random.Random(0))


@cache
def cases_of(table: str) -> Sequence[Mapping[str, Any]]:
    """Return the cases of `tables/TABLE.json`."""
    found: list[Mapping[str, Any]] = json.loads((Path(__file__).parent / "tables" / f"{table}.json").read_text())
    return found


def families_of(table: str) -> set[str]:
    return {case["family"] for case in cases_of(table)}


def differences(table: str, family: str, play: Callable[[Any], Any]) -> list[Any]:
    """Return the cases with another result. Of several result fields, only those that upstream checks are compared."""
    wrong = []
    for case in cases_of(table):
        if case["family"] != family:
            continue
        found, wanted = play(case["given"]), case["wanted"]
        if isinstance(wanted, dict):
            found = {field: found[field] for field in wanted}
        if found != wanted:
            wrong.append((case["source"], case["name"], found, wanted))
    return wrong
