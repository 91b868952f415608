"""Copy a simulation in memory, to try changes without an effect on the original."""

from collections.abc import Mapping
from typing import Any

from scheduler_core.cache.history import forget_history
from simulator.simulation.cluster import SimulatedCluster
from simulator.simulation.simulation import Simulation
from simulator.simulation.texts import ObjectTexts
from simulator.simulation.timeline import no_extenders


def fork(simulation: Simulation) -> Simulation:
    """Return an independent copy of the simulation. Both share the objects, which never change.

    The copy calls no extenders. Pods that wait at Permit keep waiting there.
    """
    return _fork(simulation, from_start=False)


def fork_from_start(simulation: Simulation) -> Simulation:
    """Return a copy as if the present objects were created in an empty simulation.

    All waiting pods are new to the queue. The clock and the seed are those of the beginning.
    """
    return _fork(simulation, from_start=True)


def _fork(simulation: Simulation, from_start: bool) -> Simulation:
    old = simulation.cluster
    copy = object.__new__(type(simulation))
    copy.__dict__.update(simulation.__dict__)
    copy.record_steps, copy.clock, copy.texts = False, None, ObjectTexts()
    copy.submitted, copy.unschedulable_groups, copy.breakpoints = (
        dict(simulation.submitted),
        set(simulation.unschedulable_groups),
        (),
    )
    cluster = copy.cluster = SimulatedCluster(old.config, old.registry, no_extenders, old.traits, built=False)
    cluster.store, cluster.in_flight = old.store.copied(), dict(old.in_flight)
    cluster.cache = old.cache.copied()
    cluster.node_epoch = old.node_epoch
    queue: Mapping[str, Any] | None = None
    if from_start:
        cluster.random.seed(simulation.first_seed)
        copy.seed, copy.unschedulable_groups = simulation.first_seed, set()
        forget_history(cluster.cache.table)
    else:
        cluster.random.setstate(old.random.getstate())
        cluster.now, cluster.fail_next_binding = old.now, old.fail_next_binding
        cluster.outages.load(old.outages.dump())
        queue = old.queue.dump(_no_objects)
    cluster._build(old.config, queue)
    if from_start:
        _queue_waiting_pods(cluster)
    else:
        cluster.scheduler.pods.next_start_node_index = old.scheduler.pods.next_start_node_index
    return copy


def _queue_waiting_pods(cluster: SimulatedCluster) -> None:
    for pod in cluster.store.list("Pod"):
        is_ours = pod.scheduler_name in cluster.scheduler.frameworks
        if is_ours and not pod.node_name and not pod.finished and not cluster.cache.is_assumed(pod.uid):
            cluster.queue.add(pod)


def _no_objects(obj: Any) -> Any:
    """Raise AssertionError: the queue stores Events only for pods in flight, and between two records there is none."""
    raise AssertionError("a fork was made in the middle of an attempt")
