"""What releases say in words of their own of the same problems."""

import re
from collections.abc import Callable
from dataclasses import replace

from kube_objects.text.problems import Problem

Words = Callable[[str], str]

_LENGTH = re.compile(r"must be no more than (\d+) characters")


def as_it_is(text: str) -> str:
    return text


def of_v1_36(text: str) -> str:
    """Names are counted in bytes, as they always were, and said so. Source: apimachinery/pkg/api/validate/content."""
    text = text.replace("a qualified name must consist of", "a valid label key must consist of")
    return _LENGTH.sub(r"must be no more than \1 bytes", text)


def reworded(problem: Problem, words: Words) -> Problem:
    return problem if words is as_it_is else replace(problem, rule=words(problem.rule))
