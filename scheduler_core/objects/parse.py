"""From a manifest to a typed object: the API server's defaulting and validation, as far as scheduling can tell.

`parse_object` takes what `kubectl get -o json` gives. Fields that scheduling does not read are kept in `manifest` and
never a problem; kinds that it does not read become a plain `KubeObject`.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from scheduler_core.objects import read
from scheduler_core.objects.meta import KubeObject
from scheduler_core.objects.node import Node
from scheduler_core.objects.parsers import devices, storage, workloads
from scheduler_core.objects.parsers.meta import read_meta
from scheduler_core.objects.parsers.node import parse_node as read_node
from scheduler_core.objects.parsers.pod import parse_pod as read_pod
from scheduler_core.objects.pod import Pod
from scheduler_core.objects.read import Problems
from scheduler_core.text.problems import ObjectError, Problem

Parser = Callable[[Mapping[str, Any], Problems], KubeObject]

# Every kind that scheduling reads: (apiVersion, kind) → its parser.
PARSERS: Mapping[tuple[str, str], Parser] = {
    ("v1", "Pod"): read_pod,
    ("v1", "Node"): read_node,
    ("v1", "Namespace"): workloads.parse_namespace,
    ("v1", "Service"): workloads.parse_service,
    ("v1", "ReplicationController"): workloads.parse_replication_controller,
    ("apps/v1", "ReplicaSet"): partial(workloads.parse_workload, "ReplicaSet"),
    ("apps/v1", "StatefulSet"): partial(workloads.parse_workload, "StatefulSet"),
    ("scheduling.k8s.io/v1", "PriorityClass"): workloads.parse_priority_class,
    ("scheduling.k8s.io/v1alpha2", "PodGroup"): workloads.parse_pod_group,
    ("policy/v1", "PodDisruptionBudget"): workloads.parse_pod_disruption_budget,
    ("v1", "PersistentVolume"): storage.parse_persistent_volume,
    ("v1", "PersistentVolumeClaim"): storage.parse_persistent_volume_claim,
    ("storage.k8s.io/v1", "StorageClass"): storage.parse_storage_class,
    ("storage.k8s.io/v1", "CSINode"): storage.parse_csi_node,
    ("storage.k8s.io/v1", "CSIDriver"): storage.parse_csi_driver,
    ("storage.k8s.io/v1", "CSIStorageCapacity"): storage.parse_csi_storage_capacity,
    ("storage.k8s.io/v1", "VolumeAttachment"): storage.parse_volume_attachment,
    ("resource.k8s.io/v1", "DeviceClass"): devices.parse_device_class,
    ("resource.k8s.io/v1", "ResourceSlice"): devices.parse_resource_slice,
    ("resource.k8s.io/v1", "ResourceClaim"): devices.parse_resource_claim,
    ("resource.k8s.io/v1", "ResourceClaimTemplate"): devices.parse_resource_claim_template,
}
_API_VERSIONS = {kind: api_version for api_version, kind in PARSERS}


def parse_object(manifest: Mapping[str, Any]) -> KubeObject:
    """The typed object; raises `ObjectError` with all the problems of the manifest."""
    problems: Problems = []
    parsed = read_object(manifest, problems)
    if parsed is None or problems:
        raise ObjectError(problems)
    return parsed


def parse_pod(manifest: Mapping[str, Any]) -> Pod:
    """`parse_object` for a manifest that must be a Pod."""
    parsed = parse_object(manifest)
    if not isinstance(parsed, Pod):
        raise ObjectError([Problem("kind", manifest.get("kind"), 'must be "Pod"')])
    return parsed


def parse_node(manifest: Mapping[str, Any]) -> Node:
    """`parse_object` for a manifest that must be a Node."""
    parsed = parse_object(manifest)
    if not isinstance(parsed, Node):
        raise ObjectError([Problem("kind", manifest.get("kind"), 'must be "Node"')])
    return parsed


def read_object(manifest: Mapping[str, Any], problems: Problems) -> KubeObject | None:
    """As `parse_object`, but problems are appended; None if it is not even known what the manifest is meant to be."""
    kind, api_version = manifest.get("kind"), manifest.get("apiVersion")
    if type(kind) is str and type(api_version) is str:
        parser = PARSERS.get((api_version, kind))
        if parser is not None:
            return parser(manifest, problems)
        if kind and api_version:
            return _other_kind(kind, api_version, manifest, problems)
    _check_type(manifest, problems)
    return None


def is_read(api_version: str, kind: str) -> bool:
    """Whether scheduling reads objects of this kind at all."""
    return (api_version, kind) in PARSERS


def is_of_another_version(api_version: str, kind: str) -> bool:
    """Whether it is a kind that scheduling reads, in a version that is not served any more."""
    wanted = _API_VERSIONS.get(kind)
    return wanted is not None and api_version != wanted and _group(api_version) == _group(wanted)


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]


def _other_kind(kind: str, api_version: str, manifest: Mapping[str, Any], problems: Problems) -> KubeObject | None:
    wanted = _API_VERSIONS.get(kind)
    if is_of_another_version(api_version, kind):
        rule = f"Kubernetes 1.34 does not serve {kind} in this version"
        problems.append(Problem("apiVersion", api_version, rule, f'use "{wanted}"'))
        return None
    if wanted is not None:
        # Another group's kind of the same name must not be taken for ours.
        kind = f"{kind}.{_group(api_version) or api_version}"
    # Only the server knows which of them belong to a namespace; those that do say so in what kubectl prints.
    metadata = manifest.get("metadata")
    namespaced = isinstance(metadata, Mapping) and bool(metadata.get("namespace"))
    return KubeObject(**read_meta(kind, manifest, problems, namespaced=namespaced, name_rule=_any_name))


def _check_type(manifest: Mapping[str, Any], problems: Problems) -> None:
    kind = read.required_text(manifest, "kind", "", problems, "an object needs kind and apiVersion")
    known = _API_VERSIONS.get(kind)
    read.required_text(manifest, "apiVersion", "", problems, f'for kind {kind} it is "{known}"' if known else "")


def _any_name(name: str) -> str:
    """Kinds differ in what they accept (roles have colons in their names)."""
    return "" if len(name) <= 253 else "must be no more than 253 characters"
