"""A cluster in its time: attempts, waiting and failing, each of which leaves a numbered record."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kube_controllers.hashing import PLAIN, UPSTREAM
from kube_objects.defects import PASSED_ON
from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from kube_objects.sentences import Sentence
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.cycle.group import PodGroupCycle
from scheduler_core.cycle.schedule_one import PodAttempt
from scheduler_core.emulations import ORIGINAL_VERSION
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.stopwatch import Clock
from scheduler_core.framework.trace import Trace
from scheduler_core.framework.waiting import WaitingPod
from scheduler_core.queue.moves import SubQueue
from simulator.simulation import breakpoints
from simulator.simulation.cluster import ExtenderFactory, SimulatedCluster
from simulator.simulation.journal import WAITING, Record
from simulator.simulation.matrix import Matrix
from simulator.simulation.records import describe_attempt, lane_of, make_record
from simulator.simulation.recovery import fail_attempt, fail_group
from simulator.simulation.texts import Texts

# Virtual seconds that one attempt takes.
ATTEMPT_SECONDS = 0.001


def no_extenders(config: SchedulerConfiguration) -> Sequence[Any]:
    """The default: a configuration's extenders are left out where no transport is given."""
    return ()


def _go_on() -> None:
    """Let the engine work for as long as it takes."""


class Timeline:
    """`seq` is the number of the last record, `cycle` that of the last attempt, `now` virtual seconds.

    `record_steps` false leaves steps and matrices out of the records: decisions only, and faster. `clock` (seconds)
    measures the steps, for `Record.timings`; no record depends on it. `emulation` is the version of kube-scheduler that
    it plays, `registry` that version's plugins unless others are given. `actors` are the controllers that are at work.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        config: str | None = None,
        emulation: Emulation = ORIGINAL_VERSION,
        registry: Registry | None = None,
        make_extenders: ExtenderFactory = no_extenders,
        record_steps: bool = True,
        clock: Clock | None = None,
        actors: Sequence[str] = (),
        hashes: str = "",
    ) -> None:
        self.actors, self.hashes = tuple(actors), hashes or (UPSTREAM if actors else PLAIN)
        self.seed = self.first_seed = seed
        self.config_text = config
        self.record_steps = record_steps
        self.clock = clock
        self.seq = 0
        self.cycle = 0
        self.given: dict[tuple[str, str], KubeObject] = {}  # the objects as the user last gave them, for reset
        self.texts = Texts()
        self.breakpoints: Sequence[breakpoints.Breakpoint] = ()  # those of the run that is at work
        self.ends: float | None = None  # the virtual time at which that run ends, if it has one
        # The target time of an unfinished `advance()`, and whether that advance belongs to an attempt.
        self.passing: float | None = None
        self.attempting = False
        # The engine calls it often while it works, also without new records. It may raise to end the work. After that
        # the simulation is unusable.
        self.pulse: Callable[[], None] = _go_on
        self.futile: set[str] = set()  # pod groups that cannot be scheduled, as long as nothing changes
        self.emulation = emulation
        self.cluster = self._new_cluster(registry or emulation.registry, make_extenders)

    def _new_cluster(self, registry: Registry, make_extenders: ExtenderFactory) -> SimulatedCluster:
        config = self.emulation.load(self.config_text, registry.points())
        cluster = SimulatedCluster(config, registry, make_extenders, self.emulation.traits)
        cluster.random.seed(self.seed)
        cluster.live(self.actors, self.seed, self.hashes)
        return cluster

    def load(self, text: str) -> SchedulerConfiguration:
        """A configuration for this cluster. Raises ConfigError."""
        return self.emulation.load(text, self.cluster.registry.points())

    @property
    def now(self) -> float:
        return self.cluster.now

    @property
    def epoch(self) -> int:
        """Changes whenever a node comes or goes; matrices refer to the node names of their epoch."""
        return self.cluster.node_epoch

    @property
    def node_names(self) -> list[str]:
        return [node.name for node in self.cluster.cache.table.nodes]

    def remember(self, obj: KubeObject) -> None:
        """What reset goes back to: the object as given, without the node that the scheduler chose."""
        before = self.given.get((obj.kind, obj.key))
        was_pending = isinstance(before, Pod) and not before.node_name
        if isinstance(obj, Pod) and obj.node_name and (was_pending or self.cluster.has_started(obj)):
            obj = obj.with_node("").with_nomination("")
            obj.phase, obj.start_time, obj.conditions = "Pending", None, ()
        self.given[obj.kind, obj.key] = obj

    def attempt(self) -> Iterator[Record]:
        """Let the time of one attempt pass, then pop a pod and schedule it. Nothing happens with empty queues."""
        cluster = self.cluster
        self.pulse()
        if not self.attempting:
            if not cluster.queue.can_pop:
                return
            self.attempting = True
            yield from self.advance(cluster.now + ATTEMPT_SECONDS)
        elif self.passing is not None:
            yield from self.advance(self.passing)
        self.attempting = False
        queued = cluster.queue.pop()
        if queued is None:
            return
        lane = cluster.journal.moves[-1]["from"]
        if cluster.traits.pod_groups and queued.pod.scheduling_group:
            cluster.start_group(queued)
        else:
            attempt = cluster.attempts.schedule_one(queued, self._popped(lane))
            if attempt.error is not None:
                fail_attempt(cluster, attempt)
            yield self._tried(attempt)
        yield from self.settle()

    def _popped(self, lane: str) -> Trace | None:
        """A new cycle begins, for a pod out of this lane."""
        self.cycle += 1
        trace = self._new_trace()
        if trace is not None:
            trace.add("QueueSort", self.cluster.queue_sort, data={"lane": lane})
        return trace

    def _tried(self, attempt: PodAttempt) -> Record:
        """The record of a pod's scheduling cycle."""
        attempt.number = self.cycle
        if attempt.status.is_wait:
            point = self._waits_at(attempt)
            self.cluster.journal.place(attempt.queued.pod.key, SubQueue.IN_FLIGHT.value, WAITING, point)
        record = self._record_of("cycle", attempt)
        if self.record_steps and attempt.cycle is not None and attempt.error is None:
            record.matrix = Matrix.of(attempt.cycle.attempt, attempt.framework, self.epoch)
        return record

    def _waits_at(self, attempt: PodAttempt) -> str:
        waiting = self.cluster.scheduler.waiting.get(attempt.queued.pod.uid)
        return WaitingPod.point if waiting is None else waiting.point

    def _finish_group(self, group: PodGroupCycle) -> Iterator[Record]:
        """What is left of a pod group's cycle: a record for each member, then one for how it ended for it.

        It may be left in the middle, between two records, and gone on with later.
        """
        cluster = self.cluster
        while group.rest:
            trace = self._popped(cluster.group_lanes[group.rest[0].pod.key])
            tried = group.try_next(trace)
            if tried.error is not None:
                fail_group(cluster, group, tried.error, tried)
            yield self._tried(tried)
        if not group.submitted:
            self.futile.add(group.key)
            self._submit(group)
            if group.tried and not group.ended and not group.to_finish:
                group.ended.append(group.tried[-1].attempt)  # all go back to the queue, which a record must tell
        while group.ended or group.to_finish:
            attempt = group.ended.popleft() if group.ended else self._finish_next(group)
            record = None if attempt is None else self._record_of("binding", attempt)
            if not group.ended and not group.to_finish:
                cluster.group = None  # who reads no further than its last record finds it over
            if record is not None:
                yield record
        cluster.group = None

    def _submit(self, group: PodGroupCycle) -> None:
        try:
            group.submit(self._new_trace)
            self.cluster.release()
        except PASSED_ON:
            raise
        except Exception as error:
            fail_group(self.cluster, group, error)

    def _finish_next(self, group: PodGroupCycle) -> PodAttempt | None:
        """Bind the next member that was placed. If that fails, all members return to the queue that are not bound."""
        try:
            attempt = group.finish_next()
            if attempt is None or attempt.error is None:
                return attempt
            error = attempt.error
        except PASSED_ON:
            raise
        except Exception as caught:
            error = caught
        fail_group(self.cluster, group, error)
        return group.ended.popleft() if group.ended else None

    @property
    def is_futile(self) -> bool:
        """Whether only members of groups are left that were tried since anything changed.

        They come back from backoff at once when nothing else is there to be scheduled, whether that helps or not.
        """
        queue = self.cluster.queue
        if not self.futile or queue.active():
            return False
        return {f"{queued.pod.namespace}/{queued.pod.scheduling_group}" for queued in queue.backoff()} <= self.futile

    def advance(self, until: float) -> Iterator[Record]:
        """Let time pass; pods that end waiting on the way get their `binding` records at that time."""
        cluster, self.passing = self.cluster, until
        while cluster.now < until:
            self.pulse()
            cluster.timers.step(until)
            yield from self.settle()
        self.passing = None

    def settle(self) -> Iterator[Record]:
        """Go on with the pods that waited and have been decided about, and with those whose node has failed them."""
        cluster = self.cluster
        if cluster.group is not None:
            yield from self._finish_group(cluster.group)
        while True:
            waiting = cluster.scheduler.waiting.items()
            uid = next((uid for uid, pod in waiting if pod.decision is not None), None)
            if uid is None:
                yield from self._leave_failed_nodes()
                yield from self._live()
                return
            attempt = cluster.attempts.finish_waiting(uid, self._new_trace())
            if attempt.error is not None:
                fail_attempt(cluster, attempt)
            yield self._record_of("binding", attempt)

    def switch_actors(self, names: Sequence[str], hashes: str = "") -> None:
        """From now on these are at work, and no others; names have such hashes, or those that they had before."""
        self.actors, self.hashes = tuple(names), hashes or self.hashes
        self.cluster.live(self.actors, self.seed + self.seq, self.hashes)

    def _live(self) -> Iterator[Record]:
        """Let the actors look at what they have a reason to look at; a record for each one that changes something."""
        life = self.cluster.life
        while life is not None and (step := life.step()) is not None:
            self.pulse()
            outcome = step.outcome
            if outcome.changes or outcome.error is not None:
                fields: dict[str, Any] = {"actor": step.controller, "object": {"kind": step.kind, "key": step.key}}
                if isinstance(outcome.reason, Sentence):
                    fields["reason"] = outcome.reason.data
                    stopped_by = (
                        breakpoints.met_by_actor(self.breakpoints, step.controller, step.key)
                        if self.breakpoints
                        else None
                    )
                    if stopped_by is not None:
                        fields["stoppedBy"] = dict(stopped_by)
                if outcome.error is not None:
                    self.cluster.journal.defect(outcome.error)
                yield self.record("reconcile", **fields)

    def _leave_failed_nodes(self) -> Iterator[Record]:
        due = self.cluster.outages.take_due(self.now)
        pods = [pod for pod in self.cluster.store.list("Pod") if pod.uid in due] if due else []
        if pods:
            self.cluster.delete_for_taint(pods)
            yield self.record("eviction", by="taint", pods=[pod.key for pod in pods])

    def start_again(self, objects: Sequence[KubeObject]) -> None:
        """A new cluster with these objects in place of this one. Numbers of records, cycles and epochs go on."""
        old = self.cluster
        self.seed = self.first_seed
        self.cluster = self._new_cluster(old.registry, old.make_extenders)
        self.cluster.node_epoch = old.node_epoch
        for obj in objects:
            self.cluster.put(obj)
        self.cluster.journal.compare(old.store)

    def switch_gates(self, emulation: Emulation, registry: Registry, config: SchedulerConfiguration) -> None:
        """kube-scheduler is started anew as another `emulation` of the same version, over the objects as they are."""
        cluster, self.emulation = self.cluster, emulation
        waiting = [pod.key for pod in cluster.store.list("Pod") if not pod.node_name]
        lanes = {key: lane_of(cluster, key)["lane"] for key in waiting}
        cluster.restart(config, registry, emulation.traits)
        cluster.journal.come_from(lanes)

    def _new_trace(self) -> Trace | None:
        return Trace(self.clock) if self.record_steps or self.breakpoints else None

    def _record_of(self, kind: str, attempt: PodAttempt) -> Record:
        """The record of what an attempt did until now, its steps among it if they are recorded."""
        stopped_by = breakpoints.met(self.breakpoints, attempt, self.cluster.cache.table.rows, late=kind == "binding")
        timings = [] if attempt.trace is None else attempt.trace.timings
        if not self.record_steps:
            attempt.trace = None
        fields: dict[str, Any] = {"cycle": describe_attempt(attempt, attempt.number, self.epoch)}
        if stopped_by is not None:
            fields["stoppedBy"] = dict(stopped_by)
        record = self.record(kind, **fields)
        if attempt.status.is_success or any(write["op"] == "delete" for write in record.data.get("writes", ())):
            self.futile.clear()
        record.timings = timings
        return record

    def record(self, kind: str, **fields: Any) -> Record:
        self.seq += 1
        if self.emulation is not ORIGINAL_VERSION:
            fields["emulates"] = self.emulation.version
        return make_record(self.cluster, self.seq, kind, **fields)
