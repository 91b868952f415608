"""Encode a configuration in its v1 form, as JSON data or YAML text.

Source: pkg/scheduler/apis/config/v1/conversion.go, cmd/kube-scheduler/app/options/configfile.go.
"""

import base64
from typing import Any

from kube_objects.text.go import format_duration, json_float, json_string
from kube_objects.text.yaml_writer import dump_yaml
from scheduler_core.config.args.raw import RawArgs
from scheduler_core.config.core import CORE_TYPES
from scheduler_core.config.fields import GoType, WireField, wire_fields
from scheduler_core.config.types import API_VERSION, PluginConfig, SchedulerConfiguration

_CAPITALS = {"urlPrefix": "URLPrefix", "tlsConfig": "TLSConfig", "httpTimeout": "HTTPTimeout", "caFile": "CAFile"}


def to_dict(config: SchedulerConfiguration) -> dict[str, Any]:
    """Return the complete configuration as v1 JSON data."""
    return encode_fields(config)


def export_yaml(config: SchedulerConfiguration) -> str:
    """Return the complete configuration as a file that kube-scheduler accepts."""
    return dump_yaml(to_dict(config))


def encode_fields(value: Any) -> dict[str, Any]:
    """Return the fields of one dataclass by JSON name."""
    fields = ((field, getattr(value, field.attribute)) for field in wire_fields(type(value)))
    result = {field.json: _encode_value(item, field.type) for field, item in fields if _is_written(field, item)}
    if isinstance(value, PluginConfig):
        result["args"] = _encode_args(value)
    return result


def _is_written(field: WireField, value: Any) -> bool:
    if field.keep:
        return True
    if value is None:
        return False
    return field.type.pointer or field.type.kind == "struct" or bool(value)


def _encode_value(value: Any, kind: GoType) -> Any:
    if value is None or kind.kind == "raw":
        return None
    match kind.kind:
        case "struct":
            return encode_fields(value)
        case "slice" if kind.element is not None:
            return [_encode_value(item, kind.element) for item in value]
        case "map":
            return dict(value)
        case "duration":
            return format_duration(value)
        case "bytes":
            return base64.b64encode(value).decode()
        case "float32":
            return int(value) if value.is_integer() and abs(value) < 1e21 else value
    return value


def _encode_args(entry: PluginConfig) -> Any:
    if entry.args is None:
        return None
    if isinstance(entry.args, RawArgs):
        return entry.args.value
    return {"apiVersion": API_VERSION, "kind": f"{entry.name}Args", **encode_fields(entry.args)}


def internal_json(value: Any) -> str:
    """Return a value as upstream's error messages print it: Go's field names, all fields, no spaces.

    Types of the core API keep their JSON form.
    """
    if isinstance(value, RawArgs):
        return value.compact
    return _internal(value, None)


def _internal(value: Any, kind: GoType | None) -> str:
    if value is None or (value == () and kind is not None):
        return "null"
    if isinstance(value, tuple):
        return "[" + ",".join(_internal(item, None) for item in value) + "]"
    if kind is not None and kind.kind == "duration":
        return json_string(format_duration(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json_string(value)
    if isinstance(value, (int, float)):
        return json_float(value) if isinstance(value, float) else str(value)
    if isinstance(value, CORE_TYPES):
        return _plain_json(encode_fields(value))
    fields = ((_go_name(f.json), getattr(value, f.attribute), f.type) for f in wire_fields(type(value)))
    return "{" + ",".join(f"{json_string(name)}:{_internal(item, kind)}" for name, item, kind in fields) + "}"


def _plain_json(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{json_string(key)}:{_plain_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_plain_json(item) for item in value) + "]"
    return _internal(value, None)


def _go_name(json: str) -> str:
    return _CAPITALS.get(json) or json[0].upper() + json[1:]
