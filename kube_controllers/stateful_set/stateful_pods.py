"""The Pods and claims of a StatefulSet. Source: pkg/controller/statefulset/stateful_set_utils.go."""

import re
from collections.abc import Mapping
from typing import Any

from kube_controllers.controller_revisions import HASH_LABEL
from kube_controllers.pods import from_template, is_available, is_ready
from kube_objects.manifests import Manifest, is_deleted, labels, name, namespace, number, scaled, spec, status

POD_NAME = "statefulset.kubernetes.io/pod-name"
POD_INDEX = "apps.kubernetes.io/pod-index"
_NAME = re.compile(r"(.*)-([0-9]+)$", re.DOTALL)


def parent_and_ordinal(pod: Manifest) -> tuple[str, int]:
    match = _NAME.fullmatch(name(pod))
    return (match[1], int(match[2])) if match and int(match[2]) < 2**31 else ("", -1)


def ordinal_of(pod: Manifest) -> int:
    return parent_and_ordinal(pod)[1]


def replicas(owner: Manifest) -> int:
    return number(spec(owner).get("replicas"), 1)


def start_of(owner: Manifest) -> int:
    return number((spec(owner).get("ordinals") or {}).get("start"), 0)


def in_range(pod: Manifest, owner: Manifest) -> bool:
    return start_of(owner) <= ordinal_of(pod) < start_of(owner) + replicas(owner)


def update_type(owner: Manifest) -> str:
    return str((spec(owner).get("updateStrategy") or {}).get("type") or "RollingUpdate")


def rolling(owner: Manifest) -> Mapping[str, Any]:
    return (spec(owner).get("updateStrategy") or {}).get("rollingUpdate") or {}


def partition(owner: Manifest) -> int:
    return number(rolling(owner).get("partition"), 0)


def max_unavailable(owner: Manifest) -> int:
    """Return maxUnavailable, which counts only with the gate MaxUnavailableStatefulSet. Source:
    getStatefulSetMaxUnavailable.
    """
    return max(scaled(rolling(owner).get("maxUnavailable", 1), replicas(owner), round_up=False), 1)


def is_parallel(owner: Manifest) -> bool:
    return spec(owner).get("podManagementPolicy") == "Parallel"


def is_created(pod: Manifest) -> bool:
    return bool(status(pod).get("phase"))


def is_running_and_ready(pod: Manifest) -> bool:
    return status(pod).get("phase") == "Running" and is_ready(pod)


def is_unavailable(pod: Manifest, min_ready: int, now: float) -> bool:
    return not is_available(pod, min_ready, now) or is_deleted(pod)


def revision_of(pod: Manifest) -> str:
    return str(labels(pod).get(HASH_LABEL, ""))


def claim_name(owner: Manifest, template: Mapping[str, Any], ordinal: int) -> str:
    return f"{(template.get('metadata') or {}).get('name', '')}-{name(owner)}-{ordinal}"


def claim_templates(owner: Manifest) -> list[Mapping[str, Any]]:
    return list(spec(owner).get("volumeClaimTemplates") or ())


def claims_of(owner: Manifest, ordinal: int) -> list[dict[str, Any]]:
    """Source: getPersistentVolumeClaims."""
    selected = (spec(owner).get("selector") or {}).get("matchLabels") or {}
    claims = []
    for template in claim_templates(owner):
        template_metadata = template.get("metadata") or {}
        metadata: dict[str, Any] = {"name": claim_name(owner, template, ordinal), "namespace": namespace(owner)}
        if {**(template_metadata.get("labels") or {}), **selected}:
            metadata["labels"] = {**(template_metadata.get("labels") or {}), **selected}
        if template_metadata.get("annotations"):
            metadata["annotations"] = template_metadata["annotations"]
        claims.append(
            {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": metadata,
                "spec": dict(template.get("spec") or {}),
                "status": {"phase": "Pending"},
            }
        )
    return claims


def new_pod(owner: Manifest, ordinal: int, revision: str) -> dict[str, Any]:
    """Return a Pod that is not created yet, and so has no phase. Source: newStatefulSetPod."""
    pod = from_template(spec(owner).get("template") or {}, owner)
    pod_name = f"{name(owner)}-{ordinal}"
    metadata = {field: value for field, value in pod["metadata"].items() if field != "generateName"}
    metadata["name"] = pod_name
    metadata["labels"] = {
        **(metadata.get("labels") or {}),
        POD_NAME: pod_name,
        POD_INDEX: str(ordinal),
        HASH_LABEL: revision,
    }
    pod_spec = {**pod["spec"], "hostname": pod_name}
    if spec(owner).get("serviceName"):
        pod_spec["subdomain"] = spec(owner)["serviceName"]
    volumes = [
        {
            "name": (template.get("metadata") or {}).get("name", ""),
            "persistentVolumeClaim": {"claimName": claim_name(owner, template, ordinal)},
        }
        for template in claim_templates(owner)
    ]
    own = {volume["name"] for volume in volumes}
    volumes += [volume for volume in pod_spec.get("volumes") or () if volume.get("name") not in own]
    if volumes:
        pod_spec["volumes"] = volumes
    return {**pod, "metadata": metadata, "spec": pod_spec, "status": {}}


def identity_matches(owner: Manifest, pod: Manifest) -> bool:
    parent, ordinal = parent_and_ordinal(pod)
    return ordinal >= 0 and parent == name(owner) and labels(pod).get(POD_NAME) == name(pod)


def with_identity(pod: Manifest) -> dict[str, Any]:
    """Source: updateIdentity."""
    known = {**labels(pod), POD_NAME: name(pod), POD_INDEX: str(ordinal_of(pod))}
    return {**pod, "metadata": {**pod["metadata"], "labels": known}}
