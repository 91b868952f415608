"""Writes kubernetes_api/data/resources.json: the resources that are served, as an API server tells of them.

    python tools/kubernetes_resources.py discovery.json.gz

The file holds the answers of a kube-apiserver: `aggregated` of `/api` and `/apis`, `resourceLists`, `tables`.
"""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "kubernetes_api/data/resources.json"
ORIGIN = "what kube-apiserver v1.36.2 answers to discovery, and the columns of its tables"
# Not served: questions about others than who asks.
LEFT_OUT = {
    ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
}
NAME = {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0}
AGE = {"name": "Age", "type": "string", "format": "", "description": "", "priority": 0}


def main() -> None:
    with gzip.open(sys.argv[1]) as file:
        recorded = json.load(file)
    columns = {path: table["columnDefinitions"] for path, table in recorded["tables"].items()}
    hashes = {
        (path, each["name"]): each["storageVersionHash"]
        for path, answer in recorded["resourceLists"].items()
        for each in answer["body"]["resources"]
        if "storageVersionHash" in each
    }
    found = []
    for answer in recorded["aggregated"].values():
        for group in answer["body"]["items"]:
            name = group["metadata"].get("name", "")
            for version in group["versions"]:
                for each in version["resources"]:
                    if (name, each["resource"]) not in LEFT_OUT:
                        found.append(resource(name, version["version"], each, columns, hashes))
    text = json.dumps({"origin": ORIGIN, "resources": found}, indent=1)
    TARGET.write_text(f"{text}\n", encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {len(found)} resources")


def resource(group: str, version: str, each: dict[str, Any], columns: Any, hashes: Any) -> dict[str, Any]:
    place = f"/apis/{group}/{version}" if group else f"/api/{version}"
    optional = {
        "shortNames": each.get("shortNames"),
        "categories": each.get("categories"),
        "hash": hashes.get((place, each["resource"])),
        "doors": [door(one) for one in each.get("subresources", ())],
    }
    return {
        "group": group,
        "version": version,
        "name": each["resource"],
        "singular": each["singularResource"],
        "kind": each["responseKind"]["kind"],
        "namespaced": each["scope"] == "Namespaced",
        "verbs": each["verbs"],
        **{key: value for key, value in optional.items() if value},
        "columns": columns.get(f"{place}/{each['resource']}", [NAME, AGE]),
    }


def door(each: dict[str, Any]) -> dict[str, Any]:
    kind = {key: value for key, value in each["responseKind"].items() if value}
    return {"name": each["subresource"], **kind, "verbs": each["verbs"]}


if __name__ == "__main__":
    main()
