"""The Nodes on which a DaemonSet runs a Pod, and the Pods for them. Source: pkg/controller/daemon and its util."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_apiserver.admission.daemon_sets import POD_TEMPLATE_GENERATION, TEMPLATE_GENERATION
from kube_controllers.controller_revisions import HASH_LABEL
from kube_controllers.pods import node_of
from kube_objects.manifests import Manifest, annotations, labels, name, number, scaled, spec
from kube_objects.selectors import RequiredNodeAffinity, required_node_affinity
from kube_objects.taints import Toleration, as_tolerations, untolerated

_DAEMON_TOLERATIONS = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
_HOST_NETWORK = ("node.kubernetes.io/network-unavailable", "NoSchedule")


def template_of(owner: Manifest, revision_hash: str) -> dict[str, Any]:
    """Return the Pod template with the tolerations of daemons and the label of the revision. Source:
    CreatePodTemplate.
    """
    template = dict(spec(owner).get("template") or {})
    metadata, pod_spec = dict(template.get("metadata") or {}), dict(template.get("spec") or {})
    generation_label = template_generation(owner)
    generation = {} if generation_label is None else {POD_TEMPLATE_GENERATION: generation_label}
    metadata["labels"] = {
        **(metadata.get("labels") or {}),
        **generation,
        **({HASH_LABEL: revision_hash} if revision_hash else {}),
    }
    pod_spec["tolerations"] = daemon_tolerations(pod_spec)
    return {**template, "metadata": metadata, "spec": pod_spec}


def template_generation(owner: Manifest) -> str | None:
    """Return the number of the owner's template, which DaemonSets of old API versions have."""
    return annotations(owner).get(TEMPLATE_GENERATION)


def is_of_template(pod: Manifest, revision_hash: str, generation: str | None) -> bool:
    """Return whether the Pod has the revision's hash or the template's generation, as adopted Pods may.

    Source: IsPodUpdated.
    """
    pod_labels = labels(pod)
    if pod_labels.get(HASH_LABEL) == revision_hash:
        return True
    return generation is not None and pod_labels.get(POD_TEMPLATE_GENERATION) == generation


def daemon_tolerations(pod_spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the tolerations of a Pod spec with those of daemons. Source: AddOrUpdateDaemonPodTolerations."""
    wanted: list[tuple[str, str]] = [*_DAEMON_TOLERATIONS]
    if pod_spec.get("hostNetwork"):
        wanted.append(_HOST_NETWORK)
    added = [{"key": key, "operator": "Exists", "effect": effect} for key, effect in wanted]
    own = [
        (toleration.get("key"), toleration.get("effect"), toleration.get("operator", "Equal")) for toleration in added
    ]
    terms = [
        toleration
        for toleration in pod_spec.get("tolerations") or ()
        if (toleration.get("key"), toleration.get("effect"), toleration.get("operator", "Equal")) not in own
    ]
    return [*terms, *added]


def with_node_affinity(template: Mapping[str, Any], node: str) -> dict[str, Any]:
    """Return the template for one Node. Source: ReplaceDaemonSetPodNodeNameNodeAffinity."""
    pod_spec = dict(template.get("spec") or {})
    affinity = dict(pod_spec.get("affinity") or {})
    to_node = dict(affinity.get("nodeAffinity") or {})
    only = [{"key": "metadata.name", "operator": "In", "values": [node]}]
    terms = (to_node.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms") or [{}]
    # Fields of the user's terms are replaced: a term can name one node only.
    to_node["requiredDuringSchedulingIgnoredDuringExecution"] = {
        "nodeSelectorTerms": [{**term, "matchFields": only} for term in terms]
    }
    affinity["nodeAffinity"] = to_node
    pod_spec["affinity"] = affinity
    return {**template, "spec": pod_spec}


def target_of(pod: Manifest) -> str:
    """Return the Node that a Pod is on or is created for, or "". Source: GetTargetNodeName."""
    if node_of(pod):
        return node_of(pod)
    required = ((spec(pod).get("affinity") or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    ) or {}
    for term in required.get("nodeSelectorTerms") or ():
        for rule in term.get("matchFields") or ():
            values = list(rule.get("values") or ())
            if rule.get("key") == "metadata.name" and rule.get("operator") == "In" and len(values) == 1:
                return str(values[0])
    return ""


@dataclass(slots=True, frozen=True)
class DaemonPod:
    """The fields of a daemon's Pod that decide on which Nodes it runs."""

    node_name: str
    affinity: RequiredNodeAffinity
    tolerations: Sequence[Toleration]


def daemon_pod(owner: Manifest) -> DaemonPod:
    """Return the Pod of a DaemonSet. Callers that check many Nodes build it once."""
    pod_spec = template_of(owner, "")["spec"]
    return DaemonPod(
        pod_spec.get("nodeName") or "", required_node_affinity(pod_spec), as_tolerations(pod_spec["tolerations"])
    )


def fits_node(pod: DaemonPod, node: Manifest) -> tuple[bool, bool]:
    """Return whether the Pod should run on the Node, and whether one that runs there may stay.

    Source: NodeShouldRunDaemonPod.
    """
    if pod.node_name not in ("", name(node)) or not pod.affinity.matches(labels(node), name(node)):
        return False, False
    taints = spec(node).get("taints") or ()
    if not taints and not spec(node).get("unschedulable"):
        return True, True
    keep_off = [taint for taint in taints if taint.get("effect") in ("NoSchedule", "NoExecute")]
    if spec(node).get("unschedulable"):
        keep_off.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
    unmet = untolerated(pod.tolerations, keep_off)
    return not unmet, all(taint.get("effect") != "NoExecute" for taint in unmet)


def rolling(owner: Manifest) -> Mapping[str, Any]:
    return (spec(owner).get("updateStrategy") or {}).get("rollingUpdate") or {}


def is_rolling(owner: Manifest) -> bool:
    return ((spec(owner).get("updateStrategy") or {}).get("type") or "RollingUpdate") == "RollingUpdate"


def surge_count(owner: Manifest, desired: int) -> int:
    return scaled(rolling(owner).get("maxSurge", 0), desired, round_up=True) if is_rolling(owner) else 0


def unavailable_count(owner: Manifest, desired: int) -> int:
    return scaled(rolling(owner).get("maxUnavailable", 1), desired, round_up=True) if is_rolling(owner) else 0


def allows_surge(owner: Manifest) -> bool:
    return surge_count(owner, 1) > 0


def min_ready(owner: Manifest) -> int:
    return number(spec(owner).get("minReadySeconds"), 0)


def by_node(listed: Sequence[Manifest]) -> dict[str, list[Manifest]]:
    pods: dict[str, list[Manifest]] = {}
    for pod in listed:
        if target := target_of(pod):
            pods.setdefault(target, []).append(pod)
    return pods
