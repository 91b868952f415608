"""Known changes between kube-scheduler versions: plugin, version, description and upstream source."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from scheduler_core.emulations import plain_version
from scheduler_core.gates.table import gates_of, gates_text, parse_gates
from scheduler_core.gates.words import describe_gate

PLACEMENT, VERDICT, SCORE, MESSAGE = "placement", "verdict", "score", "message"
KINDS = (PLACEMENT, VERDICT, SCORE, MESSAGE)
_BY_SCORE = frozenset({PLACEMENT, SCORE})
_BY_WORDS = frozenset({MESSAGE})
_NOT_BY_SCORE = frozenset({PLACEMENT, VERDICT, MESSAGE})
# Plugin name of changes outside plugins.
FRAMEWORK = ""


@dataclass(slots=True, frozen=True)
class UpgradeChange:
    """A change of `plugin`, or of the framework (FRAMEWORK).

    `since` is the first version that has it; for a feature gate, the new state, for example `DRADeviceTaints=false`.
    """

    plugin: str
    since: str
    sentence: str
    upstream: str


@dataclass(slots=True, frozen=True)
class KnownChange(UpgradeChange):
    makes: frozenset[str] = frozenset(KINDS)
    """Kinds of differences that the change can cause."""


# The emulated versions that follow v1.10.
_FIRST, _BEFORE, _NOW = "v1.20.2", "v1.34.1", "v1.36.3"
_PLUGINS = "pkg/scheduler/framework/plugins/"
# In the order of their versions.
CHANGES = (
    KnownChange(
        "DefaultPreemption",
        _FIRST,
        "Less important pods are evicted for a pod that fits nowhere.",
        _PLUGINS + "defaultpreemption",
        _NOT_BY_SCORE,
    ),
    KnownChange(
        "PodTopologySpread",
        _FIRST,
        "Constraints say over which hosts and zones pods are spread.",
        _PLUGINS + "podtopologyspread (KEP 895)",
    ),
    KnownChange(
        "ImageLocality",
        _FIRST,
        "Nodes that have the images of the pod score higher.",
        _PLUGINS + "imagelocality/image_locality.go",
        _BY_SCORE,
    ),
    KnownChange(
        "NodeVolumeLimits",
        _FIRST,
        "Volumes of CSI drivers count for the limits of a node.",
        _PLUGINS + "nodevolumelimits/csi.go",
    ),
    *(
        KnownChange(
            plugin,
            _FIRST,
            "Filters run in another order: a node is counted under the first one that refuses it.",
            "pkg/scheduler/algorithmprovider/registry.go",
            _BY_WORDS,
        )
        for plugin in (
            "NodeUnschedulable",
            "NodeResourcesFit",
            "NodeName",
            "NodePorts",
            "NodeAffinity",
            "VolumeRestrictions",
            "TaintToleration",
            "EBSLimits",
            "GCEPDLimits",
            "AzureDiskLimits",
            "VolumeBinding",
            "VolumeZone",
            "InterPodAffinity",
        )
    ),
    KnownChange(
        "NodeResourcesBalancedAllocation",
        _BEFORE,
        "Balance is the standard deviation of the shares of all resources, no longer the distance of two.",
        _PLUGINS + "noderesources/balanced_allocation.go",
        _BY_SCORE,
    ),
    KnownChange(
        "SelectorSpread",
        _BEFORE,
        "SelectorSpread is gone: PodTopologySpread spreads the pods of a service by default constraints.",
        _PLUGINS + "podtopologyspread (KEP 1258)",
        _BY_SCORE,
    ),
    KnownChange(
        "PodTopologySpread",
        _BEFORE,
        "PodTopologySpread counts twice, and spreads pods without constraints by default over hosts and zones.",
        _PLUGINS + "podtopologyspread (KEP 1258)",
        _BY_SCORE,
    ),
    KnownChange(
        "NodePreferAvoidPods",
        _BEFORE,
        "NodePreferAvoidPods and its annotation are gone.",
        "removed in v1.23",
        _BY_SCORE,
    ),
    KnownChange(
        "TaintToleration",
        _BEFORE,
        "TaintToleration counts three times, no longer once.",
        "pkg/scheduler/apis/config/v1/default_plugins.go",
        _BY_SCORE,
    ),
    KnownChange(
        "TaintToleration",
        _BEFORE,
        "The reason for an untolerated taint is worded otherwise.",
        _PLUGINS + "tainttoleration/taint_toleration.go",
        _BY_WORDS,
    ),
    KnownChange(
        "NodeAffinity",
        _BEFORE,
        "NodeAffinity counts twice, no longer once.",
        "pkg/scheduler/apis/config/v1/default_plugins.go",
        _BY_SCORE,
    ),
    KnownChange(
        "InterPodAffinity",
        _BEFORE,
        "InterPodAffinity counts twice, no longer once.",
        "pkg/scheduler/apis/config/v1/default_plugins.go",
        _BY_SCORE,
    ),
    KnownChange(
        "InterPodAffinity",
        _BEFORE,
        "Scores of affinity to other pods are spread between the lowest and the highest; 0 is no longer one of them.",
        _PLUGINS + "interpodaffinity/scoring.go",
        _BY_SCORE,
    ),
    KnownChange(
        "SchedulingGates",
        _BEFORE,
        "A pod with scheduling gates is not tried until they are gone.",
        _PLUGINS + "schedulinggates (KEP 3521)",
    ),
    KnownChange(
        "DynamicResources",
        _BEFORE,
        "DynamicResources sends a pod only where its resource claims can have their devices.",
        _PLUGINS + "dynamicresources (KEP 4381)",
    ),
    KnownChange(
        "NodeName",
        _BEFORE,
        "The reason for a node of another name than the pod's nodeName is worded otherwise.",
        _PLUGINS + "nodename/node_name.go",
        _BY_WORDS,
    ),
    KnownChange(
        "NodeAffinity",
        _BEFORE,
        "The reason for a node that the pod's selector or affinity leaves out is worded otherwise.",
        _PLUGINS + "nodeaffinity/node_affinity.go",
        _BY_WORDS,
    ),
    KnownChange(
        "InterPodAffinity",
        _BEFORE,
        "A rejection by affinity to other pods has one reason, no longer two.",
        _PLUGINS + "interpodaffinity/filtering.go",
        _BY_WORDS,
    ),
    KnownChange(
        "PodTopologySpread",
        _BEFORE,
        "Only pods on nodes that the pod itself could use count in a domain; an empty selector counts none.",
        _PLUGINS + "podtopologyspread (KEP 3094)",
        _NOT_BY_SCORE,
    ),
    KnownChange(
        "NodeResourcesFit",
        _BEFORE,
        "NodeResourcesFit scores what NodeResourcesLeastAllocated, MostAllocated and their like scored.",
        _PLUGINS + "noderesources/fit.go",
        _BY_SCORE,
    ),
    KnownChange(
        "NodeResourcesFit",
        _BEFORE,
        "Only resources that the pod asks for are compared; what a node never has room for, no eviction makes.",
        _PLUGINS + "noderesources/fit.go",
        _NOT_BY_SCORE,
    ),
    KnownChange(
        "ImageLocality",
        _BEFORE,
        "Images of init containers count, and each node that has an image counts alike.",
        _PLUGINS + "imagelocality/image_locality.go",
        _BY_SCORE,
    ),
    KnownChange(
        "VolumeBinding",
        _BEFORE,
        "Reasons about volumes are worded otherwise; volumes of in-tree drivers count as those of their CSI driver.",
        _PLUGINS + "volumebinding/volume_binding.go",
        _NOT_BY_SCORE,
    ),
    KnownChange(
        "VolumeRestrictions",
        _BEFORE,
        "A claim with ReadWriteOncePod is for one pod in the cluster.",
        _PLUGINS + "volumerestrictions (KEP 2485)",
    ),
    KnownChange(
        "VolumeZone",
        _BEFORE,
        "Beta labels of zones count as those of today, and a claim that cannot be used is no longer an error.",
        _PLUGINS + "volumezone/volume_zone.go",
    ),
    KnownChange(
        "NodeVolumeLimits",
        _BEFORE,
        "Volumes of in-tree drivers count for the limit of their CSI driver.",
        _PLUGINS + "nodevolumelimits/csi.go (KEP 625)",
    ),
    *(
        KnownChange(
            gone,
            _BEFORE,
            "The limits of single clouds are gone: NodeVolumeLimits counts the volumes of all CSI drivers.",
            _PLUGINS + "nodevolumelimits (KEP 625)",
        )
        for gone in ("EBSLimits", "GCEPDLimits", "AzureDiskLimits", "CinderLimits")
    ),
    KnownChange(
        "NodeLabel",
        _BEFORE,
        "NodeLabel is gone: an addedAffinity of NodeAffinity asks every pod for labels.",
        "removed in v1.23",
    ),
    KnownChange(
        "ServiceAffinity",
        _BEFORE,
        "ServiceAffinity is gone: InterPodAffinity and PodTopologySpread keep the pods of a service together or apart.",
        "removed in v1.23",
    ),
    KnownChange(
        "DefaultPreemption",
        _BEFORE,
        "Preemption says why it helps no pod, and tries only nodes where an eviction can help.",
        _PLUGINS + "defaultpreemption/default_preemption.go",
        _NOT_BY_SCORE,
    ),
    KnownChange(
        FRAMEWORK,
        _BEFORE,
        "Events also tell what PreFilter and PostFilter said, and the pod's nominated node is tried first.",
        "pkg/scheduler/schedule_one.go",
    ),
    KnownChange(
        "NodeResourcesBalancedAllocation",
        _NOW,
        "Balance is scored as what the pod changes in it: 75 leaves it as it is, more evens it out.",
        _PLUGINS + "noderesources/balanced_allocation.go",
        _BY_SCORE,
    ),
    KnownChange(
        "TaintToleration",
        _NOW,
        "The reason for an untolerated taint no longer names the taint; different ones add up in messages.",
        _PLUGINS + "tainttoleration/taint_toleration.go",
        _BY_WORDS,
    ),
    KnownChange(
        "DynamicResources",
        _NOW,
        "DynamicResources scores the alternatives of claims; devices may be shared, split and tainted.",
        _PLUGINS + "dynamicresources (KEP 4816, 4815, 5055, 5075)",
    ),
    KnownChange(
        "NodeDeclaredFeatures",
        _NOW,
        "NodeDeclaredFeatures keeps pods off nodes that do not declare a feature which they need.",
        _PLUGINS + "nodedeclaredfeatures (KEP 5328)",
    ),
    KnownChange(
        "ImageLocality",
        _NOW,
        "Images of image volumes count, too.",
        _PLUGINS + "imagelocality/image_locality.go (KEP 4639)",
        _BY_SCORE,
    ),
    KnownChange(
        "NodeResourcesFit",
        _NOW,
        "Extended resources of a DeviceClass are left to DynamicResources where a node has none.",
        _PLUGINS + "noderesources/fit.go (KEP 5004)",
    ),
    KnownChange(
        FRAMEWORK,
        _NOW,
        "A rejected pod loses its nomination when the profile has no PostFilter plugin.",
        "pkg/scheduler/schedule_one.go",
    ),
)


def find_changes(
    plugins: Sequence[str], old: str, new: str, versions: Sequence[str], kinds: Collection[str]
) -> list[UpgradeChange]:
    """Return the known changes that explain differences by these plugins: version changes, or else feature gates.

    `old` and `new` are as `Emulation.version`; `versions` lists all versions, oldest first.
    """
    named = (plain_version(old), plain_version(new))
    changes: dict[str, UpgradeChange] = {}
    for plugin in plugins:
        known = changes_of(plugin, named, versions, kinds) or gate_changes(plugin, old, new)
        for change in known or [_unknown_change(plugin, max(named, key=versions.index))]:
            changes.setdefault(change.sentence, change)
    return list(changes.values())


def gate_changes(plugin: str, old: str, new: str) -> list[UpgradeChange]:
    """Return the changes that feature gates cause; a gate that a version does not know is off there."""
    gate_settings = [parse_gates(gates) for gates in (old.partition(" ")[2], new.partition(" ")[2])]
    states = []
    for version, gates in zip((plain_version(old), plain_version(new)), gate_settings, strict=True):
        states.append({name: gate.default for name, gate in gates_of(version).items()} | gates)
    before, after = states
    changes = []
    for name in sorted(gate_settings[0].keys() | gate_settings[1].keys()):
        if before.get(name, False) == after.get(name, False):
            continue
        version_with_gate = plain_version(new if name in after else old)
        sentence, effect = describe_gate(version_with_gate, gates_of(version_with_gate)[name])
        if effect == "changes":
            value = gates_text({name: after.get(name, False)})
            changes.append(UpgradeChange(plugin, value, sentence, "--feature-gates"))
    return changes


def changes_of(
    plugin: str, between: tuple[str, str], versions: Sequence[str], kinds: Collection[str]
) -> list[UpgradeChange]:
    """Return a plugin's changes between two versions, in either direction, that can cause such differences."""
    first, last = sorted(map(versions.index, between))
    return [
        UpgradeChange(change.plugin, change.since, change.sentence, change.upstream)
        for change in CHANGES
        if change.plugin == plugin
        and first < versions.index(change.since) <= last
        and not change.makes.isdisjoint(kinds)
    ]


def _unknown_change(plugin: str, since: str) -> UpgradeChange:
    """Return a general change, for differences without a known one."""
    if plugin == FRAMEWORK:
        return UpgradeChange(plugin, since, "The framework runs otherwise.", "pkg/scheduler")
    return UpgradeChange(plugin, since, f"{plugin} answers otherwise.", _PLUGINS)
