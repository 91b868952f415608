"""The output of `kubectl get`: names, and tables with the columns that scripts count and cut."""

import json
from collections.abc import Sequence
from typing import Any

from kube_controllers.pods import is_ready, node_of, phase
from kube_objects.manifests import Manifest, labels, name, number, spec, status
from kube_objects.text.yaml_writer import dump_yaml
from tests.conformance.controllers.arguments import Arguments, Fault
from tests.conformance.controllers.jsonpath import from_go_template, printed, values
from tests.conformance.controllers.resources import Resource

_FORMATS = ("", "wide", "name", "json", "yaml", "jsonpath", "jsonpath-as-json", "go-template", "custom-columns")
_OF_DAEMONS = (
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
)


def listed(found: Sequence[tuple[Resource, Manifest]], arguments: Arguments) -> str:
    how, _, path = arguments.one("o", "output").partition("=")
    if how in ("template", "go-template"):
        how, path = "go-template", path or arguments.one("template")
    if how not in _FORMATS:
        raise Fault(f'error: unable to match a printer suitable for the output format "{how}"')
    if by := arguments.one("sort-by"):
        found = sorted(found, key=lambda one: _rank(by, one[1]))
    if how in ("json", "yaml", "jsonpath", "jsonpath-as-json", "go-template"):
        one_named = len(found) == 1 and (len(arguments.words) > 1 or "/" in "".join(arguments.words[:1]))
        answer: Any = found[0][1] if one_named else _list([obj for _, obj in found])
        if how == "jsonpath-as-json":
            return json.dumps(values(path.strip("'\"{}"), answer), indent=4) + "\n"
        if how in ("jsonpath", "go-template"):
            as_jsonpath = path.strip("'\"") if how == "jsonpath" else from_go_template(path.strip("'"))
            try:
                return printed(as_jsonpath, answer)
            except IndexError as error:
                raise Fault(f'error: error executing jsonpath "{path}": {error}') from error
        return written(answer, how)
    if how == "name":
        return "".join(f"{resource.full}/{name(obj)}\n" for resource, obj in found)
    if not found:
        return ""
    header, rows = _table(found, arguments, path if how == "custom-columns" else "")
    lines = ["   ".join(row) for row in rows]
    return "".join(f"{line}\n" for line in (lines if arguments.has("no-headers") else [header, *lines]))


def written(answer: Any, how: str) -> str:
    """Return the answer as YAML or JSON, for another command to read."""
    if how == "yaml":
        return dump_yaml(json.loads(json.dumps(answer)))  # without marks of what is the same
    return json.dumps(answer, indent=4) + "\n"


def _list(items: Sequence[Manifest]) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "List", "items": items}


def _rank(by: str, obj: Manifest) -> tuple[bool, float, str]:
    """Return a sort key: numbers by value, texts alphabetically, missing values first."""
    found = values(by.strip("{}'"), obj)
    value = found[0] if found else ""
    is_number = isinstance(value, int | float)
    return is_number, float(value) if is_number else 0.0, str(value)


def _table(
    found: Sequence[tuple[Resource, Manifest]], arguments: Arguments, columns: str
) -> tuple[str, list[list[str]]]:
    if columns:
        titles, _, paths = zip(*(one.partition(":") for one in columns.split(",")), strict=True)
        rows = [[" ".join(map(str, values(path.strip("{}"), obj))) or "<none>" for path in paths] for _, obj in found]
        return "   ".join(titles), rows
    added = [column for given in arguments.all("L", "label-columns") for column in given.split(",")]
    shown = [",".join(f"{key}={value}" for key, value in sorted(labels(obj).items())) or "<none>" for _, obj in found]
    ends = [[one] if arguments.has("show-labels") else [] for one in shown]
    rows = [
        [name(obj), *_columns(obj), *(labels(obj).get(label, "") for label in added), *end]
        for (_, obj), end in zip(found, ends, strict=True)
    ]
    return "NAME", rows


def _columns(obj: Manifest) -> list[str]:
    wanted, has = spec(obj), status(obj)

    def count(field: str) -> int:
        return number(has.get(field), 0)

    match obj["kind"]:
        case "Pod":
            total = len(wanted.get("containers") or ())
            return [f"{total if is_ready(obj) else 0}/{total}", phase(obj), "0", "0s", node_of(obj) or "<none>"]
        case "Deployment":
            ready = f"{count('readyReplicas')}/{number(wanted.get('replicas'), 1)}"
            return [ready, str(count("updatedReplicas")), str(count("availableReplicas")), "0s"]
        case "ReplicaSet":
            return [str(number(wanted.get("replicas"), 1)), str(count("replicas")), str(count("readyReplicas")), "0s"]
        case "StatefulSet":
            return [f"{count('readyReplicas')}/{number(wanted.get('replicas'), 1)}", "0s"]
        case "PodDisruptionBudget":
            least, most = _or_none(wanted.get("minAvailable")), _or_none(wanted.get("maxUnavailable"))
            return [least, most, str(count("disruptionsAllowed")), "0s"]
        case "Job":
            return [_job_status(obj), f"{count('succeeded')}/{number(wanted.get('completions'), 1)}", "0s", "0s"]
        case "DaemonSet":
            return [*(str(count(field)) for field in _OF_DAEMONS), "<none>", "0s"]
        case "CronJob":
            return [str(wanted.get("schedule")), "<none>", str(bool(wanted.get("suspend"))), "0", "<none>", "0s"]
        case "Node":
            return [_node_status(obj), "<none>", "0s", "v1.36.2"]
        case "Namespace" | "PersistentVolumeClaim":
            return [phase(obj) or "Active", "0s"]
        case _:
            return ["0s"]


def _node_status(node: Manifest) -> str:
    conditions = status(node).get("conditions") or ()
    is_well = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
    return ("Ready" if is_well else "NotReady") + (",SchedulingDisabled" if spec(node).get("unschedulable") else "")


def _or_none(value: Any) -> str:
    return "N/A" if value is None else str(value)


def _job_status(job: Manifest) -> str:
    for type_, word in (("Complete", "Complete"), ("Failed", "Failed"), ("Suspended", "Suspended")):
        if any(one["type"] == type_ and one["status"] == "True" for one in status(job).get("conditions") or ()):
            return word
    return "Running"
