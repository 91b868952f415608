"""Wire fields: JSON name and Go type of each dataclass field, for decoding, defaulting and encoding.

Each dataclass of a configuration declares for its fields the Go type in kube-scheduler's v1 struct. The JSON name, the
accepted values, the error messages and omission on writing follow from it.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any

INTEGERS = {"int32": 32, "int64": 64}
SCALARS = {"bool", "string", "float32", *INTEGERS}


@dataclass(frozen=True, slots=True)
class GoType:
    """The type of a Go field. `kind` is one of SCALARS, duration, raw, bytes, struct, slice, map.

    `text` is the type as Go prints it, without a leading `*`; `pointer` is True if it had one.
    """

    text: str
    kind: str
    pointer: bool = False
    element: "GoType | None" = None
    struct: type[Any] | None = None


@dataclass(frozen=True, slots=True)
class WireField:
    """One field: attribute of the dataclass, name in JSON, Go type.

    `keep` writes the field even if it is empty (Go: no `omitempty`). `zero_unset` treats an explicit zero value as
    absent, so that the default applies. `embedded` is the embedded struct that type errors name.
    """

    attribute: str
    json: str
    type: GoType
    keep: bool = False
    zero_unset: bool = False
    embedded: str = ""


@dataclass(frozen=True, slots=True)
class _Wire:
    go: str
    json: str
    of: type[Any] | None
    keep: bool
    zero_unset: bool
    embedded: str


def wire(
    go: str,
    *,
    json: str = "",
    of: type[Any] | None = None,
    keep: bool = False,
    zero_unset: bool = False,
    embedded: str = "",
) -> dict[str, _Wire]:
    """Return the metadata of a dataclass field of Go type `go`; `of` is the dataclass of its structs.

    `json` is the JSON name if it isn't the attribute in camelCase; the others are WireField's.
    """
    return {"wire": _Wire(go, json, of, keep, zero_unset, embedded)}


_KNOWN: dict[type[Any], tuple[WireField, ...]] = {}


def wire_fields(cls: type[Any]) -> tuple[WireField, ...]:
    """Return the wire fields of a dataclass, in the order of the Go struct."""
    if cls not in _KNOWN:
        _KNOWN[cls] = _read_fields(cls)
    return _KNOWN[cls]


def _read_fields(cls: type[Any]) -> tuple[WireField, ...]:
    fields = []
    for field in dataclasses.fields(cls):
        spec = field.metadata.get("wire")
        if spec is not None:
            json = spec.json or _camel(field.name)
            kind = go_type(spec.go, spec.of)
            fields.append(WireField(field.name, json, kind, spec.keep, spec.zero_unset, spec.embedded))
    return tuple(fields)


def go_type(text: str, of: type[Any] | None) -> GoType:
    """Parse a Go type such as `*int32`, `[]v1.Plugin`. Named types without a dataclass are strings."""
    if text.startswith("*"):
        return dataclasses.replace(go_type(text[1:], of), pointer=True)
    if text == "[]uint8":
        return GoType(text, "bytes")
    if text.startswith("[]"):
        return GoType(text, "slice", element=go_type(text[2:], of))
    if text.startswith("map[string]"):
        return GoType(text, "map", element=go_type(text.removeprefix("map[string]"), of))
    if of is not None:
        return GoType(text, "struct", struct=of)
    named = {"v1.Duration": "duration", "runtime.RawExtension": "raw"}
    return GoType(text, text if text in SCALARS else named.get(text, "string"))


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
