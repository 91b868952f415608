"""The state of one reconcile of a Deployment, with its ReplicaSets as they change.

Source: pkg/controller/deployment/sync.go.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from kube_apiserver.admission.namespace_lifecycle import is_namespace_terminating
from kube_controllers.api import Api, WriteRefused
from kube_controllers.contract import Notes
from kube_controllers.deployment import util
from kube_controllers.deployment.replica_set_revisions import new_replica_set, with_revision_annotations
from kube_controllers.objects import View
from kube_objects.manifests import (
    Manifest,
    annotations,
    by_creation,
    condition,
    conditions,
    generation,
    is_deleted,
    name,
    number,
    spec,
    status,
    uid,
    with_meta,
    with_spec,
)
from kube_objects.sentences import say

COMPONENT = "deployment-controller"


class Rollout:
    """One reconcile of a Deployment.

    `new` is the ReplicaSet of the current template, if it exists; `old` are all others. `wanted` is the desired number
    of Pods. At most `unavailable` of them may be missing, and `surge` more may exist. `deployment` is the version
    written last.
    """

    def __init__(self, deployment: Manifest, replica_sets: Sequence[Manifest], api: Api, notes: Notes) -> None:
        self.deployment = deployment
        self.api = api
        self.view: View = api.view
        self.notes = notes
        self.failed = False
        self.requeue_at: float | None = None
        self.rate_limited = False
        self.only_waits = False  # nothing to do until an object changes or the deadline passes
        self.wanted = util.replicas(deployment)
        self.surge, self.unavailable = self.view.once(util.surge_and_unavailable_of_spec, spec(deployment))
        self._has_revision = False  # Deployment and ReplicaSet have the revision already
        new = util.find_new(deployment, replica_sets, partial(self.view.once, util.without_hash))
        self.new = new
        self.old = [replica_set for replica_set in replica_sets if replica_set is not new]
        if len(self.old) > 1:
            self.old.sort(key=by_creation)

    @property
    def all(self) -> list[Manifest | None]:
        return [*self.old, self.new]

    # Revisions

    def sync_revision(self, create: bool = False) -> bool:
        """Find the new ReplicaSet, or create it if `create`, and set its revision. Return False if that failed.

        Source: getNewReplicaSet.
        """
        if self._has_revision:
            return True
        revision = str(util.max_revision(self.old) + 1)
        if self.new is not None:
            written = len(self.api.changes)
            self._update_revision(self.new, revision)
            self._has_revision = len(self.api.changes) == written
            return True
        return self._create_new(revision) if create else True

    def _update_revision(self, replica_set: Manifest, revision: str) -> None:
        annotated = with_revision_annotations(self.deployment, replica_set, revision, exists=True)
        min_ready = number(spec(self.deployment).get("minReadySeconds"), 0)
        if annotated is not None or number(spec(replica_set).get("minReadySeconds"), 0) != min_ready:
            changed = annotated or replica_set
            if number(spec(replica_set).get("minReadySeconds"), 0) != min_ready:
                changed = with_spec(changed, minReadySeconds=min_ready)
            self.new = self.api.update(changed)
            self.notes.add(
                say(
                    "{replica_set} matches the template of Deployment {name}: revision {revision}",
                    replica_set=name(replica_set),
                    name=name(self.deployment),
                    revision=annotations(changed).get(util.REVISION, ""),
                )
            )
            return
        progressing = condition(conditions(self.deployment), "Progressing")
        progress = None
        if util.progress_deadline(self.deployment) is not None and progressing is None:
            progress = ("FoundNewReplicaSet", f'Found new replica set "{name(replica_set)}"')
        self._set_revision(annotations(replica_set).get(util.REVISION, ""), progress)

    def _set_revision(self, revision: str, progress: tuple[str, str] | None) -> None:
        changed = self.deployment
        if annotations(changed).get(util.REVISION) != revision:
            changed = with_meta(changed, annotations={**annotations(changed), util.REVISION: revision})
        new_status = dict(status(changed))
        if progress is not None:
            progressing = util.new_condition("Progressing", "True", *progress, self.view.now)
            new_status["conditions"] = util.set_condition(conditions(changed), progressing)
        if changed is not self.deployment or progress is not None:
            self.deployment = self.api.update_status(changed, new_status)

    def _create_new(self, revision: str) -> bool:
        replica_set: Manifest = new_replica_set(self.deployment, self.api.view.hashes)
        count = util.new_replicas(self.deployment, [*self.old, with_spec(replica_set, replicas=0)], 0)
        replica_set = (
            with_revision_annotations(self.deployment, with_spec(replica_set, replicas=count), revision, exists=False)
            or replica_set
        )
        existing = self.api.get("ReplicaSet", f"{replica_set['metadata']['namespace']}/{name(replica_set)}")
        if existing is not None:
            self._record_collision()
            return False
        try:
            self.new = self.api.create(replica_set)
        except WriteRefused as refused:
            self._report_create_failure(replica_set, refused.message)
            return False
        if count > 0:
            self._emit_scaled(replica_set, 0, count)
        progress = None
        if util.progress_deadline(self.deployment) is not None:
            progress = ("NewReplicaSetCreated", f'Created new replica set "{name(replica_set)}"')
        self._set_revision(revision, progress)
        return True

    def _record_collision(self) -> None:
        """Increase the collision count, so that the next reconcile uses another hash."""
        new_status = dict(status(self.deployment))
        new_status["collisionCount"] = number(new_status.get("collisionCount"), 0) + 1
        self.deployment = self.api.update_status(self.deployment, new_status)
        self.failed = True

    def _report_create_failure(self, replica_set: Manifest, why: str) -> None:
        self.failed = True
        if is_namespace_terminating(why):
            return
        message = f'Failed to create new replica set "{name(replica_set)}": {why}'
        if util.progress_deadline(self.deployment) is not None:
            progress = util.new_condition("Progressing", "False", "ReplicaSetCreateError", message, self.view.now)
            new_status = {
                **status(self.deployment),
                "conditions": util.set_condition(conditions(self.deployment), progress),
            }
            self.deployment = self.api.update_status(self.deployment, new_status)
        self.api.emit_event(self.deployment, "Warning", "ReplicaSetCreateError", message, COMPONENT)

    # Scaling

    def scale(self, target: Manifest, size: int, force: bool = False) -> bool:
        """Set the number of replicas and the annotations of a ReplicaSet. Return whether the number changed.

        Source: scaleReplicaSet.
        """
        now = util.replicas(target)
        if now == size and not force:
            return False
        progress = {util.DESIRED: str(self.wanted), util.MAX_REPLICAS: str(self.wanted + self.surge)}
        known = {**annotations(target), **progress} == dict(annotations(target))
        if now == size and known:
            return False
        changed = with_spec(with_meta(target, annotations={**annotations(target), **progress}), replicas=size)
        self._replace(target, self.api.update(changed))
        if now != size:
            self._emit_scaled(target, now, size)
        return now != size

    def _replace(self, before: Manifest, after: Manifest) -> None:
        if self.new is not None and uid(before) == uid(self.new):
            self.new = after
        self.old = [after if uid(one) == uid(before) else one for one in self.old]

    def _emit_scaled(self, target: Manifest, now: int, size: int) -> None:
        way = "up" if size > now else "down"
        message = f"Scaled {way} replica set {name(target)} from {now} to {size}"
        self.api.emit_event(self.deployment, "Normal", "ScalingReplicaSet", message, COMPONENT)
        self.notes.add(
            say(
                "Deployment {name} scales {replica_set} from {before} to {after}",
                name=name(self.deployment),
                replica_set=name(target),
                before=now,
                after=size,
            )
        )

    def scale_all(self) -> None:
        """Distribute the replicas of a scaled Deployment over its ReplicaSets. Source: scale."""
        single = util.find_active_or_latest(self.new, self.old)
        if single is not None:
            self.scale(single, self.wanted)
            return
        if util.is_saturated(self.deployment, self.new):
            for replica_set in util.active_replica_sets(self.old):
                self.scale(replica_set, 0)
            return
        if util.is_rolling(self.deployment):
            self._scale_proportionally()

    def _scale_proportionally(self) -> None:
        replica_sets = util.active_replica_sets(self.all)
        allowed = self.wanted + self.surge if self.wanted > 0 else 0
        to_add = allowed - util.total_replicas(replica_sets)
        # The largest first; of the same size the newest when it grows, the oldest when it shrinks.
        replica_sets.sort(key=by_creation, reverse=to_add > 0)
        replica_sets.sort(key=util.replicas, reverse=True)
        sizes, added = [], 0
        for replica_set in replica_sets:
            share = util.proportion(replica_set, self.deployment, to_add, added) if to_add else 0
            sizes.append(util.replicas(replica_set) + share)
            added += share
        if sizes and to_add:
            sizes[0] = max(sizes[0] + to_add - added, 0)
        for replica_set, size in zip(replica_sets, sizes, strict=True):
            self.scale(replica_set, size, force=True)

    def clean_up(self) -> None:
        """Delete old revisions beyond the history limit. Source: cleanupDeployment."""
        limit = util.history_limit(self.deployment)
        candidates = [replica_set for replica_set in self.old if not is_deleted(replica_set)]
        if limit is None or len(candidates) <= limit:
            return
        candidates.sort(key=lambda replica_set: (util.revision(replica_set), *by_creation(replica_set)))
        for replica_set in candidates[: len(candidates) - limit]:
            observed = util.status_number(replica_set, "observedGeneration")
            if (
                util.status_number(replica_set, "replicas")
                or util.replicas(replica_set)
                or generation(replica_set) > observed
            ):
                continue
            self.api.delete(replica_set)
            self.notes.add(
                say("{replica_set} exceeds the revision history limit: deleted", replica_set=name(replica_set))
            )

    # Status

    def status_now(self) -> dict[str, Any]:
        """Return the status that the ReplicaSets add up to. Source: calculateStatus."""
        replica_sets = [replica_set for replica_set in self.all if replica_set is not None]
        requested = existing = ready = available = 0
        for replica_set in replica_sets:
            counts = status(replica_set)
            requested += util.replicas(replica_set)
            existing += counts.get("replicas") or 0
            ready += counts.get("readyReplicas") or 0
            available += counts.get("availableReplicas") or 0
        new: dict[str, Any] = {
            "observedGeneration": generation(self.deployment),
            "replicas": existing,
            "updatedReplicas": 0 if self.new is None else util.status_number(self.new, "replicas"),
            "readyReplicas": ready,
            "availableReplicas": available,
            "unavailableReplicas": max(requested - available, 0),
        }
        new = {field: value for field, value in new.items() if value}
        terminating = util.terminating(replica_sets)
        if terminating is not None:
            new["terminatingReplicas"] = terminating
        if status(self.deployment).get("collisionCount") is not None:
            new["collisionCount"] = status(self.deployment)["collisionCount"]
        enough = available >= self.wanted - self.unavailable
        available_now = (
            ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
            if enough
            else ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
        )
        known_conditions = conditions(self.deployment)
        new["conditions"] = (
            list(known_conditions)
            if util.has_condition(known_conditions, "Available", *available_now[:2])
            else util.set_condition(known_conditions, util.new_condition("Available", *available_now, self.view.now))
        )
        return new

    def write_status(self, new: Mapping[str, Any]) -> None:
        if status(self.deployment) != new:
            self.deployment = self.api.update_status(self.deployment, new)
