"""The storyboard's HTML page. It loads nothing; its policy allows only its own script and style, by hash."""

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import get_language

from kube_objects.languages import ENGLISH
from kube_objects.sentences import plural, say
from playground.engine import history_reads
from playground.models import Cluster
from playground.request_language import in_words
from playground.storyboard.story_frames import story
from simulator.explain.steps import outcome_sentence

UNSEEN = plural("{n} node not evaluated", "{n} nodes not evaluated")
FOLDER = Path(__file__).resolve().parent
# JSON escapes for characters that could end the script element with the data.
_UNSAFE = {ord(each): f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"}


def storyboard(cluster: Cluster, cycle: int) -> str | None:
    """Return the file's text in the reader's language; None if there is no such cycle."""
    record = history_reads.read_cycle(cluster.pk, cycle)
    if record is None:
        return None
    return render(record, history_reads.read_matrix(cluster.pk, cycle), cluster.name, cluster.emulates, cluster.seed)


def render(record: Mapping[str, Any], matrix: Mapping[str, Any] | None, name: str, emulates: str, seed: int) -> str:
    """Return the file of a record and its matrix."""
    cycle = record["cycle"]
    script, style = _file("storyboard.js"), _file("storyboard.css")
    data = story(record, matrix) | {"words": _labels()}
    facts = [
        cycle["pod"],
        in_words(say("cycle {n}", n=f"{cycle['number']:,}")),
        in_words(say("emulates {version}", version=emulates)),
        in_words(say("seed {seed}", seed=seed)),
    ]
    context = {
        "language": get_language() or ENGLISH,
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
        "outcome": in_words(outcome_sentence(cycle)),
        "unseen": _unseen(cycle["nodes"]),
        "back": in_words(say("One step back")),
        "forward": in_words(say("One step forward")),
        "theme": in_words(say("light or dark theme")),
        "data": json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_UNSAFE),
        "script": script,
        "style": style,
    }
    return render_to_string("storyboard.html", context)


def _unseen(nodes: Mapping[str, Any]) -> str:
    """Return how many Nodes sampling left out; "" if none."""
    left = nodes["total"] - nodes["evaluated"]
    if left <= 0 or nodes["toFind"] is None:
        return ""
    return in_words({"template": UNSEEN.one, "plural": UNSEEN.several, "count": left, "args": {"n": left}})


def _labels() -> dict[str, str]:
    """Return the texts of the page's script by their names there."""
    texts = {
        "step": say("step {n} of {all}"),
        "candidate": say("still feasible"),
        "pass": say("feasible"),
        "rejected": say("rejected"),
        "chosen": say("chosen"),
        "nominated": say("nominated"),
        "idle": say("not evaluated yet"),
        "node": say("Node"),
        "total": say("Total"),
    }
    return {name: in_words(text) for name, text in texts.items()}


@cache
def _file(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
