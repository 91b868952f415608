"""Questions to a class: the engine computes options and right answer; followers choose among the options."""

import json
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from kube_objects.sentences import say
from playground import limits
from playground.classes.services import publish_change
from playground.lessons import selectors as lessons
from playground.models import ClassAnswer, ClassQuestion, Classroom, Cluster, Cycle, Follower
from playground.problems import Refused, problem
from playground.questions.ask_worker import ask_question as ask_engine

CONFLICT, NOT_FOUND = 409, 404


def open_question(classroom: Classroom, wanted: dict[str, Any]) -> ClassQuestion:
    """Ask the class: `ask` with `cycle` (None: the next one) and `node`, or `check`, a prediction of the lesson.

    Closes the question before it. Raises Refused for a question that can't be asked now.
    """
    cycle = wanted.get("cycle")
    # Read this before the engine answers, so that an attempt that runs meanwhile is hidden, too.
    hides = cycle or Cluster.objects.values_list("cycle", flat=True).get(pk=classroom.cluster_id) + 1
    if "check" in wanted:
        question, body = "lesson_begin", _lesson_check(classroom, wanted["check"])
    else:
        question, body = "class_question", {name: wanted[name] for name in ("ask", "node") if name in wanted}
    computed = json.loads(ask_engine(classroom.teacher_id, question, classroom.cluster_id, cycle, **body))
    if len(computed["options"]) > limits.OPTIONS:
        rule = say(
            "the question has {n} possible answers, at most {most} can be shown",
            n=len(computed["options"]),
            most=limits.OPTIONS,
        )
        raise Refused([problem("", rule)], CONFLICT)
    shown = {"kind": computed["kind"], "several": computed["several"], "pod": computed.get("pod"), "cycle": cycle}
    shown |= {"ask": body.get("ask"), "node": body.get("node")}
    shown |= {"lesson": body.get("lesson"), "check": body.get("check"), "hides": hides}
    return _store(classroom, shown, computed)


@transaction.atomic
def _store(classroom: Classroom, body: dict[str, Any], computed: dict[str, Any]) -> ClassQuestion:
    Classroom.objects.select_for_update().get(pk=classroom.pk)
    last = ClassQuestion.objects.filter(classroom=classroom).order_by("number").last()
    number = last.number + 1 if last else 1
    if number > limits.CLASS_QUESTIONS:
        raise Refused(
            [problem("", say("a class has at most {most} questions", most=limits.CLASS_QUESTIONS))],
            CONFLICT,
        )
    close_question(classroom)
    made = ClassQuestion.objects.create(
        classroom=classroom, number=number, body=body, options=computed["options"], right=computed["right"]
    )
    publish_change(classroom.pk)
    return made


def close_question(classroom: Classroom) -> None:
    """Stop taking answers to the open question, and show the right one to the class."""
    if ClassQuestion.objects.filter(classroom=classroom, closed=None).update(closed=timezone.now()):
        publish_change(classroom.pk)


@transaction.atomic
def store_answer(classroom: Classroom, follower: Follower, number: int, chosen: Sequence[str]) -> None:
    """Store a follower's answer. It can be changed until its outcome is visible. Raises Refused."""
    # Lock the question, so that no answer is added after it was closed and counted.
    question = ClassQuestion.objects.select_for_update().filter(classroom=classroom, number=number).first()
    if question is None:
        raise Refused([problem("", say("no such question in this class"), number)], NOT_FOUND)
    if question.closed is not None:
        raise Refused([problem("", say("this question is closed, so it accepts no more answers"))], CONFLICT)
    if unknown := [one for one in chosen if one not in question.options]:
        raise Refused([problem("chosen", say("is not one of the options"), unknown[0])])
    if len(set(chosen)) != len(chosen) or (not question.body["several"] and len(chosen) != 1):
        raise Refused(
            [
                problem(
                    "chosen",
                    say("accepts each option only once") if question.body["several"] else say("accepts one option"),
                )
            ]
        )
    has_answered = ClassAnswer.objects.filter(question=question, follower=follower).exists()
    if has_answered and Cycle.objects.filter(cluster=classroom.cluster_id, number=question.body["hides"]).exists():
        raise Refused([problem("", say("you cannot change your answer, because you have seen the outcome"))], CONFLICT)
    ClassAnswer.objects.update_or_create(question=question, follower=follower, defaults={"chosen": list(chosen)})
    publish_change(classroom.pk)


def _lesson_check(classroom: Classroom, name: str) -> dict[str, Any]:
    run = lessons.run_of(classroom.cluster_id)
    lesson = lessons.all_lessons().get(run.lesson) if run else None
    check = lesson.checks.get(name) if lesson else None
    if lesson is None or check is None or check.form != "predict":
        raise Refused([problem("check", say("is not a prediction in the lesson of this cluster"), name)], NOT_FOUND)
    if not lessons.is_applied(classroom.cluster):
        rule = say("the cluster is still running earlier commands")
        raise Refused([problem("", rule, hint=say("try again in a moment"))], CONFLICT)
    return {"lesson": lesson.slug, "check": name}
