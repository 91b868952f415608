"""Undo data: the state of objects and configuration before a user's change, from which its inverse is made."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from playground.models import BeforeChange, Cluster, ClusterObject, Command, SchedulerConfig
from playground.packing import pack
from playground.store.quota import ROW_BYTES
from playground.store.rows import insert_rows
from scheduler_core.emulations import EMULATIONS
from scheduler_core.gates import gates_text
from simulator.simulation import Record
from simulator.simulation.commands.command import Command as CommandSpec
from simulator.simulation.commands.table import COMMANDS

BATCH = 500
# Manifests written by earlier commands of the transaction, by kind and key. None stands for a deleted object.
Written = dict[tuple[str, str], Any]


def store_undo(cluster_id: int, commands: Iterable[tuple[int, str, bool, Sequence[Record]]]) -> int:
    """Store the undo data of these commands (number, kind, whether it is complete, records). Return its size in bytes.

    Call this before the records are written, in the same transaction.
    """
    taken = 0
    written: Written = {}
    for number, kind, is_over, records in commands:
        taken += _store_undo_of(cluster_id, number, kind, is_over, records, written)
        written.update(((kind, key), manifest) for record in records for _, kind, key, manifest in record.manifests)
    return taken


def _store_undo_of(
    cluster_id: int, number: int, kind: str, is_over: bool, records: Sequence[Record], written: Written
) -> int:
    """Store the undo data of one command, unless it changed nothing.

    The records of a long command are stored in several commits, one of which has its change.
    """
    spec = COMMANDS[kind]
    if not spec.is_change or not records:
        return 0
    body = _undo_data(cluster_id, spec, records, written)
    if not body:
        if not is_over or BeforeChange.objects.filter(cluster_id=cluster_id, number=number).exists():
            return 0
        Command.objects.filter(cluster_id=cluster_id, number=number).update(what="")
        return 0
    packed = pack(json.dumps(body, separators=(",", ":")))
    insert_rows(BeforeChange, ("cluster_id", "number", "body"), [(cluster_id, number, packed)])
    return len(packed) + ROW_BYTES


def _undo_data(cluster_id: int, spec: CommandSpec, records: Sequence[Record], written: Written) -> dict[str, Any]:
    # Select the records of the change itself. Its effects have records of other kinds or by other writers.
    own = [one for one in records if one.data["kind"] == spec.record and one.data.get("by", "api") == "api"]
    if any(record.data["kind"] == "config" for record in own):
        configs = SchedulerConfig.objects.filter(cluster_id=cluster_id).order_by("-version")
        return {"yaml": configs.values_list("yaml", flat=True)[0]}
    if spec.record == "gates":
        return _gates_before(cluster_id, own)
    if spec.record == "actors":
        return {"actors": Cluster.everything.values_list("actors", flat=True).get(pk=cluster_id)} if own else {}
    keys = {(kind, key): None for record in own for _, kind, key, _ in record.manifests}
    manifests = _manifests(cluster_id, [key for key in keys if key not in written]) | written
    return {"objects": [[kind, key, manifests.get((kind, key))] for kind, key in keys]} if keys else {}


def _gates_before(cluster_id: int, own: Sequence[Record]) -> dict[str, Any]:
    """Return the feature gates before the change, or an empty dictionary if they are the same."""
    was = gates_text(EMULATIONS[Cluster.everything.values_list("emulates", flat=True).get(pk=cluster_id)].gates)
    return {"gates": was} if own and own[0].data["gates"] != was else {}


def _manifests(cluster_id: int, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Any]:
    """Return the stored manifests by kind and key, as they are before the new records."""
    by_kind: dict[str, list[str]] = {}
    for kind, key in wanted:
        by_kind.setdefault(kind, []).append(key)
    manifests: dict[tuple[str, str], Any] = {}
    for kind, keys in by_kind.items():
        for start in range(0, len(keys), BATCH):
            batch = keys[start : start + BATCH]
            rows = ClusterObject.objects.select_by_keys(cluster_id=cluster_id, kind=kind, keys=batch)
            manifests.update(((kind, key), json.loads(manifest)) for key, manifest, _ in rows)
    return manifests
