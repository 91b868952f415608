"""Embedded objects in custom resources, which must have apiVersion and kind.

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
        field, text = f"{path}.{name}", value.get(name)
        if name not in value:
            yield causes.required(field)
        elif not isinstance(text, str):
            yield causes.invalid(field, text, "must be a string")
        elif not text:
            yield causes.invalid(field, text, "must not be empty")
        elif name == "apiVersion" and text.count("/") > 1:
            yield causes.invalid(field, text, f"unexpected GroupVersion string: {text}")
        elif name == "kind" and (rule := names.dns_1035(text.lower())):
            yield causes.invalid(field, text, f"{_KIND}{rule.replace('; ', ',')}")
