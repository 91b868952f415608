"""The schema that editors complete from: every field that is read, with the types and values that the parsers want."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from kube_objects.kinds.table import DESCRIBED
from kube_objects.read_fields import Fields
from kube_objects.schema import schema
from kube_objects.unused import unused_paths

FIELDS = [
    # kind, path, want
    ("Pod", "spec.preemptionPolicy", ("text", ["Never", "PreemptLowerPriority"])),
    ("Pod", "spec.priority", ("integer", [])),
    ("Pod", "spec.hostNetwork", ("boolean", [])),
    ("Pod", "spec.tolerations", ("list", [])),
    ("Pod", "spec.tolerations.effect", ("text", ["NoExecute", "NoSchedule", "PreferNoSchedule"])),
    ("Pod", "spec.containers.resources.requests", ("mapping", [])),
    (
        "Pod",
        "spec.topologySpreadConstraints.whenUnsatisfiable",
        ("text", ["DoNotSchedule", "ScheduleAnyway"]),
    ),
    (
        "Pod",
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
        ".nodeSelectorTerms.matchFields.operator",
        ("text", ["In", "NotIn"]),
    ),
    ("Pod", "metadata.creationTimestamp", ("time", [])),
    ("Node", "spec.unschedulable", ("boolean", [])),
    ("Service", "spec.selector", ("mapping", [])),
    ("PodDisruptionBudget", "spec.selector.matchExpressions.values", ("list", [])),
    (
        "PersistentVolumeClaim",
        "spec.accessModes",
        ("list", ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]),
    ),
    ("CSIStorageCapacity", "capacity", ("quantity", [])),
    ("StorageClass", "volumeBindingMode", ("text", ["Immediate", "WaitForFirstConsumer"])),
]


def paths(fields: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, field in fields.items():
        yield f"{before}{name}", field
        yield from paths(field.get("fields", {}), f"{before}{name}.")


def read_paths(fields: Fields, before: str = "") -> Iterator[str]:
    for name, below in fields.items():
        yield f"{before}{name}"
        yield from read_paths(below or {}, f"{before}{name}.")


@pytest.mark.parametrize(("kind", "path", "want"), FIELDS)
def test_fields_are_as_the_parsers_want_them(kind: str, path: str, want: tuple[str, list[str]]) -> None:
    field = dict(paths(schema()[kind]["fields"]))[path]
    assert (field["type"], field.get("values", [])) == want


def test_every_kind_and_every_field_that_is_read_is_there() -> None:
    assert set(schema()) == set(DESCRIBED)
    for kind, described in schema().items():
        found = {path for path, _ in paths(described["fields"])}
        assert set(read_paths(DESCRIBED[kind].fields)) <= found, kind


def test_nothing_is_completed_that_would_be_unused() -> None:
    for kind, described in schema().items():
        manifest = {name: value for name, value in _filled(described["fields"]).items() if name != "metadata"}
        assert unused_paths(kind, manifest) == set(), kind


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Every field with something in it."""
    filled: dict[str, Any] = {}
    for name, field in fields.items():
        value: Any = _filled(field["fields"]) if "fields" in field else "x"
        filled[name] = [value] if field["type"] == "list" else value
    return filled


def test_namespaces() -> None:
    namespaced = {kind for kind, described in schema().items() if described["namespaced"]}
    assert {"Pod", "Service", "PersistentVolumeClaim", "PodDisruptionBudget"} <= namespaced
    assert not {"Node", "Namespace", "PriorityClass", "PersistentVolume", "StorageClass", "CSINode"} & namespaced
