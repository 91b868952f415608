"""The controller runtime of a simulated cluster: it notifies controllers of changes and applies their changes.

A cluster has a runtime while a command has switched controllers on. Then a bound pod waits for its kubelet, and a
deleted pod has its grace period.
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
    """The part of a simulated cluster that the controller runtime reads and changes."""

    store: ObjectStore
    journal: Journal
    now: float

    def put(self, obj: KubeObject) -> None: ...

    def put_complete(self, obj: KubeObject) -> None: ...

    def delete(self, obj: KubeObject) -> None: ...


class ControllerRuntime(Timer):
    """The controllers that are on, by their `names` in `kube_controllers.names`, and their manager.

    `hashes` selects the hash in generated names, one of `kube_controllers.hashing`. `epoch` is the start of virtual
    time in seconds since the Unix epoch. `random` is the random generator for names and uids.
    """

    def __init__(
        self,
        cluster: Cluster,
        names: Sequence[str],
        generator: Any,
        epoch: float,
        hashes: str,
        selects: Callable[[KubeObject], bool] = lambda obj: True,
    ) -> None:
        """`selects` chooses the stored objects that are in the controllers' cache from the beginning."""
        self.cluster, self.names, self.epoch, self.hashes = cluster, tuple(names), epoch, hashes
        self.random = generator
        self._siblings = SiblingParser()
        self.manager = Manager(make_controllers(names), generator, RECURRING)
        self.manager.problem_of, self.manager.hashes = _problem_of, HASHES[hashes]
        self.manager.on_defect = cluster.journal.record_defect
        for obj in filter(selects, list(cluster.store)):
            complete = self.with_server_fields(self.with_default_namespace(obj))
            if complete.key != obj.key:
                cluster.delete(obj)
            if complete is not obj:
                cluster.put(complete)
            self.notify_put(complete)

    @property
    def now(self) -> float:
        """The virtual time in seconds since the Unix epoch, as manifests contain it."""
        return self.epoch + self.cluster.now

    def next_time(self, until: float = math.inf) -> float:
        """Return the virtual time of the next requeued object."""
        return self.manager.work.next_time - self.epoch

    def next_change(self, until: float) -> float:
        """Return the first virtual time up to `until` at which a controller would change something."""
        return self.manager.next_change(self.epoch + until) - self.epoch

    def api(self) -> Api:
        return Api(self.manager.view(self.now))

    # Objects that users submit

    def with_default_namespace(self, obj: KubeObject) -> KubeObject:
        """Put an object of a namespaced kind into the default namespace if it names none."""
        if obj.namespace or obj.kind not in NAMESPACED:
            return obj
        return parse_object(with_meta(obj.manifest, namespace=DEFAULT_NAMESPACE))

    def with_server_fields(self, obj: KubeObject) -> KubeObject:
        """Return the object with the fields that an API server sets, and with those of its stored version.

        The manifest of the result is complete.
        """
        stored = self.cluster.store.get(obj.kind, obj.key)
        # A stored manifest is complete, unless it was stored while controllers were off.
        obj = settled(obj, stored if stored is not obj else None)
        manifest = self._complete_manifest(obj)
        before = self.manager.objects.get(kind(manifest), key(manifest))
        if before is None:
            if not meta(obj.manifest).get("uid"):
                manifest = defaulted(with_meta(manifest, generation=meta(manifest).get("generation", 1)))
        elif kind(manifest) in WITH_GENERATION and kind(manifest) != "Pod":
            manifest = self._with_status(manifest, before)
        return obj if manifest is obj.manifest else parse_object(manifest)

    def _with_status(self, manifest: Manifest, before: Manifest) -> Manifest:
        """Add status and generation of the version `before`, unless the manifest names its generation."""
        manifest = with_template_generation(manifest, before)
        if meta(manifest).get("generation") is not None:
            return manifest
        same = spec(manifest) == spec(before)
        generation = int(meta(before).get("generation") or 1) + (not same)
        stored_annotations = meta(before).get("annotations") or {}
        annotations = {**stored_annotations, **(meta(manifest).get("annotations") or {})} or None
        changed = with_meta(manifest, uid=meta(before)["uid"], generation=generation, annotations=annotations)
        return {**changed, "status": before.get("status") or {}}

    def delete(self, obj: KubeObject) -> None:
        """Delete an object for a user, with the grace period of pods and the finalizers of owners."""
        manifest = self._ensure_known(obj)
        if manifest is None:
            return
        api = self.api()
        api.delete(manifest)
        self.carry_out(api.changes)

    def _ensure_known(self, obj: KubeObject) -> Manifest | None:
        """Return the object from the controllers' cache, after adding it if `selects` left it out."""
        stored = self._find_stored(obj.manifest)
        if stored is not None and self.manager.objects.get(obj.kind, obj.key) is None:
            complete = self.with_server_fields(stored)
            if complete is stored:
                self.notify_put(complete)
            else:
                self.cluster.put(complete)
        return self.manager.objects.get(obj.kind, obj.key)

    def evict_by_api(self, pod: Pod) -> None:
        """Evict a pod through the Eviction API. Raise Refused."""
        manifest = self.manager.objects.get("Pod", pod.key)
        if manifest is not None:
            api = self.api()
            evict(manifest, api)
            self.carry_out(api.changes)

    # Watch events of the cluster

    def notify_put(self, obj: KubeObject) -> None:
        self.manager.put(obj.manifest, self.now)

    def notify_delete(self, obj: KubeObject) -> None:
        self.manager.remove(obj.kind, obj.key, self.now)

    def _complete_manifest(self, obj: KubeObject) -> Manifest:
        """Return the manifest with the metadata that an API server sets: namespace, uid, time of creation."""
        metadata = meta(obj.manifest)
        missing: dict[str, Any] = {}
        if obj.namespace and not metadata.get("namespace"):
            missing["namespace"] = obj.namespace
        if not metadata.get("uid"):
            missing["uid"] = obj.uid
        if not metadata.get("creationTimestamp"):
            missing["creationTimestamp"] = format_time(self.epoch)
        return with_meta(obj.manifest, **missing) if missing else obj.manifest

    # Changes that controllers make

    def step(self) -> Step | None:
        """Reconcile one object, and apply the changes; return None if nothing is due.

        1. Take the next due object of any controller's work queue.
        2. Let its controller reconcile it, which returns an outcome with changes.
        3. Apply the changes in order. A defect in a change ends this step and becomes the error of the outcome; the
           writes before it stay.
        """
        step = self.manager.next(self.now)
        if step is not None:
            try:
                self.carry_out(step.outcome.changes)
            except PASSED_ON:
                raise
            except Exception as error:  # the next record reports it
                step.outcome = failure_of(error)
        return step

    def carry_out(self, changes: Iterable[Change]) -> None:
        for change in changes:
            if isinstance(change, PutObject):
                self._write(change)
            elif isinstance(change, RemoveObject):
                self._remove(change.obj)
            else:
                about = self._find_stored(change.about) or _deleted_object(change.about)
                self.cluster.journal.event(about, change.type, change.reason, change.message, change.by)

    def _write(self, change: PutObject) -> None:
        manifest = self._with_priority(change.obj) if change.at[0] == "Pod" else change.obj
        before = self.cluster.store.get(*change.at)
        obj = self._siblings.parse(manifest) if before is None else parse_version(manifest, before)
        if _is_complete(obj):
            self.cluster.put_complete(obj)
        else:
            self.cluster.put(obj)

    def _find_stored(self, obj: Manifest) -> KubeObject | None:
        stored: KubeObject | None = self.cluster.store.get(kind(obj), key(obj))
        return stored

    def _remove(self, obj: Manifest) -> None:
        stored = self._find_stored(obj)
        if stored is not None:
            self.cluster.delete(stored)

    def _with_priority(self, obj: Manifest) -> Manifest:
        """Return the pod with the priority and preemption policy of its PriorityClass."""
        pod_spec = spec(obj)
        if "priority" in pod_spec:
            return obj
        classes = self.cluster.store.list("PriorityClass")
        if not classes and not pod_spec.get("priorityClassName"):
            return obj
        admitted, _ = admit_manifest(obj, classes, "")
        return admitted

    def evict(self, victim: Pod, message: str) -> None:
        """Delete a victim of preemption with its grace period, after setting its condition DisruptionTarget."""
        pod = self._ensure_known(victim)
        if pod is None:
            return
        api = self.api()
        marked = with_condition(pod, "DisruptionTarget", "True", "PreemptionByScheduler", message, self.now)
        api.delete(api.update_status(pod, marked["status"]))
        self.carry_out(api.changes)

    def dump(self) -> dict[str, Any]:
        version, state, gauss = self.random.getstate()
        return {
            "actors": list(self.names),
            # Checkpoints from before this field was added have plain hashes.
            **({} if self.hashes == PLAIN else {"hashes": self.hashes}),
            **self.manager.dump(),
            "random": [version, list(state), gauss],
        }

    def load(self, data: Mapping[str, Any], objects: Iterable[KubeObject]) -> None:
        """Restore the work queues of the checkpoint `data` over its `objects`."""
        self.manager.load((self._complete_manifest(settled(obj)) for obj in objects), data)
        version, state, gauss = data["random"]
        self.random.setstate((version, tuple(state), gauss))


def _is_complete(obj: KubeObject) -> bool:
    """Return whether the manifest has all fields that an API server sets, as in most writes of controllers."""
    metadata = meta(obj.manifest)
    has_namespace = not obj.namespace or metadata.get("namespace")
    has_generation = metadata.get("generation") is not None or obj.kind in WITHOUT_GENERATION
    return bool(has_namespace and metadata.get("uid") and metadata.get("creationTimestamp") and has_generation)


def _deleted_object(obj: Manifest) -> KubeObject:
    """Return a reference to an object that was deleted, for an Event about it."""
    metadata = meta(obj)
    namespace, uid = str(metadata.get("namespace", "")), str(metadata.get("uid", ""))
    return KubeObject(kind=kind(obj), name=str(metadata["name"]), namespace=namespace, uid=uid)


def _problem_of(manifest: Manifest) -> Problem | None:
    try:
        parse_object(manifest)
    except ObjectError as error:
        return error.problems[0]
    return None
