"""Recognition of scenarios, traces and command lines in an imported text; any other text counts as documents."""

import json
from dataclasses import dataclass

from kube_objects.documents import decode_text
from kube_objects.text.limits import Limits
from scheduler_core.legacy.recognise import looks_like_flags
from simulator.exchange import scenario

DOCUMENTS, SCENARIO, FLAGS, TRACE = "documents", "scenario", "flags", "trace"

_LONGEST_RECORD = 20_000_000


@dataclass(frozen=True, slots=True)
class Recognised:
    format: str
    text: str = ""


def recognise(data: str | bytes) -> Recognised:
    """Return the text's format. Undecodable text counts as documents, because their reader reports why."""
    text = decode_text(data, Limits())
    if not isinstance(text, str):
        return Recognised(DOCUMENTS)
    if scenario.looks_like_scenario(text):
        return Recognised(SCENARIO, text)
    if _is_trace(text):
        return Recognised(TRACE, text)
    return Recognised(FLAGS if looks_like_flags(text) else DOCUMENTS, text)


def _is_trace(text: str) -> bool:
    first = text.lstrip().split("\n", 1)[0]
    if not first.startswith("{") or len(first) > _LONGEST_RECORD:
        return False
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and {"v", "seq", "t", "kind"} <= record.keys()
