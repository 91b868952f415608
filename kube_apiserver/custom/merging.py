"""The merge schema of a custom resource for server-side apply."""

from collections.abc import Mapping
from typing import Any

from kube_apiserver import written_types
from kube_apiserver.structured_merge.openapi import from_definitions
from kube_apiserver.structured_merge.schema import Schema

NAME = "custom"
"""The name of the custom resource's type in its merge schema."""
_META = "io.k8s.apimachinery.pkg.apis.meta.v1."


def types(schema: Mapping[str, Any]) -> Schema:
    """Return the merge schema of a custom resource, with the fields that every object has."""
    text = {"type": "string"}
    head = {"apiVersion": text, "kind": text, "metadata": {"$ref": f"{_META}ObjectMeta"}}
    whole = {**schema, "properties": {**(schema.get("properties") or {}), **head}}
    shared = {name: each for name, each in written_types.read()["types"].items() if name.startswith(_META)}
    return from_definitions({**shared, NAME: whole})
