"""Clusters, their commands, and the data to continue them: configurations and checkpoints.

Commands, records (`history.py`) and extenders' answers are authoritative. `states.py` has tables for reads, written in
the same transaction.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Length, Now
from django.utils import timezone

from playground import limits
from playground.prepared import (
    Changes,
    JsonParam,
    Row,
    get_object,
    request_update,
    select_object,
    select_objects,
    select_row,
    select_rows,
    update,
    update_object,
)
from playground.text_fields import JsonText, PackedJson
from simulator.simulation.commands.configuration import MAX_NOTE

# Columns that a worker reads before each command: the user's settings for runs, and the used storage.
RUN_SETTINGS = ("pace", "speed", "paused_through", "last_cycle_at")
STORAGE = ("stored_bytes", "share_view")


# The value of `Cluster.deleted` while the cluster's rows are being deleted for good.
PURGED = datetime(1970, 1, 1, tzinfo=UTC)


class LiveClusterManager(models.Manager["Cluster"]):
    """Manager of the clusters that are not deleted. A deleted one can be restored by its owner for some time."""

    def get_queryset(self) -> "models.QuerySet[Cluster]":
        return super().get_queryset().filter(deleted=None)

    @select_object
    def find(self, *, cluster_id: int) -> "QuerySet[Cluster]":
        """Return a cluster, or None."""
        return self.filter(pk=cluster_id)

    @get_object
    def lock(self, *, cluster_id: int) -> "QuerySet[Cluster]":
        """Lock and return a cluster, with the shared moment that it shows as `shared`. Raise DoesNotExist."""
        return self.select_for_update(of=("self",)).filter(pk=cluster_id).annotate(shared=F("share_view"))

    @select_row
    def find_run_settings(self, *, cluster_id: int) -> "QuerySet[Cluster, Row]":
        """Return the columns RUN_SETTINGS of a cluster, or None."""
        return self.filter(pk=cluster_id).values_list(*RUN_SETTINGS)

    @select_row
    def find_storage(self, *, cluster_id: int) -> "QuerySet[Cluster, Row]":
        """Return the columns STORAGE of a cluster, or None."""
        return self.filter(pk=cluster_id).values_list(*STORAGE)

    @select_object
    def find_watched(self, *, cluster_id: int) -> "QuerySet[Cluster]":
        """Return a cluster with the columns that a watch of its objects needs, or None."""
        return self.filter(pk=cluster_id).only("revision", "watched_since", "t", "created")

    @select_object
    def find_described(self, *, cluster_id: int) -> "QuerySet[Cluster]":
        """Return a cluster as `describe` returns it, or None."""
        return self.describe(self.filter(pk=cluster_id))

    def describe(self, clusters: "QuerySet[Cluster]") -> "QuerySet[Cluster]":
        """Add the owner's name, the lesson, the last applied command and the database's time to clusters."""
        last = Command.objects.filter(cluster=OuterRef("pk"), number=OuterRef("applied"))
        return clusters.annotate(
            db_now=Now(),
            owner_name=F("owner__username"),
            lesson=F("lesson_run__lesson"),
            last_state=Subquery(last.values("state")),
            last_stopped_by=Subquery(last.values("stopped_by")),
        )

    @update()
    def record_submitted(self, *, cluster_id: int, number: int, stored_bytes: int) -> "Changes[Cluster]":
        """Store the number of the last submitted command, and add the bytes that the new commands take."""
        changes = {"submitted": number, "stored_bytes": F("stored_bytes") + stored_bytes}
        return Changes(self.filter(pk=cluster_id), changes)

    # The lease. See `playground/engine/leases.py`.

    def holding_lease(self, cluster_id: int, fencing: int, holder: str) -> "QuerySet[Cluster]":
        """Return the cluster if its lease is this one.

        A commit that takes a lease does not wait for the disk. After a crash of the database host, the same number may
        be given to another holder, so the query compares the holder, too.
        """
        return self.filter(pk=cluster_id, lease_fencing=fencing, lease_holder=holder, lease_expires__isnull=False)

    @update_object(async_commit=True)
    def take_free_lease(self, *, cluster_id: int, holder: str, duration: timedelta) -> "Changes[Cluster]":
        """Take the lease if it is free. Return the cluster, or None."""
        return Changes(self.filter(pk=cluster_id, lease_holder=""), _new_lease(holder, duration))

    @update_object()
    def take_expired_lease(self, *, cluster_id: int, holder: str, duration: timedelta) -> "Changes[Cluster]":
        """Take the lease if it has expired. Return the cluster, or None."""
        return Changes(self.filter(pk=cluster_id, lease_expires__lt=Now()), _new_lease(holder, duration))

    def renew_lease(
        self, *, cluster_id: int, fencing: int, holder: str, duration: timedelta, **columns: Any
    ) -> Callable[[], Row | None]:
        """Renew the lease and write columns. Return a function that returns `(watched_since,)`, or None if it is lost.

        `stored_bytes` is added to the value in the row. Within `pipeline`, only that function waits.
        """
        renew = _lease_renewal(tuple(columns))
        return renew(self, cluster_id=cluster_id, fencing=fencing, holder=holder, duration=duration, **columns)

    # If the database host crashes before the release is on disk, the lease expires.
    @update(async_commit=True)
    def release_lease(self, *, cluster_id: int, fencing: int, holder: str) -> "Changes[Cluster]":
        """Release the lease. Return 0 if it was lost."""
        return Changes(self.holding_lease(cluster_id, fencing, holder), _NO_LEASE)

    @update(async_commit=True)
    def release_lease_when_done(self, *, cluster_id: int, fencing: int, holder: str) -> "Changes[Cluster]":
        """Release the lease unless a command waits. Return 0 if one waits, or if the lease was lost."""
        return Changes(self.holding_lease(cluster_id, fencing, holder).filter(submitted=F("applied")), _NO_LEASE)


_NO_LEASE = {"lease_holder": "", "lease_expires": None}


def _new_lease(holder: str, duration: timedelta) -> dict[str, object]:
    return {"lease_holder": holder, "lease_fencing": F("lease_fencing") + 1, "lease_expires": Now() + duration}


# The columns that `renew_lease` may write.
_RENEWED = {"stored_bytes": int, "applied": int, "revision": int, "t": float, "cycle": int, "first_cycle": int}
_RENEWED |= {"last_cycle_at": datetime, "config_version": int, "emulates": str, "actors": JsonParam}


@cache
def _lease_renewal(columns: tuple[str, ...]) -> Callable[..., Callable[[], Row | None]]:
    """Return a prepared update for this combination of columns."""

    def renew(
        clusters: LiveClusterManager, *, cluster_id: int, fencing: int, holder: str, duration: timedelta, **values: Any
    ) -> Changes[Cluster]:
        if "stored_bytes" in values:
            values["stored_bytes"] = F("stored_bytes") + values["stored_bytes"]
        return Changes(
            clusters.holding_lease(cluster_id, fencing, holder), values | {"lease_expires": Now() + duration}
        )

    key = {"cluster_id": int, "fencing": int, "holder": str, "duration": timedelta}
    renew.__annotations__ = {**key, **{name: _RENEWED[name] for name in columns}}
    return request_update(returning="watched_since")(renew)


class Cluster(models.Model):
    """A simulated cluster: its owner, its progress, and its lease."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="clusters")
    name = models.CharField(max_length=100)
    # The built-in example that it was created from, or "".
    example = models.CharField(max_length=63, blank=True, default="")
    created = models.DateTimeField(auto_now_add=True)
    # The time of deletion. The owner can restore the cluster until its rows are deleted, too.
    deleted = models.DateTimeField(null=True)
    seed = models.BigIntegerField(default=0, validators=[MinValueValidator(0), MaxValueValidator(2**63 - 1)])
    # The version of kube-scheduler that runs it, a key of scheduler_core.emulations, from its current configuration.
    emulates = models.CharField(max_length=limits.EMULATION, default="v1.34.1")

    # Progress: the last record, virtual time, cycles, and the commands submitted and applied.
    revision = models.BigIntegerField(default=0)
    t = models.FloatField(default=0.0)
    cycle = models.BigIntegerField(default=0)
    first_cycle = models.BigIntegerField(default=1)
    submitted = models.BigIntegerField(default=0)
    applied = models.BigIntegerField(default=0)
    # The user paused all runs up to this command.
    paused_through = models.BigIntegerField(default=0)
    # Cycles per second; 0 is full speed.
    pace = models.FloatField(default=0.0)
    # Virtual seconds per second of a run; 0 is full speed.
    speed = models.FloatField(default=0.0)
    # With `live`, every change starts the scheduler and the controllers. Otherwise they wait for a step.
    live = models.BooleanField(default=False)
    last_cycle_at = models.DateTimeField(null=True)
    config_version = models.PositiveIntegerField(default=1)
    # The names of the active controllers, from the command `set_actors`.
    actors = JsonText(default=list)
    # The breakpoints of a run, in the form of docs/reference/commands-and-trace.md.
    breakpoints = JsonText(default=list)

    # The costs of repairs and protected objects, as read by `scheduler_core.edits.costs`.
    repair_prices = JsonText(default=dict)

    # The fork of a branch: parent cluster, record, cycle and virtual time, and the client's idempotency key.
    parent = models.ForeignKey("self", models.RESTRICT, null=True, related_name="branches")
    fork_seq = models.BigIntegerField(null=True)
    fork_cycle = models.BigIntegerField(null=True)
    fork_t = models.FloatField(null=True)
    fork_key = models.CharField(max_length=limits.COMMAND_KEY, null=True)

    # The approximate size of its history in the database, and the number of the last thinned record.
    stored_bytes = models.BigIntegerField(default=0)
    thinned = models.BigIntegerField(default=0)

    # Changes of objects after this record are stored for watches. Null if none are stored.
    watched_since = models.BigIntegerField(null=True)

    # The lease. A writer must hold it, and each new holder increases the fencing number.
    lease_holder = models.CharField(max_length=200, blank=True, default="")
    lease_fencing = models.BigIntegerField(default=0)
    lease_expires = models.DateTimeField(null=True)

    everything = models.Manager["Cluster"]()
    objects = LiveClusterManager()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["parent", "fork_key"], name="fork_key")]
        indexes = [models.Index(fields=["deleted"], name="cluster_deleted", condition=~Q(deleted=None))]

    def __str__(self) -> str:
        return f"{self.name} ({self.pk})"

    def emulated_at(self, seq: int) -> str:
        """Return the value of `emulates` after the record `seq`."""
        then = SchedulerConfig.objects.filter(cluster=self, seq__lte=seq).order_by("-version")
        return then.values_list("emulates", flat=True)[0]


def of_cluster(related_name: str = "+") -> "models.ForeignKey[Cluster, Cluster]":
    """Return the foreign key to a row's cluster, without an index, because all indexes begin with the cluster."""
    return models.ForeignKey(Cluster, models.CASCADE, related_name=related_name, db_index=False)


def unique_in_cluster(name: str, *fields: str) -> models.UniqueConstraint:
    """Return a constraint that makes these fields unique in a cluster. Its index serves lookups, too."""
    return models.UniqueConstraint(fields=["cluster", *fields], name=name)


class CommandState(models.TextChoices):
    """The state of a command. A `stopped` run was paused by the user, and its records stay."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


_UNFINISHED = (CommandState.QUEUED, CommandState.RUNNING)
# The number of changes that one query reads.
CHANGES_AT_A_TIME = 200


class CommandManager(models.Manager["Command"]):
    """Manager of commands with the queries of every step of a worker and every write of a client."""

    @select_object
    def find_without_payload(self, *, command_id: int) -> "QuerySet[Command]":
        """Return a command, or None. The payload may be long, and is not read."""
        return self.filter(pk=command_id).defer("payload")

    @select_rows
    def select_states(self, *, cluster_id: int, first: int) -> "QuerySet[Command, tuple[int, str]]":
        """Return number and state of the commands from the number `first` on."""
        return self.filter(cluster_id=cluster_id, number__gte=first).values_list("number", "state")

    @select_object
    def find_next(self, *, cluster_id: int) -> "QuerySet[Command]":
        """Return the first unfinished command, or None, with columns of its cluster as `cluster_pace` and so on."""
        columns = {f"cluster_{name}": F(f"cluster__{name}") for name in (*RUN_SETTINGS, *STORAGE)}
        commands = self.filter(cluster_id=cluster_id, state__in=_UNFINISHED)
        return commands.annotate(**columns).order_by("number")[:1]

    @select_objects
    def select_queued(
        self, *, cluster_id: int, after: int, last: int, kinds: list[str], max_bytes: int
    ) -> "QuerySet[Command]":
        """Return the queued commands of these kinds after the number `after`, with a packed payload of at most
        `max_bytes`.

        A command that a worker began before may have killed that worker, so it is left out.
        """
        commands = self.filter(cluster_id=cluster_id, number__gt=after, number__lte=last, state=CommandState.QUEUED)
        commands = commands.filter(attempts=0, kind__in=kinds).annotate(size=Length("payload"))
        return commands.filter(size__lte=max_bytes).order_by("number")

    @select_object
    def find_running(self, *, cluster_id: int, after: int) -> "QuerySet[Command]":
        """Return the running command after the number `after`, or None."""
        running = self.filter(cluster_id=cluster_id, number__gt=after, state=CommandState.RUNNING)
        return running.order_by("number")[:1]

    def changes_by_users(self, cluster_ids: Sequence[int]) -> "QuerySet[Command]":
        """Return the commands with which users changed clusters, the newest of each cluster first.

        The commands that created a cluster have no author and can't be undone.
        """
        changes = self.filter(cluster__in=cluster_ids).exclude(author="").exclude(what="")
        changes = changes.exclude(state=CommandState.FAILED).order_by("cluster", "-number")
        columns = ("number", "kind", "state", "what", "change_set", "undoes", "redoes", "client", "created")
        return changes.only("cluster_id", *columns)

    @select_objects
    def select_newest_changes(self, *, cluster_id: int, before: int) -> "QuerySet[Command]":
        """Return the last CHANGES_AT_A_TIME of `changes_by_users` with a number less than `before`."""
        return self.changes_by_users([cluster_id]).filter(number__lt=before)[:CHANGES_AT_A_TIME]

    @select_object
    def find_newest_change(self, *, cluster_id: int) -> "QuerySet[Command]":
        """Return the first of `changes_by_users`, or None."""
        return self.changes_by_users([cluster_id])[:1]

    @update(async_commit=True)
    def mark_running(
        self, *, cluster_id: int, fencing: int, holder: str, number: int, attempts: int, total: int | None
    ) -> "Changes[Command]":
        """Mark an unfinished command as running. Return 0 if the lease was lost.

        If a crash of the database host undoes the mark, the command is still queued.
        """
        command = self._of_lease(cluster_id, fencing, holder).filter(number=number)
        return Changes(command, {"state": CommandState.RUNNING.value, "attempts": attempts, "total": total})

    @update(async_commit=True)
    def mark_batch_running(
        self, *, cluster_id: int, fencing: int, holder: str, first: int, last: int
    ) -> "Changes[Command]":
        """Mark unfinished commands as running. Return 0 if the lease was lost."""
        commands = self._of_lease(cluster_id, fencing, holder).filter(number__gte=first, number__lte=last)
        return Changes(commands, {"state": CommandState.RUNNING.value, "attempts": F("attempts") + 1})

    @update()
    def update_progress(
        self,
        *,
        cluster_id: int,
        number: int,
        state: str,
        records: int,
        cycles: int,
        problems: JsonParam,
        stopped_by: JsonParam,
        attempts_factor: int,
    ) -> "Changes[Command]":
        """Store a command's progress. `attempts_factor` is 0 for a command that made progress, otherwise 1."""
        values = {"state": state, "records": records, "cycles": cycles, "problems": problems, "stopped_by": stopped_by}
        values["attempts"] = F("attempts") * attempts_factor
        return Changes(self.filter(cluster_id=cluster_id, number=number), values)

    def _of_lease(self, cluster_id: int, fencing: int, holder: str) -> "QuerySet[Command]":
        """Return the unfinished commands of the cluster, or none if the lease was lost."""
        lease = Exists(Cluster.objects.holding_lease(cluster_id, fencing, holder))
        return self.filter(lease, cluster_id=cluster_id, state__in=_UNFINISHED)


class Command(models.Model):
    """A command and its progress. A replay takes `records` records of each command, in order."""

    cluster = of_cluster("commands")
    number = models.BigIntegerField()
    key = models.CharField(max_length=limits.COMMAND_KEY, null=True)
    kind = models.CharField(max_length=30)
    payload = PackedJson()
    # The user who posted it, or "" for the playground itself.
    author = models.CharField(max_length=150, blank=True, default="")
    # The program that posted it with the Kubernetes API, such as `kubectl/v1.34.5`, or "" for the UI.
    client = models.CharField(max_length=limits.CLIENT_NAME, blank=True, default="")
    state = models.CharField(max_length=10, choices=CommandState.choices, default=CommandState.QUEUED)
    records = models.BigIntegerField(default=0)
    cycles = models.BigIntegerField(default=0)
    total = models.BigIntegerField(null=True)
    # The number of times that a worker began it without progress. See `playground/engine/worker_session.py`.
    attempts = models.PositiveIntegerField(default=0)
    problems = JsonText(default=list)
    created = models.DateTimeField(auto_now_add=True)
    # A description of the user's change, or "" for a command that changes nothing.
    what = models.CharField(max_length=200, blank=True, default="")
    # An id that the client chooses. Neighboring changes with the same id are undone together; "" is a set by itself.
    change_set = models.CharField(max_length=limits.CHANGE_SET, blank=True, default="")
    # The number of the change that this undo reverts, or of the undo that this redo reverts.
    undoes = models.BigIntegerField(null=True)
    redoes = models.BigIntegerField(null=True)
    # The breakpoint at which a run ended.
    stopped_by = JsonText(null=True)

    objects = CommandManager()

    class Meta:
        constraints = [
            unique_in_cluster("command_number", "number"),
            unique_in_cluster("command_key", "key"),
        ]
        indexes = [models.Index(fields=["cluster", "number"], name="command_change", condition=~Q(what=""))]


class BeforeChange(models.Model):
    """State before a user's change, for its undo.

    `{objects: [[kind, key, manifest or null]]}`, `{yaml}`, `{gates}` or `{actors}`.
    """

    cluster = of_cluster()
    number = models.BigIntegerField()
    body = PackedJson()

    class Meta:
        constraints = [unique_in_cluster("before_number", "number")]


class SchedulerConfig(models.Model):
    """A version of the cluster's KubeSchedulerConfiguration. Version 1 is from the cluster's creation.

    `seq` is the record that applied it. `emulates` is the version of kube-scheduler that reads it; new feature gates
    make a new version of the same text. `author` and `note` are only shown to users.
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
    """The engine's state after `records` records (`cycles` cycles) of `command`."""

    cluster = of_cluster()
    command = models.BigIntegerField()
    records = models.BigIntegerField()
    cycles = models.BigIntegerField()
    seq = models.BigIntegerField()
    body = models.BinaryField()

    class Meta:
        constraints = [unique_in_cluster("checkpoint_position", "command", "records")]
