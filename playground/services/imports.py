"""Import what people have: kubectl's output, or node and pod lists as CSV. All of it or nothing."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from playground.problems import Refused, of_object, problem
from playground.services import commands
from scheduler_core.importers.csv import ColumnMapping, read_csv
from scheduler_core.objects.collect import ReadResult
from scheduler_core.objects.documents import read_documents


def from_text(cluster_id: int, text: str | bytes, *, dry_run: bool) -> dict[str, Any]:
    """Import YAML or JSON; the answer of `import/`. Raises Refused with every problem of the text."""
    return _import(cluster_id, read_documents(text), dry_run)


def from_csv(
    cluster_id: int, nodes: bytes | str, pods: bytes | str, mapping: Mapping[str, Mapping[str, str]], *, dry_run: bool
) -> dict[str, Any]:
    """Import node and pod lists; one of them may be empty. `mapping`: `{nodes: {column: field}, pods: …}`."""
    columns = ColumnMapping(nodes=mapping.get("nodes", {}), pods=mapping.get("pods", {}))
    return _import(cluster_id, read_csv(nodes, pods, columns), dry_run)


def _import(cluster_id: int, read: ReadResult, dry_run: bool) -> dict[str, Any]:
    if read.problems:
        raise Refused(of_object(found) for found in read.problems)
    if not read.objects:
        raise Refused([problem("", "there is nothing in it that scheduling uses")])
    answer: dict[str, Any] = {
        "counts": dict(sorted(Counter(obj.kind for obj in read.objects).items())),
        "unused": [
            {
                "kind": unused.kind,
                "path": unused.path,
                "count": unused.count,
                "document": unused.document,
                "key": unused.key,
            }
            for unused in read.unused
        ],
        "problems": [],
    }
    if not dry_run:
        objects = [dict(obj.manifest) for obj in read.objects]
        answer["command"] = commands.submit(cluster_id, {"kind": "create", "objects": objects}).number
    return answer
