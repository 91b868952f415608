"""Objects as clients send them, and the API server's error messages, for the tests of validation."""

import json
from typing import Any

from kube_apiserver.errors import ApiError
from kube_apiserver.resources import Resource, table
from kube_apiserver.writes import handlers
from kube_apiserver.writes.options import WriteOptions, Written
from kube_apiserver.writes.patches import MERGE_PATCH

Object = dict[str, Any]

BY = WriteOptions("tests", "2025-06-01T00:00:00Z")
MAIN: Object = {"name": "main", "image": "nginx"}


def container(**fields: Any) -> Object:
    return {"spec": {"containers": [{**MAIN, **fields}]}}


def pod(**fields: Any) -> Object:
    return {"spec": {"containers": [MAIN], **fields}}


def resource(plural: str) -> Resource:
    return next(each for (_, _, name), each in table().items() if name == plural)


def sent(plural: str, given: Object) -> Object:
    of = resource(plural)
    version = f"{of.group}/{of.version}".removeprefix("/")
    metadata = {"name": "web", **given.get("metadata", {})}
    return json.loads(json.dumps({"apiVersion": version, "kind": of.kind, **given, "metadata": metadata}))


def _namespace(of: Resource) -> str:
    return "default" if of.namespaced else ""


def created(plural: str, given: Object) -> Written:
    of = resource(plural)
    return handlers.create(of, _namespace(of), sent(plural, given), BY)


def told(plural: str, given: Object) -> list[str]:
    """Return the causes of rejection of a new object; [] if it is accepted."""
    try:
        created(plural, given)
    except ApiError as refused:
        return _causes(refused)
    return []


def told_of_change(
    plural: str, given: Object, patch: Object, status: Object | None = None, door: str = ""
) -> list[str]:
    """Return the causes of rejection of a merge patch of an existing object, which has `status`."""
    of = resource(plural)
    live = created(plural, given).value
    assert live is not None
    live["metadata"]["resourceVersion"] = "1"
    if status is not None:
        live["status"] = status
    try:
        options = WriteOptions("tests", "2025-06-01T00:00:00Z", subresource=door)
        handlers.patch(of, live, MERGE_PATCH, json.loads(json.dumps(patch)), options)
    except ApiError as refused:
        return _causes(refused)
    return []


def _causes(refused: ApiError) -> list[str]:
    causes = (refused.status.get("details") or {}).get("causes")
    return [f"{each['field']}: {each['message']}" for each in causes] if causes else [str(refused)]
