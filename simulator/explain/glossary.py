"""Glossary: every extension point, plugin, status code and queue in one or two sentences, with a link.

The links lead to the Kubernetes documentation.
"""

from collections.abc import Mapping
from typing import TypedDict

from kube_objects.sentences import Data, Template
from scheduler_core.facts.links import BIN_PACKING, CONFIG, DOCS, FRAMEWORK, PREEMPTION, SPREAD, TUNING
from scheduler_core.plugins.table import BUNDLES
from simulator.explain.events import EVENTS

Entries = Mapping[str, tuple[str, str]]
"""Name → (text, path under DOCS)."""

POINTS: Entries = {
    "PreEnqueue": (
        "Asked before a pod may enter the active queue. A plugin that says no gates the pod: it is not tried until "
        "something changes its mind.",
        FRAMEWORK + "#pre-enqueue",
    ),
    "QueueSort": (
        "Decides which pod of the active queue is tried next. All profiles share the queue, and so this plugin.",
        FRAMEWORK + "#queue-sort",
    ),
    "PreFilter": (
        "Looks at the pod and the whole cluster once, before any node. A plugin may reject the pod, narrow the nodes "
        "to some by name, or skip its Filter.",
        FRAMEWORK + "#pre-filter",
    ),
    "Filter": (
        "Asks of each node whether the pod can run there. A node drops out at the first plugin that says no; the "
        "others are not asked about it.",
        FRAMEWORK + "#filter",
    ),
    "PostFilter": (
        "Runs only when no node is left, to make the pod schedulable all the same; preemption is one of these plugins.",
        FRAMEWORK + "#post-filter",
    ),
    "PreScore": (
        "Prepares scoring with all nodes that are left. A plugin with nothing to say about the pod skips its Score.",
        FRAMEWORK + "#pre-score",
    ),
    "Score": (
        "Gives each node that is left a number, in whatever range suits the plugin. Skipped when only one is left.",
        FRAMEWORK + "#scoring",
    ),
    "NormalizeScore": (
        "Brings a plugin's raw scores to 0 … 100, so that the weights of the profile compare like with like.",
        FRAMEWORK + "#normalize-scoring",
    ),
    "Reserve": (
        "Plugins with a memory of their own note that the pod will use something of the chosen node.",
        FRAMEWORK + "#reserve",
    ),
    "Unreserve": (
        "Takes back what Reserve noted, in reverse order, when the pod does not get its node after all.",
        FRAMEWORK + "#reserve",
    ),
    "Permit": (
        "The last word of the scheduling cycle: a plugin may let the pod pass, reject it, or make it wait with a "
        "time-out.",
        FRAMEWORK + "#permit",
    ),
    "PreBind": (
        "What must be done before the pod is bound, such as binding its volumes.",
        FRAMEWORK + "#pre-bind",
    ),
    "Bind": (
        "Tells the API server on which node the pod runs. The first plugin that does not skip does it.",
        FRAMEWORK + "#bind",
    ),
    "PostBind": ("Told when the pod is bound, to clean up.", FRAMEWORK + "#post-bind"),
}

STEPS: Entries = {
    "Sample": (
        "The search for nodes begins where the last one ended, and stops when enough nodes have been found "
        "(percentageOfNodesToScore).",
        TUNING,
    ),
    "SelectHost": (
        "The node with the highest total is taken; among equals one is drawn.",
        "/concepts/scheduling-eviction/kube-scheduler/#kube-scheduler-implementation",
    ),
    "Assume": (
        "From here on the scheduler counts the pod on its node, without waiting for the API server.",
        FRAMEWORK + "#scheduling-cycle-binding-cycle",
    ),
    "WaitOnPermit": ("The pod waits until the plugins that held it at Permit let it go.", FRAMEWORK + "#permit"),
}

# Plugins of v1.20 that were removed or renamed.
LEGACY_PLUGINS: Entries = {
    "AzureDiskLimits": ("A node can attach only so many Azure disks.", "/concepts/storage/storage-limits/"),
    "CinderLimits": ("A node can attach only so many Cinder volumes.", "/concepts/storage/storage-limits/"),
    "EBSLimits": ("A node can attach only so many AWS EBS volumes.", "/concepts/storage/storage-limits/"),
    "FIFOSort": (
        "First come, first served: the queue of the days before pods had priorities. Not one of kube-scheduler's own.",
        PREEMPTION,
    ),
    "GCEPDLimits": ("A node can attach only so many GCE persistent disks.", "/concepts/storage/storage-limits/"),
    "NodeLabel": (
        "Wants, or forbids, labels on all nodes, whatever their values; by the arguments of a Policy.",
        CONFIG + "#scheduling-plugins",
    ),
    "NodePreferAvoidPods": (
        "Favours nodes that do not ask, by an annotation, to be spared the pods of a controller.",
        CONFIG + "#scheduling-plugins",
    ),
    "NodeResourcesLeastAllocated": (
        "Favours nodes with much left; today the strategy LeastAllocated of NodeResourcesFit.",
        BIN_PACKING,
    ),
    "NodeResourcesMostAllocated": (
        "Favours nodes that are full already; today the strategy MostAllocated of NodeResourcesFit.",
        BIN_PACKING,
    ),
    "RequestedToCapacityRatio": (
        "Scores nodes by a function of their used share; today a strategy of NodeResourcesFit.",
        BIN_PACKING,
    ),
    "SelectorSpread": (
        "Spreads the pods of a service or controller over nodes and zones; today PodTopologySpread's defaults do.",
        SPREAD,
    ),
    "ServiceAffinity": (
        "Keeps the pods of a service on nodes with equal labels; by the arguments of a Policy.",
        CONFIG + "#scheduling-plugins",
    ),
}

PLUGINS: Entries = {
    bundle.name: (bundle.what, bundle.docs) for bundle in sorted(BUNDLES, key=lambda bundle: bundle.name)
}

CODES: Entries = {
    "Success": ("The plugin has no objection.", FRAMEWORK + "#interfaces"),
    "Error": (
        "Something went wrong inside: the attempt ends, preemption is not tried, and the pod is tried again after a "
        "backoff.",
        FRAMEWORK + "#interfaces",
    ),
    "Unschedulable": (
        "The plugin rejects the pod (on this node). Evicting pods may help, so preemption may try.",
        PREEMPTION + "#preemption",
    ),
    "UnschedulableAndUnresolvable": (
        "The plugin rejects the pod (on this node), and evicting pods cannot help: preemption leaves the node alone.",
        PREEMPTION + "#preemption",
    ),
    "Wait": ("Only at Permit: the pod waits until the plugin decides, or its time is over.", FRAMEWORK + "#permit"),
    "Skip": (
        "The plugin has nothing to do for this pod: at PreFilter its Filter is left out, at PreScore its Score, at "
        "Bind the next plugin is asked.",
        FRAMEWORK + "#interfaces",
    ),
    "Pending": (
        "The plugin waits for something outside the scheduler; when that happens the pod is tried without backoff.",
        FRAMEWORK + "#queueinghint",
    ),
}

LANES: Entries = {
    "new": ("The pod has just come.", FRAMEWORK),
    "active": ("Ready to be tried, in the order of QueueSort.", FRAMEWORK + "#queue-sort"),
    "backoff": (
        "Was rejected, may fit now, and waits for its backoff to end: 1 s after the first attempt, doubling up to "
        "10 s, unless configured otherwise. When nothing else is ready it is popped early.",
        FRAMEWORK + "#queueinghint",
    ),
    "errorBackoff": (
        "Failed with an internal error and waits for its backoff to end; never popped early.",
        FRAMEWORK + "#queueinghint",
    ),
    "unschedulable": (
        "Was rejected, and nothing that may help has happened since. Events wake it if a plugin's hint says so, and "
        "after five minutes it is tried anyway.",
        FRAMEWORK + "#queueinghint",
    ),
    "gated": (
        "A PreEnqueue plugin keeps the pod out, usually because of scheduling gates.",
        "/concepts/scheduling-eviction/pod-scheduling-readiness/",
    ),
    "inFlight": ("Being tried just now.", FRAMEWORK + "#scheduling-cycle-binding-cycle"),
    "waiting": (
        "Has a node, and waits at Permit, or in PreBind for its devices, before it is bound.",
        FRAMEWORK + "#permit",
    ),
    "bound": ("Has its node.", FRAMEWORK + "#bind"),
    "ignored": (
        "No profile has the pod's schedulerName: another scheduler may take it.",
        CONFIG + "#multiple-profiles",
    ),
    "gone": ("Was deleted, or has ended.", "/concepts/workloads/pods/pod-lifecycle/"),
}

HINTS: Entries = {
    "Queue": (
        "The event may make the pod schedulable: it goes to the active or the backoff queue.",
        FRAMEWORK + "#queueinghint",
    ),
    "QueueSkip": ("The event cannot help the pod: it stays where it is.", FRAMEWORK + "#queueinghint"),
}

KINDS: Mapping[str, Entries] = {
    "point": POINTS,
    "step": STEPS,
    "plugin": {**PLUGINS, **LEGACY_PLUGINS},
    "code": CODES,
    "lane": LANES,
    "hint": HINTS,
    "event": EVENTS,
}


class ExplainedWord(TypedDict):
    kind: str
    name: str
    text: Data
    url: str


def look_up(kind: str, name: str) -> ExplainedWord | None:
    """Return an entry, or None for an unknown name, for example an out-of-tree plugin."""
    entry = KINDS.get(kind, {}).get(name)
    if entry is None:
        return None
    text, path = entry
    return {"kind": kind, "name": name, "text": Template(text)(), "url": DOCS + path}


def glossary() -> list[ExplainedWord]:
    """Return all entries, grouped by kind."""
    return [entry for kind, names in KINDS.items() for name in names if (entry := look_up(kind, name))]
