"""Objects as rows of a Table, which `kubectl get` prints. Source: pkg/printers/internalversion."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from kube_apiserver import flow_control
from kube_apiserver.custom import columns
from kube_apiserver.reads import cells
from kube_apiserver.reads.cells import Object, since
from kube_apiserver.resources import Resource

NAMES_ONLY = ("kind", "apiVersion")


def table(
    resource: Resource, objects: Sequence[Object], metadata: Mapping[str, Any], now: datetime, include: str
) -> Object:
    """Return a Table. `include` is the part of an object in its row: None, Metadata or Object."""
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": dict(metadata),
        "columnDefinitions": list(resource.columns),
        "rows": [_row(resource, each, now, include) for each in _in_order(resource, objects)],
    }


def _in_order(resource: Resource, objects: Sequence[Object]) -> Sequence[Object]:
    """Return FlowSchemas in the order of their precedence, other objects unchanged."""
    if resource.kind != flow_control.SCHEMA:
        return objects
    return sorted(objects, key=lambda each: (each.get("spec") or {}).get("matchingPrecedence") or 0)


def partial(value: Object) -> Object:
    return {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": value.get("metadata") or {}}


def _row(resource: Resource, value: Object, now: datetime, include: str) -> Object:
    row: dict[str, Any] = {"cells": _cells(resource, value, now)}
    if include == "Object":
        row["object"] = value
    elif include == "Metadata":
        row["object"] = partial(value)
    return row


def _cells(resource: Resource, value: Object, now: datetime) -> list[Any]:
    metadata = value.get("metadata") or {}
    if resource.custom is not None:
        return [metadata.get("name", ""), *columns.cells(resource, value, now)]
    found = {"Name": metadata.get("name", ""), **cells.cells_of(resource.kind, value, now)}
    found.setdefault("Age", since(metadata.get("creationTimestamp"), now))
    found.setdefault("Created At", metadata.get("creationTimestamp") or "")
    return [found.get(column["name"], "<none>") for column in resource.columns]


def now_of(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
