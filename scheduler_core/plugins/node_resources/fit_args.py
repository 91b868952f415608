"""NodeResourcesFit's args: ignored resources and the scoring strategy."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from kube_objects.text.hints import did_you_mean
from kube_objects.text.problems import Problem
from scheduler_core.config.args.resources import (
    CPU_AND_MEMORY,
    HELP,
    ResourceSpec,
    UtilizationShapePoint,
    label_name,
    shape,
    weights,
)
from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.config.errors import BuildError, BuildPanicError
from scheduler_core.config.field_errors import child, forbidden, invalid, not_supported, required
from scheduler_core.config.fields import wire
from scheduler_core.config.help import Help

LEAST_ALLOCATED = "LeastAllocated"
MOST_ALLOCATED = "MostAllocated"
REQUESTED_TO_CAPACITY_RATIO = "RequestedToCapacityRatio"
STRATEGIES = (LEAST_ALLOCATED, MOST_ALLOCATED, REQUESTED_TO_CAPACITY_RATIO)


@dataclass(frozen=True, slots=True)
class RequestedToCapacityRatio:
    shape: tuple[UtilizationShapePoint, ...] | None = field(
        default=None, metadata=wire("[]v1.UtilizationShapePoint", of=UtilizationShapePoint)
    )


@dataclass(frozen=True, slots=True)
class ScoringStrategy:
    """A scoring strategy.

    `type` is LEAST_ALLOCATED, MOST_ALLOCATED or REQUESTED_TO_CAPACITY_RATIO, without a default.
    """

    type: str = field(default="", metadata=wire("v1.ScoringStrategyType"))
    resources: tuple[ResourceSpec, ...] = field(
        default=CPU_AND_MEMORY, metadata=wire("[]v1.ResourceSpec", of=ResourceSpec, zero_unset=True)
    )
    requested_to_capacity_ratio: RequestedToCapacityRatio | None = field(
        default=None, metadata=wire("*v1.RequestedToCapacityRatioParam", of=RequestedToCapacityRatio)
    )


@dataclass(frozen=True, slots=True)
class NodeResourcesFitArgs:
    ignored_resources: tuple[str, ...] = field(default=(), metadata=wire("[]string"))
    ignored_resource_groups: tuple[str, ...] = field(default=(), metadata=wire("[]string"))
    scoring_strategy: ScoringStrategy | None = field(
        default=ScoringStrategy(LEAST_ALLOCATED), metadata=wire("*v1.ScoringStrategy", of=ScoringStrategy)
    )


def _ignored_resources(path: str, args: NodeResourcesFitArgs) -> Iterator[Problem]:
    for index, name in enumerate(args.ignored_resources):
        yield from label_name(child(path, f"ignoredResources[{index}]"), name)
    for index, group in enumerate(args.ignored_resource_groups):
        where = child(path, f"ignoredResourceGroups[{index}]")
        if "/" in group:
            yield invalid(where, group, "resource group name can't contain '/'")
        yield from label_name(where, group)


def _type_and_resources(where: str, strategy: ScoringStrategy) -> Iterator[Problem]:
    if strategy.type not in STRATEGIES:
        hint = did_you_mean(strategy.type, STRATEGIES)
        yield not_supported(f"{where}.type", strategy.type, STRATEGIES, hint)
    yield from weights(f"{where}.resources", strategy.resources)


def check(path: str, args: NodeResourcesFitArgs) -> Iterator[Problem]:
    yield from _ignored_resources(path, args)
    strategy = args.scoring_strategy
    if strategy is None:
        return
    where = child(path, "scoringStrategy")
    yield from _type_and_resources(where, strategy)
    if strategy.requested_to_capacity_ratio is not None:
        yield from shape(f"{where}.shape", strategy.requested_to_capacity_ratio.shape or ())


def check_1_36(path: str, args: NodeResourcesFitArgs) -> Iterator[Problem]:
    yield from _ignored_resources(path, args)
    where, strategy = child(path, "scoringStrategy"), args.scoring_strategy
    if strategy is None:
        yield required(where, "ScoringStrategy field is required")
        return
    yield from _type_and_resources(where, strategy)
    ratio, ratio_path = strategy.requested_to_capacity_ratio, f"{where}.requestedToCapacityRatio"
    if strategy.type != REQUESTED_TO_CAPACITY_RATIO:
        if ratio is not None:
            yield forbidden(ratio_path, "must be nil when type is not RequestedToCapacityRatio")
    elif ratio is None:
        yield required(ratio_path, "must be specified when type is RequestedToCapacityRatio")
    else:
        yield from shape(f"{ratio_path}.shape", ratio.shape or ())


def finish(args: NodeResourcesFitArgs) -> None:
    """Raise the error of upstream's NewFit for incomplete args. Source: noderesources/fit.go NewFit."""
    strategy = args.scoring_strategy
    if strategy is None:
        raise BuildError("scoring strategy not specified", "scoringStrategy")
    if strategy.type == REQUESTED_TO_CAPACITY_RATIO and strategy.requested_to_capacity_ratio is None:
        raise BuildPanicError(
            "scoringStrategy",
            "RequestedToCapacityRatio needs requestedToCapacityRatio.shape; without it the real kube-scheduler crashes",
        )


# Upstream's validation uses a wrong plugin name for these args, so only the plugin itself checks them.
RULES = ArgsRules(
    struct=NodeResourcesFitArgs,
    check=check,
    wrong_type="want args to be of type NodeResourcesFitArgs, got {}",
    validated=False,
    repeats=True,
    finish=finish,
    help={
        **HELP,
        NodeResourcesFitArgs: {
            "ignoredResources": Help("Extended resources that the filter does not look at."),
            "ignoredResourceGroups": Help("Groups of them: example.com stands for example.com/…"),
            "scoringStrategy": Help("Which nodes score high: those with much left, or those with little."),
        },
        ScoringStrategy: {
            "type": Help(
                "LeastAllocated spreads, MostAllocated packs, RequestedToCapacityRatio follows a shape of your own.",
                choices=STRATEGIES,
            ),
            "resources": Help("The resources to look at, and how much each counts."),
            "requestedToCapacityRatio": Help("Needed for RequestedToCapacityRatio: score by used share."),
        },
        RequestedToCapacityRatio: {
            "shape": Help("Points of a line: at this used share this score; at least one, shares rising."),
        },
    },
)
RULES_1_36 = replace(RULES, check=check_1_36)
