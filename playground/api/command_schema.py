"""The commands of docs/trace_format.md for the OpenAPI document. The engine checks them; a test holds both together."""

from collections.abc import Mapping
from typing import Any

from playground import limits
from scheduler_core.simulation import breakpoints, commands, reset

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
        {
            "type": "object",
            "properties": {"breakpoint": {"type": "boolean", "enum": [True]}},
            "required": ["breakpoint"],
            "additionalProperties": False,
        },
    ]
}
_SHORT: Schema = {"type": "string", "minLength": 1, "maxLength": breakpoints.MAX_TEXT}
_BREAKPOINT_FIELDS: dict[str, Schema] = {
    "pod": _SHORT,
    "plugin": _SHORT,
    "node": _SHORT,
    "point": {"type": "string", "enum": list(breakpoints.POINTS)},
}


def _alternatives(kinds: Mapping[str, tuple[frozenset[str], frozenset[str]]], fields: Mapping[str, Schema]) -> Schema:
    return {"oneOf": [_of_kind(kind, *names, fields) for kind, names in kinds.items()]}


def _of_kind(kind: str, required: frozenset[str], optional: frozenset[str], fields: Mapping[str, Schema]) -> Schema:
    return {
        "type": "object",
        "title": kind,
        "properties": {
            "kind": {"type": "string", "enum": [kind]},
            **{name: fields[name] for name in sorted(required | optional)},
        },
        "required": ["kind", *sorted(required)],
        "additionalProperties": False,
    }


BREAKPOINTS: Schema = {
    "type": "array",
    "items": _alternatives(breakpoints.FIELDS, _BREAKPOINT_FIELDS),
    "maxItems": breakpoints.MAX_BREAKPOINTS,
}
FIELDS: dict[str, Schema] = {
    "breakpoints": BREAKPOINTS,
    "node": _TEXT,
    "phase": {"type": "string", "enum": ["Succeeded", "Failed"]},
    "objects": _OBJECTS,
    "delete": _OBJECTS,
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
    "as_cluster": {"type": "boolean"},
    "keeps": {"type": "array", "items": {"type": "string", "enum": list(reset.KEEPS)}},
    "seed": {"type": "integer", "minimum": 0, "maximum": 2**63 - 1},
}


def command_schema() -> Schema:
    """One alternative a kind; each may have a key."""
    schema = _alternatives(commands.FIELDS, FIELDS)
    for alternative in schema["oneOf"]:
        alternative["properties"]["key"] = {
            "type": "string",
            "minLength": 1,
            "maxLength": limits.COMMAND_KEY,
            "nullable": True,
        }
    return schema
