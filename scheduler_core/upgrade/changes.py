"""The changes between versions that a report may name: what is different, in a sentence, and where upstream did it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from scheduler_core.gates.table import gates_of, gates_text, parse_gates
from scheduler_core.gates.words import about

PLACEMENT, VERDICT, SCORE, MESSAGE = "placement", "verdict", "score", "message"
KINDS = (PLACEMENT, VERDICT, SCORE, MESSAGE)
_BY_SCORE = frozenset({PLACEMENT, SCORE})
_BY_WORDS = frozenset({MESSAGE})
# What is no plugin's doing.
FRAMEWORK = ""


@dataclass(slots=True, frozen=True)
class UpgradeChange:
    """`plugin`: whose answers it changes, FRAMEWORK for no plugin's.

    `since`: the first version here that has it; of a feature gate, how the new side has it, `DRADeviceTaints=false`.
    """

    plugin: str
    since: str
    sentence: str
    upstream: str


@dataclass(slots=True, frozen=True)
class KnownChange(UpgradeChange):
    makes: frozenset[str] = frozenset(KINDS)
    """The kinds of differences that it can make."""


_BEFORE, _NOW = "v1.34.1", "v1.36.3"
_PLUGINS = "pkg/scheduler/framework/plugins/"
# In the order of their versions.
CHANGES = (
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
_OTHERWISE = "{plugin} answers otherwise."


def gate_changes(plugin: str, old: str, new: str) -> list[UpgradeChange]:
    """What other feature gates change in one version; nothing between two. `old` and `new` as `Emulation.version`."""
    (version, _, before), (other, _, after) = old.partition(" "), new.partition(" ")
    if version != other:
        return []
    given, wanted = parse_gates(before), parse_gates(after)
    found = []
    for name in sorted(given.keys() ^ wanted.keys()):
        # Only what is not as by default is named.
        value = wanted.get(name, not given.get(name, False))
        sentence, effect = about(version, gates_of(version)[name])
        if effect == "changes":
            found.append(UpgradeChange(plugin, gates_text({name: value}), sentence, "--feature-gates"))
    return found


def changes_of(
    plugin: str, between: tuple[str, str], versions: Sequence[str], kinds: Collection[str]
) -> list[UpgradeChange]:
    """Those of a plugin between two versions, in whichever direction, that make differences of these kinds.

    `versions` from the oldest on.
    """
    first, last = sorted(map(versions.index, between))
    found = [
        UpgradeChange(each.plugin, each.since, each.sentence, each.upstream)
        for each in CHANGES
        if each.plugin == plugin and first < versions.index(each.since) <= last and not each.makes.isdisjoint(kinds)
    ]
    sentence = "The framework runs otherwise." if plugin == FRAMEWORK else _OTHERWISE.format(plugin=plugin)
    return found or [UpgradeChange(plugin, versions[last], sentence, _PLUGINS if plugin else "pkg/scheduler")]
