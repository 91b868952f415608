"""Repairs for TaintToleration: add a toleration, or remove the taint."""

from kube_objects.taints import NO_EXECUTE, NO_SCHEDULE
from scheduler_core.edits.other_edits import nodes_own, untaint, without_plugin
from scheduler_core.edits.pod_edits import tolerate
from scheduler_core.edits.question import Need, Question


def needs(question: Question) -> list[Need]:
    node = nodes_own(question)
    return [
        question.need(tolerate(question, taint), untaint(question, node, taint), without_plugin(question))
        for taint in node.taints
        if taint.effect in (NO_SCHEDULE, NO_EXECUTE) and not question.pod.tolerates(taint)
    ]
