"""Node objects from an extender's response, as a table of their own.

Upstream continues with nodes without pods and images. Source: pkg/scheduler/extender.go HTTPExtender.Filter,
pkg/scheduler/framework/types.go NewNodeInfo.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kube_objects.kinds.core.node import parse as parse_node
from kube_objects.node import Node
from scheduler_core.cache.node_table import NodeTable
from scheduler_core.cache.nodes import Nodes
from scheduler_core.extender.node_types import NODE

# Name → a node's JSON, and the Node.
KnownNodes = dict[str, tuple[Mapping[str, Any], Node]]


class NodeReader:
    """A reader of the Nodes in a response. Nodes equal to those in `sent` or `last` aren't decoded again."""

    struct = NODE

    def __init__(self, sent: KnownNodes, last: KnownNodes) -> None:
        self._sent = sent
        self._last = last
        self.read: KnownNodes = {}

    def find(self, value: Mapping[str, Any]) -> Node | None:
        metadata = value.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        if not isinstance(name, str):
            return None
        for known in (self._sent, self._last):
            json, node = known.get(name, (None, None))
            if json == value:
                if known is self._last:
                    self.read[name] = known[name]
                return node
        return None

    def make(self, value: Mapping[str, Any], decoded: Mapping[str, Any]) -> Node:
        """Build a Node as upstream does: without defaults and validation beyond types."""
        status = {"allocatable": {}, **(decoded.get("status") or {})}
        node = parse_node({**decoded, "apiVersion": "v1", "kind": "Node", "status": status}, [])
        self.read[node.name] = (value, node)
        return node


def table_of(nodes: Iterable[Node], like: Nodes) -> Nodes:
    """Return a table without pods and images, with the label and taint codes of the table of `like`."""
    table = NodeTable(like.table.vocabularies)
    for node in nodes:
        table.add_node(replace(node, images=()) if node.images else node)
    return Nodes(table)
