"""The replicas and the selector of a custom resource's Scale. Source: registry/customresource/validator.go."""

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
        replicas, wrong = _at(value, path, int)
        if wrong:
            yield causes.invalid(path, 0, wrong)
        elif replicas is not None and replicas < 0:
            yield causes.invalid(path, replicas, "should be a non-negative integer")
        elif replicas is not None and replicas > _MOST:
            yield causes.invalid(path, replicas, f"should be less than or equal to {_MOST}")
    if scale and scale.get("labelSelectorPath"):
        _, wrong = _at(value, scale["labelSelectorPath"], str)
        if wrong:
            yield causes.invalid(scale["labelSelectorPath"], "", wrong)


def _at(value: Any, path: str, wanted: type) -> tuple[Any, str]:
    """Return the value at a path, None if it is absent, or the error of its type. Source: unstructured.NestedInt64."""
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
