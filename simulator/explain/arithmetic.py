"""Step-by-step arithmetic of a node's scores: raw, normalized, times the plugin's weight, and the sum.

If the arithmetic of a plugin doesn't reproduce the engine's number, or a plugin has no formula in the table, only the
number is shown.
"""

from typing import NotRequired, TypedDict

from kube_objects.sentences import Data, Template, plural
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.calculation import Calculation, CalculationAnswer, format_sum
from scheduler_core.plugins.table import ARITHMETIC

ONE_FEASIBLE = Template("{node} was the only node left, so nothing was scored")
NOMINATED = Template("{node} was nominated by an earlier attempt and still fits: it is taken without scoring")
NONE_FEASIBLE = Template("no node was left to score")
NOT_FEASIBLE = Template("{node} was not among the nodes that were scored")
NO_PLUGINS = Template("no plugin scores: any node will do")
WON = Template("{node} has the highest total")
TIED = Template("{count} nodes have the highest total; {node} was drawn, with the seed")
BEHIND = plural(
    "{count} node has a higher total; the best has {best}", "{count} nodes have a higher total; the best has {best}"
)


class ExplainedWeighted(TypedDict):
    formula: str
    value: int


class ExplainedTotal(ExplainedWeighted):
    pass


class ExplainedScore(TypedDict):
    plugin: str
    strategy: NotRequired[str]
    weight: int
    raw: CalculationAnswer
    normalized: CalculationAnswer | None
    weighted: ExplainedWeighted


class ExplainedExtenderScore(TypedDict):
    extender: str
    value: int


class ExplainedLedger(TypedDict):
    node: str
    scored: bool
    why: Data
    plugins: NotRequired[list[ExplainedScore]]
    skipped: NotRequired[list[str]]
    extenders: NotRequired[list[ExplainedExtenderScore]]
    total: NotRequired[ExplainedTotal | None]
    best: NotRequired[int]
    rank: NotRequired[int]
    ties: NotRequired[list[str]]


def explain_score(context: AttemptContext, plugin: str, node_name: str) -> ExplainedScore | None:
    """Return the calculation of one plugin's score of one node, or None if the plugin did not score the node."""
    scores, node = context.scores(plugin), context.scored_node(node_name)
    if scores is None or node is None:
        return None
    position = context.position(node_name)
    raw, normalized = int(scores.raw[position]), int(scores.normalized[position])
    explainer = ARITHMETIC.get(plugin)
    normalizes = next(score.normalizes for score in context.framework.score if score.name == plugin)
    result: ExplainedScore = {
        "plugin": plugin,
        "weight": scores.weight,
        "raw": _verified(None if explainer is None else explainer.raw(context, node), raw),
        "normalized": None,
        "weighted": {"formula": f"{normalized} × {scores.weight}", "value": normalized * scores.weight},
    }
    if explainer is not None and explainer.strategy is not None:
        result["strategy"] = explainer.strategy(context)
    if normalizes:
        how = None if explainer is None else explainer.normalized
        calculation = None if how is None else how(context, node, raw, scores.raw)
        result["normalized"] = _verified(calculation, normalized)
    return result


def _verified(calculation: Calculation | None, value: int) -> CalculationAnswer:
    """Return the calculation if its result is `value`; otherwise `value` without any lines."""
    if calculation is None or calculation.value != value:
        calculation = Calculation([], value)
    return calculation.as_dict()


def ledger(context: AttemptContext, node_name: str) -> ExplainedLedger:
    """Return the parts of one node's total score.

    The result for a node without scores has only `node`, `scored` and `why`. `rank` counts from 1; equal totals share a
    rank. Raises UnknownNodeError.
    """
    context.node(node_name)
    attempt = context.attempt
    if context.scored_node(node_name) is None:
        return {"node": node_name, "scored": False, "why": _why_not_scored(context, node_name)}
    assert attempt.totals is not None
    plugins = [score for name in attempt.scores.plugins if (score := explain_score(context, name, node_name))]
    extenders: list[ExplainedExtenderScore] = [
        {"extender": scores.extender, "value": scores.contributed.get(node_name, 0)}
        for scores in attempt.extender_scores
    ]
    total, best = int(attempt.totals[context.position(node_name)]), int(attempt.totals.max())
    parts = [score["weighted"]["value"] for score in plugins] + [score["value"] for score in extenders]
    ahead = int((attempt.totals > total).sum())
    return {
        "node": node_name,
        "scored": True,
        "why": _describe_rank(context, node_name, ahead, best),
        "plugins": plugins,
        "skipped": sorted(attempt.state.skip_score_plugins),
        "extenders": extenders,
        # Without score plugins, upstream gives every node a total of 1.
        "total": {"formula": format_sum(parts) if parts else str(total), "value": total},
        "best": best,
        "rank": ahead + 1,
        "ties": attempt.ties if len(attempt.ties) > 1 else [],
    }


def _why_not_scored(context: AttemptContext, node_name: str) -> Data:
    attempt = context.attempt
    if attempt.totals is not None:
        return NOT_FEASIBLE(node=node_name)
    if attempt.nominated_node_used:
        return NOMINATED(node=attempt.selected or "")
    return ONE_FEASIBLE(node=attempt.selected) if attempt.selected else NONE_FEASIBLE()


def _describe_rank(context: AttemptContext, node_name: str, nodes_ahead: int, best: int) -> Data:
    if nodes_ahead:
        return BEHIND(count=nodes_ahead, best=best)
    if not context.attempt.scores.plugins:
        return NO_PLUGINS()
    ties = context.attempt.ties
    return WON(node=node_name) if len(ties) == 1 else TIED(count=len(ties), node=context.attempt.selected or "")
