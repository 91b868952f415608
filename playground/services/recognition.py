"""What a text is that somebody imports: told by its first characters and kinds, not by a file's name."""

import json
import re
from dataclasses import dataclass

from scheduler_core.exchange import scenario
from scheduler_core.exchange.deploy import CONFIG_KEY
from scheduler_core.legacy.sources import POLICY_KEY
from scheduler_core.objects.documents import read_documents

OBJECTS, SCENARIO, CONFIGURATION, TRACE = "objects", "scenario", "configuration", "trace"

_HEAD = 200_000
_CONFIGURATION = re.compile(r'^[ {]{0,4}"?kind"?: *"?(KubeSchedulerConfiguration|Policy)"?,?\s*$', re.MULTILINE)
_COMPACT = re.compile(r'^\s*\{[^{]*?"kind": *"(KubeSchedulerConfiguration|Policy)"')
_CONFIG_MAP = re.compile(r"^ {0,2}-? ?kind: ConfigMap\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Recognised:
    """`text` is what is to be read: of a ConfigMap what it holds."""

    format: str
    text: str = ""


def recognise(data: str | bytes) -> Recognised:
    """What is not one of our own formats, or cannot be read at all, counts as objects: their reader says why."""
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Recognised(OBJECTS)
    if scenario.looks_like_one(text):
        return Recognised(SCENARIO, text)
    if _is_trace(text):
        return Recognised(TRACE, text)
    head = text[:_HEAD]
    if _CONFIG_MAP.search(head) and (held := _held(text)) is not None:
        return Recognised(CONFIGURATION, held)
    if text.lstrip().startswith("--") and not text.lstrip().startswith("---"):
        return Recognised(CONFIGURATION, text)
    if _CONFIGURATION.search(head) or _COMPACT.search(head):
        return Recognised(CONFIGURATION, text)
    return Recognised(OBJECTS)


def _is_trace(text: str) -> bool:
    first = text.lstrip().split("\n", 1)[0]
    if not first.startswith("{") or len(first) > _HEAD * 100:
        return False
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and {"v", "seq", "t", "kind"} <= record.keys()


def _held(text: str) -> str | None:
    """The configuration in a ConfigMap, among others' objects or alone; None if there is none."""
    for found in read_documents(text).objects:
        held = found.manifest.get("data") if found.kind == "ConfigMap" else None
        for key in (CONFIG_KEY, POLICY_KEY):
            if isinstance(held, dict) and isinstance(held.get(key), str):
                return str(held[key])
    return None
