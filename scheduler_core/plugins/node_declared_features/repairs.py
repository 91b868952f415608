"""NodeDeclaredFeatures: a node that does not have what the pod needs of its kubelet."""

from scheduler_core.edits.question import Need, Question


def needs(question: Question) -> list[Need]:
    """What a kubelet can do is not changed by an edit: only other nodes help."""
    return [question.need()]
