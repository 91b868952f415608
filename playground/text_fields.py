"""JsonText: JSON in a text column, unchanged. PackedText, PackedJson: the same, compressed."""

import json
from typing import Any

from django.db import models

from kube_objects.text.compact import compact
from playground.packing import pack, unpack


class JsonText(models.TextField):
    """A JSON value in a text column.

    PostgreSQL's own JSON type reorders keys, and the order of an object's fields can decide what the engine does; a
    replay must see the very same input on every database.
    """

    # The types of stored and read values, for the type checker.
    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, *_: Any) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else compact(value)


class PackedText(models.BinaryField):
    """Text that is stored compressed; bytes count as compressed already. It can't be searched."""

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def from_db_value(self, value: bytes | memoryview | None, *_: Any) -> Any:
        return None if value is None else unpack(value)

    def to_python(self, value: Any) -> Any:
        return value

    def get_prep_value(self, value: Any) -> Any:
        return pack(value) if isinstance(value, str) else value


class PackedJson(PackedText):
    """A JSON value as in JsonText, stored compressed."""

    def from_db_value(self, value: bytes | memoryview | None, *_: Any) -> Any:
        text = super().from_db_value(value)
        return None if text is None else json.loads(text)

    def get_prep_value(self, value: Any) -> Any:
        if value is None or isinstance(value, bytes):
            return value
        return pack(compact(value))
