"""Validation of roles and role bindings. Source: pkg/apis/rbac/validation."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values
from kube_apiserver.validation.metadata import find_path_segment_error, report_broken_rules, validate_label_selector
from kube_objects import names

Object = Mapping[str, Any]

GROUP = "rbac.authorization.k8s.io"
_SELECTORS = "aggregationRule.clusterRoleSelectors"
_FIELDS = {"APIGroup": "apiGroup", "Kind": "kind", "Name": "name"}


def validate_role(value: Object) -> Iterator[Cause]:
    yield from _validate_rules(value, is_namespaced=True)


def validate_cluster_role(value: Object) -> Iterator[Cause]:
    yield from _validate_rules(value, is_namespaced=False)
    aggregation = value.get("aggregationRule")
    if aggregation is None:
        return
    selectors = aggregation.get("clusterRoleSelectors") or ()
    if not selectors:
        detail = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        yield causes.required(_SELECTORS, detail)
    for number, each in enumerate(selectors):
        wrong = list(validate_label_selector(each, f"{_SELECTORS}[{number}]"))
        yield from wrong
        if wrong:
            # Upstream prints nil, because the selector could not be built.
            yield causes.invalid(f"{_SELECTORS}[{number}]", None, "invalid label selector.")


def _validate_rules(value: Object, *, is_namespaced: bool) -> Iterator[Cause]:
    for number, each in enumerate(value.get("rules") or ()):
        yield from _validate_rule(each, f"rules[{number}]", is_namespaced=is_namespaced)


def _validate_rule(rule: Object, path: str, *, is_namespaced: bool) -> Iterator[Cause]:
    if not rule.get("verbs"):
        yield causes.required(f"{path}.verbs", "verbs must contain at least one value")
    if urls := rule.get("nonResourceURLs"):
        urls_path = f"{path}.nonResourceURLs"
        if is_namespaced:
            yield causes.invalid(urls_path, urls, "namespaced rules cannot apply to non-resource URLs")
        if any(rule.get(name) for name in ("apiGroups", "resources", "resourceNames")):
            yield causes.invalid(urls_path, urls, "rules cannot apply to both regular resources and non-resource URLs")
        return
    if not rule.get("apiGroups"):
        yield causes.required(f"{path}.apiGroups", "resource rules must supply at least one api group")
    if not rule.get("resources"):
        yield causes.required(f"{path}.resources", "resource rules must supply at least one resource")


def validate_role_binding(value: Object) -> Iterator[Cause]:
    yield from _validate_binding(value, ("Role", "ClusterRole"), is_namespaced=True)


def validate_cluster_role_binding(value: Object) -> Iterator[Cause]:
    yield from _validate_binding(value, ("ClusterRole",), is_namespaced=False)


def _validate_binding(value: Object, kinds: Sequence[str], *, is_namespaced: bool) -> Iterator[Cause]:
    ref = value.get("roleRef") or {}
    group, kind, name = (str(ref.get(key) or "") for key in ("apiGroup", "kind", "name"))
    if group != GROUP:
        yield causes.unsupported("roleRef.apiGroup", group, (GROUP,))
    if kind not in kinds:
        yield causes.unsupported("roleRef.kind", kind, kinds)
    if not name:
        yield causes.required("roleRef.name")
    else:
        yield from report_broken_rules("roleRef.name", name, find_path_segment_error(name))
    for number, each in enumerate(value.get("subjects") or ()):
        yield from _validate_subject(each, f"subjects[{number}]", is_namespaced=is_namespaced)


def _validate_subject(subject: Object, path: str, *, is_namespaced: bool) -> Iterator[Cause]:
    kind, name, group = (str(subject.get(key) or "") for key in ("kind", "name", "apiGroup"))
    if not name:
        yield causes.required(f"{path}.name")
    if kind == "ServiceAccount":
        if name:
            yield from report_broken_rules(f"{path}.name", name, names.dns_subdomain(name))
        if group:
            yield causes.unsupported(f"{path}.apiGroup", group, ("",))
        if not is_namespaced and not subject.get("namespace"):
            yield causes.required(f"{path}.namespace")
    elif kind in ("User", "Group"):
        if group != GROUP:
            yield causes.unsupported(f"{path}.apiGroup", group, (GROUP,))
    else:
        yield causes.unsupported(f"{path}.kind", kind, ("ServiceAccount", "User", "Group"))


def validate_role_binding_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from validate_role_binding(value)
    yield from _validate_role_unchanged(live, value)


def validate_cluster_role_binding_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from validate_cluster_role_binding(value)
    yield from _validate_role_unchanged(live, value)


def _validate_role_unchanged(live: Object, value: Object) -> Iterator[Cause]:
    old_ref, new_ref = (
        {go: (each.get("roleRef") or {}).get(name) or "" for go, name in _FIELDS.items()} for each in (live, value)
    )
    if old_ref != new_ref:
        yield causes.invalid("roleRef", go_values.Ordered(new_ref), "cannot change roleRef")
