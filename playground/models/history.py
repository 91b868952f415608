"""The history of a cluster: records, and the tables for lists of them."""

from collections.abc import Collection
from typing import TypeVar

from django.db import models
from django.db.models import Q, QuerySet

from playground.models.clusters import of_cluster, unique_in_cluster
from playground.prepared import Row, select_row, select_rows
from playground.text_fields import JsonText, PackedJson, PackedText

M = TypeVar("M", bound=models.Model)


class BatchManager(models.Manager[M]):
    """Manager of rows that hold several records, or matrices, with consecutive numbers.

    `number` is the column with the number of the last one in a row. See `playground/store/batched_rows.py`.
    """

    number: str

    def select_numbered(self, cluster_id: int, first: int) -> "QuerySet[M, Row]":
        """Return number and body of the rows whose number is at least `first`, in order."""
        rows = self.filter(cluster_id=cluster_id, **{f"{self.number}__gte": first})
        return rows.order_by(self.number).values_list(self.number, "body")

    @select_rows
    def select_range(self, *, cluster_id: int, first: int, last: int) -> "QuerySet[M, Row]":
        """Return number and body of the rows whose number is in `first` … `last`, in order."""
        return self.select_numbered(cluster_id, first).filter(**{f"{self.number}__lte": last})

    def select_numbers(self, cluster_id: int, numbers: Collection[int]) -> "QuerySet[M, Row]":
        """Return number and body of the rows that have one of these numbers, in no order."""
        rows = self.filter(cluster_id=cluster_id, **{f"{self.number}__in": numbers})
        return rows.values_list(self.number, "body")

    @select_row
    def find_from(self, *, cluster_id: int, first: int) -> "QuerySet[M, Row]":
        """Return number and body of the row that holds `first`, or of the next row, or None."""
        return self.select_numbered(cluster_id, first)[:1]


class RecordManager(BatchManager["Record"]):
    """Manager of records. A row is found by the number of its last record."""

    number = "seq"

    @select_rows
    def select_bindings(self, *, cluster_id: int, cycle: int) -> "QuerySet[Record, tuple[int, str]]":
        """Return number and body of the records about the late end of a cycle whose Pod waited at Permit."""
        records = self.filter(cluster_id=cluster_id, cycle=cycle, kind="binding")
        return records.order_by("seq").values_list("seq", "body")


class MatrixManager(BatchManager["CycleMatrix"]):
    """Manager of matrices. A row is found by the number of its last cycle."""

    number = "number"


class Record(models.Model):
    """A record of the trace, or several consecutive ones. `cycle` is set for cycle and binding records.

    `body` is canonical JSON, one line per record. Only cycles share a row, and `seq` and `cycle` are those of the last
    (`playground/store/batched_rows.py`). Old records are thinned out, see ThinnedRecords.
    """

    cluster = of_cluster()
    seq = models.BigIntegerField()
    kind = models.CharField(max_length=20)
    cycle = models.BigIntegerField(null=True)
    body = PackedText()

    objects = RecordManager()

    class Meta:
        constraints = [unique_in_cluster("record_seq", "seq")]
        indexes = [models.Index(fields=["cluster", "cycle"], name="record_cycle", condition=Q(cycle__isnull=False))]


class ThinnedRecords(models.Model):
    """The digests, 8 bytes each, of the thinned records `first` to `last`.

    The engine rebuilds such records and compares them with the digests.
    """

    cluster = of_cluster()
    first = models.BigIntegerField()
    last = models.BigIntegerField()
    digests = models.BinaryField()

    class Meta:
        constraints = [unique_in_cluster("thinned_last", "last")]


class ExtenderAnswers(models.Model):
    """The extenders' answers that a record used, as packed by `Recorder`. A replay needs them."""

    cluster = of_cluster()
    seq = models.BigIntegerField()
    body = models.BinaryField()

    class Meta:
        constraints = [unique_in_cluster("answers_seq", "seq")]


class Cycle(models.Model):
    """A scheduling attempt for the timeline and a Pod's history. A late binding updates `outcome`."""

    cluster = of_cluster()
    number = models.BigIntegerField()
    seq = models.BigIntegerField()
    t = models.FloatField()
    pod = models.CharField(max_length=400)
    attempt = models.IntegerField()
    outcome = models.CharField(max_length=20)
    node = models.CharField(max_length=253)
    message = models.TextField()
    # The breakpoint that ended a run at this cycle.
    stopped_by = JsonText(null=True)
    # True if its only Event is that the Pod was assigned. That Event has no row, see `store/events.py`.
    tells_event = models.BooleanField(null=True)

    class Meta:
        constraints = [unique_in_cluster("cycle_number", "number")]
        indexes = [models.Index(fields=["cluster", "pod"], name="cycle_pod")]


class CycleMatrix(models.Model):
    """The Node × plugin matrix of a cycle, packed (`Matrix.to_plain`).

    The matrices of records that share a row share one, too.
    """

    cluster = of_cluster()
    number = models.BigIntegerField()
    body = models.BinaryField()

    objects = MatrixManager()

    class Meta:
        constraints = [unique_in_cluster("matrix_number", "number")]


class NodeEpoch(models.Model):
    """The list of Node names that the rows of a matrix refer to."""

    cluster = of_cluster()
    epoch = models.BigIntegerField()
    names = PackedJson()

    class Meta:
        constraints = [unique_in_cluster("epoch_number", "epoch")]


class Event(models.Model):
    """A Kubernetes Event about `object` (a key, such as namespace/name), as `kubectl describe` shows it.

    The most common Event, that a Pod was assigned, has no row, because its cycle's row implies it (`store/events.py`).
    """

    cluster = of_cluster()
    seq = models.BigIntegerField()
    t = models.FloatField()
    type = models.CharField(max_length=20)
    reason = models.CharField(max_length=100)
    kind = models.CharField(max_length=100)
    object = models.CharField(max_length=400)
    message = models.TextField()
    # The component that emitted it, or "" for the scheduler.
    source = models.CharField(max_length=63, blank=True, default="")
    # The UID of the object, because a later object may have the same name.
    uid = models.CharField(max_length=128, blank=True, default="")

    class Meta:
        indexes = [models.Index(fields=["cluster", "kind", "object"], name="event_object")]
