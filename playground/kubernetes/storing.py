"""A write of a client is a command like those of the page: in its history, undone there, replayed."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kubernetes_api import errors
from kubernetes_api.resources import Resource
from playground.clusters import commands
from playground.kubernetes import reading, waiting
from playground.kubernetes.requests import Request
from playground.models import Command, CommandState
from scheduler_core.objects.kinds.kept import kept_kind
from scheduler_core.objects.parse import parse_object
from scheduler_core.text.problems import ObjectError, shown

_AMOUNT = re.compile(r"\b(requests|limits|capacity|allocatable)\.([\w./-]+)$")
_CHOICES = re.compile(r'must be one of ("[^"]*"(?:, "[^"]*")*)')
_REASONS = {
    "Required value": "FieldValueRequired",
    "Duplicate value": "FieldValueDuplicate",
    "Forbidden": "FieldValueForbidden",
    "Unsupported value": "FieldValueNotSupported",
}


def check(resource: Resource, value: Mapping[str, Any]) -> None:
    """What scheduling cannot read is refused as an API server refuses it."""
    try:
        parse_object(value)
    except ObjectError as wrong:
        causes = [_cause(each.path, each.value, each.rule) for each in wrong.problems]
        raise errors.invalid(resource, str(value["metadata"].get("name", "")), causes) from wrong


def store(
    request: Request, resource: Resource, kind: str, objects: Sequence[Mapping[str, Any]], *, is_strict: bool = True
) -> None:
    """Give the command to the cluster and wait until it is carried out; ApiError.

    `is_strict`: most of a pod's spec stays as it is.
    """
    carry_out(request, resource, [writing(kind, objects, is_strict=is_strict)])


def remove(request: Request, resource: Resource, objects: Sequence[Mapping[str, Any]]) -> None:
    """They are gone: what they waited for is over."""
    carry_out(request, resource, [removing(objects)])


def writing(kind: str, objects: Sequence[Mapping[str, Any]], *, is_strict: bool = True) -> dict[str, Any]:
    payload: dict[str, Any] = {"kind": kind, "objects": [_without_version(each) for each in objects]}
    return payload | {"as_cluster": True} if kind == "update" and is_strict else payload


def _without_version(value: Mapping[str, Any]) -> dict[str, Any]:
    """Its version is that of the record that writes it."""
    metadata = {name: item for name, item in value["metadata"].items() if name != "resourceVersion"}
    return {**value, "metadata": metadata}


def removing(objects: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"kind": "delete", "objects": [_reference(each) for each in objects], "at_once": True}


def carry_out(request: Request, resource: Resource, payloads: Sequence[Mapping[str, Any]]) -> int:
    """These commands, one behind the other: in a cluster that lives nothing happens in between. The last one's number.

    `resource` is what the last one is about.
    """
    kind, objects = payloads[-1]["kind"], payloads[-1]["objects"]
    if len(payloads) == 1:
        command = commands.submit(request.cluster.pk, payloads[0], author=request.author)
    else:
        number = commands.submit_all(request.cluster.pk, payloads, author=request.author)
        # What lets the cluster go on stands behind it.
        command = Command.objects.filter(cluster_id=request.cluster.pk, number__lte=number, kind=kind).latest("number")
    done = _when_over(command)
    if done.state == CommandState.DONE:
        return command.number
    name = str(objects[-1].get("name") or (objects[-1].get("metadata") or {}).get("name", ""))
    if kind == "delete":
        raise errors.not_found(resource, name)
    if kind == "create" and reading.is_written(request.cluster, resource, reading.key_of(objects[-1])):
        # Another request made it while this one waited for its turn.
        raise errors.exists(resource, name)
    causes = [
        _cause(str(each["path"]).removeprefix("objects[0]."), each.get("value"), str(each["rule"]))
        for each in done.problems
    ]
    raise errors.invalid(resource, name, causes or [_cause("metadata", None, "the command was not carried out")])


def let_go_on(request: Request, number: int) -> None:
    """Wait a moment for what a living cluster makes of this command: what lets it go on stands right behind it."""
    if request.cluster.live:
        behind = Command.objects.filter(cluster_id=request.cluster.pk, number=number + 1).first()
        if behind is not None:
            waiting.over(behind, waiting.MOMENT_SECONDS)


def _reference(value: Mapping[str, Any]) -> dict[str, str]:
    metadata = value["metadata"]
    kind = kept_kind(value["apiVersion"], value["kind"])
    found = {"kind": kind, "namespace": metadata.get("namespace", ""), "name": metadata["name"]}
    return {key: text for key, text in found.items() if text}


def _when_over(command: Command) -> Command:
    found = waiting.over(command)
    if found is not None:
        return found
    raise errors.timeout("the cluster is busy: the write waits behind what runs, and will be carried out")


def _cause(path: str, value: Any, rule: str) -> dict[str, str]:
    """A problem as an API server names it."""
    path = _AMOUNT.sub(r"\1[\2]", path)
    if choices := _CHOICES.fullmatch(rule):
        names = ", ".join(sorted(choices[1].split(", ")))
        rule = f"Unsupported value: {shown(value)}: supported values: {names}"
    elif rule == "duplicate value":
        rule = f"Duplicate value: {shown(value)}"
    reason = next((name for words, name in _REASONS.items() if rule.startswith(words)), "")
    message = rule if reason else f"Invalid value: {shown(value) or 'null'}: {rule}"
    return {"reason": reason or "FieldValueInvalid", "message": message, "field": path}
