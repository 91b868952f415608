"""A configuration as a form: each field with type, default, limits and help, as plain JSON data.

It is generated from the dataclasses that decode, default and encode configurations.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, TypedDict

from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.config.defaults import default_configuration
from scheduler_core.config.editing.field_help import FIELD_HELP
from scheduler_core.config.encode import encode_fields
from scheduler_core.config.fields import INTEGERS, GoType, WireField, wire_fields
from scheduler_core.config.help import FieldHelp, Help
from scheduler_core.config.rules import ConfigRules, Points
from scheduler_core.config.types import API_VERSION, EXTENSION_POINTS, KIND, ExtenderConfig, SchedulerConfiguration

MAX_WEIGHT = (1 << 31) - 1
_TYPES = {"bool": "boolean", "float32": "number", "duration": "duration", "bytes": "text", "string": "text"}
_SCALAR = Help("")
Texts = Mapping[type[Any], FieldHelp]


class ConfigForm(TypedDict):
    apiVersion: str
    kind: str
    points: list[str]
    multiPoint: list[dict[str, Any]]
    maxWeight: int
    settings: list[dict[str, Any]]
    extender: list[dict[str, Any]]
    plugins: list[dict[str, Any]]


def form(points: Points | None = None, *, rules: ConfigRules) -> ConfigForm:
    """Return the form; `points` are the extension points of every registered plugin.

    A field is `{"name", "type", "help", "default", "optional"}` with `least`, `most`, `choices`, `fields` (of an
    object), `item` (of a list) and `inert` if they apply. `type` is integer, number, boolean, text, choice, duration,
    object or list. An `optional` field may be left out; then `default` applies, null for nothing.
    """
    points = points or rules.points
    defaults = {plugin.name: plugin.weight for plugin in rules.multi_point.enabled}
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "points": list(EXTENSION_POINTS),
        "multiPoint": [{"name": plugin.name, "weight": plugin.weight} for plugin in rules.multi_point.enabled],
        "maxWeight": MAX_WEIGHT,
        "settings": _fields(SchedulerConfiguration, default_configuration(rules), FIELD_HELP),
        "extender": _fields(ExtenderConfig, ExtenderConfig(), FIELD_HELP),
        "plugins": [
            {
                "name": name,
                "points": [point for point in EXTENSION_POINTS if point in points[name]],
                "default": name in defaults,
                "weight": (defaults.get(name) or 1) if "score" in points[name] else None,
                "args": _args(rules.plugin_args[name]) if name in rules.plugin_args else None,
            }
            for name in sorted(points)
        ],
    }


def _args(rules: ArgsRules) -> list[dict[str, Any]]:
    return _fields(rules.struct, rules.struct(), rules.help)


def _fields(cls: type[Any], instance: Any, texts: Texts) -> list[dict[str, Any]]:
    """Return the fields of a dataclass; `instance` is an instance with the defaults that apply here."""
    encoded = encode_fields(instance)
    texts_of = texts[cls]
    return [
        _field(field, texts_of[field.json], getattr(instance, field.attribute), encoded.get(field.json), texts)
        for field in wire_fields(cls)
        if not texts_of[field.json].hidden
    ]


def _field(field: WireField, texts_of: Help, value: Any, encoded: Any, texts: Texts) -> dict[str, Any]:
    result: dict[str, Any] = {"name": field.json, "help": texts_of.text, "optional": not field.keep or field.zero_unset}
    result |= _typed(field.type, texts_of, texts, value)
    # Empty values aren't encoded, but they are the default.
    result["default"] = value if encoded is None and isinstance(value, bool | int | str) else encoded
    if texts_of.inert:
        result["inert"] = True
    return result


def _typed(kind: GoType, texts_of: Help, texts: Texts, value: Any = None) -> dict[str, Any]:
    limits = {name: limit for name, limit in (("least", texts_of.least), ("most", texts_of.most)) if limit is not None}
    if texts_of.choices:
        return {"type": "choice", "choices": list(texts_of.choices)}
    if kind.kind in INTEGERS:
        return {"type": "integer", **limits}
    if kind.kind == "slice":
        assert kind.element is not None  # a slice has one
        return {"type": "list", "item": _typed(kind.element, _SCALAR, texts)}
    if kind.kind == "struct":
        assert kind.struct is not None  # a struct has one
        instance = value if dataclasses.is_dataclass(value) else kind.struct()
        return {"type": "object", "fields": _fields(kind.struct, instance, texts)}
    return {"type": _TYPES[kind.kind], **limits}
