"""What shows that a prediction was right or wrong, once it is over."""

from typing import Literal, TypedDict

from simulator.lessons.model import Check, Lesson


class ShowAnswer(TypedDict):
    by: Literal["run", "queue"]
    ask: str
    pod: str | None
    node: str | None


def shown_by(lesson: Lesson, name: str) -> ShowAnswer | None:
    """None where running the cycle would take away what the lesson does next.

    `run`: the cycle in question, which the lesson would run now in any case; `queue`: what waits there.
    """
    text = next(iter(lesson.texts.values()))
    ids = [each.argument for step in text.steps for each in step.directives if each.argument in lesson.checks]
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
