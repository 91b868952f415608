"""Writes of clients as commands, which the history contains, undo reverts and replay repeats."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from kube_apiserver import causes, errors
from kube_apiserver.resources import Resource
from kube_objects.kinds.storage_kind import storage_kind
from kube_objects.parse import parse_object
from kube_objects.text.problems import ObjectError
from playground.clusters import commands
from playground.kubernetes import object_reads, resource_versions, waiting
from playground.kubernetes.requests import Request
from playground.models import ClusterObject, Command, CommandState
from playground.problems import to_engine_problem
from playground.store.quota import ObjectTooLargeError
from simulator.simulation.object_changes import VERSION_PATH, digest_of

MOST_TRIES = 20
UNCHANGED = "unchanged"
T = TypeVar("T")


def check(resource: Resource, value: Mapping[str, Any]) -> None:
    """Raise ApiError for an object that the scheduler can't parse."""
    try:
        parse_object(value)
    except ObjectError as wrong:
        invalid = [causes.of_problem(each) for each in wrong.problems]
        raise errors.invalid(resource, str(value["metadata"].get("name", "")), invalid) from wrong


class ChangedError(Exception):
    """An object changed between the read of a request and its write."""


def retry_conflicts(resource: Resource, name: str, attempt: Callable[[], T]) -> T:
    """Return the result of `attempt`, which reads, changes and writes. Repeat it while other writes come in between.

    Raise ApiError 409 after MOST_TRIES. Source: apiserver/pkg/storage/etcd3/store.go GuaranteedUpdate.
    """
    for _ in range(MOST_TRIES):
        with suppress(ChangedError):
            return attempt()
    raise errors.modified(resource, name)


def write_payload(
    kind: str,
    objects: Sequence[Mapping[str, Any]],
    *,
    is_strict: bool = True,
    live: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return a command that writes all of these objects or none.

    `is_strict` forbids most changes of a Pod's spec. `live` are the objects as read, in the same order. The command
    fails if one of them has changed since.
    """
    payload: dict[str, Any] = {"kind": kind, "objects": [_without_version(each) for each in objects]}
    if live:
        payload[UNCHANGED] = _versions_of(live)
    return payload | {"as_cluster": True} if kind == "update" and is_strict else payload


def _without_version(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object without its version, because the record that writes it sets a new one."""
    metadata = {name: item for name, item in value["metadata"].items() if name != "resourceVersion"}
    return {**value, "metadata": metadata}


def delete_payload(live: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a command that deletes all of these objects or none. It fails if one of them has changed meanwhile."""
    references = [_reference(each) for each in live]
    return {"kind": "delete", "objects": references, "at_once": True, UNCHANGED: _versions_of(live)}


def _versions_of(live: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(each["metadata"].get("resourceVersion") or "") for each in live]


def submit_and_wait(request: Request, resource: Resource, payloads: Sequence[Mapping[str, Any]]) -> int:
    """Submit commands as one uninterrupted sequence, wait for them, and return the number of the last one.

    `resource` is the resource of the last command's first object. Raise ChangedError if an object that a command
    depends on has changed. The other commands have been applied in that case.
    """
    payloads = [_with_digests(request, each) for each in payloads]
    kind, main = payloads[-1]["kind"], payloads[-1]["objects"][0]
    try:
        if len(payloads) == 1:
            command = commands.submit(request.cluster.pk, payloads[0], **request.writer)
        else:
            number = commands.submit_all(request.cluster.pk, payloads, **request.writer)
            assert number is not None
            command = Command.objects.get(cluster_id=request.cluster.pk, number=number)
    except ObjectTooLargeError as error:
        raise errors.storage_too_large() from error
    done = waiting.over(command)
    if done is None:
        raise errors.timeout("the cluster is busy: the write waits behind what runs, and will be carried out")
    name = str(main.get("name") or (main.get("metadata") or {}).get("name", ""))
    first = command.number - len(payloads) + 1
    earlier = Command.objects.filter(cluster_id=request.cluster.pk, number__range=(first, command.number - 1))
    problems = [problem for each in (*(earlier if len(payloads) > 1 else ()), done) for problem in each.problems]
    if any(str(each["path"]).endswith(VERSION_PATH) for each in problems):
        raise ChangedError(name)
    if done.state == CommandState.DONE:
        return command.number
    if kind == "delete":
        # Another client deleted one of the objects first.
        raise ChangedError(name)
    if kind == "create" and object_reads.is_written(request.cluster, resource, object_reads.key_of(main)):
        # Another request created it while this one waited.
        raise errors.exists(resource, name)
    raise errors.invalid(resource, name, _causes(done))


def _causes(failed: Command) -> list[causes.Cause]:
    """Return the causes why a command failed, with the paths of its first object."""
    reasons = [causes.of_problem(to_engine_problem(each)) for each in failed.problems]
    if not reasons:
        return [causes.invalid("metadata", None, "the command was not carried out")]
    return [{**each, "field": each["field"].removeprefix("objects[0].")} for each in reasons]


def _with_digests(request: Request, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the command with digests of the stored objects instead of the versions that were read."""
    if UNCHANGED not in payload:
        return payload
    digests = []
    for value, version in zip(payload["objects"], payload[UNCHANGED], strict=False):
        is_reference = payload["kind"] == "delete"
        kind = value["kind"] if is_reference else storage_kind(value["apiVersion"], value["kind"])
        key = object_reads.key_of({"metadata": value} if is_reference else value)
        row = ClusterObject.objects.find_row(cluster_id=request.cluster.pk, kind=kind, key=key)
        if row is None or version != str(resource_versions.object_version(row[2], kind, key)):
            raise ChangedError(key)
        digests.append(digest_of(json.loads(row[1])))
    return {**payload, UNCHANGED: digests}


def wait_for_live_run(request: Request, number: int) -> None:
    """Wait briefly for the controllers of a live cluster.

    The command that lets them continue directly follows this one.
    """
    if request.cluster.live:
        behind = Command.objects.filter(cluster_id=request.cluster.pk, number=number + 1).first()
        if behind is not None:
            waiting.over(behind, waiting.MOMENT_SECONDS)


def _reference(value: Mapping[str, Any]) -> dict[str, str]:
    metadata = value["metadata"]
    kind = storage_kind(value["apiVersion"], value["kind"])
    fields = {"kind": kind, "namespace": metadata.get("namespace", ""), "name": metadata["name"]}
    return {key: text for key, text in fields.items() if text}
