"""The engine's part of lessons: predictions at a step, and the conditions of tasks."""

from collections.abc import Mapping
from typing import Any

from kube_objects.sentences import say
from playground.lessons import selectors as lessons
from playground.problems import Refused, problem
from playground.questions.moments import Moment
from simulator.lessons.asking import AskError, ask, explain_wrong_options
from simulator.lessons.conditions import store_baseline, unmet_conditions
from simulator.lessons.model import Check

CONFLICT = 409


def begin_check(moment: Moment, arguments: Mapping[str, Any]) -> Any:
    """Return the data that a check stores at its start.

    For a prediction these are the options and the right answer, for a task its baseline.
    """
    check = _check(arguments)
    if check.form == "task":
        return {"baseline": store_baseline(moment.simulation, check.body["all"])}
    try:
        answer = ask(moment.simulation, check.body)
    except AskError as error:
        hint = say("restart the lesson, or continue with the next step")
        raise Refused(
            [problem("", say("nothing can be asked here now: {error}", error=error), hint=hint)], CONFLICT
        ) from error
    return {
        "kind": answer.kind,
        "options": list(answer.options),
        "right": list(answer.right),
        "several": answer.several,
        "reasons": explain_wrong_options(moment.simulation, check.body, answer),
    }


def check_task(moment: Moment, arguments: Mapping[str, Any]) -> Any:
    """Return whether all conditions of a task are met, and the unmet ones in the form of checks.yaml."""
    left = unmet_conditions(moment.simulation, _check(arguments).body["all"], arguments["baseline"])
    return {"done": not left, "unmet": [dict(condition) for condition in left]}


def _check(arguments: Mapping[str, Any]) -> Check:
    return lessons.all_lessons()[arguments["lesson"]].checks[arguments["check"]]
