"""Repairs for NodeName: remove spec.nodeName."""

from kube_objects.sentences import Template
from scheduler_core.edits.edit import set_value
from scheduler_core.edits.pod_edits import make_pod_edit
from scheduler_core.edits.question import Need, Question

NO_NAME = Template("Do not ask for the node {node} by name")


def needs(question: Question) -> list[Need]:
    change = set_value("spec", "nodeName", value=None)
    sentence = NO_NAME(node=question.pod.node_name)
    before = question.pod.node_name
    return [question.need(make_pod_edit(question, "drop_node_name", "spec.nodeName", sentence, change, before=before))]
