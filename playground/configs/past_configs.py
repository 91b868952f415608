"""Configurations of past releases and their translation, and a glossary of old and new terms."""

import dataclasses
from typing import NotRequired, TypedDict, cast

from scheduler_core.config import Problem
from scheduler_core.legacy.glossary import GLOSSARY
from scheduler_core.legacy.recognise import RecognizedConfig, recognize_config
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
    """A text of a past release and its current meaning; `what` is "" if the text is no configuration."""

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


def describe_translation(text: str) -> Translated:
    """Return a text's kind, its current meaning, and the result of each line; `what` is "" for an unknown text."""
    recognised = recognize_config(text)
    return _describe("", "", "", translate(text)) if recognised is None else translate_config(recognised)


def translate_if_outdated(text: str) -> Translated | None:
    """Return the same for a configuration that needs translation or extraction; None for any other text."""
    recognised = recognize_config(text)
    return None if recognised is None or recognised.is_plain else translate_config(recognised)


def translate_config(recognised: RecognizedConfig) -> Translated:
    return _describe(recognised.what, recognised.removed_in, recognised.where, recognised.translation)


def _describe(what: str, removed_in: str, where: str, translation: Translation) -> Translated:
    return {
        "what": what,
        "removed_in": removed_in,
        "where": where,
        "yaml": translation.config_text,
        "lines": [cast(TranslatedLine, dataclasses.asdict(line)) for line in translation.lines],
        "problems": [describe_problem(problem) for problem in translation.problems],
    }


def describe_problem(problem: Problem) -> TranslationProblem:
    """Return a problem of a configuration without empty fields."""
    answer: TranslationProblem = {"path": problem.path, "message": problem.rule}
    if problem.hint:
        answer["hint"] = problem.hint
    if problem.line:
        answer["line"] = problem.line
    return answer


def list_terms() -> list[PastWord]:
    return [cast(PastWord, dataclasses.asdict(term)) for term in GLOSSARY]
