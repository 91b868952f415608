"""What clients do to a cluster, as its page follows it: the changes they made, and the writes they were refused."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal, TypedDict, cast

from django.db import transaction
from django.utils import timezone

from kubernetes_api.access import Wish
from kubernetes_api.errors import ApiError
from kubernetes_api.resources import Resource
from playground import limits
from playground.clusters.commands import MOST_WORDS
from playground.kubernetes.requests import Request
from playground.models import ClientRefusal, Cluster, Command, CommandState
from playground.news.publisher import look
from playground.store import changes
from playground.store.changes import Changes
from scheduler_core.sentences import data_of, packed, unpacked
from scheduler_core.simulation.commands.table import label_of

MOST = 50
_VERBS = {
    ("create", ""): "create",
    ("create", "eviction"): "delete",
    ("delete", ""): "delete",
    ("deletecollection", ""): "delete",
}


class ClientWrite(TypedDict):
    """What a client did, or wanted to.

    `number` is that of its command, null for what was refused. `back` is how many undos take it back, 0 where none
    does. `kind` and `key` are of the one object that it is about, "" where it is about several. `code`, `reason` and
    `message` are the Status that it was told, `times` how often.
    """

    number: int | None
    client: str
    what: str
    kind: str
    key: str
    at: str
    state: Literal["waiting", "done", "undone", "refused"]
    back: int
    code: int
    reason: str
    message: str
    times: int


class ClientWrites(TypedDict):
    writes: list[ClientWrite]


def writes(cluster: Cluster) -> ClientWrites:
    """The last of them, the newest first."""
    made = _made(cluster)
    refused = [_refusal(row) for row in ClientRefusal.objects.filter(cluster=cluster).order_by("-at")[:MOST]]
    return {"writes": sorted([*made, *refused], key=lambda write: write["at"], reverse=True)[:MOST]}


def _made(cluster: Cluster) -> list[ClientWrite]:
    newest = changes.newest(cluster.pk)
    stacks = Changes()
    for command in reversed(newest):
        stacks.add(command)
    back = {command.number: number for number, command in enumerate(reversed(stacks.done), 1)}
    theirs = (command for command in newest if command.undoes is None and changes.client_of(command.author))
    return [_change(command, back.get(command.number, 0)) for command in theirs]


def _change(command: Command, back: int) -> ClientWrite:
    is_waiting = command.state in (CommandState.QUEUED, CommandState.RUNNING)
    what = unpacked(command.what)
    kind, _, key = str(((data_of(what) or {}).get("args") or {}).get("what", "")).partition(" ")
    return _sentence(
        what,
        number=command.number,
        client=changes.client_of(command.author),
        kind=kind,
        key=key,
        at=command.created.isoformat(),
        state="waiting" if is_waiting else "done" if back else "undone",
        back=0 if is_waiting else back,
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
    otherwise = {"number": None, "state": "refused", "back": 0, "code": 0, "reason": "", "message": "", "times": 1}
    sentence = {} if data is None else {"said": {"what": data}}
    return cast(ClientWrite, {"what": what, **otherwise, **fields, **sentence})


def refused(request: Request, resource: Resource, wish: Wish, error: ApiError) -> None:
    """Keep that a write was refused, and have the pages see it. What was only tried is not told."""
    if request.method in ("GET", "HEAD") or _is_dry_run(request):
        return
    about = {"kind": resource.kind, "namespace": wish.namespace, "name": wish.name or _named(request)}
    texts = {name: text for name, text in about.items() if text}
    key = "/".join(filter(None, (about["namespace"], about["name"])))
    verb = _VERBS.get((wish.verb, wish.resource.partition("/")[2]), "update")
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
