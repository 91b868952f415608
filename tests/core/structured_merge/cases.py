"""Upstream's cases, each file with its source.

`merge.json`: structured-merge-diff v6.3 `merge/*_test.go`; `typed.json`: `typed/*_test.go`; `strategic.json`:
Kubernetes v1.36 `apimachinery/pkg/util/strategicpatch/patch_test.go`. Apache-2.0, The Kubernetes Authors.
"""

import json
from pathlib import Path
from typing import Any

from kube_apiserver.structured_merge.fieldpath import FieldSet
from kube_apiserver.structured_merge.schema import DEDUCED, DEDUCED_TYPE, Schema, TypeRef, parse_schema
from kube_apiserver.structured_merge.typed import Typed, check_type

_FOLDER = Path(__file__).parent / "cases"


def load(name: str) -> Any:
    return json.loads((_FOLDER / name).read_text(encoding="utf-8"))


class Cases:
    """A file's cases with their shared schemas."""

    def __init__(self, name: str) -> None:
        content = load(name)
        self._schemas = [parse_schema(each) for each in content["schemas"]]
        self.all: list[dict[str, Any]] = content["cases"]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [case for case in self.all if case["kind"] == kind]

    def schema(self, number: int) -> Schema:
        return self._schemas[number]

    def typed(self, case: dict[str, Any], key: str, *, duplicates: bool = False) -> Typed:
        if "schema" not in case:
            return check_type(case[key], DEDUCED, DEDUCED_TYPE, allow_duplicates=duplicates)
        return check_type(case[key], self.schema(case["schema"]), TypeRef(case["type"]), allow_duplicates=duplicates)


def fields(written: Any) -> FieldSet:
    return FieldSet.from_json(written or {})


def name_of(case: dict[str, Any]) -> str:
    return str(case.get("name") or case.get("description"))
