"""The query parameters of operations in the OpenAPI documents."""

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

Document = dict[str, Any]

# Name → the type and the description that upstream publishes.
PARAMETERS: Mapping[str, tuple[str, str]] = {
    "allowWatchBookmarks": ("boolean", 'allowWatchBookmarks requests watch events with type "BOOKMARK".'),
    "continue": ("string", "The continue option should be set when retrieving more results from the server."),
    "dryRun": ("string", "When present, indicates that modifications should not be persisted."),
    "fieldManager": (
        "string",
        "fieldManager is a name associated with the actor or entity that is making these changes.",
    ),
    "fieldSelector": (
        "string",
        "A selector to restrict the list of returned objects by their fields. Defaults to everything.",
    ),
    "fieldValidation": (
        "string",
        "fieldValidation instructs the server on how to handle objects in the request (POST/PUT/PATCH) containing "
        "unknown or duplicate fields.",
    ),
    "force": ("boolean", 'Force is going to "force" Apply requests.'),
    "gracePeriodSeconds": ("integer", "The duration in seconds before the object should be deleted."),
    "labelSelector": (
        "string",
        "A selector to restrict the list of returned objects by their labels. Defaults to everything.",
    ),
    "limit": ("integer", "limit is a maximum number of responses to return for a list call."),
    "pretty": ("string", "If 'true', then the output is pretty printed."),
    "propagationPolicy": ("string", "Whether and how garbage collection will be performed."),
    "resourceVersion": (
        "string",
        "resourceVersion sets a constraint on what resource versions a request may be served from.",
    ),
    "resourceVersionMatch": (
        "string",
        "resourceVersionMatch determines how resourceVersion is applied to list calls.",
    ),
    "sendInitialEvents": ("boolean", "`sendInitialEvents=true` may be set together with `watch=true`."),
    "timeoutSeconds": (
        "integer",
        "Timeout for the list/watch call. This limits the duration of the call, regardless of any activity or "
        "inactivity.",
    ),
    "watch": (
        "boolean",
        "Watch for changes to the described resources and return them as a stream of add, update, and remove "
        "notifications. Specify resourceVersion.",
    ),
}
WRITES = ("dryRun", "fieldManager", "fieldValidation")
LISTS = (
    *("allowWatchBookmarks", "continue", "fieldSelector", "labelSelector", "limit", "resourceVersion"),
    *("resourceVersionMatch", "sendInitialEvents", "timeoutSeconds", "watch"),
)
DELETES = ("dryRun", "gracePeriodSeconds", "propagationPolicy")


def describe_parameter(name: str) -> Document:
    """Return a parameter in the form of version 3."""
    kind, description = PARAMETERS[name]
    return {"name": name, "in": "query", "description": description, "schema": {"type": kind, "uniqueItems": True}}


def shared_parameters() -> Document:
    """Return key → parameter: the parameters that operations of version 2 share."""
    return {shared_key(name): _describe_in_version_2(name) for name in sorted(PARAMETERS)}


@cache
def shared_key(name: str) -> str:
    """Return the key of a shared parameter: its name and a digest. Source: kube-openapi/pkg/builder."""
    digest = hashlib.sha256(json.dumps(_describe_in_version_2(name)).encode()).digest()
    return f"{name}-{base64.urlsafe_b64encode(digest)[:8].decode()}"


def _describe_in_version_2(name: str) -> Document:
    kind, description = PARAMETERS[name]
    return {"uniqueItems": True, "type": kind, "description": description, "name": name, "in": "query"}
