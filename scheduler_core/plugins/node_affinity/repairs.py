"""Repairs for NodeAffinity: drop, soften or widen a requirement, or label the node."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from kube_objects.go_numbers import parse_int64
from kube_objects.node import Node
from kube_objects.parsers.affinity import PREFERRED, REQUIRED
from kube_objects.selectors import NodeSelector, NodeSelectorTerm, Requirement
from kube_objects.sentences import Template
from kube_objects.serialize import manifest_of
from scheduler_core.edits.edit import Edit, replace_item, set_value, value_at
from scheduler_core.edits.object_edits import disable_plugin, label_node, require_node
from scheduler_core.edits.pod_edits import make_pod_edit
from scheduler_core.edits.profile_edits import change_plugin_args
from scheduler_core.edits.question import NEVER_ENOUGH, Need, Question
from scheduler_core.facts import wording
from scheduler_core.plugins.node_affinity.added import compile_affinity
from scheduler_core.plugins.node_affinity.args import NodeAffinityArgs
from scheduler_core.plugins.node_selector import required_affinity

NOT_ADDED = Template("Let the profile {profile} prefer the affinity that it demands of all pods")
DROP = Template("Drop {label} from the node selector")
SOFTEN = Template("Prefer the required node affinity instead of demanding it")
WIDEN = Template("Also allow {value} in the node affinity: {term}")
TERMS = ("spec", "affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms")
# How many sets of labels are offered for one term.
_MOST_WAYS = 16
# No edit helps: the Pod of a DaemonSet fits only its own Node.
_NEVER = Need("NodeAffinity", (), leave=NEVER_ENOUGH, evictable=False)


def needs(question: Question) -> list[Need]:
    if question.node is None:
        # The terms name no common node, so no node was evaluated.
        return [_NEVER if _is_daemon(question) else question.need(_soften_affinity(question), disable_plugin(question))]
    node = require_node(question)
    all_needs = []
    for key, wanted in question.pod.node_selector.items():
        if node.labels.get(key) != wanted:
            sentence = DROP(label=f"{key}={wanted}")
            change = set_value("spec", "nodeSelector", key, value=None)
            dropped = make_pod_edit(
                question, "drop_selector", f"spec.nodeSelector.{key}", sentence, change, before=wanted
            )
            all_needs.append(question.need(dropped, label_node(question, node, key, wanted), disable_plugin(question)))
    required = required_affinity(question.pod)
    if required is not None and _is_daemon(question) and not any(_fields_hold(term, node) for term in required.terms):
        return [_NEVER]
    if required is not None and not required.matches(node.labels, node.name):
        all_needs.append(_affinity_options(question, required, node))
    args = question.args(NodeAffinityArgs)
    added = compile_affinity(args.added_affinity).required if args.added_affinity is not None else None
    if added is not None and not added.matches(node.labels, node.name):
        labels = [way for term in added.terms for way in _matching_label_sets(question, term, node)]
        all_needs.append(question.need(*labels, _soften_added_affinity(question), disable_plugin(question)))
    return all_needs


def _is_daemon(question: Question) -> bool:
    """Return True for a DaemonSet's pod, whose affinity its controller sets to one node again."""
    controller = question.pod.controller
    return controller is not None and controller.kind == "DaemonSet"


def _soften_added_affinity(question: Question) -> Edit | None:
    """Let the profile prefer its required added affinity."""
    sentence = NOT_ADDED(profile=question.profile.scheduler_name)

    def change(args: dict[str, Any]) -> None:
        terms = value_at(args, ("addedAffinity", REQUIRED, "nodeSelectorTerms")) or ()
        preferred = [{"weight": 100, "preference": term} for term in terms if term]
        set_value("addedAffinity", REQUIRED, value=None)(args)
        known = value_at(args, ("addedAffinity", PREFERRED)) or ()
        set_value("addedAffinity", PREFERRED, value=[*known, *preferred] or None)(args)

    return change_plugin_args(question, f"addedAffinity.{REQUIRED}", sentence, change)


def _affinity_options(question: Question, required: NodeSelector, node: Node) -> Need:
    options: list[Iterable[Edit | None] | Edit | None] = [_soften_affinity(question)]
    items = value_at(manifest_of(question.pod), TERMS) or ()
    selected = {key: value for key, value in question.pod.node_selector.items() if node.labels.get(key) != value}
    for term, item in zip(required.terms, items, strict=False):
        options.append(_widen_term(question, term, item, node, node.labels))
        options += _matching_label_sets(question, term, node)
        if selected:
            # The node may get the labels of the node selector; if they aren't enough, the term is widened to them.
            after = {**node.labels, **selected}
            labels = [label_node(question, node, key, value) for key, value in selected.items()]
            is_met = all(wanted.matches(after) for wanted in term.expressions) and _fields_hold(term, node)
            options.append(labels if is_met else [*labels, _widen_term(question, term, item, node, after)])
    return question.need(*options, disable_plugin(question))


def _soften_affinity(question: Question) -> Edit | None:
    """Let the pod prefer its required terms."""
    items = value_at(manifest_of(question.pod), TERMS) or ()

    def change(manifest: dict[str, Any]) -> None:
        wanted = value_at(manifest, TERMS) or ()
        base = ("spec", "affinity", "nodeAffinity")
        preferred = [{"weight": 100, "preference": term} for term in wanted if term]
        set_value(*base, REQUIRED, value=None)(manifest)
        if preferred:
            known = value_at(manifest, (*base, PREFERRED)) or ()
            set_value(*base, PREFERRED, value=[*known, *preferred])(manifest)

    path = f"spec.affinity.nodeAffinity.{REQUIRED}"
    return make_pod_edit(question, "soften", path, SOFTEN(), change, before=list(items), detail="soften")


def _widen_term(
    question: Question, term: NodeSelectorTerm, item: dict[str, Any], node: Node, labels: Mapping[str, str]
) -> Edit | None:
    """Widen the term just enough to match the node with these labels; None if nothing of it would be left."""
    expressions, taken = [], []
    for entry, wanted in zip(item.get("matchExpressions") or (), term.expressions, strict=True):
        if wanted.matches(labels):
            expressions.append(entry)
        elif wanted.operator == "In" and wanted.key in labels:
            value = labels[wanted.key]
            expressions.append({**entry, "values": [*entry["values"], value]})
            taken.append(f"{wanted.key}={value}")
    fields = []
    for entry, wanted in zip(item.get("matchFields") or (), term.fields, strict=True):
        if NodeSelectorTerm((), (wanted,)).matches({}, node.name):
            fields.append(entry)
    if not expressions and not fields:
        return None
    parts = (("matchExpressions", expressions), ("matchFields", fields))
    wider = {name: items for name, items in parts if items}
    if wider == item:
        return None
    sentence = WIDEN(value=", ".join(taken) or node.name, term=wording.format_node_term(term))
    change = replace_item(*TERMS, item=item, by=wider)
    path = f"spec.affinity.nodeAffinity.{REQUIRED}"
    return make_pod_edit(question, "widen", path, sentence, change, before=item, after=wider, shape="widen affinity")


def _matching_label_sets(question: Question, term: NodeSelectorTerm, node: Node) -> list[list[Edit | None]]:
    """Return the sets of labels with which the node matches the term; empty if the term names other nodes."""
    if not _fields_hold(term, node):
        return []
    unmet = [wanted for wanted in term.expressions if not wanted.matches(node.labels)]
    ways = [[label_node(question, node, wanted.key, value) for value in values_for(wanted)] for wanted in unmet]
    return [list(way) for way, _ in zip(product(*ways), range(_MOST_WAYS), strict=False)] if unmet else []


def _fields_hold(term: NodeSelectorTerm, node: Node) -> bool:
    return all(NodeSelectorTerm((), (field,)).matches({}, node.name) for field in term.fields)


def values_for(wanted: Requirement) -> list[str | None]:
    """Return the label values that satisfy the requirement; None stands for no label."""
    match wanted.operator:
        case "In":
            return list(wanted.values)
        case "Exists":
            return [""]
        case "NotIn" | "DoesNotExist":
            return [None]
        case "Gt" | "Lt":
            bound = parse_int64(wanted.values[0]) if len(wanted.values) == 1 else None
            return [] if bound is None else [str(bound + 1 if wanted.operator == "Gt" else bound - 1)]
    return []
