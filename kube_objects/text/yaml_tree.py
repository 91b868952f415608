"""Conversion of YAML text to a tree of nodes with anchors resolved, within limits."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from kube_objects.text.errors import too_deep, too_many
from kube_objects.text.limits import Limits
from kube_objects.text.yaml_events import yaml_error, yaml_events


@dataclass(slots=True, eq=False)
class YAMLNode:
    """A node. `kind` is scalar, sequence, mapping or alias; `tag` is "" for an untagged one.

    `plain` is True if it is unquoted and untagged. `children` are the items, or keys and values in turn, or the node
    that an alias refers to.
    """

    kind: str
    line: int
    tag: str = ""
    plain: bool = False
    value: str = ""
    children: "list[YAMLNode]" = field(default_factory=list)


def parse_yaml(text: str, limits: Limits) -> YAMLNode | None:
    """Return the first document of a text, None if there is none. Raises YAMLError, LimitError."""
    return _Composer(yaml_events(text), limits).document()


class _Composer:
    def __init__(self, events: Iterator[Any], limits: Limits) -> None:
        self.events = events
        self.limits = limits
        self.anchors: dict[str, YAMLNode] = {}
        self.values = 0

    def document(self) -> YAMLNode | None:
        for event in self.events:
            if isinstance(event, yaml.StreamEndEvent):
                return None
            if isinstance(event, yaml.DocumentStartEvent):
                node = self.node(next(self.events), 1)
                next(self.events)  # the end of the document, which may hold a syntax error
                return node
        return None

    def node(self, event: Any, depth: int) -> YAMLNode:
        line = event.start_mark.line + 1
        self.values += 1
        if depth > self.limits.depth:
            raise too_deep(self.limits.depth, line)
        if self.values > self.limits.values:
            raise too_many(self.limits.values, line)
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise yaml_error(f"unknown anchor '{event.anchor}' referenced", line)
            return YAMLNode("alias", line, value=event.anchor, children=[self.anchors[event.anchor]])
        if isinstance(event, yaml.ScalarEvent):
            node = YAMLNode("scalar", line, event.tag or "", event.implicit[0], event.value)
            self.anchor(event, node)
            return node
        mapping = isinstance(event, yaml.MappingStartEvent)
        node = YAMLNode("mapping" if mapping else "sequence", line, event.tag or "")
        self.anchor(event, node)
        end = yaml.MappingEndEvent if mapping else yaml.SequenceEndEvent
        while not isinstance(event := next(self.events), end):
            node.children.append(self.node(event, depth + 1))
        return node

    def anchor(self, event: Any, node: YAMLNode) -> None:
        if event.anchor is not None:
            self.anchors[event.anchor] = node
