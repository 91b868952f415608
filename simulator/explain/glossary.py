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
        "Decides whether a Pod may enter the active queue. If a plugin refuses, the Pod is gated until an "
        "event changes the decision.",
        FRAMEWORK + "#pre-enqueue",
    ),
    "QueueSort": (
        "Decides which Pod of the active queue is next. All profiles share the queue and this plugin.",
        FRAMEWORK + "#queue-sort",
    ),
    "PreFilter": (
        "Checks the Pod and the whole cluster once, before any Node. A plugin may reject the Pod, limit "
        "the Nodes by name, or skip its Filter.",
        FRAMEWORK + "#pre-filter",
    ),
    "Filter": (
        "Checks for each Node whether the Pod can run there. The first plugin that fails rejects the "
        "Node, and later plugins don't run for it.",
        FRAMEWORK + "#filter",
    ),
    "PostFilter": (
        "Runs only if no Node passed, to make the Pod schedulable. Preemption is such a plugin.",
        FRAMEWORK + "#post-filter",
    ),
    "PreScore": (
        "Prepares the scores of all Nodes that passed. A plugin without a preference skips its Score.",
        FRAMEWORK + "#pre-score",
    ),
    "Score": (
        "Gives each Node that passed a number, in the plugin's own range. Skipped if only one Node is left.",
        FRAMEWORK + "#scoring",
    ),
    "NormalizeScore": (
        "Converts the scores of a plugin to 0 … 100, so that the weights of the profile are comparable.",
        FRAMEWORK + "#normalize-scoring",
    ),
    "Reserve": (
        "Lets stateful plugins reserve resources of the chosen Node for the Pod.",
        FRAMEWORK + "#reserve",
    ),
    "Unreserve": (
        "Undoes Reserve in reverse order, if the Pod does not get the Node.",
        FRAMEWORK + "#reserve",
    ),
    "Permit": (
        "Ends the scheduling cycle: a plugin allows the Pod, rejects it, or makes it wait with a timeout.",
        FRAMEWORK + "#permit",
    ),
    "PreBind": (
        "Does what is needed before the Pod is bound, such as binding its volumes.",
        FRAMEWORK + "#pre-bind",
    ),
    "Bind": (
        "Sends the Node of the Pod to the API server. The first plugin that does not skip binds the Pod.",
        FRAMEWORK + "#bind",
    ),
    "PostBind": ("Runs after the Pod was bound, to clean up.", FRAMEWORK + "#post-bind"),
}

STEPS: Entries = {
    "Sample": (
        "The search for Nodes starts where the last one ended, and stops when it has found enough Nodes "
        "(percentageOfNodesToScore).",
        TUNING,
    ),
    "SelectHost": (
        "Selects the Node with the highest total. If several Nodes have it, one is drawn at random.",
        "/concepts/scheduling-eviction/kube-scheduler/#kube-scheduler-implementation",
    ),
    "Assume": (
        "From here on, the scheduler counts the Pod on its Node, without waiting for the API server.",
        FRAMEWORK + "#scheduling-cycle-binding-cycle",
    ),
    "WaitOnPermit": ("The Pod waits until the plugins that delayed it at Permit allow it.", FRAMEWORK + "#permit"),
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
    "Success": ("The plugin accepts the Pod.", FRAMEWORK + "#interfaces"),
    "Error": (
        "An internal error. The attempt ends without preemption, and the Pod is tried again after a backoff.",
        FRAMEWORK + "#interfaces",
    ),
    "Unschedulable": (
        "The plugin rejects the Pod (on this Node). Evicting Pods may help, so preemption may try.",
        PREEMPTION + "#preemption",
    ),
    "UnschedulableAndUnresolvable": (
        "The plugin rejects the Pod (on this Node), and evicting Pods cannot help. Preemption ignores the Node.",
        PREEMPTION + "#preemption",
    ),
    "Wait": ("Only at Permit: the Pod waits until the plugin decides, or until its timeout.", FRAMEWORK + "#permit"),
    "Skip": (
        "The plugin has nothing to do for this Pod. PreFilter then skips its Filter, PreScore its Score, "
        "and Bind uses the next plugin.",
        FRAMEWORK + "#interfaces",
    ),
    "Pending": (
        "The plugin waits for something outside of the scheduler. When that happens, the Pod is tried without backoff.",
        FRAMEWORK + "#queueinghint",
    ),
}

LANES: Entries = {
    "new": ("The Pod was just created.", FRAMEWORK),
    "active": ("Ready to be tried, in the order of QueueSort.", FRAMEWORK + "#queue-sort"),
    "backoff": (
        "Was rejected, may fit now, and waits until its backoff ends. The backoff is 1 s after the first "
        "attempt and doubles up to 10 s, unless configured otherwise. If no other Pod is ready, the Pod "
        "is popped early.",
        FRAMEWORK + "#queueinghint",
    ),
    "errorBackoff": (
        "Failed with an internal error, and waits until its backoff ends. It is never popped early.",
        FRAMEWORK + "#queueinghint",
    ),
    "unschedulable": (
        "Was rejected, and no event since then could help. An event moves it if a plugin's hint allows "
        "that; after five minutes it is tried anyway.",
        FRAMEWORK + "#queueinghint",
    ),
    "gated": (
        "A PreEnqueue plugin keeps the pod out, usually because of scheduling gates.",
        "/concepts/scheduling-eviction/pod-scheduling-readiness/",
    ),
    "inFlight": ("Currently being scheduled.", FRAMEWORK + "#scheduling-cycle-binding-cycle"),
    "waiting": (
        "Has a Node, and waits at Permit, or in PreBind for its devices, before it is bound.",
        FRAMEWORK + "#permit",
    ),
    "bound": ("Has its node.", FRAMEWORK + "#bind"),
    "ignored": (
        "No profile has the Pod's schedulerName, so another scheduler may schedule it.",
        CONFIG + "#multiple-profiles",
    ),
    "gone": ("Was deleted, or has ended.", "/concepts/workloads/pods/pod-lifecycle/"),
}

HINTS: Entries = {
    "Queue": (
        "The event may make the Pod schedulable, so it moves to the active or the backoff queue.",
        FRAMEWORK + "#queueinghint",
    ),
    "QueueSkip": ("The event cannot help the Pod, so it stays in its queue.", FRAMEWORK + "#queueinghint"),
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
