"""The definitions of counters and histograms: kube-scheduler's names for its metrics, `playground_` for others.

Source: pkg/scheduler/metrics/metrics.go.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter. `name` lacks the suffix `_total` that the output has."""

    name: str
    help: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Histogram:
    """A histogram. `buckets` are upper bounds without +Inf."""

    name: str
    help: str
    buckets: tuple[float, ...]
    labels: tuple[str, ...] = ()


def _exponential(start: float, factor: float, count: int) -> tuple[float, ...]:
    return tuple(round(start * factor**i, 9) for i in range(count))


SCHEDULE_ATTEMPTS = Counter(
    "scheduler_schedule_attempts",
    "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, "
    "while 'error' means an internal scheduler problem.",
    ("result", "profile"),
)
ATTEMPT_DURATION = Histogram(
    "scheduler_scheduling_attempt_duration_seconds",
    "Scheduling attempt latency in seconds (scheduling algorithm + binding), by the wall clock",
    _exponential(0.001, 2, 15),
    ("result", "profile"),
)
ALGORITHM_DURATION = Histogram(
    "scheduler_scheduling_algorithm_duration_seconds",
    "Scheduling algorithm latency in seconds, by the wall clock",
    _exponential(0.001, 2, 15),
)
EXTENSION_POINT_DURATION = Histogram(
    "scheduler_framework_extension_point_duration_seconds",
    "Latency for running all plugins of a specific extension point, by the wall clock.",
    _exponential(0.0001, 2, 12),
    ("extension_point", "status", "profile"),
)
POD_ATTEMPTS = Histogram(
    "scheduler_pod_scheduling_attempts", "Number of attempts to successfully schedule a pod.", _exponential(1, 2, 5)
)
PREEMPTION_ATTEMPTS = Counter("scheduler_preemption_attempts", "Total preemption attempts in the cluster till now")
PREEMPTION_VICTIMS = Histogram(
    "scheduler_preemption_victims", "Number of selected preemption victims", _exponential(1, 2, 7)
)
QUEUE_INCOMING = Counter(
    "scheduler_queue_incoming_pods",
    "Number of pods added to scheduling queues by event and queue type.",
    ("queue", "event"),
)
RECORDS = Counter("playground_records", "Records stored, by kind.", ("kind",))
COMMANDS = Counter("playground_commands", "Commands that ended, by kind and how they ended.", ("kind", "state"))
LEASE_TAKEOVERS = Counter(
    "playground_lease_takeovers", "Leases that had run out and were taken over: their worker had died or hung."
)

COUNTERS = (
    SCHEDULE_ATTEMPTS,
    PREEMPTION_ATTEMPTS,
    QUEUE_INCOMING,
    RECORDS,
    COMMANDS,
    LEASE_TAKEOVERS,
)
HISTOGRAMS = (
    ATTEMPT_DURATION,
    ALGORITHM_DURATION,
    EXTENSION_POINT_DURATION,
    POD_ATTEMPTS,
    PREEMPTION_VICTIMS,
)
