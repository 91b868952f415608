"""Where things came from: configurations of past releases, and the words of then and now."""

import dataclasses
from typing import Any

from scheduler_core.legacy.draft import Translation
from scheduler_core.legacy.glossary import GLOSSARY
from scheduler_core.legacy.recognise import Recognised, recognise
from scheduler_core.legacy.translate import translate


def translated(text: str) -> dict[str, Any]:
    """What a text of a past release means today, and what became of each of its lines; `what` is "" for all others."""
    found = recognise(text)
    return _told("", "", "", translate(text)) if found is None else told(found)


def not_of_today(text: str) -> dict[str, Any] | None:
    """The same of a configuration that has to be translated or taken out of something; None for all else."""
    found = recognise(text)
    return None if found is None or found.is_plain else told(found)


def told(found: Recognised) -> dict[str, Any]:
    """`{what, removed_in, where, yaml, lines, problems}`."""
    return _told(found.what, found.removed_in, found.where, found.translation)


def _told(what: str, removed_in: str, where: str, translation: Translation) -> dict[str, Any]:
    return {
        "what": what,
        "removed_in": removed_in,
        "where": where,
        "yaml": translation.config_text,
        "lines": [dataclasses.asdict(line) for line in translation.lines],
        "problems": [
            {"path": each.path, "message": each.rule}
            | ({"hint": each.hint} if each.hint else {})
            | ({"line": each.line} if each.line else {})
            for each in translation.problems
        ],
    }


def glossary() -> list[dict[str, Any]]:
    """`[{kind, then, now, explanation, changed_in}]`."""
    return [dataclasses.asdict(term) for term in GLOSSARY]
