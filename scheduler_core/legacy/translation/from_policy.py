"""Explanations of each line of a converted Policy."""

from collections.abc import Iterable, Iterator

from kube_objects.sentences import joined, say
from kube_objects.text.node import TextNode
from scheduler_core.config.fields import wire_fields
from scheduler_core.legacy.build import Source
from scheduler_core.legacy.policy import policy_file as policy_file
from scheduler_core.legacy.policy.plugins import ALWAYS, PolicyArgs, predicate_key, priority_key, wrap_int32
from scheduler_core.legacy.policy.table import (
    DEFAULT_PREDICATES,
    DEFAULT_PRIORITIES,
    EQUAL_PRIORITY,
    MANDATORY_PREDICATES,
    PREDICATES,
    PRIORITIES,
    SPREAD,
)
from scheduler_core.legacy.policy.types import LegacyExtender, Policy, PredicatePolicy, PriorityPolicy
from scheduler_core.legacy.translation.lines import UNCHANGED, Line, Note, Notes, implicit_line, iter_leaves
from scheduler_core.legacy.translation.modernise import NewProfile
from scheduler_core.legacy.translation.notes import UNKNOWN_FIELD, note_for
from scheduler_core.legacy.translation.successors import REMOVED_IN
from scheduler_core.legacy.versions import spreads_by_default

_POLICY_REMOVED_IN = REMOVED_IN["Policy"]
_TOP_LEVEL_NOTES: Notes = {
    "kind": Note(
        "kind: KubeSchedulerConfiguration", say("a Policy is one profile of a configuration now"), _POLICY_REMOVED_IN
    ),
    "apiVersion": Note(
        "apiVersion: kubescheduler.config.k8s.io/v1", say("that of a configuration"), _POLICY_REMOVED_IN
    ),
    "alwaysCheckAllPredicates": Note(
        "", say("a node is done with at the first plugin that rejects it"), _POLICY_REMOVED_IN
    ),
    "predicates": Note("", say("without any, only the mandatory predicates ran"), _POLICY_REMOVED_IN),
    "priorities": Note("", say("without any, no plugin scores"), _POLICY_REMOVED_IN),
}
_EXTENDER_FIELDS = frozenset(field.json.casefold() for field in wire_fields(LegacyExtender))


def explain_policy(root: TextNode, source: Source, new: NewProfile) -> Notes:
    """Return notes by path, for `explain`."""
    policy, _, _ = policy_file.decode(source.policy or "")
    spreads = spreads_by_default(source.gates)
    notes = dict(_TOP_LEVEL_NOTES)
    for index, predicate in enumerate(policy.predicates or ()):
        notes[f"predicates[{index}]"] = _explain_predicate(_predicate_key(predicate), new)
    for index, priority in enumerate(policy.priorities or ()):
        key = _priority_key(priority)
        notes[f"priorities[{index}]"] = _explain_priority(key, spreads, new)
        notes[f"priorities[{index}].weight"] = _explain_weight(priority, key, spreads, new)
    notes["hardPodAffinitySymmetricWeight"] = _explain_hard_weight(policy)
    notes |= {path: _explain_extender_field(path) for path, _ in iter_leaves(root) if path.startswith("extenders[")}
    return notes


def explain_implicit_plugins(source: Source, new: NewProfile) -> list[Line]:
    """Return lines about plugins that ran without being named."""
    return [implicit_line(note) for note in _implicit_plugin_notes(source, new)]


def _implicit_plugin_notes(source: Source, new: NewProfile) -> Iterator[Note]:
    policy, _, _ = policy_file.decode(source.policy or "")
    named = {_predicate_key(predicate) for predicate in policy.predicates or ()}
    if policy.predicates is None:
        for key in DEFAULT_PREDICATES:
            yield _prefix_reason(_explain_predicate(key, new), say("{name} was a default predicate", name=key))
    else:
        for key in MANDATORY_PREDICATES:
            if key not in named:
                yield _prefix_reason(_explain_predicate(key, new), say("{name} was a mandatory predicate", name=key))
    if policy.priorities is None:
        for key, weight in DEFAULT_PRIORITIES.items():
            why = say("{name} was a default priority, weight {weight}", name=key, weight=weight)
            yield _prefix_reason(_explain_priority(key, spreads_by_default(source.gates), new), why)
    yield Note(", ".join(ALWAYS.values()), say("part of every Policy's profile, whatever it said"))


def _prefix_reason(note: Note, why: str) -> Note:
    return Note(note.became, joined(": ", why, note.explanation), note.removed_in)


def _predicate_key(predicate: PredicatePolicy) -> str:
    return predicate_key(predicate, PolicyArgs(), "")


def _priority_key(priority: PriorityPolicy) -> str:
    return EQUAL_PRIORITY if priority.name == EQUAL_PRIORITY else priority_key(priority, PolicyArgs(), "")


def _explain_predicate(key: str, new: NewProfile) -> Note:
    plugins = PREDICATES[key].plugins
    plugin_notes = {plugin: note_for(plugin, "filter", new) for plugin in plugins}
    names = dict.fromkeys(note.became.removesuffix(" at filter") for note in plugin_notes.values() if note.became)
    became = f"{', '.join(names)} at filter" if names else ""
    return Note(
        became, _join_explanations(plugins, plugin_notes.values()), _last_accepting_release(plugin_notes.values())
    )


def _explain_priority(key: str, spreads: bool, new: NewProfile) -> Note:
    if key == EQUAL_PRIORITY:
        return Note("", say("gave all nodes the same score, and was passed over"), _POLICY_REMOVED_IN)
    plugin = _score_plugin_of(key, spreads)
    note = note_for(plugin, "score", new)
    story = _join_explanations((plugin,), (note,))
    if plugin != PRIORITIES[key].plugin:
        story = joined(", ", story, say("whose default constraints spread as SelectorSpread did"))
    return Note(note.became, story, _last_accepting_release((note,)))


def _score_plugin_of(key: str, spreads: bool) -> str:
    return "PodTopologySpread" if key in SPREAD and spreads else PRIORITIES[key].plugin


def _join_explanations(plugins: Iterable[str], plugin_notes: Iterable[Note]) -> str:
    names = list(plugins)
    later = dict.fromkeys(note.explanation for note in plugin_notes if note.removed_in or not note.became)
    if len(names) == 1:
        became = say("became the plugin {plugin}", plugin=names[0])
    else:
        became = say("became {plugins}", plugins=" and ".join(names))
    return joined("; ", became, *later)


def _last_accepting_release(plugin_notes: Iterable[Note]) -> str:
    """Return the last release that accepted the setting; a plugin may have existed longer."""
    return max(
        (note.removed_in for note in plugin_notes if note.removed_in and not note.became), default=_POLICY_REMOVED_IN
    )


def _explain_weight(priority: PriorityPolicy, key: str, spreads: bool, new: NewProfile) -> Note:
    note = _explain_priority(key, spreads, new)
    if not note.became:
        return note
    weight = new.weights[note.became.partition(" at ")[0]]
    if weight == priority.weight:
        why = say("the weight of the plugin")
    elif wrap_int32(priority.weight) != priority.weight:
        why = say("weights were cut to 32 bits, and 0 means 1")
    elif key in ("NodeLabel", "ServiceAffinity") and weight % priority.weight == 0:
        why = say("times the number of priorities with such an argument")
    else:
        why = say("another priority gave the plugin its weight")
    return Note(f"weight {weight}", why, note.removed_in)


def _explain_hard_weight(policy: Policy) -> Note:
    priorities = policy.priorities
    scored = priorities is None or any(_priority_key(p) == "InterPodAffinityPriority" for p in priorities)
    if policy.hard_pod_affinity_symmetric_weight and scored:
        return Note("InterPodAffinity args.hardPodAffinityWeight", say("an argument of the plugin"), _POLICY_REMOVED_IN)
    return Note("", say("counted only if it was not 0 and InterPodAffinityPriority scored"), _POLICY_REMOVED_IN)


def _explain_extender_field(path: str) -> Note:
    head, _, rest = path.partition("].")
    name = rest.partition(".")[0].partition("[")[0].casefold()
    if name == "enablehttps":
        return Note(f"{head}].enableHTTPS", say("written in another way"))
    if name == "httptimeout":
        return Note(f"{head}].httpTimeout", say("was a number of nanoseconds, is a duration now"))
    return UNCHANGED if name in _EXTENDER_FIELDS else UNKNOWN_FIELD
