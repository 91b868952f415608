"""Reason tree of an attempt: all nodes grouped by their result, from the record and the matrix alone.

`explain.node` has the numbers of one node; it needs the attempt to be run again.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from kube_objects.sentences import Data, Template, plural
from scheduler_core.framework.status import Code, Status
from simulator.explain.decoder import decode
from simulator.explain.known import describe
from simulator.explain.node_ranges import node_ranges
from simulator.simulation.matrix import Matrix

NONE_FIT = Template("{fit}/{total} nodes are available")
CHOSEN = Template("{node} was chosen; {fit} of {total} nodes could take the pod")
REJECTED_LATER = Template("{fit} of {total} nodes could take the pod, but the attempt failed afterwards")
SKIPPED = Template("the pod was passed over")
FEASIBLE = plural("{count} node could take the pod", "{count} nodes could take the pod")
PLUGIN = plural("{plugin} rejected {count} node", "{plugin} rejected {count} nodes")
NARROWED = plural(
    "{plugins} had narrowed the search to {left}: {count} other node was passed over",
    "{plugins} had narrowed the search to {left}: {count} other nodes were passed over",
)
ENOUGH = plural(
    "{count} node was not looked at: {found} that fit were enough (percentageOfNodesToScore)",
    "{count} nodes were not looked at: {found} that fit were enough (percentageOfNodesToScore)",
)
NOMINATED = plural(
    "{count} node was not looked at: the pod's nominated node still fits",
    "{count} nodes were not looked at: the pod's nominated node still fits",
)
NOT_REACHED = plural(
    "{count} node was not looked at: the attempt ended before",
    "{count} nodes were not looked at: the attempt ended before",
)
PRE_FILTER = Template("{plugin} rejected the pod as a whole: no node was looked at")
NOBODY_LEFT = Template("{plugins} left no node to look at")
FAILED = Template("{plugin} failed: an internal error ends the attempt, and preemption is not tried")
EXTENDER = plural("{extender} dropped {count} node", "{extender} dropped {count} nodes")
EXTENDER_FAILED = Template("{extender} failed")
EXTENDERS = plural("extenders dropped {count} node", "extenders dropped {count} nodes")
POST_FILTER = Template("no node fits, so that PostFilter plugins had their turn")
NOMINATES = plural(
    "{plugin} nominated {node}, where {count} pod is evicted",
    "{plugin} nominated {node}, where {count} pods are evicted",
)
NO_HELP = Template("{plugin} could not help")

Branch = dict[str, Any]


class ExplainedReasons(TypedDict):
    kind: str
    text: Data
    message: str
    outcome: str
    count: int
    children: list[Branch]


def reason_tree(cycle: Mapping[str, Any], matrix: Matrix | None, names: Sequence[str]) -> ExplainedReasons:
    """Group all nodes by their result in the attempt, and each group by its reasons.

    `cycle` is that of the record, `names` are the epoch's node names. Every branch has `kind`, `text` or `reason`, and
    `count` (nodes); it may have `plugin`, `nodes` (as `node_ranges`) and `children`. Kinds: `feasible`, `plugin`,
    `narrowed`, `notEvaluated`, `extender`, `preFilter`, `error` and `postFilter` (children of kind `postFilterPlugin`).

    Children of a `plugin` are of kind `reason`, with `reason` verbatim, `evicting` (`{"could", "cannot"}` nodes),
    `statuses` (indexes into the matrix' statuses) and the fields of `known.describe`.

    Counts of the branches below the root add up to all nodes. Counts of a plugin's reasons do not, because a node may
    have several reasons.
    """
    total = cycle.get("nodes", {}).get("total", 0)
    children = [*_node_branches(cycle, matrix, names), *_post_filter_branches(cycle)]
    return {
        "kind": "attempt",
        "text": _headline(cycle, total),
        "message": cycle["message"],
        "outcome": cycle["outcome"],
        "count": total,
        "children": children,
    }


def _headline(cycle: Mapping[str, Any], total: int) -> Data:
    fit = cycle.get("nodes", {}).get("feasible", 0)
    if cycle["outcome"] == "skipped":
        return SKIPPED()
    if cycle["node"]:
        return CHOSEN(node=cycle["node"], fit=fit, total=total)
    return REJECTED_LATER(fit=fit, total=total) if fit else NONE_FIT(fit=0, total=total)


def _node_branches(cycle: Mapping[str, Any], matrix: Matrix | None, names: Sequence[str]) -> Iterator[Branch]:
    rejecting_step = next((step for step in cycle["steps"] if step["point"] == "PreFilter" and _rejects(step)), None)
    narrowing, allowed = _narrowing(cycle, names)
    if matrix is None:
        if rejecting_step is not None:
            yield _pre_filter_branch(rejecting_step, cycle["nodes"]["total"])
        elif allowed is not None and not allowed:
            step = {"plugin": narrowing, "code": "UnschedulableAndUnresolvable", "reasons": [cycle["message"]]}
            yield _pre_filter_branch(step, cycle["nodes"]["total"]) | {"text": NOBODY_LEFT(plugins=narrowing)}
        elif cycle["outcome"] == "error":
            yield {"kind": "error", "text": FAILED(plugin=""), "reason": cycle["message"], "count": 0}
        return
    yield from _feasible_branches(cycle, matrix, names)
    yield from _plugin_branches(matrix, names)
    evaluated = set(matrix.rows.tolist())
    if allowed is not None:
        passed_over = [name for row, name in enumerate(names) if row not in evaluated and name not in allowed]
        text = NARROWED(plugins=narrowing, left=len(allowed), count=len(passed_over))
        yield _branch("narrowed", text, passed_over) | {"plugin": narrowing}
    not_evaluated = [
        name for row, name in enumerate(names) if row not in evaluated and (allowed is None or name in allowed)
    ]
    if not_evaluated:
        yield _branch("notEvaluated", _why_not_evaluated(cycle, len(not_evaluated)), not_evaluated)
    if cycle["outcome"] == "error" and not cycle["node"]:
        yield {"kind": "error", "text": FAILED(plugin=""), "reason": cycle["message"], "count": 0}


def _rejects(step: Mapping[str, Any]) -> bool:
    return step["code"] in ("Unschedulable", "UnschedulableAndUnresolvable", "Error")


def _narrowing(cycle: Mapping[str, Any], names: Sequence[str]) -> tuple[str, frozenset[str] | None]:
    """Return the plugins that narrowed the search, and the names of existing nodes that they left.

    The names are None if no plugin narrowed it.
    """
    steps = [step for step in cycle["steps"] if step["point"] == "PreFilter" and "nodeNames" in step.get("data", {})]
    if not steps:
        return "", None
    allowed = frozenset(names).intersection(*(step["data"]["nodeNames"] for step in steps))
    return ", ".join(sorted(step["plugin"] for step in steps)), allowed


def _why_not_evaluated(cycle: Mapping[str, Any], count: int) -> Data:
    nodes = cycle["nodes"]
    if nodes["toFind"] is None:
        return NOMINATED(count=count)
    if nodes["feasible"] or any(step.get("extender") for step in cycle["steps"]):
        return ENOUGH(count=count, found=nodes["toFind"])
    return NOT_REACHED(count=count)


def _pre_filter_branch(step: Mapping[str, Any], total: int) -> Branch:
    reasons = [{"kind": "reason", "reason": text, "count": total, **describe(text)} for text in step.get("reasons", ())]
    template = FAILED if step["code"] == "Error" else PRE_FILTER
    return {
        "kind": "preFilter",
        "text": template(plugin=step["plugin"]),
        "plugin": step["plugin"],
        "code": step["code"],
        "count": total,
        "children": reasons,
    }


def _branch(kind: str, text: Data, names: Sequence[str]) -> Branch:
    return {"kind": kind, "text": text, "count": len(names), "nodes": node_ranges(names)}


def _feasible_branches(cycle: Mapping[str, Any], matrix: Matrix, names: Sequence[str]) -> Iterator[Branch]:
    """Yield the nodes that passed all plugins, and those of them that extenders dropped."""
    passed = [names[row] for row in matrix.rows[matrix.status == 0].tolist()]
    scored = {names[row] for row in matrix.rows[matrix.feasible].tolist()}
    calls = [step for step in cycle["steps"] if step["point"] == "Filter" and "extender" in step]
    left = passed
    if calls:
        only_feasible = {cycle["node"]} if cycle["nodes"]["feasible"] == 1 else set()
        left = [name for name in passed if name in (scored or only_feasible)]
    if left:
        yield _branch("feasible", FEASIBLE(count=len(left)), left) | {"node": cycle["node"]}
    dropped = [name for name in passed if name not in set(left)] if calls else []
    if dropped or any(step["code"] != "Success" for step in calls):
        children = [_extender_branch(step) for step in calls]
        yield _branch("extender", EXTENDERS(count=len(dropped)), dropped) | {"children": children}


def _extender_branch(step: Mapping[str, Any]) -> Branch:
    failed = step["code"] != "Success"
    count = 0 if failed else step["in"] - step["out"]
    text = EXTENDER_FAILED(extender=step["extender"]) if failed else EXTENDER(extender=step["extender"], count=count)
    return {"kind": "extenderCall", "text": text, "count": count, "reasons": step.get("reasons", [])}


def _plugin_branches(matrix: Matrix, names: Sequence[str]) -> Iterator[Branch]:
    """Yield one branch per plugin, ordered by the number of nodes that it rejected."""
    counts = np.bincount(matrix.status, minlength=len(matrix.statuses))
    by_plugin: dict[str, list[int]] = {}
    for index, status in enumerate(matrix.statuses):
        if index and counts[index]:
            by_plugin.setdefault(status.plugin, []).append(index)
    order = {plugin: i for i, plugin in enumerate(matrix.filter_plugins)}
    totals = {plugin: int(counts[indexes].sum()) for plugin, indexes in by_plugin.items()}
    for plugin in sorted(by_plugin, key=lambda plugin: (-totals[plugin], order.get(plugin, len(order)))):
        indexes = by_plugin[plugin]
        text = PLUGIN(plugin=plugin, count=totals[plugin])
        yield {
            "kind": "plugin",
            "text": text,
            "plugin": plugin,
            "count": totals[plugin],
            "evicting": _evicting(matrix.statuses, counts, indexes),
            "statuses": indexes,
            "children": _reason_branches(matrix, names, counts, indexes),
        }


def _reason_branches(
    matrix: Matrix, names: Sequence[str], counts: NDArray[Any], indexes: Sequence[int]
) -> list[Branch]:
    by_reason: dict[str, list[int]] = {}
    for index in indexes:
        for text in matrix.statuses[index].reasons or (matrix.statuses[index].code.upstream_name,):
            by_reason.setdefault(text, []).append(index)
    branches = []
    for text, reason_indexes in by_reason.items():
        rows = matrix.rows[np.isin(matrix.status, reason_indexes)].tolist()
        branches.append(
            {
                "kind": "reason",
                "reason": text,
                "count": len(rows),
                "evicting": _evicting(matrix.statuses, counts, reason_indexes),
                "statuses": reason_indexes,
                "nodes": node_ranges(names[row] for row in rows),
            }
            | {name: value for name, value in describe(text).items() if name not in ("evicting", "plugin")}
        )
    return sorted(branches, key=lambda branch: (-branch["count"], branch["reason"]))


def _evicting(statuses: Sequence[Status], counts: NDArray[Any], indexes: Sequence[int]) -> dict[str, int]:
    """Count by status code the nodes on which evicting pods could help, and those on which it cannot."""
    could = [index for index in indexes if statuses[index].code != Code.UNSCHEDULABLE_AND_UNRESOLVABLE]
    helped = int(counts[could].sum())
    return {"could": helped, "cannot": int(counts[indexes].sum()) - helped}


def _post_filter_branches(cycle: Mapping[str, Any]) -> Iterator[Branch]:
    steps = [step for step in cycle["steps"] if step["point"] == "PostFilter" and "plugin" in step]
    if steps:
        children = [_post_filter_plugin(step) for step in steps]
        yield {"kind": "postFilter", "text": POST_FILTER(), "count": 0, "children": children}


def _post_filter_plugin(step: Mapping[str, Any]) -> Branch:
    """Return one plugin's branch. Preemption's own message counts nodes separately."""
    data, reasons = step.get("data", {}), ", ".join(step.get("reasons", ()))
    children: list[Branch] = []
    if data.get("nominatedNode"):
        node, victims = data["nominatedNode"], data["victims"]
        text = NOMINATES(plugin=step["plugin"], node=node, count=len(victims))
    else:
        text = NO_HELP(plugin=step["plugin"])
        decoded = decode(reasons)
        parts = decoded["preemption"]["parts"] if decoded["preemption"] is not None else decoded["parts"]
        children = [{"kind": "reason", **part, "count": part["count"] or 0} for part in parts]
    return {
        "kind": "postFilterPlugin",
        "text": text,
        "plugin": step["plugin"],
        "code": step["code"],
        "reason": reasons,
        "count": 0,
        "children": children,
    }
