"""Repairs for DefaultPreemption: the lowest priority with which the pod may preempt others."""

from dataclasses import replace
from typing import Any

from kube_objects.kinds.scheduling.priority_class import PriorityClass
from kube_objects.pod import Pod
from kube_objects.sentences import Template
from scheduler_core.edits.edit import Edit, combine_changes, set_value
from scheduler_core.edits.pod_edits import make_pod_edit
from scheduler_core.edits.profile_edits import enable_preemption
from scheduler_core.edits.question import Question
from scheduler_core.framework.extender import Victims
from scheduler_core.preemption.victims import DryRunRules, select_victims

TO_CLASS = Template("Give it the priority class {to} ({value}); pods evicted: {count}")
TO_NEW = Template("Give it a new priority class {to} ({value}); pods evicted: {count}")
FIRST = Template("Give it the priority class {to} ({value}), so that it comes before all that wait")
MAX_PRIORITY = 1_000_000_000
PLUGIN = "DefaultPreemption"


def raise_priority(question: Question) -> Edit | None:
    """Raise the pod's priority; return None if no priority helps on this node, or the profile doesn't preempt."""
    view, pod = question.node, question.pod
    if view is None or not _profile_preempts(question) or question.prices.cost_of("raise_priority") is None:
        return None
    for value in sorted({other.priority + 1 for other in view.pods if other.priority >= pod.priority}):
        if value > MAX_PRIORITY:
            break
        victims = _find_victims(question, value)
        if victims is not None:
            return _make_priority_edit(question, value, victims)
    return None


def offer_preemption(question: Question) -> Edit | None:
    """Enable preemption in the profile; return None if it is enabled or wouldn't help on this node."""
    view, pod = question.node, question.pod
    if view is None or _profile_preempts(question) or pod.preemption_policy == "Never":
        return None
    if question.prices.cost_of("enable_plugin") is None or all(other.priority >= pod.priority for other in view.pods):
        return None
    victims = _find_victims(question, pod.priority)
    return None if victims is None else enable_preemption(question, PLUGIN, len(victims.pods))


def raise_above_waiting_pods(question: Question) -> Edit | None:
    """Raise the priority so that the pod is tried before all waiting pods; return None if it already is."""
    pods: list[Pod] = list(question.lister.list("Pod"))
    most = max((pod.priority for pod in pods if not pod.node_name and pod.key != question.pod.key), default=None)
    if most is None or most < question.pod.priority or most >= MAX_PRIORITY:
        return None
    return _make_priority_edit(question, most + 1, None)


def _profile_preempts(question: Question) -> bool:
    return any(plugin.name == PLUGIN for plugin in question.framework.post_filter)


def _find_victims(question: Question, value: int) -> Victims | None:
    assert question.node is not None
    other = question.pod.with_node("")
    other.priority = value
    pdbs = list(question.lister.list("PodDisruptionBudget"))
    filters = question.framework.handle.filters
    result = select_victims(filters, question.state, other, question.node.as_nodes, pdbs, DryRunRules())[0]
    return result if isinstance(result, Victims) and not result.pdb_violations else None


def _make_priority_edit(question: Question, value: int, victims: Victims | None) -> Edit | None:
    pod, classes = question.pod, question.lister.list("PriorityClass")
    known = sorted((cls.value, cls.name) for cls in classes if _is_assignable(cls, value))
    made: tuple[dict[str, Any], ...] = ()
    if known:
        value, name = known[0]
        sentence = TO_CLASS(to=name, value=value, count=len(victims.pods)) if victims else FIRST(to=name, value=value)
    else:
        name = f"repair-{value}"
        sentence = TO_NEW(to=name, value=value, count=len(victims.pods)) if victims else FIRST(to=name, value=value)
        head = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
        made = ({**head, "metadata": {"name": name}, "value": value},)
    change = combine_changes(
        set_value("spec", "priorityClassName", value=name),
        set_value("spec", "priority", value=value),
        set_value("spec", "preemptionPolicy", value=None),
    )
    edit = make_pod_edit(
        question,
        "raise_priority",
        "spec.priorityClassName",
        sentence,
        change,
        before=pod.priority_class_name or str(pod.priority),
        after=name,
        shape="raise priority",
        tie=float(value),
    )
    return None if edit is None else replace(edit, made=made)


def _is_assignable(priority_class: PriorityClass, value: int) -> bool:
    system = priority_class.name.startswith("system-")
    return not system and priority_class.value >= value and priority_class.preemption_policy != "Never"
