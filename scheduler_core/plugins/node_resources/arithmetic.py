"""Resource use on one node, for the explanations of the resource plugins' scores."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kube_objects.names import STANDARD_CONTAINER_RESOURCES, is_scalar_resource
from kube_objects.sentences import Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.config.args.resources import ResourceSpec
from scheduler_core.facts.calculation import CalculationLine

NOT_REQUESTED = Template("left out: the pod does not ask for it")
NONE_THERE = Template("left out: the node has none of it")


@dataclass(slots=True, frozen=True)
class Use:
    """One resource on one node: the amount requested with the pod on it, and the allocatable amount."""

    spec: ResourceSpec
    requested: int
    allocatable: int


def used_resources(
    node: NodeView, resources: Iterable[ResourceSpec], request: Mapping[str, int], nonzero: bool, added: bool = True
) -> tuple[list[Use], list[CalculationLine]]:
    """Return (the resources that count, lines about those that don't).

    `nonzero` counts cpu and memory with defaults for containers that request none. `added` counts the pod as if it ran
    on the node.
    """
    counted: list[Use] = []
    left_out: list[CalculationLine] = []
    for spec in resources:
        requested, total = request.get(spec.name, 0), node.allocatable(spec.name)
        standard = spec.name in STANDARD_CONTAINER_RESOURCES
        if not standard and not (requested and is_scalar_resource(spec.name)):
            left_out.append(CalculationLine(NOT_REQUESTED(), of=spec.name))
        elif not total:
            left_out.append(CalculationLine(NONE_THERE(), of=spec.name))
        else:
            with_defaults = nonzero and spec.name in ("cpu", "memory")
            before = node.nonzero_requested(spec.name) if with_defaults else node.requested(spec.name)
            counted.append(Use(spec, before + requested if added else before, total))
    return counted, left_out
