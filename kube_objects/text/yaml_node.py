"""YAML text → Node, as kube-scheduler turns YAML into JSON before it decodes it: keys sorted, the last duplicate kept.

Source: sigs.k8s.io/yaml YAMLToJSON, YAMLToJSONStrict; go.yaml.in/yaml/v2 decode.go.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from kube_objects.text.errors import YAMLError, too_deep, too_many
from kube_objects.text.go import json_float, quote
from kube_objects.text.limits import Limits
from kube_objects.text.node import Entry, TextNode, null_node
from kube_objects.text.yaml_events import yaml_error
from kube_objects.text.yaml_scalars import MERGE_TAG, ResolveError, Scalar, resolve
from kube_objects.text.yaml_tree import YAMLNode, parse_yaml

T = TypeVar("T")


@dataclass(slots=True)
class Source:
    """A text as it was written. `duplicates` is upstream's text about keys given twice, "" if there are none."""

    root: TextNode
    duplicates: list[tuple[str, int]] = field(default_factory=list)

    @property
    def duplicates_text(self) -> str:
        return "yaml: unmarshal errors:\n  " + "\n  ".join(f"line {line}: {text}" for text, line in self.duplicates)


def read_source(text: str, limits: Limits) -> Source:
    """Return the first document of a text. Raises YAMLError, LimitError."""
    tree = parse_yaml(text, limits)
    if tree is None:
        return Source(null_node())
    converter = _Converter(limits)
    return Source(converter.convert(tree), converter.duplicates)


@dataclass(slots=True)
class _Key:
    """A mapping key: its value as YAML means it, which decides what is a duplicate."""

    value: Scalar
    line: int

    @property
    def identity(self) -> tuple[str, Scalar]:
        return type(self.value).__name__, self.value

    def __str__(self) -> str:
        """Return the key in JSON."""
        match self.value:
            case bool():
                return "true" if self.value else "false"
            case float():
                special = {math.inf: ".inf", -math.inf: "-.inf"}
                return ".nan" if math.isnan(self.value) else special.get(self.value) or json_float(self.value)
        return str(self.value)


_Mapping = dict[tuple[str, Scalar], tuple[_Key, TextNode]]


class _Converter:
    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.duplicates: list[tuple[str, int]] = []
        self.decoded = 0
        self.by_alias = 0
        self.open_aliases: list[YAMLNode] = []
        self.depth = 0

    def convert(self, node: YAMLNode) -> TextNode:
        self.count(node)
        match node.kind:
            case "alias":
                return self.through_alias(node, self.convert)
            case "sequence":
                with self.deeper(node):
                    return TextNode("array", node.line, items=[self.convert(child) for child in node.children])
            case "mapping":
                entries: _Mapping = {}
                self.fill(node, entries)
                return TextNode("object", node.line, entries=_sorted_entries(entries))
        return _scalar_node(self.scalar(node), node.line)

    @contextmanager
    def deeper(self, node: YAMLNode) -> Iterator[None]:
        """Aliases can nest a document deeper than it was written."""
        self.depth += 1
        if self.depth > self.limits.depth:
            raise too_deep(self.limits.depth, node.line)
        yield
        self.depth -= 1

    def count(self, node: YAMLNode) -> None:
        """Refuse documents that live from their aliases, as upstream does, and any that grow too large."""
        self.decoded += 1
        self.by_alias += bool(self.open_aliases)
        # What an alias brings is too much where the alias stands.
        line = self.open_aliases[0].line if self.open_aliases else node.line
        if self.by_alias > 100 and self.decoded > 1000 and self.by_alias / self.decoded > 0.99:
            raise yaml_error("document contains excessive aliasing", line)
        if self.decoded > self.limits.values:
            raise too_many(self.limits.values, line)

    def through_alias(self, node: YAMLNode, read: Callable[[YAMLNode], T]) -> T:
        """Return the result of `read` for the node to which an alias refers."""
        if any(open_alias is node for open_alias in self.open_aliases):
            raise yaml_error(f"anchor '{node.value}' value contains itself", node.line)
        self.open_aliases.append(node)
        value = read(node.children[0])
        self.open_aliases.pop()
        return value

    def scalar(self, node: YAMLNode) -> Scalar:
        if not node.tag and not node.plain:
            return node.value
        try:
            return resolve(node.tag, node.value)
        except ResolveError as error:
            raise yaml_error(str(error), node.line) from None

    def fill(self, node: YAMLNode, entries: _Mapping) -> None:
        """Put the pairs of a mapping into `entries`, those merged by `<<` among them."""
        with self.deeper(node):
            for key_node, value_node in zip(node.children[::2], node.children[1::2], strict=True):
                if _is_merge(key_node):
                    self.merge(value_node, entries)
                else:
                    self.put(key_node, value_node, entries)

    def put(self, key_node: YAMLNode, value_node: YAMLNode, entries: _Mapping) -> None:
        key = self.key(key_node)
        value = self.convert(value_node)
        if key.value is None:
            shown = "<nil>" if value.kind == "null" else _go_syntax(value)
            raise YAMLError(f"unsupported map key of type: %!s(<nil>), key: <nil>, value: {shown}", key_node.line)
        if key.identity in entries:
            shown = _go_syntax(_scalar_node(key.value, key.line))
            self.duplicates.append((f"key {shown} already set in map", value_node.line))
        entries[key.identity] = key, value

    def key(self, node: YAMLNode) -> _Key:
        target = node.children[0] if node.kind == "alias" else node
        if target.kind != "scalar":
            raise yaml_error(f"invalid map key: {_go_syntax(self.convert(node))}", node.line)
        self.count(node)
        return _Key(self.scalar(target), node.line)

    def merge(self, node: YAMLNode, entries: _Mapping) -> None:
        sources = list(reversed(node.children)) if node.kind == "sequence" else [node]
        for source in sources:
            target = source.children[0] if source.kind == "alias" else source
            if target.kind != "mapping":
                raise yaml_error("map merge requires map or sequence of maps as the value", source.line)
            self.count(source)
            if source is target:
                self.fill(target, entries)
            else:
                self.through_alias(source, lambda node: self.fill(node, entries))


def _is_merge(node: YAMLNode) -> bool:
    return node.kind == "scalar" and node.value == "<<" and (node.plain or node.tag == MERGE_TAG)


def _sorted_entries(entries: _Mapping) -> list[Entry]:
    by_text = {str(key): (key, value) for key, value in entries.values()}
    return [Entry(text, key.line, value) for text, (key, value) in sorted(by_text.items(), key=lambda item: item[0])]


def _scalar_node(value: Scalar, line: int) -> TextNode:
    match value:
        case None:
            return null_node(line)
        case bool():
            return TextNode("bool", line, "true" if value else "false")
        case int():
            return TextNode("number", line, str(value))
        case float():
            if not math.isfinite(value):
                name = "NaN" if math.isnan(value) else f"{'+' if value > 0 else '-'}Inf"
                raise YAMLError(f"json: unsupported value: {name}", line)
            return TextNode("number", line, json_float(value))
    return TextNode("string", line, value)


def _go_syntax(node: TextNode) -> str:
    """Return a value as Go's `%#v` prints it."""
    match node.kind:
        case "object":
            pairs = (f"{quote(e.key)}:{_inside(e.value)}" for e in node.entries)
            return "map[interface {}]interface {}{" + ", ".join(pairs) + "}"
        case "array":
            return "[]interface {}{" + ", ".join(_inside(item) for item in node.items) + "}"
        case "string":
            return quote(node.scalar)
    return node.scalar


def _inside(node: TextNode) -> str:
    return "interface {}(nil)" if node.kind == "null" else _go_syntax(node)
