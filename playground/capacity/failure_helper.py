"""A worker's help with a failure search: it loads the cluster, and simulates one failure after another."""

import os
import socket
import time
from collections.abc import Callable

from playground import logs
from playground.capacity.shared_search import Shared
from playground.engine import loaded_clusters, shutdown, workers
from playground.engine.cooperative_yield import CooperativeYield
from playground.models import Cluster
from playground.response_types import to_plain
from simulator.repair.capacity import FailureSimulation

LOOK_EVERY = 0.5


class _Over(Exception):  # noqa: N818  it is no error
    """The search was cancelled, or the worker is stopping."""


def help_with_search(key: str) -> None:
    """Simulate failures until none is left, the search is cancelled, or the worker stops.

    Writes nothing to the cluster.
    """
    with workers.connect() as broker:
        shared = Shared(broker, key)
        search, cooperative_yield = shared.read_search(), CooperativeYield()
        name = f"{socket.gethostname()}:{os.getpid()}"
        cluster = Cluster.objects.filter(pk=search["cluster"]).first() if search else None
        value = None if cluster is None else shared.take_value()
        if search is None or cluster is None or value is None:
            return
        if not shared.may_help(cluster.owner_id):
            shared.give_back(value)
            return
        with logs.about(cluster=cluster.pk):
            try:
                simulation = loaded_clusters.load_at(cluster, search["seq"]).simulation
                callback = _make_callback(shared, cluster.owner_id, value, cooperative_yield)
                failing = FailureSimulation(simulation, search["by"] or None, callback)
                while value is not None:
                    callback = _make_callback(shared, cluster.owner_id, value, cooperative_yield)
                    shared.add_result(value, name, to_plain(failing.once(value, callback)))
                    value = shared.take_value()
            except _Over:
                pass
            finally:
                if value is not None:
                    shared.give_back(value)
                shared.stop_helping(cluster.owner_id)


def _make_callback(shared: Shared, owner: int, value: str, cooperative_yield: CooperativeYield) -> Callable[[], None]:
    """Return a callback that renews the helper's leases, and raises _Over when its work is no longer needed."""
    next_check = 0.0

    def renew_leases() -> None:
        nonlocal next_check
        now = time.monotonic()
        if now < next_check:
            return
        next_check = now + LOOK_EVERY
        if shutdown.requested() or shared.read_search() is None:
            raise _Over
        shared.still_at(value)
        shared.still_help(owner)
        cooperative_yield.yield_to_waiting()

    return renew_leases
