"""Validation of new Events of events.k8s.io. Source: pkg/apis/core/validation/events.go."""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import errors
from kube_apiserver.causes import Cause, invalid, required
from kube_apiserver.resources import Resource
from kube_apiserver.validation.metadata import report_broken_rules
from kube_objects import names

_LONGEST, _LONGEST_NOTE = 128, 1024
_CONTROLLER = "reportingController"


def reject_invalid_event(served: Resource, value: Any) -> None:
    """Raise ApiError if `value`, as sent, breaks a rule of events.k8s.io.

    Other kinds and the core version have no such rules.
    """
    if served.group != "events.k8s.io" or not isinstance(value, dict):
        return
    if causes := list(_validate_event(value)):
        metadata = value.get("metadata")
        name = str(metadata.get("name") or "") if isinstance(metadata, dict) else ""
        raise errors.invalid(served, name, causes)


def _validate_event(value: Mapping[str, Any]) -> Iterator[Cause]:
    if value.get("eventTime"):
        for path, name in (
            (_CONTROLLER, "reportingComponent"),
            ("reportingInstance", "reportingInstance"),
            ("action", "action"),
            ("reason", "reason"),
        ):
            text = str(value.get(name) or "")
            if not text:
                yield required(path)
            if path == _CONTROLLER:
                yield from report_broken_rules(path, text, names.qualified_name(text))
            elif len(text) > _LONGEST:
                yield invalid(path, "", f"can have at most {_LONGEST} characters")
        if len(str(value.get("message") or "")) > _LONGEST_NOTE:
            yield invalid("message", "", f"can have at most {_LONGEST_NOTE} characters")
        series = value.get("series")
        if isinstance(series, dict):
            if (series.get("count") or 0) < 2:
                yield invalid("series.count", "", "should be at least 2")
            if not series.get("lastObservedTime"):
                yield required("series.lastObservedTime")
    else:
        yield required("eventTime")
    type_ = value.get("type") or ""
    if type_ not in ("Normal", "Warning"):
        yield invalid("type", "", f"has invalid value: {type_}")
    for name in ("firstTimestamp", "lastTimestamp", "count", "source"):
        if value.get(name):
            yield invalid(name, "", "needs to be unset")
