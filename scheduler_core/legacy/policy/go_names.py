"""Objects with Go's field names, which a Policy without an apiVersion must use.

Source (v1.20): pkg/scheduler/apis/config/legacy_types.go (structs without JSON names), apimachinery/pkg/runtime/
serializer/json (the strict decoder reads a copy whose keys are sorted, and stops at the first unknown one).
"""

import re
from dataclasses import replace
from typing import Any

from kube_objects.sentences import say
from kube_objects.text.node import Entry, TextNode
from kube_objects.text.problems import Problem
from scheduler_core.config.fields import GoType, WireField, wire_fields
from scheduler_core.legacy.policy.types import RequestedToCapacityRatioArguments

_TYPE_META = ("kind", "apiVersion")
_HINT = say("add apiVersion: v1; a Policy without it is read by the names of Go's fields (Predicates, Priorities)")
_ACRONYMS = frozenset({"ca", "http", "tls", "url"})


def from_go_names(root: TextNode, cls: type[Any]) -> tuple[TextNode, Problem | None]:
    """Return the object with JSON field names, and the first unknown field, if any."""
    reader = _Reader()
    renamed = reader.object(root, cls, "", _TYPE_META)
    return renamed, reader.unknown


def go_name(field: WireField) -> str:
    """Return a field's Go name: `urlPrefix` is URLPrefix."""
    head = re.match("[a-z]+", field.json)
    assert head is not None, "JSON names start with a small letter"
    word = head[0].upper() if head[0] in _ACRONYMS else head[0].capitalize()
    return word + field.json[head.end() :]


class _Reader:
    def __init__(self) -> None:
        self.unknown: Problem | None = None

    def object(self, node: TextNode, cls: type[Any], path: str, extra: tuple[str, ...] = ()) -> TextNode:
        if node.kind != "object":
            return node
        # The one struct whose fields have JSON names.
        named = cls is RequestedToCapacityRatioArguments
        known = {field.json if named else go_name(field): field for field in wire_fields(cls)}
        entries: list[Entry] = []
        for entry in sorted(node.entries, key=lambda entry: entry.key):
            where = f"{path}.{entry.key}" if path else entry.key
            field = known.get(entry.key)
            if field is not None:
                entries.append(Entry(field.json, entry.line, self._value(entry.value, field.type, where)))
            elif entry.key in extra:
                entries.append(entry)
            elif self.unknown is None:
                text = f"config.{cls.__name__.removeprefix('Internal')}.ReadObject: found unknown field: {entry.key}"
                self.unknown = Problem(where, None, text, _HINT, line=entry.line, text=text)
        return replace(node, entries=entries)

    def _value(self, node: TextNode, kind: GoType, path: str) -> TextNode:
        if kind.kind == "slice" and kind.element is not None and node.kind == "array":
            element = kind.element
            items = [self._value(item, element, f"{path}[{index}]") for index, item in enumerate(node.items)]
            return replace(node, items=items)
        return node if kind.struct is None else self.object(node, kind.struct, path)
