"""The part of a NodeTable that depends on the order of past changes, for checkpoints.

An image keeps the size that the first node with it reported, even after that node was removed. A host port is free once
one of two pods that held it was removed.
Source: pkg/scheduler/backend/cache/cache.go addNodeImageStates, kube-scheduler/framework/types.go HostPortInfo.
"""

from collections.abc import Mapping
from typing import Any

from scheduler_core.cache.node_table import NodeTable


def dump_history(table: NodeTable) -> dict[str, Any]:
    """Return JSON-ready data; empty lists if a table that is rebuilt from its nodes and pods is equal."""
    first_sizes: dict[str, int] = {}
    freed: list[list[Any]] = []
    for node, pods in zip(table.nodes, table.pods, strict=True):
        for image in node.images:
            for name in image.names:
                first_sizes.setdefault(name, image.size_bytes)
        for pod in pods.values():
            for port in pod.host_ports:
                if node.name not in table.ports.get((port.protocol, port.port), {}).get(port.ip, {}):
                    freed.append([node.name, port.protocol, port.port, port.ip])
    sizes = {name: next(iter(table.images[name].values())) for name in first_sizes}
    return {
        "imageSizes": [[name, size] for name, size in sizes.items() if size != first_sizes[name]],
        "freedPorts": freed,
    }


def forget_history(table: NodeTable) -> None:
    """Make the table equal to one that is rebuilt from its nodes, in row order, and their pods."""
    table.ports = {}
    table.images = {}
    for node, pods in zip(table.nodes, table.pods, strict=True):
        for image in node.images:
            for name in image.names:
                sizes = table.images.setdefault(name, {})
                sizes[node.name] = next(iter(sizes.values()), image.size_bytes)
        for pod in pods.values():
            for port in pod.host_ports:
                addresses = table.ports.setdefault((port.protocol, port.port), {})
                addresses.setdefault(port.ip, {})[node.name] = None


def load_history(table: NodeTable, data: Mapping[str, Any]) -> None:
    """Load the data of `dump_history` into a rebuilt table."""
    for name, size in data["imageSizes"]:
        table.images[name] = dict.fromkeys(table.images[name], size)
    for node_name, protocol, port, ip in data["freedPorts"]:
        addresses = table.ports.get((protocol, port), {})
        holders = addresses.get(ip, {})
        holders.pop(node_name, None)
        if not holders:
            addresses.pop(ip, None)
        if not addresses:
            table.ports.pop((protocol, port), None)
