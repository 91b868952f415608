"""Every object of the conformance vectors is one that the API server took: none may be refused here."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kube_objects.parse import parse_object, read_object
from kube_objects.serialize import manifest_of
from kube_objects.text.problems import Problem

VECTORS = sorted(Path(__file__).parents[2].joinpath("conformance").glob("*.jsonl.gz"))


def objects_of(scenario: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from scenario.get("objects", ())
    yield from scenario.get("pending", ())
    for operation in scenario.get("ops", ()):
        yield from (operation[key] for key in ("pod", "old", "new") if isinstance(operation.get(key), dict))
    for change in scenario.get("nodeChanges", ()):
        yield from change.get("add", ())


def test_there_are_vectors() -> None:
    assert len(VECTORS) > 10


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.name.removesuffix(".jsonl.gz"))
def test_every_object_is_accepted(path: Path) -> None:
    problems: list[Problem] = []
    with gzip.open(path, "rt") as lines:
        for line in lines:
            for manifest in objects_of(json.loads(line)["scenario"]):
                parsed = read_object(manifest, problems)
                assert problems == []
                assert parsed is not None
                assert manifest_of(parsed) is manifest
                assert parse_object(manifest) == parsed
