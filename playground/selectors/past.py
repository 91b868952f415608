"""Where things came from: configurations of past releases, and the words of then and now."""

import dataclasses
from typing import Any

from scheduler_core.legacy.glossary import GLOSSARY
from scheduler_core.legacy.translate import translate


def translated(text: str) -> dict[str, Any]:
    """`{yaml, lines, problems}`: what a text of a past release means today, and what became of each of its lines."""
    found = translate(text)
    return {
        "yaml": found.config_text,
        "lines": [dataclasses.asdict(line) for line in found.lines],
        "problems": [
            {"path": each.path, "message": each.rule}
            | ({"hint": each.hint} if each.hint else {})
            | ({"line": each.line} if each.line else {})
            for each in found.problems
        ],
    }


def glossary() -> list[dict[str, Any]]:
    """`[{kind, then, now, explanation, changed_in}]`."""
    return [dataclasses.asdict(term) for term in GLOSSARY]
