"""Decoder: turn a parsed text into plain values by the wire fields, with the errors of kube-scheduler's strict
decoder.

A value of a wrong type is left out, and the first such error is reported. Unknown and duplicate fields are collected.
Source: sigs.k8s.io/json (a fork of Go's encoding/json).
"""

import base64
import binascii
import math
import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kube_objects.sentences import say
from kube_objects.text.gates_in_files import FIELD
from kube_objects.text.go import DurationError, parse_duration, quote
from kube_objects.text.hints import did_you_mean
from kube_objects.text.node import Entry, TextNode
from kube_objects.text.problems import Problem
from scheduler_core.config.fields import INTEGERS, GoType, WireField, wire_fields

_MAX_STRICT = 100
_NO_GATES = say("kube-scheduler takes feature gates from its command line: --feature-gates=Name=true")
_STRING = GoType("string", "string")
_TYPE_META = [WireField(name, name, _STRING) for name in ("kind", "apiVersion")]
_ZEROS: dict[str, Any] = {"bool": False, "float32": 0.0, "duration": 0, "bytes": b"", **dict.fromkeys(INTEGERS, 0)}
_MAX_FLOAT32 = 3.4028234663852886e38
_HUMAN = {
    "slice": "a list",
    "struct": "a mapping",
    "map": "a mapping",
    "string": "a string",
    "bool": "true or false",
    "float32": "a number",
    "duration": 'a duration such as "15s"',
    "bytes": "base64 text",
    **dict.fromkeys(INTEGERS, "a whole number"),
}


class _Absent:
    """The type of ABSENT: a null that leaves its field unset."""


ABSENT = _Absent()


class DecodeError(Exception):
    """Raised if decoding stopped, or a value has a wrong type."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.upstream)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class _At:
    """The position of the decoder: Go struct and dotted field names for type errors, and the path with indices."""

    struct: str = ""
    fields: tuple[str, ...] = ()
    path: str = ""

    def field(self, struct: str, field: WireField) -> "_At":
        embedded = (field.embedded,) if field.embedded else ()
        return _At(struct, (*self.fields, *embedded, field.json), self.key(field.json))

    def item(self, index: int) -> "_At":
        return _At(self.struct, self.fields, f"{self.path}[{index}]")

    def key(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name


class Decoder:
    """A decoder of one object; afterwards `strict` holds the unknown and duplicate fields. Raises DecodeError.

    `prefix` is the object's path in the whole configuration; upstream's messages omit it. With `stops` false nothing is
    raised: wrong values are in `failures`, and the rest is decoded.
    """

    def __init__(self, prefix: str = "", stops: bool = True) -> None:
        self.prefix = prefix
        self.stops = stops
        self.failures: list[DecodeError] = []
        self.strict: list[Problem] = []

    def decode(self, node: TextNode, cls: type[Any], name: str) -> dict[str, Any]:
        """Return the fields of a top-level object by JSON name, without those that are absent or null."""
        if node.kind == "null":
            return {}
        value = self._struct(node, GoType(f"v1.{name}", "struct", struct=cls), _At(), _TYPE_META)
        if self.stops and self.failures:
            raise self.failures[0]
        return value if isinstance(value, dict) else {}

    def _value(self, node: TextNode, kind: GoType, at: _At) -> Any:
        if kind.kind == "raw":
            return ABSENT if node.kind == "null" else node
        if kind.kind == "duration" and not (kind.pointer and node.kind == "null"):
            return self._duration(node, at)
        if node.kind == "null":
            return ABSENT
        if kind.kind in ("struct", "map"):
            return self._struct(node, kind, at) if kind.kind == "struct" else self._map(node, kind, at)
        if kind.kind == "slice":
            return self._slice(node, kind, at)
        return self._scalar(node, kind, at)

    def _struct(self, node: TextNode, kind: GoType, at: _At, more: Sequence[WireField] = ()) -> Any:
        if node.kind != "object":
            return self._mismatch(node, node.kind, kind, at)
        assert kind.struct is not None  # a struct has one
        known = {field.json: field for field in (*wire_fields(kind.struct), *more)}
        name = kind.text.rpartition(".")[2]
        values: dict[str, Any] = {}
        seen = set()
        for entry in node.entries:
            if entry.key not in known:
                self._strict("unknown", at, entry, known)
                continue
            if entry.key in seen:
                self._strict("duplicate", at, entry)
            seen.add(entry.key)
            field = known[entry.key]
            value = self._value(entry.value, field.type, at.field(name, field))
            if value is not ABSENT:
                values[entry.key] = value
        return values

    def _map(self, node: TextNode, kind: GoType, at: _At) -> Any:
        if node.kind != "object":
            return self._mismatch(node, node.kind, kind, at)
        assert kind.element is not None  # a map has one
        values = {}
        for entry in node.entries:
            if entry.key in values:
                self._strict("duplicate", at, entry)
            value = self._value(entry.value, kind.element, _At(at.struct, at.fields, at.key(entry.key)))
            values[entry.key] = _zero(kind.element) if value is ABSENT else value
        return values

    def _slice(self, node: TextNode, kind: GoType, at: _At) -> Any:
        if node.kind != "array":
            return self._mismatch(node, node.kind, kind, at)
        assert kind.element is not None  # a slice has one
        values = (self._value(item, kind.element, at.item(index)) for index, item in enumerate(node.items))
        return [_zero(kind.element) if value is ABSENT else value for value in values]

    def _scalar(self, node: TextNode, kind: GoType, at: _At) -> Any:
        match node.kind, kind.kind:
            case "string", "string":
                return node.scalar
            case "string", "bytes":
                return self._bytes(node, at)
            case "bool", "bool":
                return node.scalar == "true"
            case "number", "int32" | "int64" | "float32":
                number = _integer(node.scalar, kind) if kind.kind in INTEGERS else _float32(node.scalar)
                return self._mismatch(node, f"number {node.scalar}", kind, at) if number is None else number
        return self._mismatch(node, node.kind, kind, at)

    def _bytes(self, node: TextNode, at: _At) -> Any:
        text = re.sub(r"[\r\n]", "", node.scalar)
        try:
            return base64.b64decode(text, validate=True)
        except binascii.Error:
            bad = re.search(r"[^A-Za-z0-9+/]", text)
            index = bad.start() if bad else len(text) // 4 * 4
            return self._fail(f"illegal base64 data at input byte {index}", node, at)

    def _duration(self, node: TextNode, at: _At) -> Any:
        """Decode a duration. Its errors stop the decoder, and null counts as an empty text."""
        if node.kind not in ("string", "null"):
            return self._mismatch(node, node.kind, _STRING, at, fatal=True)
        try:
            return parse_duration(node.scalar)
        except DurationError as error:
            hint = f"{self._path(at)} must be {_HUMAN['duration']}"
            return self._fail(str(error), node, at, hint, fatal=True)

    def _mismatch(self, node: TextNode, found: str, kind: GoType, at: _At, fatal: bool = False) -> _Absent:
        where = f"Go struct field {at.struct}.{'.'.join(at.fields)}" if at.fields else "Go value"
        message = f"json: cannot unmarshal {found} into {where} of type {kind.text}"
        hint = f"{self._path(at)} must be {_HUMAN[kind.kind]}"
        return self._fail(message, node, at, hint, fatal)

    def _fail(self, message: str, node: TextNode, at: _At, hint: str = "", fatal: bool = False) -> _Absent:
        failure = self._failure(message, node, at, hint)
        if fatal and self.stops:
            raise failure
        if len(self.failures) < _MAX_STRICT:
            self.failures.append(failure)
        return ABSENT

    def _failure(self, message: str, node: TextNode, at: _At, hint: str) -> DecodeError:
        return DecodeError(Problem(self._path(at), None, message, hint, line=node.line, text=message))

    def _path(self, at: _At) -> str:
        return ".".join(part for part in (self.prefix, at.path) if part)

    def _strict(self, kind: str, at: _At, entry: Entry, known: Iterable[str] = ()) -> None:
        if len(self.strict) == _MAX_STRICT:
            return
        path = at.key(entry.key)
        message = f"{kind} field {quote(path)}"
        if all(problem.text != message for problem in self.strict):
            full = ".".join(part for part in (self.prefix, path) if part)
            hint = _NO_GATES if entry.key == FIELD else did_you_mean(entry.key, known)
            self.strict.append(Problem(full, None, message, hint, line=entry.line, text=message))


def _zero(kind: GoType) -> Any:
    if kind.kind == "struct":
        return {}
    return _ZEROS.get(kind.kind, "")


def _integer(literal: str, kind: GoType) -> int | None:
    if not re.fullmatch(r"-?[0-9]{1,19}", literal):
        return None
    value, bound = int(literal), 1 << (INTEGERS[kind.kind] - 1)
    return value if -bound <= value < bound else None


def _float32(literal: str) -> float | None:
    """Return the nearest float32 as the shortest decimal that represents it, or None if it is out of range."""
    value = float(literal)
    if not math.isfinite(value) or abs(value) > _MAX_FLOAT32 * (1 + 2**-25):
        return None
    single: float = struct.unpack("f", struct.pack("f", max(-_MAX_FLOAT32, min(_MAX_FLOAT32, value))))[0]
    for digits in range(6, 10):
        shortest = float(f"{single:.{digits}g}")
        if struct.pack("f", shortest) == struct.pack("f", single):
            return shortest
    return single
