"""Questions that a teacher asks a class: what the next attempt, or a recorded one, comes to."""

from collections.abc import Mapping
from typing import Any

from kube_objects.sentences import say
from playground.problems import Refused, problem
from playground.questions.moments import Moment
from simulator.lessons.asking import AskError, ask

CONFLICT = 409


def begin(moment: Moment, arguments: Mapping[str, Any]) -> Any:
    """The options and the right answer, with the pod that it is about."""
    pod = _pod(moment)
    try:
        answer = ask(moment.simulation, arguments)
    except AskError as error:
        hint = say("ask about another cycle, or let time pass until a pod is ready")
        # No field is wrong: it is the moment that has no answer.
        raise Refused([problem("", say("nothing can be asked here: {why}", why=error), hint=hint)], CONFLICT) from error
    return {
        "kind": answer.kind,
        "options": list(answer.options),
        "right": list(answer.right),
        "several": answer.several,
        # Who is next would be the answer itself.
        "pod": None if answer.kind == "pod" and not answer.several else pod,
    }


def _pod(moment: Moment) -> str | None:
    """The pod of the cycle, else the one that is popped next."""
    if moment.cycle is not None:
        return str(moment.record["cycle"]["pod"])
    queue = moment.simulation.cluster.queue
    waiting = queue.active() or queue.backoff()
    return waiting[0].pod.key if waiting else None
