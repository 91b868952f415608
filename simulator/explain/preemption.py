"""Explanation of preemption by candidate node: victims, reprieved pods, and the criterion that chose the node.

It uses the PostFilter step of a record, and the cluster at the time of the attempt. Source:
pkg/scheduler/framework/preemption/preemption.go pickOneNodeForPreemption.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from kube_objects.kinds.policy.pod_disruption_budget import PodDisruptionBudget
from kube_objects.pod import Pod
from kube_objects.read import format_time
from kube_objects.sentences import Data, Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.framework.extender import Victims
from scheduler_core.framework.status import Code
from scheduler_core.plugins.default_preemption.args import DefaultPreemptionArgs
from scheduler_core.preemption.ranking import CRITERIA
from scheduler_core.preemption.victims import by_importance, split_by_pdb_violation, start_time
from simulator.explain.known import describe
from simulator.explain.node_ranges import NodeRanges, node_ranges

PLUGIN = "DefaultPreemption"
# Number of candidates in the result, best first.
MAX_CANDIDATES = 100

# (id, description), in the order of the criteria; the lowest value wins.
CRITERIA_NAMES = (
    ("pdbViolations", Template("fewest victims whose disruption budget is violated")),
    ("highestPriority", Template("lowest priority of the most important victim")),
    ("prioritySum", Template("lowest sum of the victims' priorities (each lifted by 2³¹, so that fewer are better)")),
    ("victims", Template("fewest victims")),
    ("start", Template("the most important victims started latest")),
)
WON = {
    "pdbViolations": Template("{node} was chosen: fewest disruption budgets are violated there"),
    "highestPriority": Template("{node} was chosen: its most important victim has the lowest priority"),
    "prioritySum": Template("{node} was chosen: the sum of its victims' priorities is the lowest"),
    "victims": Template("{node} was chosen: it has the fewest victims"),
    "start": Template("{node} was chosen: its most important victims started latest"),
}

TIED = Template("{count} candidates are equal by all criteria; {node} was drawn, with the seed")
ONLY = Template("{node} was the only candidate")


class VictimAnswer(TypedDict):
    pod: str
    priority: int
    started: str | None
    budgets: list[str]


class ExplainedCriterion(TypedDict):
    id: str
    what: Data
    best: float | None
    left: int
    decides: bool


class ExplainedCandidate(TypedDict):
    node: str
    chosen: bool
    victims: list[VictimAnswer]
    reprieved: list[VictimAnswer]
    pdbViolations: int
    costs: dict[str, float | None]
    outBy: str | None


class _Verdict(TypedDict):
    code: str
    message: str
    meaning: Data | None
    why: Data | None


class _Nodes(TypedDict):
    nodes: dict[str, int]
    notHelpful: NodeRanges
    withoutVictims: NodeRanges


class _Ranking(TypedDict):
    criteria: list[ExplainedCriterion]
    candidates: list[ExplainedCandidate]
    omitted: int
    nominatedNode: str | None
    ties: list[str]
    clearedNominations: list[str]


class ExplainedPreemption(_Verdict, _Nodes, _Ranking):
    pass


@dataclass(slots=True, frozen=True)
class _Candidate:
    name: str
    victims: Victims
    costs: tuple[float, ...]


def explain_preemption(context: AttemptContext, steps: Iterable[Mapping[str, Any]]) -> ExplainedPreemption | None:
    """Return preemption's candidates and decision, or None if preemption did not run.

    `steps` are those of the cycle. In `nodes`, `helpful` counts nodes where evicting pods could help, and `wanted` is
    the number of candidates at which the search stops. `costs` are by criterion id, `outBy` is the criterion by which a
    candidate lost, `budgets` are the PodDisruptionBudgets that an eviction violates.
    """
    step = next((step for step in steps if step["point"] == "PostFilter" and step.get("plugin") == PLUGIN), None)
    if step is None:
        return None
    data = step.get("data", {})
    described = data.get("candidates", {}).items()
    candidates = [
        _candidate(node, entry) for name, entry in described if (node := context.nodes.find(name)) is not None
    ]
    criteria, out_by = _rank(candidates)
    nominated = data.get("nominatedNode")
    candidates.sort(key=lambda candidate: (candidate.name != nominated, candidate.costs, candidate.name))
    message = ", ".join(step.get("reasons", ())).removeprefix("preemption: ")
    shown = candidates[:MAX_CANDIDATES]
    return {
        "code": step["code"],
        "message": message,
        "meaning": describe(message)["meaning"],
        "why": _why(data, criteria, len(candidates)),
        **_nodes(context, len(candidates)),
        "criteria": criteria,
        "candidates": [_describe(context, candidate, nominated, out_by) for candidate in shown],
        "omitted": len(candidates) - len(shown),
        "nominatedNode": nominated,
        "ties": data.get("ties", []),
        "clearedNominations": data.get("clearedNominations", []),
    }


def _candidate(node: NodeView, recorded: Mapping[str, Any]) -> _Candidate:
    by_key = {pod.key: pod for pod in node.pods}
    victims = Victims([by_key[key] for key in recorded["victims"] if key in by_key], recorded["pdbViolations"])
    costs = tuple(criterion(victims) if victims.pods else 0 for criterion in CRITERIA)
    return _Candidate(node.name, victims, costs)


def _rank(candidates: Sequence[_Candidate]) -> tuple[list[ExplainedCriterion], dict[str, str]]:
    """Apply the criteria in order; return what each decided, and the criterion that eliminated each loser."""
    criteria: list[ExplainedCriterion] = []
    out_by: dict[str, str] = {}
    left = list(candidates)
    for i, (name, what) in enumerate(CRITERIA_NAMES if candidates else ()):
        best = min(candidate.costs[i] for candidate in left)
        losers = [candidate for candidate in left if candidate.costs[i] != best]
        out_by |= {loser.name: name for loser in losers}
        left = [candidate for candidate in left if candidate.costs[i] == best]
        decides = bool(losers) and len(left) == 1
        criteria.append({"id": name, "what": what(), "best": _value(best), "left": len(left), "decides": decides})
    return criteria, out_by


def _value(cost: float) -> int | float | None:
    """Return None for infinity, which JSON does not have: a victim that has not started has an infinite start time."""
    return None if math.isinf(cost) else cost


def _why(data: Mapping[str, Any], criteria: Sequence[ExplainedCriterion], candidates: int) -> Data | None:
    node = data.get("nominatedNode")
    if not node:
        return None
    if candidates == 1:
        return ONLY(node=node)
    if len(data["ties"]) > 1:
        return TIED(node=node, count=len(data["ties"]))
    return next(WON[criterion["id"]](node=node) for criterion in criteria if criterion["decides"])


def _nodes(context: AttemptContext, candidates: int) -> _Nodes:
    """Return the nodes where evictions could help, and the number of candidates that were wanted."""
    statuses, nodes = context.attempt.diagnosis.statuses, context.nodes
    helpful = nodes.take(statuses.rows_with(Code.UNSCHEDULABLE))
    helpful_names = set(helpful.names)
    args = context.args(PLUGIN, DefaultPreemptionArgs)
    share = len(helpful) * args.min_candidate_nodes_percentage // 100
    without_victims = [
        node.name for node in helpful if not any(pod.priority < context.pod.priority for pod in node.pods)
    ]
    return {
        "nodes": {
            "helpful": len(helpful),
            "notHelpful": len(nodes) - len(helpful),
            "wanted": min(max(share, args.min_candidate_nodes_absolute), len(helpful)),
            "candidates": candidates,
        },
        "notHelpful": node_ranges(name for name in nodes.names if name not in helpful_names),
        "withoutVictims": node_ranges(without_victims),
    }


def _describe(
    context: AttemptContext, candidate: _Candidate, nominated: str | None, out_by: Mapping[str, str]
) -> ExplainedCandidate:
    node = context.node(candidate.name)
    victim_uids = {pod.uid for pod in candidate.victims.pods}
    potential = by_importance([pod for pod in node.pods if pod.priority < context.pod.priority])
    budgets: Sequence[PodDisruptionBudget] = context.lister.list("PodDisruptionBudget")
    violated = _violated(potential, budgets)
    spared = [pod for pod in potential if pod.uid not in victim_uids]
    return {
        "node": candidate.name,
        "chosen": candidate.name == nominated,
        "victims": [_pod(pod, violated) for pod in candidate.victims.pods],
        "reprieved": [_pod(pod, violated) for pod in spared],
        "pdbViolations": candidate.victims.pdb_violations,
        "costs": {name: _value(cost) for (name, _), cost in zip(CRITERIA_NAMES, candidate.costs, strict=True)},
        "outBy": out_by.get(candidate.name),
    }


def _violated(potential: Sequence[Pod], budgets: Sequence[PodDisruptionBudget]) -> dict[str, list[str]]:
    """Return by uid the PodDisruptionBudgets that evicting the pod would violate if all of `potential` were evicted."""
    violated: dict[str, list[str]] = {}
    for budget in budgets:
        for pod in split_by_pdb_violation(potential, [budget])[0]:
            violated.setdefault(pod.uid, []).append(budget.key)
    return violated


def _pod(pod: Pod, violated: Mapping[str, list[str]]) -> VictimAnswer:
    started = start_time(pod)
    return {
        "pod": pod.key,
        "priority": pod.priority,
        "started": None if math.isinf(started) else format_time(started),
        "budgets": violated.get(pod.uid, []),
    }
