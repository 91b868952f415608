"""The types of the page are those of the API's document."""

import re
from typing import Any

import pytest

from tools import page_types as types

CASES: list[tuple[str, dict[str, Any], str]] = [
    ("a number", {"type": "integer", "minimum": 0}, "number"),
    ("a text or null", {"type": "string", "nullable": True}, "string | null"),
    ("anything", {}, "any"),
    ("a list", {"type": "array", "items": {"type": "number"}}, "Array<number>"),
    ("a component", {"$ref": "#/components/schemas/Fork"}, "Fork"),
    ("one that may be null", {"allOf": [{"$ref": "#/components/schemas/Fork"}], "nullable": True}, "Fork | null"),
    ("some words", {"type": "string", "enum": ["a", "b"]}, '"a" | "b"'),
    ("words or nothing", {"oneOf": [{"$ref": "#/x/AEnum"}, {"enum": [None]}], "nullable": True}, "AEnum | null"),
    ("a table", {"type": "object", "additionalProperties": {"type": "integer"}}, "Record<string, number>"),
    ("an object", {"type": "object", "additionalProperties": {}}, "Record<string, any>"),
    (
        "fields",
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]},
        '{\n  "a": string;\n  "b"?: any;\n}',
    ),
]


@pytest.mark.parametrize(("schema", "want"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_schema_is_a_type(schema: dict[str, Any], want: str) -> None:
    assert types.type_of(schema) == want


def test_every_component_has_one_and_names_only_those_there_are() -> None:
    document = types.document()
    schemas = document["components"]["schemas"]
    made = types.text(document)
    assert re.findall(r"^export type (\w+) =", made, re.MULTILINE) == sorted(schemas)
    named = re.findall(r"(?::|<|=|\|) ?([A-Z]\w+)", re.sub(r'/\*\*.*?\*/|"[^"]*"', "", made, flags=re.DOTALL))
    assert set(named) - {"Array", "Record"} <= set(schemas)
    state = re.search(r"export type ClusterAnswer = \{.*?\n\};", made, re.DOTALL)
    assert state is not None
    assert '"running": Running | null;' in state[0]
    assert '"created": string;' in state[0]
