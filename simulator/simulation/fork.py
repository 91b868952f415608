"""Fork: a simulation once more, in memory, to try out what nobody may see. A thousandth of the time of a checkpoint."""

from collections.abc import Mapping
from typing import Any

from scheduler_core.cache.history import forget_history
from simulator.simulation.cluster import SimulatedCluster
from simulator.simulation.simulation import Simulation
from simulator.simulation.texts import Texts
from simulator.simulation.timeline import no_extenders


def fork(simulation: Simulation) -> Simulation:
    """The simulation as it is, to go its own way. Objects are shared, as they never change.

    Extenders are left out: nobody may be called for a trial. Pods that wait at Permit stay where they wait, for ever.
    """
    return _fork(simulation, anew=False)


def fork_anew(simulation: Simulation) -> Simulation:
    """As if the objects were given to an empty simulation as they are by now: what waits is new to the queue, the clock
    and the seed are at their beginning.
    """
    return _fork(simulation, anew=True)


def _fork(simulation: Simulation, anew: bool) -> Simulation:
    old = simulation.cluster
    copy = object.__new__(type(simulation))
    copy.__dict__.update(simulation.__dict__)
    copy.record_steps, copy.clock, copy.texts = False, None, Texts()
    copy.given, copy.futile, copy.breakpoints = dict(simulation.given), set(simulation.futile), ()
    cluster = copy.cluster = SimulatedCluster(old.config, old.registry, no_extenders, old.traits, built=False)
    cluster.store, cluster.in_flight = old.store.copied(), dict(old.in_flight)
    cluster.cache = old.cache.copied()
    cluster.node_epoch = old.node_epoch
    queue: Mapping[str, Any] | None = None
    if anew:
        cluster.random.seed(simulation.first_seed)
        copy.seed, copy.futile = simulation.first_seed, set()
        forget_history(cluster.cache.table)
    else:
        cluster.random.setstate(old.random.getstate())
        cluster.now, cluster.fail_next_binding = old.now, old.fail_next_binding
        cluster.outages.load(old.outages.dump())
        queue = old.queue.dump(_no_objects)
    cluster._build(old.config, queue)
    if anew:
        _queue_anew(cluster)
    else:
        cluster.scheduler.pods.next_start_node_index = old.scheduler.pods.next_start_node_index
    return copy


def _queue_anew(cluster: SimulatedCluster) -> None:
    for pod in cluster.store.list("Pod"):
        is_ours = pod.scheduler_name in cluster.scheduler.frameworks
        if is_ours and not pod.node_name and not pod.finished and not cluster.cache.is_assumed(pod.uid):
            cluster.queue.add(pod)


def _no_objects(obj: Any) -> Any:
    """Events are kept only for pods in flight, and none is between two records."""
    raise AssertionError("a fork was made in the middle of an attempt")
