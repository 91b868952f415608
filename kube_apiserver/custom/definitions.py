"""CustomResourceDefinitions: defaults, status, and the resources that they define.

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
from kube_objects.kinds.storage_kind import is_custom, storage_kind

Object = dict[str, Any]

KIND = "CustomResourceDefinition"
_NAME = {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0}
_AGE = {"name": "Age", "type": "date", "format": "", "description": "", "jsonPath": ".metadata.creationTimestamp"}
_STATUS_VERBS = ("get", "patch", "update")
# In the order in which a server lists the verbs of custom resources.
_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")


def kept_by(definition: Mapping[str, Any]) -> str:
    """Return the kind under which its objects are stored, or "" for an imported CRD without names."""
    spec = definition.get("spec") or {}
    kind = (spec.get("names") or {}).get("kind")
    return storage_kind(f"{spec.get('group')}/", str(kind)) if kind else ""


def resources(definitions: Iterable[Mapping[str, Any]]) -> list[Resource]:
    """Return the resources of all established CRDs, in the order of discovery.

    Source: apiserver/pkg/endpoints/discovery/aggregated/handler.go, calculateAPIGroupsLocked.
    """
    known = [with_status(dict(each)) for each in definitions]
    taken = {(each.group, each.kind) for each in table().values()}
    served: list[Resource] = []
    for crd in known:
        spec_before = crd.get("spec") or {}
        definition = {**crd, "spec": {**spec_before, "names": dict(spec_before.get("names") or {})}}
        fill_in(definition)
        spec = definition["spec"]
        if not naming.is_established(naming.with_accepted_names(definition, known)):
            continue
        if list(checking.validate_definition(definition, Limits.NONE)):
            continue
        if (kind := (spec["group"], spec["names"]["kind"])) in taken:
            # Imported CRDs may claim the same names in one group.
            continue
        taken.add(kind)
        served += _versions(spec)
    served.sort(key=lambda each: kube_aware(each.version), reverse=True)
    return sorted(served, key=lambda each: each.group)


def stored(kind: str, definitions: Callable[[], Iterable[Mapping[str, Any]]]) -> Resource:
    """Return the stored version of a kind. `definitions` is called only for custom resources."""
    if not is_custom(kind.partition(".")[2]):
        return by_kind(kind)
    return conversion.stored(next(each for each in resources(definitions()) if each.kind == kind))


def _versions(spec: Mapping[str, Any]) -> Iterator[Resource]:
    (stored,) = (_resource(spec, each, None) for each in spec["versions"] if each.get("storage"))
    for each in sorted(spec["versions"], key=lambda each: kube_aware(str(each["name"])), reverse=True):
        if each.get("served"):
            yield stored if each.get("storage") else _resource(spec, each, stored)


def _resource(spec: Mapping[str, Any], version: Mapping[str, Any], stored: Resource | None) -> Resource:
    named, subresources = spec["names"], version.get("subresources") or {}
    columns = version.get("additionalPrinterColumns") or [_AGE]
    has_status = "status" in subresources
    return Resource(
        group=spec["group"],
        version=version["name"],
        name=named["plural"],
        singular=named.get("singular") or named["kind"].lower(),
        kind=storage_kind(f"{spec['group']}/{version['name']}", named["kind"]),
        namespaced=spec["scope"] == "Namespaced",
        short_names=tuple(named.get("shortNames") or ()),
        categories=tuple(named.get("categories") or ()),
        columns=(_NAME, *(_column(each) for each in columns)),
        verbs=_VERBS,
        subresources=tuple(_subresources(named["kind"], subresources)),
        custom=Custom(
            schema=schemas.Structural(version["schema"]["openAPIV3Schema"]),
            paths=tuple(str(each.get("jsonPath") or "") for each in columns),
            has_status=has_status,
            stored=stored,
            scale=subresources.get("scale"),
            selectable=tuple(str(each["jsonPath"]) for each in version.get("selectableFields") or ()),
            deprecation=_deprecation(spec, version),
        ),
        storage_hash=_storage_hash(spec),
    )


def _storage_hash(spec: Mapping[str, Any]) -> str:
    """Return the hash of the storage version. Source: apiserver/pkg/endpoints/discovery/storageversionhash.go."""
    stored = next((each["name"] for each in spec["versions"] if each.get("storage") and each.get("served")), "")
    text = f"{spec['group']}/{stored}/{spec['names']['kind']}"
    return base64.b64encode(hashlib.sha256(text.encode()).digest()[:8]).decode() if stored else ""


def _subresources(kind: str, subresources: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "status" in subresources:
        yield {"name": "status", "kind": kind, "verbs": _STATUS_VERBS}
    if "scale" in subresources:
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
    """Return a sort key for versions: v2, v1, v1beta1, v1alpha1, others.

    Source: apimachinery/pkg/version/helpers.go.
    """
    parts = re.fullmatch(r"v([0-9]{1,9})(?:(alpha|beta)([0-9]{1,9}))?", version)
    if parts is None:
        # Other versions sort alphabetically, the first one highest.
        return (0, *(-ord(sign) for sign in version), 1)
    return (1, ("alpha", "beta", None).index(parts[2]), int(parts[1]), int(parts[3] or 0))


def _column(given: Mapping[str, Any]) -> Object:
    found = {name: given.get(name) or "" for name in ("name", "type", "format", "description")}
    return found | {"priority": given.get("priority") or 0}


def fill_in(value: Object) -> None:
    """Add the defaults of a CRD."""
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
    """Return the CRD with the status that the server's controllers will write."""
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
    """Return the CRD with its accepted names. `known` returns all CRDs; it is called only if the names are open."""
    return value if naming.is_established(value) else with_status(naming.with_accepted_names(value, known()))
