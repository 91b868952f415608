"""A worker's help with a failure search: it loads the cluster, and simulates one failure after another."""

import os
import socket
import time
from collections.abc import Callable

from playground import logs
from playground.capacity.shared import Shared
from playground.engine import shutdown, simulations, workers
from playground.engine.hosting import Host
from playground.models import Cluster
from playground.shapes import plain
from simulator.repair.capacity import FailureSimulation

LOOK_EVERY = 0.5


class _Over(Exception):  # noqa: N818  it is no error
    """The search was cancelled, or the worker is stopping."""


def help_with(key: str) -> None:
    """Simulate failures until none is left, the search is cancelled, or the worker stops.

    Writes nothing to the cluster.
    """
    with workers.connect() as broker:
        shared = Shared(broker, key)
        search, host, name = shared.read_search(), Host(), f"{socket.gethostname()}:{os.getpid()}"
        cluster = Cluster.objects.filter(pk=search["cluster"]).first() if search else None
        value = None if cluster is None else shared.take_value()
        if search is None or cluster is None or value is None:
            return
        if not shared.may_help(cluster.owner_id):
            shared.give_back(value)
            return
        with logs.about(cluster=cluster.pk):
            try:
                simulation = simulations.at(cluster, search["seq"]).simulation
                failing = FailureSimulation(
                    simulation, search["by"] or None, _looking_up(shared, cluster.owner_id, value, host)
                )
                while value is not None:
                    shared.add_result(
                        value, name, plain(failing.once(value, _looking_up(shared, cluster.owner_id, value, host)))
                    )
                    value = shared.take_value()
            except _Over:
                pass
            finally:
                if value is not None:
                    shared.give_back(value)
                shared.stop_helping(cluster.owner_id)


def _looking_up(shared: Shared, owner: int, value: str, host: Host) -> Callable[[], None]:
    """Return a callback that renews the helper's leases, and raises _Over when its work is no longer needed."""
    look_at = 0.0

    def look() -> None:
        nonlocal look_at
        now = time.monotonic()
        if now < look_at:
            return
        look_at = now + LOOK_EVERY
        if shutdown.requested() or shared.read_search() is None:
            raise _Over
        shared.still_at(value)
        shared.still_help(owner)
        host.look()

    return look
