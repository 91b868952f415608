"""Explanation of one node's result in an attempt: every filter plugin's answer with its numbers."""

from dataclasses import dataclass
from typing import Literal, TypedDict

from kube_objects.sentences import Data, Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.fact import ExplainedFact, Fact
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.filtering import call_filter, nominated_ahead, run_add_pod
from scheduler_core.framework.interface import FilterPlugin
from scheduler_core.framework.status import SUCCESS, Code, PluginError, Status
from scheduler_core.plugins.table import FACTS

COULD = Template("evicting pods could help")
COULD_NOT = Template("evicting pods cannot help")
CHOSEN = Template("{node} was chosen")
FEASIBLE = Template("{node} could take the pod")
REJECTED = Template("{plugin} rejected {node}")
NOT_VISITED = Template("{node} was not looked at: enough nodes had been found before")
NARROWED = Template("{node} was not looked at: {plugins} left only other nodes")
PRE_FILTER = Template("no node was looked at: {plugin} rejected the pod as a whole")
FAILED = Template("no node was decided about: the attempt ended in an error")
DROPPED = Template("an extender dropped {node}")

State = Literal["chosen", "feasible", "rejected", "dropped", "notEvaluated", "narrowed", "preFilter", "error"]


class ExplainedAnswer(TypedDict):
    plugin: str
    code: str
    reasons: list[str]
    ran: bool
    facts: list[ExplainedFact]


class ExplainedNode(TypedDict):
    node: str
    state: State
    why: Data
    evicting: Data | None
    nominated: list[str]
    plugins: list[ExplainedAnswer]


@dataclass(slots=True, frozen=True)
class FilterAnswer:
    """One filter plugin's verdict on one node, with the facts behind it."""

    plugin: str
    status: Status
    facts: list[Fact]

    def as_dict(self, ran: bool) -> ExplainedAnswer:
        return {
            "plugin": self.plugin,
            "code": self.status.code.upstream_name,
            "reasons": list(self.status.reasons),
            "ran": ran,
            "facts": [fact.as_dict() for fact in self.facts],
        }


def explain_node(context: AttemptContext, node_name: str) -> ExplainedNode:
    """Return a node's state in the attempt, and every filter's answer about it in running order.

    State `dropped` means that an extender removed the node. `ran` is false for filters that the scheduler did not run
    on this node. `nominated` are pods of equal or higher priority that count as running there. Raises UnknownNodeError.
    """
    node = context.node(node_name)
    pre_filter = context.attempt.pre_filter.status
    answers, nominated = ([], []) if not pre_filter.is_success else _answers(context, node)
    state, why = _state(context, node_name, answers)
    first = next((i for i, answer in enumerate(answers) if not answer.status.is_success), len(answers))
    evaluated = state in ("chosen", "feasible", "rejected", "dropped")
    rejection = answers[first].status if first < len(answers) else pre_filter
    evicting = None
    if rejection.is_rejected:
        evicting = COULD_NOT() if rejection.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE else COULD()
    return {
        "node": node_name,
        "state": state,
        "why": why,
        "evicting": evicting,
        "nominated": nominated,
        "plugins": [answer.as_dict(ran=evaluated and i <= first) for i, answer in enumerate(answers)],
    }


def _answers(context: AttemptContext, node: NodeView) -> tuple[list[FilterAnswer], list[str]]:
    """Return every filter's answer, and the keys of the nominated pods that were counted."""
    without_nominated = [ask_filter(context, plugin, context.state, node) for plugin in _filters(context)]
    nominated = nominated_ahead(context.framework, context.pod, node.name)
    if not nominated:
        return without_nominated, []
    crowded, state = node.what_if(), context.state.clone()
    for other in nominated:
        crowded.table.add_pod(other, node.name)
        run_add_pod(context.framework, state, context.pod, other, crowded)
    with_nominated = [ask_filter(context, plugin, state, crowded) for plugin in _filters(context)]
    # A node must pass with and without the nominated pods. A failure with them is reported first, as upstream does.
    keys = [pod.key for pod in nominated]
    failed = any(not answer.status.is_success for answer in with_nominated)
    return (with_nominated, keys) if failed else (without_nominated, keys)


def _filters(context: AttemptContext) -> list[FilterPlugin]:
    skipped = context.state.skip_filter_plugins
    return [plugin for plugin in context.framework.filter if plugin.name not in skipped]


def ask_filter(context: AttemptContext, plugin: FilterPlugin, state: CycleState, node: NodeView) -> FilterAnswer:
    """Return one plugin's verdict on one node alone, with the facts behind it."""
    status = call_filter(plugin, state, context.pod, node.as_nodes).status(0)
    explain = FACTS.get(plugin.name)
    try:
        facts = [] if explain is None else explain(context, state, node)
    except PluginError:
        facts = []
    # Drop facts that contradict the verdict: wrong facts mislead more than missing ones.
    return FilterAnswer(plugin.name, status, facts if any(fact.fails for fact in facts) == (status != SUCCESS) else [])


def _state(context: AttemptContext, name: str, answers: list[FilterAnswer]) -> tuple[State, Data]:
    attempt = context.attempt
    outcome = attempt.pre_filter
    if name == attempt.selected:
        return "chosen", CHOSEN(node=name)
    if outcome.status.is_rejected:
        return "preFilter", PRE_FILTER(plugin=outcome.status.plugin or ", ".join(outcome.narrowing))
    if not outcome.status.is_success or attempt.found is None or attempt.found.error is not None:
        return "error", FAILED()
    row = context.nodes.table.rows[name]
    hits = (attempt.found.rows == row).nonzero()[0]
    if not len(hits) and name != context.pod.nominated_node_name:
        if outcome.node_names is not None and name not in outcome.node_names:
            return "narrowed", NARROWED(node=name, plugins=", ".join(outcome.narrowing))
        return "notEvaluated", NOT_VISITED(node=name)
    rejected = next((answer for answer in answers if not answer.status.is_success), None)
    if rejected is not None:
        return "rejected", REJECTED(plugin=rejected.plugin, node=name)
    if attempt.feasible is None or name not in attempt.feasible.table.rows or name not in attempt.feasible.names:
        return "dropped", DROPPED(node=name)
    return "feasible", FEASIBLE(node=name)
