"""Convert a Policy to the plugin sets and args of its one profile.

Source (v1.20): pkg/scheduler/framework/plugins/legacy_registry.go ProcessPredicatePolicy, ProcessPriorityPolicy,
AppendPredicateConfigs, AppendPriorityConfigs.
"""

from dataclasses import dataclass, field
from typing import Any

from kube_objects.text.go import quote
from kube_objects.text.problems import Problem
from scheduler_core.config.errors import ConfigError
from scheduler_core.config.types import PluginRef
from scheduler_core.legacy.args import (
    InterPodAffinityArgs,
    NodeLabelArgs,
    PodTopologySpreadArgs,
    RequestedToCapacityRatioArgs,
    ServiceAffinityArgs,
)
from scheduler_core.legacy.policy.policy_file import check_predicate_name, check_priority_name
from scheduler_core.legacy.policy.table import (
    DEFAULT_PREDICATES,
    DEFAULT_PRIORITIES,
    EQUAL_PRIORITY,
    LABELS_PRESENCE,
    MANDATORY_PREDICATES,
    PREDICATE_ALIASES,
    PREDICATES,
    PRIORITIES,
    PRIORITY_ALIASES,
    SERVICE_AFFINITY,
    SPREAD,
    VOLUME_BINDING,
)
from scheduler_core.legacy.policy.types import Policy, PredicatePolicy, PriorityPolicy
from scheduler_core.legacy.versions import POINTS, Gates, PluginLists, spreads_by_default

ALWAYS = {"queueSort": "PrioritySort", "postFilter": "DefaultPreemption", "bind": "DefaultBinder"}
NIL_POINTER = "runtime error: invalid memory address or nil pointer dereference"


@dataclass(slots=True)
class PolicyArgs:
    """The combined arguments of all predicates and priorities; None if there are none."""

    present: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    prefer_present: list[str] = field(default_factory=list)
    prefer_absent: list[str] = field(default_factory=list)
    affinity_labels: list[str] = field(default_factory=list)
    spread_labels: list[str] = field(default_factory=list)
    ratio: RequestedToCapacityRatioArgs | None = None
    hard_pod_affinity_weight: int = 0
    has_node_label: bool = False
    has_service_affinity: bool = False


@dataclass(slots=True)
class PolicyPlugins:
    """The plugins of a Policy; `args` by plugin name, only those that the Policy sets."""

    lists: PluginLists
    args: dict[str, Any]


def convert_policy(policy: Policy, gates: Gates) -> PolicyPlugins:
    """Return a Policy's plugins. Raises ConfigError of stage fatal or panic if v1.20.2 exits or crashes."""
    args = PolicyArgs(hard_pod_affinity_weight=policy.hard_pod_affinity_symmetric_weight)
    if policy.predicates is None:
        predicates = set(DEFAULT_PREDICATES)
    else:
        predicates = {predicate_key(p, args, f"predicates[{i}]") for i, p in enumerate(policy.predicates)}
    if policy.priorities is None:
        priorities = dict(DEFAULT_PRIORITIES)
    else:
        priorities = {}
        for index, priority in enumerate(policy.priorities):
            if priority.name != EQUAL_PRIORITY:
                priorities[priority_key(priority, args, f"priorities[{index}]")] = priority.weight
    maker = _PolicyConverter(args, gates)
    for key in PREDICATES:
        if key in predicates or key in MANDATORY_PREDICATES:
            maker.add_predicate(key)
    for key in sorted(priorities):
        maker.add_priority(key, priorities[key])
    return PolicyPlugins({point: tuple(maker.lists[point].values()) for point in POINTS}, maker.args)


def predicate_key(predicate: PredicatePolicy, args: PolicyArgs, path: str) -> str:
    """Return the predicate's row of PREDICATES; its argument is added to `args`."""
    argument = predicate.argument
    if argument is not None:
        _require_one_argument("predicate", predicate.name, (argument.service_affinity, argument.labels_presence), path)
    key = PREDICATE_ALIASES.get(predicate.name, predicate.name)
    if key in PREDICATES:
        return key  # an argument under the predicate's own name is passed over
    if argument is None:
        raise ConfigError("fatal", [check_predicate_name(predicate.name, f"{path}.name")])
    if argument.service_affinity is not None:
        args.has_service_affinity = True
        args.affinity_labels += argument.service_affinity.labels
        return SERVICE_AFFINITY
    assert argument.labels_presence is not None  # exactly one of the two is there
    args.has_node_label = True
    labels = args.present if argument.labels_presence.presence else args.absent
    labels += argument.labels_presence.labels
    return LABELS_PRESENCE


def priority_key(priority: PriorityPolicy, args: PolicyArgs, path: str) -> str:
    """Return the priority's row of PRIORITIES; its argument is added to `args`."""
    argument = priority.argument
    if argument is not None:
        kinds = (
            argument.service_anti_affinity,
            argument.label_preference,
            argument.requested_to_capacity_ratio_arguments,
        )
        _require_one_argument("priority", priority.name, kinds, path)
    key = PRIORITY_ALIASES.get(priority.name, priority.name)
    if key in PRIORITIES:
        return key
    if argument is None:
        raise ConfigError("fatal", [check_priority_name(key, f"{path}.name")])
    if argument.service_anti_affinity is not None:
        args.has_service_affinity = True
        args.spread_labels.append(argument.service_anti_affinity.label)
        return "ServiceAffinity"
    if argument.label_preference is not None:
        args.has_node_label = True
        labels = args.prefer_present if argument.label_preference.presence else args.prefer_absent
        labels.append(argument.label_preference.label)
        return "NodeLabel"
    ratio = argument.requested_to_capacity_ratio_arguments
    assert ratio is not None  # exactly one of the three is there
    args.ratio = RequestedToCapacityRatioArgs(ratio.shape, ratio.resources)
    return "RequestedToCapacityRatio"


def _require_one_argument(what: str, name: str, kinds: tuple[object, ...], path: str) -> None:
    count = sum(kind is not None for kind in kinds)
    if count != 1:
        title = what.capitalize()
        text = f"Exactly 1 {what} argument is required, numArgs: {count}, {title}: {name}"
        raise ConfigError("fatal", [Problem(f"{path}.argument", None, text, text=text)])


class _PolicyConverter:
    def __init__(self, given: PolicyArgs, gates: Gates) -> None:
        self._given = given
        self._spreads_by_default = spreads_by_default(gates)
        self.lists: dict[str, dict[str, PluginRef]] = {point: {} for point in POINTS}
        self.args: dict[str, Any] = {}
        for point, plugin in ALWAYS.items():
            self._add(point, plugin)

    def _add(self, point: str, plugin: str, weight: int = 0) -> None:
        """Add a plugin; one that was added before keeps its position and weight."""
        self.lists[point].setdefault(plugin, PluginRef(plugin, weight))

    def add_predicate(self, key: str) -> None:
        row = PREDICATES[key]
        for plugin in row.plugins:
            self._add("filter", plugin)
        for plugin in row.pre_filter:
            self._add("preFilter", plugin)
        if key == VOLUME_BINDING:
            self._add("reserve", "VolumeBinding")
            self._add("preBind", "VolumeBinding")
        if key == LABELS_PRESENCE and self._given.has_node_label:
            self.args["NodeLabel"] = self._node_label()
        if key == SERVICE_AFFINITY and self._given.has_service_affinity:
            self.args["ServiceAffinity"] = self._service_affinity()

    def add_priority(self, key: str, weight: int) -> None:
        row, policy_args = PRIORITIES[key], self._given
        plugin, weight = row.plugin, wrap_int32(weight)
        if key in SPREAD and self._spreads_by_default:
            plugin = "PodTopologySpread"
            system = key == "SelectorSpreadPriority"
            if system or plugin not in self.args:
                self.args[plugin] = PodTopologySpreadArgs(defaulting_type="System" if system else "List")
        if key == "NodeLabel":
            self._need(policy_args.has_node_label, key)
            weight = wrap_int32(weight * len(policy_args.prefer_present + policy_args.prefer_absent))
            self.args[key] = self._node_label()
        elif key == "ServiceAffinity":
            self._need(policy_args.has_service_affinity, key)
            weight = wrap_int32(weight * len(policy_args.spread_labels))
            self.args[key] = self._service_affinity()
        elif key == "RequestedToCapacityRatio" and policy_args.ratio is not None:
            self.args[key] = policy_args.ratio
        elif key == "InterPodAffinityPriority" and policy_args.hard_pod_affinity_weight:
            self.args[plugin] = InterPodAffinityArgs(policy_args.hard_pod_affinity_weight)
        if row.pre_score:
            self._add("preScore", plugin)
        self._add("score", plugin, weight)

    @staticmethod
    def _need(is_there: bool, priority: str) -> None:
        if not is_there:
            text = f"{priority} is what priorities with an argument become; without one {quote(priority)} has no args"
            raise ConfigError("panic", [Problem("priorities", None, NIL_POINTER, text, text=NIL_POINTER)])

    def _node_label(self) -> NodeLabelArgs:
        given = self._given
        lists = (given.present, given.absent, given.prefer_present, given.prefer_absent)
        return NodeLabelArgs(*map(tuple, lists))

    def _service_affinity(self) -> ServiceAffinityArgs:
        return ServiceAffinityArgs(tuple(self._given.affinity_labels), tuple(self._given.spread_labels))


def wrap_int32(value: int) -> int:
    """Truncate a weight to 32 bits."""
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)
