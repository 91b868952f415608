"""Choice of the view that shows, after a prediction, why it was right or wrong."""

from typing import Literal, TypedDict

from simulator.lessons.model import Check, Lesson


class ShowAnswer(TypedDict):
    by: Literal["run", "queue"]
    ask: str
    pod: str | None
    node: str | None


def view_of_result(lesson: Lesson, name: str) -> ShowAnswer | None:
    """Return how to show the result of a prediction, None if that would run a cycle that the lesson needs later.

    `run` runs the cycle in question, which is the lesson's next step anyway. `queue` shows the waiting pods.
    """
    text = next(iter(lesson.texts.values()))
    ids = [
        directive.argument
        for step in text.steps
        for directive in step.directives
        if directive.argument in lesson.checks
    ]
    body, after = lesson.checks[name].body, ids[ids.index(name) + 1 :]
    by: Literal["run", "queue"] | None = None
    if body["ask"] == "lands_elsewhere":
        return None
    if not after or _is_one_cycle(lesson.checks[after[0]]):
        by = "run"
    elif body["ask"] == "next_pod":
        by = "queue"
    return None if by is None else {"by": by, "ask": body["ask"], "pod": body.get("pod"), "node": body.get("node")}


def _is_one_cycle(check: Check) -> bool:
    return check.form == "wait" and not check.model
