"""NodeAffinity's args: an affinity that is added to every pod of the profile."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from kube_objects.text.problems import Problem
from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.config.core import (
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PreferredSchedulingTerm,
    V1NodeAffinity,
)
from scheduler_core.config.field_errors import child
from scheduler_core.config.fields import wire
from scheduler_core.config.help import Help
from scheduler_core.config.validate_node_affinity import validate_node_affinity

_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


@dataclass(frozen=True, slots=True)
class NodeAffinityArgs:
    added_affinity: V1NodeAffinity | None = field(default=None, metadata=wire("*v1.NodeAffinity", of=V1NodeAffinity))


def check(path: str, args: NodeAffinityArgs) -> Iterator[Problem]:
    if args.added_affinity is not None:
        yield from validate_node_affinity(child(path, "addedAffinity"), args.added_affinity)


RULES = ArgsRules(
    struct=NodeAffinityArgs,
    check=check,
    wrong_type="args are not of type NodeAffinityArgs, got {}",
    repeats=True,
    help={
        NodeAffinityArgs: {
            "addedAffinity": Help("A node affinity for every pod of this profile, beside its own."),
        },
        V1NodeAffinity: {
            "requiredDuringSchedulingIgnoredDuringExecution": Help("Nodes must match one of the terms."),
            "preferredDuringSchedulingIgnoredDuringExecution": Help("Nodes that match score higher."),
        },
        NodeSelector: {"nodeSelectorTerms": Help("One of these must match.")},
        NodeSelectorTerm: {
            "matchExpressions": Help("Requirements on labels; all must hold."),
            "matchFields": Help("Requirements on metadata.name; all must hold."),
        },
        PreferredSchedulingTerm: {
            "weight": Help("How much a match counts beside the other terms."),
            "preference": Help("What a node should match."),
        },
        NodeSelectorRequirement: {
            "key": Help("Label, or the field metadata.name."),
            "operator": Help("How key and values belong together.", choices=_OPERATORS),
            "values": Help("In and NotIn: the list. Gt and Lt: one whole number. Exists, DoesNotExist: none."),
        },
    },
)
