"""Managed fields of what controllers, the scheduler and kubelets wrote, as a v1.36 control plane shows them."""

from typing import Any

import pytest

from kube_apiserver import controller_fields
from kube_apiserver.errors import ApiError
from kube_apiserver.writes import handlers
from kube_apiserver.writes.options import WriteOptions
from kube_apiserver.writes.patches import APPLY_PATCH, MERGE_PATCH
from tests.core.kube_apiserver.refusals import MAIN, Object, created, resource

TIME = "2025-06-01T00:00:05Z"
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [MAIN]}}
SPEC = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
ME = WriteOptions("me", TIME)
CONFLICT = "Apply failed with 1 conflict: conflict with "
MANAGER, KUBELET = '"kube-controller-manager"', '"kubelet" with subresource "status" using v1'
OF_STATUS = f'{MANAGER} with subresource "status" using'
REVISION = {"deployment.kubernetes.io/revision": "1"}


def condition(name: str, status: str = "True", **fields: Any) -> Object:
    return {"type": name, "status": status, "lastTransitionTime": TIME, **fields}


def owned_by(kind: str) -> Object:
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": "web", "uid": "u-1", "controller": True}
    return {"labels": {"app": "web"}, "ownerReferences": [owner]}


def stored(plural: str, given: Object, by_controllers: Object) -> Object:
    """Return an object that a client or a controller created, with what controllers wrote later."""
    value = created(plural, given).value
    assert value is not None
    if "ownerReferences" in value["metadata"]:
        del value["metadata"]["managedFields"]
    for part, fields in by_controllers.items():
        value[part] = {**(value.get(part) or {}), **fields}
    return value


def deployment() -> Object:
    status = {"replicas": 2, "observedGeneration": 1, "conditions": [condition("Available", reason="r", message="m")]}
    found = stored("deployments", {"spec": SPEC}, {"status": status})
    return {**found, "metadata": {**found["metadata"], "annotations": REVISION}}


def running_pod() -> Object:
    conditions = [condition("PodScheduled"), condition("Ready")]
    status = {"phase": "Running", "conditions": conditions, "startTime": TIME, "qosClass": "BestEffort"}
    metadata = owned_by("ReplicaSet")
    return stored(
        "pods",
        {"metadata": metadata, "spec": {"containers": [MAIN]}},
        {"spec": {"nodeName": "node-1"}, "status": status},
    )


def waiting_pod() -> Object:
    conditions = [condition("PodScheduled", "False", reason="Unschedulable")]
    return stored("pods", {"spec": {"containers": [MAIN]}}, {"status": {"phase": "Pending", "conditions": conditions}})


def replica_set() -> Object:
    return stored("replicasets", {"metadata": owned_by("Deployment"), "spec": SPEC}, {"status": {"replicas": 2}})


def tainted_node() -> Object:
    taint = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": TIME}
    given = {"spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}}
    status = {"conditions": [condition("Ready", "Unknown", reason="KubeletStopped")]}
    return stored("nodes", given, {"spec": {"taints": [*given["spec"]["taints"], taint]}, "status": status})


def claim() -> Object:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    found = stored(
        "persistentvolumeclaims", {"spec": spec}, {"spec": {"volumeName": "v"}, "status": {"phase": "Bound"}}
    )
    return {**found, "metadata": {**found["metadata"], "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}}


def entries(value: Object) -> dict[tuple[str, str], Any]:
    found = controller_fields.add(_resource_of(value), value)["metadata"].get("managedFields", [])
    return {(each["manager"], each.get("subresource", "")): each["fieldsV1"] for each in found}


def _resource_of(value: Object) -> Any:
    return resource(f"{value['kind'].lower()}s")


def fields_of_condition(*names: str) -> Object:
    return {".": {}, **{f"f:{name}": {} for name in ("type", "status", "lastTransitionTime", *names)}}


def test_a_deployment_has_the_fields_of_its_controller() -> None:
    shown = entries(deployment())
    assert shown["kube-controller-manager", "status"] == {
        "f:metadata": {"f:annotations": {".": {}, "f:deployment.kubernetes.io/revision": {}}},
        "f:status": {
            "f:conditions": {
                ".": {},
                'k:{"type":"Available"}': fields_of_condition("lastUpdateTime", "reason", "message"),
            },
            "f:observedGeneration": {},
            "f:replicas": {},
        },
    }
    assert list(shown) == [("tests", ""), ("kube-controller-manager", "status")]


def test_a_running_pod_has_the_fields_of_its_creator_and_of_the_kubelet() -> None:
    """The binding wrote the node and PodScheduled, and admission wrote tolerations: nobody manages them."""
    shown = entries(running_pod())
    spec = shown["kube-controller-manager", ""]["f:spec"]
    assert spec.keys().isdisjoint({"f:nodeName", "f:tolerations", "f:priority", "f:preemptionPolicy"})
    assert shown["kube-controller-manager", ""]["f:metadata"] == {
        "f:labels": {".": {}, "f:app": {}},
        "f:ownerReferences": {".": {}, 'k:{"uid":"u-1"}': {}},
    }
    assert shown["kubelet", "status"] == {
        "f:status": {
            "f:conditions": {'k:{"type":"Ready"}': fields_of_condition("lastProbeTime")},
            "f:phase": {},
            "f:startTime": {},
        }
    }


def test_a_waiting_pod_has_the_condition_of_the_scheduler() -> None:
    assert entries(waiting_pod())["kube-scheduler", "status"] == {
        "f:status": {
            "f:conditions": {".": {}, 'k:{"type":"PodScheduled"}': fields_of_condition("lastProbeTime", "reason")}
        }
    }


def test_the_node_lifecycle_takes_the_taints_of_a_client() -> None:
    shown = entries(tainted_node())
    assert shown["kube-controller-manager", ""] == {"f:spec": {"f:taints": {}}}
    assert ("tests", "") not in shown


def created_node(*conditions: Object) -> Object:
    """Return a Node that a client created with these conditions, and with a capacity."""
    given = {"metadata": {"labels": {"tier": "front"}}, "status": {"capacity": {"cpu": "4"}}}
    return stored("nodes", given, {"status": {"conditions": list(conditions)}})


BY_KUBELET = {"reason": "KubeletReady", "message": "kubelet is posting ready status"}
FIELDS_OF_KUBELET = fields_of_condition("lastHeartbeatTime", "reason", "message")
OF_CLIENT = condition("MemoryPressure", "False", lastHeartbeatTime=TIME, reason="KubeletHasSufficientMemory")
CONDITIONS_OF_NODES: list[tuple[list[Object], Object | None]] = [
    # A client that creates a Node doesn't manage its status, and without kubelets nobody does.
    ([{"type": "Ready", "status": "True", "reason": "KubeletReady"}], None),
    ([OF_CLIENT], None),
    (
        [condition("Ready", **BY_KUBELET)],
        {"f:status": {"f:conditions": {".": {}, 'k:{"type":"Ready"}': FIELDS_OF_KUBELET}}},
    ),
    (
        [OF_CLIENT, condition("Ready", **BY_KUBELET)],
        {"f:status": {"f:conditions": {'k:{"type":"Ready"}': FIELDS_OF_KUBELET}}},
    ),
]


@pytest.mark.parametrize(("conditions", "want"), CONDITIONS_OF_NODES)
def test_a_kubelet_manages_only_the_conditions_that_it_wrote(conditions: list[Object], want: Object | None) -> None:
    assert entries(created_node(*conditions)).get(("kubelet", "status")) == want


def test_the_entry_of_a_kubelet_of_another_cluster_stays() -> None:
    """A real kubelet writes heartbeats, and its entry names only the fields that it changed."""
    node = created_node(condition("Ready", lastHeartbeatTime=TIME, **BY_KUBELET))
    fields: Object = {"f:status": {"f:conditions": {'k:{"type":"Ready"}': {"f:lastHeartbeatTime": {}, "f:status": {}}}}}
    node["metadata"]["managedFields"].append(
        {
            "manager": "kubelet",
            "operation": "Update",
            "apiVersion": "v1",
            "time": TIME,
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
            "subresource": "status",
        }
    )
    assert entries(node)["kubelet", "status"] == fields


def test_a_bound_claim_has_the_fields_of_its_controller() -> None:
    shown = entries(claim())
    annotations: Object = {".": {}, "f:pv.kubernetes.io/bind-completed": {}}
    assert shown["kube-controller-manager", ""] == {
        "f:metadata": {"f:annotations": annotations},
        "f:spec": {"f:volumeName": {}},
    }
    assert shown["kube-controller-manager", "status"] == {"f:status": {"f:phase": {}}}


CONFLICTS: list[tuple[Any, str, Object, str]] = [
    (
        deployment,
        "",
        {"metadata": {"annotations": {"deployment.kubernetes.io/revision": "2"}}},
        f"{OF_STATUS} apps/v1: .metadata.annotations.deployment.kubernetes.io/revision",
    ),
    (deployment, "status", {"status": {"replicas": 5}}, f"{OF_STATUS} apps/v1: .status.replicas"),
    (replica_set, "", {"spec": {"replicas": 5}}, f"{MANAGER} using apps/v1: .spec.replicas"),
    (
        running_pod,
        "",
        {"spec": {"containers": [{"name": "main", "image": "httpd"}]}},
        f'{MANAGER} using v1: .spec.containers[name="main"].image',
    ),
    (running_pod, "status", {"status": {"phase": "Failed"}}, f"{KUBELET}: .status.phase"),
    (tainted_node, "", {"spec": {"taints": []}}, f"{MANAGER} using v1: .spec.taints"),
    (claim, "", {"spec": {"volumeName": "w"}}, f"{MANAGER} using v1: .spec.volumeName"),
]


@pytest.mark.parametrize(("make", "subresource", "applied", "want"), CONFLICTS)
def test_an_apply_conflicts_with_what_a_controller_wrote(
    make: Any, subresource: str, applied: Object, want: str
) -> None:
    live = make()
    of = _resource_of(live)
    sent = {"apiVersion": of.api_version, "kind": of.kind, **applied}
    sent["metadata"] = {"name": "web", **applied.get("metadata", {})}
    options = WriteOptions("me", TIME, force=False, subresource=subresource)
    with pytest.raises(ApiError) as caught:
        handlers.patch(of, controller_fields.add(of, live), APPLY_PATCH[0], sent, options)
    assert (caught.value.code, str(caught.value)) == (409, f"{CONFLICT}{want}")


@pytest.mark.parametrize("make", [deployment, running_pod, waiting_pod, replica_set, tainted_node, claim])
def test_a_write_of_other_fields_stores_only_its_own_managed_fields(make: Any) -> None:
    live = make()
    of = _resource_of(live)
    written = handlers.patch(
        of, controller_fields.add(of, live), MERGE_PATCH, {"metadata": {"labels": {"tier": "front"}}}, ME
    )
    assert written.value is not None
    left = controller_fields.remove(of, written.value)
    managers = {each["manager"] for each in left["metadata"]["managedFields"]}
    assert managers <= {"me", "tests"}
    assert entries(left) == entries(written.value)


def test_a_field_that_a_client_applies_with_the_same_value_has_two_managers() -> None:
    of, live = resource("replicasets"), replica_set()
    sent = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": {"replicas": 2}}
    written = handlers.patch(of, controller_fields.add(of, live), APPLY_PATCH[0], sent, ME)
    assert written.value is not None
    shown = entries(controller_fields.remove(of, written.value))
    assert shown["me", ""] == {"f:spec": {"f:replicas": {}}}
    assert shown["kube-controller-manager", ""]["f:spec"]["f:replicas"] == {}


@pytest.mark.parametrize("managed", [None, [{"manager": "m", "operation": "Update", "fieldsV1": {"f:status": 1}}], [7]])
def test_an_object_of_an_import_stays_as_it_is(managed: Any) -> None:
    value = deployment()
    del value["metadata"]["managedFields"]
    if managed is not None:
        value["metadata"]["managedFields"] = managed
    of = resource("deployments")
    assert controller_fields.add(of, value) == controller_fields.remove(of, value) == value
