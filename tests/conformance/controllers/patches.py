"""Patches of manifests as an API server applies them. Source: RFC 7386, apimachinery strategicpatch."""

from collections.abc import Mapping, Sequence
from typing import Any

# Lists whose entries are known by a field. Source: patchMergeKey in the API's types.
_MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "volumes": "name",
    "env": "name",
    "volumeMounts": "mountPath",
    "ports": "containerPort",
    "ownerReferences": "uid",
    "conditions": "type",
    "topologySpreadConstraints": "topologyKey",
    "imagePullSecrets": "name",
}

# Of a map of which one field decides which others there are, a strategic patch says which may stay.
_RETAIN_KEYS = "$retainKeys"


def merged(value: Any, patch: Any, strategic: bool = True, field: str = "") -> Any:
    """Return the value after the patch; None in a patch removes a field."""
    if isinstance(patch, Mapping):
        return _merged_map(value if isinstance(value, Mapping) else {}, patch, strategic)
    if strategic and isinstance(patch, Sequence) and not isinstance(patch, str) and field in _MERGE_KEYS:
        return _merged_list(value or [], patch, _MERGE_KEYS[field])
    return patch


def _merged_map(value: Mapping[str, Any], patch: Mapping[str, Any], strategic: bool) -> dict[str, Any]:
    if patch.get("$patch") == "replace":
        return {key: one for key, one in patch.items() if key != "$patch"}
    named = patch.get(_RETAIN_KEYS) if strategic else None
    may_stay = named if isinstance(named, list) else value
    made = {key: one for key, one in value.items() if key in may_stay}
    for key, one in patch.items():
        if one is None:
            made.pop(key, None)
        elif not (strategic and key == _RETAIN_KEYS):
            made[key] = merged(made.get(key), one, strategic, key)
    return made


def _merged_list(value: Sequence[Any], patch: Sequence[Any], known_by: str) -> list[Any]:
    made = list(value)
    for one in patch:
        at = next((i for i, old in enumerate(made) if old.get(known_by) == one.get(known_by)), None)
        if one.get("$patch") == "delete":
            if at is not None:
                del made[at]
        elif at is None:
            made.append(one)
        else:
            made[at] = merged(made[at], one)
    return made


def taken_away(before: Any, after: Any) -> Any:
    """Return the patch that removes what `before` had and `after` lacks."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return {}
    patch: dict[str, Any] = {}
    for key, one in before.items():
        if key not in after:
            patch[key] = None
        elif isinstance(one, Mapping) and (inner := taken_away(one, after[key])):
            patch[key] = inner
    return patch
