"""The stored steps of controllers, without those that only updated a status."""

import json
from collections.abc import Iterator

from kube_controllers.names import NODE_CONTROLLERS
from kube_objects.sentences import Sentence
from playground.models import Cluster, Record
from playground.workloads.workload_answers import Reconcile, Reconciles

# Limits of the steps in an answer, and of the records that are searched for them.
MOST_STEPS, MOST_RECORDS = 2_000, 10_000


def newest_steps(cluster_id: int, most: int, looked_at: int) -> list[Reconcile]:
    """Return the newest steps, newest first."""
    steps: list[Reconcile] = []
    for step in _newest_first(cluster_id, 0, looked_at):
        steps.append(step)
        if len(steps) == most:
            break
    return steps


def steps_since(cluster: Cluster, after: int) -> Reconciles:
    """Return the steps after the record `after` in order. If they are too many, the newest, and `whole` is false."""
    later_steps: list[Reconcile] = []
    for step in _newest_first(cluster.pk, after, MOST_RECORDS):
        if len(later_steps) == MOST_STEPS:
            break
        later_steps.append(step)
    later_steps.reverse()
    stored = Record.objects.filter(cluster_id=cluster.pk, kind="reconcile", seq__gt=after)
    first = later_steps[0]["seq"] if later_steps else after
    whole = len(later_steps) < MOST_STEPS and stored.filter(seq__lt=first).count() < MOST_RECORDS
    return {
        "revision": cluster.revision,
        "steps": later_steps,
        "whole": whole,
        "of_nodes": sorted({step["actor"] for step in later_steps} & NODE_CONTROLLERS),
    }


def _newest_first(cluster_id: int, after: int, looked_at: int) -> Iterator[Reconcile]:
    records = Record.objects.filter(cluster_id=cluster_id, kind="reconcile", seq__gt=after).order_by("-seq")
    for body in records.values_list("body", flat=True)[:looked_at].iterator():
        record = json.loads(body)
        if "reason" not in record:
            continue
        about = record["object"]
        yield {
            "seq": record["seq"],
            "t": record["t"],
            "actor": record["actor"],
            "kind": about["kind"],
            "key": about["key"],
            "reason": Sentence(record["reason"]),
        }
