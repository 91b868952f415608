"""Write kube_apiserver/data/types.json.gz: the part of each kind's schema that merging and patching need.

The schemas come from the package kubernetes-validate, which contains those of each Kubernetes release:

    pip download --no-deps kubernetes-validate==1.36.0

    python tools/kubernetes_types.py kubernetes_validate-1.36.0-py3-none-any.whl
"""

import gzip
import json
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "kube_apiserver/data/types.json.gz"
RESOURCES = ROOT / "kube_apiserver/data/resources.json"
SOURCE = "kubernetes_validate/kubernetes-json-schema/v{version}-local/_definitions.json"
FIELDS = (
    "$ref",
    "oneOf",
    "default",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-patch-merge-key",
    "x-kubernetes-patch-strategy",
    "x-kubernetes-preserve-unknown-fields",
)
# Of a key that may be left out, which JSON schemas do not tell.
DEFAULTS = {
    ("io.k8s.api.core.v1.ContainerPort", "protocol"): "TCP",
    ("io.k8s.api.core.v1.LocalObjectReference", "name"): "",
    ("io.k8s.api.core.v1.ServicePort", "protocol"): "TCP",
}
ZERO = {"string": "", "integer": 0}


def reduced(definitions: Mapping[str, Any], kinds: set[tuple[str, str, str]]) -> dict[str, Any]:
    """Return `{kinds: {"group/version/kind": type}, types}`."""
    named = {
        "/".join(key): name
        for name, schema in definitions.items()
        for each in schema.get("x-kubernetes-group-version-kind", ())
        if (key := (each["group"], each["version"], each["kind"])) in kinds
    }
    types: dict[str, Any] = {}
    todo = list(named.values())
    while todo:
        name = todo.pop()
        if name not in types:
            types[name] = _reduced(name, definitions[name])
            todo += _references(types[name])
    for each in types.values():
        for field in each.get("properties", {}).values():
            _default_keys(field, types, definitions)
    return {"kinds": dict(sorted(named.items())), "types": dict(sorted(types.items()))}


def _default_keys(field: Mapping[str, Any], types: Mapping[str, Any], definitions: Mapping[str, Any]) -> None:
    """Add the zero value of a missing list key that Go always writes."""
    name = field.get("items", {}).get("$ref")
    if field.get("x-kubernetes-list-type") != "map" or name is None:
        return
    for key in field["x-kubernetes-list-map-keys"]:
        if key in definitions[name].get("required", ()):
            types[name]["properties"][key].setdefault("default", ZERO[types[name]["properties"][key]["type"]])


def _reduced(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {key: schema[key] for key in FIELDS if key in schema}
    if "$ref" in found:
        found["$ref"] = found["$ref"].rpartition("/")[2]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else [each for each in kinds if each != "null"]
    if len(kinds) == 1:
        found["type"] = kinds[0]
    if schema.get("format") == "int-or-string":
        found["format"] = schema["format"]
    if "properties" in schema:
        found["properties"] = {key: _reduced(name, each) for key, each in schema["properties"].items()}
        for key in found["properties"]:
            if (name, key) in DEFAULTS:
                found["properties"][key]["default"] = DEFAULTS[name, key]
    if "items" in schema:
        found["items"] = _reduced("", schema["items"])
    if isinstance(schema.get("additionalProperties"), Mapping):
        found["additionalProperties"] = _reduced("", schema["additionalProperties"])
    return found


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema.get("$ref"), str):
        yield schema["$ref"]
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            yield from _references(schema[key])
    for each in schema.get("properties", {}).values():
        yield from _references(each)


def main() -> None:
    wheel = Path(sys.argv[1])
    version = wheel.name.split("-")[1]
    with zipfile.ZipFile(wheel) as files:
        definitions = json.loads(files.read(SOURCE.format(version=version)))["$defs"]
    resources = json.loads(RESOURCES.read_text(encoding="utf-8"))["resources"]
    # A door may take an object of a kind of its own: a Scale, an Eviction.
    doors = [{**each, **door} for each in resources for door in each.get("doors", ())]
    kinds = {(each["group"], each["version"], each["kind"]) for each in (*resources, *doors)}
    text = json.dumps(reduced(definitions, kinds), separators=(",", ":"))
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
