"""What controllers did, as it is stored: those that only brought a status up to date have nothing to say."""

import json
from collections.abc import Iterator

from kube_controllers.table import NODE_CONTROLLERS
from kube_objects.sentences import Sentence
from playground.models import Cluster, Record
from playground.workloads.shapes import Reconcile, Reconciles

# Steps that a lane has room for, records that are looked at for them.
MOST_STEPS, MOST_RECORDS = 2_000, 10_000


def newest(cluster_id: int, most: int, looked_at: int) -> list[Reconcile]:
    """The newest first."""
    found: list[Reconcile] = []
    for step in _newest_first(cluster_id, 0, looked_at):
        found.append(step)
        if len(found) == most:
            break
    return found


def since(cluster: Cluster, after: int) -> Reconciles:
    """Those after the record `after`, in order; where there are too many, the newest, and `whole` is false."""
    found: list[Reconcile] = []
    for step in _newest_first(cluster.pk, after, MOST_RECORDS):
        if len(found) == MOST_STEPS:
            break
        found.append(step)
    found.reverse()
    stored = Record.objects.filter(cluster_id=cluster.pk, kind="reconcile", seq__gt=after)
    first = found[0]["seq"] if found else after
    whole = len(found) < MOST_STEPS and stored.filter(seq__lt=first).count() < MOST_RECORDS
    return {
        "revision": cluster.revision,
        "steps": found,
        "whole": whole,
        "of_nodes": sorted({step["actor"] for step in found} & NODE_CONTROLLERS),
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
