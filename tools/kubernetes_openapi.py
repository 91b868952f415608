"""Write kube_apiserver/data/openapi.json.gz: the schemas of the served kinds, with their descriptions, as published.

They are those of the Kubernetes tree's `api/openapi-spec/v3` (Apache-2.0), without operations; these follow from the
resources, see kube_apiserver/documents/openapi.py.

    python tools/kubernetes_openapi.py api/openapi-spec/v3 pkg/generated/openapi/zz_generated.openapi.go

The second file has the permitted values of fields, which a server returns and the published documents lack.
"""

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kube_apiserver.documents.references import references  # noqa: E402

TARGET = ROOT / "kube_apiserver/data/openapi.json.gz"
RESOURCES = ROOT / "kube_apiserver/data/resources.json"
START = "#/components/schemas/"
_FIELD = re.compile(
    r'^\t{5}"(\w+)": \{\n(?:(?!^\t{5}\}).*\n)*?\s+Description: +"((?:[^"\\]|\\.)*)",\n(?:(?!^\t{5}\}).*\n)*?'
    r"\s+Enum: +\[\]interface\{\}\{(.*)\},$",
    re.MULTILINE,
)
# What is sent to the resources beside their objects.
BESIDE = {"Eviction", "Scale", "Binding", "DeleteOptions", "Status", "WatchEvent", "TokenRequest", "APIResourceList"}


def main() -> None:
    source = Path(sys.argv[1])
    resources = json.loads(RESOURCES.read_text(encoding="utf-8"))["resources"]
    kinds = {(each["group"], each["version"], each["kind"]) for each in resources}
    schemas: dict[str, Any] = {}
    for path in sorted(source.glob("*.json")):
        schemas |= json.loads(path.read_text(encoding="utf-8")).get("components", {}).get("schemas", {})
    todo = [name for name, schema in schemas.items() if any(_is_served(each, kinds) for each in _kinds(schema))]
    todo.append("io.k8s.apimachinery.pkg.apis.meta.v1.Patch")
    found: dict[str, Any] = {}
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = schemas[name]
            todo += references(schemas[name], START)
    _add_values(found, Path(sys.argv[2]).read_text(encoding="utf-8"))
    text = json.dumps(dict(sorted(found.items())), separators=(",", ":"))
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{TARGET.relative_to(ROOT)}: {len(found)} schemas, {TARGET.stat().st_size} bytes")


def _add_values(schemas: dict[str, Any], source: str) -> None:
    """Add the `enum` of fields, and the description that explains each value."""
    by_function = {_function(name): name for name in schemas}
    for body in re.split(r"^func ", source, flags=re.MULTILINE)[1:]:
        name = by_function.get(body.partition("(")[0])
        if name is None:
            continue
        for field, description, values in _FIELD.findall(body):
            schema = schemas[name]["properties"].get(field)
            if schema is not None:
                schema["description"] = json.loads(f'"{description}"')
                values = json.loads(f"[{values}]")
                schema.get("items", schema)["enum"] = values


def _function(name: str) -> str:
    words = name.removeprefix("io.k8s.").split(".")
    start = "schema_k8sio_" if words[0] == "api" else "schema_"
    return start + "_".join(words if words[0] == "api" else words[1:])


def _kinds(schema: Any) -> list[tuple[str, str, str]]:
    found = schema.get("x-kubernetes-group-version-kind", ())
    return [(each["group"], each["version"], each["kind"]) for each in found]


def _is_served(each: tuple[str, str, str], kinds: set[tuple[str, str, str]]) -> bool:
    group, version, kind = each
    return (group, version, kind.removesuffix("List")) in kinds or kind in BESIDE


if __name__ == "__main__":
    main()
