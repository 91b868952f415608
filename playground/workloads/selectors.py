"""The state of a cluster's workloads, read from its stored objects."""

from collections.abc import Iterator

from kube_controllers.controller_revisions import HASH_LABEL
from kube_controllers.deployment import util
from kube_controllers.objects import Objects
from kube_controllers.pods import is_ready, is_terminating, node_of, phase
from kube_objects.manifests import Manifest, key, kind, labels, meta, name, namespace
from playground.models import Cluster, ClusterObject
from playground.workloads import controller_steps, node_groups, revision_names, workload_progress
from playground.workloads.workload_answers import Revision, Workload, WorkloadPod, Workloads

KINDS = ("Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job", "ReplicaSet")
_READ = (*KINDS, "Pod", "ControllerRevision")
# Limits of the objects that are read, and of the workloads, Pods per revision and steps in the answer.
MOST_OBJECTS, MOST_WORKLOADS, MOST_PODS, MOST_STEPS = 20_000, 200, 60, 20
_LOOKED_AT = 200


def workloads(cluster: Cluster) -> Workloads:
    """Return the first MOST_WORKLOADS workloads, in the order of KINDS."""
    objects = _objects(cluster.pk)
    owners = list(_top(objects))
    return {
        "revision": cluster.revision,
        "actors": list(cluster.actors),
        "live": cluster.live,
        "workloads": [_workload(one, objects, bool(cluster.actors)) for one in owners[:MOST_WORKLOADS]],
        "more": max(len(owners) - MOST_WORKLOADS, 0),
        "steps": controller_steps.newest_steps(cluster.pk, MOST_STEPS, _LOOKED_AT),
        "groups": node_groups.describe_node_groups(cluster.pk),
    }


def _objects(cluster_id: int) -> Objects:
    objects = Objects()
    stored = ClusterObject.objects.filter(cluster_id=cluster_id, kind__in=_READ).order_by("pk")
    for manifest in stored.values_list("manifest", flat=True)[:MOST_OBJECTS].iterator():
        if meta(manifest).get("uid") or kind(manifest) in KINDS:
            objects.put(manifest)
    return objects


def _top(objects: Objects) -> Iterator[Manifest]:
    for workload_kind in KINDS:
        for obj in sorted(objects.of_kind(workload_kind), key=key):
            if not any(owner.get("controller") for owner in meta(obj).get("ownerReferences") or ()):
                yield obj


def _workload(owner: Manifest, objects: Objects, lives: bool) -> Workload:
    own = list(_revisions(owner, objects)) if meta(owner).get("uid") else []
    state = workload_progress.describe_progress(owner, [pod for _, _, pods in own for pod in pods], own, lives)
    return {
        "kind": kind(owner),
        "namespace": namespace(owner),
        "name": name(owner),
        "state": state.state,
        "says": state.says,
        "why": state.why,
        "revisions": [_revision(named, current, pods) for named, current, pods in own if pods],
    }


def _revisions(owner: Manifest, objects: Objects) -> Iterator[workload_progress.Revision]:
    """Yield name, whether it is current, and Pods of each revision; the newest last."""
    match kind(owner):
        case "Deployment":
            sets = sorted(objects.owned(owner, "ReplicaSet"), key=util.revision)
            new = util.find_new(owner, sets)
            for replica_set in sets:
                yield (
                    revision_names.name_of_replica_set(replica_set),
                    replica_set is new,
                    objects.owned(replica_set, "Pod"),
                )
        case "CronJob":
            for job in objects.owned(owner, "Job"):
                yield name(job), True, objects.owned(job, "Pod")
        case "StatefulSet" | "DaemonSet":
            pods = objects.owned(owner, "Pod")
            known = revision_names.numbers_by_label(objects.owned(owner, "ControllerRevision"))
            hashes = dict.fromkeys(labels(pod).get(HASH_LABEL, "") for pod in pods)
            for one in sorted(hashes, key=lambda label: known.get(label, 0)):
                own = [pod for pod in pods if labels(pod).get(HASH_LABEL, "") == one]
                yield *revision_names.name_of_label(one, known), own
        case _:
            yield "", True, objects.owned(owner, "Pod")


def _revision(named: str, current: bool, pods: list[Manifest]) -> Revision:
    listed = [_pod(pod) for pod in pods[:MOST_PODS]]
    return {"name": named, "current": current, "pods": listed, "more": len(pods) - len(listed)}


def _pod(pod: Manifest) -> WorkloadPod:
    ended = {"Succeeded": "ended", "Failed": "failed"}.get(phase(pod))
    node = node_of(pod)
    state = ended or (
        "stopping" if is_terminating(pod) else "ready" if is_ready(pod) else "starting" if node else "pending"
    )
    return {"pod": key(pod), "node": node or None, "state": state}  # type: ignore[typeddict-item]  # one of its states
