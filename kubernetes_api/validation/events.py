"""What a new Event of the newer version must have. Source: pkg/apis/core/validation/events.go."""

from collections.abc import Iterator, Mapping
from typing import Any

from kubernetes_api import errors
from kubernetes_api.causes import Cause, invalid, required
from kubernetes_api.resources import Resource

_LONGEST, _LONGEST_NOTE = 128, 1024


def check(served: Resource, value: Any) -> None:
    """`value` as it is stored; ApiError. Of other kinds and versions nothing is asked."""
    if served.group != "events.k8s.io" or not isinstance(value, dict):
        return
    if causes := list(_problems(value)):
        metadata = value.get("metadata")
        name = str(metadata.get("name") or "") if isinstance(metadata, dict) else ""
        raise errors.invalid(served, name, causes)


def _problems(value: Mapping[str, Any]) -> Iterator[Cause]:
    if value.get("eventTime"):
        for path, name in (
            ("reportingController", "reportingComponent"),
            ("reportingInstance", "reportingInstance"),
            ("action", "action"),
            ("reason", "reason"),
        ):
            text = str(value.get(name) or "")
            if not text:
                yield required(path)
            elif len(text) > _LONGEST:
                yield invalid(path, "", f"can have at most {_LONGEST} characters")
        if len(str(value.get("message") or "")) > _LONGEST_NOTE:
            yield invalid("message", "", f"can have at most {_LONGEST_NOTE} characters")
    else:
        yield required("eventTime")
    type_ = value.get("type") or ""
    if type_ not in ("Normal", "Warning"):
        yield invalid("type", "", f"has invalid value: {type_}")
    for path, name in (("deprecatedFirstTimestamp", "firstTimestamp"), ("deprecatedLastTimestamp", "lastTimestamp")):
        if value.get(name):
            yield invalid(path, "", "needs to be unset")
    if value.get("count"):
        yield invalid("deprecatedCount", "", "needs to be unset")
    if value.get("source"):
        yield invalid("deprecatedSource", "", "needs to be unset")
