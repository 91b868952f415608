"""Lists as clients ask for them: which objects, at which version, in pages, in the form that they want."""

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
from playground.kubernetes import changes, reading, versions
from playground.kubernetes.reading import Object
from playground.kubernetes.requests import Request
from playground.models import Cluster
from playground.store import watched
from playground.store.moments import one_moment
from playground.web.request_guard import calculating

MOST_AT_ONCE = 5_000
"""Objects of an answer; a client that wants more asks for pages."""
_FORMAT = "meta.k8s.io/v1"


@dataclass(frozen=True, slots=True)
class Page:
    """Objects, and the key after which the next ones come; "" when these are the last."""

    items: list[Object]
    more: str


def listed(request: Request, resource: Resource, namespace: str, *, as_rows: bool = True) -> Mapping[str, Any]:
    """A page of a list, as the client wants it: a List, a Table or only metadata."""
    form = forms.wanted(request.accept, request.query("includeObject")) if as_rows else forms.Form(forms.WHOLE)
    matches, limit = matching(request, resource), request.number("limit")
    list_options.check(request.options, is_watch=False)
    if request.query("resourceVersion") == "0" and limit:
        # A server answers this from its memory, whole.
        limit = MOST_AT_ONCE
    # It has to be a number, also where nothing waits.
    request.number("timeoutSeconds")
    watched.begin(request.cluster)
    start = f"{namespace}/" if namespace else ""
    with one_moment():
        version, after = _where(request, versions.after(reading.last(request.cluster)), start)
        objects = _as_of(request.cluster, resource, namespace, after, version)
        with calculating():
            page = _page((each for each in objects if matches(each)), limit, resource)
        metadata: Object = {"resourceVersion": str(version)}
        if page.more:
            metadata["continue"] = _token(version, page.more.removeprefix(start))
            if resource.kind != "Event" and not request.query("labelSelector") and not request.query("fieldSelector"):
                rows = reading.rows_of(request.cluster, resource, namespace)
                metadata["remainingItemCount"] = max(rows.filter(key__gt=page.more).count(), 1)
    kind = {"kind": f"{resource.manifest_kind}List", "apiVersion": resource.api_version}
    # The List says of what kind they are.
    items = [without_kind(each) for each in page.items] if as_rows else page.items
    whole = {**kind, "metadata": metadata, "items": items}
    with calculating():
        return form.all(conversion.printed(resource, request.served), page.items, whole, request.now)


def without_kind(value: Object) -> Object:
    return {name: part for name, part in value.items() if name not in ("kind", "apiVersion")}


def shown(request: Request, resource: Resource, value: Object) -> Mapping[str, Any]:
    """One object, as the client wants it."""
    form = forms.wanted(request.accept, request.query("includeObject"))
    if form.name != forms.TABLE:
        value = controller_fields.add(resource, value)
    return form.one(conversion.printed(resource, request.served), value, request.now)


def matching(request: Request, resource: Resource, name: str = "") -> selectors.Match:
    """Which objects are asked for; a `name` is a field selector of its own."""
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


def objects_of(view: changes.View, after: str, version: int) -> Iterator[Object] | None:
    """Return what a view showed at a version, from behind a key on; None if that is not known any more.

    It is read in the caller's `one_moment`.
    """
    if not _is_known(view.cluster, version, versions.after(reading.last(view.cluster))):
        return None
    objects = _as_of(view.cluster, view.resource, view.namespace, after, version)
    return (value for value in objects if view.matches(value))


def _page(objects: Iterator[Object], limit: int, resource: Resource) -> Page:
    items: list[Object] = []
    for each in objects:
        if limit and len(items) == limit:
            return Page(items, reading.key_of(items[-1]))
        if len(items) == MOST_AT_ONCE:
            raise errors.too_large(f"there are more than {MOST_AT_ONCE} {resource.name}: ask for pages, with limit")
        items.append(each)
    return Page(items, "")


def _where(request: Request, now: int, start: str) -> tuple[int, str]:
    """At which version the objects are listed, and after which key. `now` is the newest."""
    written, match = request.query("resourceVersion"), request.query("resourceVersionMatch")
    token = request.query("continue")
    if token:
        version, after = _read_token(token)
        if written not in ("", "0"):
            raise errors.bad_request("specifying resource version is not allowed when using continue")
        return _continued(request.cluster, version, now, start, after)
    version = wanted_version(request, now, versions.parse_of_list)
    # Whoever wants no older ones gets the newest.
    is_exact = match == "Exact" or (match == "" and version and request.number("limit"))
    if not is_exact:
        return now, ""
    if not _is_known(request.cluster, version, now):
        raise errors.list_too_old()
    return version, ""


def wanted_version(request: Request, now: int, parse: Callable[[str], int] = versions.parse) -> int:
    """The version that a client has seen, 0 for none; ApiError for one that is not there yet."""
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
    return version == now or (since is not None and since < versions.seq_of(version) and version < now)


def _as_of(cluster: Cluster, resource: Resource, namespace: str, after: str, version: int) -> Iterator[Object]:
    """The objects as they were at a version: as they are, with what changed since undone."""
    if version == versions.after(cluster.revision):
        return reading.all_of(cluster, resource, namespace, after)
    found = changes.since(cluster.pk, version, {resource.kind})
    if found is None:
        raise errors.list_too_old()
    start = f"{namespace}/" if namespace else ""
    before: dict[str, Object | None] = {}
    for each in found[1]:
        if each.key.startswith(start) and each.key > after and each.key not in before:
            before[each.key] = reading.at(cluster, resource, each.key, each.before, each.before_seq)
    unchanged = (
        each for each in reading.all_of(cluster, resource, namespace, after) if reading.key_of(each) not in before
    )
    changed = (before[key] for key in sorted(before))
    return heapq.merge(unchanged, (each for each in changed if each is not None), key=reading.key_of)


def _token(version: int, start: str) -> str:
    """Source: apiserver/pkg/storage/continue.go: the next key begins behind a zero."""
    written = json.dumps({"v": _FORMAT, "rv": version, "start": f"{start}\0"}, separators=(",", ":"))
    return base64.urlsafe_b64encode(written.encode()).decode().rstrip("=")


def _first_sign(read: bytes) -> str:
    """As Go shows a character, or a byte that begins none."""
    sign = read[:4].decode("utf-8", "replace")[:1]
    return f"\\x{read[0]:02x}" if sign == "\ufffd" else sign


def _read_token(written: str) -> tuple[int, str]:
    """The version of the list, and the key after which it goes on."""
    try:
        written = written[:4000]
        read = base64.b64decode(written + "=" * (-len(written) % 4), b"-_", validate=True)
    except (binascii.Error, ValueError) as broken:
        raise _bad_token(f"illegal base64 data at input byte {_first_wrong(written)}") from broken
    try:
        found = json.loads(_with_whole_characters(json.loads(read)))
    except (ValueError, RecursionError) as broken:
        raise _bad_token(f"invalid character '{_first_sign(read)}' looking for beginning of value") from broken
    if not isinstance(found, dict) or found.get("v") != _FORMAT:
        version = found.get("v", "") if isinstance(found, dict) else ""
        raise _bad_token(f"server does not recognize this encoded version {str(version)[:40]}")
    version, start = found.get("rv"), found.get("start")
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
    """Where Go's decoder stops: at a sign that is none of its own, or at the one that is left over."""
    wrong = next(
        (place for place, sign in enumerate(written) if not (sign.isascii() and (sign.isalnum() or sign in "-_"))), -1
    )
    return wrong if wrong >= 0 else len(written) - 1


def _bad_token(why: str) -> errors.ApiError:
    return errors.bad_request(f"invalid continue token: continue key is not valid: {why}")
