"""Commands that change a single Pod: activate, evict and finish."""

from collections.abc import Iterator

from kube_objects.pod import Pod
from kube_objects.sentences import Template, say
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
from simulator.simulation.commands.fields import Choice, Text
from simulator.simulation.evictions import evict, eviction_refusal
from simulator.simulation.journal import BOUND, GONE, Record
from simulator.simulation.object_changes import activation_refusal
from simulator.simulation.timeline import Timeline


def activate(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    """Move a waiting pod to the active queue, although no event has made it schedulable."""
    pod = simulation.cluster.find_pod(payload["pod"])
    if pod is None or (why := activation_refusal(pod, simulation.cluster.queue.where(pod.key))):
        raise CommandError([Problem("pod", payload["pod"], say("no such Pod") if pod is None else why)])

    def carry_out() -> Iterator[Record]:
        simulation.cluster.queue.activate([pod])
        yield simulation.record("activate", pod=pod.key)

    return carry_out()


def evict_pod(cluster: SimulatedCluster, payload: Payload) -> CarryOut:
    """Evict a pod through the Eviction API. Source: pkg/registry/core/pod/storage/eviction.go."""
    pod = _get_pod(cluster, payload)
    reason = eviction_refusal(pod, cluster)
    if reason:
        hint = say(
            "raise status.disruptionsAllowed of the PodDisruptionBudget (PDB), or delete the Pod, which no PDB prevents"
        )
        raise CommandError([Problem("pod", pod.key, reason, hint)])

    def carry_out() -> tuple[str, RecordFields]:
        live = cluster.find_pod(pod.key)
        if live is not None:
            evict(cluster, live)
        return "eviction", {"by": "api", "pods": [pod.key]} | ({"node": pod.node_name} if pod.node_name else {})

    return carry_out


def finish_pod(cluster: SimulatedCluster, payload: Payload) -> CarryOut:
    """Set the phase of a running pod to Succeeded or Failed, which frees its resources on the node."""
    pod, phase = _get_pod(cluster, payload), payload["phase"]
    if pod.finished:
        raise CommandError([Problem("pod", pod.key, say("has already ended: {phase}", phase=pod.phase))])
    if not pod.node_name:
        raise CommandError(
            [Problem("pod", pod.key, say("runs on no node"), say("only a running Pod can end; delete it"))]
        )

    def carry_out() -> tuple[str, RecordFields]:
        live = cluster.find_pod(pod.key)
        if live is not None:
            ended = live.with_node(live.node_name)
            ended.phase = phase
            cluster.journal.place(pod.key, BOUND, GONE, phase)
            cluster.put(ended)
        return "pod", {"pod": pod.key, "phase": phase, "node": pod.node_name}

    return carry_out


def _get_pod(cluster: SimulatedCluster, payload: Payload) -> Pod:
    pod = cluster.find_pod(payload["pod"])
    if pod is None:
        raise CommandError([Problem("pod", payload["pod"], say("no such Pod"), say('it is named "namespace/name"'))])
    return pod


COMMANDS = (
    Command(
        kind="activate",
        about="moves a waiting Pod to the active queue, with the event `ForceActivate`",
        required={"pod": Text()},
        prepare=activate,
    ),
    Command(
        kind="evict",
        about="evicts a Pod through the Eviction API, which respects PodDisruptionBudgets (PDBs)",
        required={"pod": Text()},
        prepare=one_record(evict_pod),
        record="eviction",
        label=lambda payload: (Template("evict {pod}"), {"pod": payload["pod"]}),
        inverse=restore,
    ),
    Command(
        kind="finish_pod",
        about="ends a running Pod; the object stays, and its resources are free",
        required={"pod": Text(), "phase": Choice(("Succeeded", "Failed"))},
        prepare=one_record(finish_pod),
        record="pod",
        label=lambda payload: (Template("finish pod {pod}"), {"pod": payload["pod"]}),
        inverse=restore,
    ),
)
