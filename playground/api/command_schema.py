"""The commands of docs/trace_format.md for the OpenAPI document. The engine checks them; a test holds both together."""

from typing import Any

from playground import limits
from scheduler_core.simulation import commands

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string", "maxLength": commands.MAX_TEXT}
_OBJECTS: Schema = {"type": "array", "items": {"type": "object"}, "minItems": 1, "maxItems": commands.MAX_OBJECTS}
_UNTIL: Schema = {
    "oneOf": [
        {"type": "string", "enum": ["idle"]},
        {
            "type": "object",
            "properties": {"cycles": {"type": "integer", "minimum": 1, "maximum": commands.MAX_CYCLES}},
            "required": ["cycles"],
            "additionalProperties": False,
        },
        {"type": "object", "properties": {"pod": _TEXT}, "required": ["pod"], "additionalProperties": False},
    ]
}
FIELDS: dict[str, Schema] = {
    "objects": _OBJECTS,
    "yaml": {"type": "string"},
    "note": {"type": "string", "maxLength": commands.MAX_NOTE},
    "until": _UNTIL,
    "seconds": {
        "type": "number",
        "minimum": 0,
        "exclusiveMinimum": True,
        "maximum": commands.MAX_ADVANCE_SECONDS,
    },
    "pod": _TEXT,
    "decision": {"type": "string", "enum": ["allow", "reject"]},
    "plugin": _TEXT,
    "message": _TEXT,
    "seed": {"type": "integer", "minimum": 0, "maximum": 2**63 - 1},
}


def command_schema() -> Schema:
    """One alternative a kind."""
    return {"oneOf": [_of_kind(kind, *fields) for kind, fields in commands.FIELDS.items()]}


def _of_kind(kind: str, required: frozenset[str], optional: frozenset[str]) -> Schema:
    fields = {name: FIELDS[name] for name in sorted(required | optional)}
    return {
        "type": "object",
        "title": kind,
        "properties": {
            "kind": {"type": "string", "enum": [kind]},
            **fields,
            "key": {"type": "string", "minLength": 1, "maxLength": limits.COMMAND_KEY, "nullable": True},
        },
        "required": ["kind", *sorted(required)],
        "additionalProperties": False,
    }
