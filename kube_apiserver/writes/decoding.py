"""What an API server says of a body that it cannot decode. Source: apimachinery/pkg/runtime, encoding/json."""

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from kube_apiserver import errors, written_types
from kube_apiserver.custom import schemas
from kube_apiserver.reads import go_json
from kube_apiserver.resources import Resource, by_kind
from kube_apiserver.writes import codec, go_types
from kube_apiserver.writes.codec import UnfitError
from kube_apiserver.writes.patches import JSON_PATCH, STRATEGIC_PATCH

Object = dict[str, Any]

# All kinds have metadata of one type.
_ANY_KIND = "ConfigMap"
_SHOWN = 30
_MOST_UNKNOWN = 20
_MOST_PATHS = 10_000
# Of which every group and version has its own, and which only the oldest has. Source: metav1.AddToGroupVersion.
_EVERYWHERE = frozenset(
    ["CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent"]
)
_OF_CORE = frozenset(["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "List", "Status"])
_SCHEME = "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"
ANY_TYPE = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
"""What Go decodes to learn what an object is."""
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
    """A new object with what the kind's type holds, and the paths of what it does not; ApiError for what does not fit.

    `is_converted`: a strategic merge patch made it, which Go converts instead of decoding it; `keeps_empty`: see
    `fitting.decode`.
    """
    try:
        return _read(resource, value, is_converted=is_converted, keeps_empty=keeps_empty)
    except UnfitError as wrong:
        text = wrong.converted if is_converted else str(wrong)
        raise refused(resource, text, patched if is_converted or patched is None else as_text(patched)) from wrong


def converted(resource: Resource, value: Object, *, keeps_empty: bool) -> Object:
    """What an apply made as Go's converter reads it; UnfitError."""
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
    struct = go_types.of_resource(resource)
    if struct is None:
        return copy.deepcopy(value), []
    return codec.decode(value, struct, keeps_empty=keeps_empty, is_converted=is_converted)


def _with_known_metadata(value: Object) -> tuple[Object, list[str]]:
    """An object of a client's kind with those of its metadata that every kind has, and the paths of others."""
    struct = go_types.of_resource(by_kind(_ANY_KIND))
    assert struct is not None
    try:
        found, unknown = codec.decode({"metadata": value["metadata"]}, struct, keeps_empty=True, is_converted=False)
    except UnfitError:
        return value, []
    if not unknown:
        return value, []
    return {**value, "metadata": found["metadata"]}, unknown


def strict_errors(unknown: Sequence[str], twice: Sequence[str], kind: str = "", sent: Any = None) -> list[str]:
    """Of fields that a body has twice, and that no type has. `kind`: of the patch that made the object.

    Those of an object that was `sent` as it is are told in the order of its text.
    """
    if not kind:
        # What is in a field that no type has is not read.
        twice = [path for path in twice if not any(_is_within(path, field) for field in unknown)]
    if kind == STRATEGIC_PATCH:
        unknown = sorted(unknown)
    start = "json patch " if kind == JSON_PATCH else ""
    repeated = [f'{start}duplicate field "{path}"' for path in twice]
    found = [*zip(twice, repeated, strict=True), *((path, f'unknown field "{path}"') for path in unknown)]
    if twice and unknown and not kind:
        places = {path: number for number, path in enumerate(islice(_paths(sent, ""), _MOST_PATHS))}
        found.sort(key=lambda each: places.get(each[0], _MOST_PATHS))
    return [text for _, text in found]


def _paths(value: Any, path: str) -> Iterator[str]:
    """Of all fields, in the order of the text."""
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from _paths(each, f"{path}[{number}]")
    elif isinstance(value, dict):
        for name, each in value.items():
            below = f"{path}.{name}" if path else name
            yield below
            yield from _paths(each, below)


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


def must_be_registered(resource: Resource, patched: Any) -> None:
    """ApiError for a patch that made an object of another kind. Source: runtime.NewNotRegisteredErrForKind."""
    if not isinstance(patched, dict) or resource.custom is not None:
        return
    version, kind = patched.get("apiVersion"), patched.get("kind")
    if (version, kind) == (resource.api_version, resource.kind) or not (version and kind):
        return
    raise refused(resource, not_registered(version, kind), as_text(patched))


def not_registered(version: str, kind: str) -> str:
    """Source: runtime.NewNotRegisteredErrForKind."""
    return f'no kind "{kind}" is registered for version "{version}" in scheme "{_SCHEME}"'


def is_registered(version: str, kind: str) -> bool:
    """Whether the scheme of built-in types has the kind in this version, served or not as an object."""
    kinds = written_types.read()["kinds"]
    if kind in _EVERYWHERE or (kind in _OF_CORE and version == "v1"):
        return any(each.startswith(f"{version if '/' in version else f'/{version}'}/") for each in kinds)
    group, _, short = version.rpartition("/")
    return f"{group}/{short}/{kind.removesuffix('List') or kind}" in kinds


def go_kind(value: Any) -> str:
    """What Go's decoder calls a value."""
    if isinstance(value, bool):
        return "bool"
    kinds = ((dict, "object"), (list, "array"), (str, "string"), (int | float, "number"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


def go_text(value: Any) -> str:
    """As Go prints a value with %v."""
    if isinstance(value, Mapping):
        return f"map[{' '.join(f'{name}:{go_text(value[name])}' for name in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(go_text(each) for each in value)}]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "<nil>"}[value]
    return str(value)


def go_error(body: bytes, broken: Exception, kind: str = "") -> str:
    """What encoding/json says of a text that is no JSON, and the server of an object of `kind` that it should be."""
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
    """What is said of JSON that is no object, where one of `kind` should be."""
    return _no_object(body, f"json: cannot unmarshal {go_kind(found)} into Go value of type {ANY_TYPE}", kind)


def _no_object(body: bytes, why: str, kind: str) -> str:
    """Source: runtime.WithVersionCodec, summarizeData: what does not look like an object is shown by its bytes."""
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
    """As encoding/json writes it."""
    return go_json.compact(value)
