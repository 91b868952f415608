"""Conversion of an old profile (plugins per extension point with weights and args) to a current profile.

Filters stay filters in the old order, and scores stay scores with the old weights. A plugin runs at all points that its
current version needs for that. Plugins that didn't exist keep their defaults.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube_objects.sentences import say
from scheduler_core.config.args.raw import RawArgs
from scheduler_core.config.encode import encode_fields
from scheduler_core.config.types import PluginRef
from scheduler_core.legacy.args import NodeLabelArgs, RequestedToCapacityRatioArgs, ServiceAffinityArgs
from scheduler_core.legacy.translation.shorten import DEFAULT_WEIGHTS, Entries, shorten_plugin_sets
from scheduler_core.legacy.translation.successors import STRATEGIES, SUCCESSORS
from scheduler_core.plugins.pod_topology_spread.args import LIST_DEFAULTING, SYSTEM_DEFAULTING
from scheduler_core.releases import IN_TREE_POINTS

# The positions of current default plugins that the old lists lack.
_NEW_PLUGIN_POINTS = {
    "preEnqueue": ("SchedulingGates", "DynamicResources"),
    "preFilter": ("DynamicResources",),
    "filter": ("DynamicResources",),
    "reserve": ("DynamicResources",),
    "preBind": ("DynamicResources",),
}
NEW_PLUGINS = ("SchedulingGates", "DynamicResources")
_FIT, _AFFINITY, _SPREAD, _BINDING = "NodeResourcesFit", "NodeAffinity", "PodTopologySpread", "VolumeBinding"
# PodTopologySpread's system default constraints. Source: podtopologyspread/plugin.go systemDefaultConstraints.
_SYSTEM_CONSTRAINTS = (("kubernetes.io/hostname", 3), ("topology.kubernetes.io/zone", 5))


@dataclass(slots=True)
class OldProfile:
    """An old profile.

    `lists`: extension point → plugins, with weights at score; `args` by plugin, only those that were set.
    """

    lists: Mapping[str, Sequence[PluginRef]]
    args: Mapping[str, Any]

    def names(self, point: str) -> list[str]:
        return list(dict.fromkeys(plugin.name for plugin in self.lists.get(point, ())))


@dataclass(slots=True)
class NewProfile:
    """A current profile. `lists` and `weights` are what should run; `plugins` and `args` are the v1 JSON form.

    `notes`: old plugin → what differs.
    """

    lists: dict[str, list[str]]
    weights: dict[str, int]
    args: dict[str, dict[str, Any]]
    notes: dict[str, str]

    @property
    def plugins(self) -> dict[str, dict[str, Entries]]:
        return shorten_plugin_sets(self.lists, self.weights)

    def to_dict(self, scheduler_name: str) -> dict[str, Any]:
        """Return the profile in v1 JSON form."""
        config = [{"name": name, "args": args} for name, args in self.args.items()]
        return {"schedulerName": scheduler_name, "plugins": self.plugins, "pluginConfig": config}


def convert_profile(old: OldProfile) -> NewProfile:
    """Return the current profile with the effect of the old one, as far as current plugins allow."""
    maker = _ProfileConverter(old)
    maker.carry_args()
    maker.filters()
    maker.scores()
    maker.spread.finish(maker.args)
    return NewProfile(maker.lists(), maker.weights, maker.args, maker.notes)


@dataclass(slots=True)
class _DefaultSpread:
    """The effects that PodTopologySpread's default constraints must replace."""

    system: bool = False
    labels: list[str] = field(default_factory=list)

    def finish(self, all_args: dict[str, dict[str, Any]]) -> None:
        if not self.system and not self.labels:
            return
        args = all_args.setdefault(_SPREAD, {})
        own = list(args.get("defaultConstraints", ()))
        system = self.system or args.get("defaultingType", SYSTEM_DEFAULTING) == SYSTEM_DEFAULTING
        if system and not own and not self.labels:
            args["defaultingType"] = SYSTEM_DEFAULTING
            return
        added = [*_SYSTEM_CONSTRAINTS] if system else []
        added += [(label, 1) for label in self.labels]
        taken = {constraint["topologyKey"] for constraint in own}
        for key, skew in added:
            if key not in taken:
                taken.add(key)
                own.append({"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": "ScheduleAnyway"})
        args |= {"defaultingType": LIST_DEFAULTING, "defaultConstraints": own}


class _ProfileConverter:
    def __init__(self, old: OldProfile) -> None:
        self.old = old
        self.notes: dict[str, str] = {}
        self.args: dict[str, dict[str, Any]] = {}
        self.filtering: list[str] = []
        self.weights: dict[str, int] = {}
        self.spread = _DefaultSpread()

    def carry_args(self) -> None:
        """Keep the args of plugins that still exist."""
        for name, args in self.old.args.items():
            if name not in SUCCESSORS and args is not None:
                self.args[name] = args.value if isinstance(args, RawArgs) else encode_fields(args)

    def filters(self) -> None:
        for name in self.old.names("filter"):
            plugin = name
            if name == "NodeLabel":
                plugin = _AFFINITY if self._require_labels() else ""
            elif name in SUCCESSORS:
                plugin = SUCCESSORS[name].plugin
            if plugin and plugin not in self.filtering:
                self.filtering.append(plugin)

    def scores(self) -> None:
        weights = {plugin.name: plugin.weight or 1 for plugin in self.old.lists.get("score", ())}
        self.weights = {name: weight for name, weight in weights.items() if name not in SUCCESSORS}
        self._choose_strategy({name: weight for name, weight in weights.items() if name in STRATEGIES})
        if "NodeLabel" in weights:
            self._prefer_labels(weights["NodeLabel"])
        if "SelectorSpread" in weights:
            self.spread.system = True
            if _SPREAD in self.weights:
                self.notes["SelectorSpread"] = say("with the weight that PodTopologySpread has")
            self.weights.setdefault(_SPREAD, weights["SelectorSpread"])
        if "ServiceAffinity" in weights:
            self._spread_services(weights["ServiceAffinity"])

    def _choose_strategy(self, weights: Mapping[str, int]) -> None:
        """Choose NodeResourcesFit's one strategy: that of the heaviest plugin, or the first of equals."""
        if not weights:
            return
        chosen = max(weights, key=lambda name: weights[name])
        self.weights[_FIT] = weights[chosen]
        self.args.setdefault(_FIT, {})["scoringStrategy"] = self._strategy(chosen)
        for name in weights:
            if name != chosen:
                self.notes[name] = say(
                    "left out: NodeResourcesFit has one strategy, here that of {plugin}", plugin=chosen
                )

    def _strategy(self, plugin: str) -> dict[str, Any]:
        args = self.old.args.get(plugin)
        strategy: dict[str, Any] = {"type": STRATEGIES[plugin]}
        if args is not None and args.resources:
            strategy["resources"] = [encode_fields(spec) for spec in args.resources]
        if isinstance(args, RequestedToCapacityRatioArgs):
            strategy["requestedToCapacityRatio"] = {"shape": [encode_fields(point) for point in args.shape]}
        return strategy

    def _label_args(self) -> NodeLabelArgs:
        args = self.old.args.get("NodeLabel")
        return args if isinstance(args, NodeLabelArgs) else NodeLabelArgs()

    def _added_affinity(self) -> dict[str, Any]:
        affinity: dict[str, Any] = self.args.setdefault(_AFFINITY, {}).setdefault("addedAffinity", {})
        return affinity

    def _require_labels(self) -> bool:
        args = self._label_args()
        expressions = _label_expressions(args.present_labels, args.absent_labels)
        if expressions:
            required = self._added_affinity().setdefault("requiredDuringSchedulingIgnoredDuringExecution", {})
            # One of the terms must hold: what is asked for goes into each.
            for term in required.setdefault("nodeSelectorTerms", [{}]):
                term.setdefault("matchExpressions", []).extend(expressions)
        return bool(expressions)

    def _prefer_labels(self, weight: int) -> None:
        args = self._label_args()
        expressions = _label_expressions(args.present_labels_preference, args.absent_labels_preference)
        if not expressions:
            return
        preferred = self._added_affinity().setdefault("preferredDuringSchedulingIgnoredDuringExecution", [])
        preferred += [{"weight": 1, "preference": {"matchExpressions": [expression]}} for expression in expressions]
        shared = _AFFINITY in self.weights
        self.weights.setdefault(_AFFINITY, weight)
        self.notes["NodeLabel"] = (
            say("with the weight that NodeAffinity has, and added to what pods themselves prefer")
            if shared
            else say("scores are relative now: the node that meets most preferences gets 100")
        )

    def _spread_services(self, weight: int) -> None:
        args = self.old.args.get("ServiceAffinity")
        labels = args.anti_affinity_labels_preference if isinstance(args, ServiceAffinityArgs) else ()
        if labels:
            self.spread.labels += labels
            self.weights.setdefault(_SPREAD, weight)
            self.notes["ServiceAffinity"] = say("what it spread by is a default constraint of PodTopologySpread now")

    def lists(self) -> dict[str, list[str]]:
        """Return the plugins per point, in the old order only for filters, where the order matters."""
        if _BINDING in self.filtering:
            self.weights.setdefault(_BINDING, 1)  # it scores only if a feature gate is on
        scoring = [*_out_of_tree(self.weights), *_sort_in_tree(self.weights)]
        old = self.old
        preempting = old.names("postFilter")
        lists = {
            "queueSort": old.names("queueSort"),
            "preFilter": _keep_out_of_tree_order(
                old.names("preFilter"), _implementing(_sort_in_tree(self.filtering), "preFilter")
            ),
            "filter": list(self.filtering),
            "postFilter": ["DynamicResources", *preempting],
            "preScore": [*_out_of_tree(old.names("preScore")), *_implementing(scoring, "preScore")],
            "score": scoring,
            **{point: old.names(point) for point in ("reserve", "permit", "preBind", "bind", "postBind")},
        }
        for point, names in _NEW_PLUGIN_POINTS.items():
            lists[point] = [*lists.get(point, ()), *names]
        lists["preEnqueue"] += _implementing(preempting, "preEnqueue")
        return lists


def _sort_in_tree(names: Iterable[str]) -> list[str]:
    """Return the in-tree plugins among these names in their default order."""
    among = set(names)
    return [name for name in DEFAULT_WEIGHTS if name in among]


def _implementing(names: Iterable[str], point: str) -> list[str]:
    """Return the in-tree plugins that implement a point."""
    return [name for name in names if point in IN_TREE_POINTS.get(name, ())]


def _out_of_tree(names: Iterable[str]) -> list[str]:
    """Return the names that were never in-tree plugins."""
    return [name for name in names if name not in IN_TREE_POINTS and name not in SUCCESSORS]


def _keep_out_of_tree_order(old: Sequence[str], own: Sequence[str]) -> list[str]:
    """Return the in-tree plugins, with other plugins before or after them as in the old list."""
    others = set(_out_of_tree(old))
    first = next((index for index, name in enumerate(old) if name not in others), len(old))
    return [*old[:first], *own, *(name for name in old[first:] if name in others)]


def _label_expressions(present: Sequence[str], absent: Sequence[str]) -> list[dict[str, Any]]:
    return [
        *({"key": key, "operator": "Exists"} for key in present),
        *({"key": key, "operator": "DoesNotExist"} for key in absent),
    ]
