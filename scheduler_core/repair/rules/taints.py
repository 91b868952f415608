"""TaintToleration and NodeUnschedulable: tolerate it, or take it away."""

from scheduler_core.objects.taints import CORDON_TAINT, NO_EXECUTE, NO_SCHEDULE
from scheduler_core.repair.question import Need, Question
from scheduler_core.repair.rules.other_edits import nodes_own, uncordon, untaint, without_plugin
from scheduler_core.repair.rules.pod_edits import tolerate


def needs(question: Question) -> list[Need]:
    node = nodes_own(question)
    return [
        question.need(tolerate(question, taint), untaint(question, node, taint), without_plugin(question))
        for taint in node.taints
        if taint.effect in (NO_SCHEDULE, NO_EXECUTE) and not question.pod.tolerates(taint)
    ]


def cordon_needs(question: Question) -> list[Need]:
    node = nodes_own(question)
    tolerated = tolerate(question, CORDON_TAINT)
    return [question.need(tolerated, uncordon(question, node), without_plugin(question))]
