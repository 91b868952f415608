"""DefaultPreemption's args: how many candidate nodes preemption looks for."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from kube_objects.text.problems import Problem
from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.config.field_errors import child, invalid
from scheduler_core.config.fields import wire
from scheduler_core.config.help import Help


@dataclass(frozen=True, slots=True)
class DefaultPreemptionArgs:
    min_candidate_nodes_percentage: int = field(default=10, metadata=wire("*int32"))
    min_candidate_nodes_absolute: int = field(default=100, metadata=wire("*int32"))


def check(path: str, args: DefaultPreemptionArgs) -> Iterator[Problem]:
    percentage, absolute = args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute
    percentage_path = child(path, "minCandidateNodesPercentage")
    absolute_path = child(path, "minCandidateNodesAbsolute")
    if not 0 <= percentage <= 100:
        yield invalid(percentage_path, percentage, "not in valid range [0, 100]")
    if absolute < 0:
        yield invalid(absolute_path, absolute, "not in valid range [0, inf)")
    if percentage == absolute == 0:
        same_time = "cannot be zero at the same time as"
        yield invalid(percentage_path, percentage, f"{same_time} minCandidateNodesAbsolute")
        yield invalid(absolute_path, absolute, f"{same_time} minCandidateNodesPercentage")


RULES = ArgsRules(
    struct=DefaultPreemptionArgs,
    check=check,
    wrong_type="got args of type {}, want *DefaultPreemptionArgs",
    help={
        DefaultPreemptionArgs: {
            "minCandidateNodesPercentage": Help("Dry runs of preemption on at least this share of the nodes.", 0, 100),
            "minCandidateNodesAbsolute": Help("… and on at least this many nodes.", least=0),
        },
    },
)
