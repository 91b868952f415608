"""Decoding of protobuf bodies into JSON objects. The message types are in `data/messages.json.gz`.

Source: apimachinery/pkg/runtime/serializer/protobuf. Protobuf contains values that JSON leaves out ("" and 0), so the
reader drops them where Go's JSON encoder would.
"""

import base64
import gzip
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from kube_apiserver import errors
from kube_apiserver.writes.decode import read_json

CONTENT_TYPE = "application/vnd.kubernetes.protobuf"
MAX_BYTES = 3 * 1024 * 1024
MAX_VALUES = 100_000
_MAGIC = b"k8s\x00"
_DATA = Path(__file__).parents[1] / "data" / "messages.json.gz"
_META = "k8s.io.apimachinery.pkg.apis.meta.v1"
_RUNTIME = "k8s.io.apimachinery.pkg.runtime"
_EXTENSIONS = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1"
# Lists that are a message of their own, because protobuf has no map of lists.
_LISTS = frozenset(
    [
        f"{_META}.Verbs",
        "k8s.io.api.core.v1.LocalObjectReferenceList",
        "k8s.io.api.authentication.v1.ExtraValue",
        "k8s.io.api.authorization.v1.ExtraValue",
        "k8s.io.api.certificates.v1.ExtraValue",
    ]
)
_RAW = frozenset([f"{_RUNTIME}.RawExtension", f"{_META}.FieldsV1", f"{_EXTENSIONS}.JSON"])
_ONE_OF = {
    f"{_EXTENSIONS}.JSONSchemaPropsOrArray": ("schema", "jSONSchemas"),
    f"{_EXTENSIONS}.JSONSchemaPropsOrBool": ("schema", "allows"),
    f"{_EXTENSIONS}.JSONSchemaPropsOrStringArray": ("schema", "property"),
}


def decode(body: bytes) -> dict[str, Any]:
    """Return the object of a body, or raise ApiError."""
    if len(body) > MAX_BYTES:
        raise errors.too_large(f"the object provided has more than {MAX_BYTES} bytes")
    if not body.startswith(_MAGIC):
        raise errors.bad_request(
            "couldn't get version/kind; "
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
        )
    unknown: Any = _parsed(f"{_RUNTIME}.Unknown", body[len(_MAGIC) :])
    try:
        return _object(unknown)
    except UnicodeDecodeError as broken:
        # The library returns bytes where a string is no UTF-8, or raises this for a key of a map.
        raise errors.bad_request("the object provided is unrecognized: string field contains invalid UTF-8") from broken


def _object(unknown: Any) -> dict[str, Any]:
    version, kind = _text(unknown.typeMeta.apiVersion), _text(unknown.typeMeta.kind)
    if unknown.contentEncoding:
        raise errors.bad_request(f"unsupported content encoding {unknown.contentEncoding[:40]!r}")
    name = _message_name(version, kind)
    if name is None:
        raise errors.bad_request(f'no kind "{kind[:63]}" is registered for version "{version[:100]}"')
    found = _Reader().message(_parsed(name, unknown.raw))
    return {"kind": kind, "apiVersion": version, **found}


def _text(value: str | bytes) -> str:
    """Return a string field. Raises UnicodeDecodeError."""
    return value.decode() if isinstance(value, bytes) else value


@cache
def _messages() -> tuple[DescriptorPool, Mapping[str, Mapping[str, list[str]]]]:
    written = json.loads(gzip.decompress(_DATA.read_bytes()))
    pool = DescriptorPool()
    files = FileDescriptorSet.FromString(base64.b64decode(written["descriptors"]))
    todo = {each.name: each for each in files.file}
    while todo:
        # A file comes after those that it imports.
        ready = [each for each in todo.values() if not any(name in todo for name in each.dependency)]
        for each in ready:
            pool.Add(todo.pop(each.name))
    return pool, written["fields"]


@cache
def _message_name(version: str, kind: str) -> str | None:
    group, _, number = version.rpartition("/")
    package = group.partition(".")[0] if group else "core"
    extensions = f"{_EXTENSIONS}.{kind}" if group == "apiextensions.k8s.io" else ""
    pool, _ = _messages()
    for name in (f"k8s.io.api.{package}.{number}.{kind}", extensions, f"{_META}.{kind}"):
        try:
            pool.FindMessageTypeByName(name)
        except KeyError:
            continue
        return name
    return None


def _parsed(name: str, raw: bytes) -> Message:
    pool, _ = _messages()
    try:
        # The library refuses what is nested deeper than 100 levels.
        return GetMessageClass(pool.FindMessageTypeByName(name)).FromString(raw)
    except DecodeError as broken:
        raise errors.bad_request(f"the object provided is unrecognized: {broken}") from broken


class _Reader:
    """A reader of messages as JSON, with a limit on the number of values."""

    def __init__(self) -> None:
        self._left = MAX_VALUES

    def message(self, value: Any) -> Any:
        name = value.DESCRIPTOR.full_name
        if name in _RAW:
            return _raw(value)
        if name in _LISTS:
            return list(map(_text, value.items))
        if name in _ONE_OF:
            return self._one_of(value, *_ONE_OF[name])
        special = _SPECIAL.get(name)
        if special is not None:
            return special(value)
        known = _messages()[1].get(name, {})
        fields: dict[str, Any] = {}
        for field, field_value in value.ListFields():
            self._count(1)
            read = self._value(field, field_value)
            if field.name in known.get("inline", ()):
                fields.update(read)
            elif read is not None and (read or _is_always_written(field, known)):
                fields[field.name] = read
        return fields

    def _value(self, field: FieldDescriptor, value: Any) -> Any:
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            self._count(len(value))
            of = field.message_type.fields_by_name["value"]
            return {key: self._single(of, value[key]) for key in sorted(value)}
        if field.is_repeated:
            self._count(len(value))
            return [self._single(field, each) for each in value]
        return self._single(field, value)

    def _single(self, field: FieldDescriptor, value: Any) -> Any:
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            return self.message(value)
        if field.type == FieldDescriptor.TYPE_BYTES:
            return base64.b64encode(value).decode()
        return _text(value) if field.type == FieldDescriptor.TYPE_STRING else value

    def _count(self, more: int) -> None:
        self._left -= more
        if self._left < 0:
            raise errors.too_large(f"the object provided has more than {MAX_VALUES} values")

    def _one_of(self, value: Any, schema: str, other: str) -> Any:
        if value.HasField(schema):
            return self.message(getattr(value, schema))
        found = getattr(value, other)
        if isinstance(found, bool):
            return found
        return [_text(each) if isinstance(each, str | bytes) else self.message(each) for each in found]


def _is_always_written(field: FieldDescriptor, known: Mapping[str, list[str]]) -> bool:
    """Return True if Go's encoder writes an empty value: a struct, a pointer's target, a field without omitempty."""
    return field.message_type is not None or field.name in (*known.get("pointers", ()), *known.get("always", ()))


def _raw(value: Any) -> Any:
    raw = value.raw if "raw" in value.DESCRIPTOR.fields_by_name else value.Raw
    if not raw:
        return None
    return read_json(raw, start="the object provided is unrecognized: couldn't parse JSON: ")


def _time(value: Any) -> str | None:
    if not value.seconds and not value.nanos:
        return None
    return _moment(value.seconds).strftime("%Y-%m-%dT%H:%M:%SZ")


def _micro_time(value: Any) -> str | None:
    if not value.seconds and not value.nanos:
        return None
    return f"{_moment(value.seconds):%Y-%m-%dT%H:%M:%S}.{value.nanos // 1000 % 1_000_000:06}Z"


def _moment(seconds: int) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError) as wrong:
        raise errors.bad_request(f"the object provided has a time that is none: {seconds}") from wrong


def _int_or_string(value: Any) -> int | str:
    return str(value.strVal) if value.type else int(value.intVal)


_SPECIAL: Mapping[str, Callable[[Any], Any]] = {
    "k8s.io.apimachinery.pkg.api.resource.Quantity": lambda value: value.string,
    "k8s.io.apimachinery.pkg.util.intstr.IntOrString": _int_or_string,
    f"{_META}.Time": _time,
    f"{_META}.MicroTime": _micro_time,
    f"{_META}.Timestamp": _time,
    f"{_META}.Duration": lambda value: f"{value.duration / 1e9:g}s",
}
