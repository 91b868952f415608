"""TaintToleration: the taints that the pod does not tolerate.

Source: pkg/scheduler/framework/plugins/tainttoleration.
"""

from collections.abc import Iterable
from typing import Any

from kube_objects.sentences import Template
from kube_objects.taints import NO_EXECUTE, NO_SCHEDULE, Taint, Toleration
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.fact import Fact
from scheduler_core.facts.near import beside, is_slip
from scheduler_core.facts.scene import Scene
from scheduler_core.framework.cycle_state import CycleState

# Tolerations named where none comes near.
MAX_SHOWN = 5

UNTOLERATED = Template("the pod does not tolerate this taint")
NEARLY = Template("the pod does not tolerate this taint: its toleration {toleration} differs in {parts}")
TOLERATED = Template("the pod tolerates this taint")
SOFT = Template("a soft taint: it costs score, but keeps nobody out")


def facts(scene: Scene, state: CycleState, node: NodeView) -> list[Fact]:
    found = []
    for taint in node.node.taints:
        if taint.effect not in (NO_SCHEDULE, NO_EXECUTE):
            found.append(Fact(SOFT(), str(taint)))
        elif scene.pod.tolerates(taint):
            found.append(Fact(TOLERATED(), str(taint)))
        else:
            found.append(_untolerated(taint, scene.pod.tolerations))
    return found


def _untolerated(taint: Taint, tolerations: Iterable[Toleration]) -> Fact:
    """The toleration that comes nearest, part by part beside the taint; without one, all that the pod has."""
    tolerations = list(tolerations)
    near = [one for one in tolerations if one.key in ("", taint.key) or is_slip(one.key, taint.key)]
    if not near:
        shown = ", ".join(map(_shown, tolerations[:MAX_SHOWN]))
        return Fact(UNTOLERATED(), str(taint), True, {"compare": [beside("tolerations", shown, str(taint))]})
    nearest = min(near, key=lambda one: (len(_differences(one, taint)), one.key != taint.key, _shown(one)))
    differences = _differences(nearest, taint)
    what = NEARLY(toleration=_shown(nearest), parts=", ".join(each["part"] for each in differences))
    return Fact(what, str(taint), True, {"compare": differences})


def _differences(toleration: Toleration, taint: Taint) -> list[dict[str, Any]]:
    parts = [("effect", toleration.effect or taint.effect, taint.effect)]
    if toleration.operator != "Exists":
        parts.insert(0, ("value", toleration.value, taint.value))
    parts.insert(0, ("key", toleration.key or taint.key, taint.key))
    return [beside(part, wanted, has) for part, wanted, has in parts if wanted != has]


def _shown(toleration: Toleration) -> str:
    """As kubectl writes a taint; `*` for any key."""
    value = f"={toleration.value}" if toleration.value else ""
    effect = f":{toleration.effect}" if toleration.effect else ""
    return f"{toleration.key or '*'}{value}{effect}"
