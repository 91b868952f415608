"""InterPodAffinity's args: the weight of existing pods' terms."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from kube_objects.text.problems import Problem
from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.config.field_errors import child, invalid
from scheduler_core.config.fields import wire
from scheduler_core.config.help import Help


@dataclass(frozen=True, slots=True)
class InterPodAffinityArgs:
    hard_pod_affinity_weight: int = field(default=1, metadata=wire("*int32"))
    ignore_preferred_terms_of_existing_pods: bool = field(default=False, metadata=wire("bool", keep=True))


def check(path: str, args: InterPodAffinityArgs) -> Iterator[Problem]:
    weight = args.hard_pod_affinity_weight
    if not 0 <= weight <= 100:
        yield invalid(child(path, "hardPodAffinityWeight"), weight, "not in valid range [0, 100]")


RULES = ArgsRules(
    struct=InterPodAffinityArgs,
    check=check,
    wrong_type="want args to be of type InterPodAffinityArgs, got {}",
    help={
        InterPodAffinityArgs: {
            "hardPodAffinityWeight": Help(
                "What a required affinity term of a running pod counts for when nodes are scored; 0: nothing.", 0, 100
            ),
            "ignorePreferredTermsOfExistingPods": Help("Score by the terms of the new pod only; faster."),
        },
    },
)
