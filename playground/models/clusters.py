"""Clusters, the commands given to them and what is needed to go on: configurations, checkpoints.

Commands, records (`history.py`) and what extenders answered are the truth; `states.py` is what reads need, written in
the same transaction.
"""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from playground import limits
from playground.fields import JsonText, PackedJson
from simulator.simulation.commands.configuration import MAX_NOTE


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
    # The kube-scheduler that runs it by now, one of scheduler_core.emulations: that of its configuration at work.
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

    def emulated_at(self, seq: int) -> str:
        """The kube-scheduler that ran it after the record `seq`, as `emulates`."""
        then = SchedulerConfig.objects.filter(cluster=self, seq__lte=seq).order_by("-version")
        return then.values_list("emulates", flat=True)[0]


def of_cluster(related_name: str = "+") -> "models.ForeignKey[Cluster, Cluster]":
    """Whose it is. Whatever a cluster has is indexed by cluster first; another index would only take room."""
    return models.ForeignKey(Cluster, models.CASCADE, related_name=related_name, db_index=False)


def unique_in_cluster(name: str, *fields: str) -> models.UniqueConstraint:
    """No two rows of a cluster are alike in these; what finds a row by them, too."""
    return models.UniqueConstraint(fields=["cluster", *fields], name=name)


class CommandState(models.TextChoices):
    """Where a command is. A `stopped` run was told to stop; what it did until then stays."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class Command(models.Model):
    """One command, and how much of it is done. Replaying takes `records` records of each, in order."""

    cluster = of_cluster("commands")
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
            unique_in_cluster("command_number", "number"),
            unique_in_cluster("command_key", "key"),
        ]
        indexes = [models.Index(fields=["cluster", "number"], name="command_change", condition=~Q(what=""))]


class BeforeChange(models.Model):
    """What a user's change found: `{objects: [[kind, key, manifest or null]]}` or `{yaml}`, for taking it back."""

    cluster = of_cluster()
    number = models.BigIntegerField()
    body = PackedJson()

    class Meta:
        constraints = [unique_in_cluster("before_number", "number")]


class SchedulerConfig(models.Model):
    """A version of the cluster's KubeSchedulerConfiguration; version 1 is the one it was made with.

    `seq` is the record that it was applied by, `emulates` the kube-scheduler that reads it: other feature gates make a
    new version of the same text. Who applied it and why is for people; nothing depends on it.
    """

    cluster = of_cluster()
    version = models.PositiveIntegerField()
    seq = models.BigIntegerField()
    yaml = models.TextField(blank=True)
    emulates = models.CharField(max_length=limits.EMULATION)
    author = models.CharField(max_length=150, blank=True, default="")
    note = models.CharField(max_length=MAX_NOTE, blank=True, default="")
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [unique_in_cluster("config_version", "version")]


class Checkpoint(models.Model):
    """The engine's whole state when it had given `records` records (`cycles` cycles) of `command`."""

    cluster = of_cluster()
    command = models.BigIntegerField()
    records = models.BigIntegerField()
    cycles = models.BigIntegerField()
    seq = models.BigIntegerField()
    body = models.BinaryField()

    class Meta:
        constraints = [unique_in_cluster("checkpoint_position", "command", "records")]
