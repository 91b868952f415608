"""Node. Source: pkg/apis/core/v1/defaults.go SetDefaults_NodeStatus, pkg/apis/core/validation ValidateNode."""

from collections.abc import Mapping
from typing import Any

from kube_objects import field_errors, names, read
from kube_objects.kinds.form import IDENTITY, Input, Section
from kube_objects.kinds.kind import NEEDED_FIRST, Kind
from kube_objects.kinds.written import Written
from kube_objects.node import ContainerImage, Node
from kube_objects.parsers.meta import read_meta
from kube_objects.parsers.resources import resource_list
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL
from kube_objects.requests import in_units
from kube_objects.sentences import quoted
from kube_objects.taints import NO_EXECUTE, NO_SCHEDULE, PREFER_NO_SCHEDULE, Taint
from kube_objects.text.problems import Problem


def parse(manifest: Manifest, problems: Problems) -> Node:
    meta = read_meta("Node", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    status = read.mapping(manifest, "status", "", problems) or {}
    capacity = in_units(resource_list(status, "capacity", "status", problems))
    allocatable = capacity
    if status.get("allocatable") is not None:
        allocatable = in_units(resource_list(status, "allocatable", "status", problems))
    return Node(
        **meta,
        unschedulable=read.boolean(spec, "unschedulable", "spec", problems),
        taints=_taints(spec, problems) if spec.get("taints") is not None else (),
        allocatable=allocatable,
        capacity=capacity,
        images=_images(status, problems) if status.get("images") is not None else (),
        conditions={
            read.text(item, "type", path, problems): read.text(item, "status", path, problems)
            for path, item in read.mappings(status, "conditions", "status", problems)
        },
        declared_features=read.texts(status, "declaredFeatures", "status", problems),
    )


def _taints(spec: Manifest, problems: Problems) -> tuple[Taint, ...]:
    """Source: validateNodeTaints."""
    taints = []
    seen = set()
    effects = (NO_EXECUTE, NO_SCHEDULE, PREFER_NO_SCHEDULE)
    for path, item in read.mappings(spec, "taints", "spec", problems):
        key = read.required_text(item, "key", path, problems)
        if key and (rule := names.qualified_name(key)):
            problems.append(Problem(f"{path}.key", key, rule))
        value = read.text(item, "value", path, problems)
        if rule := names.label_value(value):
            problems.append(Problem(f"{path}.value", value, rule))
        effect = read.choice(item, "effect", path, problems, effects)
        if not effect:
            problems.append(field_errors.required(f"{path}.effect", field_errors.one_of(effects)))
        if (key, effect) in seen:
            problems.append(Problem(path, f"{key}:{effect}", quoted("taints must be unique by key and effect pair")))
        seen.add((key, effect))
        taints.append(Taint(key, value, effect))
    return tuple(taints)


def _images(status: Manifest, problems: Problems) -> tuple[ContainerImage, ...]:
    return tuple(
        ContainerImage(
            read.texts(item, "names", path, problems),
            read.integer(item, "sizeBytes", path, problems, 0, read.INT64 - 1) or 0,
        )
        for path, item in read.mappings(status, "images", "status", problems)
    )


def _to_apply(cleaned: dict[str, Any], manifest: Mapping[str, Any]) -> None:
    """Return the manifest with its status, as kubelets create it; without it no Pod would fit."""
    status = manifest.get("status")
    if status:
        cleaned["status"] = {name: status[name] for name in ("capacity", "allocatable") if name in status}


_ALLOCATABLE = ("status", "allocatable")

KIND = Kind(
    name="Node",
    type=Node,
    parse=parse,
    fields={
        "spec": {"unschedulable": ALL, "taints": {"key": ALL, "value": ALL, "effect": ALL}},
        "status": {
            "allocatable": ALL,
            "capacity": ALL,
            "images": ALL,
            "conditions": {"type": ALL, "status": ALL},
            "declaredFeatures": ALL,
        },
    },
    written=(Written("unschedulable", "spec", "unschedulable", bool, lambda value, _: value or None),),
    event_words={
        "Add": "new node",
        "Delete": "a node was deleted",
        "UpdateNodeAllocatable": "a node's capacity changed",
        "UpdateNodeLabel": "a node's labels changed",
        "UpdateNodeTaint": "a node's taints changed, or its cordon was lifted",
        "UpdateNodeCondition": "a node's conditions changed",
        "UpdateNodeAnnotation": "a node's annotations changed",
    },
    form=(
        IDENTITY,
        Section(
            "Offers",
            (
                Input("CPU", (*_ALLOCATABLE, "cpu"), hint="4"),
                Input("memory", (*_ALLOCATABLE, "memory"), hint="16Gi"),
                Input("pods", (*_ALLOCATABLE, "pods"), hint="110"),
                Input("other resources", _ALLOCATABLE, "map", "nvidia.com/gpu", without=("cpu", "memory", "pods")),
            ),
        ),
        Section(
            "Keeps away",
            (
                Input("cordoned", ("spec", "unschedulable"), "check"),
                Input(
                    "taints",
                    ("spec", "taints"),
                    "rows",
                    columns=(
                        Input("key", ("key",)),
                        Input("value", ("value",)),
                        Input("effect", ("effect",), "choice"),
                    ),
                ),
            ),
        ),
    ),
    applied=NEEDED_FIRST + 4,
    to_apply=_to_apply,
)
