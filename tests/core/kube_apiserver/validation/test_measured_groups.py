"""New objects of all groups but core, against what kube-apiserver v1.36.2 said of each: `cases/groups.json`."""

import json
from pathlib import Path
from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.resources import Resource, table
from kube_apiserver.writes import handlers
from kube_apiserver.writes.options import WriteOptions

CASES = json.loads((Path(__file__).parent / "cases" / "groups.json").read_text(encoding="utf-8"))["cases"]
BY = WriteOptions("tests", "2025-06-01T00:00:00Z", seed="1")


def resource(value: dict[str, Any]) -> Resource:
    wanted = (value["apiVersion"], value["kind"])
    return next(each for each in table().values() if (each.api_version, each.kind) == wanted and not each.custom)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']} {' '.join(case['causes'])[:60]}")
def test_a_new_object_is_taken_or_refused_as_upstream_does(case: dict[str, Any]) -> None:
    kind = resource(case["object"])
    found = list[str]()
    try:
        handlers.create(kind, "default" if kind.namespaced else "", case["object"], BY)
    except ApiError as refused:
        assert refused.code == 422
        found = [f"{each['field']}: {each['message']}" for each in refused.status["details"]["causes"]]
    assert found == case["causes"]
