"""Feedback on wrong predictions, from the engine's results.

It doesn't name the right answer, because users get a second try.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kube_objects.sentences import Data, Template, plural
from simulator.explain.compare import compare
from simulator.explain.node import COULD_NOT, explain_node
from simulator.explain.preemption import explain_preemption
from simulator.explain.reasons import FEASIBLE, reason_tree
from simulator.explain.rerun import Rerun
from simulator.simulation.simulation import Simulation

NO_OPTION = "(none)"
# Feedback lists only the first few facts or plugins.
MOST_FACTS = 3

REJECTED = Template("{plugin} rejected {node}: {reasons}")
BEHIND = Template("{node} could take the pod, but another node has {gap} points more")
GIVES_MORE = Template("{plugin} gives that one {difference} more")
DRAWN = Template("{node} has as many points as the node that was drawn")
HELPS = plural("evicting pods makes room on {count} node", "evicting pods makes room on {count} nodes")
PLACED = Template("the pod gets a node at once: nobody has to go")
HOPELESS = Template("on {node} there is no room, even without all less important pods")
SAYS = Template("{plugin} says: {reasons}")
OUT_BY: Mapping[str | None, Template] = {
    "pdbViolations": Template("{node} is a candidate, but elsewhere fewer disruption budgets are violated"),
    "highestPriority": Template("{node} is a candidate, but elsewhere the most important victim has a lower priority"),
    "prioritySum": Template("{node} is a candidate, but elsewhere the sum of the victims' priorities is lower"),
    "victims": Template("{node} is a candidate, but elsewhere there are fewer victims"),
    "start": Template("{node} is a candidate, but elsewhere the most important victims started later"),
    None: Template("{node} is as good a candidate as the one that was drawn"),
}
SPARED = Template("{pod} can stay: there is room without evicting it")
MORE = plural("{count} more pod belongs to the answer", "{count} more pods belong to the answer")
SAME_PLACE = Template("{pod} ends at the same place under both versions")
PASSES = Template("{plugin} lets {node} pass")
TOO_LATE = Template("{plugin} would reject {node}, too, but a filter before it has rejected it already")
SKIPPED = Template("{plugin} has nothing to look at for this pod")
NOT_PASSED = Template("{node} does not pass all filters")
GOES_ON = Template("{fit} of the first {seen} nodes could take the pod; the search goes on until enough are found")
ENDED = Template("the search ends before that: enough nodes that could take the pod have been found")
FEWER = Template("there are only {total} nodes")
PRIORITY = Template("{pod} has priority {priority}, another pod that waits has a higher one")
LATER = Template("{pod} came into its queue after another pod of the same priority")
UNLOOKED = Template("{pod} has the higher priority, but this queue goes by who came first")
NONE_REJECTED = Template("no filter rejects a node")
BACKOFF = Template("{pod} waits in Backoff, while another pod is in Active")
SORTED = Template("the queue has another pod before {pod}")


def explain_wrong_option(rerun: Rerun, names: Sequence[str], ask: str, option: str, node: str = "") -> list[Data]:
    """Return why `option` is not an answer to the question `ask` about an attempt.

    `names` are the node names of the attempt's epoch; `node` is the node of a `rejected_by` question.
    """
    return _ASKS[ask](rerun, names, option, node)


def explain_not_next(simulation: Simulation, option: str) -> list[Data]:
    """Return why this pod is not the next one that the queue pops."""
    queue = simulation.cluster.queue
    active, backoff = queue.active(), queue.backoff()
    first = (active or backoff)[0]
    mine = next(queued for queued in (*active, *backoff) if queued.pod.key == option)
    if active and all(queued is not mine for queued in active):
        return [BACKOFF(pod=option)]
    if mine.pod.priority < first.pod.priority:
        return [PRIORITY(pod=option, priority=mine.pod.priority)]
    if mine.timestamp < first.timestamp:
        return [SORTED(pod=option)]
    return [(LATER if mine.pod.priority == first.pod.priority else UNLOOKED)(pod=option)]


def explain_not_moved(option: str) -> list[Data]:
    """Return why an upgrade does not move this pod."""
    return [SAME_PLACE(pod=option)]


def explain_missing(count: int) -> list[Data]:
    """Return the feedback for a multiple choice that lacks `count` pods."""
    return [MORE(count=count)] if count else []


def _chosen_node(rerun: Rerun, names: Sequence[str], option: str, _: str) -> list[Data]:
    if option == NO_OPTION:
        return [FEASIBLE(count=rerun.cycle["nodes"]["feasible"])]
    explained = explain_node(rerun.context, option)
    if explained["state"] == "rejected":
        return _rejection(explained)
    chosen = rerun.context.attempt.selected
    if explained["state"] != "feasible" or not chosen:
        return [explained["why"]]
    compared = compare(rerun.context, chosen, option)
    if compared["gap"] is None:
        return [explained["why"]]
    if not compared["gap"]:
        return [DRAWN(node=option)]
    rows = [row for row in compared["plugins"] if row["difference"] > 0][:MOST_FACTS]
    more = [GIVES_MORE(plugin=row["plugin"], difference=row["difference"]) for row in rows]
    return [BEHIND(node=option, gap=compared["gap"]), *more]


def _rejection(explained: Mapping[str, Any]) -> list[Data]:
    """Return the filter that rejected a node, with the facts that it failed on."""
    first = next(answer for answer in explained["plugins"] if answer["code"] != "Success")
    facts = [fact["what"] for fact in first["facts"] if fact["fails"]]
    reasons = ", ".join(first["reasons"]) or first["code"]
    return [REJECTED(plugin=first["plugin"], node=explained["node"], reasons=reasons), *facts[:MOST_FACTS]]


def _nominated_node(rerun: Rerun, names: Sequence[str], option: str, _: str) -> list[Data]:
    preemption = explain_preemption(rerun.context, rerun.cycle["steps"])
    if option == NO_OPTION:
        return [HELPS(count=preemption["nodes"]["candidates"])] if preemption is not None else []
    return _not_preempted(rerun, option, preemption)


def _not_preempted(rerun: Rerun, node: str, preemption: Mapping[str, Any] | None) -> list[Data]:
    """Return why preemption does not evict pods on this node."""
    if preemption is None:
        return [PLACED()] if rerun.cycle["node"] else _outcome(rerun, (), "scheduled", "")
    candidate = next((candidate for candidate in preemption["candidates"] if candidate["node"] == node), None)
    if candidate is not None:
        return [OUT_BY[candidate["outBy"]](node=node)]
    if not preemption["nominatedNode"] and not preemption["nodes"]["candidates"] and preemption["message"]:
        return [SAYS(plugin="DefaultPreemption", reasons=preemption["message"])]
    explained = explain_node(rerun.context, node)
    if explained["evicting"] == COULD_NOT():
        return (
            [*_rejection(explained), COULD_NOT()]
            if explained["state"] == "rejected"
            else [explained["why"], COULD_NOT()]
        )
    return [HOPELESS(node=node)]


def _victims(rerun: Rerun, names: Sequence[str], option: str, _: str) -> list[Data]:
    preemption = explain_preemption(rerun.context, rerun.cycle["steps"])
    victim_node = next((node.name for node in rerun.context.nodes if any(pod.key == option for pod in node.pods)), None)
    if victim_node is None:
        return []
    if preemption is not None and preemption["nominatedNode"] == victim_node:
        return [SPARED(pod=option)]
    return _not_preempted(rerun, victim_node, preemption)


def _outcome(rerun: Rerun, names: Sequence[str], option: str, _: str) -> list[Data]:
    """Return for `scheduled` the plugins that rejected nodes, for `unschedulable` the nodes that could take the pod."""
    kinds = ("feasible",) if option == "unschedulable" else ("plugin", "preFilter", "narrowed", "error", "extender")
    return _branch_texts(rerun, names, kinds)


def _feasible_nodes(rerun: Rerun, names: Sequence[str], option: str, _: str) -> list[Data]:
    kinds = ("plugin", "preFilter", "narrowed", "notEvaluated", "error", "extender")
    return _branch_texts(rerun, names, kinds) or [NONE_REJECTED()]


def _branch_texts(rerun: Rerun, names: Sequence[str], kinds: Sequence[str]) -> list[Data]:
    branches = reason_tree(rerun.cycle, rerun.matrix, names)["children"]
    return [branch["text"] for branch in branches if branch["kind"] in kinds]


def _evaluated_nodes(rerun: Rerun, names: Sequence[str], option: str, _: str) -> list[Data]:
    nodes, picked = rerun.cycle["nodes"], int(option)
    if picked > nodes["total"]:
        return [FEWER(total=nodes["total"])]
    if picked > nodes["evaluated"] or rerun.matrix is None:
        return [ENDED()]
    return [GOES_ON(fit=int((rerun.matrix.status[:picked] == 0).sum()), seen=picked)]


def _rejected_by(rerun: Rerun, names: Sequence[str], option: str, node: str) -> list[Data]:
    if option == NO_OPTION:
        return [NOT_PASSED(node=node)]
    explained = explain_node(rerun.context, node)
    answer = next((answer for answer in explained["plugins"] if answer["plugin"] == option), None)
    if answer is None:
        return [SKIPPED(plugin=option)]
    if answer["code"] != "Success":
        return [TOO_LATE(plugin=option, node=node)]
    return [PASSES(plugin=option, node=node), *(fact["what"] for fact in answer["facts"][:MOST_FACTS])]


_ASKS: Mapping[str, Callable[[Rerun, Sequence[str], str, str], list[Data]]] = {
    "chosen_node": _chosen_node,
    "nominated_node": _nominated_node,
    "outcome": _outcome,
    "victims": _victims,
    "rejected_by": _rejected_by,
    "feasible_nodes": _feasible_nodes,
    "evaluated_nodes": _evaluated_nodes,
}
