"""Decode the first JSON value of a response as Go's json.Decoder does, with its error messages.

The case of field names doesn't matter, unknown fields are ignored, and the last of repeated fields counts (objects are
merged). The first value of a wrong type is reported after everything was decoded.
Source: Go's encoding/json decode.go, stream.go.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from kube_objects.text.errors import JSONError, LimitError
from kube_objects.text.json_node import parse_first_json
from scheduler_core.config.limits import LIMITS
from scheduler_core.extender.go_types import Bool, Custom, GoString, GoType, Int, Map, Pointer, Slice, Struct

_SPACE = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGITS_OF_INT64 = 19


class UnmarshalError(ValueError):
    """Raised for an invalid value; the message is Go's."""


class _Number(str):
    """A number that isn't a plain int64, as it is written."""

    __slots__ = ()


class _Repeating(dict[str, Any]):
    """An object that repeats a key; Go decodes the pairs one after the other."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


class StructReader(Protocol):
    """A reader that builds objects from the values of one Struct."""

    struct: Struct

    def find(self, value: Mapping[str, Any]) -> Any:
        """Return the known object for a value, or None to have it decoded."""

    def make(self, value: Mapping[str, Any], decoded: Mapping[str, Any]) -> Any: ...


def decode(type_: GoType, body: bytes, broken: str = "", reader: StructReader | None = None) -> Any:
    """Return the first value of `body` as a `type_`: structs and maps as dicts, with the fields that are present.

    `broken` is why the rest of the body could not be read, "" if it was complete. Raises UnmarshalError.
    """
    value = _first_value(body.decode("utf-8", "replace"), broken)
    decoder = _Decoder(reader)
    decoded = decoder.value(type_, value, None)
    if decoder.error is not None:
        raise UnmarshalError(decoder.error)
    return decoded


def _first_value(text: str, broken: str) -> Any:
    start = _SPACE.match(text)
    position = start.end() if start else 0
    try:
        return _DECODER.raw_decode(text, position)[0]
    except RecursionError:
        raise UnmarshalError("the answer is nested more deeply than the playground reads") from None
    except ValueError as error:
        raise UnmarshalError(_syntax_error(text, broken, str(error))) from None


def _syntax_error(text: str, broken: str, ours: str) -> str:
    """Return Go's message for a text that doesn't begin with a value; `ours` is used for texts over the limits."""
    try:
        parse_first_json(text, LIMITS)
    except JSONError as error:
        if not error.at_end:
            return str(error)
    except LimitError:
        return broken or f"the answer is no JSON: {ours}"
    if broken:
        return broken
    return "unexpected EOF" if text.strip(" \t\r\n") else "EOF"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    return value if len(value) == len(pairs) else _Repeating(pairs)


def _integer(text: str) -> Any:
    return int(text) if len(text) < _DIGITS_OF_INT64 else _Number(text)


def _no_constant(name: str) -> Any:
    raise ValueError(name)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_Number, parse_constant=_no_constant
)


class _Decoder:
    """A decoder that continues after a value of a wrong type, as Go's does; `error` is the first such error."""

    def __init__(self, reader: StructReader | None) -> None:
        self.error: str | None = None
        self._reader = reader
        self._struct = ""
        self._path: list[str] = []

    def value(self, type_: GoType, value: Any, current: Any) -> Any:
        """Return `value` decoded over `current`, an earlier value of the same field; None is the zero value."""
        if isinstance(type_, Pointer):
            return None if value is None else self.value(type_.to, value, current)
        if isinstance(type_, Custom):
            return type_.zero if value is None else self._custom(type_, value)
        if value is None:
            return None if isinstance(type_, Slice | Map) else _or_zero(type_, current)
        match type_, value:
            case Struct(), dict():
                return self._struct_value(type_, value, current)
            case Map(), dict():
                decoded = {_text(key): self.value(type_.of, item, None) for key, item in _pairs(value)}
                return {**(current or {}), **decoded}
            case Slice(), list():
                return [self.value(type_.of, item, None) for item in value]
            case Bool(), bool():
                return value
            case Int(), int() | _Number() if not isinstance(value, bool):
                number = _int_in_range(value, type_.bits)
                if number is None:
                    self._mismatch(f"number {value}", type_)
                return number or 0
            case GoString(), str() if not isinstance(value, _Number):
                return _text(value)
        self._mismatch(_word(value), type_)
        return _or_zero(type_, current)

    def _struct_value(self, struct: Struct, value: dict[str, Any], current: Any) -> Any:
        if self._reader is None or struct is not self._reader.struct:
            return self._fields(struct, value, current)
        known = self._reader.find(value)
        return self._reader.make(value, self._fields(struct, value, None)) if known is None else known

    def _fields(self, struct: Struct, value: dict[str, Any], current: Any) -> dict[str, Any]:
        fields: dict[str, Any] = dict(current or {})
        for key, item in _pairs(value):
            name = _field_named(struct, key)
            if name is None:
                continue
            outside, depth = self._struct, len(self._path)
            self._struct = struct.name
            self._path += [struct.embedded[name], name] if name in struct.embedded else [name]
            fields[name] = self.value(struct.fields[name], item, fields.get(name))
            self._struct = outside
            del self._path[depth:]
        return fields

    def _custom(self, type_: Custom, value: Any) -> Any:
        """Decode a custom type. Its errors stop the decoder, and take precedence over wrong types."""
        if type_.only_text and (isinstance(value, _Number) or not isinstance(value, str)):
            raise UnmarshalError(self._cannot(_word(value), "string"))
        try:
            return type_.read(value)
        except ValueError as error:
            raise UnmarshalError(str(error)) from None

    def _mismatch(self, word: str, type_: GoType) -> None:
        if self.error is None:
            self.error = self._cannot(word, type_.go)

    def _cannot(self, word: str, go: str) -> str:
        if not self._path:
            return f"json: cannot unmarshal {word} into Go value of type {go}"
        field = f"{self._struct}.{'.'.join(self._path)}"
        return f"json: cannot unmarshal {word} into Go struct field {field} of type {go}"


def _pairs(value: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    return value.pairs if isinstance(value, _Repeating) else value.items()


def _field_named(struct: Struct, key: str) -> str | None:
    """Return the field with that name, else the one whose name differs in case only."""
    if key in struct.fields:
        return key
    folded = _folded(key)
    return next((name for name in struct.fields if _folded(name) == folded), None)


def _folded(name: str) -> str:
    """Return the name without case. Go folds two characters beyond ASCII: the long s and the Kelvin sign."""
    return name.replace("\u017f", "s").replace("\u212a", "k").lower()


def _int_in_range(value: int | _Number, bits: int) -> int | None:
    if isinstance(value, _Number):
        if not re.fullmatch(r"-?[0-9]{1,19}", value, re.ASCII):
            return None
        value = int(value)
    limit = 1 << (bits - 1)
    return value if -limit <= value < limit else None


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | _Number):
        return "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def _or_zero(type_: GoType, current: Any) -> Any:
    if current is not None:
        return current
    match type_:
        case GoString():
            return ""
        case Bool():
            return False
        case Int():
            return 0
        case Struct():
            return {}
    return None


def _text(text: str) -> str:
    """Return the text with lone surrogates replaced, as Go does."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
