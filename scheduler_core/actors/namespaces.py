"""Namespaces: everything in one that is deleted goes. Source: pkg/controller/namespace/deletion."""

from collections.abc import Iterable, Mapping

from scheduler_core.actors.api import NAMESPACE_FINALIZER, Api
from scheduler_core.actors.contract import ANY, EVERY_KIND, EVERYTHING, GONE, Backoff, Outcome, Wake, subject
from scheduler_core.actors.manifests import (
    Manifest,
    is_deleted,
    key,
    kind,
    name,
    namespace,
    status,
    with_status,
    without_finalizer,
)
from scheduler_core.actors.objects import View
from scheduler_core.sentences import say


class NamespaceActor:
    name = "namespace"
    kind = "Namespace"
    watches = EVERY_KIND
    heeds: Mapping[str, int] = {"Namespace": EVERYTHING, ANY: GONE}
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        if kind(obj) == self.kind:
            if new is not None and is_deleted(new):
                yield Wake(key(obj))
        elif new is None and namespace(obj):
            inside = view.get(self.kind, namespace(obj))
            if inside is not None and is_deleted(inside):
                yield Wake(namespace(obj))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if not is_deleted(obj):
            return Outcome()
        api = Api(view)
        if status(obj).get("phase") != "Terminating":
            obj = api.update(with_status(obj, {**status(obj), "phase": "Terminating"}))
        left = [one for of in view.objects.kinds for one in view.of_kind(of, name(obj))]
        for one in left:
            if not is_deleted(one):
                api.delete(one)
        if not left:
            api.update(without_finalizer(obj, NAMESPACE_FINALIZER))
        return Outcome(
            api.changes, say("Namespace {name} goes, and {count} objects in it", name=name(obj), count=len(left))
        )
