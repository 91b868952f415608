"""A glossary of past and current terms: predicates and priorities, and their names since the scheduling framework.

Source: release notes and the code of past releases; for predicates and priorities the tables of the conversion.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kube_objects.sentences import joined, say
from scheduler_core.legacy.policy.table import (
    EQUAL_PRIORITY,
    PREDICATE_ALIASES,
    PREDICATES,
    PRIORITIES,
    PRIORITY_ALIASES,
)
from scheduler_core.legacy.translation.successors import REMOVED_IN, STRATEGIES, SUCCESSORS

CONCEPT, PREDICATE, PRIORITY, PLUGIN, SETTING = "concept", "predicate", "priority", "plugin", "setting"


@dataclass(frozen=True, slots=True)
class Term:
    """A past term.

    `now` is "" without a successor; `changed_in` is the first release without it, "" if it faded out.
    """

    kind: str
    then: str
    now: str
    explanation: str
    changed_in: str = ""


_POLICY_GONE, _PROVIDER_GONE = REMOVED_IN["Policy"], REMOVED_IN["--algorithm-provider"]
_PORT = "--bind-address, --secure-port"

_WORDS = (
    Term(CONCEPT, "predicate", "Filter plugin", say("asks of each node whether the pod can run there"), _POLICY_GONE),
    Term(
        CONCEPT, "priority", "Score plugin", say("says how well the pod fits; not the priority of a pod"), _POLICY_GONE
    ),
    Term(CONCEPT, "map", "Score", say("one node's number, before all of them are known")),
    Term(CONCEPT, "reduce", "NormalizeScore", say("brings the numbers of all nodes to the common scale")),
    Term(
        CONCEPT, "score up to 10", "score up to 100", say("shapes of RequestedToCapacityRatio still go to 10"), "v1.17"
    ),
    Term(CONCEPT, "predicate metadata", "PreFilter", say("what is worked out once for a pod before any node is asked")),
    Term(CONCEPT, "priority metadata", "PreScore", say("what is worked out once before nodes are scored")),
    Term(CONCEPT, "FitError", "statuses", say("each rejection has a code, which says whether preemption could help")),
    Term(
        CONCEPT,
        "FIFO",
        "QueueSort",
        say("which pod is next: first come first served, since v1.11 by priority"),
        "v1.15",
    ),
    Term(
        CONCEPT, "algorithm provider", "profile", say("the set of plugins that runs if nothing is said"), _PROVIDER_GONE
    ),
    Term(CONCEPT, "Policy", "KubeSchedulerConfiguration", say("the file that chooses what runs"), _POLICY_GONE),
    Term(CONCEPT, "mandatory predicate", "", say("any plugin can be disabled today"), _POLICY_GONE),
    Term(CONCEPT, "node condition", "taint", say("a node that is not ready or short of something is tainted"), "v1.17"),
    Term(
        SETTING,
        "--algorithm-provider=DefaultProvider",
        "the default profile",
        say("some weights have changed: InterPodAffinity and NodeAffinity 1 → 2, TaintToleration 1 → 3"),
        _PROVIDER_GONE,
    ),
    Term(
        SETTING,
        "--algorithm-provider=ClusterAutoscalerProvider",
        "NodeResourcesFit args.scoringStrategy.type: MostAllocated",
        say("fill nodes up, so that empty ones can be removed"),
        _PROVIDER_GONE,
    ),
    Term(SETTING, "--policy-config-file", "--config", say("names the file"), _POLICY_GONE),
    Term(SETTING, "--policy-configmap", "--config", say("a configuration is always a file"), _POLICY_GONE),
    Term(
        SETTING,
        "hardPodAffinitySymmetricWeight",
        "InterPodAffinity args.hardPodAffinityWeight",
        say("how much required affinity of pods that run there attracts the new one"),
        _POLICY_GONE,
    ),
    Term(SETTING, "alwaysCheckAllPredicates", "", say("a node is done with at the first rejection"), _POLICY_GONE),
    Term(SETTING, "extenders[].enableHttps", "extenders[].enableHTTPS", say("written in another way"), _POLICY_GONE),
    Term(SETTING, "healthzBindAddress", _PORT, say("HTTPS only"), REMOVED_IN["healthzBindAddress"]),
    Term(SETTING, "metricsBindAddress", _PORT, say("HTTPS only"), REMOVED_IN["metricsBindAddress"]),
    Term(
        SETTING,
        "scheduler.alpha.kubernetes.io/preferAvoidPods",
        "taint PreferNoSchedule",
        say("an annotation"),
        "v1.23",
    ),
    Term(SETTING, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone", say("the zone of a node")),
    Term(
        SETTING,
        "failure-domain.beta.kubernetes.io/region",
        "topology.kubernetes.io/region",
        say("the region of a node"),
    ),
)


def _list_terms() -> Iterator[Term]:
    yield from _WORDS
    for key, predicate in PREDICATES.items():
        now = dict.fromkeys(_current_name(plugin) for plugin in predicate.plugins)
        yield Term(PREDICATE, key, ", ".join(filter(None, now)), _last_release(predicate.plugins), _POLICY_GONE)
    for alias, key in PREDICATE_ALIASES.items():
        yield Term(
            PREDICATE,
            alias,
            _current_name(PREDICATES[key].plugins[0]),
            say("another name of {name}", name=key),
            _POLICY_GONE,
        )
    for key, priority in PRIORITIES.items():
        if priority.plugin != key:  # other keys are for priorities with arguments, which have any name
            default = say("default weight {weight}", weight=priority.weight)
            words = joined(
                "; ", _last_release((priority.plugin,)), default if priority.weight else say("not a default")
            )
            yield Term(PRIORITY, key, _current_name(priority.plugin), words, _POLICY_GONE)
    for alias, key in PRIORITY_ALIASES.items():
        yield Term(
            PRIORITY,
            alias,
            _current_name(PRIORITIES[key].plugin),
            say("another name of {name}", name=key),
            _POLICY_GONE,
        )
    yield Term(PRIORITY, EQUAL_PRIORITY, "", say("the same score for all nodes, as when nothing scores"), _POLICY_GONE)
    for name, successor in SUCCESSORS.items():
        yield Term(PLUGIN, name, _current_name(name), successor.explanation, successor.removed_in)


def _current_name(plugin: str) -> str:
    if plugin in STRATEGIES:
        return f"NodeResourcesFit with scoringStrategy {STRATEGIES[plugin]}"
    return SUCCESSORS[plugin].plugin if plugin in SUCCESSORS else plugin


def _last_release(plugins: tuple[str, ...]) -> str:
    gone = [plugin for plugin in plugins if plugin in SUCCESSORS]
    if len(plugins) == 1:
        words = say("in v1.20 the plugin {plugin}", plugin=plugins[0])
    else:
        words = say("in v1.20 the plugins {plugins}", plugins=", ".join(plugins))
    return joined("; ", words, *(SUCCESSORS[plugin].explanation for plugin in gone))


GLOSSARY: tuple[Term, ...] = tuple(_list_terms())


def find_terms(word: str) -> list[Term]:
    """Return the terms with a word in their past or current name, ignoring case."""
    wanted = word.casefold()
    return [term for term in GLOSSARY if wanted in term.then.casefold() or wanted in term.now.casefold()]
