"""Repairs for TaintToleration: add a toleration, or remove the taint."""

from kube_objects.taints import NO_EXECUTE, NO_SCHEDULE
from scheduler_core.edits.object_edits import disable_plugin, remove_taint, require_node
from scheduler_core.edits.pod_edits import add_toleration
from scheduler_core.edits.question import Need, Question


def needs(question: Question) -> list[Need]:
    node = require_node(question)
    return [
        question.need(add_toleration(question, taint), remove_taint(question, node, taint), disable_plugin(question))
        for taint in node.taints
        if taint.effect in (NO_SCHEDULE, NO_EXECUTE) and not question.pod.tolerates(taint)
    ]
