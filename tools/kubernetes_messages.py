"""Write kube_apiserver/data/messages.json.gz: the messages in which clients send objects as protobuf.

They are those of the Kubernetes tree's `generated.proto` files (Apache-2.0), without comments. Three facts are read in
the Go types: fields that are written into their parent's JSON, pointers (in which a zero is a value), and fields that
are written even if they are empty.

    pip install grpcio-tools

    python tools/kubernetes_messages.py kubernetes/staging/src
"""

import base64
import gzip
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "kube_apiserver/data/messages.json.gz"
GROUPS = (
    "admissionregistration/v1",
    "apps/v1",
    "authentication/v1",
    "authorization/v1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "certificates/v1",
    "coordination/v1",
    "core/v1",
    "discovery/v1",
    "events/v1",
    "networking/v1",
    "node/v1",
    "policy/v1",
    "rbac/v1",
    "resource/v1",
    "scheduling/v1",
    "storage/v1",
)
MACHINERY = ("api/resource", "apis/meta/v1", "runtime", "runtime/schema", "util/intstr")
_STRUCT = re.compile(r"^type (\w+) struct \{$(.*?)^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(
    r'^\s+(?:\w+\s+)?(?P<type>[\w.*\[\]]+)\s+`json:"(?P<json>[^"]*)"\s+protobuf:"(?P<proto>[^"]*)"`', re.M
)
_PACKAGE = re.compile(r"^package ([\w.]+);", re.MULTILINE)


def fields(source: str) -> dict[str, dict[str, list[str]]]:
    """Return each struct's message fields that are `inline`, `pointers` or `always`."""
    found: dict[str, dict[str, list[str]]] = {}
    for struct, body in _STRUCT.findall(source):
        kinds: dict[str, list[str]] = {"inline": [], "pointers": [], "always": []}
        for each in _FIELD.finditer(body):
            name, *options = each["json"].split(",")
            written = next((part[5:] for part in each["proto"].split(",") if part.startswith("name=")), name)
            if not written:
                own = each["type"].rpartition(".")[2]
                written = own[0].lower() + own[1:]
            if not name:
                kinds["inline"].append(written)
            elif each["type"].startswith("*"):
                kinds["pointers"].append(written)
            elif "omitempty" not in options and "omitzero" not in options:
                kinds["always"].append(written)
        if any(kinds.values()):
            found[struct] = {kind: names for kind, names in kinds.items() if names}
    return found


def main() -> None:
    from grpc_tools import protoc

    source = Path(sys.argv[1])
    folders = [f"k8s.io/api/{group}" for group in GROUPS]
    folders += [f"k8s.io/apimachinery/pkg/{part}" for part in MACHINERY]
    folders.append("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1")
    facts: dict[str, Any] = {}
    for folder in folders:
        package = _PACKAGE.search((source / folder / "generated.proto").read_text(encoding="utf-8"))
        assert package is not None
        for path in sorted((source / folder).glob("*types*.go")):
            if "test" not in path.name and "generated" not in path.name:
                for struct, kinds in fields(path.read_text(encoding="utf-8")).items():
                    facts[f"{package[1]}.{struct}"] = kinds
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "set"
        status = protoc.main(
            ["protoc", f"-I{source}", f"-o{out}", *(f"{source}/{folder}/generated.proto" for folder in folders)]
        )
        assert status == 0, "protoc failed"
        descriptors = base64.b64encode(out.read_bytes()).decode()
    text = json.dumps({"descriptors": descriptors, "fields": facts}, separators=(",", ":"), sort_keys=True)
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
