"""Where an object of a client's kind has the numbers of its Scale. Source: registry/customresource/validator.go."""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.writes.decode import go_text

_MOST = 2**31 - 1
_GO = {
    bool: "bool",
    int: "int64",
    float: "float64",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
}


def problems(value: Mapping[str, Any], scale: Mapping[str, str] | None) -> Iterator[Cause]:
    for name in ("specReplicasPath", "statusReplicasPath") if scale else ():
        path = str((scale or {}).get(name) or "")
        found, wrong = _at(value, path, int)
        if wrong:
            yield causes.invalid(path, 0, wrong)
        elif found is not None and found < 0:
            yield causes.invalid(path, found, "should be a non-negative integer")
        elif found is not None and found > _MOST:
            yield causes.invalid(path, found, f"should be less than or equal to {_MOST}")
    if scale and scale.get("labelSelectorPath"):
        _, wrong = _at(value, scale["labelSelectorPath"], str)
        if wrong:
            yield causes.invalid(scale["labelSelectorPath"], "", wrong)


def _at(value: Any, path: str, wanted: type) -> tuple[Any, str]:
    """What is there, if anything, or why that cannot be used. Source: unstructured.NestedInt64."""
    names = path.removeprefix(".").split(".")
    for number, name in enumerate(names):
        if not isinstance(value, Mapping):
            at = "." + ".".join(names[: number + 1])
            expected = "map[string]interface{}"
            return None, f"{at} accessor error: {go_text(value)} is of the type {_type(value)}, expected {expected}"
        if name not in value:
            return None, ""
        value = value[name]
    if type(value) is wanted:
        return value, ""
    expected = "int64" if wanted is int else "string"
    return None, f"{path} accessor error: {go_text(value)} is of the type {_type(value)}, expected {expected}"


def _type(value: Any) -> str:
    return "<nil>" if value is None else _GO[type(value)]
