"""Imports of kubectl's output, exports of a playground, folders, or Node and Pod lists as CSV. All or nothing."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from kube_objects.collect import ReadResult
from kube_objects.documents import File, read_documents, read_files
from kube_objects.parse import is_read
from kube_objects.sentences import say
from kube_objects.shapes import Held
from playground.clusters import commands
from playground.exchange import embedded_configuration, scenario_loading, trace_check
from playground.exchange.format_recognition import DOCUMENTS, FLAGS, SCENARIO, recognise
from playground.exchange.import_controllers import bring, creation, pod_makers
from playground.exchange.import_options import Imported, ImportOptions, empty, split_unknown_fields
from playground.problems import Refused, problem, to_api_problem
from simulator.importers.csv import ColumnMapping, read_csv
from simulator.importers.folder import choose


def from_text(cluster_id: int, text: str | bytes, options: ImportOptions) -> Imported:
    """Import a text of any known format; return the answer of `import/`. Raises Refused with every problem.

    Formats: objects as YAML or JSON, a configuration of any version, both, a second scheduler's manifests, a scenario,
    or a trace.
    """
    known = recognise(text)
    if known.format == DOCUMENTS:
        return _documents(cluster_id, read_documents(text, strict=options.strict), options)
    if known.format == FLAGS:
        return _documents(cluster_id, ReadResult(configurations=[Held(known.text, 1)]), replace(options, life=None))
    if known.format == SCENARIO:
        scenario = scenario_loading.check(known.text)
        answer = empty("scenario", Counter(command["kind"] for command in scenario.commands))
        number = None if options.dry_run else scenario_loading.load_scenario(cluster_id, scenario, options.author)
        if number is not None:
            answer["command"] = number
        return answer
    answer = empty("trace", {})
    answer["trace"] = trace_check.check_trace(cluster_id, known.text)
    return answer


def from_files(
    cluster_id: int, names: Sequence[str], contents: Sequence[str | bytes], options: ImportOptions
) -> Imported:
    """Import several files, such as a folder's, as documents; files without documents are skipped."""
    if len(contents) == 1:
        return from_text(cluster_id, contents[0], options)
    chosen = choose([File(name, data) for name, data in zip(names, contents, strict=True)])
    read = read_files(chosen.files, strict=options.strict) if chosen.files or not chosen.problems else ReadResult()
    read.notes = [*chosen.notes, *read.notes]
    read.problems = [*chosen.problems, *read.problems]
    return _documents(cluster_id, read, options)


def from_csv(
    cluster_id: int,
    nodes: bytes | str,
    pods: bytes | str,
    mapping: Mapping[str, Mapping[str, str]],
    options: ImportOptions,
) -> Imported:
    """Import Node and Pod lists, one of which may be empty. `mapping`: `{nodes: {column: field}, pods: …}`."""
    columns = ColumnMapping(nodes=mapping.get("nodes", {}), pods=mapping.get("pods", {}))
    return _documents(
        cluster_id, read_csv(nodes, pods, columns), ImportOptions(dry_run=options.dry_run, author=options.author)
    )


def _documents(cluster_id: int, read: ReadResult, options: ImportOptions) -> Imported:
    if read.problems:
        raise Refused(to_api_problem(found) for found in read.problems)
    makers = pod_makers(read.objects)
    matters = any(is_read(str(obj.manifest.get("apiVersion")), obj.kind) for obj in read.objects)
    configuration, yaml = embedded_configuration.configuration(
        cluster_id, read.configurations, matters, options.without_plugins
    )
    objects = read.objects if matters or yaml is None else []
    gates = embedded_configuration.gates(cluster_id, read.gates)
    if not objects and yaml is None and gates is None:
        raise Refused([problem("", say("contains nothing that scheduling uses"))])
    payloads: list[dict[str, Any]] = [] if gates is None else [{"kind": "set_gates", "gates": gates}]
    if yaml is not None:
        payloads.append({"kind": "set_config", "yaml": yaml})
    create, ownerless = creation(cluster_id, objects, keep_ownerless=options.keep_ownerless)
    if objects:
        payloads.append(create)
    answer = empty("objects" if objects else "configuration", Counter(obj.kind for obj in objects))
    answer["unused"], answer["misspelt"] = split_unknown_fields(read.unused)
    answer["notes"] = embedded_configuration.notes(read, objects)
    if gates is not None:
        answer["notes"].append(say("kube-scheduler is restarted with --feature-gates={gates}", gates=gates))
    answer["podless"] = makers.counts
    if makers.living:
        answer["workloads"] = makers.living
    if ownerless:
        answer["ownerless"] = ownerless
    answer["configuration"] = configuration
    if yaml is not None:
        answer["counts"]["KubeSchedulerConfiguration"] = 1
    if options.dry_run:
        return answer
    number = (
        bring(cluster_id, payloads, options.author, options.life)
        if options.life
        else commands.submit_all(cluster_id, payloads, options.author, change_set=str(uuid4()))
    )
    if number is not None:
        answer["command"] = number
    return answer
