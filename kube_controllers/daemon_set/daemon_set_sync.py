"""One reconcile of a DaemonSet. Source: pkg/controller/daemon/daemon_controller.go, update.go."""

import math
from collections.abc import Mapping, Sequence
from operator import is_not, itemgetter
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import Notes
from kube_controllers.controller_refs import claim_objects
from kube_controllers.controller_revisions import (
    HASH_LABEL,
    create_revision,
    new_revision,
    revision_of,
    sort_revisions,
    template_of,
)
from kube_controllers.creating import create_pod, limit_burst, slow_start_batch
from kube_controllers.daemon_set import nodes
from kube_controllers.objects import View
from kube_controllers.pods import from_template, is_active, is_available, is_finished, is_ready, node_of, phase
from kube_controllers.selecting import UNSELECTED, selects_its_own
from kube_objects.manifests import (
    Manifest,
    by_creation,
    generation,
    is_deleted,
    labels,
    name,
    nonzero,
    number,
    spec,
    status,
    uid,
)
from kube_objects.sentences import say

COMPONENT = "daemonset-controller"
BURST = 250
FIRST_BACKOFF, MOST_BACKOFF = 1.0, 900.0


# DaemonSets that the cache holds at most.
_MOST_KNOWN = 4096


class NodeFitCache:
    """The fit of each Node for the Pods of DaemonSets, valid while Nodes and template are the same instances.

    Most reconciles follow a change of a Pod, so the Nodes are the same as before.
    """

    def __init__(self) -> None:
        self._nodes: list[Manifest] = []
        self._by_name: list[tuple[str, Manifest]] = []
        self._fits: dict[str, tuple[Any, dict[str, tuple[bool, bool]]]] = {}

    def fits_of(self, owner: Manifest, view: View) -> dict[str, tuple[bool, bool]]:
        """Return `nodes.fits` by the names of all Nodes, in the order of the names."""
        listed = view.of_kind("Node")
        if len(listed) != len(self._nodes) or any(map(is_not, listed, self._nodes)):
            self._nodes, self._by_name = listed, sorted([(name(node), node) for node in listed], key=itemgetter(0))
            self._fits.clear()
        cached = self._fits.get(uid(owner))
        template = spec(owner).get("template")
        if cached is None or cached[0] is not template:
            if len(self._fits) >= _MOST_KNOWN:
                self._fits.clear()
            pod = nodes.daemon_pod(owner)
            cached = template, {node_name: nodes.fits_node(pod, node) for node_name, node in self._by_name}
            self._fits[uid(owner)] = cached
        return cached[1]


class DaemonSetSync:
    """One reconcile of a DaemonSet, with its Pods by Node."""

    def __init__(
        self, owner: Manifest, claimed: Sequence[Manifest], api: Api, notes: Notes, fit_cache: NodeFitCache
    ) -> None:
        self.owner, self.api, self.notes = owner, api, notes
        self.now = api.view.now
        self.pods = nodes.by_node([pod for pod in claimed if not (is_finished(pod) and is_deleted(pod))])
        self.fits = fit_cache.fits_of(owner, api.view)
        self.allows_surge = nodes.allows_surge(owner)
        self.template_generation = nodes.template_generation(owner)
        self.min_ready = nodes.min_ready(owner)
        self.failed = False
        self.wrote = False
        memory: Mapping[str, Any] = api.view.remembered or {}
        # generation/Node -> backoff seconds and their start, for Nodes on which Pods failed. Source: failedPodsBackoff.
        self.backoffs: dict[str, list[float]] = {place: list(setback) for place, setback in memory.items()}
        self.requeue_at: float | None = None

    def sync(self) -> dict[str, Any]:
        """Reconcile the DaemonSet, and return its new status.

        1. Find or create the ControllerRevision of the template.
        2. Create missing Pods and delete surplus ones on each Node.
        3. If nothing was written, replace Pods of old revisions.
        4. Delete old revisions beyond the history limit.
        5. Write the status.
        """
        current, old = self._construct_history()
        self.hash = labels(current)[HASH_LABEL]
        self._manage()
        if not self.wrote and nodes.is_rolling(self.owner):
            self._rolling_update()
        if not self.failed:
            self._clean_up(old)
        return self._write_status()

    def _construct_history(self) -> tuple[Manifest, list[Manifest]]:
        """Return the revision of the current template, created if it is missing, and all others.

        Source: constructHistory.
        """
        template = dict(spec(self.owner).get("template") or {})
        revisions = sort_revisions(claim_objects(self.owner, "ControllerRevision", self.api))
        current = [revision for revision in revisions if template_of(revision) == template]
        old = [revision for revision in revisions if template_of(revision) != template]
        following = max((revision_of(revision) for revision in old), default=0) + 1
        if not current:
            collisions: int | None = status(self.owner).get("collisionCount")

            def make(count: int) -> dict[str, Any]:
                hashed = self.api.view.hashes.hash_template(template, count or collisions)
                return new_revision(self.owner, hashed, following, HASH_LABEL)

            return create_revision(self.api, make, collisions or 0)[0], old
        newest = current[-1]
        for duplicate in current[:-1]:
            self.api.delete(duplicate)
        if revision_of(newest) < following:
            newest = self.api.update({**newest, "revision": following})
        return newest, old

    def _manage(self) -> None:
        """Create missing Pods and delete surplus ones. Source: manage."""
        needed: list[str] = []
        surplus_pods: list[Manifest] = []
        for node in self.fits:
            missing, surplus = self._plan_node(node)
            needed += [node] if missing else []
            surplus_pods += surplus
        # Pods for removed Nodes would stay pending forever.
        for node, pods in self.pods.items():
            if node not in self.fits:
                surplus_pods += [pod for pod in pods if not node_of(pod) and not is_deleted(pod)]
        self._write(surplus_pods, needed)

    def _plan_node(self, node: str) -> tuple[bool, list[Manifest]]:
        """Return whether the Node needs a new Pod, and its Pods to delete. Source: podsShouldBeOnNode."""
        should_run, may_stay = self.fits[node]
        pods = self.pods.get(node)
        if should_run:
            if not pods:
                return True, []
            # A shortcut for the usual case, because each change of a Pod checks all Nodes.
            if len(pods) == 1 and is_active(pods[0]):
                return False, []
        undeleted = [pod for pod in pods or () if not is_deleted(pod)]
        if not may_stay:
            return False, undeleted
        to_delete, running = [], []
        for pod in undeleted:
            if phase(pod) == "Failed" and self._is_backing_off(node):
                continue
            if is_finished(pod):
                self._emit_finished(pod, node)
                to_delete.append(pod)
            else:
                running.append(pod)
        if len(running) > 1:
            running.sort(key=_oldest_on_a_node)
        if not self.allows_surge:
            return False, to_delete + running[1:]
        if len(running) <= 1:
            return should_run and not running, to_delete
        return False, to_delete + self._surge_surplus(running)

    def _is_backing_off(self, node: str) -> bool:
        """Return whether a failed Pod must stay for a while because others failed on the Node before.

        Source: flowcontrol.Backoff.
        """
        place = f"{number(status(self.owner).get('observedGeneration'), 0)}/{node}"
        seconds, since = self.backoffs.get(place, (0.0, 0.0))
        if seconds and self.now - since <= 2 * MOST_BACKOFF:
            if self.now - since < seconds:
                self.requeue_at = min(self.now + seconds, math.inf if self.requeue_at is None else self.requeue_at)
                return True
            self.backoffs[place] = [min(2 * seconds, MOST_BACKOFF), self.now]
        else:
            self.backoffs[place] = [FIRST_BACKOFF, self.now]
        return False

    def _is_new(self, pod: Manifest) -> bool:
        return nodes.is_of_template(pod, self.hash, self.template_generation)

    def _split_by_revision(self, pods: Sequence[Manifest]) -> tuple[list[Manifest], list[Manifest]]:
        """Return the Pods of the newest revision, and all others, in their order."""
        new: list[Manifest] = []
        old: list[Manifest] = []
        for pod in pods:
            (new if self._is_new(pod) else old).append(pod)
        return new, old

    def _surge_surplus(self, running: Sequence[Manifest]) -> list[Manifest]:
        new, old = self._split_by_revision(running)
        surplus_pods = new[1:] + old[1:]
        if new and old and (not is_ready(old[0]) or is_available(new[0], self.min_ready, self.now)):
            surplus_pods.append(old[0])
        return surplus_pods

    def _emit_finished(self, pod: Manifest, node: str) -> None:
        where = f"daemon pod {pod['metadata']['namespace']}/{name(pod)} on node {node}, will try to"
        if phase(pod) == "Failed":
            self.api.emit_event(self.owner, "Warning", "FailedDaemonPod", f"Found failed {where} kill it", COMPONENT)
        else:
            self.api.emit_event(
                self.owner, "Normal", "SucceededDaemonPod", f"Found succeeded {where} delete it", COMPONENT
            )

    def _write(self, to_delete: Sequence[Manifest], needed: Sequence[str]) -> None:
        """Delete Pods, and create Pods on the Nodes that need one. Source: syncNodes."""
        if not needed and not to_delete:
            return
        self.wrote = True
        if needed:
            needed = needed[: limit_burst(spec(self.owner).get("template") or {}, BURST)]
        template = nodes.template_of(self.owner, self.hash)
        problem = slow_start_batch(len(needed), lambda index: self._create(template, needed[index]))[1]
        self.failed = self.failed or bool(problem)
        for pod in to_delete[:BURST]:
            self.api.delete(pod)
            self.api.emit_event(self.owner, "Normal", "SuccessfulDelete", f"Deleted pod: {name(pod)}", COMPONENT)
            self.notes.add(say("DaemonSet {name} deletes its pod {pod}", name=name(self.owner), pod=name(pod)))

    def _create(self, template: Mapping[str, Any], node: str) -> str:
        """Create a Pod for the Node; return the error message, or ""."""
        if not selects_its_own(spec(self.owner)):
            return UNSELECTED
        pod = from_template(nodes.with_node_affinity(template, node), self.owner)
        error = create_pod(pod, self.owner, self.api, COMPONENT)
        if not error:
            self.notes.add(say("DaemonSet {name} creates a Pod on node {node}", name=name(self.owner), node=node))
        return error

    # Rolling update

    def _update_limits(self) -> tuple[int, int, int]:
        """Return maxSurge, maxUnavailable and the desired number of Pods. Source: updatedDesiredNodeCounts."""
        desired = sum(should_run for should_run, _ in self.fits.values())
        surge, unavailable = nodes.surge_count(self.owner, desired), nodes.unavailable_count(self.owner, desired)
        return surge, max(unavailable, 0 if surge or not desired else 1), desired

    def _updated_pods_on(self, node: str) -> tuple[Manifest | None, Manifest | None, bool]:
        """Return the new and the old Pod of a Node; False if there is more than one of either.

        Source: findUpdatedPodsOnNode.
        """
        undeleted = [pod for pod in self.pods.get(node, ()) if not is_deleted(pod)]
        new, old = self._split_by_revision(undeleted)
        is_unique = len(new) <= 1 and len(old) <= 1
        return next(iter(new), None), next(iter(old), None), is_unique

    def _rolling_update(self) -> None:
        """Replace Pods of old revisions within the limits. Source: rollingUpdate."""
        if all(self._is_new(pod) or is_deleted(pod) for pods in self.pods.values() for pod in pods):
            return
        surge, unavailable, desired = self._update_limits()
        wanted = [node for node, (should_run, _) in self.fits.items() if should_run]
        candidate_nodes = list(dict.fromkeys([*self.pods, *wanted]))
        if surge == 0:
            self._write(self._pods_to_replace(candidate_nodes, unavailable), ())
        else:
            self._surge_pods(candidate_nodes, surge, desired)

    def _available(self, pod: Manifest | None) -> bool:
        return pod is not None and is_available(pod, self.min_ready, self.now)

    def _pods_to_replace(self, nodes_to_check: Sequence[str], most: int) -> list[Manifest]:
        missing = 0
        unavailable_pods: list[Manifest] = []
        candidates: list[Manifest] = []
        for node in nodes_to_check:
            new, old, is_unique = self._updated_pods_on(node)
            if not is_unique or (old is None) == (new is None):
                missing += 1
            elif old is None:
                missing += not self._available(new)
            elif not self._available(old):
                unavailable_pods.append(old)
                missing += 1
            elif missing < most:
                candidates.append(old)
        return unavailable_pods + candidates[: max(most - missing, 0)]

    def _surge_pods(self, nodes_to_check: Sequence[str], most: int, desired: int) -> None:
        to_delete: list[Manifest] = []
        misplaced: list[Manifest] = []
        urgent: list[str] = []
        candidates: list[str] = []
        surging = available = 0
        for node in nodes_to_check:
            new, old, is_unique = self._updated_pods_on(node)
            if not is_unique:
                surging += 1
                continue
            available += self._available(old if old is not None else new)
            if old is None:
                continue
            should_run = self.fits.get(node, (False, False))[0]
            if new is not None:
                if self._available(new):
                    to_delete.append(old)
                else:
                    surging += 1
            elif not self._available(old):
                if should_run:
                    urgent.append(node)
                else:
                    to_delete.append(old)
            elif not should_run:
                misplaced.append(old)
            elif surging < most:
                candidates.append(node)
        to_delete += misplaced[: max(available - desired, 0)]
        self._write(to_delete, [*urgent, *candidates[: max(most - surging, 0)]])

    def _clean_up(self, old: Sequence[Manifest]) -> None:
        """Delete unused revisions beyond the history limit. Source: cleanupHistory."""
        limit = number(spec(self.owner).get("revisionHistoryLimit"), 10)
        live = {labels(pod).get(HASH_LABEL) for pods in self.pods.values() for pod in pods}
        spare = len(old) - limit
        for revision in sort_revisions(old):
            if spare <= 0:
                return
            if labels(revision).get(HASH_LABEL) not in live:
                self.api.delete(revision)
                spare -= 1

    def _write_status(self) -> dict[str, Any]:
        """Source: updateDaemonSetStatus."""
        desired = current = misplaced = ready = updated = available = 0
        for node, (should_run, _) in self.fits.items():
            pods = self.pods.get(node)
            if not should_run:
                misplaced += bool(pods)
                continue
            desired += 1
            if pods:
                oldest = min(pods, key=_oldest_on_a_node) if len(pods) > 1 else pods[0]
                current += 1
                updated += self._is_new(oldest)
                if is_ready(oldest):
                    ready += 1
                    available += is_available(oldest, self.min_ready, self.now)
        new = {
            "currentNumberScheduled": current,
            "numberMisscheduled": misplaced,
            "desiredNumberScheduled": desired,
            "numberReady": ready,
            "observedGeneration": generation(self.owner),
            **nonzero(
                {
                    "updatedNumberScheduled": updated,
                    "numberAvailable": available,
                    "numberUnavailable": desired - available,
                }
            ),
        }
        if status(self.owner).get("collisionCount") is not None:
            new["collisionCount"] = status(self.owner)["collisionCount"]
        if new != dict(status(self.owner)):
            self.api.update_status(self.owner, new)
        return new


def _oldest_on_a_node(pod: Manifest) -> tuple[bool, tuple[str, str]]:
    """Source: podByCreationTimestampAndPhase."""
    return not node_of(pod), by_creation(pod)
