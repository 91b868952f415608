"""Simulation: a cluster driven by commands. Same seed, configuration and commands: the same records, byte for byte."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from scheduler_core.config import ConfigError
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.cycle.schedule_one import PodAttempt
from scheduler_core.emulations import V1_34_1
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.stopwatch import Clock
from scheduler_core.framework.trace import Trace
from scheduler_core.objects.meta import KubeObject
from scheduler_core.objects.pod import Pod
from scheduler_core.objects.problems import Problem
from scheduler_core.queue.moves import SubQueue
from scheduler_core.simulation import breakpoints, checkpoint, commands, objects, reset, upkeep
from scheduler_core.simulation.cluster import ExtenderFactory, SimulatedCluster
from scheduler_core.simulation.commands import CommandError
from scheduler_core.simulation.journal import WAITING, Record
from scheduler_core.simulation.matrix import Matrix
from scheduler_core.simulation.records import describe_attempt, make_record
from scheduler_core.simulation.texts import Texts

# Virtual seconds that one attempt takes.
ATTEMPT_SECONDS = 0.001


def no_extenders(config: SchedulerConfiguration) -> Sequence[Any]:
    """The default: a configuration's extenders are left out where no transport is given."""
    return ()


class Simulation:
    """`seq` is the number of the last record, `cycle` that of the last attempt, `now` virtual seconds.

    `record_steps` false leaves steps and matrices out of the records: decisions only, and faster. `clock` (seconds)
    measures the steps, for `Record.timings`; no record depends on it. `emulation` is the version of kube-scheduler that
    it plays, `registry` that version's plugins unless others are given.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        config: str | None = None,
        emulation: Emulation = V1_34_1,
        registry: Registry | None = None,
        make_extenders: ExtenderFactory = no_extenders,
        record_steps: bool = True,
        clock: Clock | None = None,
    ) -> None:
        self.seed = self.first_seed = seed
        self.config_text = config
        self.record_steps = record_steps
        self.clock = clock
        self.seq = 0
        self.cycle = 0
        self.given: dict[tuple[str, str], KubeObject] = {}  # the objects as the user last gave them, for reset
        self._numbers: dict[str, int] = {}  # uid of a pod waiting at Permit → the number of its cycle
        self.texts = Texts()
        self._breakpoints: Sequence[breakpoints.Breakpoint] = ()  # those of the run that is at work
        self.emulation = emulation
        self.cluster = self._new_cluster(registry or emulation.registry, make_extenders)

    @classmethod
    def create(cls, **options: Any) -> Self:
        """An empty cluster; see `__init__`. Raises ConfigError."""
        return cls(**options)

    def _new_cluster(self, registry: Registry, make_extenders: ExtenderFactory) -> SimulatedCluster:
        config = self._load(self.config_text, registry)
        cluster = SimulatedCluster(config, registry, make_extenders, self.emulation.traits)
        cluster.random.seed(self.seed)
        return cluster

    def _load(self, text: str | None, registry: Registry) -> SchedulerConfiguration:
        return self.emulation.load(text, registry.points())

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

    # Commands

    def apply(self, command: Mapping[str, Any]) -> Iterator[Record]:
        """Carry out one command. The checks are done at once: CommandError comes before the first record is asked for.

        The records come one by one, and may be left unread: what was read has happened, what was not has not.
        """
        kind = commands.check(command)
        if kind in upkeep.PREPARE:
            return self._carry_out(self._keep_up(upkeep.PREPARE[kind](self.cluster, command)))
        handler = getattr(self, f"_{kind}")
        records: Iterator[Record] = handler(command)
        return self._carry_out(records)

    def _carry_out(self, records: Iterator[Record]) -> Iterator[Record]:
        # A run before this one may have been left in the middle.
        self._breakpoints = ()
        yield from self._settle()
        yield from records

    def _keep_up(self, carry_out: upkeep.CarryOut) -> Iterator[Record]:
        kind, fields = carry_out()
        yield self._record(kind, **fields)
        yield from self._settle()

    def _create(self, command: Mapping[str, Any]) -> Iterator[Record]:
        new = objects.parse_all(command["objects"], self.cluster.store)
        objects.check_new(new, self.cluster.store)
        return self._write(new)

    def _update(self, command: Mapping[str, Any]) -> Iterator[Record]:
        changed = objects.parse_all(command["objects"], self.cluster.store)
        objects.check_changed(changed, self.cluster.store)
        if command.get("as_cluster"):
            objects.check_as_cluster(changed, self.cluster.store)
        return self._write(changed)

    def _recreate(self, command: Mapping[str, Any]) -> Iterator[Record]:
        """Each object deleted and created again, as `kubectl replace --force` does: pods wait for a node anew."""
        store = self.cluster.store
        gone = objects.check_pods(objects.parse_all(command["objects"], store), store)
        fresh = [objects.anew(obj, self.seq, self.given.get((obj.kind, obj.key))) for obj in gone]
        made = objects.parse_all(fresh, store)

        def carry_out() -> Iterator[Record]:
            for obj in gone:
                self.cluster.delete(store.get(obj.kind, obj.key) or obj)
            yield from self._write(made)
            yield from self._settle()

        return carry_out()

    def _activate(self, command: Mapping[str, Any]) -> Iterator[Record]:
        """A pod that waits goes to the active queue without anything having happened that would help it."""
        pod = self.cluster.find_pod(command["pod"])
        if pod is None or (why := objects.why_it_stays(pod, self.cluster.queue.where(pod.key))):
            raise CommandError([Problem("pod", command["pod"], "there is no such Pod" if pod is None else why)])

        def carry_out() -> Iterator[Record]:
            self.cluster.queue.activate([pod])
            yield self._record("activate", pod=pod.key)

        return carry_out()

    def _write(self, new: list[KubeObject]) -> Iterator[Record]:
        # Namespaces, nodes and storage first: a pod's hints and filters look at them.
        for obj in sorted(new, key=lambda obj: isinstance(obj, Pod)):
            self._remember(obj)
            self.cluster.put(obj)
        yield self._record("objects", counts=objects.count(new))

    def _remember(self, obj: KubeObject) -> None:
        """What reset goes back to: the object as given, without the node that the scheduler chose."""
        before = self.given.get((obj.kind, obj.key))
        was_pending = isinstance(before, Pod) and not before.node_name
        if isinstance(obj, Pod) and obj.node_name and (was_pending or self.cluster.has_started(obj)):
            obj = obj.with_node("").with_nomination("")
            obj.phase, obj.start_time, obj.conditions = "Pending", None, ()
        self.given[obj.kind, obj.key] = obj

    def _delete(self, command: Mapping[str, Any]) -> Iterator[Record]:
        gone = objects.find_all(command["objects"], self.cluster.store)

        def carry_out() -> Iterator[Record]:
            for obj in gone:
                self.given.pop((obj.kind, obj.key), None)
                # As it is by now: pods that waited at Permit may have got their nodes meanwhile.
                self.cluster.delete(self.cluster.store.get(obj.kind, obj.key) or obj)
            yield self._record("objects", counts=objects.count(gone))
            yield from self._settle()

        return carry_out()

    def _restore(self, command: Mapping[str, Any]) -> Iterator[Record]:
        """Objects as they were before a change, those among them that are gone or have come since."""
        store = self.cluster.store
        parsed = objects.parse_all(command.get("objects", ()), store)
        back = [objects.as_it_is_placed(obj, store) for obj in parsed]
        gone = objects.find_left(command.get("delete", ()), store)
        if not back and not gone:
            raise CommandError([Problem("delete", None, "nothing of it is there any more")])

        def carry_out() -> Iterator[Record]:
            for obj in gone:
                self.given.pop((obj.kind, obj.key), None)
                self.cluster.delete(store.get(obj.kind, obj.key) or obj)
            for obj in sorted(back, key=lambda obj: isinstance(obj, Pod)):
                self._remember(obj)
                self.cluster.put(obj)
            yield self._record("objects", counts=objects.count([*gone, *back]))
            yield from self._settle()

        return carry_out()

    def _set_config(self, command: Mapping[str, Any]) -> Iterator[Record]:
        try:
            config = self._load(command["yaml"], self.cluster.registry)
        except ConfigError as error:
            problems = [Problem(p.path, None, p.message, p.hint or "", None, p.line) for p in error.problems]
            raise CommandError(problems) from error

        def carry_out() -> Iterator[Record]:
            self.config_text = command["yaml"]
            self.cluster.set_config(config)
            note = {"note": command["note"]} if command.get("note") else {}
            yield self._record("config", profiles=list(self.cluster.scheduler.frameworks), **note)

        return carry_out()

    def _schedule_one(self, command: Mapping[str, Any]) -> Iterator[Record]:
        return self._attempt()

    def _run(self, command: Mapping[str, Any]) -> Iterator[Record]:
        until = commands.until(command["until"])
        self._breakpoints = command.get("breakpoints", ())
        cycles = 0
        while self.cluster.queue.can_pop:
            last, stopped = None, False
            for record in self._attempt():
                last = record.data.get("cycle", {}).get("pod") if record.data["kind"] == "cycle" else last
                stopped = stopped or "stoppedBy" in record.data
                yield record
            cycles += 1
            if stopped or cycles == until.cycles or (until.pod is not None and last == until.pod):
                return

    def _attempt(self) -> Iterator[Record]:
        """Let the time of one attempt pass, then pop a pod and schedule it. Nothing happens with empty queues."""
        cluster = self.cluster
        if not cluster.queue.can_pop:
            return
        yield from self._advance(cluster.now + ATTEMPT_SECONDS)
        queued = cluster.queue.pop()
        if queued is None:
            return
        self.cycle += 1
        trace = self._new_trace()
        if trace is not None:
            trace.add("QueueSort", cluster.queue_sort, data={"lane": cluster.journal.moves[-1]["from"]})
        attempt = cluster.attempts.schedule_one(queued, trace)
        if attempt.status.is_wait:
            self._numbers[queued.pod.uid] = self.cycle
            cluster.journal.place(queued.pod.key, SubQueue.IN_FLIGHT.value, WAITING, "Permit")
        record = self._record_of("cycle", attempt, self.cycle)
        if self.record_steps and attempt.cycle is not None:
            record.matrix = Matrix.of(attempt.cycle.attempt, attempt.framework, self.epoch)
        yield record
        yield from self._settle()

    def _advance_clock(self, command: Mapping[str, Any]) -> Iterator[Record]:
        yield from self._advance(self.now + command["seconds"])
        yield self._record("clock")

    def _advance(self, until: float) -> Iterator[Record]:
        """Let time pass; pods whose patience at Permit ends on the way get their `binding` records at that time."""
        cluster = self.cluster
        while cluster.now < until:
            undecided = [pod.next_deadline for pod in cluster.scheduler.waiting.values() if pod.decision is None]
            next_deadline = min([until, *undecided, cluster.outages.next_deadline])
            cluster.now = max(cluster.now, next_deadline)
            cluster.queue.advance_to(cluster.now)
            cluster.cache.expire(cluster.now)
            for pod in cluster.scheduler.waiting.values():
                pod.expire(cluster.now)
            yield from self._settle()

    def _settle(self) -> Iterator[Record]:
        """Go on with the pods at Permit that have been decided about, and with those whose node has failed them."""
        cluster = self.cluster
        while True:
            waiting = cluster.scheduler.waiting.items()
            uid = next((uid for uid, pod in waiting if pod.decision is not None), None)
            if uid is None:
                yield from self._leave_failed_nodes()
                return
            attempt = cluster.attempts.finish_waiting(uid, self._new_trace())
            yield self._record_of("binding", attempt, self._numbers.pop(uid))

    def _leave_failed_nodes(self) -> Iterator[Record]:
        due = self.cluster.outages.take_due(self.now)
        pods = [pod for pod in self.cluster.store.list("Pod") if pod.uid in due] if due else []
        if pods:
            self.cluster.delete_for_taint(pods)
            yield self._record("eviction", by="taint", pods=[pod.key for pod in pods])

    def _permit(self, command: Mapping[str, Any]) -> Iterator[Record]:
        pod = self.cluster.find_pod(command["pod"])
        waiting = None if pod is None else self.cluster.scheduler.waiting.get(pod.uid)
        if waiting is None:
            raise CommandError([Problem("pod", command["pod"], "does not wait at Permit")])
        plugin = command.get("plugin")
        if plugin is not None and plugin not in waiting.pending_plugins:
            rule = f"the pod does not wait for it; it waits for {', '.join(waiting.pending_plugins)}"
            raise CommandError([Problem("plugin", plugin, rule)])

        def carry_out() -> Iterator[Record]:
            if command["decision"] == "allow":
                for name in waiting.pending_plugins if plugin is None else [plugin]:
                    waiting.allow(name)
            else:
                waiting.reject(plugin or waiting.pending_plugins[0], command.get("message") or "rejected by hand")
            yield self._record("permit", pod=command["pod"], decision=command["decision"])
            yield from self._settle()

        return carry_out()

    def _fail_binding(self, command: Mapping[str, Any]) -> Iterator[Record]:
        self.cluster.fail_next_binding = command.get("message") or "binding failed, as told"
        yield self._record("control", failBinding=self.cluster.fail_next_binding)

    def _seed(self, command: Mapping[str, Any]) -> Iterator[Record]:
        self.seed = command["seed"]
        self.cluster.random.seed(self.seed)
        yield self._record("control", seed=self.seed)

    def _reset(self, command: Mapping[str, Any]) -> Iterator[Record]:
        """A new cluster, see `reset`. Numbers of records, cycles and epochs go on."""
        old = self.cluster
        self.seed = self.first_seed
        self.cluster = self._new_cluster(old.registry, old.make_extenders)
        self.cluster.node_epoch = old.node_epoch
        self._numbers = {}
        for obj in reset.objects_after(self.given, old.store, command.get("keeps", ())):
            self.cluster.put(obj)
        self.cluster.journal.compare(old.store)
        yield self._record("reset", firstCycle=self.cycle + 1)

    def _new_trace(self) -> Trace | None:
        return Trace(self.clock) if self.record_steps or self._breakpoints else None

    def _record_of(self, kind: str, attempt: PodAttempt, number: int) -> Record:
        """The record of what an attempt did until now, its steps among it if they are recorded."""
        stopped_by = breakpoints.met(self._breakpoints, attempt, self.cluster.cache.table.rows, late=kind == "binding")
        timings = [] if attempt.trace is None else attempt.trace.timings
        if not self.record_steps:
            attempt.trace = None
        fields: dict[str, Any] = {"cycle": describe_attempt(attempt, number, self.epoch)}
        if stopped_by is not None:
            fields["stoppedBy"] = dict(stopped_by)
        record = self._record(kind, **fields)
        record.timings = timings
        return record

    def _record(self, kind: str, **fields: Any) -> Record:
        self.seq += 1
        if self.emulation is not V1_34_1:
            fields["emulates"] = self.emulation.version
        return make_record(self.cluster, self.seq, kind, **fields)

    # Checkpoints

    def checkpoint(self) -> bytes | None:
        """The whole state, or None while pods wait at Permit: what their plugins remember cannot be written down.

        Then an earlier checkpoint and the commands since lead to the same state.
        """
        if self.cluster.scheduler.waiting:
            return None
        return checkpoint.write(self)

    @classmethod
    def restore(cls, data: bytes, **options: Any) -> Self:
        """The inverse of `checkpoint`; `options` as for `create`, except for the seed and the configuration."""
        restored: Self = checkpoint.read(cls, data, options)
        return restored
