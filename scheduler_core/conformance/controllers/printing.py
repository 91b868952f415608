"""What `kubectl get` prints: names, and tables with as much in them as scripts count and cut."""

import json
from collections.abc import Sequence
from typing import Any

from scheduler_core.actors.manifests import Manifest, labels, name, number, spec, status
from scheduler_core.actors.pods import is_ready, node_of, phase
from scheduler_core.conformance.controllers.arguments import Arguments
from scheduler_core.conformance.controllers.jsonpath import printed
from scheduler_core.conformance.controllers.resources import Resource
from scheduler_core.text.yaml_writer import dump_yaml


def listed(found: Sequence[tuple[Resource, Manifest]], arguments: Arguments) -> str:
    how, _, path = arguments.one("o", "output").partition("=")
    if how in ("json", "yaml", "jsonpath"):
        one_named = len(found) == 1 and (len(arguments.words) > 1 or "/" in "".join(arguments.words[:1]))
        answer: Any = found[0][1] if one_named else {"kind": "List", "items": [obj for _, obj in found]}
        if how == "yaml":
            return dump_yaml(json.loads(json.dumps(answer)))  # without marks of what is the same
        return printed(path.strip("'\""), answer) if how == "jsonpath" else json.dumps(answer, indent=4) + "\n"
    if arguments.one("o", "output") == "name":
        return "".join(f"{resource.full}/{name(obj)}\n" for resource, obj in found)
    if not found:
        return ""
    added = [column for given in arguments.all("L", "label-columns") for column in given.split(",")]
    rows = [[name(obj), *_columns(obj), *(labels(obj).get(label, "") for label in added)] for _, obj in found]
    lines = ["   ".join(row) for row in rows]
    return "".join(f"{line}\n" for line in (lines if arguments.has("no-headers") else ["NAME", *lines]))


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
        case _:
            return ["0s"]


def _or_none(value: Any) -> str:
    return "N/A" if value is None else str(value)


def _job_status(job: Manifest) -> str:
    for type_, word in (("Complete", "Complete"), ("Failed", "Failed"), ("Suspended", "Suspended")):
        if any(one["type"] == type_ and one["status"] == "True" for one in status(job).get("conditions") or ()):
            return word
    return "Running"
