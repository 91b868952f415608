"""Table of a cycle's steps: their order, their extension points, and the sentences that describe their results.

The table is data. This module's `step_sentence` uses it for the storyboard; the UI and its screen-reader texts get it
as JSON (`TABLE`) and evaluate it in `static/js/cycle/cycle_steps.js`. Records do not contain it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kube_objects.sentences import Data, Plural, Template, plural

Step = Mapping[str, Any]
Args = Mapping[str, Sequence[Any]]
"""Field name → (format, path of the value in `{step, cycle, actors}`)."""

SKIP, ERROR = "Skip", "Error"
# The extension points in the order in which they run, by phase.
PHASES = (
    ("queueing", ("PreEnqueue", "QueueSort")),
    ("filtering", ("PreFilter", "Filter", "PostFilter")),
    ("scoring", ("PreScore", "Score", "NormalizeScore")),
    ("reserving", ("Reserve", "Unreserve", "Permit")),
    ("binding", ("PreBind", "Bind", "PostBind")),
)
# Steps without a plugin, and the extension point that they follow or prepare.
HOME = {"Sample": "Filter", "SelectHost": "NormalizeScore", "Assume": "Reserve"}


def _case(template: Template, when: str = "", **args: Sequence[Any]) -> Data:
    """Return one possible sentence of a step.

    `when` is `path is value`, `path below path`, or a path that must have a value.
    """
    return {"template": template, "args": args} | ({"when": when.split()} if when else {})


def _plural(words: Plural, path: str) -> list[str]:
    return ["plural", path, str(words.one), str(words.several)]


_RANGE: Args = {
    "min": ["number", "step.data.min"],
    "max": ["number", "step.data.max"],
    "weight": ["text", "step.data.weight"],
}
_LEFT: Args = {"in": ["number", "step.in"], "out": ["number", "step.out"]}
_HOST: Args = {
    "node": ["text", "step.data.node"],
    "total": ["number", "step.data.total"],
    "n": ["count", "step.data.ties"],
}
_VICTIMS = plural("{n} pod is evicted", "{n} pods are evicted")

# The first case that applies describes a step. Without one, the text is its code and its upstream reasons.
SENTENCES: Mapping[str, Sequence[Data]] = {
    SKIP: [
        _case(
            Template("{n} plugins skip, they have nothing to say about this pod: {plugins}"),
            "actors.1",
            n=["count", "actors"],
            plugins=["list", "actors"],
        ),
        _case(Template("skips: it has nothing to say about this pod")),
    ],
    ERROR: [],
    "QueueSort": [
        _case(
            Template("{pod} comes first in the queue, with priority {priority}"),
            pod=["pod", "cycle.pod"],
            priority=["text", "cycle.priority"],
        )
    ],
    "Sample": [
        _case(
            Template("{want} feasible nodes of {total} are enough; the search starts at node {start} of the list"),
            "cycle.nodes.toFind below cycle.nodes.total",
            want=["number", "cycle.nodes.toFind"],
            total=["number", "cycle.nodes.total"],
            start=["number", "cycle.nodes.start"],
        ),
        _case(Template("All {total} nodes are looked at"), total=["number", "cycle.nodes.total"]),
    ],
    "Filter": [
        _case(
            Template("{in} nodes in, {out} left: {reasons}"),
            "step.data.rejected.0",
            **_LEFT,
            reasons=["rejected", "step.data.rejected"],
        ),
        _case(Template("{in} nodes in, {out} left"), "", **_LEFT),
    ],
    "PostFilter": [
        _case(
            Template("{victims}, and {node} is nominated"),
            "step.data.nominatedNode",
            victims=_plural(_VICTIMS, "step.data.victims"),
            node=["text", "step.data.nominatedNode"],
        )
    ],
    "Score": [_case(Template("raw scores from {min} to {max}, weight ×{weight}"), "step.data", **_RANGE)],
    "NormalizeScore": [_case(Template("normalised to {min}–{max}, weight ×{weight}"), "step.data", **_RANGE)],
    "SelectHost": [
        _case(Template("{node} is the only feasible node, so nothing is scored"), "cycle.nodes.feasible is 1", **_HOST),
        _case(
            Template("{node}, drawn with the seed among {n} nodes that share the best total, {total}"),
            "step.data.ties.1",
            **_HOST,
        ),
        _case(Template("{node} has the best total, {total}"), "", **_HOST),
    ],
    "Assume": [_case(Template("the cache counts the pod on {node} from now on"), node=["text", "cycle.node"])],
    "Permit": [
        _case(Template("the pod waits, at most {time}"), "step.data.timeout", time=["seconds", "step.data.timeout"])
    ],
}
# Sentences by outcome of an attempt; other outcomes show the upstream message.
OUTCOMES: Mapping[str, Data] = {
    "scheduled": _case(Template("scheduled on {node}"), node=["text", "cycle.node"]),
    "waiting": _case(Template("waits for its binding to {node}"), node=["text", "cycle.node"]),
}
TABLE: Data = {"phases": PHASES, "home": HOME, "sentences": SENTENCES, "outcomes": OUTCOMES}


def point_of(step: Step) -> str:
    """Return the extension point to which a step belongs."""
    return HOME.get(step["point"], str(step["point"]))


def step_sentence(step: Step, cycle: Mapping[str, Any], actors: Sequence[str] = ()) -> str | Data:
    """Return the sentence that describes a step's result.

    `actors` are the plugins that skip, if the step stands for several skips in a row.
    """
    values = {"step": step, "cycle": cycle, "actors": actors}
    cases = SENTENCES.get(step["code"], SENTENCES.get(step["point"], ()))
    case = next((each for each in cases if _applies(each.get("when"), values)), None)
    if case is not None:
        return _sentence(case, values)
    reasons = step.get("reasons")
    return f"{step['code']}: {', '.join(reasons)}" if reasons else str(step["code"])


def outcome_sentence(cycle: Mapping[str, Any]) -> str | Data:
    """Return the sentence that describes how an attempt ended."""
    case = OUTCOMES.get(cycle["outcome"])
    return cycle["message"] or str(cycle["outcome"]) if case is None else _sentence(case, {"cycle": cycle})


def _value_at(value: Any, path: str) -> Any:
    for name in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            value = value[int(name)] if int(name) < len(value) else None
        else:
            return None
    return value


def _applies(when: Sequence[str] | None, values: Mapping[str, Any]) -> bool:
    if when is None:
        return True
    value = _value_at(values, when[0])
    if when[1:2] == ["is"]:
        return str(value) == when[2]
    if when[1:2] == ["below"]:
        return value is not None and bool(value < _value_at(values, when[2]))
    return value is not None and value not in ("", {})


def _sentence(case: Data, values: Mapping[str, Any]) -> Data:
    args = {
        name: _format_value(format_name, _value_at(values, path), words)
        for name, (format_name, path, *words) in case["args"].items()
    }
    return {"template": case["template"], "args": args, "text": ""}


def _format_value(format_name: str, value: Any, words: Sequence[str]) -> str | int | Data:
    match format_name:
        case "number":
            return value or 0
        case "count":
            return len(value or ())
        case "plural":
            several = len(value or ())
            return {"template": words[0], "plural": words[1], "count": several, "args": {"n": several}, "text": ""}
        case "list":
            return ", ".join(value)
        case "rejected":
            return "; ".join(f"{count:,} {', '.join(reasons)}" for _, reasons, count in value)
        case "pod":
            return str(value).removeprefix("default/")
        case "seconds":
            return f"{value:g} s" if value < 60 else f"{round(value) // 60} min {round(value) % 60} s"
    return "" if value is None else str(value)
