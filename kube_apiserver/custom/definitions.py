"""CustomResourceDefinitions: what a server fills in, which resources they make, what they say of themselves.

Source: apiextensions-apiserver, pkg/apis/apiextensions/v1/defaults.go, validation, and its naming controller.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from kube_apiserver import conversion
from kube_apiserver.custom import approval, checking, naming, schemas
from kube_apiserver.custom.rule_costs import Limits
from kube_apiserver.resources import Custom, Resource, by_kind, table
from kube_objects.kinds.kept import is_custom, kept_kind

Object = dict[str, Any]

KIND = "CustomResourceDefinition"
_NAME = {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0}
_AGE = {"name": "Age", "type": "date", "format": "", "description": "", "jsonPath": ".metadata.creationTimestamp"}
_STATUS_VERBS = ("get", "patch", "update")
# In the order in which a server lists those of such a kind.
_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")


def kept_by(definition: Mapping[str, Any]) -> str:
    """By which kind its objects are kept; "" where it, as it was imported, names none."""
    spec = definition.get("spec") or {}
    kind = (spec.get("names") or {}).get("kind")
    return kept_kind(f"{spec.get('group')}/", str(kind)) if kind else ""


def resources(definitions: Iterable[Mapping[str, Any]]) -> list[Resource]:
    """All that they make served, in the order in which a server tells of them.

    Source: apiserver/pkg/endpoints/discovery/aggregated/handler.go, calculateAPIGroupsLocked.
    """
    known = [with_status(dict(each)) for each in definitions]
    taken = {(each.group, each.kind) for each in table().values()}
    found: list[Resource] = []
    for each in known:
        given = each.get("spec") or {}
        definition = {**each, "spec": {**given, "names": dict(given.get("names") or {})}}
        fill_in(definition)
        spec = definition["spec"]
        if not naming.is_established(naming.judged(definition, known)):
            continue
        if list(checking.of_its_kind(definition, Limits.NONE)):
            continue
        if (kind := (spec["group"], spec["names"]["kind"])) in taken:
            # What was imported may have a name of its group's that another has.
            continue
        taken.add(kind)
        found += _versions(spec)
    found.sort(key=lambda each: kube_aware(each.version), reverse=True)
    return sorted(found, key=lambda each: each.group)


def stored(kind: str, definitions: Callable[[], Iterable[Mapping[str, Any]]]) -> Resource:
    """As which objects of a kind are stored; `definitions` are asked for where every server does not have it."""
    if not is_custom(kind.partition(".")[2]):
        return by_kind(kind)
    return conversion.stored(next(each for each in resources(definitions()) if each.kind == kind))


def _versions(spec: Mapping[str, Any]) -> Iterator[Resource]:
    (stored,) = (_resource(spec, each, None) for each in spec["versions"] if each.get("storage"))
    for each in sorted(spec["versions"], key=lambda each: kube_aware(str(each["name"])), reverse=True):
        if each.get("served"):
            yield stored if each.get("storage") else _resource(spec, each, stored)


def _resource(spec: Mapping[str, Any], version: Mapping[str, Any], stored: Resource | None) -> Resource:
    named, doors = spec["names"], version.get("subresources") or {}
    columns = version.get("additionalPrinterColumns") or [_AGE]
    has_status = "status" in doors
    return Resource(
        group=spec["group"],
        version=version["name"],
        name=named["plural"],
        singular=named.get("singular") or named["kind"].lower(),
        kind=kept_kind(f"{spec['group']}/{version['name']}", named["kind"]),
        namespaced=spec["scope"] == "Namespaced",
        short_names=tuple(named.get("shortNames") or ()),
        categories=tuple(named.get("categories") or ()),
        columns=(_NAME, *(_column(each) for each in columns)),
        verbs=_VERBS,
        doors=tuple(_doors(named["kind"], doors)),
        custom=Custom(
            schema=schemas.Structural(version["schema"]["openAPIV3Schema"]),
            paths=tuple(str(each.get("jsonPath") or "") for each in columns),
            has_status=has_status,
            stored=stored,
            scale=doors.get("scale"),
            selectable=tuple(str(each["jsonPath"]) for each in version.get("selectableFields") or ()),
            deprecation=_deprecation(spec, version),
        ),
        storage_hash=_storage_hash(spec),
    )


def _storage_hash(spec: Mapping[str, Any]) -> str:
    """Source: apiserver/pkg/endpoints/discovery/storageversionhash.go, of a version that is served and stored."""
    stored = next((each["name"] for each in spec["versions"] if each.get("storage") and each.get("served")), "")
    text = f"{spec['group']}/{stored}/{spec['names']['kind']}"
    return base64.b64encode(hashlib.sha256(text.encode()).digest()[:8]).decode() if stored else ""


def _doors(kind: str, doors: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "status" in doors:
        yield {"name": "status", "kind": kind, "verbs": _STATUS_VERBS}
    if "scale" in doors:
        yield {"name": "scale", "kind": "Scale", "group": "autoscaling", "version": "v1", "verbs": _STATUS_VERBS}


def _deprecation(spec: Mapping[str, Any], version: Mapping[str, Any]) -> str:
    if not version.get("deprecated"):
        return ""
    if version.get("deprecationWarning"):
        return str(version["deprecationWarning"])
    kind, own = str(spec["names"]["kind"]), kube_aware(version["name"])
    served = [each["name"] for each in spec["versions"] if each.get("served") and not each.get("deprecated")]
    better = max((name for name in served if kube_aware(name) > own), key=kube_aware, default="")
    use = f"; use {spec['group']}/{better} {kind}" if better else ""
    return f"{spec['group']}/{version['name']} {kind} is deprecated{use}"


def kube_aware(version: str) -> tuple[Any, ...]:
    """Versions by how far they are: v2, v1, v1beta1, v1alpha1, others. Source: apimachinery/pkg/version/helpers.go."""
    found = re.fullmatch(r"v([0-9]{1,9})(?:(alpha|beta)([0-9]{1,9}))?", version)
    if found is None:
        # Among these the first is the furthest.
        return (0, *(-ord(sign) for sign in version), 1)
    return (1, ("alpha", "beta", None).index(found[2]), int(found[1]), int(found[3] or 0))


def _column(given: Mapping[str, Any]) -> Object:
    found = {name: given.get(name) or "" for name in ("name", "type", "format", "description")}
    return found | {"priority": given.get("priority") or 0}


def fill_in(value: Object) -> None:
    """What a client may leave out."""
    spec = value.get("spec")
    if not isinstance(spec, dict):
        return
    spec.setdefault("conversion", {"strategy": "None"})
    named = spec.get("names")
    if not isinstance(named, dict) or not isinstance(named.get("kind"), str) or not named["kind"]:
        return
    named.setdefault("singular", named["kind"].lower())
    named.setdefault("listKind", f"{named['kind']}List")


def with_status(value: Object) -> Object:
    """What the server's controllers say of it: at each moment, as they say it soon."""
    status, spec = value.get("status") or {}, value.get("spec") or {}
    if not isinstance(spec.get("names"), dict):
        return value
    if status.get("conditions"):
        return approval.with_condition(value)
    time = value["metadata"].get("creationTimestamp")
    versions = [each for each in spec.get("versions") or () if isinstance(each, dict)]
    stored = [each.get("name") for each in versions if each.get("storage")]
    conditions = naming.in_status(naming.ACCEPTED, naming.ESTABLISHED, time)
    found = {**value, "status": {**conditions, "acceptedNames": spec["names"], "storedVersions": stored}}
    return approval.with_condition(found)


def with_names(value: Object, known: Callable[[], Iterable[Mapping[str, Any]]]) -> Object:
    """With the names that it gets by now beside all that its cluster has, who is asked only where that is open."""
    return value if naming.is_established(value) else with_status(naming.judged(value, known()))
