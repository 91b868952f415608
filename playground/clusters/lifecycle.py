"""Clusters come and go."""

from typing import Any
from unicodedata import category

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from kube_objects.sentences import say
from playground import limits, plugins
from playground.accounts.guests import is_guest
from playground.clusters import commands
from playground.language import TURNS
from playground.models import Cluster, SchedulerConfig
from playground.problems import Problem, Refused, of_error, problem
from scheduler_core.config import ConfigError
from scheduler_core.emulations import emulation_of
from scheduler_core.gates import GateError, parse_gates
from simulator.exchange.scenario import MAX_NAME

# Branches that a refusal names.
MOST_NAMED = 5


def create(
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
    """A new cluster; `objects` are given to it by its first command. `config` "" is the default configuration.

    `numbered`: where its owner has one of this name, it gets a number behind it.
    `emulates` is the version of kube-scheduler that runs it, and reads `config`.

    `gates` are feature gates that it has otherwise than by default, as `--feature-gates` takes them.

    Raises Refused for such gates as the version does not take,
    for a configuration that kube-scheduler would not start with, and for too many clusters.
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
            raise Refused(_under_config(of_error(error))) from error
    # Forms refuse them; a link's or a lesson's title may have some.
    name = without_turns(name) or "cluster"
    with transaction.atomic():
        check_number(owner.pk)
        name = _numbered(owner.pk, name) if numbered else name
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


def without_turns(name: str) -> str:
    """A name without control characters: line ends, and those that turn the direction of what stands around them."""
    return "".join(letter for letter in name if category(letter) != "Cc" and letter not in TURNS)


def check_number(owner_id: int) -> None:
    """Raises Refused when the user may have no more clusters. To be called in the transaction that makes one."""
    # The owner's row is the lock for counting.
    get_user_model()._default_manager.select_for_update().get(pk=owner_id)
    most = limits.GUEST_CLUSTERS if is_guest(owner_id) else limits.CLUSTERS_PER_USER
    if Cluster.objects.filter(owner_id=owner_id).count() >= most:
        raise Refused([problem("", say("no more than {n} clusters a user", n=most), hint=say("delete one"))], 409)


def rename(cluster_id: int, name: str) -> None:
    Cluster.objects.filter(pk=cluster_id).update(name=name)


def _numbered(owner_id: int, name: str) -> str:
    """The name, or the first of `name 2`, `name 3`, … that the owner has no cluster of."""
    taken = set(Cluster.objects.filter(owner_id=owner_id).values_list("name", flat=True))
    numbers = (f"{name[: MAX_NAME - 4]} {n}" for n in range(2, len(taken) + 3))
    return name if name not in taken else next(each for each in numbers if each not in taken)


@transaction.atomic
def delete(cluster: Cluster) -> None:
    """The cluster with all that happened in it, for good. A worker that is at it finds its lease gone and stops.

    Raises Refused, with status 409, while there are branches that were forked from it.
    """
    locked(cluster).delete()


def locked(cluster: Cluster) -> Cluster:
    """Its row, to be deleted. Raises Refused, with status 409, while there are branches that were forked from it."""
    # First the row that commits lock first, too: neither then waits for the other with what the other needs.
    row = Cluster.objects.select_for_update().get(pk=cluster.pk)
    branches = list(Cluster.objects.filter(parent=row).order_by("pk").values_list("name", flat=True))
    if branches:
        named = ", ".join(f'"{name}"' for name in branches[:MOST_NAMED]) + (", …" if len(branches) > MOST_NAMED else "")
        raise Refused(
            [problem("", say("branches were forked from it: {names}", names=named), hint=say("delete these first"))],
            409,
        )
    return row


def _under_config(problems: list[Problem]) -> list[Problem]:
    return [{**each, "path": f"config: {each['path']}" if each["path"] else "config"} for each in problems]
