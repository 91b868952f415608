"""Upkeep: what people, kubelets and controllers do to nodes and running pods, without the scheduler.

Each function of `PREPARE` checks its command (CommandError) and gives what carries it out, which answers with the kind
and the fields of the record.
"""

from collections.abc import Callable, Mapping
from typing import Any

from scheduler_core.objects.node import Node
from scheduler_core.objects.parse import parse_node
from scheduler_core.objects.pod import Pod
from scheduler_core.objects.problems import Problem
from scheduler_core.objects.read import format_time
from scheduler_core.objects.serialize import manifest_of, with_cordon
from scheduler_core.objects.taints import NO_EXECUTE, NO_SCHEDULE, NOT_READY
from scheduler_core.simulation.cluster import EPOCH_SECONDS, SimulatedCluster
from scheduler_core.simulation.commands import CommandError
from scheduler_core.simulation.evictions import evict, refusal_of, stays_when_drained
from scheduler_core.simulation.journal import BOUND, GONE

Fields = dict[str, Any]
CarryOut = Callable[[], tuple[str, Fields]]
Command = Mapping[str, Any]


def cordon(cluster: SimulatedCluster, command: Command) -> CarryOut:
    """As `kubectl cordon`: nothing new comes to the node; cordoned twice is cordoned once."""
    name = _node(cluster, command).name
    return lambda: _node_record("cordon", name, changed=_set_unschedulable(cluster, name, True))


def uncordon(cluster: SimulatedCluster, command: Command) -> CarryOut:
    name = _node(cluster, command).name
    return lambda: _node_record("uncordon", name, changed=_set_unschedulable(cluster, name, False))


def drain(cluster: SimulatedCluster, command: Command) -> CarryOut:
    """As `kubectl drain --ignore-daemonsets --delete-emptydir-data --force`, trying each pod once.

    Source: staging/src/k8s.io/kubectl/pkg/drain.
    """
    name = _node(cluster, command).name

    def carry_out() -> tuple[str, Fields]:
        changed = _set_unschedulable(cluster, name, True)
        evicted: list[str] = []
        kept: list[dict[str, str]] = []
        for pod in cluster.pods_on(name):
            reason = stays_when_drained(pod) or refusal_of(pod, cluster.store)
            if reason:
                kept.append({"pod": pod.key, "reason": reason})
            else:
                evict(cluster, pod)
                evicted.append(pod.key)
        return _node_record("drain", name, changed=changed or bool(evicted), evicted=evicted, kept=kept)

    return carry_out


def fail_node(cluster: SimulatedCluster, command: Command) -> CarryOut:
    """The node's kubelet reports that it is not ready; the node lifecycle controller taints it and evicts its pods.

    Source: pkg/controller/nodelifecycle, pkg/controller/tainteviction.
    """
    name = _node(cluster, command).name

    def carry_out() -> tuple[str, Fields]:
        if cluster.outages.has(name):
            return _node_record("fail_node", name, changed=False)
        node = _node(cluster, command)
        cluster.put(_with_readiness(node, False, EPOCH_SECONDS + cluster.now))
        cluster.journal.event(node, "Normal", "NodeNotReady", f"Node {name} status is now: NodeNotReady")
        due, later = cluster.outages.begin(name, cluster.pods_on(name), cluster.now)
        cluster.delete_for_taint(due)
        waiting = [{"pod": pod.key, "t": round(at, 6)} for pod, at in later]
        return _node_record("fail_node", name, changed=True, evicted=[pod.key for pod in due], later=waiting)

    return carry_out


def recover_node(cluster: SimulatedCluster, command: Command) -> CarryOut:
    """The node is ready again: the taints go, and so do the evictions that were still to come."""
    name = _node(cluster, command).name

    def carry_out() -> tuple[str, Fields]:
        node = _node(cluster, command)
        ready = _with_readiness(node, True, EPOCH_SECONDS + cluster.now)
        changed = (ready.taints, ready.conditions) != (node.taints, node.conditions)
        if changed:
            cluster.put(ready)
            cluster.journal.event(node, "Normal", "NodeReady", f"Node {name} status is now: NodeReady")
        return _node_record("recover_node", name, changed=changed)

    return carry_out


def evict_pod(cluster: SimulatedCluster, command: Command) -> CarryOut:
    """The Eviction API. Source: pkg/registry/core/pod/storage/eviction.go."""
    pod = _pod(cluster, command)
    reason = refusal_of(pod, cluster.store)
    if reason:
        hint = "raise the budget's status.disruptionsAllowed, or delete the pod, which no budget prevents"
        raise CommandError([Problem("pod", pod.key, reason, hint)])

    def carry_out() -> tuple[str, Fields]:
        live = cluster.find_pod(pod.key)
        if live is not None:
            evict(cluster, live)
        return "eviction", {"by": "api", "pods": [pod.key]} | ({"node": pod.node_name} if pod.node_name else {})

    return carry_out


def finish_pod(cluster: SimulatedCluster, command: Command) -> CarryOut:
    """The pod's containers have ended; the scheduler sees it no more, and its node has its room back."""
    pod, phase = _pod(cluster, command), command["phase"]
    if pod.finished:
        raise CommandError([Problem("pod", pod.key, f"has ended already: {pod.phase}")])
    if not pod.node_name:
        raise CommandError([Problem("pod", pod.key, "runs on no node", "only a pod that runs can end; delete it")])

    def carry_out() -> tuple[str, Fields]:
        live = cluster.find_pod(pod.key)
        if live is not None:
            ended = live.with_node(live.node_name)
            ended.phase = phase
            cluster.journal.place(pod.key, BOUND, GONE, phase)
            cluster.put(ended)
        return "pod", {"pod": pod.key, "phase": phase, "node": pod.node_name}

    return carry_out


# kind of command → how it is checked and carried out
PREPARE: Mapping[str, Callable[[SimulatedCluster, Command], CarryOut]] = {
    "cordon": cordon,
    "uncordon": uncordon,
    "drain": drain,
    "fail_node": fail_node,
    "recover_node": recover_node,
    "evict": evict_pod,
    "finish_pod": finish_pod,
}


def _node(cluster: SimulatedCluster, command: Command) -> Node:
    found = cluster.store.get("Node", command["node"])
    if not isinstance(found, Node):
        raise CommandError([Problem("node", command["node"], "there is no such Node")])
    return found


def _pod(cluster: SimulatedCluster, command: Command) -> Pod:
    found = cluster.find_pod(command["pod"])
    if found is None:
        raise CommandError([Problem("pod", command["pod"], "there is no such Pod", 'it is named "namespace/name"')])
    return found


def _set_unschedulable(cluster: SimulatedCluster, name: str, value: bool) -> bool:
    node = _node(cluster, {"node": name})
    if node.unschedulable == value:
        return False
    cluster.put(with_cordon(node, value))
    state = "NodeNotSchedulable" if value else "NodeSchedulable"
    cluster.journal.event(node, "Normal", state, f"Node {name} status is now: {state}")
    return True


def _with_readiness(node: Node, ready: bool, now: float) -> Node:
    """The node with its Ready condition, and the taints that the node lifecycle controller sets or lifts with it."""
    manifest = dict(manifest_of(node))
    spec, status = dict(manifest.get("spec") or {}), dict(manifest.get("status") or {})
    since = format_time(now)
    taints = [taint for taint in spec.get("taints") or () if taint["key"] != NOT_READY]
    if not ready:
        taints += [{"key": NOT_READY, "effect": effect, "timeAdded": since} for effect in (NO_SCHEDULE, NO_EXECUTE)]
    spec.pop("taints", None)
    if taints:
        spec["taints"] = taints
    conditions = [condition for condition in status.get("conditions") or () if condition.get("type") != "Ready"]
    said = ("True", "KubeletReady", "kubelet is posting ready status")
    if not ready:
        said = ("False", "KubeletNotReady", "the node has failed, as told")
    value, reason, message = said
    about = {"type": "Ready", "status": value, "reason": reason, "message": message, "lastTransitionTime": since}
    status["conditions"] = [*conditions, about]
    return parse_node({**manifest, "spec": spec, "status": status})


def _node_record(action: str, name: str, *, changed: bool, **lists: list[Any]) -> tuple[str, Fields]:
    """Empty lists are left out."""
    some = {key: items for key, items in lists.items() if items}
    return "node", {"action": action, "node": name, "changed": changed, **some}
