"""One worker's attempt at one run of a comparison."""

import logging
import time
from collections.abc import Iterator
from typing import Any

from django.db import DatabaseError

from kube_objects.sentences import say
from playground.comparisons import stored_runs
from playground.comparisons.stored_runs import RunLease
from playground.engine import loaded_clusters, shutdown
from playground.engine.cooperative_yield import CooperativeYield
from playground.engine.leases import LeaseLostError
from playground.engine.loaded_clusters import LoadedCluster
from playground.limits import COMPARISON_CYCLES
from playground.models import Cluster
from playground.models.comparisons import ComparisonRun, ComparisonState
from playground.news.bodies import canonical
from playground.problems import Problem, list_api_problems, problem
from scheduler_core.config import ConfigError
from simulator.comparison.run import ComparedRun
from simulator.simulation import CommandError, Record, reset

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 5
LOOK_EVERY = 0.05
WRITE_EVERY = 0.4


class _WorkerStops(Exception):  # noqa: N818  it is no error
    """Raised in the middle of a run when the worker has to stop."""


class RunAttempt:
    """A run of a comparison on this worker, under a lease."""

    def __init__(self, lease: RunLease) -> None:
        self._lease = lease
        self._row = ComparisonRun.objects.select_related("comparison").get(pk=lease.run_id)
        self._side = self._row.comparison.sides[self._row.side]
        now = time.monotonic()
        self._look_at, self._write_at, self._cooperative_yield = now, now, CooperativeYield()
        self._seconds = 0.0

    def execute(self) -> None:
        if self._row.attempts > MOST_ATTEMPTS:
            rule = say("{n} workers ended during this run, so it will not be retried", n=MOST_ATTEMPTS)
            self._fail([problem("", rule, hint=say("it may need more memory than a worker has"))])
            return
        try:
            self._finish(self._compare())
        except (CommandError, ConfigError) as error:
            self._fail(list_api_problems(error))
        except (LeaseLostError, DatabaseError):
            raise
        except _WorkerStops:
            stored_runs.requeue(self._lease, is_blameless=True)
        except Exception as error:
            logger.exception("a run of comparison %d failed", self._row.comparison_id)
            rule = say("the engine failed: {name}: {error}", name=type(error).__name__, error=error)
            self._fail([problem("", rule, hint=say("this is a bug in the playground; please report it"))])

    def _compare(self) -> ComparedRun:
        loaded = self._at_the_beginning()
        compared = ComparedRun(loaded.simulation)
        stored_runs.write_run(self._lease, total=compared.waiting)
        records = loaded.apply({"kind": "run", "until": {"cycles": COMPARISON_CYCLES}})
        while (record := self._next(records)) is not None:
            if record.error is not None:
                raise record.error
            compared.follow(record)
            self._check_in(compared)
        return compared

    def _at_the_beginning(self) -> LoadedCluster:
        """Return the cluster at the comparison's start, with this side's configuration and this run's seed."""
        side = self._side
        loaded = loaded_clusters.load_at(Cluster.objects.get(pk=side["cluster"]), side["seq"])
        loaded.simulation.record_steps = False
        preparation: list[dict[str, Any]] = [dict(reset.COMMAND)] if side["reset"] else []
        preparation += [{"kind": "set_config", "yaml": side["yaml"]}, {"kind": "seed", "seed": self._row.seed}]
        for command in preparation:
            for _ in loaded.apply(command):
                pass
        return loaded

    def _next(self, records: Iterator[Record]) -> Record | None:
        began = time.perf_counter()
        record = next(records, None)
        self._seconds += time.perf_counter() - began
        return record

    def _check_in(self, compared: ComparedRun) -> None:
        """At intervals: store the progress, stop on request, and let waiting clusters go first."""
        now = time.monotonic()
        if now < self._look_at:
            return
        self._look_at = now + LOOK_EVERY
        if shutdown.requested():
            raise _WorkerStops
        if now >= self._write_at:
            stored_runs.write_run(self._lease, cycles=compared.attempts)
            self._write_at = now + WRITE_EVERY
        self._cooperative_yield.yield_to_waiting()

    def _finish(self, compared: ComparedRun) -> None:
        result = compared.result()
        metrics = result.pop("metrics")
        stored_runs.finish_run(
            self._lease,
            ComparisonState.DONE,
            cycles=compared.attempts,
            seconds=self._seconds,
            metrics=metrics,
            body=canonical(result),
        )
        logger.info("comparison %d: side %d, seed %d: done", self._row.comparison_id, self._row.side, self._row.seed)

    def _fail(self, problems: list[Problem]) -> None:
        stored_runs.finish_run(self._lease, ComparisonState.FAILED, problems=problems)
