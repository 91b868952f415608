"""Manifests of objects that the engine has changed: what they say, and that they read back as the same object."""

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.meta import KubeObject
from kube_objects.parse import parse_object
from kube_objects.pod import Pod, PodCondition
from kube_objects.read import format_time, parse_time
from kube_objects.serialize import manifest_of
from tests.conformance.testing import make_node, make_pod

JUNE = 1748736000.0


def test_an_unchanged_object_has_its_own_manifest() -> None:
    pod = make_pod("p").cpu("1").status(conditions=[{"type": "Ready", "status": "True", "lastProbeTime": None}]).build()
    assert manifest_of(pod) is pod.manifest


def test_only_what_changed_is_written() -> None:
    pod = make_pod("p").spec(dnsPolicy="Default").status(qosClass="Burstable").build()
    given_manifest = copy.deepcopy(pod.manifest)
    bound = pod.with_node("n1")
    bound.phase, bound.start_time = "Running", JUNE + 7
    bound.conditions = (PodCondition("PodScheduled", "True", last_transition_time=JUNE + 6.5),)
    assert manifest_of(bound) == {
        **given_manifest,
        "spec": {**given_manifest["spec"], "nodeName": "n1"},
        "status": {
            "qosClass": "Burstable",
            "phase": "Running",
            "startTime": "2025-06-01T00:00:07Z",
            "conditions": [
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2025-06-01T00:00:06.5Z"},
            ],
        },
    }
    assert pod.manifest == given_manifest


def test_conditions_that_did_not_change_keep_what_else_they_say() -> None:
    ready = {"type": "Ready", "status": "True", "lastProbeTime": "2025-06-01T00:00:00Z", "observedGeneration": 3}
    pod = make_pod("p").status(conditions=[ready]).build()
    changed = copy.copy(pod)
    changed.conditions = (*pod.conditions, PodCondition("PodScheduled", "False", "Unschedulable", "0/1 nodes"))
    assert manifest_of(changed)["status"]["conditions"] == [
        ready,
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes"},
    ]


def test_what_is_taken_back_is_taken_out() -> None:
    pod = make_pod("p").node("n1").nominated("n2").started("2025-06-01T00:00:00Z").build()
    cleared = replace(pod, node_name="", nominated_node_name="", start_time=None, phase="Pending")
    assert manifest_of(cleared)["status"] == {"phase": "Pending"}
    assert "nodeName" not in manifest_of(cleared)["spec"]


def claim() -> PersistentVolumeClaim:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "dataSource": {"x": 1}}
    parsed = parse_object(
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": spec}
    )
    assert isinstance(parsed, PersistentVolumeClaim)
    return parsed


def volume(claim_ref: Any = None) -> PersistentVolume:
    spec = {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "claimRef": claim_ref}
    parsed = parse_object({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": spec})
    assert isinstance(parsed, PersistentVolume)
    return parsed


CHANGES: list[tuple[str, KubeObject]] = [
    ("deletion", replace(make_pod("p").build(), deletion_timestamp=JUNE)),
    ("annotations", replace(claim(), annotations={"volume.kubernetes.io/selected-node": "n1"})),
    ("no annotations", replace(make_pod("p").annotation("a", "b").build(), annotations={})),
    ("cordon", replace(make_node("n").build(), unschedulable=True)),
    ("uncordon", replace(make_node("n").cordoned().build(), unschedulable=False)),
    ("bound claim", replace(claim(), volume_name="v", phase="Bound")),
    ("bound volume", replace(volume(), claim_ref=("default", "c", "u"), phase="Bound")),
    ("reserved volume", replace(volume(), claim_ref=("default", "c", ""))),
    ("released volume", replace(volume({"namespace": "a", "name": "b"}), claim_ref=None)),
    ("nominated", make_pod("p").build().with_nomination("n1")),
    ("no conditions", replace(make_pod("p").status(conditions=[{"type": "Ready"}]).build(), conditions=())),
]


@pytest.mark.parametrize("obj", [change[1] for change in CHANGES], ids=[change[0] for change in CHANGES])
def test_a_change_reads_back(obj: KubeObject) -> None:
    assert parse_object(manifest_of(obj)) == obj
    assert parse_object(manifest_of(obj)) != parse_object(obj.manifest)


NAMES = st.sampled_from(["", "n1", "node-2"])
TIMES = st.none() | st.floats(min_value=1e9, max_value=4e9) | st.integers(0, 4 * 10**9).map(float)
CONDITIONS = st.builds(
    PodCondition,
    type=st.sampled_from(["PodScheduled", "Ready"]),
    status=st.sampled_from(["True", "False"]),
    reason=st.text(max_size=5),
    message=st.text(max_size=20),
    last_transition_time=TIMES,
)


@settings(max_examples=200, deadline=None)
@given(
    conditions=st.lists(CONDITIONS, max_size=3),
    changed=st.lists(CONDITIONS, max_size=3),
    fields=st.fixed_dictionaries(
        {
            "node_name": NAMES,
            "nominated_node_name": NAMES,
            "phase": st.sampled_from(["Pending", "Running", "Failed"]),
            "start_time": TIMES,
            "deletion_timestamp": TIMES,
            "annotations": st.dictionaries(st.sampled_from(["a", "b.io/c"]), st.text(max_size=5)),
        }
    ),
    second=st.booleans(),
)
def test_pods_read_back(
    conditions: list[PodCondition], changed: list[PodCondition], fields: dict[str, Any], second: bool
) -> None:
    pod = replace(make_pod("p").node("n1").annotation("a", "1").build(), conditions=tuple(conditions))
    if second:
        pod = parse_object(manifest_of(pod))  # type: ignore[assignment]
    pod = replace(pod, **fields, conditions=(*conditions[:1], *changed))
    again = parse_object(manifest_of(pod))
    assert isinstance(again, Pod)
    assert again == pod
    assert manifest_of(again) is again.manifest


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0.0),
        ("2025-06-01T00:00:00Z", JUNE),
        ("2025-06-01T02:00:00+02:00", JUNE),
        ("2025-05-31T17:00:00.250-07:00", JUNE + 0.25),
        ("2025-06-01T00:00:00.123456789Z", 1748736000.123456789),
        ("1969-12-31T23:59:59.5Z", -0.5),
        ("0001-01-01T00:00:00Z", -62135596800.0),
        ("2025-06-01", None),
        ("2025-06-01T00:00Z", None),
        ("2025-06-01T00:00:00", None),
        ("2025-13-01T00:00:00Z", None),
        ("2025-06-01T24:00:00Z", None),
        ("0001-01-01T00:00:00+02:00", -62135604000.0),
    ],
)
def test_times(text: str, seconds: float | None) -> None:
    assert parse_time(text) == seconds


@given(st.floats(min_value=1e9, max_value=2e11) | st.integers(-6 * 10**10, 10**11).map(float))
def test_times_read_back(seconds: float) -> None:
    assert parse_time(format_time(seconds)) == seconds
