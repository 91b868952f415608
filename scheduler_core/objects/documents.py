"""What people paste and upload: YAML or JSON, several documents, lists of objects, as kubectl prints them."""

import math
from collections.abc import Iterator
from dataclasses import replace

from scheduler_core.objects.collect import Collector, ReadResult
from scheduler_core.objects.json_reader import JSONDocument, JSONError, read_json
from scheduler_core.objects.limits import LimitError, Limits
from scheduler_core.objects.locate import locate
from scheduler_core.objects.problems import Problem
from scheduler_core.objects.yaml_reader import YAMLDocument, YAMLError, read_yaml

_DEFAULT_LIMITS = Limits()
_TWICE = "is given twice in one mapping"


def read_documents(data: str | bytes, limits: Limits = _DEFAULT_LIMITS) -> ReadResult:
    """Read every object of a text. Never raises: what is wrong is among the problems, with document, path and line."""
    text = decode_text(data, limits)
    if isinstance(text, Problem):
        return ReadResult(problems=[text])
    is_json = text.lstrip()[:1] == "{"
    documents: Iterator[YAMLDocument | JSONDocument] = read_json(text, limits) if is_json else read_yaml(text, limits)
    collector = Collector(limits)
    with_duplicates: list[int] = []
    try:
        for number, document in enumerate(documents, 1):
            if number > limits.documents:
                raise LimitError(f"more than {limits.documents} documents", document.line)
            collector.document = number
            if document.has_duplicates:
                with_duplicates.append(number)
            collector.take(document.value)
    except LimitError as error:
        collector.problems.append(Problem("", None, str(error), line=error.line))
    except (JSONError, YAMLError) as error:
        collector.problems.append(Problem("", None, str(error), document=collector.document + 1, line=error.line))
    if not (collector.problems or with_duplicates or collector.objects or collector.unused):
        hint = "paste what `kubectl get nodes,pods -A -o yaml` prints"
        collector.problems.append(Problem("", None, "there is no object in this text", hint))
    if collector.problems or with_duplicates:
        return ReadResult([], collector.unused, _placed(collector.problems, with_duplicates, text, is_json, limits))
    return ReadResult(collector.objects, collector.unused)


def decode_text(data: str | bytes, limits: Limits) -> str | Problem:
    """The text of an upload, or why it cannot be read at all."""
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    if len(data) > limits.bytes:
        return Problem("", None, f"is larger than {limits.bytes} bytes", f"it has {len(data)}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Problem("", None, f"must be UTF-8 text, but byte {error.start} is not", line=line)


def _placed(
    problems: list[Problem], with_duplicates: list[int], text: str, is_json: bool, limits: Limits
) -> list[Problem]:
    """The problems in the order of the text, each with its line; keys given twice among them."""
    wanted: dict[int, set[str]] = {number: set() for number in with_duplicates}
    for problem in problems:
        if problem.document is not None and problem.line is None:
            wanted.setdefault(problem.document, set()).add(problem.path)
    places = locate(text, is_json, wanted, limits)
    placed = [
        replace(problem, line=places.lines.get((problem.document, problem.path)))
        if problem.document is not None and problem.line is None
        else problem
        for problem in problems
    ]
    for number in with_duplicates:
        found = [(path, line) for document, path, line in places.duplicates if document == number]
        for path, line in found[: limits.problems]:
            placed.append(Problem(path, None, _TWICE, document=number, line=line))
        if not found:
            placed.append(Problem("", None, "a key is given twice in one mapping", document=number))
    return sorted(placed, key=_place)


def _place(problem: Problem) -> tuple[float, float]:
    """What concerns the whole text comes last."""
    return (problem.document or math.inf, problem.line or math.inf)
