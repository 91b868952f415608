"""What is told of objects of the core group that are put over others. Measured from kube-apiserver v1.36.2."""

import copy
import json
from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import decode, handlers
from kube_apiserver.writes.options import WriteOptions
from kube_apiserver.writes.patches import APPLY_PATCH, MERGE_PATCH
from tests.core.kube_apiserver.refusals import BY, MAIN, Object, created, pod, resource, sent

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
PREFIX = "metadata.generateName: Invalid value: "
PORTS: Object = {"spec": {"ports": [{"port": 80}]}}
VOLUME: Object = {
    "spec": {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/a"},
        "nodeAffinity": {
            "required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]}
        },
    }
}
CLAIM: Object = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
QUOTA: Object = {"spec": {"hard": {"pods": "1"}, "scopes": ["NotTerminating"]}}
ONLY_GA = "field is immutable, except for updating from beta label to GA"
NOT_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
READ_ONLY = {**MAIN, "securityContext": {}, "imagePullPolicy": "Always"}


def prefixed(prefix: str) -> Object:
    return {"metadata": {"generateName": prefix}}


def expressions(**given: Any) -> Object:
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", **given}]}]}}


# Name, plural, what there is, what of it is put otherwise, and the first lines of what is told.
REFUSED: list[tuple[str, str, Object, Object, list[str]]] = [
    ("a prefix", "configmaps", {}, prefixed("Exists"), [f'{PREFIX}"Exists": {SUBDOMAIN}']),
    (
        "a prefix that is no part of a path",
        "configmaps",
        {},
        prefixed("../up"),
        [f"{PREFIX}\"../up\": may not contain '/'", f'{PREFIX}"../up": {SUBDOMAIN}'],
    ),
    ("a prefix of a kind that does not look again", "services", PORTS, prefixed("A_b!"), []),
    ("but at paths", "services", PORTS, prefixed("../up"), [f"{PREFIX}\"../up\": may not contain '/'"]),
    ("dots before a name", "services", PORTS, prefixed(".."), []),
    ("a namespace of what has none", "persistentvolumes", VOLUME, {"metadata": {"namespace": "a"}}, []),
    (
        "an empty list is no null",
        "resourcequotas",
        QUOTA,
        {"spec": {"scopes": []}},
        ["spec.scopes: Invalid value: []: field is immutable"],
    ),
    (
        "and no list is one",
        "resourcequotas",
        QUOTA,
        {"spec": {"scopes": None}},
        ["spec.scopes: Invalid value: null: field is immutable"],
    ),
    (
        "values of an affinity that go",
        "persistentvolumes",
        VOLUME,
        {"spec": {"nodeAffinity": expressions(values=[])}},
        [
            "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be "
            "specified when `operator` is 'In' or 'NotIn'",
            'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"a","Operator":'
            f'"In","Values":[]}}],"MatchFields":null}}]}}}}: {ONLY_GA}',
        ],
    ),
    ("an id outside", "nodes", {}, {"spec": {"externalID": "a"}}, ["spec.externalID: Forbidden: may not be updated"]),
    ("a source of configuration is dropped", "nodes", {}, {"spec": {"configSource": {}}}, []),
    (
        "a source that no claim has is dropped",
        "persistentvolumeclaims",
        CLAIM,
        {"spec": {"dataSource": {"name": "a"}}},
        [],
    ),
    (
        "an address that is none is all that is told",
        "services",
        PORTS,
        {"spec": {"type": "a", "clusterIP": "50%"}},
        [f'spec.clusterIPs[0]: Invalid value: "50%": {NOT_ADDRESS}'],
    ),
    (
        "a family that is none",
        "services",
        PORTS,
        {"spec": {"ipFamilies": ["a"]}},
        ['spec.ipFamilies[0]: Unsupported value: "a": supported values: "IPv4", "IPv6"'],
    ),
    (
        "two families",
        "services",
        PORTS,
        {"spec": {"ipFamilies": ["IPv4", "IPv6"]}},
        [
            "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when "
            "multiple IP families are specified"
        ],
    ),
    (
        "a false that was not there",
        "pods",
        pod(),
        {"spec": {"containers": [{**READ_ONLY, "securityContext": {"readOnlyRootFilesystem": False}}]}},
        [
            "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
            "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "
            "existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously "
            "negative)"
        ],
    ),
    ("an empty list that was not there", "pods", pod(), {"spec": {"imagePullSecrets": [], "hostAliases": []}}, []),
]


@pytest.mark.parametrize(
    ("name", "plural", "given", "put", "want"), REFUSED, ids=lambda each: each if isinstance(each, str) else ""
)
def test_what_is_put_over_another_is_refused(
    name: str, plural: str, given: Object, put: Object, want: list[str]
) -> None:
    assert [each.split("\n")[0] for each in told_of_put(plural, given, put)] == want


def told_of_put(plural: str, given: Object, put: Object) -> list[str]:
    live = created(plural, given).value
    assert live is not None
    new = copy.deepcopy(live)
    for part, fields in put.items():
        new[part] = {**new.get(part, {}), **fields}
    try:
        handlers.replace(resource(plural), live, new, BY)
    except ApiError as refused:
        found = (refused.status.get("details") or {}).get("causes")
        return [f"{each['field']}: {each['message']}" for each in found] if found else [str(refused)]
    return []


def test_a_difference_shows_what_is_empty() -> None:
    told = told_of_put("pods", pod(containers=[{**MAIN, "command": ["a"]}]), pod(containers=[{**MAIN, "command": []}]))
    assert '-   "Command": [\n-    "a"\n-   ],\n+   "Command": [],\n' in told[-1]


def test_who_sends_what_is_dropped_manages_it() -> None:
    live = created("nodes", {"metadata": {"labels": {"a": "b"}}}).value
    assert live is not None
    put = {**live, "spec": {**live.get("spec", {}), "configSource": {}, "unschedulable": True}}
    value = handlers.replace(resource("nodes"), live, put, BY).value
    assert value is not None
    assert "configSource" not in value["spec"]
    fields = value["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]
    assert fields == {"f:configSource": {}, "f:unschedulable": {}}


# A merge patch of a ConfigMap, and what is told.
PATCHES: list[tuple[str, Object, str]] = [
    (
        "no metadata",
        {"metadata": None},
        "the name of the object (web based on URL) was undeterminable: name must be provided",
    ),
    (
        "another name",
        {"metadata": {"name": "b"}},
        "the name of the object (b) does not match the name on the URL (web)",
    ),
    (
        "a time of deletion",
        {"metadata": {"deletionTimestamp": "2026-01-05T08:00:00Z"}},
        'ConfigMap "web" is invalid: metadata.deletionTimestamp: Invalid value: "2026-01-05T08:00:00Z": field is '
        "immutable",
    ),
]


@pytest.mark.parametrize(
    ("name", "patch", "want"), PATCHES, ids=lambda each: each if isinstance(each, str) and len(each) < 30 else ""
)
def test_a_patch_is_refused(name: str, patch: Object, want: str) -> None:
    live = created("configmaps", {}).value
    assert live is not None
    with pytest.raises(ApiError) as refused:
        handlers.patch(resource("configmaps"), live, MERGE_PATCH, patch, BY)
    assert str(refused.value) == want


def test_who_applies_what_is_there_has_no_time_and_an_owner_without_uid_is_no_error_of_the_server() -> None:
    live = created("configmaps", {"data": {"a": "b"}}).value
    assert live is not None
    same = {"metadata": {"name": "web"}, "data": {"a": "b"}}
    value = handlers.patch(resource("configmaps"), live, APPLY_PATCH[0], same, WriteOptions("two", BY.time)).value
    assert value is not None
    assert ["time" in each for each in value["metadata"]["managedFields"]] == [False, True]
    owned = {"metadata": {"name": "web", "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p"}]}}
    with pytest.raises(ApiError, match=r"metadata\.ownerReferences\.uid: Invalid value") as refused:
        handlers.patch(resource("configmaps"), live, APPLY_PATCH[0], owned, WriteOptions("two", BY.time))
    assert refused.value.status["code"] == 422


def test_a_pod_put_without_its_priority_keeps_it() -> None:
    pods = resource("pods")
    live = created("pods", pod()).value
    assert live is not None
    other = sent("pods", pod(containers=[{**MAIN, "image": "another"}]))
    value = handlers.replace(pods, live, other, BY).value
    assert value is not None
    kept = {key: value["spec"][key] for key in ("priority", "preemptionPolicy")}
    assert kept == {"priority": 0, "preemptionPolicy": "PreemptLowerPriority"}


@pytest.mark.parametrize(
    ("body", "want"),
    [
        (b"{not json", "invalid character 'n' looking for beginning of object key string"),
        (b'{"a": not json', "invalid character 'o' in literal null (expecting 'u')"),
        (b"nul", "unexpected end of JSON input"),
    ],
)
def test_what_is_no_json_is_told_in_go_s_words(body: bytes, want: str) -> None:
    with pytest.raises(json.JSONDecodeError) as broken:
        json.loads(body)
    assert decode.go_error(body, broken.value) == want


# What a patch through the door of the status leaves of labels and owners.
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [MAIN]}}
OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "1"}
KEPT: list[tuple[str, Object, bool, bool]] = [
    ("deployments", {"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}}, False, True),
    ("replicasets", {"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}}, True, True),
    ("pods", pod(), True, False),
]


@pytest.mark.parametrize(("plural", "given", "has_label", "has_owner"), KEPT, ids=[each[0] for each in KEPT])
def test_what_the_door_of_a_status_takes(plural: str, given: Object, has_label: bool, has_owner: bool) -> None:
    live = created(plural, given).value
    assert live is not None
    patch = {"metadata": {"labels": {"k": "v"}, "ownerReferences": [OWNER]}}
    asked = WriteOptions("tests", BY.time, subresource="status")
    value = handlers.patch(resource(plural), live, MERGE_PATCH, patch, asked).value
    metadata = (value or live)["metadata"]
    assert ("k" in (metadata.get("labels") or {}), bool(metadata.get("ownerReferences"))) == (has_label, has_owner)
