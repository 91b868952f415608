"""Life: the actors of a simulated cluster. What they are shown of it, and what becomes of what they say.

A cluster has none unless a command switches them on; then a bound pod waits for its kubelet, and a pod that goes is
given its grace.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from kube_apiserver.admission.priority import admit_manifest
from kube_controllers.admission import (
    WITH_GENERATION,
    WITHOUT_GENERATION,
    defaulted,
    with_template_generation,
)
from kube_controllers.api import Api
from kube_controllers.contract import Change, PutObject, RemoveObject
from kube_controllers.eviction import evict
from kube_controllers.hashing import HASHES, PLAIN
from kube_controllers.manager import Manager, Step, failure_of
from kube_controllers.names import RECURRING
from kube_controllers.statuses import with_condition
from kube_controllers.table import make_controllers
from kube_objects.defects import PASSED_ON
from kube_objects.kinds.api_names import NAMESPACED
from kube_objects.manifests import Manifest, format_time, key, kind, meta, spec, with_meta
from kube_objects.meta import KubeObject
from kube_objects.parse import parse_object
from kube_objects.parsers.meta import DEFAULT_NAMESPACE
from kube_objects.pod import Pod
from kube_objects.reparse import SiblingParser, parse_version
from kube_objects.serialize import settled
from kube_objects.text.problems import ObjectError, Problem
from simulator.simulation.journal import Journal
from simulator.simulation.store import ObjectStore
from simulator.simulation.timers import Timer

PREEMPTED_BY = "default-scheduler"


class Cluster(Protocol):
    """The part of a simulated cluster that controllers read and change."""

    store: ObjectStore
    journal: Journal
    now: float

    def put(self, obj: KubeObject) -> None: ...

    def keep(self, obj: KubeObject) -> None: ...

    def delete(self, obj: KubeObject) -> None: ...


class Life(Timer):
    """`names` are those of the actors that are on, as `kube_controllers.table` lists them.

    `hashes`: what names are made of, one of `kube_controllers.hashing`.
    """

    def __init__(
        self,
        cluster: Cluster,
        names: Sequence[str],
        chance: Any,
        epoch: float,
        hashes: str,
        takes: Callable[[KubeObject], bool] = lambda obj: True,
    ) -> None:
        """`takes`: which of the stored objects the actors see from the beginning."""
        self.cluster, self.names, self.epoch, self.hashes = cluster, tuple(names), epoch, hashes
        self.chance = chance
        self._siblings = SiblingParser()
        self.manager = Manager(make_controllers(names), chance, RECURRING)
        self.manager.problem_of, self.manager.hashes = _problem_of, HASHES[hashes]
        self.manager.on_defect = cluster.journal.defect
        for obj in filter(takes, list(cluster.store)):
            taken = self.received(self.in_namespace(obj))
            if taken.key != obj.key:
                cluster.delete(obj)
            if taken is not obj:
                cluster.put(taken)
            self.saw(taken)

    @property
    def now(self) -> float:
        """Seconds since the Unix epoch: what manifests write."""
        return self.epoch + self.cluster.now

    def next_time(self, until: float = math.inf) -> float:
        """Return the virtual time at which an actor wants to look again."""
        return self.manager.work.next_time - self.epoch

    def next_change(self, until: float) -> float:
        """Return the virtual time up to `until` at which an actor would change something."""
        return self.manager.next_change(self.epoch + until) - self.epoch

    def api(self) -> Api:
        return Api(self.manager.view(self.now))

    # What users give

    def in_namespace(self, obj: KubeObject) -> KubeObject:
        """Scheduling does not know of every kind whether it lives in a namespace; actors do."""
        if obj.namespace or obj.kind not in NAMESPACED:
            return obj
        return parse_object(with_meta(obj.manifest, namespace=DEFAULT_NAMESPACE))

    def received(self, obj: KubeObject) -> KubeObject:
        """An object as an API server would take it: with what it adds, and what it knows of it from before.

        From then on its manifest says all of it.
        """
        stored = self.cluster.store.get(obj.kind, obj.key)
        # What is stored already says all of itself in its manifest, but for what was there before actors lived.
        obj = settled(obj, stored if stored is not obj else None)
        found = self._whole(obj)
        before = self.manager.objects.get(kind(found), key(found))
        if before is None:
            if not meta(obj.manifest).get("uid"):
                found = defaulted(with_meta(found, generation=meta(found).get("generation", 1)))
        elif kind(found) in WITH_GENERATION and kind(found) != "Pod":
            found = self._with_status(found, before)
        return obj if found is obj.manifest else parse_object(found)

    def _with_status(self, found: Manifest, before: Manifest) -> Manifest:
        """Status and generation of the version before; a write that names its generation already has them."""
        found = with_template_generation(found, before)
        if meta(found).get("generation") is not None:
            return found
        same = spec(found) == spec(before)
        generation = int(meta(before).get("generation") or 1) + (not same)
        known = meta(before).get("annotations") or {}
        notes = {**known, **(meta(found).get("annotations") or {})} or None
        changed = with_meta(found, uid=meta(before)["uid"], generation=generation, annotations=notes)
        return {**changed, "status": before.get("status") or {}}

    def delete(self, obj: KubeObject) -> None:
        """A user deletes it: pods are given their grace, owners wait for finalizers."""
        found = self._known(obj)
        if found is None:
            return
        api = self.api()
        api.delete(found)
        self.carry_out(api.changes)

    def _known(self, obj: KubeObject) -> Manifest | None:
        """The object as the actors see it; one that they were not shown at the beginning is shown to them now."""
        stored = self._find_stored(obj.manifest)
        if stored is not None and self.manager.objects.get(obj.kind, obj.key) is None:
            taken = self.received(stored)
            if taken is stored:
                self.saw(taken)
            else:
                self.cluster.put(taken)
        return self.manager.objects.get(obj.kind, obj.key)

    def evict_by_api(self, pod: Pod) -> None:
        """Raises Refused."""
        found = self.manager.objects.get("Pod", pod.key)
        if found is not None:
            api = self.api()
            evict(found, api)
            self.carry_out(api.changes)

    # What the cluster tells

    def saw(self, obj: KubeObject) -> None:
        self.manager.put(obj.manifest, self.now)

    def lost(self, obj: KubeObject) -> None:
        self.manager.remove(obj.kind, obj.key, self.now)

    def _whole(self, obj: KubeObject) -> Manifest:
        """Its manifest, with what an API server always has: a namespace, a uid, the time of creation."""
        known = meta(obj.manifest)
        missing: dict[str, Any] = {}
        if obj.namespace and not known.get("namespace"):
            missing["namespace"] = obj.namespace
        if not known.get("uid"):
            missing["uid"] = obj.uid
        if not known.get("creationTimestamp"):
            missing["creationTimestamp"] = format_time(self.epoch)
        return with_meta(obj.manifest, **missing) if missing else obj.manifest

    # What actors say

    def step(self) -> Step | None:
        """Let one actor look at one object, and carry out what it says; None if none has a reason to look.

        A defect in carrying out the changes becomes the error of the outcome: the writes before it stay.
        """
        found = self.manager.next(self.now)
        if found is not None:
            try:
                self.carry_out(found.outcome.changes)
            except PASSED_ON:
                raise
            except Exception as error:  # the outcome carries it to whoever reports it
                found.outcome = failure_of(error)
        return found

    def carry_out(self, changes: Iterable[Change]) -> None:
        for change in changes:
            if isinstance(change, PutObject):
                self._write(change)
            elif isinstance(change, RemoveObject):
                self._remove(change.obj)
            else:
                about = self._find_stored(change.about) or _named(change.about)
                self.cluster.journal.event(about, change.type, change.reason, change.message, change.by)

    def _write(self, change: PutObject) -> None:
        manifest = self._admitted(change.obj) if change.at[0] == "Pod" else change.obj
        before = self.cluster.store.get(*change.at)
        obj = self._siblings.parse(manifest) if before is None else parse_version(manifest, before)
        if _is_whole(obj):
            self.cluster.keep(obj)
        else:
            self.cluster.put(obj)

    def _find_stored(self, obj: Manifest) -> KubeObject | None:
        found: KubeObject | None = self.cluster.store.get(kind(obj), key(obj))
        return found

    def _remove(self, obj: Manifest) -> None:
        found = self._find_stored(obj)
        if found is not None:
            self.cluster.delete(found)

    def _admitted(self, obj: Manifest) -> Manifest:
        """A pod, with what its priority class gives it."""
        of_pod = spec(obj)
        if "priority" in of_pod:
            return obj
        classes = self.cluster.store.list("PriorityClass")
        if not classes and not of_pod.get("priorityClassName"):
            return obj
        admitted, _ = admit_manifest(obj, classes, "")
        return admitted

    def evict(self, victim: Pod, message: str) -> None:
        """Preemption's victim: told so, and given its grace."""
        pod = self._known(victim)
        if pod is None:
            return
        api = self.api()
        marked = with_condition(pod, "DisruptionTarget", "True", "PreemptionByScheduler", message, self.now)
        api.delete(api.update_status(pod, marked["status"]))
        self.carry_out(api.changes)

    def dump(self) -> dict[str, Any]:
        version, state, gauss = self.chance.getstate()
        return {
            "actors": list(self.names),
            # One of before has no word of it.
            **({} if self.hashes == PLAIN else {"hashes": self.hashes}),
            **self.manager.dump(),
            "random": [version, list(state), gauss],
        }

    def load(self, data: Mapping[str, Any], objects: Iterable[KubeObject]) -> None:
        """The work that was waiting, over the objects that were there."""
        self.manager.load((self._whole(settled(obj)) for obj in objects), data)
        version, state, gauss = data["random"]
        self.chance.setstate((version, tuple(state), gauss))


def _is_whole(obj: KubeObject) -> bool:
    """Whether its manifest has what an API server adds; what actors write mostly is made of what has."""
    known = meta(obj.manifest)
    has_place = not obj.namespace or known.get("namespace")
    is_counted = known.get("generation") is not None or obj.kind in WITHOUT_GENERATION
    return bool(has_place and known.get("uid") and known.get("creationTimestamp") and is_counted)


def _named(obj: Manifest) -> KubeObject:
    """One that is no more: what an Event says of it."""
    known = meta(obj)
    namespace, uid = str(known.get("namespace", "")), str(known.get("uid", ""))
    return KubeObject(kind=kind(obj), name=str(known["name"]), namespace=namespace, uid=uid)


def _problem_of(manifest: Manifest) -> Problem | None:
    try:
        parse_object(manifest)
    except ObjectError as error:
        return error.problems[0]
    return None
