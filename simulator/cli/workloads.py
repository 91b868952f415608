"""Command line of runs with controllers: the option that selects them, the table of workloads, and assertions."""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kube_controllers.deployment.util import is_complete
from kube_controllers.names import CONTROLLERS
from kube_objects.manifests import Manifest, key, kind, name, namespace, number, spec, status
from kube_objects.text.hints import did_you_mean
from simulator.simulation import Simulation
from simulator.simulation.commands.controllers import ALL, NONE, controller_names

if TYPE_CHECKING:
    from kube_controllers.objects import Objects

COLUMNS = ("NAMESPACE", "KIND", "NAME", "READY", "UPDATED", "AVAILABLE")
_KINDS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job", "CronJob")
# Status fields by kind: desired, ready, updated and available replicas.
_REPLICA_FIELDS: Mapping[str, tuple[str, str, str, str]] = {
    "Deployment": ("", "readyReplicas", "updatedReplicas", "availableReplicas"),
    "StatefulSet": ("", "readyReplicas", "updatedReplicas", "availableReplicas"),
    "ReplicaSet": ("", "readyReplicas", "fullyLabeledReplicas", "availableReplicas"),
    "ReplicationController": ("", "readyReplicas", "fullyLabeledReplicas", "availableReplicas"),
    "DaemonSet": ("desiredNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable"),
}


def parse_controllers(text: str) -> tuple[str, ...]:
    """Parse `all`, `none`, or names separated by commas."""
    if text in (ALL, NONE):
        return controller_names(text)
    names = [part.strip() for part in text.split(",") if part.strip()]
    for controller in names:
        if controller not in CONTROLLERS:
            hint = did_you_mean(controller, CONTROLLERS)
            raise argparse.ArgumentTypeError(f"{controller!r} is not a controller" + (f"; {hint}" if hint else ""))
    return tuple(names)


def objects_of(simulation: Simulation) -> "Objects | None":
    """Return the objects that controllers read, or None if no controller runs."""
    controllers = simulation.cluster.controllers
    return None if controllers is None else controllers.manager.objects


def rows(objects: "Objects | None") -> Iterator[tuple[str, ...]]:
    """Yield a table row per workload without a controller owner, grouped by kind."""
    if objects is None:
        return
    for workload_kind in _KINDS:
        for obj in sorted(objects.of_kind(workload_kind), key=key):
            if not any(owner.get("controller") for owner in obj["metadata"].get("ownerReferences") or ()):
                yield namespace(obj), workload_kind, name(obj), *_format_counts(obj)


def _format_counts(obj: Manifest) -> tuple[str, str, str]:
    replicas = status(obj)
    if kind(obj) == "Job":
        done = f"{number(replicas.get('succeeded'), 0)}/{number(spec(obj).get('completions'), 1)}"
        return done, "", str(number(replicas.get("active"), 0))
    if kind(obj) == "CronJob":
        return "", "", str(len(replicas.get("active") or ()))
    ready, updated, available = (number(replicas.get(field), 0) for field in _REPLICA_FIELDS[kind(obj)][1:])
    return f"{ready}/{_desired_replicas(obj)}", str(updated), str(available)


def _desired_replicas(obj: Manifest) -> int:
    field = _REPLICA_FIELDS[kind(obj)][0]
    return number(status(obj).get(field), 0) if field else number(spec(obj).get("replicas"), 1)


@dataclass(frozen=True, slots=True)
class WorkloadAssertion:
    """An assertion about a workload, `kind/namespace/name`. The default of the namespace is `default`."""

    flag: str
    workload: str

    def __str__(self) -> str:
        return f"{self.flag} {self.workload}"

    def failures(self, objects: "Objects | None") -> Iterator[str]:
        workload = None if objects is None else self._find(objects)
        if workload is None:
            yield f"{self}: no such workload"
            return
        ready, updated, available = _format_counts(workload)
        done = _is_rolled_out(workload) if self.flag == "--assert-rollout" else _is_ready(workload)
        if not done:
            state = f"{ready} ready" + (f", {updated} updated, {available} available" if updated else "")
            yield f"{self}: {kind(workload)} {key(workload)} has {state}"

    def _find(self, objects: "Objects") -> Manifest | None:
        kind_name, _, name_part = self.workload.partition("/")
        known = next((workload for workload in _KINDS if workload.lower() == kind_name.lower()), None)
        return None if known is None else objects.get(known, name_part if "/" in name_part else f"default/{name_part}")


def parse_assertion(flag: str, text: str) -> WorkloadAssertion:
    kind_name, slash, name_part = text.partition("/")
    if not slash or not name_part or kind_name.lower() not in (workload.lower() for workload in _KINDS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a workload; write KIND/NAMESPACE/NAME")
    return WorkloadAssertion(flag, text)


def _is_ready(obj: Manifest) -> bool:
    if kind(obj) == "Job":
        return any(
            condition["type"] == "Complete" and condition["status"] == "True"
            for condition in status(obj).get("conditions") or ()
        )
    return kind(obj) == "CronJob" or number(status(obj).get(_REPLICA_FIELDS[kind(obj)][1]), 0) >= _desired_replicas(obj)


def _is_rolled_out(obj: Manifest) -> bool:
    """Return True if `kubectl rollout status` would succeed."""
    rollout: Mapping[str, Any] = status(obj)
    if kind(obj) == "Deployment":
        return is_complete(obj, rollout)
    if kind(obj) == "StatefulSet" and rollout.get("currentRevision") != rollout.get("updateRevision"):
        return False
    return _is_ready(obj) and (
        kind(obj) not in _REPLICA_FIELDS
        or number(rollout.get(_REPLICA_FIELDS[kind(obj)][2]), 0) >= _desired_replicas(obj)
    )
