"""NodeAffinity's facts: the labels that the pod or its profile requires.

Source: pkg/scheduler/framework/plugins/nodeaffinity.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_objects.selectors import NodeSelector, NodeSelectorTerm, Requirement
from kube_objects.sentences import Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts import wording
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.fact import Fact
from scheduler_core.facts.typos import compare_line, find_intended_word, is_typo
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.plugins.node_affinity.added import compile_affinity
from scheduler_core.plugins.node_affinity.args import NodeAffinityArgs
from scheduler_core.plugins.node_selector import required_affinity

HAS_LABEL = Template("nodeSelector wants {wanted}: the node has it")
OTHER_VALUE = Template("nodeSelector wants {wanted}, but the node has {actual}")
NO_LABEL = Template("nodeSelector wants {wanted}, but the node has no such label")
OTHER_KEY = Template("nodeSelector wants {wanted}; the node has no such label, but {actual}")
MATCHES = Template("the node matches this term of the required node affinity")
MISSES = Template("the node does not match this term of the required node affinity")
MISSES_BECAUSE = Template("the node does not match this term of the required node affinity: it has {actual}")
OTHER_MATCHES = Template("the node does not match this term of the required node affinity, but another one")
ADDED = Template("the profile adds this node affinity to every pod, and the node does not match it")
NOTHING_SELECTED = Template("the required node affinity has no terms: it matches no node")


def facts(context: AttemptContext, state: CycleState, node: NodeView) -> list[Fact]:
    result = [*_labels(context, node)]
    required = required_affinity(context.pod)
    if required is not None:
        result += _terms(required, node)
    args = context.args("NodeAffinity", NodeAffinityArgs)
    added = compile_affinity(args.added_affinity).required if args.added_affinity is not None else None
    if added is not None and not added.matches(node.labels, node.name):
        result.append(Fact(ADDED(), " | ".join(map(wording.format_node_term, added.terms)), True))
    return result


def _labels(context: AttemptContext, node: NodeView) -> Iterator[Fact]:
    for key, wanted in context.pod.node_selector.items():
        actual = node.labels.get(key)
        label = f"{key}={wanted}"
        if actual == wanted:
            yield Fact(HAS_LABEL(wanted=label), key)
        elif actual is None:
            near = find_intended_word(key, node.labels)
            what = OTHER_KEY(wanted=label, actual=f"{near}={node.labels[near]}") if near else NO_LABEL(wanted=label)
            compare = compare_line("key", key, near) if near else compare_line(key, wanted, "")
            yield Fact(what, key, True, {"compare": [compare]})
        else:
            data = {"actual": actual, "compare": [compare_line(key, wanted, actual)]}
            yield Fact(OTHER_VALUE(wanted=label, actual=f"{key}={actual}"), key, True, data)


def _terms(required: NodeSelector, node: NodeView) -> list[Fact]:
    if not required.terms:
        return [Fact(NOTHING_SELECTED(), fails=True)]
    one_matches = required.matches(node.labels, node.name)
    return [_term(term, node, one_matches) for term in required.terms]


def _term(term: NodeSelectorTerm, node: NodeView, one_matches: bool) -> Fact:
    text = wording.format_node_term(term)
    if term.matches(node.labels, node.name):
        return Fact(MATCHES(), text)
    if one_matches:
        return Fact(OTHER_MATCHES(), text)
    unmet = [requirement for requirement in term.expressions if not requirement.matches(node.labels)]
    wrong = [requirement.key for requirement in unmet]
    actual = wording.shorten_text(",".join(f"{key}={node.labels[key]}" for key in wrong if key in node.labels))
    compare = [_beside(requirement, node.labels) for requirement in unmet]
    data = {"labels": {key: node.labels.get(key) for key in wrong}, "compare": compare}
    return Fact(MISSES_BECAUSE(actual=actual) if actual else MISSES(), text, True, data)


def _beside(wanted: Requirement, labels: Mapping[str, str]) -> dict[str, Any]:
    actual, near = labels.get(wanted.key), find_intended_word(wanted.key, labels)
    if actual is None and near and wanted.operator in ("In", "Exists"):
        return compare_line("key", wanted.key, near)
    line = compare_line(
        wanted.key, wording.format_requirement(wanted), "" if actual is None else f"{wanted.key}={actual}"
    )
    return line | {"near": wanted.operator == "In" and any(is_typo(value, actual or "") for value in wanted.values)}
