"""NodeName and NodeDeclaredFeatures: a node that is not there, or does not have what the pod needs of its kubelet."""

from scheduler_core.repair.edits import put
from scheduler_core.repair.question import Need, Question
from scheduler_core.repair.rules.pod_edits import pod_edit
from scheduler_core.sentences import Template

NO_NAME = Template("Do not ask for the node {node} by name")


def needs(question: Question) -> list[Need]:
    """What a kubelet can do is not changed by an edit: only other nodes help."""
    return [question.need()]


def name_needs(question: Question) -> list[Need]:
    change = put("spec", "nodeName", value=None)
    told = NO_NAME(node=question.pod.node_name)
    before = question.pod.node_name
    return [question.need(pod_edit(question, "drop_node_name", "spec.nodeName", told, change, before=before))]
