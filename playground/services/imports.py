"""Import what people have: kubectl's output, exports of ours, or node and pod lists as CSV. All of it or nothing."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from playground.problems import Refused, of_object, problem
from playground.services import commands, configurations, scenarios, traces
from playground.services.recognition import OBJECTS, SCENARIO, TRACE, recognise
from scheduler_core.importers.csv import ColumnMapping, read_csv
from scheduler_core.objects.collect import ReadResult
from scheduler_core.objects.documents import read_documents


def from_text(cluster_id: int, text: str | bytes, author: str = "", *, dry_run: bool) -> dict[str, Any]:
    """Import what a text turns out to be; the answer of `import/`. Raises Refused with every problem of the text.

    Objects as YAML or JSON, a scenario, a configuration of any version, a second scheduler's manifests, or a trace.
    """
    known = recognise(text)
    if known.format == OBJECTS:
        return _import(cluster_id, read_documents(text), dry_run)
    answer: dict[str, Any] = {"format": known.format, "counts": {}, "unused": [], "problems": []}
    match known.format:
        case format_ if format_ == SCENARIO:
            scenario = scenarios.check(known.text)
            answer["counts"] = dict(sorted(Counter(command["kind"] for command in scenario.commands).items()))
            number = None if dry_run else scenarios.put(cluster_id, scenario, author)
        case format_ if format_ == TRACE:
            answer["trace"] = traces.checked(cluster_id, known.text)
            number = None
        case _:
            yaml = configurations.check(cluster_id, known.text)
            answer["counts"] = {"KubeSchedulerConfiguration": 1}
            command = {"kind": "set_config", "yaml": yaml}
            number = None if dry_run else commands.submit(cluster_id, command, author=author).number
    return answer if number is None else {**answer, "command": number}


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
        "format": OBJECTS,
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
