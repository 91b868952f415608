"""Messages whose wording differs between releases."""

import re
from collections.abc import Callable
from dataclasses import replace

from kube_objects.text.problems import Problem

Words = Callable[[str], str]

_LENGTH = re.compile(r"must be no more than (\d+) characters")


def unchanged(text: str) -> str:
    return text


def reword_for_v1_36(text: str) -> str:
    """Return the message in v1.36's wording, in which lengths are in bytes.

    Source: apimachinery/pkg/api/validate/content.
    """
    text = text.replace("a qualified name must consist of", "a valid label key must consist of")
    return _LENGTH.sub(r"must be no more than \1 bytes", text)


def reworded(problem: Problem, words: Words) -> Problem:
    return problem if words is unchanged else replace(problem, rule=words(problem.rule))
