"""The table of questions: name → function of the moment and of the arguments, which are plain JSON.

A function returns the answer, ready for `json.dumps`, or raises Refused.
"""

from collections.abc import Callable, Mapping
from typing import Any

from playground.capacity import questions as capacity
from playground.classes import working_out
from playground.clusters import resets
from playground.explanations import drafts
from playground.explanations import questions as explanations
from playground.lessons import questions as lessons
from playground.questions.moments import Moment
from playground.repairs import questions as repairs
from playground.upgrades import questions as upgrades

QUESTIONS: Mapping[str, Callable[[Moment, Mapping[str, Any]], Any]] = {
    "again": drafts.again,
    "allocation": explanations.allocation,
    **capacity.QUESTIONS,
    "claims": explanations.claims,
    "class_question": working_out.begin,
    "compare": explanations.compare,
    "complete": explanations.complete,
    "devices": explanations.devices,
    "draft": drafts.draft,
    "group": explanations.group,
    "ledger": explanations.ledger,
    "lesson_begin": lessons.begin,
    "lesson_task": lessons.task,
    "node": explanations.node,
    "node_devices": explanations.node_devices,
    "pod": explanations.pod,
    "preemption": explanations.preemption,
    "repairs": repairs.repairs,
    "repairs_many": repairs.many,
    "reset": resets.plan,
    "spread": explanations.spread,
    "spread_pods": explanations.spread_pods,
    "timings": explanations.timings,
    "upgrade_part": upgrades.part,
}
