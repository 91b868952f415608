"""Forks: a follower copies the class's cluster, with the history that led to its current state."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from kube_objects.sentences import say
from playground import limits
from playground.access import viewing
from playground.branches.services import NOW, seq_of
from playground.clusters import lifecycle
from playground.exchange import scenario_loading, scenarios
from playground.models import ClassQuestion, Classroom, Cluster, Cycle
from playground.problems import Refused, problem

CONFLICT = 409
MAX_NAME = 100


def fork_class_cluster(classroom: Classroom, user: AbstractBaseUser, at: Any) -> Cluster:
    """Create a cluster of the user's own with the state that the class's cluster had at `at`.

    `at` is a cycle, a record or "now", as for a branch. The commands run again from the start, so the fork doesn't
    depend on the teacher's cluster. Raises Refused while the class is locked, and while a question is open, because the
    fork would reveal its answer.
    """
    if classroom.locked:
        raise Refused([problem("", say("the class is locked"), hint=say("ask the teacher to unlock it"))], CONFLICT)
    if ClassQuestion.objects.filter(classroom=classroom, closed=None).exists():
        hint = say("answer it; when the teacher closes it you can fork")
        raise Refused([problem("", say("a question is open, and a fork would reveal the answer"), hint=hint)], CONFLICT)
    base = classroom.cluster
    seq = base.revision if at == NOW else seq_of(base, at)
    cycle = Cycle.objects.filter(cluster=base, seq__lte=seq).order_by("number").values_list("number", flat=True).last()
    scenario = viewing.remove_hidden_data(scenarios.scenario_of(base, seq))
    if len(scenario.commands) > limits.COMMANDS_WAITING:
        rule = say(
            "this point is after {n} commands; at most {most} can be replayed",
            n=len(scenario.commands),
            most=limits.COMMANDS_WAITING,
        )
        raise Refused([problem("at", rule)], CONFLICT)
    with transaction.atomic():
        name = f"{base.name[:70]} after cycle {cycle or 0}"[:MAX_NAME]
        made = lifecycle.create_cluster(user, name, emulates=scenario.emulates)
        scenario_loading.load_scenario(made.pk, scenario, user.get_username())
    made.refresh_from_db()
    return made
