"""Writes kubernetes_api/data/fields.json.gz: the fields of each type with their Go types, as reflection names them.

    python tools/kubernetes_fields.py FOLDER

FOLDER is that of `tools/kubernetes_order.py`. What a decoder says of JSON that does not fit names these types.
"""

import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.kubernetes_order import ROOT, TYPES, Structs, structs_of

TARGET = ROOT / "kubernetes_api/data/fields.json.gz"
_SCALARS = frozenset(["string", "bool", "int", "int32", "int64", "float64", "byte", "any"])
_WORD = re.compile(r"(?:(\w+)\.)?([A-Za-z]\w*)")
_SAME = frozenset(["intstr", "resource", "runtime", "types"])


def main() -> None:
    folder = Path(sys.argv[1])
    with gzip.open(TYPES) as file:
        types = json.load(file)["types"]
    found: dict[str, dict[str, str]] = {}
    packages: dict[str, Structs] = {}
    for full, schema in types.items():
        package, _, name = full.rpartition(".")
        known = packages.setdefault(package, structs_of(folder, package))
        version = package.rpartition(".")[2]
        properties = schema.get("properties", {})
        fields = {tag: printed(kind, version) for kind, tag in _fields(known, name) if tag in properties}
        if fields:
            found[full] = fields
    text = json.dumps(found, separators=(",", ":"), sort_keys=True)
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{TARGET.relative_to(ROOT)}: {len(found)} types, {TARGET.stat().st_size} bytes")


def _fields(known: Structs, name: str) -> Iterator[tuple[str, str]]:
    for kind, tag, inline in known.get(name, ()):
        if inline and not tag:
            yield from _fields(known, kind.lstrip("*"))
        elif tag and tag != "-":
            yield kind, tag


def printed(kind: str, version: str) -> str:
    """`*Container` of core/v1 is `v1.Container`: a pointer is told as what it points to."""

    def named(match: re.Match[str]) -> str:
        package, name = match[1], match[2]
        if package in _SAME:
            return match[0]
        if not package and (name in _SCALARS or name == "map"):
            return "uint8" if name == "byte" else name
        # Other packages are imported by longer names than they have.
        return f"{version if not package else 'v1'}.{name}"

    return _WORD.sub(named, kind.replace("*", ""))


if __name__ == "__main__":
    main()
