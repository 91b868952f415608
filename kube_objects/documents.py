"""The reading of pasted and uploaded texts: YAML or JSON, several documents, and lists, as kubectl prints them."""

import codecs
import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from kube_objects import foreign_texts
from kube_objects.collect import Collector, ReadResult
from kube_objects.read import with_written
from kube_objects.sentences import say
from kube_objects.text.document import Part, slice_of
from kube_objects.text.errors import LimitError, TextError
from kube_objects.text.limits import Limits
from kube_objects.text.places import locate_in_parts
from kube_objects.text.problems import Problem
from kube_objects.text.read import documents

_DEFAULT_LIMITS = Limits()
_TWICE = say("appears twice in one mapping")
_NO_OBJECT = say("holds no object of the API")
# `kubectl cluster-info dump` puts the logs of all containers between the objects.
_LOG_START = re.compile(r"^==== START (logs for container \S+ of pod \S+) ====[ \t]*$", re.MULTILINE)
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(slots=True, frozen=True)
class File:
    """One text of an import. `name` may contain folders, and is "" for a text without a name.

    From a folder (`in_folder`) texts without API objects are skipped, such as a values.yaml or a template.
    """

    name: str
    data: str | bytes
    in_folder: bool = False


def read_documents(data: str | bytes, limits: Limits = _DEFAULT_LIMITS, *, strict: bool = False) -> ReadResult:
    """Read every object of a text. Never raises: what is wrong is among the problems, with document, path and line."""
    return read_files([File("", data)], limits, strict=strict)


def read_files(files: Iterable[File], limits: Limits = _DEFAULT_LIMITS, *, strict: bool = False) -> ReadResult:
    """Read every object of several texts as one. Never raises. `strict`: also by the rules of what controllers read."""
    collector = Collector(limits, strict=strict)
    problems: list[Problem] = []
    notes: list[str] = []
    for file in files:
        text = decode_text(file.data, limits)
        if isinstance(text, Problem):
            problems.append(replace(text, file=file.name))
            continue
        before = collector.typed
        file_problems = _read(collector, file, text, limits)
        foreign = next((problem.rule for problem in file_problems if foreign_texts.is_passed_over(problem)), None)
        if file.in_folder and collector.typed == before and (foreign or not _is_broken(file_problems)):
            notes.append(say("{name}: {what}", name=file.name, what=foreign or _NO_OBJECT))
        else:
            problems += file_problems
    if not (problems or notes or collector.objects or collector.unused or collector.configurations):
        hint = say("paste what `kubectl get nodes,pods -A -o yaml` prints")
        problems.append(Problem("", None, say("there is no object in this text"), hint))
    if problems:
        return ReadResult([], collector.unused, problems)
    return ReadResult(
        collector.objects,
        collector.unused,
        [],
        collector.configurations,
        collector.origins,
        dict(sorted(collector.repeated.items())),
        [*notes, *collector.notes],
        list(dict.fromkeys(collector.gates)),
    )


def decode_text(data: str | bytes, limits: Limits) -> str | Problem:
    """Return the text of an upload, or the problem if it can't be read."""
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    if (packed := foreign_texts.archive(data)) is not None:
        return packed
    if len(data) > limits.bytes:
        return Problem("", None, say("is larger than {n} bytes", n=limits.bytes), say("it has {n}", n=len(data)))
    try:
        # What PowerShell writes into a file is UTF-16.
        return data.decode("utf-16" if data.startswith(_UTF16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Problem("", None, say("must be UTF-8 text, but byte {n} is not", n=error.start), line=line)


def _read(collector: Collector, file: File, text: str, limits: Limits) -> list[Problem]:
    """Read every document of a text into the collector, and return the problems with their lines."""
    text = without_logs(text)
    collector.file, collector.document, collector.problems = file.name, 0, []
    problems = collector.problems
    with_duplicates: list[int] = []
    parts: list[Part] = []
    try:
        for number, document in enumerate(documents(text, limits), 1):
            if number > limits.documents:
                raise LimitError(say("more than {n} documents", n=limits.documents), document.line)
            collector.document = number
            if document.part is not None and document.part.first == number:
                parts.append(document.part)
            read, held = collector.read, len(collector.configurations)
            if (what := foreign_texts.of_value(document.value)) is not None:
                problems.append(Problem("", None, what, document=number, file=file.name))
                continue
            collector.take(document.value)
            alone = [found for found in collector.configurations[held:] if not found.path]
            for found in alone:
                found.text, found.offset = slice_of(text, document)
            # A configuration is decoded once more, and strictly; of what is not read nothing can go wrong.
            if document.has_duplicates and not alone and collector.read > read:
                with_duplicates.append(number)
    except LimitError as error:
        problems.append(Problem("", None, error.rule, line=error.line, file=file.name))
    except TextError as error:
        whole = foreign_texts.template(text)
        if whole is not None:
            return [replace(whole, file=file.name)]
        hint = foreign_texts.hint_at_line(_line_of(text, error.line))
        number = collector.document + 1
        problems.append(Problem("", None, error.rule, hint, number, error.line, file.name))
    if not problems and not with_duplicates:
        return []
    if problems and (whole := foreign_texts.of_text(text)) is not None:
        return [replace(whole, file=file.name)]
    return _placed(problems, with_duplicates, text, parts or [Part(0, len(text), 0, False, 1)], file.name, limits)


def _line_of(text: str, number: int | None) -> str:
    return "" if number is None else "".join(text.splitlines()[number - 1 : number])


def _is_broken(problems: Iterable[Problem]) -> bool:
    return any(problem.rule.startswith(("is not valid YAML", "is not valid JSON")) for problem in problems)


def without_logs(text: str) -> str:
    """Return the output of `kubectl cluster-info dump` without the logs; line numbers stay the same."""
    if "==== START logs" not in text:
        return text
    parts, position = [], 0
    while (start := _LOG_START.search(text, position)) is not None:
        parts.append(text[position : start.start()])
        end = f"==== END {start[1]} ===="
        end_at = text.find(end, start.end())
        after = len(text) if end_at < 0 else end_at + len(end)
        parts.append("\n" * text.count("\n", start.start(), after))
        position = after
    return "".join([*parts, text[position:]])


def _placed(
    problems: list[Problem],
    with_duplicates: Collection[int],
    text: str,
    parts: Sequence[Part],
    file: str,
    limits: Limits,
) -> list[Problem]:
    """Return the problems in the order of the text, each with its line; keys given twice among them."""
    wanted: dict[int, set[str]] = {number: set() for number in with_duplicates}
    for problem in problems:
        if problem.document is not None and problem.line is None:
            wanted.setdefault(problem.document, set()).add(problem.path)
    places = locate_in_parts(text, parts, wanted, limits)
    placed = []
    for problem in problems:
        if problem.document is not None and problem.line is None:
            place = problem.document, problem.path
            problem = replace(with_written(problem, places.scalars.get(place, "")), line=places.lines.get(place))
        if isinstance(problem.value, str) and not problem.hint:
            problem = replace(problem, hint=foreign_texts.hint_at_characters(problem.value))
        placed.append(problem)
    for number in with_duplicates:
        found = [(path, line) for document, path, line in places.duplicates if document == number]
        for path, line in found[: limits.problems]:
            placed.append(Problem(path, None, _TWICE, document=number, line=line, file=file))
        if not found:
            placed.append(Problem("", None, say("a key appears twice in one mapping"), document=number, file=file))
    return sorted(placed, key=_place)


def _place(problem: Problem) -> tuple[float, float]:
    """Return the sort key of a problem; problems of the whole text come last."""
    return (problem.document or math.inf, problem.line or math.inf)
