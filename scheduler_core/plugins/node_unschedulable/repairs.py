"""Repairs for NodeUnschedulable: add a toleration, or uncordon the node."""

from kube_objects.taints import CORDON_TAINT
from scheduler_core.edits.other_edits import nodes_own, uncordon, without_plugin
from scheduler_core.edits.pod_edits import tolerate
from scheduler_core.edits.question import Need, Question


def needs(question: Question) -> list[Need]:
    node = nodes_own(question)
    tolerated = tolerate(question, CORDON_TAINT)
    return [question.need(tolerated, uncordon(question, node), without_plugin(question))]
