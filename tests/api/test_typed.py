"""An answer is said once, as a type: the document has its fields, and what is answered is of that type."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from rest_framework import serializers as s

from playground.api.response_serializers import documented, serializer_of
from playground.response_types import DateTime, named, to_plain


@dataclass
class Row:
    """What only who reads the engine has to know."""

    path: str
    sizes: tuple[int, ...] = ()


class Inner(TypedDict):
    """What is inside."""

    at: DateTime


@named("Shown")
class Outer(TypedDict):
    count: int
    share: float
    word: str | None
    kind: Literal["a", "b"]
    inner: Inner | None
    several: list[Inner]
    table: dict[str, list[int]]
    free: NotRequired[Any]
    row: Annotated[Row, "NamedRow"]
    rows: list[Annotated[Row, "NamedRow"]]


FIELDS = [
    ("count", s.IntegerField, {"required": True, "allow_null": False}),
    ("share", s.FloatField, {"required": True}),
    ("word", s.CharField, {"allow_null": True, "allow_blank": True}),
    ("kind", s.ChoiceField, {"choices": {"a": "a", "b": "b"}}),
    ("inner", serializer_of(Inner), {"allow_null": True}),
    ("several", s.ListSerializer, {"required": True}),
    ("table", s.DictField, {}),
    ("free", s.JSONField, {"required": False}),
    ("row", serializer_of(Row, "NamedRow"), {"required": True}),
    ("rows", s.ListSerializer, {"required": True}),
]


@pytest.mark.parametrize(("name", "kind", "options"), FIELDS, ids=[row[0] for row in FIELDS])
def test_a_field_is_documented_as_its_type_says(name: str, kind: type, options: dict[str, Any]) -> None:
    field = serializer_of(Outer)().fields[name]
    assert isinstance(field, kind)
    assert {option: getattr(field, option) for option in options} == options


def test_a_shape_has_a_name_and_one_serializer() -> None:
    made = serializer_of(Outer)
    assert (made.__name__, made.__doc__, serializer_of(Inner).__doc__) == ("Shown", None, "What is inside.")
    assert documented(Outer) is made
    assert documented(list[Outer]).child.__class__ is made
    assert documented(s.Serializer) is s.Serializer


def test_a_dataclass_is_documented_by_its_fields_and_goes_out_as_them() -> None:
    made = serializer_of(Row, "NamedRow")
    assert (made.__name__, made.__doc__, [*made().fields]) == ("NamedRow", None, ["path", "sizes"])
    assert documented(list[Row]).child.__class__ is serializer_of(Row)
    assert to_plain({"rows": [Row("a", (1, 2))], "row": None}) == {
        "rows": [{"path": "a", "sizes": (1, 2)}],
        "row": None,
    }
