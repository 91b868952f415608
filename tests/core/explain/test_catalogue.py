"""Translators are given every text, and texts whose places are filled."""

import ast
from pathlib import Path

import pytest

from kube_objects.sentences import Template, plural
from simulator.explain.catalogue import catalogue

FOLDER = Path(__file__).parents[3] / "simulator" / "explain"
TEXTS = {text for pair in catalogue() for text in pair if text}


def literals() -> list[tuple[str, str]]:
    """(file, text) of everything that is written as a template."""
    found = []
    for file in sorted(FOLDER.rglob("*.py")):
        for call in ast.walk(ast.parse(file.read_text())):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("Template", "plural"):
                texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
                # Where there are no plain words there is nothing to translate.
                found += [(file.name, text) for text in texts if isinstance(text, str) and text]
    return found


@pytest.mark.parametrize(("file", "text"), literals())
def test_every_template_is_in_the_catalogue(file: str, text: str) -> None:
    assert text in TEXTS, f"{file}: is its module in simulator/explain/catalogue.py?"


def test_there_are_many_and_each_is_there_once() -> None:
    assert len(catalogue()) > 150
    assert len(catalogue()) == len({text for text, _ in catalogue()})


@pytest.mark.parametrize(
    ("sentence", "want"),
    [
        (Template("{n} of {name}")(n=12345, name="x"), {"text": "12,345 of x", "template": "{n} of {name}"}),
        (plural("{count} node", "{count} nodes")(1), {"text": "1 node", "template": "{count} node", "count": 1}),
        (plural("{count} node", "{count} nodes")(1500), {"text": "1,500 nodes", "plural": "{count} nodes"}),
        (Template("{a}")(a="{b}"), {"text": "{b}"}),
    ],
)
def test_sentences(sentence: dict[str, object], want: dict[str, object]) -> None:
    assert {name: sentence[name] for name in want} == want
