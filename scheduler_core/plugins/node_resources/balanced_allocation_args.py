"""NodeResourcesBalancedAllocation's args: the resources to balance."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from kube_objects.text.problems import Problem
from scheduler_core.config.args.resources import CPU_AND_MEMORY, HELP, ResourceSpec
from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.config.field_errors import child, duplicate, invalid
from scheduler_core.config.fields import wire
from scheduler_core.config.help import Help


@dataclass(frozen=True, slots=True)
class NodeResourcesBalancedAllocationArgs:
    resources: tuple[ResourceSpec, ...] = field(
        default=CPU_AND_MEMORY, metadata=wire("[]v1.ResourceSpec", of=ResourceSpec, zero_unset=True)
    )


def check(path: str, args: NodeResourcesBalancedAllocationArgs) -> Iterator[Problem]:
    seen = set()
    for index, resource in enumerate(args.resources):
        where = child(path, f"resources[{index}]")
        if resource.name in seen:
            yield duplicate(f"{where}.name", resource.name)
        seen.add(resource.name)
        if resource.weight != 1:
            yield invalid(f"{where}.weight", resource.weight, "must be 1")


RULES = ArgsRules(
    struct=NodeResourcesBalancedAllocationArgs,
    check=check,
    wrong_type="want args to be of type NodeResourcesBalancedAllocationArgs, got {}",
    help={
        ResourceSpec: HELP[ResourceSpec],
        NodeResourcesBalancedAllocationArgs: {
            "resources": Help("The resources to balance; their weights must be 1."),
        },
    },
)
