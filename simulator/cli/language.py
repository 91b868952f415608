"""Translation of the command line by LANGUAGE, LC_ALL, LC_MESSAGES or LANG; English without a catalogue."""

import os
from dataclasses import replace
from typing import Any

from kube_objects import languages
from kube_objects.text.problems import Problem


def words() -> languages.Catalogue:
    return languages.catalogue(languages.of_environment(os.environ), languages.folder())


def in_words(text: str) -> str:
    """Return a sentence in the user's language; upstream's texts stay English."""
    return languages.render(text, words())


def answer(explanation: Any) -> Any:
    """Return an explanation with its sentences in the user's language."""
    return languages.rendered(explanation, words())


def problem(original: Problem) -> Problem:
    return replace(original, rule=in_words(original.rule), hint=in_words(original.hint))
