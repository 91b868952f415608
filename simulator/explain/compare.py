"""Comparison of two nodes in one attempt: scores side by side, the tie-break draw, or the filter that rejected one."""

from typing import Literal, TypedDict

from kube_objects.sentences import Data, Template
from scheduler_core.facts.attempt_context import AttemptContext
from simulator.explain.node import explain_node

BEAT = Template("{winner} beat {loser} by {gap}: mostly {plugin}, {difference} of it")
BY_EXTENDERS = Template("{winner} beat {loser} by {gap}: mostly extenders, {difference} of it")
EQUAL = Template("{a} and {b} have the same total; {chosen} was drawn")
EQUAL_LOSERS = Template("{a} and {b} have the same total")
ONE_REJECTED = Template("{winner} could take the pod; {plugin} rejected {loser}: {reasons}")
BOTH_REJECTED = Template("neither could take the pod; {plugin} rejected {a}, {other} rejected {b}")
NOT_SCORED = Template("{node} was not scored")


By = Literal["score", "extenders", "draw", "filter", "nothing"]


class SideAnswer(TypedDict):
    raw: int
    normalized: int
    weighted: int


class ExplainedDecided(TypedDict):
    by: By
    plugin: str | None


class ExplainedRejectedNode(TypedDict):
    plugin: str
    reasons: list[str]


class ExplainedDifference(TypedDict):
    plugin: str
    weight: int
    a: SideAnswer
    b: SideAnswer
    difference: int


class ExplainedComparison(TypedDict):
    a: str
    b: str
    why: Data
    decided: ExplainedDecided
    rejected: dict[str, ExplainedRejectedNode]
    gap: int | None
    plugins: list[ExplainedDifference]
    extenders: dict[str, int] | None


ExplainedPair = tuple[Data, ExplainedDecided]


def compare(context: AttemptContext, a: str, b: str) -> ExplainedComparison:
    """Compare two nodes and return what decided between them.

    `difference` is a's weighted score minus b's; the largest differences come first. `extenders` has `a`, `b` and
    `difference`. `decided` is by `score` or `filter` with the decisive plugin, by `extenders`, by `draw` between equal
    totals, or by `nothing`. If one of the nodes was not scored, `gap` is None, the lists of scores are empty, and
    `rejected` has, by node, the plugin that rejected it and its reasons. Raises UnknownNodeError.
    """
    nodes = {"a": a, "b": b}
    for name in nodes.values():
        context.node(name)
    attempt = context.attempt
    unscored = next((name for name in nodes.values() if context.scored_node(name) is None), None)
    if unscored is not None or attempt.totals is None:
        why, decided, rejected = _by_filters(context, a, b, unscored or a)
        return {
            "a": a,
            "b": b,
            "why": why,
            "decided": decided,
            "rejected": rejected,
            "gap": None,
            "plugins": [],
            "extenders": None,
        }
    rows_by_side = {side: context.position(name) for side, name in nodes.items()}
    rows = [_compare_scores(context, plugin, rows_by_side) for plugin in attempt.scores.plugins]
    rows.sort(key=lambda row: (-abs(row["difference"]), row["plugin"]))
    totals = {side: int(attempt.totals[row]) for side, row in rows_by_side.items()}
    extenders: dict[str, int] | None = None
    if attempt.extender_scores:
        added = {
            side: sum(scores.contributed.get(name, 0) for scores in attempt.extender_scores)
            for side, name in nodes.items()
        }
        extenders = added | {"difference": added["a"] - added["b"]}
    gap = totals["a"] - totals["b"]
    why, decided = _by_scores(context, a, b, gap, rows, extenders)
    return {
        "a": a,
        "b": b,
        "why": why,
        "decided": decided,
        "gap": gap,
        "plugins": rows,
        "extenders": extenders,
        "rejected": {},
    }


def _by_filters(
    context: AttemptContext, a: str, b: str, unscored: str
) -> tuple[Data, ExplainedDecided, dict[str, ExplainedRejectedNode]]:
    """Explain a pair of which at least one node was not scored: it was rejected or not evaluated."""
    nodes = {name: explain_node(context, name) for name in (a, b)}
    rejected: dict[str, ExplainedRejectedNode] = {}
    for name, node in nodes.items():
        if node["state"] == "rejected":
            first = next(answer for answer in node["plugins"] if answer["reasons"] or answer["code"] != "Success")
            rejected[name] = {"plugin": first["plugin"], "reasons": first["reasons"]}
    if len(rejected) == 2:
        why = BOTH_REJECTED(a=a, b=b, plugin=rejected[a]["plugin"], other=rejected[b]["plugin"])
        return why, _decided("nothing"), rejected
    winner = next((name for name in (a, b) if nodes[name]["state"] in ("chosen", "feasible")), None)
    if rejected and winner is not None:
        (loser, rejection), *_ = rejected.items()
        plugin, reasons = rejection["plugin"], ", ".join(rejection["reasons"])
        why = ONE_REJECTED(winner=winner, loser=loser, plugin=plugin, reasons=reasons)
        return why, _decided("filter", plugin), rejected
    passed_over = next(
        (name for name in (a, b) if nodes[name]["state"] not in ("chosen", "feasible", "rejected")), None
    )
    why = NOT_SCORED(node=unscored) if passed_over is None else nodes[passed_over]["why"]
    return why, _decided("nothing"), rejected


def _decided(by: By, plugin: str | None = None) -> ExplainedDecided:
    return {"by": by, "plugin": plugin}


def _compare_scores(context: AttemptContext, plugin: str, rows_by_side: dict[str, int]) -> ExplainedDifference:
    scores = context.scores(plugin)
    assert scores is not None  # The plugin is one that scored in this attempt.
    sides: dict[str, SideAnswer] = {
        side: {
            "raw": int(scores.raw[row]),
            "normalized": int(scores.normalized[row]),
            "weighted": int(scores.normalized[row]) * scores.weight,
        }
        for side, row in rows_by_side.items()
    }
    difference = sides["a"]["weighted"] - sides["b"]["weighted"]
    return {"plugin": plugin, "weight": scores.weight, "a": sides["a"], "b": sides["b"], "difference": difference}


def _by_scores(
    context: AttemptContext, a: str, b: str, gap: int, rows: list[ExplainedDifference], extenders: dict[str, int] | None
) -> ExplainedPair:
    why: Data
    chosen = context.attempt.selected or ""
    if not gap:
        drawn = chosen in (a, b) and a != b
        why = EQUAL(a=a, b=b, chosen=chosen) if drawn else EQUAL_LOSERS(a=a, b=b)
        return why, _decided("draw" if drawn else "nothing")
    sign = 1 if gap > 0 else -1
    sides: dict[str, str | int] = {"winner": a if gap > 0 else b, "loser": b if gap > 0 else a, "gap": abs(gap)}
    decisive = max(rows, key=lambda row: sign * row["difference"], default=None)
    added = 0 if extenders is None else sign * extenders["difference"]
    if decisive is None or added > sign * decisive["difference"]:
        return BY_EXTENDERS(**sides, difference=added), _decided("extenders")
    why = BEAT(**sides, plugin=decisive["plugin"], difference=sign * decisive["difference"])
    return why, _decided("score", decisive["plugin"])
