"""Objects come, change and go."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from kube_controllers.garbage_collector.owners import without_owners
from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from kube_objects.sentences import Template, say
from kube_objects.serialize import manifest_of
from kube_objects.text.problems import Problem
from simulator.simulation import objects
from simulator.simulation.commands.command import Command, CommandError, Label, Payload, restore
from simulator.simulation.commands.fields import Flag, Objects, Text, Texts
from simulator.simulation.journal import Record
from simulator.simulation.ownerless import left_alone
from simulator.simulation.timeline import Timeline


def _parsed(simulation: Timeline, manifests: Sequence[Mapping[str, Any]]) -> Sequence[KubeObject]:
    parsed = objects.parse_all(manifests, simulation.cluster.store)
    life = simulation.cluster.life
    return parsed if life is None else [life.in_namespace(obj) for obj in parsed]


def create(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    new = _parsed(simulation, payload["objects"])
    objects.check_new(new, simulation.cluster.store)
    return _write(simulation, new)


def update(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    store = simulation.cluster.store
    changed = _parsed(simulation, payload["objects"])
    objects.check_unchanged(changed, payload.get("unchanged", ()), store)
    if "read" in payload:
        # Imported late, because only edits of the page have it, and it imports the controllers' admission.
        from simulator.simulation import concurrent_changes

        read = _parsed(simulation, payload["read"])
        merged = concurrent_changes.merge_changes(changed, read, store, overwrites=bool(payload.get("overwrite")))
        changed = _parsed(simulation, merged)
    objects.check_changed(changed, store)
    if payload.get("as_cluster"):
        objects.check_as_cluster(changed, store)
    return _write(simulation, changed)


def recreate(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    """Each object deleted and created again, as `kubectl replace --force` does: pods wait for a node anew."""
    store = simulation.cluster.store
    gone = objects.check_pods(objects.parse_all(payload["objects"], store), store)
    fresh = [objects.anew(obj, simulation.seq, simulation.given.get((obj.kind, obj.key))) for obj in gone]
    made = objects.parse_all(fresh, store)
    before = [store.get(obj.kind, obj.key) or obj for obj in gone]
    claims = [claim for obj, new in zip(before, fresh, strict=True) for claim in objects.claims_anew(obj, new, store)]
    owned = objects.parse_all(claims, store)

    def carry_out() -> Iterator[Record]:
        for claim in owned:
            simulation.cluster.put(claim)
        for obj in gone:
            simulation.cluster.delete(store.get(obj.kind, obj.key) or obj)
        yield from _write(simulation, made)
        yield from simulation.settle()

    return carry_out()


def delete(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    gone = objects.find_all(payload["objects"], simulation.cluster.store)
    objects.check_unchanged(gone, payload.get("unchanged", ()), simulation.cluster.store)

    def carry_out() -> Iterator[Record]:
        _remove(simulation, gone, at_once=bool(payload.get("at_once")))
        yield simulation.record("objects", counts=objects.count(gone))
        yield from simulation.settle()

    return carry_out()


def orphan(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    left = left_alone(list(simulation.cluster.store))
    if not left:
        raise CommandError([Problem("kind", payload["kind"], say("nothing has an owner that is not here"))])
    return _write(
        simulation, objects.parse_all([without_owners(manifest_of(obj)) for obj in left], simulation.cluster.store)
    )


def restore_objects(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    """Restore objects to their state before a change: recreate deleted ones, and delete new ones."""
    store = simulation.cluster.store
    parsed = objects.parse_all(payload.get("objects", ()), store)
    exactly = bool(payload.get("placed"))
    back = parsed if exactly else [objects.as_it_is_placed(obj, store) for obj in parsed]
    elsewhere = [pod for obj in back if (pod := objects.elsewhere(obj, store)) is not None]
    gone = objects.find_left(payload.get("delete", ()), store)
    if not back and not gone:
        raise CommandError([Problem("delete", None, say("nothing of it is there any more"))])

    def carry_out() -> Iterator[Record]:
        _remove(simulation, [*gone, *elsewhere])
        _put(simulation, back)
        yield simulation.record("objects", counts=objects.count([*gone, *back]))
        yield from simulation.settle()

    return carry_out()


def _write(simulation: Timeline, new: Sequence[KubeObject]) -> Iterator[Record]:
    _put(simulation, new)
    yield simulation.record("objects", counts=objects.count(new))
    if simulation.cluster.life is not None:
        yield from simulation.settle()


def _put(simulation: Timeline, new: Sequence[KubeObject]) -> None:
    # Namespaces, nodes and storage first: a pod's hints and filters look at them.
    for obj in sorted(new, key=lambda obj: isinstance(obj, Pod)):
        simulation.remember(obj)
        simulation.cluster.put(obj)


def _remove(simulation: Timeline, gone: Sequence[KubeObject], *, at_once: bool = False) -> None:
    """`at_once`: whoever deletes them has waited for what they were to wait for."""
    for obj in gone:
        simulation.given.pop((obj.kind, obj.key), None)
        # As it is by now: pods that waited at Permit may have got their nodes meanwhile.
        live = simulation.cluster.store.get(obj.kind, obj.key) or obj
        if simulation.cluster.life is not None and not at_once:
            simulation.cluster.life.delete(live)
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
    given: Sequence[Mapping[str, Any]] = payload["objects"]
    if len(given) > 1:
        return _SEVERAL[kind], {"n": len(given)}
    (obj,) = given
    about = obj if kind == "delete" else obj.get("metadata") or {}
    if not isinstance(about, Mapping):
        return _ONE[kind], {"what": "an object"}
    parts = [about.get("namespace"), about.get("name")]
    return _ONE[kind], {"what": f"{obj.get('kind')} {'/'.join(str(part) for part in parts if part)}"}


def _label_of_restore(payload: Payload) -> Label:
    return Template("restore {n} objects"), {"n": len(payload.get("objects", ())) + len(payload.get("delete", ()))}


_DIGESTS = Texts(Text(64))
# What names an object.
_NAMED = "{kind, namespace?, name}"

_change = partial(Command, record="objects", inverse=restore, outlives_reset=True)

COMMANDS = (
    _change(
        kind="create",
        about="adds objects; all or none",
        required={"objects": Objects()},
        prepare=create,
        label=partial(_label, "create"),
        is_stored=True,
    ),
    _change(
        kind="update",
        about=(
            "replaces objects of the same kind and key; with `as_cluster: true` only what an API server lets be "
            "changed of a pod; with `unchanged` only objects whose stored manifests have these SHA-256 digests. With "
            "`read`, the objects as the editor read them, only the fields that differ from these are changed; a field "
            "that has changed since is refused, unless `overwrite: true`"
        ),
        required={"objects": Objects()},
        optional={"as_cluster": Flag(), "unchanged": _DIGESTS, "read": Objects(), "overwrite": Flag()},
        prepare=update,
        label=partial(_label, "update"),
        is_stored=True,
    ),
    _change(
        kind="recreate",
        about=(
            "deletes these pods and creates them again, as `kubectl replace --force` does: each waits for a node anew"
        ),
        required={"objects": Objects()},
        prepare=recreate,
        label=partial(_label, "recreate"),
        is_stored=True,
    ),
    _change(
        kind="delete",
        about=(
            "removes objects; where actors are at work pods are given their grace and owners wait for finalizers, "
            "unless `at_once: true`; with `unchanged` only objects whose stored manifests have these SHA-256 digests"
        ),
        required={"objects": Objects(_NAMED)},
        optional={"at_once": Flag(), "unchanged": _DIGESTS},
        prepare=delete,
        label=partial(_label, "delete"),
    ),
    _change(
        kind="orphan",
        about=(
            "what has an owner that is not here has none any more, so that controllers leave it where it is: without "
            "this the garbage collector deletes it once it is at work"
        ),
        prepare=orphan,
        label=lambda _: (Template("let go of owners that are not here"), {}),
    ),
    _change(
        kind="restore",
        about=(
            "objects as they were before a change: what is there is replaced, what is gone created, what has come "
            "deleted if it is there; a pod stays where it has got to since, or with `placed: true` is back where it "
            "was, and waits again if it had no node. The inverse of changes, for undo"
        ),
        optional={"objects": Objects(), "delete": Objects(_NAMED), "placed": Flag()},
        prepare=restore_objects,
        label=_label_of_restore,
        is_stored=True,
    ),
)
