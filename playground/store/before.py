"""What a user's change found, kept with the change: from it its inverse is made."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from playground.models import BeforeChange, Cluster, ClusterObject, Command, SchedulerConfig
from playground.packing import pack
from playground.store.quota import ROW_BYTES
from playground.store.rows import insert
from scheduler_core.emulations import EMULATIONS
from scheduler_core.gates import gates_text
from simulator.simulation import Record
from simulator.simulation.commands.command import Command as Meant
from simulator.simulation.commands.table import COMMANDS

BATCH = 500
# What commands ahead in the same transaction made of objects, by kind and key; None: they are gone.
Written = dict[tuple[str, str], Any]


def remember(cluster_id: int, commands: Iterable[tuple[int, str, bool, Sequence[Record]]]) -> int:
    """To be called in the transaction that stores the records of these commands (number, kind, whether it is over,
    records), ahead of them; the bytes that this takes.
    """
    taken = 0
    written: Written = {}
    for number, kind, is_over, records in commands:
        taken += _remember(cluster_id, number, kind, is_over, records, written)
        written.update(((kind, key), manifest) for record in records for _, kind, key, manifest in record.manifests)
    return taken


def _remember(
    cluster_id: int, number: int, kind: str, is_over: bool, records: Sequence[Record], written: Written
) -> int:
    """A command that changed nothing is no change: there is nothing to take back.

    The records of a long command are stored in parts, and one of these has its change.
    """
    meant = COMMANDS[kind]
    if not meant.is_change or not records:
        return 0
    body = _found(cluster_id, meant, records, written)
    if not body:
        if not is_over or BeforeChange.objects.filter(cluster_id=cluster_id, number=number).exists():
            return 0
        Command.objects.filter(cluster_id=cluster_id, number=number).update(what="")
        return 0
    packed = pack(json.dumps(body, separators=(",", ":")))
    insert(BeforeChange, ("cluster_id", "number", "body"), [(cluster_id, number, packed)])
    return len(packed) + ROW_BYTES


def _found(cluster_id: int, meant: Meant, records: Sequence[Record], written: Written) -> dict[str, Any]:
    # What follows from the change, or happens on the way, is in records of other kinds, or is nobody's deed.
    own = [one for one in records if one.data["kind"] == meant.record and one.data.get("by", "api") == "api"]
    if any(record.data["kind"] == "config" for record in own):
        configs = SchedulerConfig.objects.filter(cluster_id=cluster_id).order_by("-version")
        return {"yaml": configs.values_list("yaml", flat=True)[0]}
    if meant.record == "gates":
        return _gates_before(cluster_id, own)
    if meant.record == "actors":
        return {"actors": Cluster.everything.values_list("actors", flat=True).get(pk=cluster_id)} if own else {}
    keys = {(kind, key): None for record in own for _, kind, key, _ in record.manifests}
    manifests = _manifests(cluster_id, [key for key in keys if key not in written]) | written
    return {"objects": [[kind, key, manifests.get((kind, key))] for kind, key in keys]} if keys else {}


def _gates_before(cluster_id: int, own: Sequence[Record]) -> dict[str, Any]:
    """None where they were the same ones before."""
    was = gates_text(EMULATIONS[Cluster.everything.values_list("emulates", flat=True).get(pk=cluster_id)].gates)
    return {"gates": was} if own and own[0].data["gates"] != was else {}


def _manifests(cluster_id: int, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Any]:
    """The objects as they are stored, before these records are."""
    by_kind: dict[str, list[str]] = {}
    for kind, key in wanted:
        by_kind.setdefault(kind, []).append(key)
    found: dict[tuple[str, str], Any] = {}
    for kind, keys in by_kind.items():
        for start in range(0, len(keys), BATCH):
            batch = keys[start : start + BATCH]
            rows = ClusterObject.objects.select_by_keys(cluster_id=cluster_id, kind=kind, keys=batch)
            found.update(((kind, key), json.loads(manifest)) for key, manifest, _ in rows)
    return found
