"""Merge an edit of objects with changes that another client made since the editor read them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_controllers.admission import WITH_GENERATION
from kube_objects.meta import KubeObject
from kube_objects.sentences import say
from kube_objects.serialize import manifest_of
from kube_objects.text.problems import Problem
from simulator.simulation.commands.command import CommandError
from simulator.simulation.store import ObjectStore

Manifest = Mapping[str, Any]
_MISSING: Any = object()
_IDENTITY = ("name", "type", "key", "uid", "ip")
# The longest value in the message about a conflict, in characters.
_SHOWN_CONFLICT = 200
_canonical = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode


@dataclass(frozen=True, slots=True)
class Conflict:
    """A field that both the editor and another client changed. `sent` and `live` are None for a missing field."""

    path: str
    sent: object
    live: object


def merge_changes(
    sent: Sequence[KubeObject], read: Sequence[KubeObject], store: ObjectStore, *, overwrites: bool
) -> list[Manifest]:
    """Return the manifests of the stored objects with the differences between `read` and `sent`.

    Raise CommandError for fields that another client changed to a different value, unless `overwrites`.
    """
    before = {(obj.kind, obj.key): obj for obj in read}
    problems: list[Problem] = []
    changed: list[Manifest] = []
    for i, obj in enumerate(sent):
        base, live = before.get((obj.kind, obj.key)), store.get(obj.kind, obj.key)
        if base is None or live is None:
            changed.append(manifest_of(obj))
            continue
        if base.uid != live.uid and not overwrites:
            rule = say("{kind} has been deleted and created again since it was read", kind=obj.kind)
            problems.append(Problem(f"objects[{i}].metadata.uid", obj.key, rule, is_conflict=True))
        merged, conflicts = merge(*(manifest_of(version) for version in (base, obj, live)))
        changed.append(_with_next_generation(live, merged))
        problems += [] if overwrites else [_conflict(i, conflict) for conflict in conflicts]
    if problems:
        raise CommandError(problems)
    return changed


def _with_next_generation(live: KubeObject, changed: Manifest) -> Manifest:
    """Return the changed manifest, with the next generation if its spec has changed."""
    before = manifest_of(live)
    generation = before["metadata"].get("generation")
    if generation is None or live.kind not in WITH_GENERATION or changed.get("spec") == before.get("spec"):
        return changed
    return {**changed, "metadata": {**changed["metadata"], "generation": generation + 1}}


def _conflict(i: int, conflict: Conflict) -> Problem:
    rule = say(
        "has changed to {live} since it was read; you wrote {sent}",
        live=_in_brief(conflict.live),
        sent=_in_brief(conflict.sent),
    )
    hint = say("overwrite it, or write the new value")
    return Problem(f"objects[{i}].{conflict.path}", None, rule, hint, is_conflict=True)


def _in_brief(value: object) -> str:
    if value is None:
        return say("nothing")
    text = _canonical(value)
    return text if len(text) <= _SHOWN_CONFLICT else f"{text[:_SHOWN_CONFLICT]}…"


def merge(read: Any, sent: Any, live: Any) -> tuple[Any, list[Conflict]]:
    """Merge three versions of a value: apply the differences between `read` and `sent` to `live`.

    Return the merged value and the fields that both sides changed. A field in conflict has the value of `sent`. Lists
    are merged item by item if all three have the same items.
    """
    conflicts: list[Conflict] = []
    return _merged(read, sent, live, "", conflicts), conflicts


def _merged(read: Any, sent: Any, live: Any, path: str, conflicts: list[Conflict]) -> Any:
    if sent == read:
        return live
    if live in (read, sent):
        return sent
    if isinstance(sent, Mapping) and isinstance(live, Mapping):
        before = read if isinstance(read, Mapping) else {}
        fields = {}
        for name in _names(sent, live):
            read_value, sent_value, live_value = (side.get(name, _MISSING) for side in (before, sent, live))
            fields[name] = _merged(read_value, sent_value, live_value, f"{path}.{name}".lstrip("."), conflicts)
        return {name: item for name, item in fields.items() if item is not _MISSING}
    if all(isinstance(side, list) for side in (read, sent, live)) and _have_same_items(read, sent, live):
        items = enumerate(zip(read, sent, live, strict=True))
        return [_merged(*three, f"{path}[{number}]", conflicts) for number, three in items]
    conflicts.append(Conflict(path, *(None if side is _MISSING else side for side in (sent, live))))
    return sent


def _names(sent: Mapping[str, Any], live: Mapping[str, Any]) -> Iterator[str]:
    yield from sent
    yield from (name for name in live if name not in sent)


def _have_same_items(*lists: list[Any]) -> bool:
    identities = [[_identity(item) for item in items] for items in lists]
    return None not in identities[0] and identities[0] == identities[1] == identities[2]


def _identity(item: Any) -> object:
    """Return the field that identifies an item of a list, with its value; None if there is none."""
    if not isinstance(item, Mapping):
        return None
    return next(((name, str(item[name])) for name in _IDENTITY if name in item), None)
