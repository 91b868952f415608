"""Commands that create, update, recreate, delete, orphan and restore objects."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from kube_controllers.garbage_collector.owners import without_owners
from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from kube_objects.sentences import Template, say
from kube_objects.serialize import manifest_of
from kube_objects.text.problems import Problem
from simulator.simulation import object_changes
from simulator.simulation.commands.command import Command, CommandError, Label, Payload, restore
from simulator.simulation.commands.fields import Flag, ObjectList, Text, TextList
from simulator.simulation.journal import Record
from simulator.simulation.ownerless import find_ownerless
from simulator.simulation.timeline import Timeline


def _parsed(simulation: Timeline, manifests: Sequence[Mapping[str, Any]]) -> Sequence[KubeObject]:
    parsed = object_changes.parse_all(manifests, simulation.cluster.store)
    life = simulation.cluster.controllers
    return parsed if life is None else [life.with_default_namespace(obj) for obj in parsed]


def create(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    new = _parsed(simulation, payload["objects"])
    object_changes.check_new(new, simulation.cluster.store)
    return _write(simulation, new)


def update(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    store = simulation.cluster.store
    changed = _parsed(simulation, payload["objects"])
    object_changes.check_unchanged(changed, payload.get("unchanged", ()), store)
    if "read" in payload:
        # Imported late, because only edits in the UI need it, and it imports the admission of controllers.
        from simulator.simulation import concurrent_changes

        read = _parsed(simulation, payload["read"])
        merged = concurrent_changes.merge_changes(changed, read, store, overwrites=bool(payload.get("overwrite")))
        changed = _parsed(simulation, merged)
    object_changes.check_changed(changed, store)
    if payload.get("as_cluster"):
        object_changes.check_as_cluster(changed, store)
    return _write(simulation, changed)


def recreate(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    """Delete pods and create them again, as `kubectl replace --force` does.

    1. Make the manifests of the new pods, which have new uids and no status.
    2. Change the owner of generated claims to the new pods, so that deletion keeps them.
    3. Delete the old pods, and create the new ones.
    """
    store = simulation.cluster.store
    pods = object_changes.check_pods(object_changes.parse_all(payload["objects"], store), store)
    submitted = [simulation.submitted.get((pod.kind, pod.key)) for pod in pods]
    fresh = [
        object_changes.recreated_manifest(pod, simulation.seq, earlier)
        for pod, earlier in zip(pods, submitted, strict=True)
    ]
    new_pods = object_changes.parse_all(fresh, store)
    stored = [store.get(pod.kind, pod.key) or pod for pod in pods]
    claims = [
        claim
        for pod, manifest in zip(stored, fresh, strict=True)
        for claim in object_changes.recreated_claims(pod, manifest, store)
    ]
    new_claims = object_changes.parse_all(claims, store)

    def carry_out() -> Iterator[Record]:
        for claim in new_claims:
            simulation.cluster.put(claim)
        for pod in pods:
            simulation.cluster.delete(store.get(pod.kind, pod.key) or pod)
        yield from _write(simulation, new_pods)
        yield from simulation.settle()

    return carry_out()


def delete(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    gone = object_changes.find_all(payload["objects"], simulation.cluster.store)
    object_changes.check_unchanged(gone, payload.get("unchanged", ()), simulation.cluster.store)

    def carry_out() -> Iterator[Record]:
        _remove(simulation, gone, at_once=bool(payload.get("at_once")))
        yield simulation.record("objects", counts=object_changes.count_by_kind(gone))
        yield from simulation.settle()

    return carry_out()


def orphan(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    """Remove the owner references of objects whose owners don't exist."""
    store = simulation.cluster.store
    ownerless = find_ownerless(list(store))
    if not ownerless:
        raise CommandError([Problem("kind", payload["kind"], say("no object has a missing owner"))])
    return _write(simulation, object_changes.parse_all([without_owners(manifest_of(obj)) for obj in ownerless], store))


def restore_objects(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    """Restore objects to their state before a change, to undo it.

    1. Take the earlier manifests. Unless `placed`, pods get the node that they have now.
    2. Delete the objects that the change created, and pods whose node differs from the earlier one.
    3. Put the earlier objects back.
    """
    store = simulation.cluster.store
    parsed = object_changes.parse_all(payload.get("objects", ()), store)
    restores_nodes = bool(payload.get("placed"))
    back = parsed if restores_nodes else [object_changes.with_current_placement(obj, store) for obj in parsed]
    moved = [pod for obj in back if (pod := object_changes.find_moved_pod(obj, store)) is not None]
    gone = object_changes.find_existing(payload.get("delete", ()), store)
    if not back and not gone:
        raise CommandError([Problem("delete", None, say("none of its objects exist any more"))])

    def carry_out() -> Iterator[Record]:
        _remove(simulation, [*gone, *moved])
        _put(simulation, back)
        yield simulation.record("objects", counts=object_changes.count_by_kind([*gone, *back]))
        yield from simulation.settle()

    return carry_out()


def _write(simulation: Timeline, new: Sequence[KubeObject]) -> Iterator[Record]:
    _put(simulation, new)
    yield simulation.record("objects", counts=object_changes.count_by_kind(new))
    if simulation.cluster.controllers is not None:
        yield from simulation.settle()


def _put(simulation: Timeline, new: Sequence[KubeObject]) -> None:
    # Pods come last, because their filters and queueing hints read namespaces, nodes and storage.
    for obj in sorted(new, key=lambda obj: isinstance(obj, Pod)):
        simulation.store_submitted(obj)
        simulation.cluster.put(obj)


def _remove(simulation: Timeline, gone: Sequence[KubeObject], *, at_once: bool = False) -> None:
    """Delete objects. `at_once` skips grace periods and finalizers, because the client has waited for them."""
    for obj in gone:
        simulation.submitted.pop((obj.kind, obj.key), None)
        # The stored version may differ: a deletion before it in the list may have let pods bind.
        live = simulation.cluster.store.get(obj.kind, obj.key) or obj
        if simulation.cluster.controllers is not None and not at_once:
            simulation.cluster.controllers.delete(live)
        else:
            simulation.cluster.delete(live)


_ONE = {
    "create": Template("create {what}"),
    "update": Template("update {what}"),
    "recreate": Template("recreate {what}"),
    "delete": Template("delete {what}"),
}
_SEVERAL = {
    "create": Template("create {n} objects"),
    "update": Template("update {n} objects"),
    "recreate": Template("recreate {n} objects"),
    "delete": Template("delete {n} objects"),
}


def _label(kind: str, payload: Payload) -> Label:
    manifests: Sequence[Mapping[str, Any]] = payload["objects"]
    if len(manifests) > 1:
        return _SEVERAL[kind], {"n": len(manifests)}
    (obj,) = manifests
    about = obj if kind == "delete" else obj.get("metadata") or {}
    if not isinstance(about, Mapping):
        return _ONE[kind], {"what": "an object"}
    parts = [about.get("namespace"), about.get("name")]
    return _ONE[kind], {"what": f"{obj.get('kind')} {'/'.join(str(part) for part in parts if part)}"}


def _label_of_restore(payload: Payload) -> Label:
    return Template("restore {n} objects"), {"n": len(payload.get("objects", ())) + len(payload.get("delete", ()))}


_DIGESTS = TextList(Text(64))
# The form of a reference to an object.
_REFERENCE = "{kind, namespace?, name}"

_change = partial(Command, record="objects", inverse=restore, outlives_reset=True)

COMMANDS = (
    _change(
        kind="create",
        about="creates objects, all or none",
        required={"objects": ObjectList()},
        prepare=create,
        label=partial(_label, "create"),
        is_stored=True,
    ),
    _change(
        kind="update",
        about="replaces objects of the same kind and key; see [Objects](#objects)",
        required={"objects": ObjectList()},
        optional={"as_cluster": Flag(), "unchanged": _DIGESTS, "read": ObjectList(), "overwrite": Flag()},
        prepare=update,
        label=partial(_label, "update"),
        is_stored=True,
    ),
    _change(
        kind="recreate",
        about="deletes Pods and creates them again, as `kubectl replace --force` does",
        required={"objects": ObjectList()},
        prepare=recreate,
        label=partial(_label, "recreate"),
        is_stored=True,
    ),
    _change(
        kind="delete",
        about="deletes objects; see [Objects](#objects)",
        required={"objects": ObjectList(_REFERENCE)},
        optional={"at_once": Flag(), "unchanged": _DIGESTS},
        prepare=delete,
        label=partial(_label, "delete"),
    ),
    _change(
        kind="orphan",
        about="removes owner references to missing objects, so that the garbage collector keeps the dependents",
        prepare=orphan,
        label=lambda _: (Template("remove owner references to missing objects"), {}),
    ),
    _change(
        kind="restore",
        about="restores objects to an earlier state, for undo; see [Objects](#objects)",
        optional={"objects": ObjectList(), "delete": ObjectList(_REFERENCE), "placed": Flag()},
        prepare=restore_objects,
        label=_label_of_restore,
        is_stored=True,
    ),
)
