"""Lists for clients: the selected objects at a version, in pages and in the requested form."""

import base64
import binascii
import heapq
import json
import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kube_apiserver import controller_fields, conversion, errors
from kube_apiserver.reads import forms, list_options, selectors
from kube_apiserver.resources import Resource
from playground.kubernetes import object_reads, resource_versions, watch_events
from playground.kubernetes.object_reads import Object
from playground.kubernetes.requests import Request
from playground.models import Cluster
from playground.store import watch_changes
from playground.store.read_snapshot import read_snapshot
from playground.web.request_guard import calculating

MOST_AT_ONCE = 5_000
"""The limit of objects in an answer. Clients request larger lists in pages."""
_FORMAT = "meta.k8s.io/v1"


@dataclass(frozen=True, slots=True)
class ListPage:
    """Objects of a list, and the key after which the next page begins, or "" on the last page."""

    items: list[Object]
    more: str


def read_page(request: Request, resource: Resource, namespace: str, *, as_rows: bool = True) -> Mapping[str, Any]:
    """Return a page of a list in the requested form: a List, a Table or only metadata."""
    form = forms.wanted(request.accept, request.query("includeObject")) if as_rows else forms.Form(forms.WHOLE)
    matches, limit = select_objects(request, resource), request.number("limit")
    list_options.check(request.options, is_watch=False)
    if request.query("resourceVersion") == "0" and limit:
        # A server answers this from its cache, without pages.
        limit = MOST_AT_ONCE
    # An invalid number is an error even if nothing waits.
    request.number("timeoutSeconds")
    watch_changes.start_storing(request.cluster)
    start = f"{namespace}/" if namespace else ""
    with read_snapshot():
        version, after = _where(
            request, resource_versions.cluster_version(object_reads.refresh_revision(request.cluster)), start
        )
        objects = _as_of(request.cluster, resource, namespace, after, version)
        with calculating():
            page = _page((each for each in objects if matches(each)), limit, resource)
        metadata: Object = {"resourceVersion": str(version)}
        if page.more:
            metadata["continue"] = _token(version, page.more.removeprefix(start))
            if resource.kind != "Event" and not request.query("labelSelector") and not request.query("fieldSelector"):
                rows = object_reads.rows_of(request.cluster, resource, namespace)
                metadata["remainingItemCount"] = max(rows.filter(key__gt=page.more).count(), 1)
    kind = {"kind": f"{resource.manifest_kind}List", "apiVersion": resource.api_version}
    # The List itself names their kind.
    items = [without_kind(each) for each in page.items] if as_rows else page.items
    whole = {**kind, "metadata": metadata, "items": items}
    with calculating():
        return form.all(conversion.printed(resource, request.served), page.items, whole, request.now)


def without_kind(value: Object) -> Object:
    return {name: part for name, part in value.items() if name not in ("kind", "apiVersion")}


def convert_object(request: Request, resource: Resource, value: Object) -> Mapping[str, Any]:
    """Return one object in the requested form."""
    form = forms.wanted(request.accept, request.query("includeObject"))
    if form.name != forms.TABLE:
        value = controller_fields.add(resource, value)
    return form.one(conversion.printed(resource, request.served), value, request.now)


def select_objects(request: Request, resource: Resource, name: str = "") -> selectors.Match:
    """Return the filter of a request. A `name` counts as a field selector."""
    label, of_field = request.query("labelSelector"), request.query("fieldSelector")
    of_field = conversion.field_selector(request.served, of_field)
    if name:
        of_field = ",".join(filter(None, (of_field, f"metadata.name={name}")))
    try:
        by_label = selectors.labels(label)
        by_field = selectors.fields(
            of_field,
            resource.kind,
            is_custom=resource.custom is not None,
            more=[each.removeprefix(".") for each in (resource.custom.selectable if resource.custom else ())],
        )
    except selectors.SelectorError as wrong:
        raise errors.bad_request(str(wrong)) from wrong
    return lambda value: by_label(value) and by_field(value)


def objects_of(view: watch_events.WatchView, after: str, version: int) -> Iterator[Object] | None:
    """Return the objects of a view at a version, after a key, or None if that version is too old.

    The caller reads them in `one_moment`.
    """
    if not _is_known(
        view.cluster, version, resource_versions.cluster_version(object_reads.refresh_revision(view.cluster))
    ):
        return None
    objects = _as_of(view.cluster, view.resource, view.namespace, after, version)
    return (value for value in objects if view.matches(value))


def _page(objects: Iterator[Object], limit: int, resource: Resource) -> ListPage:
    items: list[Object] = []
    for value in objects:
        if limit and len(items) == limit:
            return ListPage(items, object_reads.key_of(items[-1]))
        if len(items) == MOST_AT_ONCE:
            raise errors.too_large(f"there are more than {MOST_AT_ONCE} {resource.name}: ask for pages, with limit")
        items.append(value)
    return ListPage(items, "")


def _where(request: Request, now: int, start: str) -> tuple[int, str]:
    """Return the version at which the objects are listed, and the key after which the list begins.

    `now` is the newest version.
    """
    written, match = request.query("resourceVersion"), request.query("resourceVersionMatch")
    token = request.query("continue")
    if token:
        version, after = _read_token(token)
        if written not in ("", "0"):
            raise errors.bad_request("specifying resource version is not allowed when using continue")
        return _continued(request.cluster, version, now, start, after)
    version = wanted_version(request, now, resource_versions.parse_of_list)
    # A client that doesn't require an exact version gets the newest one.
    is_exact = match == "Exact" or (match == "" and version and request.number("limit"))
    if not is_exact:
        return now, ""
    if not _is_known(request.cluster, version, now):
        raise errors.list_too_old()
    return version, ""


def wanted_version(request: Request, now: int, parse: Callable[[str], int] = resource_versions.parse) -> int:
    """Return the version that a client has seen, 0 for none. Raise ApiError for a version in the future."""
    version = parse(request.query("resourceVersion"))
    if version > now:
        raise errors.too_new(version, now)
    return version


def _continued(cluster: Cluster, version: int, now: int, start: str, after: str) -> tuple[int, str]:
    if version < 0:
        return now, start + after
    if not _is_known(cluster, version, now):
        raise errors.continue_too_old(_token(-1, after))
    return version, start + after


def _is_known(cluster: Cluster, version: int, now: int) -> bool:
    since = cluster.watched_since
    return version == now or (since is not None and since < resource_versions.seq_of(version) and version < now)


def _as_of(cluster: Cluster, resource: Resource, namespace: str, after: str, version: int) -> Iterator[Object]:
    """Return an iterator over the objects at a version: the current ones, with later changes reverted."""
    if version == resource_versions.cluster_version(cluster.revision):
        return object_reads.all_of(cluster, resource, namespace, after)
    newer = watch_events.changes_since(cluster.pk, version, {resource.kind})
    if newer is None:
        raise errors.list_too_old()
    start = f"{namespace}/" if namespace else ""
    before: dict[str, Object | None] = {}
    for item in newer[1]:
        if item.key.startswith(start) and item.key > after and item.key not in before:
            before[item.key] = object_reads.object_at(cluster, resource, item.key, item.before, item.before_seq)
    unchanged = (
        item
        for item in object_reads.all_of(cluster, resource, namespace, after)
        if object_reads.key_of(item) not in before
    )
    changed = (before[key] for key in sorted(before))
    return heapq.merge(unchanged, (item for item in changed if item is not None), key=object_reads.key_of)


def _token(version: int, start: str) -> str:
    """Return a continue token. The next key begins after a zero byte. Source: apiserver/pkg/storage/continue.go."""
    written = json.dumps({"v": _FORMAT, "rv": version, "start": f"{start}\0"}, separators=(",", ":"))
    return base64.urlsafe_b64encode(written.encode()).decode().rstrip("=")


def _first_sign(read: bytes) -> str:
    """Return the first character as Go prints it, or the first byte if it begins none."""
    sign = read[:4].decode("utf-8", "replace")[:1]
    return f"\\x{read[0]:02x}" if sign == "\ufffd" else sign


def _read_token(written: str) -> tuple[int, str]:
    """Return the version of the list and the key after which it continues."""
    try:
        written = written[:4000]
        read = base64.b64decode(written + "=" * (-len(written) % 4), b"-_", validate=True)
    except (binascii.Error, ValueError) as broken:
        raise _bad_token(f"illegal base64 data at input byte {_first_wrong(written)}") from broken
    try:
        token = json.loads(_with_whole_characters(json.loads(read)))
    except (ValueError, RecursionError) as broken:
        raise _bad_token(f"invalid character '{_first_sign(read)}' looking for beginning of value") from broken
    if not isinstance(token, dict) or token.get("v") != _FORMAT:
        version = token.get("v", "") if isinstance(token, dict) else ""
        raise _bad_token(f"server does not recognize this encoded version {str(version)[:40]}")
    version, start = token.get("rv"), token.get("start")
    if not isinstance(version, int) or isinstance(version, bool) or version == 0:
        raise _bad_token(f"incorrect encoded start resourceVersion (version {_FORMAT})")
    if not isinstance(start, str) or not start:
        raise _bad_token(f"encoded start key empty (version {_FORMAT})")
    if posixpath.normpath(f"/{start}") != f"/{start}":
        raise _bad_token(start[:200])
    return version, start.rstrip("\0")


def _with_whole_characters(value: Any) -> str:
    """Return the JSON of a value, in which U+FFFD replaces half a surrogate pair, as Go reads it."""
    text = json.dumps(value, ensure_ascii=False)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _first_wrong(written: str) -> int:
    """Return the index at which Go's decoder stops: at the first invalid character, or at an incomplete end."""
    wrong = next(
        (place for place, sign in enumerate(written) if not (sign.isascii() and (sign.isalnum() or sign in "-_"))), -1
    )
    return wrong if wrong >= 0 else len(written) - 1


def _bad_token(why: str) -> errors.ApiError:
    return errors.bad_request(f"invalid continue token: continue key is not valid: {why}")
