"""References between the schemas of an OpenAPI document."""

from collections.abc import Iterator
from typing import Any


def references(schema: Any, start: str) -> Iterator[str]:
    """Yield the names of the schemas that a schema refers to, without their common prefix `start`."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix(start)
        for inner in schema.values():
            yield from references(inner, start)
    elif isinstance(schema, list):
        for inner in schema:
            yield from references(inner, start)
