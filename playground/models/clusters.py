"""What is kept: clusters, the commands given to them, what the engine answered, and the state that follows from it.

Commands, records and what extenders answered are the truth. ClusterObject, NodeState and PodState are what reads need,
written in the same transaction; `NodeState` and `PodState` keep every version with the records it was valid for, so
that any past moment can be read without running the engine again.
"""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from playground import limits
from playground.fields import JsonText, PackedJson, PackedText
from scheduler_core.simulation.commands.configuration import MAX_NOTE

# The end of what is still valid.
FOREVER = 2**62


class LiveClusters(models.Manager["Cluster"]):
    """Without those that were deleted and can still be brought back: to everybody but their owner they are gone."""

    def get_queryset(self) -> "models.QuerySet[Cluster]":
        return super().get_queryset().filter(deleted=None)


class Cluster(models.Model):
    """One simulated cluster: whose it is, how far it is, and who is working on it."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="clusters")
    name = models.CharField(max_length=100)
    # The built-in example that it was made from, "" for none.
    example = models.CharField(max_length=63, blank=True, default="")
    created = models.DateTimeField(auto_now_add=True)
    # When it was deleted; some time after that it goes for good.
    deleted = models.DateTimeField(null=True)
    seed = models.BigIntegerField(default=0, validators=[MinValueValidator(0), MaxValueValidator(2**63 - 1)])
    # The version of kube-scheduler that runs it: one of scheduler_core.emulations.
    emulates = models.CharField(max_length=limits.EMULATION, default="v1.34.1")

    # How far it is: the last record, the virtual time, cycles, commands posted and finished.
    revision = models.BigIntegerField(default=0)
    t = models.FloatField(default=0.0)
    cycle = models.BigIntegerField(default=0)
    first_cycle = models.BigIntegerField(default=1)
    submitted = models.BigIntegerField(default=0)
    applied = models.BigIntegerField(default=0)
    # Runs up to this command were told to stop.
    paused_through = models.BigIntegerField(default=0)
    # Cycles per second; 0 is as fast as it goes.
    pace = models.FloatField(default=0.0)
    # Virtual seconds per second of a run; 0 is as fast as it goes.
    speed = models.FloatField(default=0.0)
    # Whether every change wakes the scheduler and the controllers; otherwise they wait for somebody to step.
    live = models.BooleanField(default=False)
    last_cycle_at = models.DateTimeField(null=True)
    config_version = models.PositiveIntegerField(default=1)
    # The controllers that are at work, as `set_actors` named them.
    actors = JsonText(default=list)
    # What stops a run until a breakpoint, as docs/trace_format.md has them.
    breakpoints = JsonText(default=list)

    # What repairs cost here, and what they may not touch: as `scheduler_core.edits.costs` reads them.
    repair_prices = JsonText(default=dict)

    # A branch: which cluster it was forked from, after which record and cycle and when, and the client's key for that.
    parent = models.ForeignKey("self", models.RESTRICT, null=True, related_name="branches")
    fork_seq = models.BigIntegerField(null=True)
    fork_cycle = models.BigIntegerField(null=True)
    fork_t = models.FloatField(null=True)
    fork_key = models.CharField(max_length=limits.COMMAND_KEY, null=True)

    # What its history takes in the database, nearly; what was thinned out: records up to a number are stored no more.
    stored_bytes = models.BigIntegerField(default=0)
    thinned = models.BigIntegerField(default=0)

    # The record after which changes of objects are kept for clients that watch; null while there are none.
    watched_since = models.BigIntegerField(null=True)

    # The lease. A writer must hold it, and the fencing number of its holder goes up with every change of hands.
    lease_holder = models.CharField(max_length=200, blank=True, default="")
    lease_fencing = models.BigIntegerField(default=0)
    lease_expires = models.DateTimeField(null=True)

    everything = models.Manager["Cluster"]()
    objects = LiveClusters()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["parent", "fork_key"], name="fork_key")]
        indexes = [models.Index(fields=["deleted"], name="cluster_deleted", condition=~Q(deleted=None))]

    def __str__(self) -> str:
        return f"{self.name} ({self.pk})"


def _of_cluster(related_name: str = "+") -> "models.ForeignKey[Cluster, Cluster]":
    """Whose it is. Every model below has an index that begins with the cluster; another one would only take room."""
    return models.ForeignKey(Cluster, models.CASCADE, related_name=related_name, db_index=False)


class CommandState(models.TextChoices):
    """Where a command is. A `stopped` run was told to stop; what it did until then stays."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class Command(models.Model):
    """One command, and how much of it is done. Replaying takes `records` records of each, in order."""

    cluster = _of_cluster("commands")
    number = models.BigIntegerField()
    key = models.CharField(max_length=limits.COMMAND_KEY, null=True)
    kind = models.CharField(max_length=30)
    payload = PackedJson()
    # The name of whoever posted it, "" for the playground itself.
    author = models.CharField(max_length=150, blank=True, default="")
    state = models.CharField(max_length=10, choices=CommandState.choices, default=CommandState.QUEUED)
    records = models.BigIntegerField(default=0)
    cycles = models.BigIntegerField(default=0)
    total = models.BigIntegerField(null=True)
    # Times that a worker began it without getting any further; see `runner`.
    attempts = models.PositiveIntegerField(default=0)
    problems = JsonText(default=list)
    created = models.DateTimeField(auto_now_add=True)
    # What a user changed with it, in a few words, and which command's change it takes back; "" for what is no change.
    what = models.CharField(max_length=200, blank=True, default="")
    undoes = models.BigIntegerField(null=True)
    # The breakpoint that ended it, for a run.
    stopped_by = JsonText(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["cluster", "number"], name="command_number"),
            models.UniqueConstraint(fields=["cluster", "key"], name="command_key"),
        ]
        indexes = [models.Index(fields=["cluster", "number"], name="command_change", condition=~Q(what=""))]


class BeforeChange(models.Model):
    """What a user's change found: `{objects: [[kind, key, manifest or null]]}` or `{yaml}`, for taking it back."""

    cluster = _of_cluster()
    number = models.BigIntegerField()
    body = PackedJson()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "number"], name="before_number")]


class Record(models.Model):
    """One record of the trace; `body` is its canonical JSON. `cycle` is set for cycle and binding records.

    Old ones are thinned out, see ThinnedRecords.
    """

    cluster = _of_cluster()
    seq = models.BigIntegerField()
    kind = models.CharField(max_length=20)
    cycle = models.BigIntegerField(null=True)
    body = PackedText()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "seq"], name="record_seq")]
        indexes = [models.Index(fields=["cluster", "cycle"], name="record_cycle", condition=Q(cycle__isnull=False))]


class ThinnedRecords(models.Model):
    """Records that are stored no more, `first` to `last`: 8 bytes of digest for each.

    The engine makes them again, and by these one knows that they are the same.
    """

    cluster = _of_cluster()
    first = models.BigIntegerField()
    last = models.BigIntegerField()
    digests = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "last"], name="thinned_last")]


class ExtenderAnswers(models.Model):
    """What extenders answered while a record was made, as `Recorder` packs it; its replay needs them."""

    cluster = _of_cluster()
    seq = models.BigIntegerField()
    body = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "seq"], name="answers_seq")]


class Cycle(models.Model):
    """One scheduling attempt, as the timeline and the pod's page list it. `outcome` follows a late binding."""

    cluster = _of_cluster()
    number = models.BigIntegerField()
    seq = models.BigIntegerField()
    t = models.FloatField()
    pod = models.CharField(max_length=400)
    attempt = models.IntegerField()
    outcome = models.CharField(max_length=20)
    node = models.CharField(max_length=253)
    message = models.TextField()
    # The breakpoint that ended a run here.
    stopped_by = JsonText(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "number"], name="cycle_number")]
        indexes = [models.Index(fields=["cluster", "pod"], name="cycle_pod")]


class CycleMatrix(models.Model):
    """The node × plugin matrix of a cycle, as `Matrix.to_bytes` writes it."""

    cluster = _of_cluster()
    number = models.BigIntegerField()
    body = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "number"], name="matrix_number")]


class NodeEpoch(models.Model):
    """The list of node names that the rows of a matrix refer to."""

    cluster = _of_cluster()
    epoch = models.BigIntegerField()
    names = PackedJson()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "epoch"], name="epoch_number")]


class Event(models.Model):
    """A Kubernetes Event: what `kubectl describe` would show of `object` (a key, such as namespace/name)."""

    cluster = _of_cluster()
    seq = models.BigIntegerField()
    t = models.FloatField()
    type = models.CharField(max_length=20)
    reason = models.CharField(max_length=100)
    kind = models.CharField(max_length=100)
    object = models.CharField(max_length=400)
    message = models.TextField()
    # The component that tells it, "" for the scheduler.
    source = models.CharField(max_length=63, blank=True, default="")

    class Meta:
        indexes = [models.Index(fields=["cluster", "kind", "object"], name="event_object")]


class ClusterObject(models.Model):
    """A Kubernetes object as it is now. `key` is namespace/name, or the name alone without a namespace."""

    cluster = _of_cluster()
    kind = models.CharField(max_length=100)
    key = models.CharField(max_length=400)
    manifest = JsonText()
    # The record that wrote it last; 0 for what a version without this column wrote, and in a new branch.
    seq = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "kind", "key"], name="object_key")]


class ObjectChange(models.Model):
    """An object before and after a record, for clients of the Kubernetes API that watch: `playground/store/watched.py`.

    None for an object that was not there, or is gone. `before_seq` is the record that wrote it as it was before.
    """

    cluster = _of_cluster()
    seq = models.BigIntegerField()
    kind = models.CharField(max_length=100)
    key = models.CharField(max_length=400)
    before = PackedJson(null=True)
    before_seq = models.BigIntegerField(default=0)
    after = PackedJson(null=True)

    class Meta:
        indexes = [models.Index(fields=["cluster", "seq"], name="object_change")]


class NodeState(models.Model):
    """A node as scheduling sees it, valid for the records `since` ≤ seq < `until`. Amounts as in the engine."""

    cluster = _of_cluster()
    name = models.CharField(max_length=253)
    since = models.BigIntegerField()
    until = models.BigIntegerField(default=FOREVER)
    labels = JsonText()
    allocatable = JsonText()
    unschedulable = models.BooleanField()
    taints = JsonText()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "name", "until"], name="node_state")]
        indexes = [models.Index(fields=["cluster", "until"], name="node_state_current")]


class PodState(models.Model):
    """Where a pod is, in the queue or on a node, valid for the records `since` ≤ seq < `until`.

    `node` is the node that counts the pod's requests: the one it runs on, or the one it is assumed on while it waits.
    """

    cluster = _of_cluster()
    pod = models.CharField(max_length=400)
    since = models.BigIntegerField()
    until = models.BigIntegerField(default=FOREVER)
    uid = models.CharField(max_length=253)
    node = models.CharField(max_length=253)
    requests = models.TextField()
    priority = models.BigIntegerField()
    lane = models.CharField(max_length=20)
    attempts = models.IntegerField(default=0)
    entered = models.FloatField(default=0.0)
    backoff_until = models.FloatField(null=True)
    plugins = JsonText(default=list)
    gate = models.CharField(max_length=253, blank=True, default="")
    # The key of its PodGroup, for pods that name one; whether the scheduler cares is for its version to say.
    pod_group = models.CharField(max_length=400, blank=True, default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "pod", "until"], name="pod_state")]
        indexes = [
            models.Index(fields=["cluster", "until", "lane"], name="pod_state_lane"),
            models.Index(fields=["cluster", "until", "node"], name="pod_state_node"),
            models.Index(fields=["cluster", "pod_group", "until"], name="pod_state_group", condition=~Q(pod_group="")),
            # The pending pods of all clusters, for the metrics: few beside those that are bound.
            models.Index(fields=["lane"], name="pod_state_pending", condition=Q(until=FOREVER) & ~Q(lane="bound")),
        ]


class SchedulerConfig(models.Model):
    """A version of the cluster's KubeSchedulerConfiguration; version 1 is the one it was made with.

    `seq` is the record that it was applied by. Who applied it and why is for people; nothing depends on it.
    """

    cluster = _of_cluster()
    version = models.PositiveIntegerField()
    seq = models.BigIntegerField()
    yaml = models.TextField(blank=True)
    author = models.CharField(max_length=150, blank=True, default="")
    note = models.CharField(max_length=MAX_NOTE, blank=True, default="")
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "version"], name="config_version")]


class Checkpoint(models.Model):
    """The engine's whole state when it had given `records` records (`cycles` cycles) of `command`."""

    cluster = _of_cluster()
    command = models.BigIntegerField()
    records = models.BigIntegerField()
    cycles = models.BigIntegerField()
    seq = models.BigIntegerField()
    body = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "command", "records"], name="checkpoint_position")]


class LessonRun(models.Model):
    """A walk through a lesson, in the cluster that was made for it. `checks`: what was begun and done, by id."""

    cluster = models.OneToOneField(Cluster, models.CASCADE, related_name="lesson_run")
    lesson = models.CharField(max_length=100)
    checks = JsonText(default=dict)
    started = models.DateTimeField(auto_now_add=True)


class SolvedLesson(models.Model):
    """A lesson that somebody walked to its end, for the first time. It stays when the cluster of that walk goes.

    `right` of the `asked` predictions were right at the first try; `tasks` were done.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="solved_lessons")
    lesson = models.CharField(max_length=100)
    solved = models.DateTimeField(auto_now_add=True)
    asked = models.PositiveIntegerField()
    right = models.PositiveIntegerField()
    tasks = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "lesson"], name="one_solved_lesson")]


class MetricTally(models.Model):
    """What one process counted and measured, as `Tally.dump` gives it; the metrics are the sum over all processes."""

    process = models.CharField(max_length=200, unique=True)
    body = JsonText()
    updated = models.DateTimeField(auto_now=True)
