"""One reconcile of a DaemonSet. Source: pkg/controller/daemon/daemon_controller.go, update.go."""

import math
from collections.abc import Mapping, Sequence
from operator import is_not, itemgetter
from typing import Any

from kube_controllers.api import Api
from kube_controllers.claims import claim
from kube_controllers.contract import Notes
from kube_controllers.creating import create_pod, in_batches, limit_burst
from kube_controllers.daemon_set import nodes
from kube_controllers.objects import View
from kube_controllers.pods import from_template, is_active, is_available, is_finished, is_ready, node_of, phase
from kube_controllers.revisions import (
    HASH_LABEL,
    create_revision,
    in_order,
    new_revision,
    revision_of,
    template_of,
)
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
FIRST_SETBACK, MOST_SETBACK = 1.0, 900.0


# DaemonSets whose Nodes are known at a time.
_MOST_KNOWN = 4096


class KnownFits:
    """The Nodes on which the Pods of DaemonSets should run, kept as long as Nodes and template are the same objects.

    Most reconciles follow a change of a Pod, and nothing about the Nodes has changed since the one before.
    """

    def __init__(self) -> None:
        self._nodes: list[Manifest] = []
        self._by_name: list[tuple[str, Manifest]] = []
        self._fits: dict[str, tuple[Any, dict[str, tuple[bool, bool]]]] = {}

    def of(self, owner: Manifest, view: View) -> dict[str, tuple[bool, bool]]:
        """Return `nodes.fits` by the names of all Nodes, in the order of the names."""
        found = view.of_kind("Node")
        if len(found) != len(self._nodes) or any(map(is_not, found, self._nodes)):
            self._nodes, self._by_name = found, sorted([(name(node), node) for node in found], key=itemgetter(0))
            self._fits.clear()
        known = self._fits.get(uid(owner))
        template = spec(owner).get("template")
        if known is None or known[0] is not template:
            if len(self._fits) >= _MOST_KNOWN:
                self._fits.clear()
            pod = nodes.daemon_pod(owner)
            known = template, {at: nodes.fits(pod, node) for at, node in self._by_name}
            self._fits[uid(owner)] = known
        return known[1]


class Control:
    """The set, the nodes, and its pods by node."""

    def __init__(
        self, owner: Manifest, found: Sequence[Manifest], api: Api, notes: Notes, known_fits: KnownFits
    ) -> None:
        self.owner, self.api, self.notes = owner, api, notes
        self.now = api.view.now
        self.pods = nodes.by_node([pod for pod in found if not (is_finished(pod) and is_deleted(pod))])
        self.fits = known_fits.of(owner, api.view)
        self.allows_surge = nodes.allows_surge(owner)
        self.template_generation = nodes.template_generation(owner)
        self.min_ready = nodes.min_ready(owner)
        self.failed = False
        self.wrote = False
        known: Mapping[str, Any] = api.view.remembered or {}
        # Of nodes on which pods failed: how long the next one stays, and since when. Source: failedPodsBackoff.
        self.setbacks: dict[str, list[float]] = {at: list(setback) for at, setback in known.items()}
        self.wake_at: float | None = None

    def sync(self) -> dict[str, Any]:
        current, old = self._history()
        self.hash = labels(current)[HASH_LABEL]
        self._manage()
        if not self.wrote and nodes.is_rolling(self.owner):
            self._roll()
        if not self.failed:
            self._clean_up(old)
        return self._write_status()

    def _history(self) -> tuple[Manifest, list[Manifest]]:
        """The revision of the present template, made if need be, and all others. Source: constructHistory."""
        template = dict(spec(self.owner).get("template") or {})
        found = in_order(claim(self.owner, "ControllerRevision", self.api))
        current = [one for one in found if template_of(one) == template]
        old = [one for one in found if template_of(one) != template]
        following = max((revision_of(one) for one in old), default=0) + 1
        if not current:
            known: int | None = status(self.owner).get("collisionCount")

            def make(count: int) -> dict[str, Any]:
                hashed = self.api.view.hashes.of_template(template, count or known)
                return new_revision(self.owner, hashed, following, HASH_LABEL)

            return create_revision(self.api, make, known or 0)[0], old
        newest = current[-1]
        for one in current[:-1]:
            self.api.delete(one)
        if revision_of(newest) < following:
            newest = self.api.update({**newest, "revision": following})
        return newest, old

    def _manage(self) -> None:
        """Source: manage: where pods are missing, and which ones should not be there."""
        needed: list[str] = []
        gone: list[Manifest] = []
        for at in self.fits:
            missing, surplus = self._on_node(at)
            needed += [at] if missing else []
            gone += surplus
        # Pods for nodes that are no more would wait for ever.
        for at, found in self.pods.items():
            if at not in self.fits:
                gone += [pod for pod in found if not node_of(pod) and not is_deleted(pod)]
        self._write(gone, needed)

    def _on_node(self, at: str) -> tuple[bool, list[Manifest]]:
        """Source: podsShouldBeOnNode."""
        should_run, may_stay = self.fits[at]
        found = self.pods.get(at)
        if should_run:
            if not found:
                return True, []
            # Most Nodes have the Pod that they need. Each change of a Pod looks at all Nodes.
            if len(found) == 1 and is_active(found[0]):
                return False, []
        alive = [pod for pod in found or () if not is_deleted(pod)]
        if not may_stay:
            return False, alive
        gone, running = [], []
        for pod in alive:
            if phase(pod) == "Failed" and self._is_set_back(at):
                continue
            if is_finished(pod):
                self._tell_ended(pod, at)
                gone.append(pod)
            else:
                running.append(pod)
        if len(running) > 1:
            running.sort(key=_oldest_on_a_node)
        if not self.allows_surge:
            return False, gone + running[1:]
        if len(running) <= 1:
            return should_run and not running, gone
        return False, gone + self._surplus_of_surge(running)

    def _is_set_back(self, at: str) -> bool:
        """Whether a failed pod stays for a while, since others failed there before. Source: flowcontrol.Backoff."""
        where = f"{number(status(self.owner).get('observedGeneration'), 0)}/{at}"
        seconds, since = self.setbacks.get(where, (0.0, 0.0))
        if seconds and self.now - since <= 2 * MOST_SETBACK:
            if self.now - since < seconds:
                self.wake_at = min(self.now + seconds, math.inf if self.wake_at is None else self.wake_at)
                return True
            self.setbacks[where] = [min(2 * seconds, MOST_SETBACK), self.now]
        else:
            self.setbacks[where] = [FIRST_SETBACK, self.now]
        return False

    def _is_new(self, pod: Manifest) -> bool:
        return nodes.is_of_template(pod, self.hash, self.template_generation)

    def _split(self, pods: Sequence[Manifest]) -> tuple[list[Manifest], list[Manifest]]:
        """Return the Pods of the newest revision, and all others, both in the given order."""
        new: list[Manifest] = []
        old: list[Manifest] = []
        for pod in pods:
            (new if self._is_new(pod) else old).append(pod)
        return new, old

    def _surplus_of_surge(self, running: Sequence[Manifest]) -> list[Manifest]:
        new, old = self._split(running)
        gone = new[1:] + old[1:]
        if new and old and (not is_ready(old[0]) or is_available(new[0], self.min_ready, self.now)):
            gone.append(old[0])
        return gone

    def _tell_ended(self, pod: Manifest, at: str) -> None:
        where = f"daemon pod {pod['metadata']['namespace']}/{name(pod)} on node {at}, will try to"
        if phase(pod) == "Failed":
            self.api.tell(self.owner, "Warning", "FailedDaemonPod", f"Found failed {where} kill it", COMPONENT)
        else:
            self.api.tell(self.owner, "Normal", "SucceededDaemonPod", f"Found succeeded {where} delete it", COMPONENT)

    def _write(self, gone: Sequence[Manifest], needed: Sequence[str]) -> None:
        """Source: syncNodes."""
        if not needed and not gone:
            return
        self.wrote = True
        if needed:
            needed = needed[: limit_burst(spec(self.owner).get("template") or {}, BURST)]
        template = nodes.template_of(self.owner, self.hash)
        problem = in_batches(len(needed), lambda at: self._create(template, needed[at]))[1]
        self.failed = self.failed or bool(problem)
        for pod in gone[:BURST]:
            self.api.delete(pod)
            self.api.tell(self.owner, "Normal", "SuccessfulDelete", f"Deleted pod: {name(pod)}", COMPONENT)
            self.notes.add(say("DaemonSet {name} deletes its pod {pod}", name=name(self.owner), pod=name(pod)))

    def _create(self, template: Mapping[str, Any], at: str) -> str:
        """Why it was refused."""
        if not selects_its_own(spec(self.owner)):
            return UNSELECTED
        pod = from_template(nodes.bound_to(template, at), self.owner)
        why = create_pod(pod, self.owner, self.api, COMPONENT)
        if not why:
            self.notes.add(
                say("DaemonSet {name} wants a pod on node {node}: creates it", name=name(self.owner), node=at)
            )
        return why

    # Rolling update

    def _limits(self) -> tuple[int, int, int]:
        """maxSurge, maxUnavailable and the pods that are wanted. Source: updatedDesiredNodeCounts."""
        desired = sum(should_run for should_run, _ in self.fits.values())
        surge, unavailable = nodes.surge_count(self.owner, desired), nodes.unavailable_count(self.owner, desired)
        return surge, max(unavailable, 0 if surge or not desired else 1), desired

    def _new_and_old(self, at: str) -> tuple[Manifest | None, Manifest | None, bool]:
        """Source: findUpdatedPodsOnNode; False if there is more than one of either."""
        alive = [pod for pod in self.pods.get(at, ()) if not is_deleted(pod)]
        new, old = self._split(alive)
        fine = len(new) <= 1 and len(old) <= 1
        return next(iter(new), None), next(iter(old), None), fine

    def _roll(self) -> None:
        """Source: rollingUpdate. Only Pods of old revisions are replaced."""
        if all(self._is_new(pod) or is_deleted(pod) for pods in self.pods.values() for pod in pods):
            return
        surge, unavailable, desired = self._limits()
        wanted = [at for at, (should_run, _) in self.fits.items() if should_run]
        places = list(dict.fromkeys([*self.pods, *wanted]))
        if surge == 0:
            self._write(self._to_replace(places, unavailable), ())
        else:
            self._surge(places, surge, desired)

    def _available(self, pod: Manifest | None) -> bool:
        return pod is not None and is_available(pod, self.min_ready, self.now)

    def _to_replace(self, places: Sequence[str], most: int) -> list[Manifest]:
        missing = 0
        at_once: list[Manifest] = []
        candidates: list[Manifest] = []
        for at in places:
            new, old, fine = self._new_and_old(at)
            if not fine or (old is None) == (new is None):
                missing += 1
            elif old is None:
                missing += not self._available(new)
            elif not self._available(old):
                at_once.append(old)
                missing += 1
            elif missing < most:
                candidates.append(old)
        return at_once + candidates[: max(most - missing, 0)]

    def _surge(self, places: Sequence[str], most: int, desired: int) -> None:
        gone: list[Manifest] = []
        misplaced: list[Manifest] = []
        at_once: list[str] = []
        candidates: list[str] = []
        surging = available = 0
        for at in places:
            new, old, fine = self._new_and_old(at)
            if not fine:
                surging += 1
                continue
            available += self._available(old if old is not None else new)
            if old is None:
                continue
            should_run = self.fits.get(at, (False, False))[0]
            if new is not None:
                if self._available(new):
                    gone.append(old)
                else:
                    surging += 1
            elif not self._available(old):
                if should_run:
                    at_once.append(at)
                else:
                    gone.append(old)
            elif not should_run:
                misplaced.append(old)
            elif surging < most:
                candidates.append(at)
        gone += misplaced[: max(available - desired, 0)]
        self._write(gone, [*at_once, *candidates[: max(most - surging, 0)]])

    def _clean_up(self, old: Sequence[Manifest]) -> None:
        """Source: cleanupHistory."""
        limit = number(spec(self.owner).get("revisionHistoryLimit"), 10)
        live = {labels(pod).get(HASH_LABEL) for found in self.pods.values() for pod in found}
        spare = len(old) - limit
        for one in in_order(old):
            if spare <= 0:
                return
            if labels(one).get(HASH_LABEL) not in live:
                self.api.delete(one)
                spare -= 1

    def _write_status(self) -> dict[str, Any]:
        """Source: updateDaemonSetStatus."""
        desired = current = misplaced = ready = updated = available = 0
        for at, (should_run, _) in self.fits.items():
            pods = self.pods.get(at)
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
