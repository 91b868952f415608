"""Loading of a scenario into a cluster without history."""

from django.db import transaction
from django.db.models import F

from kube_objects.sentences import say
from playground import limits, plugins
from playground.clusters import commands
from playground.models import Cluster, SchedulerConfig
from playground.problems import Refused, list_api_problems, problem, to_api_problem
from scheduler_core.config import ConfigError
from simulator.exchange.scenario import Scenario, ScenarioError, read


def check(text: str) -> Scenario:
    """Return the scenario in a text. Raises Refused with all its problems."""
    try:
        scenario = read(text)
    except ScenarioError as error:
        raise Refused([to_api_problem(found) for found in error.problems]) from error
    check_playable(scenario)
    return scenario


def check_playable(scenario: Scenario) -> None:
    """Raise Refused if a cluster can't start as the scenario does, or if it has too many commands."""
    try:
        plugins.load(scenario.config, scenario.emulates)
    except ConfigError as error:
        raise Refused([{**each, "path": f"config: {each['path']}"} for each in list_api_problems(error)]) from error
    if len(scenario.commands) > limits.COMMANDS_WAITING:
        rule = say(
            "has {n} commands; at most {most} can be imported at once",
            n=len(scenario.commands),
            most=limits.COMMANDS_WAITING,
        )
        raise Refused([problem("commands", rule)])


@transaction.atomic
def load_scenario(cluster_id: int, scenario: Scenario, author: str) -> int | None:
    """Give the cluster the scenario's start, and queue its commands; return the last one's number.

    Raises Refused, with status 409, if the cluster has a history.
    """
    cluster = Cluster.objects.select_for_update().get(pk=cluster_id)
    if cluster.submitted:
        rule = say("a scenario needs an empty cluster, and this cluster has a history")
        raise Refused([problem("", rule, hint=say("import it as a new cluster"))], 409)
    # The scenario's configuration replaces the first one.
    Cluster.objects.filter(pk=cluster_id).update(
        seed=scenario.seed, emulates=scenario.emulates, stored_bytes=F("stored_bytes") + len(scenario.config.encode())
    )
    SchedulerConfig.objects.filter(cluster=cluster, version=1).update(yaml=scenario.config, emulates=scenario.emulates)
    return commands.submit_all(cluster_id, scenario.commands, author)
