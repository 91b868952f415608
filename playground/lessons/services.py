"""Runs of lessons: each has its own cluster, and stores the checks that the reader has done."""

import json
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from kube_objects.sentences import say
from playground.clusters import commands, lifecycle
from playground.engine import history_reads
from playground.lessons import selectors as lessons
from playground.limits import RECORDS_PER_PAGE
from playground.models import Cluster, LessonRun, SolvedLesson
from playground.problems import Refused, problem
from playground.questions.ask_worker import ask_question
from simulator.explain.predictions import explain_missing
from simulator.lessons.conditions import meets
from simulator.lessons.model import Check, Lesson
from simulator.lessons.walk import initial_commands

NOT_FOUND, CONFLICT = 404, 409
# Answers to a prediction before the right one is shown.
TRIES = 2


def start_lesson(owner: AbstractBaseUser, lesson: Lesson, title: str) -> Cluster:
    """Create a cluster in the lesson's initial state. Raises Refused."""
    scenario = lesson.scenario
    with transaction.atomic():
        config = scenario.config or ""
        made = lifecycle.create_cluster(owner, title, seed=scenario.seed, config=config, emulates=scenario.emulates)
        commands.submit_all(made.pk, list(initial_commands(scenario)))
        LessonRun.objects.create(cluster=made, lesson=lesson.slug)
    made.refresh_from_db()
    return made


def restart_lesson(run: LessonRun) -> None:
    """Reset the cluster and the checks of the run."""
    with transaction.atomic():
        commands.submit(run.cluster_id, {"kind": "reset"})
        LessonRun.objects.filter(pk=run.pk).update(checks={})


def begin_prediction(run: LessonRun, name: str) -> lessons.CheckAnswer:
    """Start a check: store a task's baseline, ask a prediction, or wait for records after the previous check.

    A wait counts records since the previous check, so a reader who ran two cycles at once missed nothing. A started
    check stays as it is.
    """
    check = _check(run, name)
    if name in run.checks:
        return lessons.visible_fields(run.checks[name])
    _must_be_quiet(run.cluster)
    since = _after_the_last(run) if check.form == "wait" else run.cluster.revision
    state: dict[str, Any] = {"form": check.form, "since": since, "done": False}
    if check.form != "wait":
        state |= _ask(run, "lesson_begin", name)
    if check.form == "predict":
        state["tries"] = []
    return _store(run, name, state)


def store_prediction(run: LessonRun, name: str, chosen: Sequence[str]) -> lessons.CheckAnswer:
    """Store the reader's answer. A wrong one gets a reason and one more try; then the right one is shown.

    `chosen` and `correct` belong to the first try, which counts.
    """
    _check(run, name)
    with transaction.atomic():
        # Lock the run, because two pages may answer at once, and each answer is a try.
        locked = LessonRun.objects.select_for_update().get(pk=run.pk)
        state = locked.checks.get(name)
        if state is None or state["form"] != "predict":
            raise Refused([problem("", say("this check has not started; start it first"), name)], CONFLICT)
        if unknown := [one for one in chosen if one not in state["options"]]:
            raise Refused([problem("chosen", say("is not one of the options"), unknown[0])])
        if not state["done"]:
            locked.checks[name] = _answered(state, sorted(set(chosen)))
            locked.save(update_fields=["checks"])
            _remember_the_end(locked)
        run.checks = locked.checks
    return lessons.visible_fields(run.checks[name])


def _answered(state: dict[str, Any], chosen: list[str]) -> dict[str, Any]:
    """Return the prediction after one more answer. A repeated answer is no new try."""
    tries = state["tries"]
    if any(each["chosen"] == chosen for each in tries):
        return state
    right = chosen == sorted(state["right"])
    tries = [*tries, {"chosen": chosen, "correct": right, "why": [] if right else _why_wrong(state, chosen)}]
    first = tries[0]
    # With only one other option, a second try would be the answer.
    is_over = right or len(tries) == TRIES or not (state["several"] or len(state["options"]) > 2)
    return {**state, "done": is_over, "tries": tries, "chosen": first["chosen"], "correct": first["correct"]}


def _why_wrong(state: dict[str, Any], chosen: list[str]) -> list[Any]:
    reasons = state.get("reasons", {})
    sentences = [sentence for one in chosen if one not in state["right"] for sentence in reasons.get(one, [])]
    # Pods of one Node share a reason; show it once.
    different = [sentence for i, sentence in enumerate(sentences) if sentence not in sentences[:i]]
    left = len(set(state["right"]) - set(chosen))
    return different + (explain_missing(left) if state["several"] else [])


def check_task(run: LessonRun, name: str) -> lessons.CheckAnswer:
    """Return a wait or a task after checking whether it is done; once done, it stays done."""
    check = _check(run, name)
    state = run.checks.get(name)
    if state is None or state["form"] == "predict":
        raise Refused([problem("", say("this task has not started; start it first"), name)], CONFLICT)
    if state["done"]:
        return lessons.visible_fields(state)
    if check.form == "wait":
        done, since = _happened(run, check, state["since"])
        return _store(run, name, {**state, "since": since, "done": done})
    _must_be_quiet(run.cluster)
    return _store(run, name, {**state, **_ask(run, "lesson_task", name, baseline=state["baseline"])})


def _after_the_last(run: LessonRun) -> int:
    """Return the record after which a wait counts: the last finished check's, or that before the first cycle."""
    done = [state["since"] for state in run.checks.values() if state["done"]]
    return max(done) if done else history_reads.seq_before_cycle(run.cluster_id, run.cluster.first_cycle)


def _happened(run: LessonRun, check: Check, since: int) -> tuple[bool, int]:
    """Return whether a record after `since` fulfills the check, and its number; else the last record that was read."""
    last = run.cluster.revision
    while since < last:
        texts = history_reads.read_record_bodies(run.cluster_id, since, RECORDS_PER_PAGE, last)
        for number, text in enumerate(texts, since + 1):
            if meets(json.loads(text), check.body):
                return True, number
        since += len(texts)
    return False, since


def _ask(run: LessonRun, question: str, name: str, **arguments: Any) -> dict[str, Any]:
    text = ask_question(
        run.cluster.owner_id, question, run.cluster_id, None, lesson=run.lesson, check=name, **arguments
    )
    answer: dict[str, Any] = json.loads(text)
    return answer


def _check(run: LessonRun, name: str) -> Check:
    lesson = lessons.all_lessons().get(run.lesson)
    check = lesson.checks.get(name) if lesson else None
    if check is None:
        raise Refused([problem("", say("the lesson {lesson} has no such check", lesson=run.lesson), name)], NOT_FOUND)
    return check


def _remember_the_end(run: LessonRun) -> None:
    """Store the first finished run of a lesson, independent of its cluster."""
    lesson = lessons.all_lessons()[run.lesson]
    if lessons.is_walked(lesson, run):
        result = lessons.summary(lesson, run)
        SolvedLesson.objects.get_or_create(owner_id=run.cluster.owner_id, lesson=run.lesson, defaults=result)


def _must_be_quiet(cluster: Cluster) -> None:
    if not lessons.is_applied(cluster):
        rule = say("the cluster is still running earlier commands")
        raise Refused([problem("", rule, hint=say("try again in a moment"))], CONFLICT)


def _store(run: LessonRun, name: str, state: dict[str, Any]) -> lessons.CheckAnswer:
    with transaction.atomic():
        locked = LessonRun.objects.select_for_update().get(pk=run.pk)
        # Another tab may have finished the check already; it stays done.
        before = locked.checks.get(name)
        if before is None or not before["done"]:
            locked.checks[name] = state
            locked.save(update_fields=["checks"])
            _remember_the_end(locked)
        run.checks = locked.checks
    return lessons.visible_fields(run.checks[name])
