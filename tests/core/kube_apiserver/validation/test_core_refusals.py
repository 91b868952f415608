"""What is told of objects of the core group. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import handlers
from tests.core.kube_apiserver.refusals import BY, created, pod, resource, told

LONG = "a" * 64
OWNER = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
VOLUME: dict[str, Any] = {
    "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/a"}}
}
MORE = "Forbidden: may not specify more than 1 volume type"


def metadata(**given: Any) -> dict[str, Any]:
    return {"metadata": given}


REFUSED: list[tuple[str, str, dict[str, Any], list[str]]] = [
    (
        "a generation below 0",
        "configmaps",
        metadata(generation=-1),
        ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
    ),
    (
        "owners have no numbers",
        "configmaps",
        metadata(ownerReferences=[OWNER, {**OWNER, "apiVersion": "x/y/z", "uid": ""}]),
        [
            'metadata.ownerReferences.apiVersion: Invalid value: "x/y/z": version must not be empty',
            'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
        ],
    ),
    (
        "bytes, not characters",
        "configmaps",
        metadata(labels={"a": LONG}),
        [f'metadata.labels: Invalid value: "{LONG}": must be no more than 63 bytes'],
    ),
    (
        "without a name all else is told, too",
        "configmaps",
        {"metadata": {"name": None}, "data": {"!": ""}},
        [
            "metadata.name: Required value: name or generateName is required",
            "data[!]: Invalid value: \"!\": a valid config key must consist of alphanumeric characters, '-', '_' or "
            "'.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        ],
    ),
    (
        "ranges of one family",
        "nodes",
        {"spec": {"podCIDRs": ["10.0.0.0/24", "10.0.1.0/24"]}},
        [
            'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.0.1.0/24"]: may specify no more than one CIDR for each '
            "IP family"
        ],
    ),
    (
        "a second volume, after the first of upstream's order",
        "persistentvolumes",
        {"spec": {**VOLUME["spec"], "gcePersistentDisk": {"pdName": "a"}, "cephfs": {"monitors": ["a"]}}},
        [f"spec.gcePersistentDisk: {MORE}", f"spec.cephFS: {MORE}"],
    ),
    (
        "a driver's own volume beside another",
        "persistentvolumes",
        {"spec": {**VOLUME["spec"], "flexVolume": {"driver": "a"}}},
        [],
    ),
    (
        "upstream's own spelling",
        "pods",
        pod(volumes=[{"name": "v", "emptyDir": {}, "downwardAPI": {}}]),
        [f"spec.volumes[0].downwarAPI: {MORE}"],
    ),
    (
        "an Event that is elsewhere",
        "events",
        {"involvedObject": {"namespace": "other"}},
        ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
    ),
    ("an Event with any name", "events", {"metadata": {"name": "A_b"}, "involvedObject": {"namespace": "default"}}, []),
]


@pytest.mark.parametrize(("name", "plural", "given", "want"), REFUSED, ids=[each[0] for each in REFUSED])
def test_what_is_told(name: str, plural: str, given: dict[str, Any], want: list[str]) -> None:
    assert told(plural, given) == want


WRITTEN: list[tuple[str, str, dict[str, Any], list[str | int], Any]] = [
    (
        "the first range is the node's",
        "nodes",
        {"spec": {"podCIDRs": ["10.0.0.0/24"]}},
        ["spec", "podCIDR"],
        "10.0.0.0/24",
    ),
    ("the older field counts", "nodes", {"spec": {"podCIDR": "10.1.0.0/24"}}, ["spec", "podCIDRs"], ["10.1.0.0/24"]),
    (
        "only names of secrets",
        "serviceaccounts",
        {"secrets": [{"name": "a", "uid": "u"}]},
        ["secrets"],
        [{"name": "a"}],
    ),
    (
        "an image that is no reference has no tag",
        "podtemplates",
        {"template": {"spec": {"containers": [{"name": "a", "image": "50%"}]}}},
        ["template", "spec", "containers", 0, "imagePullPolicy"],
        "IfNotPresent",
    ),
    (
        "a template keeps its time",
        "podtemplates",
        {"template": {"spec": {"terminationGracePeriodSeconds": -1, "containers": [{"name": "a", "image": "b"}]}}},
        ["template", "spec", "terminationGracePeriodSeconds"],
        -1,
    ),
]


@pytest.mark.parametrize(("name", "plural", "given", "path", "want"), WRITTEN, ids=[each[0] for each in WRITTEN])
def test_what_is_written(name: str, plural: str, given: dict[str, Any], path: list[Any], want: Any) -> None:
    found: Any = created(plural, given).value
    for each in path:
        found = found[each]
    assert found == want


def test_what_replaces_an_object_is_in_its_namespace() -> None:
    of = resource("configmaps")
    live = created("configmaps", {}).value
    assert live is not None
    with pytest.raises(ApiError, match="the namespace of the provided object does not match the namespace sent"):
        handlers.replace(of, live, {**live, "metadata": {**live["metadata"], "namespace": "other"}}, BY)
