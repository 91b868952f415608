"""The validation that an API server applies to a Pod update, before the update is made."""

from typing import TypedDict

from kube_objects.documents import read_documents
from kube_objects.pod import Pod
from kube_objects.pod_update import Refusal, refusals
from kube_objects.text.limits import Limits
from kube_objects.text.places import locate_in_parts
from kube_objects.text.read import parts_of
from playground.models import ClusterObject
from playground.problems import Problem, Refused, to_api_problem


class RefusedUpdate(TypedDict):
    kind: str
    key: str
    fields: list[str]
    problems: list[Problem]


class UpdateCheck(TypedDict):
    refused: list[RefusedUpdate]


def check_update(cluster_id: int, text: str, read: str | None = None) -> UpdateCheck:
    """Return `{refused: [{kind, key, fields, problems}]}` for the Pods of a text.

    `read` is the text before the edit, so that later changes in the cluster don't count as edits. Raises Refused for a
    text with problems.
    """
    sent = read_documents(text)
    if sent.problems:
        raise Refused(to_api_problem(problem) for problem in sent.problems)
    edited = {} if read is None else {obj.key: obj.manifest for obj in read_documents(read).objects}
    refused: list[RefusedUpdate] = []
    for number, obj in enumerate(sent.objects, 1):
        if not isinstance(obj, Pod):
            continue
        stored = ClusterObject.objects.filter(cluster_id=cluster_id, kind="Pod", key=obj.key)
        before = edited.get(obj.key) or stored.values_list("manifest", flat=True).first()
        rejections = [] if before is None else refusals(before, obj.manifest)
        if rejections:
            fields = [path for each in rejections for path in each.fields]
            problems = _add_paths(text, number, rejections)
            refused.append({"kind": "Pod", "key": obj.key, "fields": fields, "problems": problems})
    return {"refused": refused}


def _add_paths(text: str, document: int, found: list[Refusal]) -> list[Problem]:
    """Return each refusal as a problem with the line of its first field."""
    wanted = {document: {each.fields[0] for each in found}}
    limits = Limits()
    places = locate_in_parts(text, parts_of(text, limits), wanted, limits)
    placed = []
    for each in found:
        line = places.lines.get((document, each.fields[0]))
        problem = to_api_problem(each.problem)
        placed.append({**problem, "line": line} if line else problem)
    return placed
