"""A cluster's objects written to a file, in a process apart: of a large one the text alone is a hundred megabytes."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import Any

from kube_objects.sentences import say
from playground import apart, files, limits
from playground.models import ClusterObject
from playground.objects import selectors as objects
from playground.problems import Refused, problem

TOO_LARGE = 413


def written(cluster_id: int, target: str, form: str) -> bytes:
    """All objects as `objects.as_list` has them, for another playground, or as `objects.as_applicable`, for kubectl.

    Raises Refused: with status 413 for what takes more than a file may have.
    """
    budget = apart.Budget("export", limits.EXPORT_SECONDS, limits.EXPORT_MEMORY_BYTES)
    with TemporaryDirectory(prefix="playground-export-") as folder:
        path = Path(folder) / "cluster"
        apart.call(write, budget, cluster_id, target, form, str(path))
        return path.read_bytes()


def write(cluster_id: int, target: str, form: str, path: str) -> None:
    """The side of the process apart; for a playground object by object, so that none but one is in memory."""
    size = 0
    with Path(path).open("wb") as file:
        for part in _parts(cluster_id, target, form):
            data = part.encode()
            size += len(data)
            if size > limits.EXPORT_BYTES:
                rule = say("the file would have more than {most} bytes", most=limits.EXPORT_BYTES)
                raise Refused([problem("", rule, hint=say("export the cluster as a scenario"))], TOO_LARGE)
            file.write(data)


def _parts(cluster_id: int, target: str, form: str) -> Iterator[str]:
    if target == "kubectl":
        made, comments = objects.as_applicable(cluster_id)
        # JSON has no comments: whoever wants to read them takes YAML.
        yield comments if form == "yaml" else ""
        yield from _list(iter(made["items"]), form)
    else:
        yield from _list(_all(cluster_id), form)


def _list(items: Iterator[dict[str, Any]], form: str) -> Iterator[str]:
    """A `List` as `files.write` writes it, in parts."""
    whole = files.write({"apiVersion": "v1", "kind": "List", "items": []}, form)
    first = next(items, None)
    if first is None:
        yield whole
        return
    before, after = whole.split("[]")
    if form == "yaml":
        yield before.rstrip() + "\n" + files.write_items([first])
        for item in items:
            yield files.write_items([item])
        return
    yield f"{before}[\n{_indented(first)}"
    for item in items:
        yield f",\n{_indented(item)}"
    yield f"\n  ]{after}"


def _indented(item: dict[str, Any]) -> str:
    return indent(json.dumps(item, indent=2, ensure_ascii=False), "    ")


def _all(cluster_id: int) -> Iterator[dict[str, Any]]:
    found = ClusterObject.objects.filter(cluster_id=cluster_id).order_by("kind", "key")
    for part in (found.exclude(kind="Pod"), found.filter(kind="Pod")):
        for each in part.iterator(500):
            yield each.manifest
