"""Recover from an exception of the engine: fail the attempt with an error, and build the scheduler again.

A kube-scheduler process restarts after a panic, so its cache is new and consistent, too.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from kube_objects.defects import describe_defect
from kube_objects.pod import Pod
from scheduler_core.cache.cache import Cache
from scheduler_core.cycle.group import PodGroupCycle
from scheduler_core.cycle.schedule_one import PodAttempt
from scheduler_core.framework.status import Status
from simulator.simulation.cluster import SimulatedCluster


def fail_attempt(cluster: SimulatedCluster, attempt: PodAttempt) -> None:
    """Return the pod of an attempt with an exception to the queue.

    1. Let the plugins unreserve the pod.
    2. Build cache and scheduler from the stored objects.
    3. Fail the attempt with the error, which puts the pod back into the queue.
    """
    assert attempt.error is not None
    _unreserve(attempt)
    _rebuild_scheduler(cluster, attempt.error)
    _fail(cluster, [attempt], attempt.error)


def fail_group(cluster: SimulatedCluster, group: PodGroupCycle, error: Exception, *attempts: PodAttempt) -> None:
    """Return all members to the queue that are neither bound nor wait for their binding; steps as in `fail_attempt`.

    `attempts` are attempts of members that `group` does not contain. Afterwards `group.ended` contains the attempts
    whose outcome differs from their record.
    """
    in_flight = set(cluster.queue.in_flight())
    by_uid = {attempt.queued.pod.uid: attempt for attempt in (*(tried.attempt for tried in group.tried), *attempts)}
    failed = []
    for queued in group.members:
        if queued.pod.key in in_flight and queued.pod.uid not in cluster.attempts.waiting:
            attempt = by_uid.get(queued.pod.uid)
            if attempt is None:
                framework = cluster.scheduler.frameworks[queued.pod.scheduler_name]
                attempt = PodAttempt(queued, framework, None, group=group.key)
            _unreserve(attempt)
            failed.append(attempt)
    _rebuild_scheduler(cluster, error)
    group.submitted = True
    group.rest.clear()
    group.to_finish.clear()
    group.ended.clear()
    group.ended.extend(attempt for attempt in failed if attempt.number)
    _fail(cluster, failed, error)
    cluster.group = group if group.ended else None


def _unreserve(attempt: PodAttempt) -> None:
    """Call the plugins' Unreserve. The cache needs no change, because it is built again."""
    if attempt.assumed is None or attempt.cycle is None:
        return
    for plugin in reversed(attempt.framework.reserve):
        with suppress(Exception):
            plugin.unreserve(attempt.state, attempt.assumed, attempt.assumed.node_name)


def _fail(cluster: SimulatedCluster, attempts: Iterable[PodAttempt], error: Exception) -> None:
    """Fail the attempts with the error, and add waiting pods to the queue that the defect removed from it."""
    message = f"the engine failed: {describe_defect(error)}"
    for attempt in attempts:
        attempt.rejected_by, attempt.pending_on = set(), set()
        cluster.attempts.handle_scheduling_failure(
            attempt, Status.error(message), message, cluster.scheduler.nomination_after_failure
        )
    in_flight = set(cluster.queue.in_flight())
    pods: Sequence[Pod] = cluster.store.list("Pod")
    for pod in pods:
        is_queued = pod.key in in_flight or cluster.queue.find(pod.key) is not None or cluster.cache.is_assumed(pod.uid)
        if _waits(pod) and not is_queued and pod.scheduler_name in cluster.scheduler.frameworks:
            cluster.queue.add(pod)


def _waits(pod: Pod) -> bool:
    return not pod.node_name and not pod.finished


def _rebuild_scheduler(cluster: SimulatedCluster, error: Exception) -> None:
    """Report the error, and build cache and scheduler from the stored objects.

    Pods keep their place in the queue. Pods that wait at Permit or in PreBind stay assumed on their nodes.
    """
    cluster.journal.record_defect(error)
    waiting = cluster.attempts.waiting
    if not waiting:
        cluster.in_flight.clear()
    pods: Sequence[Pod] = cluster.store.list("Pod")
    live = {pod.uid for pod in pods if _waits(pod)}
    queue = cluster.queue
    for queued in (*queue.active(), *queue.backoff(), *queue.error_backoff(), *queue.unschedulable()):
        if queued.pod.uid not in live:
            queue.delete(queued.pod)
    cluster.drop_held_evictions()
    cluster.cache = Cache()
    cluster.cache.pod_groups.enabled = cluster.traits.pod_groups
    cluster.node_epoch += 1  # rows may be in another order
    for node in cluster.store.list("Node"):
        cluster.cache.add_node(node)
    cluster.load_pod_groups()
    _add_pods_to_cache(cluster, pods)
    cluster.rebuild(cluster.config)


def _add_pods_to_cache(cluster: SimulatedCluster, pods: Iterable[Pod]) -> None:
    for pod in pods:
        if pod.node_name and not pod.finished:
            cluster.cache.add_pod(pod)
    for uid, attempt in cluster.attempts.waiting.items():
        if attempt.assumed is not None and uid not in cluster.cache:
            cluster.cache.assume(attempt.assumed)
