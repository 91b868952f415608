"""Whether JSON fits the Go types of a kind, and what Go says where it does not.

Source: encoding/json decode.go; apimachinery/pkg/runtime/converter.go of what is converted instead of decoded.
Field types are those of `data/fields.json.gz`.
"""

import gzip
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from kubernetes_api.writes import types
from scheduler_core.objects.quantity import QuantityError, parse_quantity

Object = dict[str, Any]

_DATA = Path(__file__).parents[1] / "data" / "fields.json.gz"
_MOST = {"int32": 2**31, "int64": 2**63, "int": 2**63, "uint8": 2**8}
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_BYTES = "[]uint8"
_TIMES = {"v1.Time": "2006-01-02T15:04:05Z07:00", "v1.MicroTime": "2006-01-02T15:04:05.000000Z07:00"}
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


class UnfitError(ValueError):
    """Its text is Go's; `converted` is that of its converter."""

    def __init__(self, text: str, converted: str = "") -> None:
        super().__init__(text)
        self.converted = converted or text


@cache
def _fields() -> Mapping[str, Mapping[str, str]]:
    found: Mapping[str, Mapping[str, str]] = json.loads(gzip.decompress(_DATA.read_bytes()))
    return found


def fit(value: Object, name: str) -> None:
    """Changes quantities of an object of the type `name` to their canonical form; UnfitError."""
    _Fitting(name.rpartition(".")[2], "").object(value, name)


class _Fitting:
    """Where the decoder is: in the fields of a struct, at a path of names without numbers and keys of maps."""

    def __init__(self, struct: str, path: str) -> None:
        self.struct, self.path = struct, path

    def object(self, value: Object, name: str) -> None:
        known, go = types.of_name(name).get("properties") or {}, _fields().get(name, {})
        for key, item in value.items():
            schema = known.get(key)
            if schema is not None and item is not None:
                below = _Fitting(self.struct, f"{self.path}.{key}" if self.path else key)
                value[key] = below.value(item, schema, go.get(key, ""))

    def value(self, value: Any, schema: Mapping[str, Any], go: str) -> Any:
        """The value as it is stored."""
        name = str(schema.get("$ref", ""))
        if value is None:
            return None
        if name:
            return self._named(value, name, go or f"v1.{name.rpartition('.')[2]}")
        kind = schema.get("type")
        if kind == "array":
            return self._list(value, schema.get("items") or {}, go)
        if kind == "object" and schema.get("additionalProperties") is not None:
            return self._map(value, schema["additionalProperties"], go or "map[string]string")
        return self._scalar(value, kind, go)

    def _named(self, value: Any, name: str, go: str) -> Any:
        short = name.rpartition(".")[2]
        if short == "Quantity":
            return _quantity(value)
        if go in _TIMES:
            return self._time(value, _TIMES[go])
        if short == "IntOrString":
            return value if isinstance(value, str) else self._scalar(value, "integer", "int32")
        schema = types.of_name(name)
        if not schema.get("properties"):
            return self.value(value, schema, go) if schema.get("type") in ("array", "string", "integer") else value
        if not isinstance(value, dict):
            raise self._unfit(value, go, f"cannot restore struct from: {_reflected(value)}")
        _Fitting(short, self.path).object(value, name)
        return value

    def _list(self, value: Any, items: Mapping[str, Any], go: str) -> Any:
        if not isinstance(value, list):
            raise self._unfit(value, go or "[]string", f"cannot restore slice from {_reflected(value)}")
        return [self.value(item, items, go.removeprefix("[]")) for item in value]

    def _map(self, value: Any, items: Mapping[str, Any], go: str) -> Any:
        if not isinstance(value, dict):
            raise self._unfit(value, go, f"cannot restore map from {_reflected(value)}")
        inner = go.partition("]")[2] if go.startswith("map[") else ""
        for key, item in value.items():
            value[key] = self.value(item, items, inner)
        return value

    def _scalar(self, value: Any, kind: Any, go: str) -> Any:
        if go == _BYTES:
            return self._bytes(value)
        match kind:
            case "string":
                if not isinstance(value, str):
                    message = (
                        f"cannot convert int64 to {go or 'string'}" if _is_whole(value) else "unrecognized type: string"
                    )
                    raise self._unfit(value, go or "string", message)
            case "boolean":
                if not isinstance(value, bool):
                    raise self._unfit(value, go or "bool", "unrecognized type: bool")
            case "integer":
                return self._integer(value, go or "int32")
        return value

    def _integer(self, value: Any, go: str) -> Any:
        if isinstance(value, float) and value.is_integer() and abs(value) < _MOST.get(go, 2**31):
            return int(value)
        if not _is_whole(value):
            message = f"cannot convert float64 to {go}" if isinstance(value, float) else f"unrecognized type: {go}"
            raise self._unfit(value, go, message)
        most = _MOST.get(go, 2**63)
        if not -most <= value < most:
            raise self._unfit(value, go, "", shown=f"number {value}")
        return value

    def _bytes(self, value: Any) -> Any:
        if not isinstance(value, str):
            raise self._unfit(value, _BYTES, f"cannot restore slice from {_reflected(value)}")
        place = _where_no_base64(value)
        if place is not None:
            raise UnfitError(f"illegal base64 data at input byte {place}")
        return value

    def _time(self, value: Any, layout: str) -> Any:
        if not isinstance(value, str):
            raise self._unfit(value, "string", "")
        at = 0
        for pattern, element in _TIME:
            found = re.compile(pattern).match(value, at)
            if found is None:
                rest = f"cannot parse {_quoted(value[at:])} as {_quoted(element)}"
                raise UnfitError(f"parsing time {_quoted(value)} as {_quoted(layout)}: {rest}")
            at = found.end()
        if at < len(value):
            raise UnfitError(f"parsing time {_quoted(value)}: extra text: {_quoted(value[at:])}")
        return value

    def _unfit(self, value: Any, go: str, converted: str, shown: str = "") -> UnfitError:
        got = shown or _got(value, go)
        return UnfitError(
            f"json: cannot unmarshal {got} into Go struct field {self.struct}.{self.path} of type {go}", converted
        )


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


def _quoted(text: str) -> str:
    return json.dumps(text[:200], ensure_ascii=False)


def _quantity(value: Any) -> str:
    try:
        return str(parse_quantity(value if isinstance(value, str) else json.dumps(value)))
    except QuantityError as wrong:
        raise UnfitError(str(wrong)) from wrong


def _where_no_base64(text: str) -> int | None:
    """The byte that Go's decoder stops at. Source: encoding/base64 decodeQuantum."""
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
