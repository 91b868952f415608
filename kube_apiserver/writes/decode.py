"""Decoding of request bodies into objects of the resource's kind, with the errors of Go's decoders.

Source: apimachinery/pkg/runtime, sigs.k8s.io/json, encoding/json.
"""

import copy
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from kube_apiserver import causes, errors, written_types
from kube_apiserver.custom import schemas
from kube_apiserver.reads import encoding
from kube_apiserver.resources import Resource, by_kind
from kube_apiserver.writes import codec, go_types
from kube_apiserver.writes.codec import UnfitError
from kube_apiserver.writes.patches import JSON_PATCH, STRATEGIC_PATCH
from kube_objects import go_numbers
from kube_objects.text import yaml_values
from kube_objects.text.errors import LimitError, YAMLError
from kube_objects.text.limits import Limits

Pairs = Sequence[tuple[str, Any]]

MAX_DEPTH = 100
MAX_VALUES = 500_000
"""The most values of a YAML body, in which a few anchors can expand to many values."""
_MOST = 100


# Escapes in JSON text. The second group is half a surrogate pair.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


class Fields(dict[str, Any]):
    """A body that is an object. The last of duplicate fields counts; `twice` has their paths."""

    twice: Sequence[str] = ()


class Items(list[Any]):
    """A body that is a list, such as a JSON patch."""

    twice: Sequence[str] = ()


def read_json(body: bytes, kind: str = "", start: str = "") -> Any:
    """Return the JSON of a body, within bounds, or raise ApiError with the prefix `start`.

    `kind` is the expected kind, "" for a patch.
    """
    repeated: dict[int, Pairs] = {}

    def read(pairs: Pairs) -> dict[str, Any]:
        parsed = dict(pairs)
        if len(parsed) < len(pairs):
            # The order is that of the last occurrence of each field.
            parsed.clear()
            for name, value in pairs:
                parsed.pop(name, None)
                parsed[name] = value
            repeated[id(parsed)] = pairs
            # `repeated` has it by id, so it must stay alive.
            alive.append(parsed)
        return parsed

    alive: list[dict[str, Any]] = []
    try:
        parsed = json.loads(_decoded(body), object_pairs_hook=read)
    except (ValueError, RecursionError) as broken:
        raise errors.bad_request(start + go_error(body, broken, kind)) from broken
    if kind and not isinstance(parsed, dict) and parsed is not None:
        raise errors.bad_request(no_object(body, parsed, kind))
    if _depth(parsed, 0) > MAX_DEPTH:
        raise errors.bad_request(f"the object provided is nested deeper than {MAX_DEPTH} levels")
    return _with_twice(parsed, repeated) if repeated else parsed


def _decoded(body: bytes) -> str:
    """Return a JSON text in which U+FFFD replaces invalid characters. Source: encoding/json unquoteBytes."""
    text = body.decode("utf-8", "replace")
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape[1] else escape[0], text)


def read_yaml(body: bytes, kind: str = "") -> Any:
    """Return the first document of a YAML body, within the same bounds, or raise ApiError.

    Duplicate fields are not reported.
    """
    limits = Limits(bytes=len(body), depth=MAX_DEPTH, values=MAX_VALUES, documents=1)
    try:
        document = next((each.value for each in yaml_values.read_yaml(body.decode(), limits)), None)
    except UnicodeDecodeError as broken:
        raise errors.bad_request(unrecognized(body, f"yaml: {broken.reason}", kind)) from broken
    except YAMLError as broken:
        raise errors.bad_request(unrecognized(body, str(broken), kind)) from broken
    except LimitError as broken:
        raise errors.bad_request(f"the object provided is {broken.rule}") from broken
    if kind and not isinstance(document, dict) and document is not None:
        raise errors.bad_request(no_object(body, document, kind))
    return _sorted({} if document is None else document)


def _sorted(value: Any) -> Any:
    """Return the value with sorted keys, as upstream's conversion to JSON has them."""
    if isinstance(value, list):
        return [_sorted(each) for each in value]
    return {key: _sorted(value[key]) for key in sorted(value)} if isinstance(value, dict) else value


def twice(body: Any) -> Sequence[str]:
    """Return the paths of duplicate fields in a body that `read_json` returned."""
    return body.twice if isinstance(body, Fields | Items) else ()


def _with_twice(value: Any, repeated: Mapping[int, Pairs]) -> Any:
    paths: dict[str, None] = {}
    for path in _twice(value, repeated, "", 0):
        paths[path] = None
        if len(paths) == _MOST:
            break
    whole = Fields(value) if isinstance(value, dict) else Items(value)
    whole.twice = tuple(paths)
    return whole


def _twice(value: Any, repeated: Mapping[int, Pairs], path: str, level: int) -> Iterator[str]:
    """Yield the paths of duplicate fields in the order of the text, including overwritten values."""
    if level > MAX_DEPTH:
        return
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _twice(item, repeated, f"{path}[{number}]", level + 1)
    elif isinstance(value, dict):
        seen = set[str]()
        for name, item in repeated.get(id(value), value.items()):
            field_path = f"{path}.{name}" if path else name
            if name in seen:
                yield field_path
            seen.add(name)
            yield from _twice(item, repeated, field_path, level + 1)


def _depth(value: Any, level: int) -> int:
    if level > MAX_DEPTH or not isinstance(value, dict | list):
        return level
    items = value.values() if isinstance(value, dict) else value
    return max((_depth(item, level + 1) for item in items), default=level)


Object = dict[str, Any]

# The metadata of all kinds have the same type.
_ANY_KIND = "ConfigMap"
_SHOWN = 30
_MOST_UNKNOWN = 20
_MOST_PATHS = 10_000
# Kinds that every group version registers, and kinds that only the core group has. Source: metav1.AddToGroupVersion.
_EVERYWHERE = frozenset(
    ["CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent"]
)
_CORE_KINDS = frozenset(["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "List", "Status"])
_SCHEME = "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"
ANY_TYPE = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
"""The type into which Go decodes apiVersion and kind."""
_LITERALS = ("true", "false", "null")
_EXPECTED = {
    "Expecting property name": "looking for beginning of object key string",
    "Expecting value": "looking for beginning of value",
    "Expecting ':'": "after object key",
    "Expecting ','": "after object key:value pair",
    "Extra data": "after top-level value",
}


def decoded(
    resource: Resource, value: Object, patched: Any = None, *, is_converted: bool = False, keeps_empty: bool = False
) -> tuple[Object, list[str]]:
    """Return a new object with the fields of its type, and the paths of unknown fields. Raise ApiError for wrong types.

    `is_converted`: a strategic merge patch made the object, so Go converts it instead of decoding it. `keeps_empty`:
    see `codec.decode`.
    """
    try:
        return _read(resource, value, is_converted=is_converted, keeps_empty=keeps_empty)
    except UnfitError as wrong:
        text = wrong.converted if is_converted else str(wrong)
        raise refused(resource, text, patched if is_converted or patched is None else as_text(patched)) from wrong


def converted(resource: Resource, value: Object, *, keeps_empty: bool) -> Object:
    """Return the result of an apply as Go's converter reads it, or raise UnfitError."""
    try:
        return _read(resource, value, is_converted=True, keeps_empty=keeps_empty)[0]
    except UnfitError as wrong:
        about = f"{resource.group}/{resource.version}, Kind={resource.manifest_kind}"
        text = f"unable to convert unstructured object to {about}: {wrong.converted}"
        raise UnfitError(str(wrong), text) from wrong


def _read(resource: Resource, value: Object, *, is_converted: bool, keeps_empty: bool) -> tuple[Object, list[str]]:
    if resource.custom is not None:
        schema = resource.custom.schema
        value, of_metadata = _with_known_metadata(value)
        unknown = list(islice(schemas.unknown(value, schema), _MOST_UNKNOWN))
        return schemas.pruned(copy.deepcopy(value), schema), [*of_metadata, *unknown]
    struct = go_types.struct_of(resource)
    if struct is None:
        return copy.deepcopy(value), []
    return codec.decode(value, struct, keeps_empty=keeps_empty, is_converted=is_converted)


def _with_known_metadata(value: Object) -> tuple[Object, list[str]]:
    """Return a custom resource with known metadata only, and the paths of unknown metadata."""
    struct = go_types.struct_of(by_kind(_ANY_KIND))
    assert struct is not None
    try:
        known, unknown = codec.decode({"metadata": value["metadata"]}, struct, keeps_empty=True, is_converted=False)
    except UnfitError:
        return value, []
    if not unknown:
        return value, []
    return {**value, "metadata": known["metadata"]}, unknown


def strict_errors(unknown: Sequence[str], twice: Sequence[str], kind: str = "", sent: Any = None) -> list[str]:
    """Return the strict errors of duplicate and unknown fields. `kind` is the media type of a patch, or "".

    Errors of an object that the client `sent` itself are in the order of its text.
    """
    if not kind:
        # The decoder doesn't read below an unknown field.
        twice = [path for path in twice if not any(_is_within(path, field) for field in unknown)]
    if kind == STRATEGIC_PATCH:
        unknown = sorted(unknown)
    start = "json patch " if kind == JSON_PATCH else ""
    repeated = [f'{start}duplicate field "{path}"' for path in twice]
    path_errors = [*zip(twice, repeated, strict=True), *((path, f'unknown field "{path}"') for path in unknown)]
    if twice and unknown and not kind:
        places = {path: number for number, path in enumerate(islice(_paths(sent, ""), _MOST_PATHS))}
        path_errors.sort(key=lambda each: places.get(each[0], _MOST_PATHS))
    return [text for _, text in path_errors]


def _paths(value: Any, path: str) -> Iterator[str]:
    """Yield the paths of all fields, in the order of the text."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _paths(item, f"{path}[{number}]")
    elif isinstance(value, dict):
        for name, item in value.items():
            below = f"{path}.{name}" if path else name
            yield below
            yield from _paths(item, below)


def _is_within(path: str, field: str) -> bool:
    return path == field or path.startswith((f"{field}.", f"{field}["))


def refused(resource: Resource, text: str, patched: Any = None) -> errors.ApiError:
    if patched is None:
        kind = resource.manifest_kind
        message = f'{kind} in version "{resource.version}" cannot be handled as a {kind}: {text}'
        return errors.bad_request(message)
    written = go_text(patched) if isinstance(patched, dict) else str(patched)
    cause = f"Invalid value: {json.dumps(written, ensure_ascii=False)}: {text}"
    details = {"causes": [{"reason": "FieldValueInvalid", "message": cause, "field": "patch"}]}
    return errors.ApiError(422, "Invalid", f' "" is invalid: patch: {cause}', details)


def check_registered(resource: Resource, patched: Any) -> None:
    """Raise ApiError for a patch that turns the object into another kind.

    Source: runtime.NewNotRegisteredErrForKind.
    """
    if not isinstance(patched, dict) or resource.custom is not None:
        return
    version, kind = patched.get("apiVersion"), patched.get("kind")
    if (version, kind) == (resource.api_version, resource.kind) or not (version and kind):
        return
    raise refused(resource, not_registered(version, kind), as_text(patched))


def not_registered(version: str, kind: str) -> str:
    """Return the error of an unregistered kind. Source: runtime.NewNotRegisteredErrForKind."""
    return f'no kind "{kind}" is registered for version "{version}" in scheme "{_SCHEME}"'


def is_registered(version: str, kind: str) -> bool:
    """Return True if the scheme of built-in types has the kind in this version."""
    kinds = written_types.read()["kinds"]
    if kind in _EVERYWHERE or (kind in _CORE_KINDS and version == "v1"):
        return any(each.startswith(f"{version if '/' in version else f'/{version}'}/") for each in kinds)
    group, _, short = version.rpartition("/")
    return f"{group}/{short}/{kind.removesuffix('List') or kind}" in kinds


def go_kind(value: Any) -> str:
    """Return the name of a JSON type in Go's decoder."""
    if isinstance(value, bool):
        return "bool"
    kinds = ((dict, "object"), (list, "array"), (str, "string"), (int | float, "number"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


def go_text(value: Any) -> str:
    """Return a value as Go prints it with %v."""
    if isinstance(value, Mapping):
        return f"map[{' '.join(f'{name}:{go_text(value[name])}' for name in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(go_text(each) for each in value)}]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "<nil>"}[value]
    return str(value)


def go_error(body: bytes, broken: Exception, kind: str = "") -> str:
    """Return the error of encoding/json for invalid JSON, or the server's error if `kind` is expected."""
    text = body.decode(errors="replace")
    if kind:
        return _no_object(body, go_error(body, broken), kind)
    if not isinstance(broken, json.JSONDecodeError):
        return "the object provided is unrecognized: it is nested too deep, or no text"
    if not text[broken.pos :].strip():
        return "unexpected end of JSON input"
    rest = text[broken.pos :].lstrip()
    is_value = broken.msg.startswith("Expecting value")
    if is_value and (word := next((each for each in _LITERALS if rest[0] == each[0]), "")):
        return _literal(word, rest)
    sign = rest[0]
    where = next((words for start, words in _EXPECTED.items() if broken.msg.startswith(start)), "in literal")
    return f"invalid character '{sign}' {where}"


def no_object(body: bytes, found: Any, kind: str) -> str:
    """Return the error for JSON that isn't an object of the expected kind."""
    return _no_object(body, f"json: cannot unmarshal {go_kind(found)} into Go value of type {ANY_TYPE}", kind)


def _no_object(body: bytes, why: str, kind: str) -> str:
    """Return the server's error for a body that isn't an object. Source: runtime.WithVersionCodec, summarizeData."""
    return unrecognized(body, f"couldn't get version/kind; json parse error: {why}", kind)


def unrecognized(body: bytes, why: str, kind: str) -> str:
    start = body[:_SHOWN]
    shown = start.decode(errors="replace") if body[:1] == b"{" else start.hex() or "<empty>"
    more = " ..." if len(body) > _SHOWN else ""
    return f"the object provided is unrecognized (must be of type {kind}): {why} ({shown}{more})"


def _literal(word: str, rest: str) -> str:
    at = next((number for number, sign in enumerate(word) if rest[number : number + 1] != sign), len(word))
    if at >= len(rest):
        return "unexpected end of JSON input"
    return f"invalid character '{rest[at]}' in literal {word} (expecting '{word[at : at + 1]}')"


def as_text(value: Any) -> str:
    """Return a value as encoding/json writes it."""
    return encoding.compact_json(value)


def with_kind(resource: Resource, sent: Any, *, is_applied: bool = False) -> Object:
    """Return the object with its kind, or raise ApiError for another kind.

    `is_applied`: the body of a server-side apply.
    """
    if not isinstance(sent, dict) or (resource.custom and not isinstance(sent.get("metadata") or {}, dict)):
        raise errors.bad_request("the object provided is unrecognized (must be of type Object)")
    kind = resource.manifest_kind
    value: Object = {"apiVersion": resource.api_version, "kind": kind, **sent}
    if value.get("metadata") is None:
        value["metadata"] = {}
    if (value["apiVersion"], value["kind"]) != (resource.api_version, kind):
        raise _other_kind(resource, value, is_applied=is_applied)
    return value


def _other_kind(resource: Resource, value: Mapping[str, Any], *, is_applied: bool) -> errors.ApiError:
    """Return the error of an object of another kind.

    Source: apiserver/pkg/endpoints/handlers transformDecodeError; managedfields/internal/versioncheck.go.
    """
    version, kind, want = str(value["apiVersion"]), str(value["kind"]), resource.api_version
    group, _, short = version.rpartition("/")
    if is_applied:
        return errors.bad_request(f"invalid object type: {group}/{short}, Kind={kind}")
    if resource.custom is not None and version == want:
        name = str((value["metadata"] or {}).get("name") or "")
        wrong = causes.invalid("kind", kind, f"must be {resource.manifest_kind}")
        return errors.invalid(replace(resource, kind=kind), name, [wrong])
    if resource.custom is not None or (kind == resource.manifest_kind and is_registered(version, kind)):
        text = f"the API version in the data ({version}) does not match the expected API version ({want})"
        return errors.bad_request(text)
    into = f"{resource.group.partition('.')[0] or 'core'}.{resource.manifest_kind}"
    why = f"converting ({short}.{kind}) to ({into}): unknown conversion"
    if not is_registered(version, kind):
        why = not_registered(version, kind)
    return errors.bad_request(f'{kind} in version "{short}" cannot be handled as a {resource.manifest_kind}: {why}')


def in_namespace(resource: Resource, value: Object, namespace: str) -> Object:
    """Return the object in the namespace of the request; ApiError for an object of another one.

    Source: EnsureObjectNamespaceMatchesRequestNamespace of apiserver/pkg/registry/rest/meta.go.
    """
    metadata = value["metadata"]
    if not resource.namespaced:
        return {**value, "metadata": {name: item for name, item in metadata.items() if name != "namespace"}}
    if metadata.get("namespace") not in (None, "", namespace):
        raise other_namespace()
    return {**value, "metadata": {**metadata, "namespace": namespace}}


def checked(
    resource: Resource,
    value: Object,
    validation: str,
    twice: Sequence[str],
    patched: Any = None,
    kind: str = "",
    *,
    keeps_empty: bool = False,
) -> tuple[Object, list[str]]:
    """Return the object without unknown fields, and warnings about them, or raise ApiError if they are errors.

    `twice`: paths of duplicate fields; `patched`: the patch of `kind` that made the object, for error messages.
    """
    is_strategic = kind == STRATEGIC_PATCH
    left, unknown = decoded(resource, value, patched, is_converted=is_strategic, keeps_empty=keeps_empty)
    left["metadata"] = left.get("metadata") or {}
    if validation == "Ignore":
        return left, []
    wrong = strict_errors(unknown, twice, kind, value)
    if wrong and validation == "Strict":
        message = f"strict decoding error: {', '.join(wrong)}"
        raise refused(resource, message, patched if is_strategic or patched is None else as_text(patched))
    return left, wrong


def read(resource: Resource, sent: Any, validation: str, *, keeps_empty: bool = False) -> tuple[Object, list[str]]:
    """Return the object of a body in the fields of its kind, and the warnings about other fields; ApiError."""
    return checked(resource, with_kind(resource, sent), validation, twice(sent), keeps_empty=keeps_empty)


def unmet(resource: Resource, there: Mapping[str, Any], what: str, wanted: str, found: str) -> errors.ApiError:
    """Return the error of a precondition that the stored object doesn't meet.

    Source: apiserver/pkg/storage Preconditions.Check.
    """
    key = "/".join(filter(None, ("/registry", resource.name, there.get("namespace"), there["name"])))
    message = (
        f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: "
        f"Precondition failed: {what} in precondition: {wanted}, {what} in object meta: {found}"
    )
    return errors.conflict(resource, there["name"], message)


def check_body(resource: Resource, sent: Any, namespace: str, validation: str) -> None:
    """Raise ApiError if a PUT object can't be decoded or has another namespace than its path."""
    value, _ = read(resource, sent, validation)
    in_namespace(resource, value, namespace)


def check_name(resource: Resource, sent: Any, namespace: str, name: str, validation: str) -> None:
    """Raise ApiError if a PUT object has another name than its path."""
    metadata = sent.get("metadata") if isinstance(sent, dict) else None
    sent_name = metadata.get("name") if isinstance(metadata, dict) else None
    if sent_name == name:
        return
    check_body(resource, sent, namespace, validation)
    raise other_name(sent_name, name)


def check_update(resource: Resource, there: Mapping[str, Any], metadata: Object) -> None:
    """Raise ApiError for an update of another object, or of another version than the stored one.

    `there` is the metadata of the stored object, `metadata` that of the update.
    """
    name = str(there.get("name"))
    if metadata.get("name") != name:
        raise other_name(metadata.get("name"), name)
    version = str(metadata.get("resourceVersion") or "")
    if version not in ("", there.get("resourceVersion")):
        try:
            is_of_another = bool(go_numbers.parse_uint(version))
        except go_numbers.GoNumberError as wrong:
            raise errors.ApiError(500, "", str(wrong)) from wrong
        if is_of_another:
            raise errors.modified(resource, name)


def other_name(given: Any, name: str) -> errors.ApiError:
    if not given:
        text = f"the name of the object ({name} based on URL) was undeterminable: name must be provided"
        return errors.bad_request(text)
    return errors.bad_request(f"the name of the object ({given}) does not match the name on the URL ({name})")


def other_namespace() -> errors.ApiError:
    return errors.bad_request("the namespace of the provided object does not match the namespace sent on the request")


def has_same_content(value: Mapping[str, Any], live: Mapping[str, Any]) -> bool:
    """Return True if two states of an object differ only in versions and managed fields."""
    return _without_versions(value) == _without_versions(live)


def _without_versions(value: Mapping[str, Any]) -> Object:
    left = ("managedFields", "resourceVersion", "generation")
    return {**value, "metadata": {key: item for key, item in value["metadata"].items() if key not in left}}
