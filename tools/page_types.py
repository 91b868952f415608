"""Write the API's answers as types for the page's JSDoc: `python tools/page_types.py FILE`.

They are generated from the OpenAPI document, so nobody maintains them. An editor, or a checker of JavaScript, finds
them by `import("…/test-results/api").ClusterAnswer`.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

HEAD = "// What the API answers, written by `make types`; do not edit.\n"
_PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean"}

Schema = Mapping[str, Any]


def document() -> Schema:
    """Return the OpenAPI document, without a server."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
    import django

    django.setup()
    from drf_spectacular.generators import SchemaGenerator

    found: Schema = SchemaGenerator().get_schema(public=True)
    return found


def declarations(schemas: Mapping[str, Schema]) -> Iterator[str]:
    """Return one declaration per component, in alphabetical order."""
    for name, schema in sorted(schemas.items()):
        about = f"/** {' '.join(schema['description'].split())} */\n" if schema.get("description") else ""
        yield f"{about}export type {name} = {type_of({**schema, 'description': ''}, '')};\n"


def type_of(schema: Schema, indent: str = "") -> str:
    """Return a schema as a TypeScript type."""
    made = _without_null(schema, indent)
    return f"{made} | null" if schema.get("nullable") and not made.endswith("null") else made


def _without_null(schema: Schema, indent: str) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for several, sign in (("allOf", " & "), ("oneOf", " | "), ("anyOf", " | ")):
        if several in schema:
            return sign.join(dict.fromkeys(type_of(one, indent) for one in schema[several]))
    if "enum" in schema:
        return " | ".join("null" if one is None else f'"{one}"' for one in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        return f"Array<{type_of(schema.get('items', {}), indent)}>"
    if kind == "object":
        return _object(schema, indent)
    return _PLAIN.get(str(kind), "any")


def _object(schema: Schema, indent: str) -> str:
    fields, required = schema.get("properties"), schema.get("required", ())
    if not fields:
        below = schema.get("additionalProperties")
        return f"Record<string, {type_of(below, indent) if isinstance(below, dict) and below else 'any'}>"
    inner = f"{indent}  "
    lines = [
        f'{inner}"{name}"{"" if name in required else "?"}: {type_of(one, inner)};' for name, one in fields.items()
    ]
    return "\n".join(["{", *lines, f"{indent}}}"])


def text(found: Schema) -> str:
    """Return the whole file."""
    return "\n".join([HEAD, *declarations(found["components"]["schemas"])])


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/page_types.py FILE")
    path = Path(sys.argv[1])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(document()), encoding="utf-8")


if __name__ == "__main__":
    main()
