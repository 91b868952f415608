"""Columns that are sent to PostgreSQL as one text each arrive as they are."""

import math
import sys
from typing import Any

import psycopg
import pytest

from playground.postgresql.arrays import array

TEXTS = [
    "",
    "NULL",
    "null",
    'a "quoted" one',
    "back\\slash",
    "\\",
    '"',
    "{a,b}",
    " around ",
    "line\nbreak\ttab",
    "günter 世界 🚀",
]
COLUMNS: list[tuple[str, list[Any]]] = [
    ("bigint", [0, -1, 2**63 - 1, -(2**63), None]),
    ("double precision", [0.0, -0.0, 1, 0.1, 1e300, 5e-324, math.inf, sys.float_info.max, None]),
    ("text", [*TEXTS, None]),
    ("varchar", TEXTS),
    ("bytea", [b"", b"\x00\xff\\\"'{},", bytes(range(256)), None]),
    ("boolean", [True, False, None]),
    ("text", [None, None]),
]


@pytest.mark.parametrize("kind, values", COLUMNS, ids=[f"{kind} {len(values)}" for kind, values in COLUMNS])
def test_each_value_arrives_as_it_is(postgres_url: str, kind: str, values: list[Any]) -> None:
    with psycopg.connect(postgres_url) as server, psycopg.ServerCursor(server, "rows") as cursor:
        cursor.execute(f"SELECT * FROM UNNEST((%s)::{kind}[])", [array(values)])  # noqa: S608
        assert [row[0] for row in cursor] == values


def test_what_a_text_of_postgresql_cannot_hold_is_refused(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as server, pytest.raises(psycopg.DataError):
        server.execute("SELECT (%s)::text[]", [array(["a\0b"])])


def test_other_values_are_refused() -> None:
    with pytest.raises(TypeError, match="dict has no place in an array"):
        array([{}])
