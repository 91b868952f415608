"""Shapes of the existing nodes, and manifests of new nodes of the same nodes_by_shape."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from kube_objects.node import Node
from kube_objects.sentences import Template
from kube_objects.serialize import manifest_of
from scheduler_core.edits.costs import Prices
from scheduler_core.edits.edit import Edit, Ref, mutable_copy
from scheduler_core.edits.steps import create_command_line
from scheduler_core.facts.quantities import format_amount
from simulator.simulation.store import ObjectStore

ADD = Template("Add one node like {node} ({cpu} CPU, {memory})")
HOSTNAME = "kubernetes.io/hostname"
# Prefix of temporary taints, from the node lifecycle controller and from a cordon.
_TEMPORARY_TAINT = "node.kubernetes.io/"
_OWN_LABELS = (HOSTNAME, "topology.ebs.csi.aws.com/zone-id")
_COPIED_STATUS = ("allocatable", "capacity", "images", "declaredFeatures")
MOST_SHAPES = 12


def nodes_by_shape(store: ObjectStore) -> list[Node]:
    """Return the first node of each shape: equal allocatable resources, taints, and labels except its own name."""
    first_nodes: dict[str, Node] = {}
    for node in store.list("Node"):
        first_nodes.setdefault(_shape(node), node)
    return list(first_nodes.values())


def _shape(node: Node) -> str:
    labels = {key: value for key, value in node.labels.items() if value != node.name}
    taints = sorted(str(taint) for taint in node.taints if not taint.key.startswith(_TEMPORARY_TAINT))
    return json.dumps([sorted(labels.items()), sorted(node.allocatable.items()), taints])


def new_node(node: Node, name: str) -> dict[str, Any]:
    """Return the manifest of a new node of the same shape: ready, empty and not cordoned."""
    manifest = mutable_copy(manifest_of(node))
    labels = {
        key: name if value == node.name else value
        for key, value in ((manifest.get("metadata") or {}).get("labels") or {}).items()
    }
    spec: Mapping[str, Any] = manifest.get("spec") or {}
    taints = [taint for taint in spec.get("taints") or () if not str(taint.get("key")).startswith(_TEMPORARY_TAINT)]
    status = {key: value for key, value in (manifest.get("status") or {}).items() if key in _COPIED_STATUS}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        **({"spec": {"taints": taints}} if taints else {}),
        "status": status,
    }


def new_names(store: ObjectStore, base: str) -> Iterator[str]:
    number = 1
    while True:
        name = f"{base}-new-{number}"
        if store.get("Node", name) is None:
            yield name
        number += 1


def add_node_edits(store: ObjectStore, prices: Prices) -> list[Edit]:
    """Return edits that add one node of each of the first MOST_SHAPES shapes."""
    cost = prices.cost_of("add_node")
    if cost is None:
        return []
    edits = []
    for node in nodes_by_shape(store)[:MOST_SHAPES]:
        name = next(new_names(store, node.name))
        manifest = new_node(node, name)
        cpu, memory = (format_amount(key, node.allocatable.get(key, 0)) for key in ("cpu", "memory"))
        sentence = ADD(node=node.name, cpu=cpu, memory=memory)
        text = create_command_line(manifest)
        of = Ref("Node", name)
        edits.append(
            Edit("add_node", of, "", "", cost, sentence, text, shape=f"add node {cpu} {memory}", made=(manifest,))
        )
    return edits
