"""Values of a backup's rows, checked as strictly as their columns are read later.

SQLite stores a value of any type in any column, so the database refuses little of what a damaged file says.
"""

import base64
import binascii
import json
import math
from collections.abc import Callable
from datetime import UTC
from typing import Any

from django.db import connection, models
from django.utils.dateparse import parse_datetime

from kube_objects.text.errors import JSONError
from kube_objects.text.json_values import finite, no_constant
from playground.packing import check_unpacked_size, unpack
from playground.text_fields import JsonText, PackedJson, PackedText

Reader = Callable[[Any], Any]
LARGEST = 2**63 - 1
# All texts that the playground packs are much smaller.
UNPACKED_BYTES = 256 * 1024 * 1024


def reader_of(field: "models.Field[Any, Any]") -> Reader:
    """Return a function from a value in JSON to what the database's driver takes.

    The function raises ValueError with the rule that the value breaks.
    """
    if isinstance(field, models.ForeignKey):
        inner = reader_of(field.target_field)
    elif isinstance(field, models.IntegerField):
        inner = _integer_reader(field)
    else:
        inner = next(reader for kind, reader in READERS if isinstance(field, kind))
    choices = {choice for choice, _ in field.flatchoices}

    def read(value: Any) -> Any:
        if value is None and field.null:
            return None
        stored = inner(value)
        if choices and stored not in choices:
            raise ValueError(f"must be one of {', '.join(sorted(choices))}")
        return stored

    return read


def _integer_reader(field: "models.IntegerField[Any, Any]") -> Reader:
    low, high = connection.ops.integer_field_range(field.get_internal_type())
    least, most = -LARGEST - 1 if low is None else low, LARGEST if high is None else high

    def read(value: Any) -> int:
        # In Python, bool is a subclass of int.
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError("must be an integer")
        if not least <= value <= most:
            raise ValueError(f"must be between {least} and {most}")
        return value

    return read


def _read_boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _read_number(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError("must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("must be a finite number")
    return number


def _read_time(value: Any) -> Any:
    moment = parse_datetime(value) if isinstance(value, str) else None
    if moment is None or moment.tzinfo is None:
        raise ValueError("must be a time with its time zone, such as 2026-01-31T12:00:00+00:00")
    try:
        # SQLite's driver converts to UTC, which the first and the last hours of all times don't survive.
        return connection.ops.adapt_datetimefield_value(moment.astimezone(UTC))
    except OverflowError as error:
        raise ValueError("must be between the years 1 and 9999") from error


def _read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError("must be a text without half a surrogate pair") from error
    return value


def _read_bytes(value: Any) -> bytes:
    if not isinstance(value, str):
        raise ValueError("must be bytes as base64")
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("must be bytes as base64") from error


def _check_json(text: str) -> None:
    try:
        value = json.loads(text, parse_constant=no_constant, parse_float=finite)
        # An escaped lone surrogate can be read, but not written as UTF-8.
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, JSONError, RecursionError) as error:
        raise ValueError(f"must be JSON: {error}") from error


def _read_json(value: Any) -> str:
    text = _read_text(value)
    _check_json(text)
    return text


def _unpack(packed: bytes) -> str:
    try:
        check_unpacked_size(packed, UNPACKED_BYTES)
        return unpack(packed)
    except ValueError as error:
        raise ValueError(f"must be a packed text: {error}") from error


def _read_packed(value: Any) -> bytes:
    packed = _read_bytes(value)
    _unpack(packed)
    return packed


def _read_packed_json(value: Any) -> bytes:
    packed = _read_bytes(value)
    _check_json(_unpack(packed))
    return packed


# The first that fits a field counts: the later ones are base classes of the earlier ones.
READERS: tuple[tuple[type["models.Field[Any, Any]"], Reader], ...] = (
    (models.BooleanField, _read_boolean),
    (models.FloatField, _read_number),
    (models.DateTimeField, _read_time),
    (PackedJson, _read_packed_json),
    (PackedText, _read_packed),
    (models.BinaryField, _read_bytes),
    (JsonText, _read_json),
    (models.TextField, _read_text),
    (models.CharField, _read_text),
)
