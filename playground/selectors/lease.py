"""Who works on a cluster, and whether they still do."""

from datetime import datetime
from typing import Any

from django.conf import settings

from playground.models import Cluster
from playground.services.leases import OVERDUE_BELOW


def lease_of(cluster: Cluster) -> dict[str, Any] | None:
    """`{holder, expires_in, lost}` of a cluster read with `db_now`; None when nobody works on it.

    `lost`: the holder has missed its renewals, and others may take over in `expires_in` seconds. It cannot be known
    that a worker is gone; it can be seen that it is silent.
    """
    if cluster.lease_expires is None:
        return None
    now: datetime = cluster.db_now  # type: ignore[attr-defined]  # annotated by the query
    left = (cluster.lease_expires - now).total_seconds()
    if left <= 0 and cluster.submitted == cluster.applied:
        return None
    lost = left < settings.LEASE_SECONDS * OVERDUE_BELOW
    return {"holder": cluster.lease_holder, "expires_in": round(max(left, 0.0), 1), "lost": lost}
