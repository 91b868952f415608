"""Node objects out of an extender's answer, as a table of their own.

Upstream goes on with nodes that hold neither pods nor images. Source: pkg/scheduler/extender.go HTTPExtender.Filter,
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

# Name → a node as JSON, and what comes of it.
KnownNodes = dict[str, tuple[Mapping[str, Any], Node]]


class NodeReader:
    """Reads the Nodes of an answer. One that came back as it was sent, or as in `last`, need not be read again."""

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
        """As upstream does it: nothing is defaulted, nothing is checked beyond the types."""
        status = {"allocatable": {}, **(decoded.get("status") or {})}
        node = parse_node({**decoded, "apiVersion": "v1", "kind": "Node", "status": status}, [])
        self.read[node.name] = (value, node)
        return node


def table_of(nodes: Iterable[Node], like: Nodes) -> Nodes:
    """A table without pods and images, whose label and taint codes mean the same as in the table of `like`."""
    table = NodeTable(like.table.vocabularies)
    for node in nodes:
        table.add_node(replace(node, images=()) if node.images else node)
    return Nodes(table)
