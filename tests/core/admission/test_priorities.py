"""Of several default priority classes the lowest counts, whichever door a pod comes through."""

from typing import Any

import pytest

from kube_apiserver.admission.attributes import Attributes
from kube_apiserver.admission.priority import admit, admit_manifest
from kube_apiserver.resources import by_kind
from kube_objects.kinds.scheduling.priority_class import PriorityClass
from kube_objects.parse import parse_object

CASES: list[tuple[str, dict[str, int], str]] = [
    ("one", {"usual": 100}, "usual"),
    ("several", {"high": 1000, "low": 10, "middle": 100}, "low"),
    ("of one value", {"b": 10, "a": 10}, "a"),
    ("a negative one", {"zero": 0, "below": -5}, "below"),
]


def _classes(values: dict[str, int]) -> list[dict[str, Any]]:
    head = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    return [
        {**head, "metadata": {"name": name}, "value": value, "globalDefault": True} for name, value in values.items()
    ]


class _World:
    def __init__(self, classes: list[dict[str, Any]]) -> None:
        self._classes = classes

    def get(self, kind: str, name: str, namespace: str = "") -> None:
        return None

    def list(self, kind: str, namespace: str = "") -> list[dict[str, Any]]:
        return self._classes


@pytest.mark.parametrize(("values", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_lowest_of_several_defaults(values: dict[str, int], wanted: str) -> None:
    classes = _classes(values)
    parsed = [found for each in classes if isinstance(found := parse_object(each), PriorityClass)]
    by_engine, problems = admit_manifest({"kind": "Pod", "metadata": {"name": "web"}, "spec": {}}, parsed, "")
    pod: dict[str, Any] = {"metadata": {"name": "web"}, "spec": {}}
    by_api = admit(Attributes(by_kind("Pod"), None, pod, _World(classes)))
    assert not problems
    assert by_engine["spec"]["priorityClassName"] == by_api["spec"]["priorityClassName"] == wanted
    assert by_engine["spec"]["priority"] == by_api["spec"]["priority"] == values[wanted]
