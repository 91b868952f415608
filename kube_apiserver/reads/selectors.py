"""Label and field selectors of a list. Source: apimachinery/pkg/labels, fields; the fields of pkg/registry."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver.reads import label_selectors
from kube_apiserver.reads.label_selectors import SelectorError
from kube_objects.selectors import IN, NOT_IN, Requirement

__all__ = ["SelectorError", "fields", "labels"]

Object = Mapping[str, Any]
Match = Callable[[Object], bool]

MAX_LENGTH = 16 * 1024
_NAME = "metadata.name"
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "Pod": (
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.nominatedNodeName",
    ),
    "Node": ("spec.unschedulable",),
    "Namespace": ("status.phase",),
    "Secret": ("type",),
    "Service": ("spec.clusterIP", "spec.type"),
    "CertificateSigningRequest": ("spec.signerName",),
    "ReplicationController": ("status.replicas",),
    "Job": ("status.successful",),
    "ResourceSlice": ("spec.nodeName", "spec.driver"),
    "Event": (
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "reason",
        "reportingComponent",
        "source",
        "type",
    ),
}
# Upstream's field conversion of these cluster-scoped kinds has no namespace. That of other cluster-scoped kinds has.
_WITHOUT_NAMESPACE = frozenset(["CertificateSigningRequest", "Namespace", "Node", "ResourceSlice"])


def labels(written: str) -> Match:
    """Return a test of objects by their labels."""
    if len(written) > MAX_LENGTH:
        raise SelectorError(f"unable to parse requirement: longer than {MAX_LENGTH} characters")
    selector = label_selectors.parse(written)
    return lambda value: selector.matches((value.get("metadata") or {}).get("labels") or {})


def fields(written: str, kind: str, *, is_custom: bool = False, more: Sequence[str] = ()) -> Match:
    """Return a test of objects by their fields: name, namespace and the fields of the kind.

    `more` has the selectable fields of a custom resource.
    """
    known = [_NAME, "metadata.namespace", *_FIELDS.get(kind, ()), *more]
    if kind in _WITHOUT_NAMESPACE and not is_custom:
        known.remove("metadata.namespace")
    wanted = []
    for name, operator, value in _terms(written):
        if name not in known:
            raise SelectorError(_unknown(name, kind, is_custom=is_custom))
        wanted.append((name.split("."), Requirement(name, NOT_IN if operator == "!=" else IN, (value,))))
    return lambda value: all(requirement.matches_field(_at(value, path)) for path, requirement in wanted)


def selected_name(written: str) -> str:
    """Return the one name that a field selector asks for; "" if it asks for no name, or cannot be parsed."""
    try:
        return next((value for name, operator, value in _terms(written) if name == _NAME and operator != "!="), "")
    except SelectorError:
        return ""


def _terms(written: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, operator and value of each term; raise SelectorError."""
    if len(written) > MAX_LENGTH:
        raise SelectorError(f"invalid selector: longer than {MAX_LENGTH} characters")
    for term in filter(None, written.split(",")):
        parts = re.fullmatch(r"([^=!]+?)(!=|==|=)(.*)", term)
        if parts is None:
            raise SelectorError(f"invalid selector: '{written}'; can't understand '{term}'")
        name, operator, value = parts.groups()
        yield name, operator, value


def _unknown(name: str, kind: str, *, is_custom: bool) -> str:
    if kind == "Job":
        return f'field label "{name}" not supported for Job'
    if kind == "ResourceSlice":
        return f"field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: {name}"
    if kind in _FIELDS or is_custom:
        return f"field label not supported: {name}"
    return f'"{name}" is not a known field selector: only "metadata.name", "metadata.namespace"'


def _at(value: Any, path: list[str]) -> str:
    if path == ["source"]:
        return _at(value, ["source", "component"]) or _at(value, ["reportingComponent"])
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "false" if path[-1] in ("unschedulable", "hostNetwork") else ""
    return str(value)
