"""Objects within objects of a client's kind: each says of what kind it is.

Source: apiextensions-apiserver/pkg/apiserver/schema/objectmeta validateEmbeddedResource.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_objects import names

MARK = "x-kubernetes-embedded-resource"
_KIND = "may have mixed case, but should otherwise match: "


def problems(value: Any, schema: Mapping[str, Any], path: str = "") -> Iterator[Cause]:
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        for number, item in enumerate(value):
            yield from problems(item, schema["items"], f"{path}[{number}]")
    elif isinstance(value, dict):
        if schema.get(MARK):
            yield from _head(value, path)
        more = schema.get("additionalProperties")
        for name, item in value.items():
            inner = (schema.get("properties") or {}).get(name) or more
            if isinstance(inner, Mapping):
                yield from problems(item, inner, f"{path}.{name}" if path else name)


def _head(value: Mapping[str, Any], path: str) -> Iterator[Cause]:
    for name in ("apiVersion", "kind"):
        at, given = f"{path}.{name}", value.get(name)
        if name not in value:
            yield causes.required(at)
        elif not isinstance(given, str):
            yield causes.invalid(at, given, "must be a string")
        elif not given:
            yield causes.invalid(at, given, "must not be empty")
        elif name == "apiVersion" and given.count("/") > 1:
            yield causes.invalid(at, given, f"unexpected GroupVersion string: {given}")
        elif name == "kind" and (rule := names.dns_1035(given.lower())):
            yield causes.invalid(at, given, f"{_KIND}{rule.replace('; ', ',')}")
