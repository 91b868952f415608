"""The faults of a deployment, one at a time; the table at the end lists them all."""

import random
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress

import psutil
import psycopg

from tests.resilience.deployments import Deployment, Distributed
from tests.services import until

# (deployment, cluster at work, randomness of this round) → what to say of it
Fault = Callable[[Deployment, int, random.Random], str]
LOCKED = (sqlite3.OperationalError, psycopg.errors.LockNotAvailable)
FIGHT_SECONDS = 8.0


def pool_process(deployment: Deployment, cluster: int, rng: random.Random) -> str:
    deployment.pool_process(rng)
    return ""


def worker(deployment: Deployment, cluster: int, rng: random.Random) -> str:
    deployment.worker(rng)
    return ""


def web(deployment: Deployment, cluster: int, rng: random.Random) -> str:
    deployment.web(rng)
    return ""


def redis(deployment: Deployment, cluster: int, rng: random.Random) -> str:
    deployment.redis(rng)
    return ""


def stall(deployment: Deployment, cluster: int, rng: random.Random) -> str:
    deployment.stall(rng)
    return ""


def postgres(deployment: Deployment, cluster: int, rng: random.Random) -> str:
    assert isinstance(deployment, Distributed)
    deployment.postgres(rng)
    return ""


def fight(deployment: Deployment, cluster: int, rng: random.Random) -> str:
    """Let two workers work at once: freeze the holder until another one takes its lease, then resume it."""
    first = until(lambda: _freeze_holder(deployment, cluster) or _is_over(deployment, cluster), FIGHT_SECONDS, True)
    if not isinstance(first, tuple):
        return ""
    process, fencing = first
    try:
        until(lambda: _fencing(deployment, cluster) > fencing or not process.is_running(), FIGHT_SECONDS)
    finally:
        with suppress(psutil.NoSuchProcess):
            process.resume()
    return "fought" if _fencing(deployment, cluster) > fencing else ""


def _freeze_holder(deployment: Deployment, cluster: int) -> tuple[psutil.Process, int] | None:
    """Return the frozen holder, which has lost its lease, and its fencing number; None if there is no holder.

    A holder that is frozen with the row locked is resumed, because nobody could take over from it.
    """
    holder, fencing = deployment.database.cluster(cluster, "lease_holder", "lease_fencing")
    if not holder:
        return None
    try:
        process = psutil.Process(int(holder.rpartition(":")[2]))
        process.suspend()
    except psutil.NoSuchProcess:
        return None
    with suppress(*LOCKED), deployment.database.cursor() as cursor:
        # Only numbers of our own are put into it.
        where = f"id = {cluster} AND lease_fencing = {fencing} AND lease_holder <> ''"
        cursor.execute(f"UPDATE playground_cluster SET lease_expires = '2000-01-01' WHERE {where}")  # noqa: S608
        if cursor.rowcount:
            return process, fencing
    with suppress(psutil.NoSuchProcess):
        process.resume()
    return None


def _fencing(deployment: Deployment, cluster: int) -> int:
    return int(deployment.database.cluster(cluster, "lease_fencing")[0])


def _is_over(deployment: Deployment, cluster: int) -> bool:
    submitted, applied = deployment.database.cluster(cluster, "submitted", "applied")
    return bool(submitted == applied and submitted)


FAULTS: Mapping[str, Fault] = {
    "pool process killed": pool_process,
    "worker killed": worker,
    "web killed": web,
    "Redis restarted empty": redis,
    "network to Redis stalled": stall,
    "two workers fight": fight,
    "PostgreSQL restarted": postgres,
}
# SQLite is no server that could be restarted.
ONLY_DISTRIBUTED = {"PostgreSQL restarted"}


def kinds(deployment: Deployment) -> list[str]:
    """Return the faults that the deployment supports."""
    return [kind for kind in FAULTS if isinstance(deployment, Distributed) or kind not in ONLY_DISTRIBUTED]
