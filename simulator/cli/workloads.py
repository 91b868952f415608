"""The workloads of a run with actors: which ones are on, what has become of them, what must have."""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kube_controllers.deployment.util import is_complete
from kube_controllers.objects import Objects
from kube_controllers.table import CONTROLLERS
from kube_objects.manifests import Manifest, key, kind, name, namespace, number, spec, status
from kube_objects.text.hints import did_you_mean
from simulator.simulation import Simulation
from simulator.simulation.commands.actors import ALL, NONE, named

COLUMNS = ("NAMESPACE", "KIND", "NAME", "READY", "UPDATED", "AVAILABLE")
_KINDS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job", "CronJob")
# Of a status: what is wanted, ready, updated, available.
_COUNTS: Mapping[str, tuple[str, str, str, str]] = {
    "Deployment": ("", "readyReplicas", "updatedReplicas", "availableReplicas"),
    "StatefulSet": ("", "readyReplicas", "updatedReplicas", "availableReplicas"),
    "ReplicaSet": ("", "readyReplicas", "fullyLabeledReplicas", "availableReplicas"),
    "ReplicationController": ("", "readyReplicas", "fullyLabeledReplicas", "availableReplicas"),
    "DaemonSet": ("desiredNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable"),
}


def parse_actors(text: str) -> tuple[str, ...]:
    """`all`, `none`, or names with commas between them."""
    if text in (ALL, NONE):
        return named(text)
    names = [part.strip() for part in text.split(",") if part.strip()]
    for one in names:
        if one not in CONTROLLERS:
            hint = did_you_mean(one, CONTROLLERS)
            raise argparse.ArgumentTypeError(f"{one!r} is no actor" + (f"; {hint}" if hint else ""))
    return tuple(names)


def objects_of(simulation: Simulation) -> Objects:
    """What actors know of the cluster; nothing where none is on."""
    life = simulation.cluster.life
    return Objects() if life is None else life.manager.objects


def rows(objects: Objects) -> Iterator[tuple[str, ...]]:
    """One for each workload that belongs to nobody, in the order of their kinds."""
    for of in _KINDS:
        for obj in sorted(objects.of_kind(of), key=key):
            if not any(owner.get("controller") for owner in obj["metadata"].get("ownerReferences") or ()):
                yield namespace(obj), of, name(obj), *_counts(obj)


def _counts(obj: Manifest) -> tuple[str, str, str]:
    has = status(obj)
    if kind(obj) == "Job":
        done = f"{number(has.get('succeeded'), 0)}/{number(spec(obj).get('completions'), 1)}"
        return done, "", str(number(has.get("active"), 0))
    if kind(obj) == "CronJob":
        return "", "", str(len(has.get("active") or ()))
    ready, updated, available = (number(has.get(field), 0) for field in _COUNTS[kind(obj)][1:])
    return f"{ready}/{_wanted(obj)}", str(updated), str(available)


def _wanted(obj: Manifest) -> int:
    field = _COUNTS[kind(obj)][0]
    return number(status(obj).get(field), 0) if field else number(spec(obj).get("replicas"), 1)


@dataclass(frozen=True, slots=True)
class WorkloadAssertion:
    """`workload` is `kind/namespace/name`; the namespace may be left out."""

    flag: str
    workload: str

    def __str__(self) -> str:
        return f"{self.flag} {self.workload}"

    def failures(self, objects: Objects) -> Iterator[str]:
        found = self._find(objects)
        if found is None:
            yield f"{self}: there is no such workload"
            return
        ready, updated, available = _counts(found)
        done = _is_rolled_out(found) if self.flag == "--assert-rollout" else _is_ready(found)
        if not done:
            state = f"{ready} ready" + (f", {updated} updated, {available} available" if updated else "")
            yield f"{self}: {kind(found)} {key(found)} has {state}"

    def _find(self, objects: Objects) -> Manifest | None:
        of, _, at = self.workload.partition("/")
        known = next((one for one in _KINDS if one.lower() == of.lower()), None)
        return None if known is None else objects.get(known, at if "/" in at else f"default/{at}")


def parse_assertion(flag: str, text: str) -> WorkloadAssertion:
    of, slash, at = text.partition("/")
    if not slash or not at or of.lower() not in (one.lower() for one in _KINDS):
        raise argparse.ArgumentTypeError(f"{text!r} names no workload; write KIND/NAMESPACE/NAME")
    return WorkloadAssertion(flag, text)


def _is_ready(obj: Manifest) -> bool:
    if kind(obj) == "Job":
        return any(one["type"] == "Complete" and one["status"] == "True" for one in status(obj).get("conditions") or ())
    return kind(obj) == "CronJob" or number(status(obj).get(_COUNTS[kind(obj)][1]), 0) >= _wanted(obj)


def _is_rolled_out(obj: Manifest) -> bool:
    """As `kubectl rollout status` ends well."""
    has: Mapping[str, Any] = status(obj)
    if kind(obj) == "Deployment":
        return is_complete(obj, has)
    if kind(obj) == "StatefulSet" and has.get("currentRevision") != has.get("updateRevision"):
        return False
    return _is_ready(obj) and (kind(obj) not in _COUNTS or number(has.get(_COUNTS[kind(obj)][2]), 0) >= _wanted(obj))
