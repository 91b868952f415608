"""Clusters at points in time, each as a simulation of its own; the last ones stay in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import takewhile
from typing import Any

from cachetools import LRUCache

from kube_objects.sentences import say
from playground.engine import history_reads, loaded_clusters
from playground.engine.loaded_clusters import LoadedCluster, ReplayError
from playground.limits import QUESTION_RECORDS
from playground.models import Checkpoint, Cluster
from playground.problems import Problem, Refused, problem, to_api_problem
from playground.store import extender_answers
from scheduler_core.config import ConfigError
from scheduler_core.extender import RecorderError
from scheduler_core.framework.trace import Step
from simulator.explain.complete import complete_matrix_now
from simulator.explain.rerun import Rerun, RerunError, rerun
from simulator.simulation import CommandError, Matrix, Simulation

CACHE_SIZE = 3
# (cluster, sequence number of the last applied record) → moment.
_cache: "LRUCache[tuple[int, int], Moment]" = LRUCache(CACHE_SIZE)

# The same for trial moments, which have objects that the cluster never had.
TRIALS_SIZE = 2
_trials: LRUCache[tuple[int, int], LoadedCluster] = LRUCache(TRIALS_SIZE)

NOT_FOUND, CONFLICT, GONE = 404, 409, 410


class Moment:
    """A cluster just before a cycle, or at present (`cycle` None). Its simulation must not change."""

    def __init__(self, cluster_id: int, cycle: int | None, loaded: LoadedCluster) -> None:
        self.cluster_id = cluster_id
        self.cycle = cycle
        self.loaded = loaded
        # Intermediate results of questions that are asked repeatedly.
        self.cache: LRUCache[str, Any] = LRUCache(CACHE_SIZE)

    @property
    def simulation(self) -> Simulation:
        return self.loaded.simulation

    @cached_property
    def record(self) -> dict[str, Any]:
        """Return the record of the cycle, as `cycles/{number}/` returns it. Raises Refused (404)."""
        record = None if self.cycle is None else history_reads.read_cycle(self.cluster_id, self.cycle)
        if record is None:
            raise Refused([problem("", say("no such cycle"), self.cycle)], NOT_FOUND)
        return record

    @cached_property
    def attempt(self) -> Rerun:
        """Run the cycle again with the recorded answers of extenders; all questions share the result.

        Raises Refused (409) if the cycle cannot run again or ends differently, because then an explanation would be
        wrong.
        """
        cycle = self.record["cycle"]
        self.loaded.recorder.replay(partial(extender_answers.read_answers, self.cluster_id, self.simulation.seq + 1))
        try:
            again = self.rerun(cycle["pod"])
        except RecorderError as error:
            raise _refusal(str(error)) from error
        if _decision_steps(again.cycle["steps"]) != _decision_steps(cycle["steps"]):
            raise _refusal("run again, it comes out otherwise")
        return again

    @cached_property
    def complete(self) -> Matrix | None:
        """Return the results of every plugin on every Node for the cycle's Pod."""
        return complete_matrix_now(self.simulation, self.record["cycle"]["pod"])

    def trial(self, objects: list[dict[str, Any]], delete: list[dict[str, str]]) -> "Moment":
        """Return the same moment with `objects` created or replaced and `delete` deleted.

        The result builds on the trial before, so `objects` includes each object that gets its old state back. Raises
        Refused with the problems of the objects.
        """
        cluster = Cluster.objects.get(pk=self.cluster_id)
        key = (self.cluster_id, self.loaded.simulation.seq)
        tried = _trials.pop(key, None)
        if tried is None:
            with _refuse_unreachable():
                tried = loaded_clusters.load_at(cluster, key[1])
        _trials[key] = tried
        if changes := {name: values for name, values in (("objects", objects), ("delete", delete)) if values}:
            try:
                list(tried.simulation.apply({"kind": "restore", **changes}))
            except CommandError as error:
                raise Refused([to_api_problem(found) for found in error.problems]) from error
        return Moment(self.cluster_id, self.cycle, tried)

    def rerun(self, pod: str, config: str | None = None) -> Rerun:
        """Run a scheduling attempt for a Pod at this moment, with another configuration if `config` is set.

        Extenders are called through the allowlisted client. Raises Refused with the problems of Pod or configuration.
        """
        try:
            return rerun(self.simulation, pod, config)
        except RerunError as error:
            raise _refusal(str(error)) from error
        finally:
            self.loaded.recorder.take()


def load_moment(cluster_id: int, cycle: int | None) -> Moment:
    """Return the moment just before a cycle, or the present one (`cycle` None). Raises Refused."""
    cluster = Cluster.objects.filter(pk=cluster_id).first()
    seq = None
    if cluster is not None:
        seq = cluster.revision if cycle is None else history_reads.seq_of_cycle(cluster_id, cycle)
    if cluster is None or seq is None:
        raise Refused([problem("", say("no such cycle"), cycle)], NOT_FOUND)
    if cycle is not None:
        seq -= 1
    key = (cluster_id, seq)
    moment = _cache.get(key)
    if moment is None:
        moment = Moment(cluster_id, cycle, _load(cluster, seq))
    elif moment.cycle != cycle:
        # Meanwhile a cycle began at what was the present.
        moment = Moment(cluster_id, cycle, moment.loaded)
    _cache[key] = moment
    return moment


def forget_moments(cluster_id: int) -> None:
    """Drop a cluster's moments after an error, because a simulation may have stopped in the middle of a change."""
    for cache in (_cache, _trials):
        for key in [key for key in cache if key[0] == cluster_id]:
            del cache[key]


def forget_all_moments() -> None:
    """Drop the moments of all clusters."""
    _cache.clear()
    _trials.clear()


def _load(cluster: Cluster, seq: int) -> LoadedCluster:
    """Return the simulation after record `seq`, from an earlier moment in memory or from a checkpoint."""
    stored = Checkpoint.objects.filter(cluster=cluster, seq__lte=seq).order_by("-seq")
    start = stored.values_list("seq", flat=True).first() or 0
    earlier = [key for key in _cache if key[0] == cluster.pk and start <= key[1] < seq]
    with _refuse_unreachable():
        if earlier:
            loaded = _cache.pop(max(earlier)).loaded
            if seq - loaded.simulation.seq <= QUESTION_RECORDS:
                return loaded_clusters.load_at(cluster, seq, loaded)
        if seq - start > QUESTION_RECORDS:
            raise ReplayError(f"{seq - start} records would have to be made again first: there is no checkpoint near")
        return loaded_clusters.load_at(cluster, seq)


@contextmanager
def _refuse_unreachable() -> Iterator[None]:
    try:
        yield
    except (ReplayError, CommandError, ConfigError) as error:
        raise Refused(
            [problem("", say("the engine cannot restore this point in time: {error}", error=error))], GONE
        ) from error


def _refusal(why: str) -> Refused:
    return Refused([_problem(why)], CONFLICT)


def _problem(why: str) -> Problem:
    return problem("", say("this attempt cannot be explained: {why}", why=why))


def _decision_steps(steps: list[Step]) -> list[Step]:
    """Return the steps from PreFilter to the choice of a Node, or to the end of PostFilter."""
    return [step for step in takewhile(lambda step: step["point"] != "Assume", steps) if step["point"] != "QueueSort"]
