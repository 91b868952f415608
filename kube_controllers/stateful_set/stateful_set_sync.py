"""One reconcile of a StatefulSet. Source: pkg/controller/statefulset/stateful_set_control.go."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from kube_controllers.api import Api, WriteRefused
from kube_controllers.contract import Notes
from kube_controllers.controller_refs import claim_objects
from kube_controllers.controller_revisions import (
    STATEFUL_SET_HASH_LABEL,
    create_revision,
    new_revision,
    revision_data,
    sort_revisions,
    template_of,
    with_revision,
)
from kube_controllers.controller_revisions import revision_of as number_of
from kube_controllers.creating import limit_burst, slow_start_batch
from kube_controllers.pods import is_available
from kube_controllers.stateful_set import stateful_claims, stateful_pods
from kube_controllers.stateful_set.stateful_claims import COMPONENT
from kube_objects.manifests import Manifest, generation, is_deleted, name, nonzero, number, spec, status
from kube_objects.sentences import say

_STOP, _CONTINUE = True, False
# Missing Pods that one reconcile creates. Upstream has no limit, and allocates as many as the spec has replicas.
MOST_AT_ONCE = 1_000


class StatefulSetSync:
    """One reconcile of a StatefulSet.

    `replicas` are its Pods by ordinal; `condemned` are those beyond the replicas, the highest ordinal first.
    """

    def __init__(self, owner: Manifest, claimed: Sequence[Manifest], api: Api, notes: Notes) -> None:
        self.owner, self.api, self.notes = owner, api, notes
        self.pods = list(claimed)
        self.now = api.view.now
        self.min_ready = number(spec(owner).get("minReadySeconds"), 0)
        self.is_monotonic = not stateful_pods.is_parallel(owner)
        self.failed = False
        self.is_cut = False  # more Pods are missing than one reconcile creates
        self.replicas: list[Manifest] = []
        self.condemned: list[Manifest] = []
        self.first_unhealthy: Manifest | None = None

    def sync(self) -> dict[str, Any]:
        """Reconcile the StatefulSet, and return its new status.

        1. Find or create the current and the update revision.
        2. Sort the Pods into replicas and condemned ones.
        3. Create, update and delete Pods.
        4. Write the status, and delete old revisions.
        """
        revisions = sort_revisions(claim_objects(self.owner, "ControllerRevision", self.api))
        current, update, collisions = self._revisions(revisions)
        self._sort_pods(current, update)
        new = self._update_stateful_set(current, update, collisions)
        self._write_status(new)
        self._truncate_history(revisions, current, update)
        return new

    def _revisions(self, revisions: Sequence[Manifest]) -> tuple[Manifest, Manifest, int]:
        """Return the current revision, the update revision (created if it is missing) and the collision count."""
        collisions = number(status(self.owner).get("collisionCount"), 0)
        template = dict(spec(self.owner).get("template") or {})
        following = number_of(revisions[-1]) + 1 if revisions else 1
        equal = [revision for revision in revisions if template_of(revision) == template]
        if equal and equal[-1] is revisions[-1]:
            update = revisions[-1]
        elif equal:
            update = self.api.update({**equal[-1], "revision": following})
        else:

            def make(count: int) -> dict[str, Any]:
                revision_hash = self.api.view.hashes.hash_revision(revision_data(self.owner), count)
                return new_revision(self.owner, revision_hash, following, STATEFUL_SET_HASH_LABEL)

            update, collisions = create_revision(self.api, make, collisions)
        known = status(self.owner).get("currentRevision")
        current = next((revision for revision in revisions if name(revision) == known), update)
        return current, update, collisions

    def _sort_pods(self, current: Manifest, update: Manifest) -> None:
        start, count = stateful_pods.start_of(self.owner), stateful_pods.replicas(self.owner)
        by_ordinal = {
            stateful_pods.ordinal_of(pod): pod for pod in self.pods if stateful_pods.in_range(pod, self.owner)
        }
        updated = with_revision(self.owner, update)
        # Only the first missing Pods are created in this reconcile.
        most = limit_burst(spec(self.owner), MOST_AT_ONCE)
        missing = list(
            islice((ordinal_ for ordinal_ in range(start, start + count) if ordinal_ not in by_ordinal), most)
        )
        self.is_cut = len(by_ordinal) + len(missing) < count
        for ordinal in sorted([*by_ordinal, *missing]):
            pod = by_ordinal.get(ordinal)
            if pod is None:
                is_old = stateful_pods.update_type(
                    self.owner
                ) == "RollingUpdate" and ordinal < start + stateful_pods.partition(self.owner)
                template_owner, revision = (
                    (with_revision(self.owner, current), current) if is_old else (updated, update)
                )
                pod = stateful_pods.new_pod(template_owner, ordinal, name(revision))
            self.replicas.append(pod)
        beyond = [
            pod
            for pod in self.pods
            if not stateful_pods.in_range(pod, self.owner) and stateful_pods.ordinal_of(pod) >= 0
        ]
        self.condemned = sorted(beyond, key=stateful_pods.ordinal_of, reverse=True)
        unhealthy = (
            pod
            for pod in [*self.replicas, *reversed(self.condemned)]
            if stateful_pods.is_unavailable(pod, self.min_ready, self.now)
        )
        self.first_unhealthy = next(unhealthy, None)

    def _update_stateful_set(self, current: Manifest, update: Manifest, collisions: int) -> dict[str, Any]:
        """Process replicas, then condemned Pods, then the rolling update; return the status. Source:
        updateStatefulSet.
        """
        new: dict[str, Any] = {
            "observedGeneration": generation(self.owner),
            "currentRevision": name(current),
            "updateRevision": name(update),
            "collisionCount": collisions,
        }
        if is_deleted(self.owner):
            return new | self._counts(self.pods, current, update)
        updated = with_revision(self.owner, update)
        steps = (
            (self.replicas, lambda pod: self._process_replica(pod, updated)),
            (self.condemned, lambda pod: self._update_claims(pod, updated)),
            (self.condemned, self._process_condemned),
        )
        stopped = any(self._process_in_order(processed, process) for processed, process in steps)
        new |= self._counts([*self.replicas, *self.condemned], current, update)
        # A rolling update starts at the highest ordinals, some of which are not created yet.
        if (
            not stopped
            and not self.failed
            and not self.is_cut
            and stateful_pods.update_type(self.owner) == "RollingUpdate"
        ):
            self._rolling_update(update, new)
        return new

    def _process_in_order(self, listed: Sequence[Manifest], process: Callable[[Manifest], bool]) -> bool:
        """Process Pods one by one until one must be waited for, or all in growing batches. Return whether to stop."""

        def stops(at: int) -> str:
            try:
                waits = process(listed[at])
            except WriteRefused as refused:
                self.failed = True
                return refused.message
            return "it is waited for" if waits and self.is_monotonic else ""

        if self.is_monotonic:
            return any(stops(at) for at in range(len(listed)))
        return bool(slow_start_batch(len(listed), stops)[1])

    def _process_replica(self, pod: Manifest, updated: Manifest) -> bool:
        phase = status(pod).get("phase")
        if phase in ("Failed", "Succeeded"):
            if not is_deleted(pod):
                self._delete(pod, say("Pod {name} has ended: recreated", name=name(pod)))
            return _STOP
        if not phase:
            self._create(pod)
            if self.is_monotonic:
                return _STOP
        if phase == "Pending":
            stateful_claims.create_missing_claims(self.owner, pod, self.api)
        if self.is_monotonic and (
            is_deleted(pod)
            or not stateful_pods.is_running_and_ready(pod)
            or not is_available(pod, self.min_ready, self.now)
        ):
            return _STOP
        if phase:
            self._update_pod(pod, updated)
        return _CONTINUE

    def _update_pod(self, pod: Manifest, updated: Manifest) -> None:
        """Restore identity and claims of a Pod. Source: UpdateStatefulPod."""
        has_changed = stateful_claims.update_claim_owners(updated, pod, self.api)
        if not stateful_pods.identity_matches(self.owner, pod):
            self.api.update(stateful_pods.with_identity(pod))
            has_changed = True
        if has_changed:
            self._emit_done("Update", pod)

    def _update_claims(self, pod: Manifest, updated: Manifest) -> bool:
        stateful_claims.update_claim_owners(updated, pod, self.api)
        return _CONTINUE

    def _process_condemned(self, pod: Manifest) -> bool:
        if is_deleted(pod):
            return _STOP
        ready = stateful_pods.is_running_and_ready(pod) and is_available(pod, self.min_ready, self.now)
        if not ready and self.is_monotonic and pod is not self.first_unhealthy:
            return _STOP
        self._delete(
            pod,
            say(
                "StatefulSet {name} scales to {count} Pods: deletes {pod}",
                name=name(self.owner),
                count=stateful_pods.replicas(self.owner),
                pod=name(pod),
            ),
        )
        return _STOP

    def _rolling_update(self, update: Manifest, new: dict[str, Any]) -> None:
        """Delete the highest Pod of an old revision once all Pods above it are available."""
        for index in range(len(self.replicas) - 1, stateful_pods.partition(self.owner) - 1, -1):
            pod = self.replicas[index]
            if stateful_pods.revision_of(pod) != name(update) and not is_deleted(pod):
                self._delete(
                    pod,
                    say("Pod {pod} is not at revision {revision}: replaced", pod=name(pod), revision=name(update)),
                )
                left = number(new.get("currentReplicas"), 0) - 1
                new.pop("currentReplicas", None)
                if left:
                    new["currentReplicas"] = left
                return
            if stateful_pods.is_unavailable(pod, self.min_ready, self.now):
                return

    def _counts(self, listed: Sequence[Manifest], current: Manifest, update: Manifest) -> dict[str, Any]:
        """Return the counters of the status. Source: computeReplicaStatus."""
        existing = [pod for pod in listed if stateful_pods.is_created(pod)]
        staying = [stateful_pods.revision_of(pod) for pod in existing if not is_deleted(pod)]
        ready = [pod for pod in listed if stateful_pods.is_running_and_ready(pod)]
        counted = {
            "readyReplicas": len(ready),
            "currentReplicas": staying.count(name(current)),
            "updatedReplicas": staying.count(name(update)),
        }
        available = sum(is_available(pod, self.min_ready, self.now) for pod in ready)
        return {"replicas": len(existing), **nonzero(counted), "availableReplicas": available}

    def _create(self, pod: Manifest) -> None:
        """Source: CreateStatefulPod."""
        try:
            stateful_claims.create_missing_claims(self.owner, pod, self.api)
            self.api.create({**pod, "status": {"phase": "Pending"}})
        except WriteRefused as refused:
            if refused.reason == "AlreadyExists":
                raise  # upstream emits no Event for it
            message = f"Create Pod {name(pod)} in StatefulSet {name(self.owner)} failed error: {refused.message}"
            self.api.emit_event(self.owner, "Warning", "FailedCreate", message, COMPONENT)
            raise
        self._emit_done("Create", pod)
        self.notes.add(say("StatefulSet {name} creates missing Pod {pod}", name=name(self.owner), pod=name(pod)))

    def _delete(self, pod: Manifest, why: str) -> None:
        self.api.delete(pod)
        self._emit_done("Delete", pod)
        self.notes.add(why)

    def _emit_done(self, verb: str, pod: Manifest) -> None:
        """Source: recordPodEvent."""
        message = f"{verb} Pod {name(pod)} in StatefulSet {name(self.owner)} successful"
        self.api.emit_event(self.owner, "Normal", f"Successful{verb}", message, COMPONENT)

    def _write_status(self, new: dict[str, Any]) -> None:
        wanted, strategy = stateful_pods.replicas(self.owner), stateful_pods.update_type(self.owner)
        counts = (number(new.get(field), 0) for field in ("updatedReplicas", "readyReplicas", "replicas"))
        if strategy == "RollingUpdate" and all(count == wanted for count in counts):
            new["currentRevision"] = new["updateRevision"]
            new.pop("currentReplicas", None)
            if wanted:
                new["currentReplicas"] = wanted
        if new != dict(status(self.owner)):
            self.api.update_status(self.owner, new)

    def _truncate_history(self, revisions: Sequence[Manifest], current: Manifest, update: Manifest) -> None:
        """Source: truncateHistory."""
        live = {name(current), name(update), *(stateful_pods.revision_of(pod) for pod in self.pods)}
        history = [revision for revision in revisions if name(revision) not in live]
        limit = number(spec(self.owner).get("revisionHistoryLimit"), 10)
        if limit < 0:
            return  # a negative limit means no limit
        for revision in history[: max(len(history) - limit, 0)]:
            self.api.delete(revision)
