"""One reconcile of a StatefulSet. Source: pkg/controller/statefulset/stateful_set_control.go."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from kube_controllers.api import Api, Refused
from kube_controllers.claims import claim
from kube_controllers.contract import Notes
from kube_controllers.creating import in_batches, limit_burst
from kube_controllers.pods import is_available
from kube_controllers.revisions import (
    STATEFUL_SET_HASH_LABEL,
    applied,
    create_revision,
    data_of,
    in_order,
    new_revision,
    template_of,
)
from kube_controllers.revisions import revision_of as number_of
from kube_controllers.stateful_set import claims, pods
from kube_controllers.stateful_set.claims import COMPONENT
from kube_objects.manifests import Manifest, generation, is_deleted, name, nonzero, number, spec, status
from kube_objects.sentences import say

_STOP, _GO_ON = True, False
# Missing Pods that one reconcile creates. Upstream creates all of them, in memory for as many as the spec asks for.
MOST_AT_ONCE = 1_000


class Control:
    """The set, its revisions, and its pods: `replicas` by ordinal, `condemned` beyond them, the highest first."""

    def __init__(self, owner: Manifest, found: Sequence[Manifest], api: Api, notes: Notes) -> None:
        self.owner, self.api, self.notes = owner, api, notes
        self.pods = list(found)
        self.now = api.view.now
        self.min_ready = number(spec(owner).get("minReadySeconds"), 0)
        self.is_monotonic = not pods.is_parallel(owner)
        self.failed = False
        self.is_cut = False  # more Pods are missing than one reconcile makes
        self.replicas: list[Manifest] = []
        self.condemned: list[Manifest] = []
        self.first_unhealthy: Manifest | None = None

    def sync(self) -> dict[str, Any]:
        """What the status becomes."""
        revisions = in_order(claim(self.owner, "ControllerRevision", self.api))
        current, update, collisions = self._revisions(revisions)
        self._sort(current, update)
        new = self._update(current, update, collisions)
        self._write_status(new)
        self._truncate(revisions, current, update)
        return new

    def _revisions(self, revisions: Sequence[Manifest]) -> tuple[Manifest, Manifest, int]:
        """The current revision and the one to update to, which is made if need be."""
        collisions = number(status(self.owner).get("collisionCount"), 0)
        template = dict(spec(self.owner).get("template") or {})
        following = number_of(revisions[-1]) + 1 if revisions else 1
        equal = [one for one in revisions if template_of(one) == template]
        if equal and equal[-1] is revisions[-1]:
            update = revisions[-1]
        elif equal:
            update = self.api.update({**equal[-1], "revision": following})
        else:

            def make(count: int) -> dict[str, Any]:
                revision_hash = self.api.view.hashes.of_revision(data_of(self.owner), count)
                return new_revision(self.owner, revision_hash, following, STATEFUL_SET_HASH_LABEL)

            update, collisions = create_revision(self.api, make, collisions)
        known = status(self.owner).get("currentRevision")
        current = next((one for one in revisions if name(one) == known), update)
        return current, update, collisions

    def _sort(self, current: Manifest, update: Manifest) -> None:
        start, count = pods.start_of(self.owner), pods.replicas(self.owner)
        by_ordinal = {pods.ordinal_of(pod): pod for pod in self.pods if pods.in_range(pod, self.owner)}
        updated = applied(self.owner, update)
        # Existing Pods, and the first ones that are missing.
        most = limit_burst(spec(self.owner), MOST_AT_ONCE)
        missing = list(islice((at for at in range(start, start + count) if at not in by_ordinal), most))
        self.is_cut = len(by_ordinal) + len(missing) < count
        for ordinal in sorted([*by_ordinal, *missing]):
            found = by_ordinal.get(ordinal)
            if found is None:
                is_old = pods.update_type(self.owner) == "RollingUpdate" and ordinal < start + pods.partition(
                    self.owner
                )
                of, revision = (applied(self.owner, current), current) if is_old else (updated, update)
                found = pods.new_pod(of, ordinal, name(revision))
            self.replicas.append(found)
        beyond = [pod for pod in self.pods if not pods.in_range(pod, self.owner) and pods.ordinal_of(pod) >= 0]
        self.condemned = sorted(beyond, key=pods.ordinal_of, reverse=True)
        unhealthy = (
            pod
            for pod in [*self.replicas, *reversed(self.condemned)]
            if pods.is_unavailable(pod, self.min_ready, self.now)
        )
        self.first_unhealthy = next(unhealthy, None)

    def _update(self, current: Manifest, update: Manifest, collisions: int) -> dict[str, Any]:
        """Source: updateStatefulSet."""
        new: dict[str, Any] = {
            "observedGeneration": generation(self.owner),
            "currentRevision": name(current),
            "updateRevision": name(update),
            "collisionCount": collisions,
        }
        if is_deleted(self.owner):
            return new | self._counts(self.pods, current, update)
        updated = applied(self.owner, update)
        steps = (
            (self.replicas, lambda pod: self._process_replica(pod, updated)),
            (self.condemned, lambda pod: self._keep_claims(pod, updated)),
            (self.condemned, self._process_condemned),
        )
        stopped = any(self._for_all(found, process) for found, process in steps)
        new |= self._counts([*self.replicas, *self.condemned], current, update)
        # The highest ordinals go first, and of these some are missing still.
        if not stopped and not self.failed and not self.is_cut and pods.update_type(self.owner) == "RollingUpdate":
            self._roll(update, new)
        return new

    def _for_all(self, found: Sequence[Manifest], process: Callable[[Manifest], bool]) -> bool:
        """One after the other until one has to be waited for; or all, in growing batches. Whether to stop there."""

        def stops(at: int) -> str:
            try:
                waits = process(found[at])
            except Refused as refused:
                self.failed = True
                return refused.message
            return "it is waited for" if waits and self.is_monotonic else ""

        if self.is_monotonic:
            return any(stops(at) for at in range(len(found)))
        return bool(in_batches(len(found), stops)[1])

    def _process_replica(self, pod: Manifest, updated: Manifest) -> bool:
        phase = status(pod).get("phase")
        if phase in ("Failed", "Succeeded"):
            if not is_deleted(pod):
                self._delete(pod, say("pod {name} has ended: it is made again", name=name(pod)))
            return _STOP
        if not phase:
            self._create(pod)
            if self.is_monotonic:
                return _STOP
        if phase == "Pending":
            claims.create_missing(self.owner, pod, self.api)
        if self.is_monotonic and (
            is_deleted(pod) or not pods.is_running_and_ready(pod) or not is_available(pod, self.min_ready, self.now)
        ):
            return _STOP
        if phase:
            self._keep_consistent(pod, updated)
        return _GO_ON

    def _keep_consistent(self, pod: Manifest, updated: Manifest) -> None:
        """Source: UpdateStatefulPod."""
        has_changed = claims.keep_owners(updated, pod, self.api)
        if not pods.identity_matches(self.owner, pod):
            self.api.update(pods.with_identity(pod))
            has_changed = True
        if has_changed:
            self._tell_done("Update", pod)

    def _keep_claims(self, pod: Manifest, updated: Manifest) -> bool:
        claims.keep_owners(updated, pod, self.api)
        return _GO_ON

    def _process_condemned(self, pod: Manifest) -> bool:
        if is_deleted(pod):
            return _STOP
        ready = pods.is_running_and_ready(pod) and is_available(pod, self.min_ready, self.now)
        if not ready and self.is_monotonic and pod is not self.first_unhealthy:
            return _STOP
        self._delete(
            pod,
            say(
                "StatefulSet {name} wants {count} pods: {pod} goes",
                name=name(self.owner),
                count=pods.replicas(self.owner),
                pod=name(pod),
            ),
        )
        return _STOP

    def _roll(self, update: Manifest, new: dict[str, Any]) -> None:
        """The highest ordinal that is not up to date goes, once all above it are available."""
        for at in range(len(self.replicas) - 1, pods.partition(self.owner) - 1, -1):
            pod = self.replicas[at]
            if pods.revision_of(pod) != name(update) and not is_deleted(pod):
                self._delete(
                    pod,
                    say(
                        "pod {pod} is not of revision {revision}: it is replaced", pod=name(pod), revision=name(update)
                    ),
                )
                left = number(new.get("currentReplicas"), 0) - 1
                new.pop("currentReplicas", None)
                if left:
                    new["currentReplicas"] = left
                return
            if pods.is_unavailable(pod, self.min_ready, self.now):
                return

    def _counts(self, found: Sequence[Manifest], current: Manifest, update: Manifest) -> dict[str, Any]:
        """Source: computeReplicaStatus."""
        there = [pod for pod in found if pods.is_created(pod)]
        staying = [pods.revision_of(pod) for pod in there if not is_deleted(pod)]
        ready = [pod for pod in found if pods.is_running_and_ready(pod)]
        counted = {
            "readyReplicas": len(ready),
            "currentReplicas": staying.count(name(current)),
            "updatedReplicas": staying.count(name(update)),
        }
        available = sum(is_available(pod, self.min_ready, self.now) for pod in ready)
        return {"replicas": len(there), **nonzero(counted), "availableReplicas": available}

    def _create(self, pod: Manifest) -> None:
        """Source: CreateStatefulPod."""
        try:
            claims.create_missing(self.owner, pod, self.api)
            self.api.create({**pod, "status": {"phase": "Pending"}})
        except Refused as refused:
            if refused.reason == "AlreadyExists":
                raise  # nobody is told of it
            message = f"Create Pod {name(pod)} in StatefulSet {name(self.owner)} failed error: {refused.message}"
            self.api.tell(self.owner, "Warning", "FailedCreate", message, COMPONENT)
            raise
        self._tell_done("Create", pod)
        self.notes.add(say("StatefulSet {name} has no pod {pod}: creates it", name=name(self.owner), pod=name(pod)))

    def _delete(self, pod: Manifest, why: str) -> None:
        self.api.delete(pod)
        self._tell_done("Delete", pod)
        self.notes.add(why)

    def _tell_done(self, verb: str, pod: Manifest) -> None:
        """Source: recordPodEvent."""
        message = f"{verb} Pod {name(pod)} in StatefulSet {name(self.owner)} successful"
        self.api.tell(self.owner, "Normal", f"Successful{verb}", message, COMPONENT)

    def _write_status(self, new: dict[str, Any]) -> None:
        wanted, strategy = pods.replicas(self.owner), pods.update_type(self.owner)
        counts = (number(new.get(field), 0) for field in ("updatedReplicas", "readyReplicas", "replicas"))
        if strategy == "RollingUpdate" and all(count == wanted for count in counts):
            new["currentRevision"] = new["updateRevision"]
            new.pop("currentReplicas", None)
            if wanted:
                new["currentReplicas"] = wanted
        if new != dict(status(self.owner)):
            self.api.update_status(self.owner, new)

    def _truncate(self, revisions: Sequence[Manifest], current: Manifest, update: Manifest) -> None:
        """Source: truncateHistory."""
        live = {name(current), name(update), *(pods.revision_of(pod) for pod in self.pods)}
        history = [one for one in revisions if name(one) not in live]
        limit = number(spec(self.owner).get("revisionHistoryLimit"), 10)
        if limit < 0:
            return  # it is none
        for one in history[: max(len(history) - limit, 0)]:
            self.api.delete(one)
