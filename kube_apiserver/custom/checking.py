"""Validation of a CustomResourceDefinition. Source: apiextensions-apiserver, pkg/apis/apiextensions/validation.

Upstream stores parts that all versions share once, above them, so messages name `spec.validation`, `spec.subresources`,
….
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.custom import approval, internal_versions, selectable, structural
from kube_apiserver.custom.rule_costs import Limits
from kube_objects import names

Object = Mapping[str, Any]
LimitsOf = Callable[[Object], Limits]

_SCOPES, _STRATEGIES = ("Cluster", "Namespaced"), ("None", "Webhook")
_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_SCHEMA, _SUBRESOURCES, _COLUMNS, _FIELDS = "schema", "subresources", "additionalPrinterColumns", "selectableFields"
_ABOVE = {_SCHEMA: "validation", _SUBRESOURCES: _SUBRESOURCES, _COLUMNS: _COLUMNS, _FIELDS: _FIELDS}
_MIXED = "may have mixed case, but should otherwise match: "
_ONLY_OBJECT = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
_LONGEST_WARNING = 256
STORED = "storedVersions"
_GONE = (
    "missing from spec.versions; {0} was previously a storage version, and must remain in spec.versions until a "
    "storage migration ensures no data remains persisted in {0} and removes {0} from status.storedVersions"
)


def changed(live: Mapping[str, Any], value: Mapping[str, Any]) -> Iterator[Cause]:
    """Yield the problems of an update. Source: ValidateCustomResourceDefinitionUpdate."""
    schemas_before = {each.get("name"): each.get(_SCHEMA) for each in _versions_of(live.get("spec") or {})}

    def limits_of(version: Object) -> Limits:
        name = version.get("name")
        is_unchanged = name in schemas_before and schemas_before[name] == version.get(_SCHEMA)
        return Limits.TOTAL if is_unchanged else Limits.ALL

    yield from _spec(value, limits_of)
    was, spec = live.get("spec") or {}, value.get("spec") or {}
    for path in (("group",), ("scope",), ("names", "kind"), ("names", "plural")):
        before, after = was, spec
        for name in path:
            before, after = (each.get(name) if isinstance(each, Mapping) else None for each in (before, after))
        if before != after:
            yield causes.invalid(f"spec.{'.'.join(path)}", after, "field is immutable")
    known = [each.get("name") for each in _versions_of(spec)]
    stored = f"status.{STORED}"
    for number, name in enumerate((value.get("status") or {}).get(STORED) or ()):
        if name not in known:
            yield causes.invalid(f"{stored}[{number}]", name, _GONE.format(name))
    yield from approval.problems(value, live)


def problems(value: Object) -> Iterator[Cause]:
    """Yield the problems of a new definition."""
    yield from validate_definition(value, Limits.ALL)
    yield from approval.problems(value)


def validate_definition(value: Object, limits: Limits) -> Iterator[Cause]:
    """Yield the reasons why a definition can't be served. `limits`: the cost limits of its rules."""
    yield from _spec(value, lambda _: limits)
    versions = _versions_of(value.get("spec") or {})
    storage_versions = [version.get("name") for version in versions if version.get("storage")]
    if not storage_versions:
        yield causes.invalid(f"status.{STORED}", None, "must have at least one stored version")
    left = {storage_versions[0]} if storage_versions else set()
    for version in versions if storage_versions else ():
        if version.get("storage") and version.get("name") not in left:
            yield causes.invalid(
                f"status.{STORED}", storage_versions[:1], f"must have the storage version {version.get('name')}"
            )
        left.discard(version.get("name"))


def _versions_of(spec: Object) -> list[Object]:
    return [each for each in spec.get("versions") or () if isinstance(each, Mapping)]


def _spec(value: Object, limits_of: LimitsOf) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    named, group = spec.get("names") or {}, str(spec.get("group") or "")
    name = str(value["metadata"].get("name") or "")
    if name and name != f"{named.get('plural') or ''}.{group}":
        yield causes.invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')
    yield from _group(group)
    yield from _one_of("spec.scope", spec.get("scope"), _SCOPES)
    versions = _versions_of(spec)
    shared = {key: _is_shared(versions, key) for key in _ABOVE}
    yield from _versions(versions, shared, limits_of)
    yield from _names(named)
    for key, above in _ABOVE.items():
        if shared[key]:
            yield from _part(versions[0], key, f"spec.{above}", limits_of(versions[0]))
    conversion = spec.get("conversion") or {}
    if spec.get("preserveUnknownFields") and conversion.get("strategy", "None") != "None":
        detail = "must be None if spec.preserveUnknownFields is true"
        yield causes.invalid("spec.conversion.strategy", conversion["strategy"], detail)
    yield from _conversion(conversion)
    if spec.get("preserveUnknownFields"):
        detail = (
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        )
        yield causes.invalid("spec.preserveUnknownFields", True, detail)


def _is_shared(versions: Sequence[Object], key: str) -> bool:
    first = versions[0].get(key) if versions else None
    return bool(first) and all(each.get(key) == first for each in versions)


def _group(group: str) -> Iterator[Cause]:
    if not group:
        yield causes.required("spec.group")
    elif rule := names.dns_subdomain(group):
        yield causes.invalid("spec.group", group, rule.replace("; ", ","))
    elif "." not in group:
        yield causes.invalid("spec.group", group, "should be a domain with at least one dot")


def _one_of(path: str, given: Any, known: Sequence[str]) -> Iterator[Cause]:
    if not given:
        yield causes.required(path)
    elif given not in known:
        yield causes.unsupported(path, given, known)


def _versions(versions: Sequence[Object], shared: Mapping[str, bool], limits_of: LimitsOf) -> Iterator[Cause]:
    for number, version in enumerate(versions):
        if not isinstance((version.get(_SCHEMA) or {}).get("openAPIV3Schema"), Mapping):
            yield causes.required(f"spec.versions[{number}].schema.openAPIV3Schema")
    for number, version in enumerate(versions):
        path = f"spec.versions[{number}]"
        yield from _label(f"{path}.name", str(version.get("name") or ""))
        yield from _deprecation(version, f"{path}.deprecationWarning")
        for key in _ABOVE:
            if not shared[key]:
                yield from _part(version, key, f"{path}.{key}", limits_of(version))
    known = [version.get("name") for version in versions]
    internal = internal_versions.versions(versions, [key for key, is_shared in shared.items() if is_shared])
    if len(set(map(str, known))) < len(known):
        yield causes.invalid("spec.versions", internal, "must contain unique version names")
    if sum(bool(version.get("storage")) for version in versions) != 1:
        yield causes.invalid("spec.versions", internal, "must have exactly one version marked as storage version")
    if versions and versions[0].get("name"):
        yield from _label("spec.version", str(versions[0]["name"]))


def _label(path: str, name: str, *, shown: str | None = None, start: str = "") -> Iterator[Cause]:
    if rule := names.dns_1035(name):
        yield causes.invalid(path, name if shown is None else shown, f"{start}{rule.replace('; ', ',')}")


def _deprecation(version: Object, path: str) -> Iterator[Cause]:
    text = version.get("deprecationWarning")
    if text is None:
        return
    if not version.get("deprecated"):
        yield causes.invalid(path, text, "can only be set for deprecated versions")
        return
    if len(text.encode()) > _LONGEST_WARNING:
        yield causes.invalid(path, text, f"must be <= {_LONGEST_WARNING} characters long")
    if not text:
        yield causes.invalid(path, text, "must not be an empty string")
    odd = next((place for place, sign in enumerate(text) if not sign.isprintable()), None)
    if odd is not None:
        detail = "must only contain printable UTF-8 characters; non-printable character found at index"
        yield causes.invalid(path, text, f"{detail} {len(text[:odd].encode())}")


def _part(version: Object, key: str, path: str, limits: Limits) -> Iterator[Cause]:
    part = version.get(key)
    if key == _SCHEMA:
        has_status = (version.get(_SUBRESOURCES) or {}).get("status") is not None
        schema = (part or {}).get("openAPIV3Schema")
        yield from _schema(schema, f"{path}.openAPIV3Schema", limits, has_status=has_status)
    elif key == _SUBRESOURCES:
        yield from _subresources(part or {}, path)
    elif key == _COLUMNS:
        for number, column in enumerate(part or ()):
            yield from _column(column, f"{path}[{number}]")
    elif isinstance(schema := (version.get(_SCHEMA) or {}).get("openAPIV3Schema"), Mapping):
        yield from selectable.problems(part or (), schema, path)


def _schema(schema: Any, path: str, limits: Limits, *, has_status: bool) -> Iterator[Cause]:
    if not isinstance(schema, Mapping):
        return
    if has_status and schema.get("type") not in (None, "", "object"):
        yield causes.invalid(f"{path}.type", schema["type"], _ONLY_OBJECT)
    if schema.get("nullable"):
        yield causes.forbidden(f"{path}.nullable", "nullable cannot be true at the root")
    yield from structural.problems(schema, path, limits)


def _subresources(subresources: Object, path: str) -> Iterator[Cause]:
    scale = subresources.get("scale")
    if not isinstance(scale, Mapping):
        return
    for key, within in (("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")):
        field, place = f"{path}.scale.{key}", str(scale.get(key) or "")
        if not place:
            yield causes.required(field)
        elif wrong := list(_place(field, place)):
            yield from wrong
        elif not place.startswith(f"{within}."):
            yield causes.invalid(field, place, f"should be a json path under {within}")
    field, place = f"{path}.scale.labelSelectorPath", str(scale.get("labelSelectorPath") or "")
    wrong = list(_place(field, place)) if place else []
    yield from wrong
    if place and not wrong and not place.startswith((".spec.", ".status.")):
        yield causes.invalid(field, place, "should be a json path under either .spec or .status")


def _place(path: str, text: str) -> Iterator[Cause]:
    if not text.startswith("."):
        yield causes.invalid(path, text, "must be a simple json path starting with .")


def _column(column: Object, path: str) -> Iterator[Cause]:
    if not column.get("name"):
        yield causes.required(f"{path}.name")
    kind, form, place = (str(column.get(key) or "") for key in ("type", "format", "jsonPath"))
    detail = f"must be one of {','.join(_COLUMN_TYPES)}"
    if not kind:
        yield causes.required(f"{path}.type", detail)
    elif kind not in _COLUMN_TYPES:
        yield causes.invalid(f"{path}.type", kind, detail)
    if form and form not in _COLUMN_FORMATS:
        yield causes.invalid(f"{path}.format", form, f"must be one of {','.join(_COLUMN_FORMATS)}")
    if not place:
        yield causes.required(f"{path}.JSONPath")
    else:
        yield from _place(f"{path}.JSONPath", place)


def _names(named: Object) -> Iterator[Cause]:
    keys = ("plural", "singular", "kind", "listKind")
    for key in keys:
        if not named.get(key):
            yield causes.required(f"spec.names.{key}")
    for key in keys:
        text = str(named.get(key) or "")
        if text and key in ("kind", "listKind"):
            yield from _label(f"spec.names.{key}", text.lower(), shown=text, start=_MIXED)
        elif text:
            yield from _label(f"spec.names.{key}", text)
    for number, name in enumerate(named.get("shortNames") or ()):
        yield from _label(f"spec.names.shortNames[{number}]", str(name))
    if named.get("kind") and named.get("kind") == named.get("listKind"):
        yield causes.invalid("spec.names.listKind", named["listKind"], "kind and listKind may not be the same")
    for number, name in enumerate(named.get("categories") or ()):
        yield from _label(f"spec.names.categories[{number}]", str(name))


def _conversion(conversion: Object) -> Iterator[Cause]:
    path, webhook = "spec.conversion", conversion.get("webhook") or {}
    config = webhook.get("clientConfig")
    yield from _one_of(f"{path}.strategy", conversion.get("strategy"), _STRATEGIES)
    if conversion.get("strategy") != "Webhook":
        if config is not None:
            detail = "should not be set when strategy is not set to Webhook"
            yield causes.forbidden(f"{path}.webhookClientConfig", detail)
        if webhook.get("conversionReviewVersions"):
            detail = "should not be set when strategy is not set to Webhook"
            yield causes.forbidden(f"{path}.conversionReviewVersions", detail)
        return
    if config is None:
        yield causes.required(f"{path}.webhookClientConfig", "required when strategy is set to Webhook")
    elif (config.get("url") is None) == (config.get("service") is None):
        yield causes.required(f"{path}.webhookClientConfig", "exactly one of url or service is required")
    if not webhook.get("conversionReviewVersions"):
        yield causes.required(f"{path}.conversionReviewVersions")
