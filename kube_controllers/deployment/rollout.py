"""Rollout: one reconcile of a Deployment under way, with its replica sets as they change.

Source: pkg/controller/deployment/sync.go.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from kube_controllers.admission import is_of_ending_namespace
from kube_controllers.api import Api, Refused
from kube_controllers.contract import Notes
from kube_controllers.deployment import util
from kube_controllers.deployment.revisions import annotated_as_new, new_replica_set
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
    """`new` is the replica set of the present template, if there is one; `old` all the others.

    `wanted` pods are asked for, of which `unavailable` may be missing, and `surge` more may be there. `deployment` is
    the version that was written last: what it asks for is not changed by a reconcile.
    """

    def __init__(self, deployment: Manifest, replica_sets: Sequence[Manifest], api: Api, notes: Notes) -> None:
        self.deployment = deployment
        self.api = api
        self.view: View = api.view
        self.notes = notes
        self.failed = False
        self.wake_at: float | None = None
        self.rate_limited = False
        self.waits = False  # all that came of this look is a status: nothing is to be done until something changes
        self.wanted = util.replicas(deployment)
        self.surge, self.unavailable = self.view.once(util.fences_of, spec(deployment))
        self._has_revision = False  # what is new and what is deployed say so, since they changed last
        found = util.find_new(deployment, replica_sets, partial(self.view.once, util.without_hash))
        self.new = found
        self.old = [one for one in replica_sets if one is not found]
        if len(self.old) > 1:
            self.old.sort(key=by_creation)

    @property
    def all(self) -> list[Manifest | None]:
        return [*self.old, self.new]

    # Revisions

    def sync_revision(self, create: bool = False) -> bool:
        """The new replica set with its revision, made if it is not there; False if that failed.

        Source: getNewReplicaSet.
        """
        if self._has_revision:
            return True
        revision = str(util.max_revision(self.old) + 1)
        if self.new is not None:
            written = len(self.api.changes)
            self._note_revision(self.new, revision)
            self._has_revision = len(self.api.changes) == written
            return True
        return self._create(revision) if create else True

    def _note_revision(self, found: Manifest, revision: str) -> None:
        annotated = annotated_as_new(self.deployment, found, revision, exists=True)
        min_ready = number(spec(self.deployment).get("minReadySeconds"), 0)
        if annotated is not None or number(spec(found).get("minReadySeconds"), 0) != min_ready:
            changed = annotated or found
            if number(spec(found).get("minReadySeconds"), 0) != min_ready:
                changed = with_spec(changed, minReadySeconds=min_ready)
            self.new = self.api.update(changed)
            self.notes.add(
                say(
                    "{replica_set} has the template of Deployment {name}: it is revision {revision}",
                    replica_set=name(found),
                    name=name(self.deployment),
                    revision=annotations(changed).get(util.REVISION, ""),
                )
            )
            return
        progressing = condition(conditions(self.deployment), "Progressing")
        progress = None
        if util.progress_deadline(self.deployment) is not None and progressing is None:
            progress = ("FoundNewReplicaSet", f'Found new replica set "{name(found)}"')
        self._set_revision(annotations(found).get(util.REVISION, ""), progress)

    def _set_revision(self, revision: str, progress: tuple[str, str] | None) -> None:
        changed = self.deployment
        if annotations(changed).get(util.REVISION) != revision:
            changed = with_meta(changed, annotations={**annotations(changed), util.REVISION: revision})
        given = dict(status(changed))
        if progress is not None:
            made = util.new_condition("Progressing", "True", *progress, self.view.now)
            given["conditions"] = util.set_condition(conditions(changed), made)
        if changed is not self.deployment or progress is not None:
            self.deployment = self.api.update_status(changed, given)

    def _create(self, revision: str) -> bool:
        made: Manifest = new_replica_set(self.deployment, self.api.view.hashes)
        count = util.new_replicas(self.deployment, [*self.old, with_spec(made, replicas=0)], 0)
        made = annotated_as_new(self.deployment, with_spec(made, replicas=count), revision, exists=False) or made
        in_the_way = self.api.get("ReplicaSet", f"{made['metadata']['namespace']}/{name(made)}")
        if in_the_way is not None:
            self._collide()
            return False
        try:
            self.new = self.api.create(made)
        except Refused as refused:
            self._could_not_create(made, refused.message)
            return False
        if count > 0:
            self._tell_scaled(made, 0, count)
        progress = None
        if util.progress_deadline(self.deployment) is not None:
            progress = ("NewReplicaSetCreated", f'Created new replica set "{name(made)}"')
        self._set_revision(revision, progress)
        return True

    def _collide(self) -> None:
        """Another template has the same hash: the next try takes another one."""
        given = dict(status(self.deployment))
        given["collisionCount"] = number(given.get("collisionCount"), 0) + 1
        self.deployment = self.api.update_status(self.deployment, given)
        self.failed = True

    def _could_not_create(self, made: Manifest, why: str) -> None:
        self.failed = True
        if is_of_ending_namespace(why):
            return
        message = f'Failed to create new replica set "{name(made)}": {why}'
        if util.progress_deadline(self.deployment) is not None:
            progress = util.new_condition("Progressing", "False", "ReplicaSetCreateError", message, self.view.now)
            given = {**status(self.deployment), "conditions": util.set_condition(conditions(self.deployment), progress)}
            self.deployment = self.api.update_status(self.deployment, given)
        self.api.tell(self.deployment, "Warning", "ReplicaSetCreateError", message, COMPONENT)

    # Scaling

    def scale(self, target: Manifest, size: int, force: bool = False) -> bool:
        """Whether the number of replicas was changed. Source: scaleReplicaSet."""
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
            self._tell_scaled(target, now, size)
        return now != size

    def _replace(self, before: Manifest, after: Manifest) -> None:
        if self.new is not None and uid(before) == uid(self.new):
            self.new = after
        self.old = [after if uid(one) == uid(before) else one for one in self.old]

    def _tell_scaled(self, target: Manifest, now: int, size: int) -> None:
        way = "up" if size > now else "down"
        message = f"Scaled {way} replica set {name(target)} from {now} to {size}"
        self.api.tell(self.deployment, "Normal", "ScalingReplicaSet", message, COMPONENT)
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
        """The deployment was scaled: its replica sets share the difference. Source: scale."""
        only = util.find_active_or_latest(self.new, self.old)
        if only is not None:
            self.scale(only, self.wanted)
            return
        if util.is_saturated(self.deployment, self.new):
            for one in util.active(self.old):
                self.scale(one, 0)
            return
        if util.is_rolling(self.deployment):
            self._scale_in_proportion()

    def _scale_in_proportion(self) -> None:
        found = util.active(self.all)
        allowed = self.wanted + self.surge if self.wanted > 0 else 0
        to_add = allowed - util.total(found)
        # The largest first; of the same size the newest when it grows, the oldest when it shrinks.
        found.sort(key=by_creation, reverse=to_add > 0)
        found.sort(key=util.replicas, reverse=True)
        sizes, added = [], 0
        for one in found:
            share = util.proportion(one, self.deployment, to_add, added) if to_add else 0
            sizes.append(util.replicas(one) + share)
            added += share
        if sizes and to_add:
            sizes[0] = max(sizes[0] + to_add - added, 0)
        for one, size in zip(found, sizes, strict=True):
            self.scale(one, size, force=True)

    def clean_up(self) -> None:
        """Old revisions beyond the limit go. Source: cleanupDeployment."""
        limit = util.history_limit(self.deployment)
        alive = [one for one in self.old if not is_deleted(one)]
        if limit is None or len(alive) <= limit:
            return
        alive.sort(key=lambda one: (util.revision(one), *by_creation(one)))
        for one in alive[: len(alive) - limit]:
            observed = util.counted(one, "observedGeneration")
            if util.counted(one, "replicas") or util.replicas(one) or generation(one) > observed:
                continue
            self.api.delete(one)
            self.notes.add(say("{replica_set} is beyond the revisions that are kept: it goes", replica_set=name(one)))

    # Status

    def status_now(self) -> dict[str, Any]:
        """Source: calculateStatus."""
        every = [one for one in self.all if one is not None]
        in_all = present = ready = available = 0
        for one in every:
            counts = status(one)
            in_all += util.replicas(one)
            present += counts.get("replicas") or 0
            ready += counts.get("readyReplicas") or 0
            available += counts.get("availableReplicas") or 0
        new: dict[str, Any] = {
            "observedGeneration": generation(self.deployment),
            "replicas": present,
            "updatedReplicas": 0 if self.new is None else util.counted(self.new, "replicas"),
            "readyReplicas": ready,
            "availableReplicas": available,
            "unavailableReplicas": max(in_all - available, 0),
        }
        new = {field: value for field, value in new.items() if value}
        gone = util.terminating(every)
        if gone is not None:
            new["terminatingReplicas"] = gone
        if status(self.deployment).get("collisionCount") is not None:
            new["collisionCount"] = status(self.deployment)["collisionCount"]
        enough = available >= self.wanted - self.unavailable
        available_now = (
            ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
            if enough
            else ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
        )
        found = conditions(self.deployment)
        new["conditions"] = (
            list(found)
            if util.says(found, "Available", *available_now[:2])
            else util.set_condition(found, util.new_condition("Available", *available_now, self.view.now))
        )
        return new

    def write_status(self, new: Mapping[str, Any]) -> None:
        if status(self.deployment) != new:
            self.deployment = self.api.update_status(self.deployment, new)
