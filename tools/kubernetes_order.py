"""Writes kubernetes_api/data/order.json.gz: the fields of each type in the order in which Go writes them as JSON.

    python tools/kubernetes_order.py FOLDER

FOLDER is the `k8s.io` folder of a Kubernetes tree (`staging/src/k8s.io`), or of a `vendor` folder with the same
packages. Which types there are says `data/types.json.gz`. The order of names is a fact; no text is taken.
"""

import gzip
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "kubernetes_api/data/order.json.gz"
TYPES = ROOT / "kubernetes_api/data/types.json.gz"
_STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r'^\t(?:\w+[ \t]+)?(\*?[\[\]\w.*]+)[ \t]+`.*?json:"([^",]*)(,inline)?[^"]*"', re.MULTILINE)
# What every object begins with.
_HEAD = ("kind", "apiVersion", "metadata")

Structs = Mapping[str, list[tuple[str, str, bool]]]


def main() -> None:
    folder = Path(sys.argv[1])
    with gzip.open(TYPES) as file:
        types = json.load(file)["types"]
    found: dict[str, list[str]] = {}
    packages: dict[str, Structs] = {}
    for full, schema in types.items():
        package, _, name = full.rpartition(".")
        known = packages.setdefault(package, structs_of(folder, package))
        properties = schema.get("properties", {})
        if name in known:
            order = [each for each in dict.fromkeys([*_head(properties), *_names(known, name)]) if each in properties]
            if len(order) > 1:
                found[full] = order
    text = json.dumps(found, separators=(",", ":"))
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{TARGET.relative_to(ROOT)}: {len(found)} types, {TARGET.stat().st_size} bytes")


def _head(properties: Mapping[str, object]) -> Iterator[str]:
    if all(name in properties for name in _HEAD):
        yield from _HEAD


def structs_of(folder: Path, package: str) -> Structs:
    path = folder / package.removeprefix("io.k8s.").replace(".", "/")
    texts = [each.read_text(encoding="utf-8") for each in sorted(path.glob("types*.go"))]
    return {
        name: [(kind, tag, bool(inline)) for kind, tag, inline in _FIELD.findall(body)]
        for text in texts
        for name, body in _STRUCT.findall(text)
    }


def _names(known: Structs, name: str) -> Iterator[str]:
    """An embedded type's fields stand where it is embedded."""
    for kind, tag, inline in known.get(name, ()):
        if inline and not tag:
            yield from _names(known, kind.lstrip("*"))
        elif tag and tag != "-":
            yield tag


if __name__ == "__main__":
    main()
