"""Commands: what users ask for becomes a row, in order; a worker does the rest."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F

from playground import limits
from playground.models import Cluster, Command
from playground.packing import pack
from playground.problems import Refused, of_error, problem
from playground.services import quota
from playground.services.wake import wake
from scheduler_core.simulation import CommandError
from scheduler_core.simulation.commands import check

WITH_OBJECTS = ("create", "update")


def submit(cluster_id: int, payload: Mapping[str, Any], key: str | None = None, author: str = "") -> Command:
    """Queue a command and wake a worker once it is stored. The same `key` again gives the same command back.

    Raises Refused for a command of the wrong form, for a key that was used for another command, and with status 429
    when too many wait.
    """
    try:
        check(payload)
    except CommandError as error:
        raise Refused(of_error(error)) from error
    text = json.dumps(payload, separators=(",", ":"))
    packed = pack(text)
    # The command is kept packed; its objects are kept as they are, too.
    taken = len(packed) + quota.ROW_BYTES + len(text) * (payload["kind"] in WITH_OBJECTS)
    with transaction.atomic():
        cluster = Cluster.objects.select_for_update().get(pk=cluster_id)
        if key is not None and (known := Command.objects.filter(cluster=cluster, key=key).first()):
            if known.payload != payload:
                raise Refused([problem("key", f"was used for command {known.number}, which is another one", key)], 409)
            return known
        if cluster.submitted - cluster.applied >= limits.COMMANDS_WAITING:
            raise Refused(
                [problem("", f"{limits.COMMANDS_WAITING} commands wait already", hint="try again later")], 429
            )
        quota.check(cluster_id, taken)
        number = cluster.submitted + 1
        command = Command(cluster=cluster, number=number, key=key, kind=payload["kind"], payload=packed, author=author)
        command.save(force_insert=True)
        command.payload = payload
        Cluster.objects.filter(pk=cluster_id).update(submitted=number, stored_bytes=F("stored_bytes") + taken)
        transaction.on_commit(partial(wake, cluster_id))
    return command


def pause(cluster_id: int) -> None:
    """Tell every run that was posted until now to stop; one posted later is not meant."""
    Cluster.objects.filter(pk=cluster_id).update(paused_through=F("submitted"))


def set_pace(cluster_id: int, cycles_per_second: float) -> None:
    """How fast runs go from now on; 0 is as fast as it goes."""
    Cluster.objects.filter(pk=cluster_id).update(pace=cycles_per_second)
