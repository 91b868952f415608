"""Whether a kind of one of Kubernetes' own groups is approved by its community, which an annotation says.

Source: apiextensions-apiserver, pkg/apihelpers/helpers.go, pkg/controller/apiapproval, validateAPIApproval.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from kube_apiserver import causes
from kube_apiserver.causes import Cause

Object = dict[str, Any]

_ANNOTATION = "api-approved.kubernetes.io"
_FIELD = f"metadata.annotations[{_ANNOTATION}]"
_GROUPS = ("k8s.io", "kubernetes.io")
_MUST = f'protected groups must have approval annotation "{_ANNOTATION}"'
_SEE = "see https://github.com/kubernetes/enhancements/pull/1111"
_MISSING, _INVALID, _APPROVED, _UNAPPROVED = "Missing", "Invalid", "Approved", "Unapproved"


def problems(value: Mapping[str, Any], live: Mapping[str, Any] | None = None) -> Iterator[Cause]:
    """What is wrong with a new definition, or with one that is no longer as it was."""
    state, message = _state(value)
    if not _is_protected(value) or (live is not None and state == _state(live)[0]):
        return
    if state == _MISSING:
        yield causes.required(_FIELD, message)
    elif state == _INVALID:
        yield causes.invalid(_FIELD, _annotation(value), message)


def with_condition(value: Object) -> Object:
    """With what the server's controller says of it. The time is that of the definition."""
    conditions = (value.get("status") or {}).get("conditions") or ()
    if not _is_protected(value) or not conditions:
        return value
    type_, (state, message) = "KubernetesAPIApprovalPolicyConformant", _state(value)
    found = {
        "lastTransitionTime": value["metadata"].get("creationTimestamp"),
        "message": message,
        "reason": f"{state}Annotation",
        "status": str(state == _APPROVED),
        "type": type_,
    }
    others = [each for each in conditions if each.get("type") != type_]
    return {**value, "status": {**value["status"], "conditions": [*others, found]}}


def _is_protected(value: Mapping[str, Any]) -> bool:
    group = str((value.get("spec") or {}).get("group") or "")
    return any(group == each or group.endswith(f".{each}") for each in _GROUPS)


def _annotation(value: Mapping[str, Any]) -> str:
    return str((value["metadata"].get("annotations") or {}).get(_ANNOTATION) or "")


def _state(value: Mapping[str, Any]) -> tuple[str, str]:
    """What the annotation says, and upstream's words for it."""
    text = _annotation(value)
    if not text:
        return _MISSING, f"{_MUST}, {_SEE}"
    if text.startswith("unapproved"):
        return _UNAPPROVED, f'not approved: "{text}"'
    if _is_url(text):
        return _APPROVED, f"approved in {text}"
    return _INVALID, f'{_MUST} with either a URL or a reason starting with "unapproved", {_SEE}'


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme and parts.netloc) and text.isprintable() and " " not in text
