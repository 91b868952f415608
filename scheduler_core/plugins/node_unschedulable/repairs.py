"""Repairs for NodeUnschedulable: add a toleration, or uncordon the node."""

from kube_objects.taints import CORDON_TAINT
from scheduler_core.edits.object_edits import disable_plugin, require_node, uncordon_node
from scheduler_core.edits.pod_edits import add_toleration
from scheduler_core.edits.question import Need, Question


def needs(question: Question) -> list[Need]:
    node = require_node(question)
    tolerated = add_toleration(question, CORDON_TAINT)
    return [question.need(tolerated, uncordon_node(question, node), disable_plugin(question))]
