"""The writes of API clients that the UI lists: changes they made, and writes that were refused."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, TypedDict, cast

from django.db import transaction
from django.utils import timezone

from kube_apiserver.access import AuthorizationAttributes
from kube_apiserver.errors import ApiError
from kube_apiserver.resources import Resource
from kube_objects.sentences import data_of, packed, unpacked
from playground import limits
from playground.clusters.commands import MOST_WORDS
from playground.kubernetes.requests import Request
from playground.models import ClientRefusal, Cluster, Command, CommandState
from playground.news.publisher import look
from playground.store import undo_stacks
from simulator.simulation.commands.table import label_of

MOST = 50
_VERBS = {
    ("create", ""): "create",
    ("create", "eviction"): "delete",
    ("delete", ""): "delete",
    ("deletecollection", ""): "delete",
}


class ClientWrite(TypedDict):
    """A write of a client.

    `number` is that of its command, null for a refused one. `back` is the number of undos that revert it, `forth` the
    number of redos that restore it, 0 if none does. `go` is the newest change that is undone and redone together with
    it, such as the changes of one kubectl command, or its own number. `kind` and `key` identify its object, and are ""
    for several objects. `code`, `reason` and `message` are from the Status that the client got, and `times` is the
    number of equal refusals.
    """

    number: int | None
    client: str
    what: str
    kind: str
    key: str
    at: str
    state: Literal["waiting", "done", "undone", "refused"]
    back: int
    forth: int
    go: int | None
    code: int
    reason: str
    message: str
    times: int


class ClientWrites(TypedDict):
    """The last writes, newest first."""

    writes: list[ClientWrite]


def writes(cluster: Cluster) -> ClientWrites:
    """Return the last writes and refusals, newest first."""
    made = _made(undo_stacks.newest_changes(cluster.pk))
    refused = [_refusal(row) for row in ClientRefusal.objects.filter(cluster=cluster).order_by("-at")[:MOST]]
    shown = sorted([*made, *refused], key=lambda write: write["at"], reverse=True)[:MOST]
    return {"writes": shown}


def _made(newest: Sequence[Command]) -> list[ClientWrite]:
    """Return the writes among these changes, undos and redos, newest first."""
    by_number = {command.number: command for command in newest}

    def read(before: int) -> Sequence[Command]:
        return [command for command in newest if command.number < before]

    def origin(command: Command) -> int:
        """Return the number of the change that is done, undone or redone."""
        while inverted := by_number.get(command.undoes or command.redoes or 0):
            command = inverted
        return command.number

    places: dict[str, dict[int, tuple[int, int]]] = {"back": {}, "forth": {}}
    for place, stack in (("back", undo_stacks.read_undo_stack(read)), ("forth", undo_stacks.read_redo_stack(read))):
        for count, change_set in enumerate(undo_stacks.split_change_sets(stack), 1):
            numbers = [origin(command) for command in change_set]
            places[place].update(dict.fromkeys(numbers, (count, max(numbers))))
    return [
        _change(command, places["back"].get(command.number), places["forth"].get(command.number))
        for command in newest
        if command.client and command.undoes is None and command.redoes is None
    ]


def _change(command: Command, back: tuple[int, int] | None, forth: tuple[int, int] | None) -> ClientWrite:
    """Return a change. `back` and `forth` are its place in the undo or redo stack, and the newest change of its set."""
    is_waiting = command.state in (CommandState.QUEUED, CommandState.RUNNING)
    what = unpacked(command.what)
    kind, _, key = str(((data_of(what) or {}).get("args") or {}).get("what", "")).partition(" ")
    return _sentence(
        what,
        number=command.number,
        client=command.client,
        kind=kind,
        key=key,
        at=command.created.isoformat(),
        state="waiting" if is_waiting else "done" if back else "undone",
        back=back[0] if back and not is_waiting else 0,
        forth=forth[0] if forth else 0,
        go=(back or forth or (0, command.number))[1],
    )


def _refusal(row: ClientRefusal) -> ClientWrite:
    return _sentence(
        unpacked(row.what),
        client=row.client,
        kind=row.kind,
        key=row.key,
        at=row.at.isoformat(),
        code=row.code,
        reason=row.reason,
        message=row.message,
        times=row.times,
    )


def _sentence(what: str, **fields: Any) -> ClientWrite:
    data = data_of(what)
    nothing = {"number": None, "go": None, "back": 0, "forth": 0}
    otherwise = {**nothing, "state": "refused", "code": 0, "reason": "", "message": "", "times": 1}
    sentence = {} if data is None else {"said": {"what": data}}
    return cast(ClientWrite, {"what": what, **otherwise, **fields, **sentence})


def refused(request: Request, resource: Resource, attributes: AuthorizationAttributes, error: ApiError) -> None:
    """Store a refused write and notify the UI. Skip reads and dry runs."""
    if request.method in ("GET", "HEAD") or _is_dry_run(request):
        return
    about = {
        "kind": resource.kind,
        "namespace": attributes.namespace if resource.namespaced else "",
        "name": attributes.name or _named(request),
    }
    texts = {name: text for name, text in about.items() if text}
    key = "/".join(filter(None, (about["namespace"], about["name"])))
    verb = _VERBS.get((attributes.verb, attributes.resource.partition("/")[2]), "update")
    manifest = texts if verb == "delete" else {"kind": resource.kind, "metadata": texts}
    what = packed(label_of({"kind": verb, "objects": [manifest]}), MOST_WORDS)
    _keep(
        request.cluster,
        client=request.client,
        what=what,
        kind=resource.kind,
        key=key[:400],
        code=error.code,
        reason=str(error.status.get("reason", ""))[:40],
        message=str(error)[: limits.REFUSAL_MESSAGE],
    )
    look(request.cluster.pk)


def _keep(cluster: Cluster, **fields: Any) -> None:
    rows = ClientRefusal.objects.filter(cluster=cluster).order_by("-at")
    with transaction.atomic():
        last = rows.first()
        if last is not None and all(getattr(last, name) == value for name, value in fields.items()):
            ClientRefusal.objects.filter(pk=last.pk).update(times=last.times + 1, at=timezone.now())
            return
        ClientRefusal.objects.create(cluster=cluster, at=timezone.now(), **fields)
        newest = rows.values_list("pk", flat=True)[: limits.REFUSALS_PER_CLUSTER]
        ClientRefusal.objects.filter(cluster=cluster).exclude(pk__in=list(newest)).delete()


def _is_dry_run(request: Request) -> bool:
    with suppress(ApiError):
        return request.is_dry_run
    return False


def _named(request: Request) -> str:
    """Return the name in the body of a create request, or "" if there is none."""
    with suppress(ApiError):
        body = request.body()
        metadata = body.get("metadata") if isinstance(body, Mapping) else None
        if isinstance(metadata, Mapping):
            return str(metadata.get("name") or metadata.get("generateName") or "")[:253]
    return ""
