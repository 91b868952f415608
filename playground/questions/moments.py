"""The moments that were asked about last, as simulations of their own in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import takewhile
from typing import Any

from cachetools import LRUCache

from kube_objects.sentences import say
from playground.engine import history, simulations
from playground.engine.simulations import Loaded, ReplayError
from playground.limits import QUESTION_RECORDS
from playground.models import Checkpoint, Cluster
from playground.problems import Problem, Refused, of_found, problem
from playground.store import answers
from scheduler_core.config import ConfigError
from scheduler_core.extender import RecorderError
from scheduler_core.framework.trace import Step
from simulator.explain.complete import complete_now
from simulator.explain.rerun import Rerun, RerunError, rerun
from simulator.simulation import CommandError, Matrix, Simulation

CACHE_SIZE = 3
# (cluster, the last record that has happened) → its moment.
_cache: "LRUCache[tuple[int, int], Moment]" = LRUCache(CACHE_SIZE)

# The same for moments on trial, with objects that never were there: as dear to make, and asked about key by key.
TRIED = 2
_tried: LRUCache[tuple[int, int], Loaded] = LRUCache(TRIED)

NOT_FOUND, CONFLICT, GONE = 404, 409, 410


class Moment:
    """A cluster just before a cycle, or as it is now (`cycle` None). Nothing may be written to its simulation."""

    def __init__(self, cluster_id: int, cycle: int | None, loaded: Loaded) -> None:
        self.cluster_id = cluster_id
        self.cycle = cycle
        self.loaded = loaded
        # What a question goes on with when it is asked again.
        self.cache: LRUCache[str, Any] = LRUCache(CACHE_SIZE)

    @property
    def simulation(self) -> Simulation:
        return self.loaded.simulation

    @cached_property
    def record(self) -> dict[str, Any]:
        """The record of the cycle, as `cycles/{number}/` gives it."""
        found = None if self.cycle is None else history.cycle(self.cluster_id, self.cycle)
        if found is None:
            raise Refused([problem("", say("there is no such cycle"), self.cycle)], NOT_FOUND)
        return found

    @cached_property
    def attempt(self) -> Rerun:
        """The cycle run again, once for all questions; extenders answer what they answered then.

        Raises Refused, with status 409, where that is not possible or comes out otherwise: better no explanation than
        one of something else.
        """
        cycle = self.record["cycle"]
        self.loaded.recorder.replay(partial(answers.recall, self.cluster_id, self.simulation.seq + 1))
        try:
            again = self.rerun(cycle["pod"])
        except RecorderError as error:
            raise _cannot(str(error)) from error
        if _decided(again.cycle["steps"]) != _decided(cycle["steps"]):
            raise _cannot("run again, it comes out otherwise")
        return again

    @cached_property
    def complete(self) -> Matrix | None:
        """Every plugin on every node, for the cycle's pod."""
        return complete_now(self.simulation, self.record["cycle"]["pod"])

    def trial(self, objects: list[dict[str, Any]], delete: list[dict[str, str]]) -> "Moment":
        """The same moment with other objects. It goes on from the trial before: name again what is to be as it was.

        Raises Refused with what is wrong with them.
        """
        cluster = Cluster.objects.get(pk=self.cluster_id)
        key = (self.cluster_id, self.loaded.simulation.seq)
        tried = _tried.pop(key, None)
        if tried is None:
            with _gone():
                tried = simulations.at(cluster, key[1])
        _tried[key] = tried
        if other := {name: given for name, given in (("objects", objects), ("delete", delete)) if given}:
            try:
                list(tried.simulation.apply({"kind": "restore", **other}))
            except CommandError as error:
                raise Refused([of_found(found) for found in error.problems]) from error
        return Moment(self.cluster_id, self.cycle, tried)

    def rerun(self, pod: str, config: str | None = None) -> Rerun:
        """What an attempt for a pod would do at this moment, under another configuration if one is given.

        Its extenders are called, through the door. Raises Refused with what is wrong with pod or configuration.
        """
        try:
            return rerun(self.simulation, pod, config)
        except RerunError as error:
            raise _cannot(str(error)) from error
        finally:
            self.loaded.recorder.take()


def get(cluster_id: int, cycle: int | None) -> Moment:
    """The moment just before a cycle, or the present one. Raises Refused."""
    cluster = Cluster.objects.filter(pk=cluster_id).first()
    seq = None
    if cluster is not None:
        seq = cluster.revision if cycle is None else history.seq_of_cycle(cluster_id, cycle)
    if cluster is None or seq is None:
        raise Refused([problem("", say("there is no such cycle"), cycle)], NOT_FOUND)
    if cycle is not None:
        seq -= 1
    key = (cluster_id, seq)
    found = _cache.get(key)
    if found is None:
        found = Moment(cluster_id, cycle, _bring_up(cluster, seq))
    elif found.cycle != cycle:
        # The present becomes the past just before a cycle.
        found = Moment(cluster_id, cycle, found.loaded)
    _cache[key] = found
    return found


def forget(cluster_id: int) -> None:
    """Something went wrong: what is in memory may be in the middle of it."""
    for cache in (_cache, _tried):
        for key in [key for key in cache if key[0] == cluster_id]:
            del cache[key]


def forget_all() -> None:
    """Start afresh, as a new process does."""
    _cache.clear()
    _tried.clear()


def _bring_up(cluster: Cluster, seq: int) -> Loaded:
    """From a moment shortly before, if that is nearer than any checkpoint."""
    stored = Checkpoint.objects.filter(cluster=cluster, seq__lte=seq).order_by("-seq")
    start = stored.values_list("seq", flat=True).first() or 0
    earlier = [at for at in _cache if at[0] == cluster.pk and start <= at[1] < seq]
    with _gone():
        if earlier:
            loaded = _cache.pop(max(earlier)).loaded
            if seq - loaded.simulation.seq <= QUESTION_RECORDS:
                return simulations.at(cluster, seq, loaded)
        if seq - start > QUESTION_RECORDS:
            raise ReplayError(f"{seq - start} records would have to be made again first: there is no checkpoint near")
        return simulations.at(cluster, seq)


@contextmanager
def _gone() -> Iterator[None]:
    try:
        yield
    except (ReplayError, CommandError, ConfigError) as error:
        raise Refused(
            [problem("", say("the engine cannot go back to this moment: {error}", error=error))], GONE
        ) from error


def _cannot(why: str) -> Refused:
    return Refused([_problem(why)], CONFLICT)


def _problem(why: str) -> Problem:
    return problem("", say("this attempt cannot be explained: {why}", why=why))


def _decided(steps: list[Step]) -> list[Step]:
    """From PreFilter to the choice of a node, or to the end of PostFilter."""
    return [step for step in takewhile(lambda step: step["point"] != "Assume", steps) if step["point"] != "QueueSort"]
