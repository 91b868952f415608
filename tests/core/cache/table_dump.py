"""The contents of a NodeTable as plain data, equal for equal tables whatever their history."""

from dataclasses import dataclass
from typing import Any

from kube_objects.selectors import EXISTS, IN, LabelSelector, Requirement
from scheduler_core.cache.column_types import BoolColumn
from scheduler_core.cache.counts import DomainCounts
from scheduler_core.cache.node_table import NodeTable
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cache.pod_index import PodSelector

RESOURCES = ("cpu", "memory", "pods", "example.com/gpu")
LABELS = ("kubernetes.io/hostname", "topology.kubernetes.io/zone", "disk")
SELECTORS = (
    PodSelector(None, (LabelSelector(),)),
    PodSelector(frozenset({"default"}), (LabelSelector((Requirement("app", EXISTS),)),)),
    PodSelector(None, (LabelSelector(),), terminating=False),
    PodSelector(None, (LabelSelector(), LabelSelector((Requirement("app", IN, ("web", "api")),)))),
    PodSelector(frozenset({"prod"}), (LabelSelector((Requirement("app", IN, ("web", "db")),)),), terminating=False),
)
TERMS = ("requiredAffinity", "requiredAntiAffinity", "preferredAffinity", "preferredAntiAffinity")


@dataclass(frozen=True)
class Uncordoned:
    """A NodeMask of the schedulable Nodes, read from the Node objects."""

    def mask(self, nodes: Nodes) -> BoolColumn:
        return ~nodes.unschedulable


def picture(table: NodeTable) -> dict[str, Any]:
    """Return all readable contents of the table by Node name, without zeros."""
    nodes = Nodes(table)
    names = nodes.names
    columns: dict[str, list[Any]] = {
        "unschedulable": nodes.unschedulable.tolist(),
        "pods": nodes.pod_count.tolist(),
        "lowest priority": nodes.lowest_priority.tolist(),
        "taints": [nodes.taint_lists[code] for code in nodes.taints.tolist()],
    }
    for resource in RESOURCES:
        columns[f"allocatable {resource}"] = nodes.allocatable(resource).tolist()
        columns[f"requested {resource}"] = nodes.requested(resource).tolist()
        columns[f"nonzero {resource}"] = nodes.nonzero_requested(resource).tolist()
    for label in LABELS:
        codes = nodes.label(label).tolist()
        columns[f"label {label}"] = [None if code < 0 else nodes.label_values(label)[code] for code in codes]
    for i, selector in enumerate(SELECTORS):
        columns[f"selector {i}"] = nodes.pods_matching(selector).tolist()
    for kind in TERMS:
        for term in nodes.terms(kind):
            columns[f"{kind} {term.term} {term.weight}"] = nodes.term_counts(term).tolist()
    return {
        "nodes": dict(zip(names, table.nodes, strict=True)),
        "domains": domains(nodes),
        "columns": {key: dict(zip(names, values, strict=True)) for key, values in columns.items()},
        "pods": {name: dict(pods) for name, pods in zip(names, table.pods, strict=True)},
        "ports": table.ports,
        "claims": table.claims,
        "images": table.images,
    }


def domains(nodes: Nodes) -> dict[str, Any]:
    """Return Pods by topology domain: label value → number of Pods, of the domains that have a counted Node."""
    sums: dict[str, Any] = {}

    def note(name: str, label: str, found: DomainCounts) -> None:
        values = zip(nodes.label_values(label), found.counts.tolist(), found.present.tolist(), strict=False)
        sums[name] = {value: count for value, count, present in values if present}
        assert int(found.counts[~found.present].sum()) == 0

    for label in LABELS:
        for i, selector in enumerate(SELECTORS):
            for counted in (None, Uncordoned()):
                note(f"selector {i} {label} {counted}", label, nodes.pods_by_domain(selector, label, counted))
    for kind in TERMS:
        for term in nodes.terms(kind):
            note(f"{kind} {term.term} {term.weight}", term.term.topology_key, nodes.term_by_domain(term))
    return sums
