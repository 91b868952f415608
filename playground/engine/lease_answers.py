"""The API's answer about the lease on a cluster or on a run of a comparison."""

from datetime import datetime
from typing import TypedDict

from django.conf import settings

from playground.engine.leases import OVERDUE_BELOW
from playground.models import Cluster


class LeaseAnswer(TypedDict):
    holder: str
    expires_in: float
    lost: bool


def describe_lease(cluster: Cluster) -> LeaseAnswer | None:
    """Return `{holder, expires_in, lost}` of a cluster that was read with `db_now`, or None if no worker holds its
    lease.

    `lost` is true if the holder has missed renewals; others may take over in `expires_in` seconds. A silent worker may
    still be alive, so `lost` is no proof that it ended.
    """
    now: datetime = cluster.db_now  # type: ignore[attr-defined]  # annotated by the query
    lease = format_lease(cluster.lease_holder, cluster.lease_expires, now)
    if lease is None or (not lease["expires_in"] and cluster.submitted == cluster.applied):
        return None
    return lease


def format_lease(holder: str, expires: datetime | None, now: datetime) -> LeaseAnswer | None:
    """Return a lease in the form that users see, `{holder, expires_in, lost}`, or None without a lease."""
    if expires is None:
        return None
    left = (expires - now).total_seconds()
    lost = left < settings.LEASE_SECONDS * OVERDUE_BELOW
    return {"holder": holder, "expires_in": round(max(left, 0.0), 1), "lost": lost}
