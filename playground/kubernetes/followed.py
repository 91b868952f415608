"""What clients do to a cluster, as its page follows it: the changes they made, and the writes they were refused."""

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
from playground.store import changes
from simulator.simulation.commands.table import label_of

MOST = 50
_VERBS = {
    ("create", ""): "create",
    ("create", "eviction"): "delete",
    ("delete", ""): "delete",
    ("deletecollection", ""): "delete",
}


class ClientWrite(TypedDict):
    """What a client did, or wanted to.

    `number` is that of its command, null for what was refused. `back` is how many undos take it back, `forth` how many
    redos make it again, 0 where none does. `go` is the newest change that is undone and redone as one with it, as what
    a command of kubectl changes; its own number, if it was made alone. `kind` and `key` are of the one object that it
    is about, "" where it is about several. `code`, `reason` and `message` are the Status that it was told, `times` how
    often.
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
    """The last writes, the newest first."""

    writes: list[ClientWrite]


def writes(cluster: Cluster) -> ClientWrites:
    """The last of them, the newest first."""
    made = _made(changes.newest(cluster.pk))
    refused = [_refusal(row) for row in ClientRefusal.objects.filter(cluster=cluster).order_by("-at")[:MOST]]
    shown = sorted([*made, *refused], key=lambda write: write["at"], reverse=True)[:MOST]
    return {"writes": shown}


def _made(newest: Sequence[Command]) -> list[ClientWrite]:
    """Return the writes among these changes, undos and redos, the newest first."""
    by_number = {command.number: command for command in newest}

    def read(before: int) -> Sequence[Command]:
        return [command for command in newest if command.number < before]

    def origin(command: Command) -> int:
        """Return the number of the change that is done, undone or redone."""
        while inverted := by_number.get(command.undoes or command.redoes or 0):
            command = inverted
        return command.number

    places: dict[str, dict[int, tuple[int, int]]] = {"back": {}, "forth": {}}
    for place, stack in (("back", changes.read_undo_stack(read)), ("forth", changes.read_redo_stack(read))):
        for count, change_set in enumerate(changes.split_change_sets(stack), 1):
            numbers = [origin(command) for command in change_set]
            places[place].update(dict.fromkeys(numbers, (count, max(numbers))))
    return [
        _change(command, places["back"].get(command.number), places["forth"].get(command.number))
        for command in newest
        if command.client and command.undoes is None and command.redoes is None
    ]


def _change(command: Command, back: tuple[int, int] | None, forth: tuple[int, int] | None) -> ClientWrite:
    """`back` and `forth`: which undo or redo it is, and the newest change that is undone or redone with it."""
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
    """Keep that a write was refused, and have the pages see it. What was only tried is not told."""
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
    given = texts if verb == "delete" else {"kind": resource.kind, "metadata": texts}
    what = packed(label_of({"kind": verb, "objects": [given]}), MOST_WORDS)
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
    """The name in the body of what was to be created; "" where there is none to be read."""
    with suppress(ApiError):
        body = request.body()
        metadata = body.get("metadata") if isinstance(body, Mapping) else None
        if isinstance(metadata, Mapping):
            return str(metadata.get("name") or metadata.get("generateName") or "")[:253]
    return ""
