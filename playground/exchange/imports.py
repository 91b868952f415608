"""Import what people have: kubectl's output, exports of ours, folders, or node and pod lists as CSV. All or nothing."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from playground.clusters import commands
from playground.exchange import held, scenario_loading, traces
from playground.exchange.held import ImportedConfiguration
from playground.exchange.living import Life, bring, pod_makers
from playground.exchange.recognition import DOCUMENTS, FLAGS, SCENARIO, recognise
from playground.exchange.traces import TraceCheck
from playground.problems import Problem, Refused, of_found, problem
from scheduler_core.importers.csv import ColumnMapping, read_csv
from scheduler_core.importers.folder import choose
from scheduler_core.importers.notes import notes_of
from scheduler_core.objects.collect import ReadResult, UnusedField
from scheduler_core.objects.documents import File, read_documents, read_files
from scheduler_core.objects.parse import is_read
from scheduler_core.objects.shapes import Held
from scheduler_core.sentences import say


class Imported(TypedDict):
    format: Literal["objects", "scenario", "configuration", "trace"]
    counts: dict[str, int]
    unused: list[Annotated[UnusedField, "Unused"]]
    notes: list[str]
    podless: dict[str, int]
    workloads: NotRequired[dict[str, int]]
    configuration: ImportedConfiguration | None
    problems: list[Problem]
    command: NotRequired[int]
    trace: NotRequired[TraceCheck]


def from_text(
    cluster_id: int,
    text: str | bytes,
    author: str = "",
    *,
    dry_run: bool,
    without_plugins: bool = False,
    strict: bool = False,
    life: Life = None,
) -> Imported:
    """Import what a text turns out to be; the answer of `import/`. Raises Refused with every problem of the text.

    Objects as YAML or JSON, a configuration of any version, both, a second scheduler's manifests, a scenario, or a
    trace.
    """
    known = recognise(text)
    if known.format == DOCUMENTS:
        return _documents(cluster_id, read_documents(text, strict=strict), author, dry_run, without_plugins, life)
    if known.format == FLAGS:
        one = Held(known.text, 1)
        return _documents(cluster_id, ReadResult(configurations=[one]), author, dry_run, without_plugins)
    if known.format == SCENARIO:
        scenario = scenario_loading.check(known.text)
        answer = _answer("scenario", Counter(command["kind"] for command in scenario.commands))
        number = None if dry_run else scenario_loading.put(cluster_id, scenario, author)
        if number is not None:
            answer["command"] = number
        return answer
    answer = _answer("trace", {})
    answer["trace"] = traces.checked(cluster_id, known.text)
    return answer


def from_files(
    cluster_id: int,
    names: Sequence[str],
    contents: Sequence[str | bytes],
    author: str = "",
    *,
    dry_run: bool,
    without_plugins: bool = False,
    strict: bool = False,
    life: Life = None,
) -> Imported:
    """The same for several files, such as a folder's. They are documents; what holds none is passed over."""
    if len(contents) == 1:
        options: dict[str, Any] = {"without_plugins": without_plugins, "strict": strict, "life": life}
        return from_text(cluster_id, contents[0], author, dry_run=dry_run, **options)
    chosen = choose([File(name, data) for name, data in zip(names, contents, strict=True)])
    read = read_files(chosen.files, strict=strict) if chosen.files or not chosen.problems else ReadResult()
    read.notes = [*chosen.notes, *read.notes]
    read.problems = [*chosen.problems, *read.problems]
    return _documents(cluster_id, read, author, dry_run, without_plugins, life)


def from_csv(
    cluster_id: int, nodes: bytes | str, pods: bytes | str, mapping: Mapping[str, Mapping[str, str]], *, dry_run: bool
) -> Imported:
    """Import node and pod lists; one of them may be empty. `mapping`: `{nodes: {column: field}, pods: …}`."""
    columns = ColumnMapping(nodes=mapping.get("nodes", {}), pods=mapping.get("pods", {}))
    return _documents(cluster_id, read_csv(nodes, pods, columns), "", dry_run, False)


def _answer(format_: Literal["objects", "scenario", "configuration", "trace"], counts: Mapping[str, int]) -> Imported:
    return {
        "format": format_,
        "counts": dict(sorted(counts.items())),
        "unused": [],
        "notes": [],
        "podless": {},
        "configuration": None,
        "problems": [],
    }


def _documents(
    cluster_id: int,
    read: ReadResult,
    author: str,
    dry_run: bool,
    without_plugins: bool,
    life: Life = None,
) -> Imported:
    if read.problems:
        raise Refused(of_found(found) for found in read.problems)
    makers = pod_makers(read.objects)
    matters = any(is_read(str(obj.manifest.get("apiVersion")), obj.kind) for obj in read.objects)
    found, yaml = held.configuration(cluster_id, read.configurations, matters, without_plugins)
    objects = read.objects if matters or yaml is None else []
    gates = held.gates(cluster_id, read.gates)
    if not objects and yaml is None and gates is None:
        raise Refused([problem("", say("there is nothing in it that scheduling uses"))])
    payloads: list[dict[str, Any]] = [] if gates is None else [{"kind": "set_gates", "gates": gates}]
    if yaml is not None:
        payloads.append({"kind": "set_config", "yaml": yaml})
    if objects:
        payloads.append({"kind": "create", "objects": [dict(obj.manifest) for obj in objects]})
    answer = _answer("objects" if objects else "configuration", Counter(obj.kind for obj in objects))
    answer["unused"] = read.unused
    answer["notes"] = [*notes_of(read), *held.not_taken(read, objects)]
    if gates is not None:
        answer["notes"].append(say("kube-scheduler is restarted with --feature-gates={gates}", gates=gates))
    answer["podless"] = makers.counts
    if makers.living:
        answer["workloads"] = makers.living
    answer["configuration"] = found
    if yaml is not None:
        answer["counts"]["KubeSchedulerConfiguration"] = 1
    if dry_run:
        return answer
    number = bring(cluster_id, payloads, author, life) if life else commands.submit_all(cluster_id, payloads, author)
    if number is not None:
        answer["command"] = number
    return answer
