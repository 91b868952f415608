"""The lifecycle of clusters: creation, renaming and deletion."""

from typing import Any
from unicodedata import category

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from kube_objects.sentences import say
from playground import limits, plugins
from playground.accounts.guests import is_guest
from playground.clusters import commands
from playground.models import Cluster, SchedulerConfig
from playground.problems import Problem, Refused, list_api_problems, problem
from playground.request_language import DIRECTION_CHARACTERS
from scheduler_core.config import ConfigError
from scheduler_core.emulations import emulation_of
from scheduler_core.gates import GateError, parse_gates
from simulator.exchange.scenario import MAX_NAME

# The number of branches that an error message lists.
MOST_NAMED = 5


def create_cluster(
    owner: AbstractBaseUser,
    name: str,
    *,
    seed: int = 0,
    config: str = "",
    objects: list[dict[str, Any]] | None = None,
    example: str = "",
    emulates: str = plugins.TODAY,
    gates: str = "",
    numbered: bool = True,
) -> Cluster:
    """Create a cluster. Its first command creates `objects`. An empty `config` is the default configuration.

    `numbered` adds a number to a name that the owner already uses. `emulates` is the version of kube-scheduler that
    runs the cluster and reads `config`. `gates` are feature gates in the form of `--feature-gates`. Raise Refused for
    gates that the version does not have, for a configuration that kube-scheduler would not accept, and for too many
    clusters.
    """
    if gates:
        try:
            emulates = emulation_of(emulates, parse_gates(gates)).version
        except GateError as error:
            raise Refused([problem("featureGates", str(error), gates)]) from error
    if config:
        try:
            plugins.load(config, emulates)
        except ConfigError as error:
            raise Refused(_prefix_paths(list_api_problems(error))) from error
    # Forms refuse such characters, but the title of a link or a lesson may have some.
    name = remove_control_characters(name) or "cluster"
    with transaction.atomic():
        check_cluster_count(owner.pk)
        name = _free_name(owner.pk, name) if numbered else name
        cluster = Cluster.objects.create(
            owner_id=owner.pk,
            name=name,
            seed=seed,
            example=example,
            emulates=emulates,
            stored_bytes=len(config.encode()),
        )
        SchedulerConfig.objects.create(
            cluster=cluster, version=1, seq=0, yaml=config, emulates=emulates, author=owner.get_username()
        )
        if objects:
            commands.submit(cluster.pk, {"kind": "create", "objects": objects})
    cluster.refresh_from_db()
    return cluster


def remove_control_characters(name: str) -> str:
    """Return a name without control characters: line ends, and characters that change the direction of text."""
    return "".join(letter for letter in name if category(letter) != "Cc" and letter not in DIRECTION_CHARACTERS)


def check_cluster_count(owner_id: int) -> None:
    """Raise Refused if the user may have no more clusters. Call it in the transaction that creates one."""
    # Lock the owner's row, so that concurrent requests can't exceed the limit.
    get_user_model()._default_manager.select_for_update().get(pk=owner_id)
    most = limits.GUEST_CLUSTERS if is_guest(owner_id) else limits.CLUSTERS_PER_USER
    if Cluster.objects.filter(owner_id=owner_id).count() >= most:
        raise Refused([problem("", say("a user can have at most {n} clusters", n=most), hint=say("delete one"))], 409)


def rename_cluster(cluster_id: int, name: str) -> None:
    Cluster.objects.filter(pk=cluster_id).update(name=name)


def _free_name(owner_id: int, name: str) -> str:
    """Return the name, or the first of `name 2`, `name 3`, … that no cluster of the owner has."""
    taken = set(Cluster.objects.filter(owner_id=owner_id).values_list("name", flat=True))
    numbers = (f"{name[: MAX_NAME - 4]} {n}" for n in range(2, len(taken) + 3))
    return name if name not in taken else next(each for each in numbers if each not in taken)


@transaction.atomic
def delete_cluster(cluster: Cluster) -> None:
    """Delete a cluster with its history, without a way to restore it. Its worker loses the lease and stops.

    Raise Refused, with status 409, if branches were forked from it.
    """
    lock_for_deletion(cluster).delete()


def lock_for_deletion(cluster: Cluster) -> Cluster:
    """Lock and return the row of a cluster to delete.

    Raise Refused, with status 409, if branches were forked from it.
    """
    # Commits lock this row first, too, which avoids deadlocks.
    row = Cluster.objects.select_for_update().get(pk=cluster.pk)
    branches = list(Cluster.objects.filter(parent=row).order_by("pk").values_list("name", flat=True))
    if branches:
        named = ", ".join(f'"{name}"' for name in branches[:MOST_NAMED]) + (", …" if len(branches) > MOST_NAMED else "")
        raise Refused(
            [problem("", say("branches were forked from it: {names}", names=named), hint=say("delete these first"))],
            409,
        )
    return row


def _prefix_paths(problems: list[Problem]) -> list[Problem]:
    return [{**each, "path": f"config: {each['path']}" if each["path"] else "config"} for each in problems]
