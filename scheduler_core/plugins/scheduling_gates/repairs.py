"""Repairs for SchedulingGates: remove each gate."""

from kube_objects.sentences import Template
from scheduler_core.edits.edit import replace_item
from scheduler_core.edits.pod_edits import make_pod_edit
from scheduler_core.edits.question import Need, Question

LIFT = Template("Lift the scheduling gate {gate}")


def needs(question: Question) -> list[Need]:
    all_needs = []
    for gate in question.pod.scheduling_gates:
        change = replace_item("spec", "schedulingGates", item={"name": gate})
        path = "spec.schedulingGates[]"
        all_needs.append(
            question.need(
                make_pod_edit(question, "lift_gate", path, LIFT(gate=gate), change, before={"name": gate}, detail=gate)
            )
        )
    return all_needs
