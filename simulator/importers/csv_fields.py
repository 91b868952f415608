"""Fields that a CSV column can hold, and the manifest that a row becomes. See docs/reference/file-formats.md."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kube_objects.read import child
from kube_objects.sentences import quoted

GPU = "nvidia.com/gpu"
GPU_MODEL_LABEL = "gpu-model"
DEFAULT_POD_COUNT = "110"
IMAGE = "trace"

Row = Mapping[str, str]
"""CsvField → cell, without empty cells."""

Rule = Callable[[str], str]
"""A check that returns the rule which a cell breaks, or ""."""


def whole_number(cell: str) -> str:
    return "" if cell.isascii() and cell.isdigit() and len(cell) <= 18 else "must be a whole number of at least 0"


def integer(cell: str) -> str:
    return whole_number(cell.removeprefix("-")) and quoted("must be an integer")


def anything(_: str) -> str:
    """Accept any cell, because validation of the resulting object gives better messages."""
    return ""


@dataclass(frozen=True, slots=True)
class CsvField:
    """A field with the check of its cells; `path` is its place in the manifest, which maps problems back to cells."""

    rule: Rule
    path: str = ""


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of CSV file: the kind of its objects, its fields, and alternative names of columns.

    A column can also be `label:<key>` or `resource:<name>`; `resources_path` is the place of the latter in the
    manifest.
    """

    name: str
    kind: str
    resources_path: str
    fields: Mapping[str, CsvField]
    aliases: Mapping[str, str]
    manifest: Callable[[Row], dict[str, Any]]

    def field(self, name: str) -> CsvField | None:
        """Return the field of this name, or None."""
        prefix, _, key = name.partition(":")
        if prefix == "label" and key:
            return CsvField(anything, child("metadata.labels", key))
        if prefix == "resource" and key:
            return CsvField(anything, child(self.resources_path, key))
        return self.fields.get(name)


def _node(row: Row) -> dict[str, Any]:
    capacity = {**_cpu_and_memory(row), "pods": row.get("pods", DEFAULT_POD_COUNT)}
    if int(row.get("gpu", "0")):
        capacity[GPU] = str(int(row["gpu"]))
    capacity.update(_prefixed(row, "resource:"))
    labels = {"kubernetes.io/hostname": row.get("name", "")}
    for name, key in (
        ("model", GPU_MODEL_LABEL),
        ("zone", "topology.kubernetes.io/zone"),
        ("region", "topology.kubernetes.io/region"),
    ):
        if name in row:
            labels[key] = row[name]
    labels.update(_prefixed(row, "label:"))
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": row.get("name", ""), "labels": labels},
        "status": {"capacity": capacity},
    }


def _pod(row: Row) -> dict[str, Any]:
    requests, limits = _cpu_and_memory(row), {}
    if int(row.get("num_gpu", "0")):
        requests[GPU] = limits[GPU] = str(int(row["num_gpu"]))
    for name, amount in _prefixed(row, "resource:").items():
        requests[name] = limits[name] = amount
    container = {"name": "main", "image": IMAGE, "resources": {"requests": requests, "limits": limits}}
    metadata: dict[str, Any] = {"name": row.get("name", ""), "namespace": row.get("namespace", "default")}
    if labels := _prefixed(row, "label:"):
        metadata["labels"] = labels
    spec: dict[str, Any] = {"containers": [container]}
    if "gpu_spec" in row:
        expression = {"key": GPU_MODEL_LABEL, "operator": "In", "values": row["gpu_spec"].split("|")}
        terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
        spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    if "priority" in row:
        spec["priority"] = int(row["priority"])
    if "scheduler_name" in row:
        spec["schedulerName"] = row["scheduler_name"]
    manifest: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    if "node_name" in row:
        spec["nodeName"] = row["node_name"]
        manifest["status"] = {"phase": "Running"}
    return manifest


def _cpu_and_memory(row: Row) -> dict[str, str]:
    amounts = {}
    if "cpu_milli" in row:
        amounts["cpu"] = f"{int(row['cpu_milli'])}m"
    elif "cpu" in row:
        amounts["cpu"] = row["cpu"]
    if "memory_mib" in row:
        amounts["memory"] = f"{int(row['memory_mib'])}Mi"
    elif "memory" in row:
        amounts["memory"] = row["memory"]
    return amounts


def _prefixed(row: Row, prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): cell for name, cell in row.items() if name.startswith(prefix)}


_COUNT = CsvField(whole_number)

NODES = FileKind(
    name="nodes",
    kind="Node",
    resources_path="status.capacity",
    fields={
        "name": CsvField(anything, "metadata.name"),
        "cpu": CsvField(anything, "status.capacity.cpu"),
        "cpu_milli": _COUNT,
        "memory": CsvField(anything, "status.capacity.memory"),
        "memory_mib": _COUNT,
        "pods": _COUNT,
        "gpu": _COUNT,
        "model": CsvField(anything, f"metadata.labels.{GPU_MODEL_LABEL}"),
        "zone": CsvField(anything, "metadata.labels[topology.kubernetes.io/zone]"),
        "region": CsvField(anything, "metadata.labels[topology.kubernetes.io/region]"),
    },
    aliases={"sn": "name"},
    manifest=_node,
)
PODS = FileKind(
    name="pods",
    kind="Pod",
    resources_path="spec.containers[0].resources.requests",
    fields={
        "name": CsvField(anything, "metadata.name"),
        "namespace": CsvField(anything, "metadata.namespace"),
        "cpu": CsvField(anything, "spec.containers[0].resources.requests.cpu"),
        "cpu_milli": _COUNT,
        "memory": CsvField(anything, "spec.containers[0].resources.requests.memory"),
        "memory_mib": _COUNT,
        "num_gpu": _COUNT,
        "gpu_spec": CsvField(anything),
        "priority": CsvField(integer, "spec.priority"),
        "scheduler_name": CsvField(anything, "spec.schedulerName"),
        "node_name": CsvField(anything, "spec.nodeName"),
    },
    aliases={},
    manifest=_pod,
)
