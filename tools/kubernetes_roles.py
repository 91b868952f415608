"""Write kube_apiserver/data/roles.json.gz: the roles and bindings that an API server creates at its start.

    python tools/kubernetes_roles.py FOLDER

FOLDER is `plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata` of a Kubernetes tree: upstream's own tests compare
its policy with these files. The API server of the recorded sessions has one more role, `system:openshift:public-info-
viewer`, whose permissions are visible in them.
"""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "kube_apiserver/data/roles.json.gz"
FILES = (
    "cluster-roles.yaml",
    "controller-roles.yaml",
    "cluster-role-bindings.yaml",
    "controller-role-bindings.yaml",
    "namespace-roles.yaml",
    "namespace-role-bindings.yaml",
)
# In the order in which an API server writes them.
ORDER: dict[str, tuple[str, ...]] = {
    "": ("metadata", "rules", "aggregationRule", "subjects", "roleRef"),
    "metadata": ("labels", "annotations"),
    "rules": ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"),
    "subjects": ("kind", "apiGroup", "name", "namespace"),
    "roleRef": ("apiGroup", "kind", "name"),
}


def main() -> None:
    found: dict[str, dict[str, Any]] = {}
    for name in FILES:
        for each in yaml.safe_load((Path(sys.argv[1]) / name).read_text(encoding="utf-8"))["items"]:
            metadata = each["metadata"]
            key = "/".join(filter(None, (metadata.get("namespace"), metadata["name"])))
            found.setdefault(each["kind"], {})[key] = ordered("", each)
    kinds = {kind: dict(sorted(objects.items())) for kind, objects in sorted(found.items())}
    text = json.dumps(kinds, separators=(",", ":"))
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size} bytes")


def ordered(place: str, value: Any) -> Any:
    if isinstance(value, list):
        return [ordered(place, each) for each in value]
    if place not in ORDER or not isinstance(value, dict):
        return value
    return {name: ordered(name, value[name]) for name in ORDER[place] if name in value}


if __name__ == "__main__":
    main()
