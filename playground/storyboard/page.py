"""The file: one HTML page that asks nobody for anything. Its policy allows its own script and style, by hash."""

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string

from playground.models import Cluster
from playground.selectors import history
from playground.storyboard.frames import story
from playground.storyboard.words import Words, number

FOLDER = Path(__file__).resolve().parent
# What would end the script element that holds the data, or mean something to HTML, is written as JSON writes it.
_UNSAFE = {ord(each): f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"}


def storyboard(cluster: Cluster, cycle: int) -> str | None:
    """The file's text in the reader's language; None when there is no such cycle."""
    record = history.cycle(cluster.pk, cycle)
    if record is None:
        return None
    return render(record, history.matrix(cluster.pk, cycle), cluster.name, cluster.emulates, cluster.seed)


def render(record: Mapping[str, Any], matrix: Mapping[str, Any] | None, name: str, emulates: str, seed: int) -> str:
    """The file of a record and its matrix."""
    words = Words()
    cycle = record["cycle"]
    script, style = _file("storyboard.js"), _file("storyboard.css")
    data = story(record, matrix, words) | {"words": _labels(words)}
    facts = [
        cycle["pod"],
        words.say("cycle {n}", n=number(cycle["number"])),
        words.say("emulates {version}", version=emulates),
        words.say("seed {seed}", seed=seed),
    ]
    context = {
        "language": words.language,
        "policy": "; ".join(
            [
                "default-src 'none'",
                f"script-src '{_hash(script)}'",
                f"style-src '{_hash(style)}'",
                "base-uri 'none'",
                "form-action 'none'",
            ]
        ),
        "name": name,
        "facts": facts,
        "outcome": words.outcome(cycle),
        "unseen": _unseen(cycle["nodes"], words),
        "back": words.say("One step back"),
        "forward": words.say("One step forward"),
        "theme": words.say("light or dark theme"),
        "data": json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_UNSAFE),
        "script": script,
        "style": style,
    }
    return render_to_string("storyboard.html", context)


def _unseen(nodes: Mapping[str, Any], words: Words) -> str:
    """How many nodes sampling left out; "" where it did not."""
    left = nodes["total"] - nodes["evaluated"]
    if left <= 0 or nodes["toFind"] is None:
        return ""
    return words.count("{n} node not evaluated", "{n} nodes not evaluated", left)


def _labels(words: Words) -> dict[str, str]:
    """What the script itself says, by the names that it has for it."""
    said = {
        "step": "step {n} of {all}",
        "candidate": "still in",
        "pass": "feasible",
        "rejected": "rejected",
        "chosen": "chosen",
        "nominated": "nominated",
        "idle": "not looked at yet",
        "node": "Node",
        "total": "Total",
    }
    return {name: words.say(text) for name, text in said.items()}


@cache
def _file(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
