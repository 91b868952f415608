"""A cluster on a virtual clock. Scheduling attempts, bindings and controllers' changes give numbered records."""

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
from simulator.simulation.texts import ObjectTexts

# Virtual seconds that one attempt takes.
ATTEMPT_SECONDS = 0.001


def no_extenders(config: SchedulerConfiguration) -> Sequence[Any]:
    """Return no extenders, whatever the configuration says; the default where no HTTP client is available."""
    return ()


def _continue() -> None:
    """Do nothing: the default of `Timeline.pulse`."""


class Timeline:
    """A cluster with a virtual clock and its numbered records.

    `seq` is the number of the last record, `cycle` the number of the last attempt, `now` the virtual time in seconds.
    `record_steps` false leaves steps and matrices out of the records, which is faster. `clock` (seconds) measures the
    steps for `Record.timings`; no record depends on it. `emulation` is the emulated version of kube-scheduler.
    `registry` has its plugins; the default is that version's. `actors` are the names of the controllers that are on.
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
        self.submitted: dict[tuple[str, str], KubeObject] = {}  # the objects as users last submitted them, for reset
        self.texts = ObjectTexts()
        self.breakpoints: Sequence[breakpoints.Breakpoint] = ()  # the breakpoints of the present run
        self.run_end: float | None = None  # the virtual time at which the present run ends; None without a limit
        # The target time of an unfinished `advance()`, and whether that advance belongs to an attempt.
        self.advance_target: float | None = None
        self.attempting = False
        # The engine calls this often while it works, even without new records. An exception from it ends the work, and
        # the simulation is unusable afterwards.
        self.pulse: Callable[[], None] = _continue
        self.unschedulable_groups: set[str] = set()  # pod groups that failed since the last change of the cluster
        self.emulation = emulation
        self.cluster = self._new_cluster(registry or emulation.registry, make_extenders)

    def _new_cluster(self, registry: Registry, make_extenders: ExtenderFactory) -> SimulatedCluster:
        config = self.emulation.load(self.config_text, registry.points())
        cluster = SimulatedCluster(config, registry, make_extenders, self.emulation.traits)
        cluster.random.seed(self.seed)
        cluster.switch_controllers(self.actors, self.seed, self.hashes)
        return cluster

    def load(self, text: str) -> SchedulerConfiguration:
        """Parse a configuration for this cluster. Raise ConfigError."""
        return self.emulation.load(text, self.cluster.registry.points())

    @property
    def now(self) -> float:
        return self.cluster.now

    @property
    def epoch(self) -> int:
        """A number that changes when a node is added or removed. A matrix refers to the node names of its epoch."""
        return self.cluster.node_epoch

    @property
    def node_names(self) -> list[str]:
        return [node.name for node in self.cluster.cache.table.nodes]

    def store_submitted(self, obj: KubeObject) -> None:
        """Store a submitted object for reset, without the node that this scheduler chose."""
        before = self.submitted.get((obj.kind, obj.key))
        was_pending = isinstance(before, Pod) and not before.node_name
        if isinstance(obj, Pod) and obj.node_name and (was_pending or self.cluster.has_started(obj)):
            obj = obj.with_node("").with_nomination("")
            obj.phase, obj.start_time, obj.conditions = "Pending", None, ()
        self.submitted[obj.kind, obj.key] = obj

    def attempt(self) -> Iterator[Record]:
        """Run one scheduling attempt, and yield its records. Do nothing if no pod can be popped.

        1. Advance the clock by ATTEMPT_SECONDS.
        2. Pop the next pod.
        3. Schedule it, or start the cycle of its pod group.
        4. Process what the attempt leads to (`settle`).

        After a restore from a checkpoint, the attempt continues in step 1 with its clock.
        """
        cluster = self.cluster
        self.pulse()
        if not self.attempting:
            if not cluster.queue.can_pop:
                return
            self.attempting = True
            yield from self.advance(cluster.now + ATTEMPT_SECONDS)
        elif self.advance_target is not None:
            yield from self.advance(self.advance_target)
        self.attempting = False
        queued = cluster.queue.pop()
        if queued is None:
            return
        lane = cluster.journal.moves[-1]["from"]
        if cluster.traits.pod_groups and queued.pod.scheduling_group:
            cluster.start_group(queued)
        else:
            attempt = cluster.attempts.schedule_one(queued, self._begin_cycle(lane))
            if attempt.error is not None:
                fail_attempt(cluster, attempt)
            yield self._record_cycle(attempt)
        yield from self.settle()

    def _begin_cycle(self, lane: str) -> Trace | None:
        """Count a new cycle for a pod from the queue `lane`, and return its trace."""
        self.cycle += 1
        trace = self._new_trace()
        if trace is not None:
            trace.add("QueueSort", self.cluster.queue_sort, data={"lane": lane})
        return trace

    def _record_cycle(self, attempt: PodAttempt) -> Record:
        """Return the record of a pod's scheduling cycle."""
        attempt.number = self.cycle
        if attempt.status.is_wait:
            waiting = self.cluster.scheduler.waiting.get(attempt.queued.pod.uid)
            point = WaitingPod.point if waiting is None else waiting.point
            self.cluster.journal.place(attempt.queued.pod.key, SubQueue.IN_FLIGHT.value, WAITING, point)
        record = self._record_attempt("cycle", attempt)
        if self.record_steps and attempt.cycle is not None and attempt.error is None:
            record.matrix = Matrix.of_attempt(attempt.cycle.attempt, attempt.framework, self.epoch)
        return record

    def _finish_group(self, group: PodGroupCycle) -> Iterator[Record]:
        """Continue the cycle of a pod group from its present step, and yield its records.

        1. Try each member that is left; yield its cycle record.
        2. Submit the group: accept the placement of all members, or reject the group.
        3. Bind each placed member, or return it to the queue; yield its binding record.

        The caller may stop between two records and call it again later.
        """
        cluster = self.cluster
        while group.rest:
            trace = self._begin_cycle(cluster.group_lanes[group.rest[0].pod.key])
            attempt = group.try_next(trace)
            if attempt.error is not None:
                fail_group(cluster, group, attempt.error, attempt)
            yield self._record_cycle(attempt)
        if not group.submitted:
            self.unschedulable_groups.add(group.key)
            self._submit_group(group)
            if group.tried and not group.ended and not group.to_finish:
                # All members return to the queue, which one of them must record.
                group.ended.append(group.tried[-1].attempt)
        while group.ended or group.to_finish:
            ended = group.ended.popleft() if group.ended else self._bind_next_member(group)
            record = None if ended is None else self._record_attempt("binding", ended)
            if not group.ended and not group.to_finish:
                cluster.group = None  # before the last record, because the caller may not read beyond it
            if record is not None:
                yield record
        cluster.group = None

    def _submit_group(self, group: PodGroupCycle) -> None:
        try:
            group.submit(self._new_trace)
            self.cluster.release_evictions()
        except PASSED_ON:
            raise
        except Exception as error:
            fail_group(self.cluster, group, error)

    def _bind_next_member(self, group: PodGroupCycle) -> PodAttempt | None:
        """Bind the next placed member. After an exception, all unbound members return to the queue."""
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
    def has_only_unschedulable_groups(self) -> bool:
        """Whether the queue has only members of pod groups that failed since the last change of the cluster.

        An idle queue pops pods in backoff, so a run would try these groups without end.
        """
        queue = self.cluster.queue
        if not self.unschedulable_groups or queue.active():
            return False
        return {
            f"{queued.pod.namespace}/{queued.pod.scheduling_group}" for queued in queue.backoff()
        } <= self.unschedulable_groups

    def advance(self, until: float) -> Iterator[Record]:
        """Advance the clock to `until`, and yield the records of what happens on the way.

        1. Move the clock to the next event, at most to `until`.
        2. Process what is due then (`settle`).
        3. Repeat until the clock is at `until`.
        """
        cluster, self.advance_target = self.cluster, until
        while cluster.now < until:
            self.pulse()
            cluster.timers.step(until)
            yield from self.settle()
        self.advance_target = None

    def settle(self) -> Iterator[Record]:
        """Process all work that is due at the present time, and yield its records.

        1. Finish the cycle of a pod group.
        2. Bind or reject each pod whose wait at Permit or in PreBind is over.
        3. Evict pods from failed nodes.
        4. Run the controllers until their work queues have nothing due.
        """
        cluster = self.cluster
        if cluster.group is not None:
            yield from self._finish_group(cluster.group)
        while True:
            waiting = cluster.scheduler.waiting.items()
            uid = next((uid for uid, pod in waiting if pod.decision is not None), None)
            if uid is None:
                yield from self._evict_from_failed_nodes()
                yield from self._run_controllers()
                return
            attempt = cluster.attempts.finish_waiting(uid, self._new_trace())
            if attempt.error is not None:
                fail_attempt(cluster, attempt)
            yield self._record_attempt("binding", attempt)

    def switch_controllers(self, names: Sequence[str], hashes: str = "") -> None:
        """Switch these controllers on and all others off. `hashes` "" keeps the present hash of generated names."""
        self.actors, self.hashes = tuple(names), hashes or self.hashes
        self.cluster.switch_controllers(self.actors, self.seed + self.seq, self.hashes)

    def _run_controllers(self) -> Iterator[Record]:
        """Reconcile all due objects, and yield a record for each reconciliation with changes or an error."""
        controllers = self.cluster.controllers
        while controllers is not None and (step := controllers.step()) is not None:
            self.pulse()
            outcome = step.outcome
            if outcome.changes or outcome.error is not None:
                fields: dict[str, Any] = {"actor": step.controller, "object": {"kind": step.kind, "key": step.key}}
                if isinstance(outcome.reason, Sentence):
                    fields["reason"] = outcome.reason.data
                    stopped_by = (
                        breakpoints.find_met_by_controller(self.breakpoints, step.controller, step.key)
                        if self.breakpoints
                        else None
                    )
                    if stopped_by is not None:
                        fields["stoppedBy"] = dict(stopped_by)
                if outcome.error is not None:
                    self.cluster.journal.record_defect(outcome.error)
                yield self.record("reconcile", **fields)

    def _evict_from_failed_nodes(self) -> Iterator[Record]:
        due = self.cluster.outages.pop_due(self.now)
        pods = [pod for pod in self.cluster.store.list("Pod") if pod.uid in due] if due else []
        if pods:
            self.cluster.delete_for_taint(pods)
            yield self.record("eviction", by="taint", pods=[pod.key for pod in pods])

    def replace_cluster(self, objects: Sequence[KubeObject]) -> None:
        """Replace the cluster by a new one with these objects. Numbers of records, cycles and epochs continue."""
        old = self.cluster
        self.seed = self.first_seed
        self.cluster = self._new_cluster(old.registry, old.make_extenders)
        self.cluster.node_epoch = old.node_epoch
        for obj in objects:
            self.cluster.put(obj)
        self.cluster.journal.record_replacement(old.store)

    def switch_gates(self, emulation: Emulation, registry: Registry, config: SchedulerConfiguration) -> None:
        """Restart kube-scheduler with the feature gates of `emulation`; the objects stay."""
        cluster, self.emulation = self.cluster, emulation
        waiting = [pod.key for pod in cluster.store.list("Pod") if not pod.node_name]
        lanes = {key: lane_of(cluster, key)["lane"] for key in waiting}
        cluster.restart(config, registry, emulation.traits)
        cluster.journal.set_previous_queues(lanes)

    def _new_trace(self) -> Trace | None:
        return Trace(self.clock) if self.record_steps or self.breakpoints else None

    def _record_attempt(self, kind: str, attempt: PodAttempt) -> Record:
        """Return the record of an attempt up to now, with its steps if `record_steps`."""
        stopped_by = breakpoints.find_met(
            self.breakpoints, attempt, self.cluster.cache.table.rows, late=kind == "binding"
        )
        timings = [] if attempt.trace is None else attempt.trace.timings
        if not self.record_steps:
            attempt.trace = None
        fields: dict[str, Any] = {"cycle": describe_attempt(attempt, attempt.number, self.epoch)}
        if stopped_by is not None:
            fields["stoppedBy"] = dict(stopped_by)
        record = self.record(kind, **fields)
        if attempt.status.is_success or any(write["op"] == "delete" for write in record.data.get("writes", ())):
            self.unschedulable_groups.clear()
        record.timings = timings
        return record

    def record(self, kind: str, **fields: Any) -> Record:
        self.seq += 1
        if self.emulation is not ORIGINAL_VERSION:
            fields["emulates"] = self.emulation.version
        return make_record(self.cluster, self.seq, kind, **fields)
