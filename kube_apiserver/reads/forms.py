"""The form of a response that a client requests: whole objects, their metadata, or rows of a Table.

Source: apiserver/pkg/endpoints/handlers/negotiation. Responses are JSON or YAML.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kube_apiserver import errors
from kube_apiserver.reads import tables
from kube_apiserver.reads.encoding import MEDIA_TYPES, YAML
from kube_apiserver.resources import Resource
from kube_apiserver.writes import codec

Object = dict[str, Any]

TABLE, METADATA, WHOLE = "Table", "PartialObjectMetadata", "whole"
_VERSIONS = ("v1", "v1beta1")
_NOT_INCLUDED = "Invalid value: \"{}\": must be 'Metadata', 'Object', 'None', or empty"


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a response.

    `include`: the part of an object in its row (None, Metadata, Object). `version`: of the group meta.k8s.io.
    """

    name: str
    include: str = "Metadata"
    version: str = "v1"

    def one(self, resource: Resource, value: Object, now: datetime) -> Object:
        if self.name == TABLE:
            return self._table(resource, [value], {}, now)
        if self.name == METADATA:
            return dict(tables.partial(value))
        return value if resource.custom is None else dict(codec.as_map(value))

    def all(self, resource: Resource, items: Sequence[Object], whole: Object, now: datetime) -> Object:
        """Return a list in this form. `whole` is the List of all `items`."""
        if self.name == TABLE:
            return self._table(resource, items, whole["metadata"], now)
        if self.name == METADATA:
            head = {"kind": "PartialObjectMetadataList", "apiVersion": f"meta.k8s.io/{self.version}"}
            return {**head, "metadata": whole["metadata"], "items": [tables.partial(each) for each in items]}
        if resource.custom is None:
            return whole
        # Items of custom resources have apiVersion and kind.
        return dict(codec.as_map({**whole, "metadata": {"continue": "", **whole["metadata"]}, "items": list(items)}))

    def _table(self, resource: Resource, items: Sequence[Object], metadata: Mapping[str, Any], now: datetime) -> Object:
        found = tables.table(resource, items, metadata, now, self.include)
        return {**found, "apiVersion": f"meta.k8s.io/{self.version}"}


def wanted(accept: str, include: str = "") -> Form:
    """Return the first supported form of an Accept header, or raise ApiError."""
    include = include or "Metadata"
    for entry in accept[:2000].split(",") if accept else ["*/*"]:
        media, *parameters = (word.strip() for word in entry.split(";"))
        if media not in MEDIA_TYPES:
            continue
        values = dict(word.split("=", 1) for word in parameters if "=" in word)
        version, kind = values.get("v", ""), values.get("as", "")
        if not kind:
            return Form(WHOLE)
        if version in _VERSIONS and values.get("g") == "meta.k8s.io":
            if kind == TABLE:
                if include not in ("None", "Metadata", "Object"):
                    text = (
                        f"Unable to convert to Table as requested: includeObject: {_NOT_INCLUDED.format(include[:40])}"
                    )
                    raise errors.bad_request(text)
                return Form(TABLE, include, version)
            if kind in (METADATA, f"{METADATA}List"):
                return Form(METADATA, version=version)
    raise errors.not_acceptable(("application/json", YAML))
