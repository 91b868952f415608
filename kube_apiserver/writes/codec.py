"""Decoding of JSON into the Go types of Kubernetes, and encoding, as Go does both.

Source: encoding/json decode.go, encode.go; apimachinery/pkg/runtime/converter.go for values that are converted instead
of decoded.
"""

import base64
import copy
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from kube_apiserver.resources import Resource
from kube_apiserver.writes import go_types
from kube_apiserver.writes.go_types import (
    BOOL,
    BYTES,
    FLOAT,
    INT_OR_STRING,
    INTEGER,
    JSON,
    LIST,
    MAP,
    MICRO_TIME,
    QUANTITY,
    STRING,
    STRUCT,
    TIME,
    Field,
    Shape,
    Struct,
)
from kube_objects.quantity import QuantityError, parse_quantity

Object = dict[str, Any]
Trail = tuple[Any, Any]
"""The position of the decoder: the position above, and a field, a map key or an index."""

_MOST = {"int32": 2**31, "int64": 2**63, "int": 2**63, "uint8": 2**8}
_MOST_UNKNOWN = 100
_TYPES = {STRING: str, BOOL: bool}


class UnfitError(ValueError):
    """A value that doesn't fit its type. The text is that of Go's decoder, `converted` that of its converter.

    `is_own`: the error of a type with its own JSON decoder.
    """

    is_own = False

    def __init__(self, text: str, converted: str = "") -> None:
        super().__init__(text)
        self.converted = converted or text


def decode(
    value: Mapping[str, Any], struct: Struct, *, keeps_empty: bool = False, is_converted: bool = False
) -> tuple[Object, list[str]]:
    """Return a new object with the fields of the type, and the paths of unknown fields, or raise UnfitError.

    Null, and values that Go can't distinguish from it, are left out. `encode` writes the rest.

    `keeps_empty`: keep empty lists and maps. `is_converted`: behave as Go's converter.
    """
    decoder = _Decoder((STRUCT, JSON, LIST, MAP) if keeps_empty else (STRUCT, JSON), is_converted)
    found = decoder.object(value, struct, None)
    if decoder.unfit is not None:
        raise decoder.unfit
    return found, decoder.unknown


class _Decoder:
    def __init__(self, stay: Sequence[str], is_converted: bool) -> None:
        self.unknown: list[str] = []
        self.stay = stay
        self.is_converted = is_converted
        # The first error. An error of a type with its own decoder stops the decoder, even after others.
        self.unfit: UnfitError | None = None

    def object(self, value: Mapping[str, Any], struct: Struct, trail: Trail | None) -> Object:
        decoded: Object = {}
        fields = struct.fields
        # The converter follows the type, the decoder the text: the first error depends on it.
        items = sorted(value.items(), key=lambda each: struct.rank[each[0]]) if self.is_converted else value.items()
        for key, item in items:
            field = fields.get(key)
            if field is None:
                if len(self.unknown) < _MOST_UNKNOWN:
                    self.unknown.append(_written((trail, key)))
            elif item is not None:
                shape = field.shape
                if shape.kind is STRING and type(item) is str:
                    if item or shape.is_pointer:
                        decoded[key] = item
                    continue
                try:
                    decoded_value = self.value(item, shape, (trail, field), struct)
                except UnfitError as wrong:
                    decoded_value = self.saved(wrong, shape)
                if decoded_value or shape.is_pointer or shape.kind in self.stay:
                    decoded[key] = decoded_value
        return decoded

    def tried(self, value: Any, shape: Shape, trail: Trail, struct: Struct) -> Any:
        try:
            return self.value(value, shape, trail, struct)
        except UnfitError as wrong:
            return self.saved(wrong, shape)

    def saved(self, wrong: UnfitError, shape: Shape) -> Any:
        """Record the error of a field and return its zero value, or raise it if the decoder stops here."""
        if self.is_converted or wrong.is_own:
            raise wrong
        self.unfit = self.unfit or wrong
        return shape.zero()

    def value(self, value: Any, shape: Shape, trail: Trail, struct: Struct) -> Any:
        """Return a decoded value. `struct` is the type that contains its field."""
        kind = shape.kind
        if value is None:
            # In a store, no bytes and empty bytes are the same.
            if kind is BYTES:
                return ""
            return {} if kind is STRUCT and not shape.is_pointer else shape.zero()
        if kind is STRUCT:
            if not isinstance(value, dict):
                raise _unfit(value, shape.go, trail, struct, f"cannot restore struct from: {_reflected(value)}")
            assert shape.struct is not None
            return self.object(value, shape.struct, trail)
        if kind is LIST:
            if not isinstance(value, list):
                raise _unfit(value, shape.go, trail, struct, f"cannot restore slice from {_reflected(value)}")
            assert shape.item is not None
            return [self.tried(item, shape.item, (trail, number), struct) for number, item in enumerate(value)]
        if kind is MAP:
            if not isinstance(value, dict):
                raise _unfit(value, shape.go, trail, struct, f"cannot restore map from {_reflected(value)}")
            assert shape.item is not None
            return {key: self.tried(item, shape.item, (trail, key), struct) for key, item in value.items()}
        if kind is JSON:
            try:
                return _json(value, shape, trail, struct)
            except UnfitError as wrong:
                wrong.is_own = True
                raise
        if kind is INTEGER:
            if self.is_converted and _is_whole(value):
                return _wrapped(value, shape.go)
            return _integer(value, shape.go, trail, struct)
        if kind is BYTES:
            return _bytes(value, shape.go, trail, struct)
        return _scalar(value, shape, trail, struct)


def _scalar(value: Any, shape: Shape, trail: Trail, struct: Struct) -> Any:
    if shape.kind == FLOAT:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _unfit(value, shape.go, trail, struct, f"unrecognized type: {shape.go}")
        return value
    if not isinstance(value, _TYPES[shape.kind]):
        is_number = shape.kind == STRING and _is_whole(value)
        message = f"cannot convert int64 to {shape.go}" if is_number else f"unrecognized type: {shape.kind}"
        raise _unfit(value, shape.go, trail, struct, message)
    return value


def _json(value: Any, shape: Shape, trail: Trail, struct: Struct) -> Any:
    """Return the value of a type with its own JSON decoder."""
    if shape.full == QUANTITY:
        return read_quantity(value)
    if shape.full in (TIME, MICRO_TIME):
        if not isinstance(value, str):
            raise _unfit(value, "string", trail, struct, _format_decoder_error(value, "string"))
        return read_time(value, shape.full)
    if shape.full == INT_OR_STRING:
        try:
            return value if isinstance(value, str) else _integer(value, "int32", trail, struct)
        except UnfitError as wrong:
            raise UnfitError(str(wrong), _format_decoder_error(value, "int32")) from wrong
    return copy.deepcopy(value)


def _integer(value: Any, go: str, trail: Trail, struct: Struct) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < _MOST.get(go, 2**31):
        return int(value)
    if not _is_whole(value):
        message = f"cannot convert float64 to {go}" if isinstance(value, float) else f"unrecognized type: {go}"
        raise _unfit(value, go, trail, struct, message)
    most = _MOST.get(go, 2**63)
    if not -most <= value < most:
        raise _unfit(value, go, trail, struct, "", shown=f"number {value}")
    return value


def _wrapped(value: int, go: str) -> int:
    """Return the number that the converter makes of one that is too large: its lowest bits."""
    most = _MOST.get(go, 2**63)
    return value % most if go == "uint8" else (value + most) % (2 * most) - most


def _bytes(value: Any, go: str, trail: Trail, struct: Struct) -> str:
    if isinstance(value, list):
        numbers = [_integer(each, "uint8", trail, struct) for each in value]
        return base64.b64encode(bytes(each % 256 for each in numbers)).decode()
    if not isinstance(value, str):
        raise _unfit(value, go, trail, struct, f"cannot restore slice from {_reflected(value)}")
    return read_base64(value)


def _unfit(value: Any, go: str, trail: Trail | None, struct: Struct, converted: str, shown: str = "") -> UnfitError:
    got = shown or _got(value, go)
    names = []
    while trail is not None:
        trail, at = trail
        if isinstance(at, Field):
            names.append(at.path)
    path = ".".join(reversed(names))
    return UnfitError(f"json: cannot unmarshal {got} into Go struct field {struct.name}.{path} of type {go}", converted)


def _format_decoder_error(value: Any, go: str) -> str:
    """Return the error of a type with its own decoder, which doesn't know its position."""
    got = f"number {json.dumps(value)}" if isinstance(value, int | float) and not isinstance(value, bool) else None
    return f"json: cannot unmarshal {got if got and go in _MOST else _got(value, go)} into Go value of type {go}"


def _written(trail: Trail | None) -> str:
    """Return the path in the form of strict errors."""
    parts = []
    while trail is not None:
        trail, step = trail
        parts.append(f"[{step}]" if isinstance(step, int) else f".{step.name if isinstance(step, Field) else step}")
    return "".join(reversed(parts)).removeprefix(".")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _got(value: Any, go: str) -> str:
    """Return Go's name of a value. If a number is expected, it includes the number."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, float):
        return f"number {json.dumps(value)}" if go in _MOST else "number"
    return {dict: "object", list: "array", str: "string", int: "number"}[type(value)]


def _reflected(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    return {dict: "map", list: "slice", str: "string", int: "int64", float: "float64"}[type(value)]


def encode_object(resource: Resource, value: Object, *, keeps_empty: bool = False) -> Object:
    """Return a new object as an API server writes it. A custom resource stays as it is.

    `keeps_empty`: keep the empty lists and maps that an object has before it is written.
    """
    struct = go_types.struct_of(resource)
    return value if struct is None else encode(value, struct, keeps_empty=keeps_empty)


def with_go_parts(resource: Resource, value: Object) -> Object:
    """Return a stored object with the structs that Go always writes, such as the `spec` of a Node, and no empty lists.

    Lists of structs and the metadata stay unchanged, so that reads of long lists stay fast.
    """
    struct = go_types.struct_of(resource)
    return value if struct is None else _with_go_parts(value, struct)


def _with_go_parts(value: Mapping[str, Any], struct: Struct) -> Object:
    parts: Object = {}
    for name, item in value.items():
        field = struct.fields.get(name)
        if field is None or name == "metadata":
            parts[name] = item
            continue
        kind = field.shape.kind
        if kind is STRUCT and isinstance(item, dict):
            parts[name] = _with_go_parts(item, field.shape.struct)  # type: ignore[arg-type]
        elif item is not None and (item or field.stays or kind not in (LIST, MAP)):
            parts[name] = item
    missing = struct.always - parts.keys()
    if not missing:
        return parts
    zeros = {name: struct.fields[name].shape.zero() for name in missing}
    return {
        name: parts[name] if name in parts else zeros[name]
        for name in sorted([*parts, *missing], key=struct.rank.__getitem__)
    }


def as_map(value: Any) -> Any:
    """Return a custom resource with sorted fields: Go has it as a map."""
    if isinstance(value, dict):
        return {name: as_map(value[name]) for name in sorted(value)}
    return [as_map(each) for each in value] if isinstance(value, list) else value


def metadata_in_order(metadata: Mapping[str, Any]) -> Object:
    """Return the metadata with fields in Go's order. Their values stay unchanged."""
    rank = go_types.named(go_types.METADATA).rank
    return {name: metadata[name] for name in sorted(metadata, key=rank.__getitem__)}


def encode(value: Mapping[str, Any], struct: Struct, *, keeps_empty: bool = False) -> Object:
    """Return the object with fields in Go's order. Unknown fields come last, unchanged."""
    encoded: Object = {}
    fields = struct.fields
    for name in sorted([*value, *(struct.always - value.keys())], key=struct.rank.__getitem__):
        item, field = value.get(name), fields.get(name)
        if field is None:
            encoded[name] = item
            continue
        shape = field.shape
        if item is None:
            if field.stays:
                encoded[name] = shape.zero()
        elif shape.kind is STRUCT or shape.kind is LIST or shape.kind is MAP:
            if item or shape.kind is STRUCT or keeps_empty:
                encoded[name] = _encoded(item, shape, keeps_empty)
            elif field.stays:
                encoded[name] = None
        elif item or field.stays or shape.is_pointer or shape.kind is JSON:
            encoded[name] = item
    return encoded


def _encoded(value: Any, shape: Shape, keeps_empty: bool) -> Any:
    kind, item = shape.kind, shape.item
    if kind is STRUCT and isinstance(value, dict):
        return encode(value, shape.struct, keeps_empty=keeps_empty)  # type: ignore[arg-type]
    if value is None:
        return shape.zero()
    if kind is LIST and isinstance(value, list):
        if item.kind in (STRUCT, LIST, MAP):  # type: ignore[union-attr]
            return [_encoded(each, item, keeps_empty) for each in value]  # type: ignore[arg-type]
        return list(value)
    if kind is MAP and isinstance(value, dict):
        if item.kind in (STRUCT, LIST, MAP):  # type: ignore[union-attr]
            return {key: _encoded(value[key], item, keeps_empty) for key in sorted(value)}  # type: ignore[arg-type]
        return {key: value[key] for key in sorted(value)}
    return value


_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_LAYOUTS = {go_types.TIME: "2006-01-02T15:04:05Z07:00", go_types.MICRO_TIME: "2006-01-02T15:04:05.000000Z07:00"}
_TIME = (
    (r"\d{4}", "2006"),
    ("-", "-"),
    (r"\d{2}", "01"),
    ("-", "-"),
    (r"\d{2}", "02"),
    ("T", "T"),
    (r"\d{2}", "15"),
    (":", ":"),
    (r"\d{2}", "04"),
    (":", ":"),
    (r"\d{2}(?:[.,]\d+)?", "05"),
    (r"Z|[+-]\d{2}:\d{2}", "Z07:00"),
)


_MICRO_TIME = (*_TIME[:-2], (r"\d{2}", "05"), (r"[.]\d{6}", ".000000"), _TIME[-1])


def read_quantity(value: Any) -> str:
    """Return a quantity in canonical form, or raise UnfitError."""
    try:
        return str(parse_quantity(value if isinstance(value, str) else json.dumps(value)))
    except QuantityError as wrong:
        raise UnfitError(str(wrong)) from wrong


def read_time(value: str, full: str) -> str:
    """Return a valid time of the type `full`, or raise UnfitError."""
    layout, position = _LAYOUTS[full], 0
    for pattern, element in _MICRO_TIME if full == go_types.MICRO_TIME else _TIME:
        match = re.compile(pattern).match(value, position)
        if match is None:
            rest = f"cannot parse {_quoted(value[position:])} as {_quoted(element)}"
            raise UnfitError(f"parsing time {_quoted(value)} as {_quoted(layout)}: {rest}")
        position = match.end()
    if position < len(value):
        raise UnfitError(f"parsing time {_quoted(value)}: extra text: {_quoted(value[position:])}")
    return value


def read_base64(value: str) -> str:
    """Return base64 as Go encodes it again, or raise UnfitError."""
    place = _where_no_base64(value)
    if place is not None:
        text = f"illegal base64 data at input byte {place}"
        raise UnfitError(text, f"error decoding from json: {text}")
    return base64.b64encode(base64.b64decode(value)).decode()


def _quoted(text: str) -> str:
    """Return a text in Go's quotes. Characters that aren't plain ASCII become byte escapes. Source: time.quote."""
    signs = ("\\" + sign if sign in '"\\' else sign if " " <= sign < "\x80" else _bytes_of(sign) for sign in text[:300])
    return f'"{"".join(signs)}"'


def _bytes_of(sign: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in sign.encode("utf-8", "replace"))


def _where_no_base64(text: str) -> int | None:
    """Return the byte at which Go's decoder stops, or None. Source: encoding/base64 decodeQuantum."""
    signs = [(place, sign) for place, sign in enumerate(text) if sign not in "\r\n"]
    for number, (place, sign) in enumerate(signs):
        if sign in _BASE64:
            continue
        if sign != "=" or number % 4 < 2:
            return place
        rest = signs[number + 1 :]
        if number % 4 == 2:
            if not rest:
                return len(text)
            if rest[0][1] != "=":
                return rest[0][0] - 1
            rest = rest[1:]
        return rest[0][0] if rest else None
    left = len(signs) % 4
    return len(text) - left if left else None
