"""The limits for the storage of a cluster and of the disk."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection
from django.db.models import F

from kube_apiserver import controller_validation
from kube_objects.sentences import say
from playground import limits
from playground.models import Cluster, ShareView
from playground.problems import Problem, Refused, problem

MIB = 1 << 20
_LOG_SHARE = 8
# The size of a row without its long columns, with its share of the indexes. See docs/explanation/performance.md.
ROW_BYTES = 250


class StorageUse(NamedTuple):
    """Values of a cluster's row: the bytes that its history takes, and the shared moment that it shows."""

    stored: int
    shared: int | None


def stored_bytes(cluster_id: int) -> int:
    """Return the bytes that the cluster's history takes."""
    size: int = (Cluster.objects.find_storage(cluster_id=cluster_id) or (0, None))[0]
    return size


def check_quota(cluster_id: int, more: int = 0, used: StorageUse | None = None) -> None:
    """Raise Refused, with status 409, if the cluster may not store `more` bytes."""
    problem = quota_problem(cluster_id, more, used)
    if problem is not None:
        raise Refused([problem], 409)


def quota_problem(cluster_id: int, more: int = 0, used: StorageUse | None = None) -> Problem | None:
    """Return the reason why the cluster can't store `more` bytes, or None if it can. `used` saves a read."""
    stored, shared = used or Cluster.objects.find_storage(cluster_id=cluster_id) or (0, None)
    # Anonymous visitors may play a shared moment, so it gets less room than a user's own cluster.
    most = settings.CLUSTER_QUOTA if shared is None else min(limits.SHARE_VIEW_BYTES, settings.CLUSTER_QUOTA)
    if stored + more > most:
        quota, used = most // MIB, -(-(stored + more) // MIB)
        rule = say(
            "the cluster's quota of {quota} MiB is used up: its history takes {used} MiB", quota=quota, used=used
        )
        return problem(
            "",
            rule,
            hint=say("export the cluster and start a new one with it, or ask the operator to raise CLUSTER_QUOTA_MB"),
        )
    return disk_problem()


def shared_view_problem(view_id: int, objects: int, seconds: float) -> Problem | None:
    """Add `seconds` of work to a shared moment.

    Return the reason why it may not continue with this many objects, or None.

    Anonymous visitors may open a link, so its work must not hold a worker for long. The database counts the seconds,
    because several workers may take turns at one moment.
    """
    view = ShareView.objects.filter(pk=view_id)
    if seconds:
        view.update(worked=F("worked") + seconds)
    worked = view.values_list("worked", flat=True).first() or 0.0
    if objects <= limits.SHARE_VIEW_OBJECTS and worked <= limits.SHARE_VIEW_WORK_SECONDS:
        return None
    rule = say(
        "a shared snapshot can have at most {most} objects and {seconds} seconds of processing",
        most=limits.SHARE_VIEW_OBJECTS,
        seconds=limits.SHARE_VIEW_WORK_SECONDS,
    )
    return problem("", rule, hint=say("try it in your own cluster"))


def disk_problem(more: int = 0) -> Problem | None:
    """Return the reason why no cluster can store `more` bytes, or None.

    Only an embedded database is on a local disk.
    """
    if connection.vendor != "sqlite":
        return None
    folder = Path(connection.settings_dict["NAME"]).parent
    free = shutil.disk_usage(folder).free
    if free - more >= settings.MIN_FREE_DISK:
        return None
    # SQLite reuses the pages of deleted clusters. A part of the disk stays free for its write-ahead log.
    if free >= settings.MIN_FREE_DISK // _LOG_SHARE and free + _reusable_bytes() - more >= settings.MIN_FREE_DISK:
        return None
    rule = say(
        "the disk is nearly full: {n} MiB are left, and {least} MiB must stay free",
        n=free // MIB,
        least=settings.MIN_FREE_DISK // MIB,
    )
    return problem("", rule, hint=say("delete clusters, or make room on the disk that holds DATA_DIR"))


def _reusable_bytes() -> int:
    """Return the bytes of the pages that are in an embedded database's file but not in use."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")
        row = cursor.fetchone()
    return int(row[0])


# Source: etcd server/embed/config.go DefaultMaxRequestBytes.
MAX_OBJECT_BYTES = 1_572_864
_TAG_BYTES = 2


class ObjectTooLargeError(Refused):
    """An object that is too large for etcd."""


def check_sizes(objects: Sequence[Any]) -> None:
    """Raise ObjectTooLargeError, with status 400, for objects that need more than MAX_OBJECT_BYTES in etcd."""
    sizes = {n: object_size(value) for n, value in enumerate(objects) if isinstance(value, Mapping)}
    rule = say("etcd stores at most {most} bytes for an object", most=MAX_OBJECT_BYTES)
    hint = say("remove data or managed fields, or use several objects")
    too_large = [problem(f"objects[{n}]", rule, size, hint) for n, size in sizes.items() if size > MAX_OBJECT_BYTES]
    if too_large:
        raise ObjectTooLargeError(too_large)


def object_size(value: Mapping[str, Any]) -> int:
    """Return the bytes that an object takes in etcd: custom resources as JSON, others about as in protobuf."""
    size = len(json.dumps(value, separators=(",", ":")))
    if size <= MAX_OBJECT_BYTES:
        # Escapes only make the text longer.
        return size
    if controller_validation.resource_of(value) is None:
        return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode(errors="replace"))
    return _protobuf_size(value)


def _protobuf_size(value: Any) -> int:
    """Return about the size in protobuf, which stores texts without escapes."""
    if isinstance(value, Mapping):
        return sum(_protobuf_size(name) + _protobuf_size(item) for name, item in value.items())
    if isinstance(value, list | tuple):
        return sum(map(_protobuf_size, value))
    return _TAG_BYTES + (len(value.encode(errors="replace")) if isinstance(value, str) else 1)
