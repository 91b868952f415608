"""Where a pod may run: tolerations, affinity, spreading, gates. Source: pkg/apis/core/validation/validation.go."""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation.metadata import broken, label_selector, labels
from kube_objects import names

Object = Mapping[str, Any]

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_REQUIRED, _PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)
_EMPTY = "can not be empty"
_WEIGHT = "must be in the range 1-100"
_POLICIES = ("Honor", "Ignore")


def tolerations(given: Any, path: str) -> Iterator[Cause]:
    for number, each in enumerate(given or ()):
        at, key, operator = f"{path}[{number}]", str(each.get("key") or ""), each.get("operator") or ""
        effect, value = each.get("effect") or "", str(each.get("value") or "")
        if key:
            yield from broken(f"{at}.key", key, names.qualified_name(key))
        if not key and operator != "Exists":
            detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            yield causes.invalid(f"{at}.operator", operator, detail)
        if each.get("tolerationSeconds") is not None and effect != "NoExecute":
            yield causes.invalid(f"{at}.effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
        if operator in ("Equal", ""):
            yield from (
                causes.invalid(f"{at}.operator", value, rule) for rule in filter(None, [names.label_value(value)])
            )
        elif operator == "Exists":
            if value:
                yield causes.invalid(f"{at}.operator", value, "value must be empty when `operator` is 'Exists'")
        else:
            known = ("Equal", "Exists", "Lt", "Gt") if operator in ("Lt", "Gt") else ("Equal", "Exists")
            yield causes.unsupported(f"{at}.operator", operator, known)
        if effect and effect not in EFFECTS:
            yield causes.unsupported(f"{at}.effect", effect, EFFECTS)


def affinity(given: Any, path: str) -> Iterator[Cause]:
    given = given or {}
    yield from _node_affinity(given.get("nodeAffinity") or {}, f"{path}.nodeAffinity")
    for name in ("podAffinity", "podAntiAffinity"):
        part = given.get(name) or {}
        for number, term in enumerate(part.get(_REQUIRED) or ()):
            yield from _pod_term(term, f"{path}.{name}.{_REQUIRED}[{number}]")
        for number, each in enumerate(part.get(_PREFERRED) or ()):
            at = f"{path}.{name}.{_PREFERRED}[{number}]"
            if not 1 <= int(each.get("weight") or 0) <= 100:
                yield causes.invalid(f"{at}.weight", each.get("weight") or 0, _WEIGHT)
            yield from _pod_term(each.get("podAffinityTerm") or {}, f"{at}.podAffinityTerm")


def _node_affinity(given: Object, path: str) -> Iterator[Cause]:
    required = given.get(_REQUIRED)
    if required is not None:
        yield from node_selector(required, f"{path}.{_REQUIRED}")
    for number, each in enumerate(given.get(_PREFERRED) or ()):
        at = f"{path}.{_PREFERRED}[{number}]"
        if not 1 <= int(each.get("weight") or 0) <= 100:
            yield causes.invalid(f"{at}.weight", each.get("weight") or 0, _WEIGHT)
        yield from _node_term(each.get("preference") or {}, f"{at}.preference", is_required=False)


def node_selector(given: Object, path: str) -> Iterator[Cause]:
    terms = given.get("nodeSelectorTerms") or ()
    if not terms:
        yield causes.required(f"{path}.nodeSelectorTerms", "must have at least one node selector term")
    for number, term in enumerate(terms):
        yield from _node_term(term, f"{path}.nodeSelectorTerms[{number}]")


def _node_term(term: Object, path: str, *, is_required: bool = True) -> Iterator[Cause]:
    """What is only preferred may have any values."""
    for number, each in enumerate(term.get("matchExpressions") or ()):
        at = f"{path}.matchExpressions[{number}]"
        yield from _node_requirement(each, at)
        for place, value in enumerate((each.get("values") or ()) if is_required else ()):
            yield from broken(f"{at}.values[{place}]", value, names.label_value(str(value)))
    for number, each in enumerate(term.get("matchFields") or ()):
        yield from _field_requirement(each, f"{path}.matchFields[{number}]")


def _node_requirement(each: Object, path: str) -> Iterator[Cause]:
    operator, values = each.get("operator") or "", each.get("values") or []
    if operator in ("In", "NotIn"):
        if not values:
            yield causes.required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            yield causes.forbidden(
                f"{path}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            )
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            yield causes.required(f"{path}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'")
    else:
        yield causes.invalid(f"{path}.operator", operator, "not a valid selector operator")
    yield from broken(f"{path}.key", str(each.get("key") or ""), names.qualified_name(str(each.get("key") or "")))


def _field_requirement(each: Object, path: str) -> Iterator[Cause]:
    operator, values = each.get("operator") or "", each.get("values") or []
    if operator in ("In", "NotIn"):
        if len(values) != 1:
            yield causes.required(
                f"{path}.values", "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
            )
    else:
        yield causes.invalid(f"{path}.operator", operator, "not a valid selector operator")
    if each.get("key") != "metadata.name":
        yield causes.invalid(f"{path}.key", each.get("key") or "", "not a valid field selector key")
        return
    for number, value in enumerate(values):
        yield from broken(f"{path}.values[{number}]", value, names.dns_subdomain(str(value)))


def _pod_term(term: Object, path: str) -> Iterator[Cause]:
    yield from label_selector(term.get("labelSelector"), f"{path}.labelSelector")
    yield from label_selector(term.get("namespaceSelector"), f"{path}.namespaceSelector")
    for name in term.get("namespaces") or ():
        yield from broken(f"{path}.namespace", name, names.dns_label(name))
    yield from _label_keys(term, path)
    key = str(term.get("topologyKey") or "")
    if not key:
        yield causes.required(f"{path}.topologyKey", _EMPTY)
    yield from broken(f"{path}.topologyKey", key, names.qualified_name(key))


def _label_keys(given: Object, path: str) -> Iterator[Cause]:
    """Source: ValidateMatchLabelKeysAndMismatchLabelKeys."""
    selector = given.get("labelSelector")
    same, other = (given.get(name) or [] for name in ("matchLabelKeys", "mismatchLabelKeys"))
    for name, keys in (("matchLabelKeys", same), ("mismatchLabelKeys", other)):
        if keys and selector is None:
            yield causes.forbidden(f"{path}.{name}", "must not be specified when labelSelector is not set")
            continue
        for number, key in enumerate(keys):
            yield from broken(f"{path}.{name}[{number}]", key, names.qualified_name(str(key)))
    seen = set((selector or {}).get("matchLabels") or {})
    for each in (selector or {}).get("matchExpressions") or ():
        key = each.get("key")
        if key in same and key in seen:
            # Upstream leaves the list's name out of the path.
            number = len(same) - 1 - same[::-1].index(key)
            yield causes.invalid(f"{path}[{number}]", key, "exists in both matchLabelKeys and labelSelector")
        seen.add(key)
    for number, key in enumerate(same):
        if key in other:
            detail = "exists in both matchLabelKeys and mismatchLabelKeys"
            yield causes.invalid(f"{path}.matchLabelKeys[{number}]", key, detail)


def spreading(given: Any, path: str) -> Iterator[Cause]:
    """Source: validateTopologySpreadConstraints."""
    pairs = [(each.get("topologyKey"), each.get("whenUnsatisfiable")) for each in given or ()]
    for number, each in enumerate(given or ()):
        at, skew, least = f"{path}[{number}]", each.get("maxSkew") or 0, each.get("minDomains")
        action = each.get("whenUnsatisfiable") or ""
        if skew <= 0:
            yield causes.invalid(f"{at}.maxSkew", skew, "must be greater than zero")
        if not each.get("topologyKey"):
            yield causes.required(f"{at}.topologyKey", _EMPTY)
        if action not in ("DoNotSchedule", "ScheduleAnyway"):
            yield causes.unsupported(f"{at}.whenUnsatisfiable", action, ("DoNotSchedule", "ScheduleAnyway"))
        if pairs[number] in pairs[number + 1 :]:
            shown = f"{{{each.get('topologyKey') or ''}, {action}}}"
            yield causes.duplicate(f"{at}.{{topologyKey, whenUnsatisfiable}}", shown)
        if least is not None and least <= 0:
            yield causes.invalid(f"{at}.minDomains", least, "must be greater than zero")
        if least is not None and action != "DoNotSchedule":
            detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
            yield causes.invalid(f"{at}.minDomains", least, detail)
        for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if each.get(name) not in (None, *_POLICIES):
                yield causes.unsupported(f"{at}.{name}", each[name], _POLICIES)
        yield from _label_keys({**each, "mismatchLabelKeys": None}, at)
        yield from label_selector(each.get("labelSelector"), f"{at}.labelSelector")


def gates(given: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, each in enumerate(given or ()):
        name = str(each.get("name") or "")
        yield from broken(f"{path}[{number}]", name, names.qualified_name(name))
        if name in seen:
            yield causes.duplicate(f"{path}[{number}]", name)
        seen.add(name)


def node_labels(given: Any, path: str) -> Iterator[Cause]:
    """A pod's nodeSelector."""
    yield from labels(given, path)


def taints(given: Any, path: str) -> Iterator[Cause]:
    """Of a node. Source: validateNodeTaints."""
    seen: set[tuple[str, str]] = set()
    for number, each in enumerate(given or ()):
        at, key, effect = f"{path}[{number}]", str(each.get("key") or ""), str(each.get("effect") or "")
        yield from broken(f"{at}.key", key, names.qualified_name(key))
        value = str(each.get("value") or "")
        yield from broken(f"{at}.value", value, names.label_value(value))
        if not effect:
            yield causes.required(f"{at}.effect")
        elif effect not in EFFECTS:
            yield causes.unsupported(f"{at}.effect", effect, EFFECTS)
        if (key, effect) in seen:
            written = f'{{"Key":"{key}","Value":"{value}","Effect":"{effect}","TimeAdded":null}}'
            yield {
                "reason": "FieldValueDuplicate",
                "message": f"Duplicate value: {written}: taints must be unique by key and effect pair",
                "field": at,
            }
        seen.add((key, effect))
