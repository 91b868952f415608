"""Answers to a teacher's questions: the result of the next attempt, or of a recorded one."""

from collections.abc import Mapping
from typing import Any

from kube_objects.sentences import say
from playground.problems import Refused, problem
from playground.questions.moments import Moment
from simulator.lessons.asking import AskError, ask

CONFLICT = 409


def answer_class_question(moment: Moment, arguments: Mapping[str, Any]) -> Any:
    """Return the options, the right answer, and the Pod that the question is about."""
    pod = _pod(moment)
    try:
        answer = ask(moment.simulation, arguments)
    except AskError as error:
        hint = say("ask about another cycle, or let time pass until a pod is ready")
        # The fields are valid, so the problem names no path.
        raise Refused([problem("", say("nothing can be asked here: {why}", why=error), hint=hint)], CONFLICT) from error
    return {
        "kind": answer.kind,
        "options": list(answer.options),
        "right": list(answer.right),
        "several": answer.several,
        # The next Pod would be the answer itself.
        "pod": None if answer.kind == "pod" and not answer.several else pod,
    }


def _pod(moment: Moment) -> str | None:
    """Return the key of the cycle's Pod, or of the Pod that is popped next."""
    if moment.cycle is not None:
        return str(moment.record["cycle"]["pod"])
    queue = moment.simulation.cluster.queue
    waiting = queue.active() or queue.backoff()
    return waiting[0].pod.key if waiting else None
