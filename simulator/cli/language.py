"""Translation of the command line by LANGUAGE, LC_ALL, LC_MESSAGES or LANG; English without a translation file."""

import os
from dataclasses import replace
from typing import Any

from kube_objects import languages
from kube_objects.text.problems import Problem


def user_catalogue() -> languages.Catalogue:
    return languages.catalogue(languages.of_environment(os.environ), languages.folder())


def in_words(text: str) -> str:
    """Return a sentence in the user's language; messages of Kubernetes stay English."""
    return languages.render(text, user_catalogue())


def translate_answer(explanation: Any) -> Any:
    """Return an explanation with its sentences in the user's language."""
    return languages.rendered(explanation, user_catalogue())


def translate_problem(original: Problem) -> Problem:
    return replace(original, rule=in_words(original.rule), hint=in_words(original.hint))
