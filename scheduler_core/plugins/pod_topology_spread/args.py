"""PodTopologySpread's args: the default constraints of pods without their own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kube_objects.sentences import say
from kube_objects.text.hints import did_you_mean
from kube_objects.text.problems import Problem
from scheduler_core.config.args.resources import label_name
from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.config.core import SpreadConstraint, TopologySpreadConstraint
from scheduler_core.config.field_errors import as_json, child, duplicate, forbidden, invalid, not_supported, required
from scheduler_core.config.fields import wire
from scheduler_core.config.help import HIDDEN, Help

SYSTEM_DEFAULTING = "System"
LIST_DEFAULTING = "List"
_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_POLICIES = ("Honor", "Ignore")
_MAX_INT32 = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class PodTopologySpreadArgs:
    default_constraints: tuple[TopologySpreadConstraint, ...] = field(
        default=(), metadata=wire("[]v1.TopologySpreadConstraint", of=TopologySpreadConstraint)
    )
    defaulting_type: str = field(
        default=SYSTEM_DEFAULTING, metadata=wire("v1.PodTopologySpreadConstraintsDefaulting", zero_unset=True)
    )


def check(path: str, args: PodTopologySpreadArgs) -> Iterator[Problem]:
    where = child(path, "defaultingType")
    if args.defaulting_type not in (SYSTEM_DEFAULTING, LIST_DEFAULTING):
        yield not_supported(where, args.defaulting_type, (SYSTEM_DEFAULTING, LIST_DEFAULTING))
    elif args.defaulting_type == SYSTEM_DEFAULTING and args.default_constraints:
        hint = say("set defaultingType: List")
        yield invalid(where, as_json(args.defaulting_type), "when .defaultConstraints are not empty", hint)
    yield from check_constraints(path, args.default_constraints)


def check_constraints(
    path: str, constraints: Sequence[SpreadConstraint], skew_rule: str = "not in valid range (0, inf)"
) -> Iterator[Problem]:
    """Validate default constraints. `skew_rule` is a version's message for a maxSkew below 1."""
    seen = set()
    for index, constraint in enumerate(constraints):
        where = child(path, f"defaultConstraints[{index}]")
        yield from _constraint(where, constraint, skew_rule)
        identity = constraint.topology_key, constraint.when_unsatisfiable
        if identity in seen:
            yield duplicate(where, f"{{{constraint.topology_key}, {constraint.when_unsatisfiable}}}")
        seen.add(identity)


def _constraint(path: str, constraint: SpreadConstraint, skew_rule: str) -> Iterator[Problem]:
    if constraint.max_skew <= 0:
        yield invalid(f"{path}.maxSkew", constraint.max_skew, skew_rule)
    if constraint.topology_key:
        yield from label_name(f"{path}.topologyKey", constraint.topology_key)
    else:
        yield required(f"{path}.topologyKey", "can not be empty")
    action = constraint.when_unsatisfiable
    if not action:
        yield required(f"{path}.whenUnsatisfiable", "can not be empty")
    elif action not in _ACTIONS:
        yield not_supported(f"{path}.whenUnsatisfiable", action, _ACTIONS, did_you_mean(action, _ACTIONS))
    if constraint.label_selector is not None:
        detail = "constraint must not define a selector, as they deduced for each pod"
        yield forbidden(f"{path}.labelSelector", detail)


RULES = ArgsRules(
    struct=PodTopologySpreadArgs,
    check=check,
    wrong_type="want args to be of type PodTopologySpreadArgs, got {}",
    help={
        PodTopologySpreadArgs: {
            "defaultConstraints": Help("For pods that have no constraints of their own; needs defaultingType List."),
            "defaultingType": Help(
                "System: spread softly over zones and hostnames. List: by defaultConstraints.",
                choices=(SYSTEM_DEFAULTING, LIST_DEFAULTING),
            ),
        },
        TopologySpreadConstraint: {
            "maxSkew": Help("The most that two domains may differ by, in pods.", least=1, most=_MAX_INT32),
            "topologyKey": Help("Label of the nodes whose values are the domains."),
            "whenUnsatisfiable": Help("Rule out the node, or only score it lower.", choices=_ACTIONS),
            "labelSelector": HIDDEN,
            "minDomains": Help("Count as many domains at least; with fewer the lowest count is 0.", least=1),
            "nodeAffinityPolicy": Help("Honor: only nodes that the pod's affinity allows count.", choices=_POLICIES),
            "nodeTaintsPolicy": Help("Honor: only nodes whose taints it tolerates count.", choices=_POLICIES),
            "matchLabelKeys": Help("Pods are counted apart by these labels of theirs."),
        },
    },
)
