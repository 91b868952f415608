"""The table of questions: name → function of the moment and of the arguments, which are plain JSON.

A function returns the answer, ready for `json.dumps`, or raises Refused.
"""

from collections.abc import Callable, Mapping
from typing import Any

from playground.capacity import capacity_questions as capacity
from playground.classes import attempt_outcomes
from playground.clusters import reset_plan
from playground.explanations import drafts
from playground.explanations import explanation_questions as explanations
from playground.lessons import lesson_questions as lessons
from playground.questions.moments import Moment
from playground.repairs import repair_questions as repairs
from playground.upgrades import upgrade_questions as upgrades

QUESTIONS: Mapping[str, Callable[[Moment, Mapping[str, Any]], Any]] = {
    "again": drafts.rerun_draft,
    "allocation": explanations.allocation,
    **capacity.QUESTIONS,
    "claims": explanations.claims,
    "class_question": attempt_outcomes.answer_class_question,
    "compare": explanations.compare,
    "complete": explanations.complete,
    "devices": explanations.devices,
    "draft": drafts.run_draft,
    "group": explanations.group,
    "ledger": explanations.ledger,
    "lesson_begin": lessons.begin_check,
    "lesson_task": lessons.check_task,
    "node": explanations.node,
    "node_devices": explanations.node_devices,
    "pod": explanations.pod,
    "preemption": explanations.preemption,
    "repairs": repairs.answer_repairs,
    "repairs_many": repairs.answer_many_repairs,
    "reset": reset_plan.plan_reset,
    "spread": explanations.spread,
    "spread_pods": explanations.spread_pods,
    "timings": explanations.timings,
    "upgrade_part": upgrades.answer_part,
}
