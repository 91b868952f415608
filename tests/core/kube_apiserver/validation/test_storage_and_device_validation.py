"""What an API server says to storage, devices and others: every cause. Facts of pkg/apis/*/validation of v1.36."""

import base64
from typing import Any

import pytest

from tests.core.kube_apiserver.refusals import Object, created, told, told_of_change

VOLUME: Object = {
    "accessModes": ["ReadWriteOnce"],
    "capacity": {"storage": "1Gi"},
    "csi": {"driver": "x", "volumeHandle": "h"},
}
CLAIM: Object = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
SLICE: Object = {
    "driver": "x.example.com",
    "nodeName": "n",
    "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
}
REFERENCE = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
    "with an "
    "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)


def spec(base: Object, **fields: Any) -> Object:
    return {"spec": {**base, **fields}}


def claim(*requests: Object, **fields: Any) -> Object:
    return {"spec": {"devices": {"requests": list(requests), **fields}}}


def request(name: str = "r", **fields: Any) -> Object:
    return {"name": name, "exactly": {"deviceClassName": "gpu", **fields}}


def secret(kind: str, **data: str) -> Object:
    return {"type": kind, "data": {key: base64.b64encode(text.encode()).decode() for key, text in data.items()}}


CASES: list[tuple[str, str, Object, list[str]]] = [
    (
        "less than nothing",
        "persistentvolumes",
        spec(VOLUME, capacity={"storage": "-1Gi"}),
        [
            "spec.capacity[storage]: Invalid value: -1073741824: must be a valid resource quantity",
            'spec.capacity[storage]: Invalid value: "-1Gi": must be greater than zero',
        ],
    ),
    (
        "a secret without a place",
        "persistentvolumes",
        spec(VOLUME, csi={"driver": "x", "volumeHandle": "h", "nodePublishSecretRef": {"name": "s"}}),
        ["spec.csi.nodePublishSecretRef.namespace: Required value"],
    ),
    (
        "modes and tokens of a driver",
        "csidrivers",
        {
            "spec": {
                "fsGroupPolicy": "Some",
                "volumeLifecycleModes": ["Short"],
                "tokenRequests": [{"audience": "a", "expirationSeconds": 5}],
            }
        },
        [
            'spec.fsGroupPolicy: Unsupported value: "Some": supported values: "File", "None", '
            '"ReadWriteOnceWithFSType"',
            "spec.tokenRequests[0].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 "
            "minutes",
            'spec.volumeLifecycleModes: Unsupported value: "Short": supported values: "Persistent", "Ephemeral"',
        ],
    ),
    (
        "drivers of a node",
        "csinodes",
        {"spec": {"drivers": [{"name": "x", "nodeID": "a"}, {"name": "x", "nodeID": ""}]}},
        ["spec.drivers[1].nodeID: Required value", 'spec.drivers[1].name: Duplicate value: "x"'],
    ),
    (
        "parameters of a class",
        "volumeattributesclasses",
        {"driverName": ""},
        ["driverName: Required value", "parameters: Required value: must contain at least one key/value pair"],
    ),
    (
        "a class of the system",
        "priorityclasses",
        {"metadata": {"name": "system-node-critical"}, "value": 5},
        [
            "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. "
            "error: "
            "value of system-node-critical PriorityClass must be 2000001000"
        ],
    ),
    (
        "a policy of preemption",
        "priorityclasses",
        {"value": 5, "preemptionPolicy": "Sure"},
        ['preemptionPolicy: Unsupported value: "Sure": supported values: "PreemptLowerPriority", "Never"'],
    ),
    (
        "a login without any",
        "secrets",
        secret("kubernetes.io/basic-auth"),
        ["data[username]: Required value", "data[password]: Required value"],
    ),
    (
        "a configuration that is a list",
        "secrets",
        secret("kubernetes.io/dockerconfigjson", **{".dockerconfigjson": "[]"}),
        [
            'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array '
            "into Go "
            "value of type map[string]interface {}"
        ],
    ),
    ("no handler", "runtimeclasses", {"handler": ""}, ["handler: Required value"]),
    (
        "a budget of any name",
        "poddisruptionbudgets",
        {"metadata": {"name": "My_Budget"}, "spec": {"maxUnavailable": 1}},
        [],
    ),
    (
        "the same request twice",
        "resourceclaims",
        claim(request(), request()),
        ['spec.devices.requests[1]: Duplicate value: "r"'],
    ),
    (
        "constraints of nothing",
        "resourceclaims",
        claim(request(), constraints=[{"requests": ["other"], "matchAttribute": "model"}, {}]),
        [
            f'spec.devices.constraints[0].requests[0]: Invalid value: "other": {REFERENCE}',
            'spec.devices.constraints[0].matchAttribute: Invalid value: "model": a fully qualified name must be a '
            "domain "
            "and a name separated by a slash",
            'spec.devices.constraints[1]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is '
            "required, but multiple fields are set",
        ],
    ),
    (
        "a configuration of nobody",
        "resourceclaims",
        claim(request(), config=[{"opaque": {"driver": "x", "parameters": []}}, {}]),
        [
            'spec.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
            "spec.devices.config[1].opaque: Required value",
        ],
    ),
    (
        "a toleration",
        "resourceclaims",
        claim(request(tolerations=[{"operator": "Is", "effect": "Never"}])),
        [
            'spec.devices.requests[0].exactly.tolerations[0].operator: Unsupported value: "Is": supported values: '
            '"Equal", '
            '"Exists"',
            'spec.devices.requests[0].exactly.tolerations[0].effect: Unsupported value: "Never": supported values: '
            '"NoExecute", "NoSchedule", "None"',
        ],
    ),
    (
        "a pool of nothing",
        "resourceslices",
        spec(SLICE, pool={"name": "", "resourceSliceCount": 0}),
        [
            "spec.pool.name: Required value",
            "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
        ],
    ),
    (
        "devices of a slice",
        "resourceslices",
        spec(
            SLICE,
            devices=[
                {
                    "name": "D",
                    "attributes": {"v": {"version": "1.x"}, "w": {}},
                    "taints": [{"key": "a"}],
                    "allNodes": True,
                }
            ],
        ),
        [
            f'spec.devices[0].name: Invalid value: "D": {LABEL}',
            'spec.devices[0].attributes[v].version: Invalid value: "1.x": must be a string compatible with '
            "semver.org spec "
            "2.0.0",
            'spec.devices[0].attributes[w]: Invalid value: "": exactly one value must be specified',
            "spec.devices[0].taints[0].effect: Required value",
            "spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if "
            "`perDeviceNodeSelection` is set to true in the ResourceSlice spec",
        ],
    ),
]


@pytest.mark.parametrize(
    ("name", "plural", "given", "want"), CASES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_it_is_refused(name: str, plural: str, given: Object, want: list[str]) -> None:
    assert told(plural, given) == want


SC: Object = {"provisioner": "x.example.com", "parameters": {"a": "b"}}
CHANGES: list[tuple[str, str, Object, Object, list[str]]] = [
    (
        "parameters",
        "storageclasses",
        SC,
        {"parameters": {"a": "c"}},
        ['parameters: Invalid value: {"a":"c"}: field is immutable'],
    ),
    (
        "when it binds",
        "storageclasses",
        SC,
        {"volumeBindingMode": "WaitForFirstConsumer"},
        ['volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable'],
    ),
    (
        "another volume",
        "persistentvolumes",
        spec(VOLUME),
        {"spec": {"csi": {"volumeHandle": "other"}}},
        [
            "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation",
        ],
    ),
    (
        "another mode",
        "persistentvolumes",
        spec(VOLUME),
        {"spec": {"volumeMode": "Block"}},
        ['volumeMode: Invalid value: "Block": field is immutable'],
    ),
    ("a class named later", "persistentvolumeclaims", spec(CLAIM), {"spec": {"storageClassName": "fast"}}, []),
    (
        "scopes of a quota",
        "resourcequotas",
        {"spec": {"hard": {"pods": "1"}}},
        {"spec": {"scopes": ["BestEffort"]}},
        ['spec.scopes: Invalid value: ["BestEffort"]: field is immutable'],
    ),
    (
        "another pool",
        "resourceslices",
        spec(SLICE),
        {"spec": {"pool": {"name": "q"}}},
        ['spec.pool.name: Invalid value: "q": field is immutable'],
    ),
]


@pytest.mark.parametrize(
    ("name", "plural", "given", "patch", "want"), CHANGES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_change_is_refused(name: str, plural: str, given: Object, patch: Object, want: list[str]) -> None:
    assert [each.split("\n")[0] for each in told_of_change(plural, given, patch)] == want


def test_what_a_claim_is_filled_from_has_two_names() -> None:
    source = {"kind": "PersistentVolumeClaim", "name": "x"}
    taken = created("persistentvolumeclaims", spec(CLAIM, dataSource=source)).value
    assert taken is not None and taken["spec"]["dataSourceRef"] == {"apiGroup": None, **source}
    left_out = created("persistentvolumeclaims", spec(CLAIM, dataSource={"kind": "Snapshot", "name": "x"})).value
    assert left_out is not None and "dataSource" not in left_out["spec"]
