"""Measurement of one workload: pods per second, time per attempt, peak memory, and the machine's speed meanwhile."""

import gc
import resource
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.emulations import V1_34_1
from scheduler_core.framework.binding import run_pre_bind, run_reserve
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.trace import Trace
from simulator.explain.complete import complete
from simulator.simulation.matrix import Matrix
from simulator.upgrade.vector_cluster import VectorCluster
from tests.conformance.bench.workloads import Workload

DECISIONS, FAITHFUL, COMPLETE = "decisions", "faithful", "complete"
MODES = (DECISIONS, FAITHFUL, COMPLETE)


@dataclass(slots=True)
class Calibration:
    """`loop_per_s`: iterations of a pure-Python loop; `columns_per_s`: of an int64 expression over 5,000 rows."""

    loop_per_s: int
    columns_per_s: int

    def mean(self, other: "Calibration") -> "Calibration":
        return Calibration((self.loop_per_s + other.loop_per_s) // 2, (self.columns_per_s + other.columns_per_s) // 2)


@dataclass(slots=True)
class Row:
    """A measured row.

    `nodes` and `running` existed before the first attempt, parsed in `parse_s` and loaded in `load_s` seconds.

    `calibration` is the mean of one before and one after the attempts.
    """

    workload: str
    mode: str
    nodes: int
    running: int
    pods: int
    parse_s: float
    load_s: float
    pods_per_s: float
    p50_ms: float
    p99_ms: float
    peak_mib: float
    placed: int
    calibration: Calibration

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def calibrate() -> Calibration:
    """About a seventh of a second; the loop and the expression of docs/contributing/benchmarks.md."""
    start = time.perf_counter()
    x = 0
    for i in range(2_000_000):
        x += i & 7
    loop = 2_000_000 / (time.perf_counter() - start)
    a = np.arange(5000, dtype=np.int64)
    b = a + 5000
    start = time.perf_counter()
    for _ in range(5000):
        ((b - a) * 100 // b).sum()
    return Calibration(round(loop), round(5000 / (time.perf_counter() - start)))


def peak_mib() -> float:
    """Return the peak resident memory of this process."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 if sys.platform != "darwin" else peak / 1024**2


def measure(name: str, make: Callable[[], Workload], mode: str, emulation: Emulation = V1_34_1) -> Row:
    """Run one attempt and assumption per pod, one after the other; a pod that preempts gets a second attempt."""
    began = time.perf_counter()
    workload = make()
    parsed = time.perf_counter()
    run = _Run(workload, mode, emulation)
    loaded = time.perf_counter()
    # What was loaded stays: looking through all of it for garbage again and again is not part of an attempt.
    gc.collect()
    gc.freeze()
    before = calibrate()
    started = time.perf_counter()
    run.attempt_all()
    elapsed = time.perf_counter() - started
    calibration = before.mean(calibrate())
    p50, p99 = np.percentile(np.array(run.seconds) * 1000, (50, 99))
    return Row(
        workload=name,
        mode=mode,
        nodes=len(workload.nodes),
        running=len(workload.running),
        pods=len(workload.pods),
        parse_s=round(parsed - began, 2),
        load_s=round(loaded - parsed, 2),
        pods_per_s=round(len(workload.pods) / elapsed, 1),
        p50_ms=round(float(p50), 3),
        p99_ms=round(float(p99), 3),
        peak_mib=round(peak_mib(), 1),
        placed=run.placed,
        calibration=calibration,
    )


class _Run:
    """A loaded cluster, and the attempts made on it: how many pods were `placed`, and the `seconds` of each."""

    def __init__(self, workload: Workload, mode: str, emulation: Emulation) -> None:
        self.workload = workload
        self.mode = mode
        self.placed = 0
        self.seconds: list[float] = []
        self._on_nodes: deque[Pod] = deque()
        self._cluster = VectorCluster((), emulation.load(None, emulation.registry.points()), emulation)
        for obj in (*workload.others, *workload.nodes, *workload.running, *workload.pods):
            self._cluster.add(obj)

    def attempt_all(self) -> None:
        waiting = deque(self.workload.pods)
        while waiting:
            if self.workload.churn:
                self._churn(len(self.seconds))
            start = time.perf_counter()
            again = self._attempt(waiting.popleft())
            self.seconds.append(time.perf_counter() - start)
            if again is not None:
                waiting.append(again)

    def _attempt(self, pod: Pod) -> Pod | None:
        """Run an attempt. Return the pod as it is now if it may be tried again, because pods were evicted for it."""
        cluster = self._cluster
        cluster.cache.update_snapshot()
        scheduler, framework = cluster.scheduler, cluster.scheduler.frameworks[pod.scheduler_name]
        if self.mode == COMPLETE:
            complete(scheduler.pods, framework, pod, scheduler.snapshot(), 0)
        result = scheduler.run_scheduling_algorithm(framework, pod, None if self.mode == DECISIONS else Trace())
        if self.mode != DECISIONS:
            Matrix.of_attempt(result.attempt, framework, 0)
        if result.node is not None:
            placed = pod.with_node(result.node)
            cluster.cache.assume(placed)
            if self.workload.binds:
                state = result.attempt.state
                run_reserve(framework, state, placed, result.node, None)
                run_pre_bind(framework, state, placed, result.node, None)
            self._on_nodes.append(placed)
            self.placed += 1
            if pod.nominated_node_name:
                cluster.nominator.set(pod, "")
            return None
        if not result.nominated:
            return None
        cluster.apply_preemption()
        cluster.nominate(pod, result.nominated)
        return cluster.current(pod)

    def _churn(self, attempts: int) -> None:
        """Delete the oldest pod before every second attempt, and replace a node before every tenth."""
        cache = self._cluster.cache
        if attempts % 2 and self._on_nodes:
            cache.forget(self._on_nodes.popleft())
        if attempts % 10 == 9:
            node = self.workload.nodes[(attempts * 7919) % len(self.workload.nodes)]
            gone = {pod.uid for pod in cache.table.pods[cache.table.rows[node.name]].values()}
            for pod in [pod for pod in self._on_nodes if pod.uid in gone]:
                cache.forget(pod)
                self._on_nodes.remove(pod)
            cache.remove_node(node)
            cache.add_node(node)
