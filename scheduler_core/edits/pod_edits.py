"""Edits of the pod itself. Most fields of an existing pod are immutable: see `pod_steps`."""

from dataclasses import dataclass
from typing import Any

from kube_objects.pod import Pod
from kube_objects.sentences import Data, Template
from kube_objects.taints import Taint
from scheduler_core.edits.edit import Change, Edit, Ref, add_item, encode_detail
from scheduler_core.edits.owners import Finder
from scheduler_core.edits.pod_steps import plan_pod_steps, requires_job_recreation
from scheduler_core.edits.question import Question

TOLERATE = Template("Tolerate {taint}")


def make_pod_edit(
    question: Question,
    kind: str,
    path: str,
    sentence: Data,
    change: Change,
    *,
    detail: Any = "",
    before: Any = None,
    after: Any = None,
    shape: str = "",
    tie: float = 0.0,
    times: float = 1.0,
) -> Edit | None:
    """Return an edit of the pod, or None if such edits are forbidden.

    Its cost is multiplied by `times` (at least 1). An edit that requires the deletion of a Job costs that as well.
    """
    cost, pod = question.prices.cost_of(kind), question.pod
    if cost is None:
        return None
    cost = round(cost * times)
    if requires_job_recreation(pod, [change]):
        recreation_cost = question.prices.cost_of("recreate_job")
        if recreation_cost is None:
            return None
        cost += recreation_cost
    shown = encode_detail(detail if detail != "" else after)
    typed = _CommandText(pod, question.lister, change, path)
    shape = shape or f"{kind} {path} {shown}"
    of = Ref.to(pod)
    return Edit(kind, of, path, shown, cost, sentence, typed.line, before, after, shape, tie, change, note=typed.note)


@dataclass(slots=True)
class _CommandText:
    """The kubectl line and the note of one change, computed on demand, because few edits are shown."""

    pod: Pod
    lister: Finder
    change: Change
    path: str

    def line(self) -> str:
        steps = plan_pod_steps([self.pod], self.lister, [self.change], [self.path])
        return " && ".join(step.text for step in steps or ())

    def note(self) -> Data | None:
        steps = plan_pod_steps([self.pod], self.lister, [self.change], [self.path])
        return next((step.note for step in steps or () if step.note is not None), None)


def add_toleration(question: Question, taint: Taint) -> Edit | None:
    toleration = {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}
    if not taint.value:
        toleration = {"key": taint.key, "operator": "Exists", "effect": taint.effect}
    change = add_item("spec", "tolerations", item=toleration)
    sentence = TOLERATE(taint=str(taint))
    return make_pod_edit(question, "tolerate", "spec.tolerations[]", sentence, change, after=toleration)
