"""Whatever stands where in a manifest, there are problems, never another exception."""

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kube_objects.kinds.table import BY_TYPE
from tests.core.objects.manifests import node, pod, problems_of

RICH = [
    pod(
        nodeSelector={"a": "b"},
        affinity={
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]
                },
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": 1, "preference": {"matchFields": [{"key": "metadata.name", "operator": "In"}]}}
                ],
            },
            "podAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "topologyKey": "z",
                        "labelSelector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c"}]},
                        "matchLabelKeys": ["x"],
                        "mismatchLabelKeys": ["y"],
                        "namespaces": ["n"],
                        "namespaceSelector": {},
                    }
                ],
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": {}}],
            },
        },
        topologySpreadConstraints=[{"maxSkew": 1, "matchLabelKeys": ["a"], "labelSelector": {}}],
        tolerations=[{"key": "a", "operator": "Equal", "value": "b", "effect": "NoExecute"}],
        containers=[
            {
                "name": "a",
                "image": "i",
                "ports": [{"containerPort": 1, "hostPort": 1, "hostIP": "::", "protocol": "TCP"}],
                "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}},
            }
        ],
        initContainers=[{"name": "b", "restartPolicy": "Always"}],
        overhead={"cpu": "1"},
        resources={"requests": {"cpu": "1"}, "limits": {"memory": "1"}},
        volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c", "readOnly": True}}],
        schedulingGates=[{"name": "g"}],
        resourceClaims=[{"name": "r"}],
    )
    | {
        "status": {
            "phase": "Running",
            "startTime": "2025-06-01T00:00:00Z",
            "conditions": [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}],
            "containerStatuses": [{"name": "a", "resources": {"requests": {"cpu": "1"}}, "allocatedResources": {}}],
        }
    },
    node(
        spec={"taints": [{"key": "a", "effect": "NoSchedule"}], "unschedulable": True},
        status={"capacity": {"cpu": "1"}, "images": [{"names": ["a"], "sizeBytes": 1}], "conditions": [{"type": "a"}]},
    ),
    *(
        {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {
                "name": "x",
                "labels": {"a": "b"},
                "annotations": {"a": "b"},
                "ownerReferences": [{"kind": "k", "name": "n", "controller": True}],
                "creationTimestamp": None,
            },
            "spec": {
                "selector": {"matchLabels": {"a": "b"}},
                "accessModes": ["ReadWriteOnce"],
                "capacity": {"storage": "1Gi"},
                "resources": {"requests": {"storage": "1Gi"}},
                "claimRef": {"name": "c"},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [{}]}},
                "drivers": [{"name": "d", "allocatable": {"count": 1}}],
                "source": {"persistentVolumeName": "v"},
                "template": {"metadata": {"labels": {"a": "b"}}},
                "csi": {"driver": "d"},
            },
            "status": {"disruptedPods": {"a": "b"}, "disruptionsAllowed": 1, "phase": "Bound"},
            "allowedTopologies": [{"matchLabelExpressions": [{"key": "a", "values": ["b"]}]}],
            "nodeTopology": {},
            "capacity": "1Gi",
            "value": 1,
        }
        for api_version, kind in BY_TYPE
    ),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, child in children for place in places(child, (*path, key)))]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["-1", "\ud800"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3),
    max_leaves=4,
)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_nothing_else_is_raised(data: st.DataObject) -> None:
    manifest = copy.deepcopy(data.draw(st.sampled_from(RICH)))
    for _ in range(data.draw(st.integers(1, 3))):
        *path, last = data.draw(st.sampled_from(places(manifest)[1:])) or ["metadata"]
        part: Any = manifest
        for key in path:
            part = part[key]
        part[last] = data.draw(JUNK)
    for problem in problems_of(manifest):
        assert problem
