"""Topology domains: the nodes that share the value of a label."""

from scheduler_core.cache.nodes import NodeView


def domain_of(node: NodeView, key: str) -> int:
    """Return the code of the node's value of label `key`, -1 if it lacks the label."""
    return int(node.table.label_codes(key)[node.row])
