"""Validation of conditions (metav1.Condition). Source: apimachinery/pkg/apis/meta/v1/validation ValidateCondition."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation.metadata import report_broken_rules
from kube_objects import names

Object = Mapping[str, Any]

_STATUSES = ("False", "True", "Unknown")
_REASON = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_REASON_RULE = (
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric "
    "characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or "
    "'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is "
    "'[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"
)
_MOST_REASON, _MOST_MESSAGE = 1024, 32 * 1024


def validate_conditions(conditions: Sequence[Object], path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, condition in enumerate(conditions):
        condition_path, kind = f"{path}[{number}]", str(condition.get("type") or "")
        if kind in seen:
            yield causes.duplicate(f"{condition_path}.type", kind)
        seen.add(kind)
        yield from _validate_condition(condition, kind, condition_path)


def _validate_condition(condition: Object, kind: str, path: str) -> Iterator[Cause]:
    reason, message = str(condition.get("reason") or ""), str(condition.get("message") or "")
    yield from report_broken_rules(f"{path}.type", kind, names.qualified_name(kind))
    if condition.get("status") not in _STATUSES:
        yield causes.unsupported(f"{path}.status", condition.get("status") or "", _STATUSES)
    if (condition.get("observedGeneration") or 0) < 0:
        yield causes.invalid(f"{path}.observedGeneration", condition["observedGeneration"], causes.NOT_NEGATIVE)
    if not condition.get("lastTransitionTime"):
        yield causes.required(f"{path}.lastTransitionTime")
    if not reason:
        yield causes.required(f"{path}.reason")
    elif not _REASON.fullmatch(reason):
        yield causes.invalid(f"{path}.reason", reason, _REASON_RULE)
    if len(reason.encode()) > _MOST_REASON:
        yield causes.too_long(f"{path}.reason", _MOST_REASON)
    if len(message.encode()) > _MOST_MESSAGE:
        yield causes.too_long(f"{path}.message", _MOST_MESSAGE)
