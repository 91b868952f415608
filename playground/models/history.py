"""What the engine answered: records, and the rows that lists of them are read from."""

from collections.abc import Collection
from typing import TypeVar

from django.db import models
from django.db.models import Q, QuerySet

from playground.fields import JsonText, PackedJson, PackedText
from playground.models.clusters import of_cluster, unique_in_cluster
from playground.prepared import Row, select_row, select_rows

M = TypeVar("M", bound=models.Model)


class BatchManager(models.Manager[M]):
    """Manager of rows that hold several records, or matrices, with consecutive numbers.

    `number` is the column with the number of the last one in a row. See `playground/store/many.py`.
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
        """Return number and body of the records that say how a cycle ended whose pod waited at Permit."""
        records = self.filter(cluster_id=cluster_id, cycle=cycle, kind="binding")
        return records.order_by("seq").values_list("seq", "body")


class MatrixManager(BatchManager["CycleMatrix"]):
    """Manager of matrices. A row is found by the number of its last cycle."""

    number = "number"


class Record(models.Model):
    """One record of the trace, or some that follow one another; `cycle` is set for cycle and binding records.

    `body` is the canonical JSON, a line each where there are many: these are cycles, and `seq` and `cycle` those of the
    last (`playground/store/many.py`). Old ones are thinned out, see ThinnedRecords.
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
    """Records that are stored no more, `first` to `last`: 8 bytes of digest for each.

    The engine makes them again, and by these one knows that they are the same.
    """

    cluster = of_cluster()
    first = models.BigIntegerField()
    last = models.BigIntegerField()
    digests = models.BinaryField()

    class Meta:
        constraints = [unique_in_cluster("thinned_last", "last")]


class ExtenderAnswers(models.Model):
    """What extenders answered while a record was made, as `Recorder` packs it; its replay needs them."""

    cluster = of_cluster()
    seq = models.BigIntegerField()
    body = models.BinaryField()

    class Meta:
        constraints = [unique_in_cluster("answers_seq", "seq")]


class Cycle(models.Model):
    """One scheduling attempt, as the timeline and the pod's page list it. `outcome` follows a late binding."""

    cluster = of_cluster()
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
    # Its record said that the pod was assigned, and nothing else: then no Event is stored, see `store/events.py`.
    tells_event = models.BooleanField(null=True)

    class Meta:
        constraints = [unique_in_cluster("cycle_number", "number")]
        indexes = [models.Index(fields=["cluster", "pod"], name="cycle_pod")]


class CycleMatrix(models.Model):
    """The node × plugin matrix of a cycle: `Matrix.to_plain`, packed.

    Where records share a row, so do their matrices.
    """

    cluster = of_cluster()
    number = models.BigIntegerField()
    body = models.BinaryField()

    objects = MatrixManager()

    class Meta:
        constraints = [unique_in_cluster("matrix_number", "number")]


class NodeEpoch(models.Model):
    """The list of node names that the rows of a matrix refer to."""

    cluster = of_cluster()
    epoch = models.BigIntegerField()
    names = PackedJson()

    class Meta:
        constraints = [unique_in_cluster("epoch_number", "epoch")]


class Event(models.Model):
    """A Kubernetes Event: what `kubectl describe` would show of `object` (a key, such as namespace/name).

    What is said most often, that a pod was assigned, is not here: its cycle's row tells it (`store/events.py`).
    """

    cluster = of_cluster()
    seq = models.BigIntegerField()
    t = models.FloatField()
    type = models.CharField(max_length=20)
    reason = models.CharField(max_length=100)
    kind = models.CharField(max_length=100)
    object = models.CharField(max_length=400)
    message = models.TextField()
    # The component that tells it, "" for the scheduler.
    source = models.CharField(max_length=63, blank=True, default="")
    # The UID of the object: another object may have its name later.
    uid = models.CharField(max_length=128, blank=True, default="")

    class Meta:
        indexes = [models.Index(fields=["cluster", "kind", "object"], name="event_object")]
