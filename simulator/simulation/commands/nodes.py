"""Commands that change Nodes: cordon, uncordon, drain, fail and recover."""

from collections.abc import Callable
from typing import Any

from kube_objects.epoch import EPOCH_SECONDS
from kube_objects.node import Node
from kube_objects.parse import parse_node
from kube_objects.read import format_time
from kube_objects.sentences import Template, say
from kube_objects.serialize import manifest_of, with_cordon
from kube_objects.taints import NO_EXECUTE, NO_SCHEDULE, NOT_READY
from kube_objects.text.problems import Problem
from simulator.simulation.cluster import SimulatedCluster
from simulator.simulation.commands.command import (
    CarryOut,
    Command,
    CommandError,
    Payload,
    RecordFields,
    one_record,
    restore,
)
from simulator.simulation.commands.fields import Text
from simulator.simulation.evictions import drain_skip_reason, evict, eviction_refusal
from simulator.simulation.outages import has_not_ready_taint


def cordon(cluster: SimulatedCluster, payload: Payload) -> CarryOut:
    """Mark a node as unschedulable, as `kubectl cordon` does."""
    name = _get_node(cluster, payload).name
    return lambda: _node_record("cordon", name, changed=_set_unschedulable(cluster, name, True))


def uncordon(cluster: SimulatedCluster, payload: Payload) -> CarryOut:
    name = _get_node(cluster, payload).name
    return lambda: _node_record("uncordon", name, changed=_set_unschedulable(cluster, name, False))


def drain(cluster: SimulatedCluster, payload: Payload) -> CarryOut:
    """Drain a node as `kubectl drain --ignore-daemonsets --delete-emptydir-data --force` does.

    1. Cordon the node.
    2. Try once to evict each pod, except static pods and pods of DaemonSets.
    3. Report the evicted pods, and the remaining pods with reasons.

    Source: staging/src/k8s.io/kubectl/pkg/drain.
    """
    name = _get_node(cluster, payload).name

    def carry_out() -> tuple[str, RecordFields]:
        changed = _set_unschedulable(cluster, name, True)
        evicted: list[str] = []
        remaining: list[dict[str, str]] = []
        for pod in cluster.pods_on(name):
            reason = drain_skip_reason(pod) or eviction_refusal(pod, cluster)
            if reason:
                remaining.append({"pod": pod.key, "reason": reason})
            else:
                evict(cluster, pod)
                evicted.append(pod.key)
        return _node_record("drain", name, changed=changed or bool(evicted), evicted=evicted, kept=remaining)

    return carry_out


def fail_node(cluster: SimulatedCluster, payload: Payload) -> CarryOut:
    """Let a node fail.

    1. Set the condition Ready to False, and the taints of the node lifecycle controller.
    2. Leave evictions to the taint-eviction controller if it is on.
    3. Otherwise delete the pods without a toleration, and schedule the eviction of the others (`Outages`).

    Source: pkg/controller/nodelifecycle, pkg/controller/tainteviction.
    """
    name = _get_node(cluster, payload).name

    def carry_out() -> tuple[str, RecordFields]:
        node, has_controller = _get_node(cluster, payload), cluster.has_controller("taint-eviction")
        has_failed = cluster.outages.has(name)
        if has_controller:
            has_failed = has_not_ready_taint(node) and node.conditions.get("Ready") == "False"
        if has_failed:
            return _node_record("fail_node", name, changed=False)
        cluster.put(_with_readiness(node, False, EPOCH_SECONDS + cluster.now))
        cluster.journal.event(node, "Normal", "NodeNotReady", f"Node {name} status is now: NodeNotReady")
        if has_controller:
            return _node_record("fail_node", name, changed=True)
        due, later = cluster.outages.begin(name, cluster.pods_on(name), cluster.now)
        cluster.delete_for_taint(due)
        waiting = [{"pod": pod.key, "t": round(deadline, 6)} for pod, deadline in later]
        return _node_record("fail_node", name, changed=True, evicted=[pod.key for pod in due], later=waiting)

    return carry_out


def recover_node(cluster: SimulatedCluster, payload: Payload) -> CarryOut:
    """Let a failed node recover: set it ready, remove its failure taints, and cancel scheduled evictions."""
    name = _get_node(cluster, payload).name

    def carry_out() -> tuple[str, RecordFields]:
        node = _get_node(cluster, payload)
        ready = _with_readiness(node, True, EPOCH_SECONDS + cluster.now)
        changed = (ready.taints, ready.conditions) != (node.taints, node.conditions)
        if changed:
            cluster.put(ready)
            cluster.journal.event(node, "Normal", "NodeReady", f"Node {name} status is now: NodeReady")
        return _node_record("recover_node", name, changed=changed)

    return carry_out


def _get_node(cluster: SimulatedCluster, payload: Payload) -> Node:
    node = cluster.store.get("Node", payload["node"])
    if not isinstance(node, Node):
        raise CommandError([Problem("node", payload["node"], say("no such Node"))])
    return node


def _set_unschedulable(cluster: SimulatedCluster, name: str, value: bool) -> bool:
    node = _get_node(cluster, {"node": name})
    if node.unschedulable == value:
        return False
    cluster.put(with_cordon(node, value))
    state = "NodeNotSchedulable" if value else "NodeSchedulable"
    cluster.journal.event(node, "Normal", state, f"Node {name} status is now: {state}")
    return True


def _with_readiness(node: Node, ready: bool, now: float) -> Node:
    """Return the node with this Ready condition, and with or without the taints of the node lifecycle controller."""
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
    ready_condition = ("True", "KubeletReady", "kubelet is posting ready status")
    if not ready:
        ready_condition = ("False", "KubeletNotReady", "the node has failed, as told")
    value, reason, message = ready_condition
    about = {"type": "Ready", "status": value, "reason": reason, "message": message, "lastTransitionTime": since}
    status["conditions"] = [*conditions, about]
    changed = {**manifest, "spec": spec, "status": status}
    if ready:
        # Imported late, because few commands need the kubelet.
        from kube_controllers.kubelet import with_kubelet

        changed = with_kubelet(changed)
    return parse_node(changed)


def _node_record(action: str, name: str, *, changed: bool, **lists: list[Any]) -> tuple[str, RecordFields]:
    """Return kind and fields of a record about a node, without empty lists."""
    filled = {key: items for key, items in lists.items() if items}
    return "node", {"action": action, "node": name, "changed": changed, **filled}


def _command(
    kind: str, check: Callable[[SimulatedCluster, Payload], CarryOut], template: Template, about: str
) -> Command:
    return Command(
        kind=kind,
        about=about,
        required={"node": Text()},
        prepare=one_record(check),
        record="node",
        label=lambda payload: (template, {"node": payload["node"]}),
        inverse=restore,
    )


COMMANDS = (
    _command("cordon", cordon, Template("cordon {node}"), "sets `spec.unschedulable`, as kubectl does"),
    _command("uncordon", uncordon, Template("uncordon {node}"), "clears `spec.unschedulable`"),
    _command(
        "drain",
        drain,
        Template("drain {node}"),
        "cordons the Node and evicts its Pods; see [Nodes](#nodes)",
    ),
    _command(
        "fail_node",
        fail_node,
        Template("fail node {node}"),
        "sets `Ready` to False, with the taints of a failed Node; see [Nodes](#nodes)",
    ),
    _command(
        "recover_node",
        recover_node,
        Template("recover node {node}"),
        "sets `Ready` to True and removes the taints of the failure",
    ),
)
