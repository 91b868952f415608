"""Which namespaces there are, and since when: what is in one that went is gone with it, though nobody deleted it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from math import inf

from kubernetes_api import built_in
from kubernetes_api.matching import TIME_FORMAT
from playground.models import Cluster, ClusterObject, ObjectChange
from scheduler_core.objects.epoch import EPOCH_SECONDS

_KIND = "Namespace"


class Places:
    """Asked for many things of one cluster at one time; each namespace is looked up once."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._since: dict[str, float] = dict.fromkeys(built_in.NAMESPACES, -inf)

    def holds(self, namespace: str, t: float) -> bool:
        """Whether what was written there at a virtual time is still there."""
        if namespace not in self._since:
            self._since[namespace] = self._began(namespace)
        return t >= self._since[namespace]

    def _began(self, namespace: str) -> float:
        """Virtual time; never, for one that is no more. One with objects may be without an object of its own."""
        of_cluster = ClusterObject.objects.filter(cluster_id=self._cluster.pk)
        row = of_cluster.filter(kind=_KIND, key=namespace).values_list("manifest").first()
        if row is None:
            return -inf if of_cluster.filter(key__startswith=f"{namespace}/").exists() else inf
        manifest = json.loads(row[0]) if isinstance(row[0], str) else row[0]
        created = str((manifest.get("metadata") or {}).get("creationTimestamp") or "")
        try:
            return datetime.strptime(created, TIME_FORMAT).replace(tzinfo=UTC).timestamp() - EPOCH_SECONDS
        except ValueError:
            return -inf


def gone(cluster: Cluster, first: int, last: int) -> Iterator[tuple[int, str]]:
    """The namespaces that went in these records, as far as they were watched: the record, the name."""
    rows = ObjectChange.objects.filter(
        cluster_id=cluster.pk, seq__gte=first, seq__lte=last, kind=_KIND, after__isnull=True
    )
    yield from rows.order_by("seq").values_list("seq", "key")
