"""What Go's decoder makes of JSON for a type of Kubernetes, and what it says where that does not fit.

Source: encoding/json decode.go; apimachinery/pkg/runtime/converter.go of what is converted instead of decoded.
"""

import base64
import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

from kube_apiserver.writes import scalars
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
from kube_apiserver.writes.scalars import UnfitError

Object = dict[str, Any]
Trail = tuple[Any, Any]
"""Where the decoder is: what is above, and a field, a key of a map or a number."""

_MOST = {"int32": 2**31, "int64": 2**63, "int": 2**63, "uint8": 2**8}
_MOST_UNKNOWN = 100
_TYPES = {STRING: str, BOOL: bool}


def decode(
    value: Mapping[str, Any], struct: Struct, *, keeps_empty: bool = False, is_converted: bool = False
) -> tuple[Object, list[str]]:
    """A new object with what the type holds of `value`, and the paths of what it does not have; UnfitError.

    What has no value is left out: null, and all that Go cannot tell from it. `encoding.encode` writes what stays.
    `keeps_empty`: lists and maps without anything stay, as Go tells of them. `is_converted`: by Go's converter.
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
        # The first that did not fit. A type that reads its own JSON ends it, whatever was before.
        self.unfit: UnfitError | None = None

    def object(self, value: Mapping[str, Any], struct: Struct, trail: Trail | None) -> Object:
        found: Object = {}
        fields = struct.fields
        # The converter goes by the type, a decoder by the text: of two things that do not fit the first is told.
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
                        found[key] = item
                    continue
                try:
                    made = self.value(item, shape, (trail, field), struct)
                except UnfitError as wrong:
                    made = self.saved(wrong, shape)
                if made or shape.is_pointer or shape.kind in self.stay:
                    found[key] = made
        return found

    def tried(self, value: Any, shape: Shape, trail: Trail, struct: Struct) -> Any:
        try:
            return self.value(value, shape, trail, struct)
        except UnfitError as wrong:
            return self.saved(wrong, shape)

    def saved(self, wrong: UnfitError, shape: Shape) -> Any:
        """What stands where something did not fit, which is told in the end; raised at once if nothing else counts."""
        if self.is_converted or wrong.is_own:
            raise wrong
        self.unfit = self.unfit or wrong
        return shape.zero()

    def value(self, value: Any, shape: Shape, trail: Trail, struct: Struct) -> Any:
        """`struct`: whose field it is, or is in."""
        kind = shape.kind
        if value is None:
            # No bytes and none at all are one thing in a store.
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
    """A type that reads its own JSON."""
    if shape.full == QUANTITY:
        return scalars.quantity(value)
    if shape.full in (TIME, MICRO_TIME):
        if not isinstance(value, str):
            raise _unfit(value, "string", trail, struct, _of_its_own(value, "string"))
        return scalars.time(value, shape.full)
    if shape.full == INT_OR_STRING:
        try:
            return value if isinstance(value, str) else _integer(value, "int32", trail, struct)
        except UnfitError as wrong:
            raise UnfitError(str(wrong), _of_its_own(value, "int32")) from wrong
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
    """What the converter makes of a number that is too large: what is left in so many bits."""
    most = _MOST.get(go, 2**63)
    return value % most if go == "uint8" else (value + most) % (2 * most) - most


def _bytes(value: Any, go: str, trail: Trail, struct: Struct) -> str:
    if isinstance(value, list):
        numbers = [_integer(each, "uint8", trail, struct) for each in value]
        return base64.b64encode(bytes(each % 256 for each in numbers)).decode()
    if not isinstance(value, str):
        raise _unfit(value, go, trail, struct, f"cannot restore slice from {_reflected(value)}")
    return scalars.coded(value)


def _unfit(value: Any, go: str, trail: Trail | None, struct: Struct, converted: str, shown: str = "") -> UnfitError:
    got = shown or _got(value, go)
    names = []
    while trail is not None:
        trail, at = trail
        if isinstance(at, Field):
            names.append(at.path)
    path = ".".join(reversed(names))
    return UnfitError(f"json: cannot unmarshal {got} into Go struct field {struct.name}.{path} of type {go}", converted)


def _of_its_own(value: Any, go: str) -> str:
    """What a type that reads its own JSON says, which does not know where it is."""
    got = f"number {json.dumps(value)}" if isinstance(value, int | float) and not isinstance(value, bool) else None
    return f"json: cannot unmarshal {got if got and go in _MOST else _got(value, go)} into Go value of type {go}"


def _written(trail: Trail | None) -> str:
    """As strict errors name a place."""
    parts = []
    while trail is not None:
        trail, at = trail
        parts.append(f"[{at}]" if isinstance(at, int) else f".{at.name if isinstance(at, Field) else at}")
    return "".join(reversed(parts)).removeprefix(".")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _got(value: Any, go: str) -> str:
    """A number is told where a number was wanted."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, float):
        return f"number {json.dumps(value)}" if go in _MOST else "number"
    return {dict: "object", list: "array", str: "string", int: "number"}[type(value)]


def _reflected(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    return {dict: "map", list: "slice", str: "string", int: "int64", float: "float64"}[type(value)]
