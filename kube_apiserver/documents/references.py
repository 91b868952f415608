"""What a schema of an OpenAPI document refers to."""

from collections.abc import Iterator
from typing import Any


def references(schema: Any, start: str) -> Iterator[str]:
    """Names of the schemas that one refers to, without what they all start with."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix(start)
        for each in schema.values():
            yield from references(each, start)
    elif isinstance(schema, list):
        for each in schema:
            yield from references(each, start)
