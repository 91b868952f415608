"""Where things came from: configurations of past releases, and the words of then and now."""

import dataclasses
from typing import NotRequired, TypedDict, cast

from scheduler_core.config import Problem
from scheduler_core.legacy.glossary import GLOSSARY
from scheduler_core.legacy.recognise import Recognised, recognise
from scheduler_core.legacy.translation.draft import Translation
from scheduler_core.legacy.translation.translate import translate


class TranslatedLine(TypedDict):
    path: str
    value: str
    line: int | None
    became: str
    explanation: str
    removed_in: str


class TranslationProblem(TypedDict):
    path: str
    message: str
    hint: NotRequired[str]
    line: NotRequired[int]


class Translated(TypedDict):
    """What a text of a past release is, and what it means today; `what` is "" for a text that is none."""

    what: str
    removed_in: str
    where: str
    yaml: str
    lines: list[TranslatedLine]
    problems: list[TranslationProblem]


class PastWord(TypedDict):
    kind: str
    then: str
    now: str
    explanation: str
    changed_in: str


def translated(text: str) -> Translated:
    """What a text of a past release means today, and what became of each of its lines; `what` is "" for all others."""
    found = recognise(text)
    return _translated("", "", "", translate(text)) if found is None else translated_of(found)


def not_of_today(text: str) -> Translated | None:
    """The same of a configuration that has to be translated or taken out of something; None for all else."""
    found = recognise(text)
    return None if found is None or found.is_plain else translated_of(found)


def translated_of(found: Recognised) -> Translated:
    return _translated(found.what, found.removed_in, found.where, found.translation)


def _translated(what: str, removed_in: str, where: str, translation: Translation) -> Translated:
    return {
        "what": what,
        "removed_in": removed_in,
        "where": where,
        "yaml": translation.config_text,
        "lines": [cast(TranslatedLine, dataclasses.asdict(line)) for line in translation.lines],
        "problems": [problem_of(each) for each in translation.problems],
    }


def problem_of(each: Problem) -> TranslationProblem:
    """A problem of a configuration, without what says nothing."""
    problem: TranslationProblem = {"path": each.path, "message": each.rule}
    if each.hint:
        problem["hint"] = each.hint
    if each.line:
        problem["line"] = each.line
    return problem


def glossary() -> list[PastWord]:
    return [cast(PastWord, dataclasses.asdict(term)) for term in GLOSSARY]
