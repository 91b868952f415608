"""The command line in the reader's language, by LANGUAGE, LC_ALL, LC_MESSAGES or LANG; English without a catalogue."""

import os
from dataclasses import replace
from typing import Any

from kube_objects import languages
from kube_objects.text.problems import Problem


def words() -> languages.Catalogue:
    return languages.catalogue(languages.of_environment(os.environ), languages.folder())


def in_words(text: str) -> str:
    """A sentence; upstream's texts stay as they are."""
    return languages.render(text, words())


def answer(found: Any) -> Any:
    """An explanation with its sentences rendered."""
    return languages.rendered(found, words())


def problem(found: Problem) -> Problem:
    return replace(found, rule=in_words(found.rule), hint=in_words(found.hint))
