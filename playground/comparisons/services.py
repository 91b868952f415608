"""Changes of comparisons: a request becomes rows, one run per side and seed, which workers execute."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Length

from kube_objects.sentences import say
from playground import limits, plugins
from playground.clusters import lifecycle
from playground.engine.triggers import trigger_comparisons
from playground.exchange import scenario_loading
from playground.exchange.scenarios import scenario_of
from playground.models import Cluster, Cycle, SchedulerConfig
from playground.models.comparisons import UNFINISHED, Comparison, ComparisonRun, ComparisonState
from playground.problems import Problem, Refused, list_api_problems, problem
from playground.store import quota
from scheduler_core.config import ConfigError
from scheduler_core.emulations import EMULATIONS
from simulator.exchange.scenario import MAX_NAME
from simulator.simulation import reset

NOW, START = "now", "start"
Side = dict[str, Any]


def create_comparison(cluster: Cluster, wanted: Sequence[Side], seeds: Sequence[int], at: Any) -> Comparison:
    """Queue a run for each side and seed, and wake workers once they are stored.

    `wanted`: `[{label?, config: {current | default | version | yaml}, cluster?: a Cluster}]`; `at`: "now", "start" or
    `{"cycle": n}`, for the sides without a cluster of their own. Raises Refused with all problems.
    """
    problems: list[Problem] = []
    seq = _record_at(cluster, at, problems)
    sides = [_side(index, side, cluster, seq, at, problems) for index, side in enumerate(wanted)]
    if problems:
        raise Refused(problems)
    with transaction.atomic():
        # Lock the owner's row while the runs are counted.
        get_user_model()._default_manager.select_for_update().get(pk=cluster.owner_id)
        texts = _length(sides)
        _check_room(cluster, len(sides) * len(seeds), texts)
        Cluster.objects.filter(pk=cluster.pk).update(stored_bytes=F("stored_bytes") + texts)
        comparison = Comparison.objects.create(cluster=cluster, at=at, sides=sides, seeds=list(seeds))
        ComparisonRun.objects.bulk_create(
            ComparisonRun(comparison=comparison, side=side, seed=seed) for seed in seeds for side in range(len(sides))
        )
        transaction.on_commit(partial(trigger_comparisons, len(sides) * len(seeds)))
    return comparison


def cancel_comparison(comparison: Comparison) -> None:
    """Cancel the waiting and active runs. Workers notice within half a second; finished runs stay."""
    ComparisonRun.objects.filter(comparison=comparison, state__in=UNFINISHED).update(
        state=ComparisonState.CANCELLED, lease_holder="", lease_expires=None
    )


def cancel_comparisons_of_cluster(cluster: Cluster, **_: Any) -> None:
    """Cancel the comparisons of a cluster that is being deleted."""
    for comparison in Comparison.objects.filter(cluster=cluster):
        cancel_comparison(comparison)


@transaction.atomic
def open_run(comparison: Comparison, side: int, seed: int, attempts: int, owner: AbstractBaseUser) -> Cluster:
    """Create a cluster with the state and history of a run after so many attempts. Raises Refused."""
    wanted = comparison.sides[side]
    base = Cluster.objects.get(pk=wanted["cluster"])
    scenario = scenario_of(base, wanted["seq"])
    scenario.commands += [dict(reset.COMMAND)] if wanted["reset"] else []
    scenario.commands += [{"kind": "set_config", "yaml": wanted["yaml"]}, {"kind": "seed", "seed": seed}]
    scenario.commands.append({"kind": "run", "until": {"cycles": attempts}})
    name = f"{base.name}: {wanted['label']}"[:MAX_NAME]
    made = lifecycle.create_cluster(owner, name, emulates=scenario.emulates)
    scenario_loading.load_scenario(made.pk, scenario, owner.get_username())
    made.refresh_from_db()
    return made


@transaction.atomic
def delete_comparison(comparison: Comparison) -> None:
    """Delete the comparison with its results, and return their bytes to the cluster's quota."""
    cluster = Cluster.objects.select_for_update().get(pk=comparison.cluster_id)
    finished = ComparisonRun.objects.filter(comparison=comparison).exclude(state__in=UNFINISHED)
    bodies = (
        finished.exclude(state=ComparisonState.CANCELLED).annotate(size=Length("body")).values_list("size", flat=True)
    )
    taken = sum(quota.ROW_BYTES + (size or 0) for size in bodies) + _length(comparison.sides)
    comparison.delete()
    Cluster.objects.filter(pk=cluster.pk).update(stored_bytes=F("stored_bytes") - min(taken, cluster.stored_bytes))


def _length(sides: Sequence[Side]) -> int:
    """Return the bytes of a comparison's configurations: each text as given and as applied."""
    return sum(len(str(side["source"]).encode()) + len(side["yaml"].encode()) for side in sides)


def _record_at(cluster: Cluster, at: Any, problems: list[Problem]) -> int:
    """Return the record after which the runs start."""
    if at in (NOW, START):
        return cluster.revision
    number = at["cycle"]
    if number == 0:
        first = Cycle.objects.filter(cluster=cluster, number__gte=cluster.first_cycle).order_by("number").first()
        return cluster.revision if first is None else first.seq - 1
    record = Cycle.objects.filter(cluster=cluster, number=number).values_list("seq", flat=True).first()
    if record is None:
        problems.append(
            problem("at.cycle", say("no such cycle"), number, say("there are {cycle}", cycle=cluster.cycle))
        )
        return 0
    return record


def _side(index: int, side: Side, cluster: Cluster, seq: int, at: Any, problems: list[Problem]) -> Side:
    own: Cluster | None = side.get("cluster")
    base = own or cluster
    path, source = f"sides[{index}].config", side["config"]
    text = _config_text(base, source, path, problems)
    try:
        plugins.load(text, base.emulated_at(own.revision if own else seq))
    except ConfigError as error:
        problems += [
            {**each, "path": f"{path}: {each['path']}" if each["path"] else path} for each in list_api_problems(error)
        ]
    return {
        "label": side.get("label") or _label(source, own),
        "source": source,
        "yaml": text,
        "cluster": base.pk,
        "seq": own.revision if own else seq,
        "reset": at == START,
    }


def _config_text(cluster: Cluster, source: Any, path: str, problems: list[Problem]) -> str:
    """Return the configuration that a side names. It is never "", so that applying it always gives a record."""
    default_text = EMULATIONS[cluster.emulates].default_text
    if source in ("default", {"version": 0}):
        return default_text
    if "yaml" in source:
        return str(source["yaml"])
    number = cluster.config_version if source == "current" else source["version"]
    text = SchedulerConfig.objects.filter(cluster=cluster, version=number).values_list("yaml", flat=True).first()
    if text is None:
        problems.append(problem(f"{path}.version", say("no such version"), number))
    return text or default_text


def _label(source: Any, own: Cluster | None) -> str:
    if own is not None:
        return own.name
    if isinstance(source, dict):
        return f"version {source['version']}" if "version" in source else "pasted"
    return str(source)


def _check_room(cluster: Cluster, more: int, texts: int) -> None:
    """Raise Refused if the cluster's comparisons or bytes, or the owner's waiting runs, would exceed their limit."""
    saved = Comparison.objects.filter(cluster=cluster).count()
    if saved >= limits.COMPARISONS_PER_CLUSTER:
        rule = say(
            "a cluster can have at most {most} comparisons",
            most=limits.COMPARISONS_PER_CLUSTER,
        )
        raise Refused([problem("", rule, hint=say("delete one"))], 409)
    unfinished = ComparisonRun.objects.filter(
        comparison__cluster__owner_id=cluster.owner_id, state__in=UNFINISHED
    ).count()
    if unfinished + more > limits.COMPARISON_RUNS_WAITING:
        rule = say(
            "you already have {unfinished} queued runs; {more} more would exceed the limit",
            unfinished=unfinished,
            more=more,
        )
        hint = say(
            "at most {most} runs can be queued; wait until some have finished, or cancel a comparison",
            most=limits.COMPARISON_RUNS_WAITING,
        )
        raise Refused([problem("", rule, hint=hint)], 429)
    quota.check_quota(cluster.pk, texts)
