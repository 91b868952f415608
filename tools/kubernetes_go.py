"""Write kube_apiserver/data/go_types.json: the fields of API types as Go prints them, in Go's order.

    python tools/kubernetes_go.py FOLDER

FOLDER, a project's `vendor` folder, has the packages below in it. Error messages of an API server show values of its
internal types: all fields, by their Go names. Only facts are read, no text.
"""

import json
import re
import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "kube_apiserver/data/go_types.json"
ROOTS = (
    "CustomResourceDefinitionVersion",
    "FlowSchemaSpec",
    "PersistentVolumeClaimSpec",
    "PersistentVolumeSource",
    "PodDisruptionBudgetSpec",
    "PodSpec",
    "PodTemplateSpec",
    "PriorityLevelConfigurationSpec",
    "ResourceClaimSpec",
    "VolumeNodeAffinity",
)
# The files of internal types, and of those that are served.
PACKAGES = (
    *(
        ((f"k8s.io/kubernetes/pkg/apis/{group}/types.go",), (f"k8s.io/api/{group}/v1/types.go",))
        for group in ("core", "flowcontrol", "policy", "resource")
    ),
    tuple(
        tuple(
            f"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions{version}/{name}.go"
            for name in ("types", "types_jsonschema")
        )
        for version in ("", "/v1")
    ),
)
SCALARS = {"string": "", "bool": False, "int": 0, "int32": 0, "int64": 0, "float64": 0}
# Fields of a pod that the internal type keeps in its security context.
_MOVED = ("HostNetwork", "HostPID", "HostIPC", "ShareProcessNamespace", "HostUsers")
# What stands as it is served, whatever it is.
_AS_SERVED = {"JSONSchemaPropsOrStringArray": "JSON"}
_STRUCT = re.compile(r"^type (\w+) struct \{(?:\}|\n(.*?)^\})", re.MULTILINE | re.DOTALL)
_COLLECTION = re.compile(r"^type (\w+) ((?:\[\]|map\[string\])\w+)$", re.MULTILINE)
_SCALAR = re.compile(r"^type (\w+) (string|bool|int32|int64|int)$", re.MULTILINE)
_FIELD = re.compile(
    r"^\t(?:(\w+)[ \t]+)?(\*?(?:\[\]|map\[\w+\])?\*?[\w.]+)(?:\s+`json:\"([^\",]*)[^`]*`)?\s*(?://.*)?$"
)


def structs(text: str) -> dict[str, list[tuple[str, str, str]]]:
    """Return type → its fields: Go name, type, JSON name."""
    found = {}
    for name, body in _STRUCT.findall(text):
        fields = []
        for line in body.split("\n"):
            match = _FIELD.match(line)
            if match:
                fields.append((match[1] or "", match[2], match[3] or ""))
        found[name] = fields
    return found


def main() -> None:
    vendor = Path(sys.argv[1])
    internal: dict[str, list[tuple[str, str, str]]] = {}
    names: dict[str, dict[str, str]] = {}
    scalars: dict[str, str] = {}
    collections: dict[str, str] = {}
    for inside, served in PACKAGES:
        text = "\n".join((vendor / each).read_text(encoding="utf-8") for each in inside)
        internal |= structs(text)
        scalars |= dict(_SCALAR.findall(text))
        collections |= dict(_COLLECTION.findall(text))
        public = "\n".join((vendor / each).read_text(encoding="utf-8") for each in served)
        names |= {name: {go: tag for go, _, tag in fields} for name, fields in structs(public).items()}
    written: dict[str, list[list[str]]] = {}
    waiting = list(ROOTS)
    while waiting:
        name = waiting.pop()
        if name in written:
            continue
        rows = []
        for go, kind, _ in internal[name]:
            base = kind.replace("core.", "").replace("api.", "")
            base = collections.get(base, base)
            bare = re.sub(r"^\*?(?:\[\]|map\[\w+\])?\*?", "", base)
            if bare in _AS_SERVED:
                base = base[: len(base) - len(bare)] + _AS_SERVED[bare]
            elif bare in scalars:
                base = base[: len(base) - len(bare)] + scalars[bare]
            elif bare in internal:
                waiting.append(bare)
            tag = names.get(name, {}).get(go, "")
            if name == "PodSecurityContext" and go in _MOVED:
                tag = f"../{names['PodSpec'][go]}"
            rows.append([go, tag or (go if go[:2].isupper() else go[:1].lower() + go[1:]), base])
        written[name] = rows
    lines = [f" {json.dumps(name)}: {json.dumps(written[name], separators=(',', ':'))}" for name in sorted(written)]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
