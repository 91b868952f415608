"""The questions that may be asked: name → function of the moment and the arguments, which are plain JSON.

What a function returns is the answer, ready for `json.dumps`; it raises Refused for what cannot be asked.
"""

from collections.abc import Callable, Mapping
from typing import Any

from playground.capacity import questions as capacity
from playground.classes import working_out as classes
from playground.clusters import resets
from playground.explanations import drafts
from playground.explanations import questions as explaining
from playground.lessons import questions as lessons
from playground.questions.moments import Moment
from playground.repairs import questions as repairs
from playground.upgrades import questions as upgrades

QUESTIONS: Mapping[str, Callable[[Moment, Mapping[str, Any]], Any]] = {
    "again": drafts.again,
    "allocation": explaining.allocation,
    **capacity.QUESTIONS,
    "claims": explaining.claims,
    "class_question": classes.begin,
    "compare": explaining.compare,
    "complete": explaining.complete,
    "devices": explaining.devices,
    "draft": drafts.draft,
    "ledger": explaining.ledger,
    "lesson_begin": lessons.begin,
    "lesson_task": lessons.task,
    "node": explaining.node,
    "node_devices": explaining.node_devices,
    "pod": explaining.pod,
    "preemption": explaining.preemption,
    "repairs": repairs.repairs,
    "repairs_many": repairs.many,
    "reset": resets.plan,
    "spread": explaining.spread,
    "spread_pods": explaining.spread_pods,
    "timings": explaining.timings,
    "upgrade": upgrades.report,
    "upgrade_part": upgrades.part,
}
