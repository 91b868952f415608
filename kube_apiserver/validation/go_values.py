"""Values as Go prints its internal types, with every field by its Go name. The types come from `data/go_types.json`."""

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_objects.quantity import QuantityError, parse_quantity

Object = Mapping[str, Any]

_DATA = Path(__file__).parents[1] / "data" / "go_types.json"
_ZERO: Mapping[str, Any] = {"string": "", "bool": False, "int": 0, "int32": 0, "int64": 0, "float64": 0}
_OUTSIDE = re.compile(r"^(?:metav1|resource|intstr|types)\.")


class Ordered(dict[str, Any]):
    """An object whose keys keep their order in error messages."""


@cache
def _load_types() -> Mapping[str, Any]:
    types: Mapping[str, Any] = json.loads(_DATA.read_text(encoding="utf-8"))
    return types


def to_go_value(kind: str, json_value: Object, above: Object | None = None) -> Ordered:
    """Return a value of the internal type `kind`, built from its JSON form. `above` is the object that contains it."""
    result = Ordered()
    for go, name, type_name in _load_types()[kind]:
        if not go and type_name in _load_types():
            result.update(to_go_value(type_name, json_value, above))
        elif not go:
            # Metadata is printed in its JSON form.
            result.update({key: item for key, item in (json_value.get("metadata") or {}).items() if item})
        elif name.startswith("../"):
            result[go] = _to_go_field(type_name, (above or {}).get(name[3:]), json_value)
        else:
            result[go] = _to_go_field(type_name, json_value.get(name), json_value)
    return result


def to_go_selector(label_selector: Object) -> Ordered:
    """Return a label selector in its JSON form, with sorted labels and without empty fields."""
    result = Ordered()
    if label_selector.get("matchLabels"):
        result["matchLabels"] = dict(sorted(label_selector["matchLabels"].items()))
    if label_selector.get("matchExpressions"):
        result["matchExpressions"] = [
            Ordered(
                {
                    "key": each.get("key") or "",
                    "operator": each.get("operator") or "",
                    **({"values": each["values"]} if each.get("values") else {}),
                }
            )
            for each in label_selector["matchExpressions"]
        ]
    return result


def validate_selector_unchanged(was: Object | None, is_now: Object | None) -> Iterator[Cause]:
    """Yield a cause if an update changes a workload's selector, which is immutable."""
    old, new = (None if each is None else to_go_selector(each) for each in (was, is_now))
    if old != new:
        yield causes.invalid("spec.selector", new, causes.IMMUTABLE)


def to_go_template(pod_template: Object) -> Ordered:
    return to_go_value("PodTemplateSpec", pod_template)


def diff_values(kind: str, was: Object, is_now: Object) -> str:
    """Return the difference between two values as upstream prints it, or "" if they are equal.

    Source: apimachinery/pkg/util/diff.
    """
    values = [to_go_value(kind, each) for each in (was, is_now)]
    if values[0] == values[1]:
        return ""
    old, new = (json.dumps(each, indent=1, ensure_ascii=False).split("\n") for each in values)
    lines = list(difflib.unified_diff(old, new, lineterm="", n=3))[2:]
    return "".join(f"{line}\n" for line in lines)


def diff_pod_specs(live: Object, changed: Object) -> str:
    """Return the difference between the specs of two Pods, without the fields that an update may change."""
    old_spec, new_spec = live.get("spec") or {}, dict(changed.get("spec") or {})
    for name in ("tolerations", "activeDeadlineSeconds", "schedulingGates"):
        _restore_field(new_spec, old_spec, name)
    if (old_spec.get("terminationGracePeriodSeconds") or 0) < 0 and new_spec.get("terminationGracePeriodSeconds") == 1:
        _restore_field(new_spec, old_spec, "terminationGracePeriodSeconds")
    if old_spec.get("schedulingGates"):
        # Other checks report how an update narrows a Pod that still has scheduling gates.
        _restore_field(new_spec, old_spec, "nodeSelector")
        affinity = dict(new_spec.get("affinity") or {})
        _restore_field(affinity, old_spec.get("affinity") or {}, "nodeAffinity")
        new_spec["affinity"] = affinity or (None if not old_spec.get("affinity") else {})
    for part in ("containers", "initContainers"):
        if new_spec.get(part):
            pairs = zip(new_spec[part], old_spec.get(part) or (), strict=False)
            new_spec[part] = [{**mine, "image": there.get("image")} for mine, there in pairs]
    return diff_values("PodSpec", old_spec, new_spec)


def _to_canonical_quantity(json_value: Any) -> Any:
    """Return a quantity as Go prints it. Imported objects may have numbers and other forms."""
    try:
        return None if json_value is None else str(parse_quantity(str(json_value)))
    except QuantityError:
        return json_value


def _restore_field(new: dict[str, Any], old: Object, name: str) -> None:
    new.pop(name, None)
    if name in old:
        new[name] = old[name]


def _to_go_field(kind: str, json_value: Any, above: Object) -> Any:
    if kind.startswith("*"):
        return None if json_value is None else _to_go_field(kind[1:], json_value, above)
    if kind.startswith("[]"):
        return [_to_go_field(kind[2:], each, above) for each in json_value] if isinstance(json_value, list) else None
    if kind.startswith("map[string]") and kind[11:] in _load_types():
        items = sorted(json_value.items()) if isinstance(json_value, Mapping) else None
        return None if items is None else Ordered((name, _to_go_field(kind[11:], each, above)) for name, each in items)
    if kind == "resource.Quantity":
        return _to_canonical_quantity(json_value)
    if kind.startswith("map[") or kind == "ResourceList":
        if not isinstance(json_value, Mapping):
            return None
        has_quantities = kind == "ResourceList" or kind.endswith("]resource.Quantity")
        return {
            name: _to_canonical_quantity(each) if has_quantities else each for name, each in sorted(json_value.items())
        }
    if kind in _ZERO:
        return _ZERO[kind] if json_value is None else json_value
    if kind == "metav1.LabelSelector":
        return to_go_selector(json_value if isinstance(json_value, Mapping) else {})
    if kind in _load_types():
        return to_go_value(kind, json_value if isinstance(json_value, Mapping) else {}, above)
    return json_value
