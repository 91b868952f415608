"""Who works on a cluster, or on a run of a comparison, and whether they still do."""

from datetime import datetime
from typing import TypedDict

from django.conf import settings

from playground.engine.leases import OVERDUE_BELOW
from playground.models import Cluster


class LeaseAnswer(TypedDict):
    holder: str
    expires_in: float
    lost: bool


def lease_of(cluster: Cluster) -> LeaseAnswer | None:
    """`{holder, expires_in, lost}` of a cluster read with `db_now`; None when nobody works on it.

    `lost`: the holder has missed its renewals, and others may take over in `expires_in` seconds. It cannot be known
    that a worker is gone; it can be seen that it is silent.
    """
    now: datetime = cluster.db_now  # type: ignore[attr-defined]  # annotated by the query
    found = held(cluster.lease_holder, cluster.lease_expires, now)
    if found is None or (not found["expires_in"] and cluster.submitted == cluster.applied):
        return None
    return found


def held(holder: str, expires: datetime | None, now: datetime) -> LeaseAnswer | None:
    """A lease as people see it: `{holder, expires_in, lost}`; None for none."""
    if expires is None:
        return None
    left = (expires - now).total_seconds()
    lost = left < settings.LEASE_SECONDS * OVERDUE_BELOW
    return {"holder": holder, "expires_in": round(max(left, 0.0), 1), "lost": lost}
