"""Parts of several plugins' args: resources with weights, and points of utilization and score."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from kube_objects.text.problems import Problem
from scheduler_core.config.field_errors import invalid, required
from scheduler_core.config.fields import wire
from scheduler_core.config.help import Help
from scheduler_core.config.names import qualified_name_errors

_MAX_SHAPE_SCORE = 10


@dataclass(frozen=True, slots=True)
class ResourceSpec:
    """A resource that is scored; weight 0 means 1."""

    name: str = field(default="", metadata=wire("string", keep=True))
    weight: int = field(default=1, metadata=wire("int64", zero_unset=True))


CPU_AND_MEMORY = (ResourceSpec("cpu"), ResourceSpec("memory"))


@runtime_checkable
class IgnoresResources(Protocol):
    """NodeResourcesFit's args, in which extenders set ignored resources."""

    @property
    def ignored_resources(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class UtilizationShapePoint:
    """A point of a scoring function: `utilization` 0 to 100 percent, `score` 0 to 10."""

    utilization: int = field(default=0, metadata=wire("int32", keep=True))
    score: int = field(default=0, metadata=wire("int32", keep=True))


HELP = {
    ResourceSpec: {
        "name": Help("cpu, memory, ephemeral-storage, or an extended resource."),
        "weight": Help("How much it counts beside the others.", 1, 100),
    },
    UtilizationShapePoint: {
        "utilization": Help("Used share, in percent.", 0, 100),
        "score": Help("Score there.", 0, 10),
    },
}


def label_name(path: str, name: str) -> Iterator[Problem]:
    for error in qualified_name_errors(name):
        yield invalid(path, name, error)


def weights(path: str, resources: tuple[ResourceSpec, ...]) -> Iterator[Problem]:
    for index, resource in enumerate(resources):
        if not 0 < resource.weight <= 100:
            detail = f"resource weight of {resource.name} not in valid range (0, 100]"
            yield invalid(f"{path}[{index}].weight", resource.weight, detail)


def shape(path: str, points: tuple[UtilizationShapePoint, ...]) -> Iterator[Problem]:
    if not points:
        yield required(path, "at least one point must be specified")
        return
    for index in range(1, len(points)):
        utilization = points[index].utilization
        if points[index - 1].utilization >= utilization:
            yield invalid(f"{path}[{index}].utilization", utilization, "values must be sorted in increasing order")
            break
    for index, point in enumerate(points):
        if not 0 <= point.utilization <= 100:
            yield invalid(f"{path}[{index}].utilization", point.utilization, "not in valid range [0, 100]")
        if not 0 <= point.score <= _MAX_SHAPE_SCORE:
            yield invalid(f"{path}[{index}].score", point.score, f"not in valid range [0, {_MAX_SHAPE_SCORE}]")
