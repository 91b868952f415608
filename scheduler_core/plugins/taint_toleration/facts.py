"""TaintToleration's facts: the taints that the pod doesn't tolerate.

Source: pkg/scheduler/framework/plugins/tainttoleration.
"""

from collections.abc import Iterable
from typing import Any

from kube_objects.sentences import Template
from kube_objects.taints import NO_EXECUTE, NO_SCHEDULE, Taint, Toleration
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.fact import Fact
from scheduler_core.facts.typos import compare_line, is_typo
from scheduler_core.framework.cycle_state import CycleState

# How many tolerations are listed if none is similar.
MAX_SHOWN = 5

UNTOLERATED = Template("the pod does not tolerate this taint")
NEARLY = Template("the pod does not tolerate this taint: its toleration {toleration} differs in {parts}")
TOLERATED = Template("the pod tolerates this taint")
SOFT = Template("a soft taint: it costs score, but keeps nobody out")


def facts(context: AttemptContext, state: CycleState, node: NodeView) -> list[Fact]:
    result = []
    for taint in node.node.taints:
        if taint.effect not in (NO_SCHEDULE, NO_EXECUTE):
            result.append(Fact(SOFT(), str(taint)))
        elif context.pod.tolerates(taint):
            result.append(Fact(TOLERATED(), str(taint)))
        else:
            result.append(_untolerated(taint, context.pod.tolerations))
    return result


def _untolerated(taint: Taint, tolerations: Iterable[Toleration]) -> Fact:
    """Compare the taint with the most similar toleration; without one, list the pod's tolerations."""
    tolerations = list(tolerations)
    near = [each for each in tolerations if each.key in ("", taint.key) or is_typo(each.key, taint.key)]
    if not near:
        listed = ", ".join(map(_toleration_text, tolerations[:MAX_SHOWN]))
        return Fact(UNTOLERATED(), str(taint), True, {"compare": [compare_line("tolerations", listed, str(taint))]})
    nearest = min(
        near, key=lambda each: (len(_differences(each, taint)), each.key != taint.key, _toleration_text(each))
    )
    differences = _differences(nearest, taint)
    what = NEARLY(toleration=_toleration_text(nearest), parts=", ".join(each["part"] for each in differences))
    return Fact(what, str(taint), True, {"compare": differences})


def _differences(toleration: Toleration, taint: Taint) -> list[dict[str, Any]]:
    parts = [("effect", toleration.effect or taint.effect, taint.effect)]
    if toleration.operator != "Exists":
        parts.insert(0, ("value", toleration.value, taint.value))
    parts.insert(0, ("key", toleration.key or taint.key, taint.key))
    return [compare_line(part, wanted, has) for part, wanted, has in parts if wanted != has]


def _toleration_text(toleration: Toleration) -> str:
    """Return the toleration as kubectl writes a taint, with `*` for any key."""
    value = f"={toleration.value}" if toleration.value else ""
    effect = f":{toleration.effect}" if toleration.effect else ""
    return f"{toleration.key or '*'}{value}{effect}"
