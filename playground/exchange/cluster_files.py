"""Export of a cluster's objects in a subprocess, because the text of a large cluster may need 100 MB."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import Any

from kube_objects.sentences import say
from playground import limits, sandbox, user_files
from playground.models import ClusterObject
from playground.objects import selectors as objects
from playground.problems import Refused, problem

TOO_LARGE = 413


def export_cluster(cluster_id: int, target: str, form: str) -> bytes:
    """Return all objects for another playground (`objects.as_list`), or for kubectl (`objects.as_applicable`).

    Raises Refused, with status 413 for a file that would be too large.
    """
    budget = sandbox.CallLimits("export", limits.EXPORT_SECONDS, limits.EXPORT_MEMORY_BYTES)
    with TemporaryDirectory(prefix="playground-export-") as folder:
        path = Path(folder) / "cluster"
        sandbox.call_in_sandbox(write, budget, cluster_id, target, form, str(path))
        return path.read_bytes()


def write(cluster_id: int, target: str, form: str, path: str) -> None:
    """Write the file; this runs in the subprocess. For a playground it holds only one object in memory."""
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
        list_object, comments = objects.as_applicable(cluster_id)
        # JSON has no comments.
        yield comments if form == "yaml" else ""
        yield from _yield_list(iter(list_object["items"]), form)
    else:
        yield from _yield_list(_all_objects(cluster_id), form)


def _yield_list(items: Iterator[dict[str, Any]], form: str) -> Iterator[str]:
    """Yield the parts of a `List` as `user_files.write` would write it."""
    empty_list = user_files.write({"apiVersion": "v1", "kind": "List", "items": []}, form)
    first = next(items, None)
    if first is None:
        yield empty_list
        return
    before, after = empty_list.split("[]")
    if form == "yaml":
        yield before.rstrip() + "\n" + user_files.write_items([first])
        for item in items:
            yield user_files.write_items([item])
        return
    yield f"{before}[\n{_indented(first)}"
    for item in items:
        yield f",\n{_indented(item)}"
    yield f"\n  ]{after}"


def _indented(item: dict[str, Any]) -> str:
    return indent(json.dumps(item, indent=2, ensure_ascii=False), "    ")


def _all_objects(cluster_id: int) -> Iterator[dict[str, Any]]:
    stored = ClusterObject.objects.filter(cluster_id=cluster_id).order_by("kind", "key")
    for part in (stored.exclude(kind="Pod"), stored.filter(kind="Pod")):
        for row in part.iterator(500):
            yield row.manifest
