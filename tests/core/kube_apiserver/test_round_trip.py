"""What Go's decoder and encoder make of a body. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from kube_apiserver.writes import codec, go_types
from tests.core.kube_apiserver.refusals import container, created, pod, told

POD = go_types.named("io.k8s.api.core.v1.Pod")
GONE: Any = object()
FIELDS: list[tuple[str, dict[str, Any], str, Any]] = [
    # name, fields of the container, field, what is written
    ("null", {"args": None}, "args", GONE),
    ("an empty list", {"command": []}, "command", GONE),
    ("no, where no is left out", {"stdin": False}, "stdin", GONE),
    ("no text, where that is left out", {"workingDir": ""}, "workingDir", GONE),
    ("a struct that is no pointer", {}, "resources", {}),
    ("an empty map below it", {"resources": {"limits": {}}}, "resources", {}),
    ("a pointer to an empty struct", {"securityContext": {}}, "securityContext", {}),
    ("a pointer to no", {"securityContext": {"privileged": False}}, "securityContext", {"privileged": False}),
    ("no text in a list", {"args": ["", None]}, "args", ["", ""]),
    (
        "a number that is written as a text",
        {"resources": {"requests": {"cpu": 1}}},
        "resources",
        {"requests": {"cpu": "1"}},
    ),
]


@pytest.mark.parametrize(("name", "given", "field", "want"), FIELDS, ids=[each[0] for each in FIELDS])
def test_what_has_no_value_is_written_as_go_writes_it(name: str, given: Any, field: str, want: Any) -> None:
    found = created("pods", container(**given)).value
    assert found is not None
    assert found["spec"]["containers"][0].get(field, GONE) == want


def test_an_item_that_is_null_is_an_empty_one() -> None:
    assert told("pods", container(env=[None])) == ["spec.containers[0].env[0].name: Required value"]
    assert told("pods", pod(volumes=[None])) == ["spec.volumes[0].name: Required value"]


def test_fields_that_are_unknown_are_told_where_they_are() -> None:
    given = {"spec": {"containers": [{"name": "a", "more": 1}], "x": {"y": 1}}, "metadata": {"labels": {"any": "a"}}}
    found, unknown = codec.decode(given, POD)
    assert unknown == ["spec.containers[0].more", "spec.x"]
    assert found == {"spec": {"containers": [{"name": "a"}]}, "metadata": {"labels": {"any": "a"}}}


def test_fields_are_in_the_order_of_go_and_maps_in_that_of_their_keys() -> None:
    given = {
        "spec": {"containers": [], "volumes": [{"emptyDir": {}, "name": "b"}]},
        "metadata": {"labels": {"b": "", "a": ""}},
    }
    found = codec.encode(given, POD)
    assert list(found) == ["metadata", "spec", "status"]
    assert list(found["spec"]) == ["volumes", "containers"]
    assert list(found["spec"]["volumes"][0]) == ["name", "emptyDir"]
    assert list(found["metadata"]["labels"]) == ["a", "b"]
    assert found["spec"]["containers"] is None


def test_an_embedded_struct_is_named_by_who_cannot_read_what_is_in_it() -> None:
    (told_of,) = told("pods", pod(volumes=[{"name": "v", "emptyDir": {"medium": {}}}]))
    assert "EmptyDirVolumeSource.spec.volumes.VolumeSource.emptyDir.medium of type v1.StorageMedium" in told_of
