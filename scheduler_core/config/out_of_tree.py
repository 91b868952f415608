"""Well-known out-of-tree plugins, and the configuration without them.

Source: the `Name` constants under cmd/ and pkg/ of the projects named here.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kube_objects.sentences import joined, say
from kube_objects.text.node import TextNode, compact
from kube_objects.text.problems import Problem
from kube_objects.text.read import node_or_none
from kube_objects.text.yaml_writer import dump_yaml
from scheduler_core.config.limits import LIMITS


@dataclass(frozen=True, slots=True)
class Foreign:
    """An out-of-tree plugin's project; `loses` is what doesn't happen without the plugin."""

    project: str
    loses: str


_SIGS, _KOORDINATOR = "kubernetes-sigs/scheduler-plugins", "koordinator-sh/koordinator"
_KATALYST, _SIMULATOR = "kubewharf/katalyst-core", "hkust-adsl/kubernetes-scheduler-simulator"
_LOAD = say("nodes are not compared by their measured load")
_NUMA = say("NUMA zones are not looked at")
_QUOTA = say("elastic quotas hold nobody back")
_GANG = say("the pods of a group are not placed all together or not at all")
_GPU = say("parts of GPUs are not counted")

OUT_OF_TREE: Mapping[str, Foreign] = {
    "Coscheduling": Foreign(_SIGS, _GANG),
    "CapacityScheduling": Foreign(_SIGS, _QUOTA),
    "CrossNodePreemption": Foreign(_SIGS, say("preemption stays on one node")),
    "DiskIO": Foreign(_SIGS, say("the disks' throughput is not compared")),
    "LoadVariationRiskBalancing": Foreign(_SIGS, _LOAD),
    "LowRiskOverCommitment": Foreign(_SIGS, say("the risk of overcommitted nodes is not weighed")),
    "NetworkOverhead": Foreign(_SIGS, say("the cost of the network between pods is not weighed")),
    "NodeMetadata": Foreign(_SIGS, say("nodes are not scored by a label or annotation")),
    "NodeResourceTopologyMatch": Foreign(_SIGS, _NUMA),
    "NodeResourcesAllocatable": Foreign(_SIGS, say("nodes are not scored by their size")),
    "Peaks": Foreign(_SIGS, say("nodes are not scored by the power that they would draw")),
    "PodState": Foreign(_SIGS, say("nodes are not scored by terminating and nominated pods")),
    "PreemptionToleration": Foreign(_SIGS, say("no priority class tolerates being preempted for a while")),
    "QOSSort": Foreign(_SIGS, say("pods of one priority come in the order of their age, not of their QoS class")),
    "SySched": Foreign(_SIGS, say("the system calls of neighbours are not compared")),
    "TargetLoadPacking": Foreign(_SIGS, _LOAD),
    "TopologicalSort": Foreign(
        _SIGS, say("pods come by priority and age, not in the order of their application's parts")
    ),
    "Trimaran": Foreign(_SIGS, _LOAD),
    "BatchResourceFit": Foreign(_KOORDINATOR, say("batch resources are not fitted")),
    "CompatibleDefaultPreemption": Foreign(
        _KOORDINATOR, say("preemption is left out, unless DefaultPreemption is enabled")
    ),
    "DefaultPreBind": Foreign(_KOORDINATOR, say("pods are not patched before they are bound")),
    "DeviceShare": Foreign(_KOORDINATOR, _GPU),
    "ElasticQuota": Foreign(_KOORDINATOR, _QUOTA),
    "LoadAwareScheduling": Foreign(_KOORDINATOR, _LOAD),
    "NodeNUMAResource": Foreign(_KOORDINATOR, _NUMA),
    "NodeResourcesFitPlus": Foreign(_KOORDINATOR, say("resources have no strategies of their own")),
    "Reservation": Foreign(_KOORDINATOR, say("reservations hold no room")),
    "ScarceResourceAvoidance": Foreign(_KOORDINATOR, say("pods do not keep away from nodes with scarce resources")),
    "SchedulingHint": Foreign(_KOORDINATOR, say("hints for single pods are passed over")),
    "YuniKornPlugin": Foreign("apache/yunikorn-k8shim", say("YuniKorn queues are not applied")),
    "Dynamic": Foreign("gocrane/crane-scheduler", _LOAD),
    "NodeOvercommitment": Foreign(_KATALYST, say("nodes are not overcommitted")),
    "QoSAwareNodeResourcesBalancedAllocation": Foreign(_KATALYST, say("reclaimed resources are not balanced")),
    "QoSAwareNodeResourcesFit": Foreign(_KATALYST, say("reclaimed resources are not fitted")),
    "placementpolicy": Foreign("Azure/placement-policy-scheduler-plugins", say("placement policies are passed over")),
    "KubeThrottler": Foreign("everpeace/kube-throttler", say("throttles hold nobody back")),
    "ResourceFungibility": Foreign("InftyAI/scheduler-plugins", say("pods do not fall back to other kinds of GPUs")),
    "DotProductScore": Foreign(_SIMULATOR, say("nodes are not scored by the shape of their room")),
    "FGDScore": Foreign(_SIMULATOR, say("the fragmentation of GPUs is not weighed")),
    "GpuPackingScore": Foreign(_SIMULATOR, _GPU),
    "Open-Gpu-Share": Foreign(_SIMULATOR, _GPU),
    "Simon": Foreign(_SIMULATOR, say("nodes are not scored by how little is left")),
}
_OWN = say("is left out: nothing is known of it")
# Points that need a plugin; if none is left, the default plugin is enabled again.
_NEEDED = ("queueSort", "bind")
_MISSING = re.compile(r'Plugin "([^"]+)" does not exist')


@dataclass(slots=True)
class Lost:
    """A plugin that was removed from a configuration: its points and its project ("" if unknown)."""

    plugin: str
    project: str = ""
    loses: str = _OWN
    points: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        points = ", ".join(self.points)
        if self.project:
            without = say(
                "without {plugin} (of {project}) at {points}", plugin=self.plugin, project=self.project, points=points
            )
        else:
            without = say("without {plugin} at {points}", plugin=self.plugin, points=points)
        return joined(": ", without, self.loses)


def hint(plugin: str) -> str:
    """Return a hint for a plugin that doesn't exist; "" if it is unknown."""
    foreign = OUT_OF_TREE.get(plugin)
    if foreign is None and plugin.endswith("Wrapped"):
        return say(
            "it is kube-scheduler-simulator's wrapper of {plugin}: name that", plugin=plugin.removesuffix("Wrapped")
        )
    if foreign is None:
        return ""
    return say(
        "it is out of tree, of {project}: leave it out, or name a module that has it (PLUGINS, --plugins)",
        project=foreign.project,
    )


def missing_plugin(problem: Problem) -> str:
    """Return the plugin that doesn't exist according to a problem; "" for any other problem."""
    found = _MISSING.search(problem.rule)
    return found[1] if found else ""


def without(text: str, points: Mapping[str, frozenset[str]]) -> tuple[str, list[Lost]]:
    """Return the configuration without unregistered plugins, and what that loses; the same text if there is none.

    `points` are the extension points of every registered plugin. A text that can't be parsed is returned unchanged.
    """
    root = node_or_none(text, LIMITS)
    data = None if root is None else json.loads(compact(root))
    if not isinstance(data, dict):
        return text, []
    lost: dict[str, Lost] = {}
    for profile in _mappings(data.get("profiles")):
        sets = profile.get("plugins")
        for point, plugin_set in sets.items() if isinstance(sets, dict) else ():
            if isinstance(plugin_set, dict):
                _take_out(plugin_set, point, points, lost)
        if isinstance(profile.get("pluginConfig"), list):
            profile["pluginConfig"] = [entry for entry in profile["pluginConfig"] if _name(entry) not in lost]
    return (dump_yaml(data), list(lost.values())) if lost else (text, [])


def place_of(text: str, plugin: str) -> tuple[str, int] | None:
    """Return path and line of the first entry that enables a plugin in the text."""
    root = node_or_none(text, LIMITS)
    places = () if root is None else (place for place in _places(root, "", plugin) if ".enabled[" in place[0])
    return min(places, key=lambda place: place[1], default=None)


def _take_out(
    plugin_set: dict[str, Any], point: str, points: Mapping[str, frozenset[str]], lost: dict[str, Lost]
) -> None:
    enabled = plugin_set.get("enabled")
    if not isinstance(enabled, list):
        return
    gone = [name for name in map(_name, enabled) if name and name not in points]
    for name in gone:
        known = OUT_OF_TREE.get(name)
        entry = lost.setdefault(name, Lost(name) if known is None else Lost(name, known.project, known.loses))
        entry.points.append(point)
    plugin_set["enabled"] = [entry for entry in enabled if _name(entry) not in gone]
    if gone and point in _NEEDED and not plugin_set["enabled"]:
        plugin_set.pop("disabled", None)


def _name(entry: Any) -> str:
    name = entry.get("name") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else ""


def _mappings(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _places(node: TextNode, path: str, plugin: str) -> Iterator[tuple[str, int]]:
    for entry in node.entries:
        if entry.key == "name" and entry.value.kind == "string" and entry.value.scalar == plugin:
            yield path, entry.line
        yield from _places(entry.value, f"{path}.{entry.key}" if path else entry.key, plugin)
    for index, item in enumerate(node.items):
        yield from _places(item, f"{path}[{index}]", plugin)
