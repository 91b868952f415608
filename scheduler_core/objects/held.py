"""Configurations of a scheduler where they stand: a document of a text, or the text that a ConfigMap holds."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from scheduler_core.objects.json_reader import JSONDocument, JSONError, read_json
from scheduler_core.objects.limits import LimitError, Limits
from scheduler_core.objects.shapes import POLICY_KEY, is_bare_policy, is_configuration
from scheduler_core.objects.yaml_reader import YAMLDocument, YAMLError, read_yaml

Document = YAMLDocument | JSONDocument

_NEXT_DOCUMENT = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_BARE_START = re.compile(r"---[ \t]*(#.*)?\n")
_WORDS = re.compile(r"KubeSchedulerConfiguration|\bPolicy\b")
# A ConfigMap has at most 1 MiB, a configuration that is read too.
_LIMITS = Limits(bytes=1 << 20, values=100_000, documents=100)


def documents(text: str, limits: Limits) -> Iterator[Document]:
    """The documents of a text, YAML or JSON. Raises YAMLError, JSONError, LimitError."""
    return read_json(text, limits) if is_json(text) else read_yaml(text, limits)


def is_json(text: str) -> bool:
    return text.lstrip()[:1] == "{"


def slice_of(text: str, document: Document) -> tuple[str, int]:
    """A document's own text, and how many lines of the text come before it."""
    if isinstance(document, JSONDocument):
        return text[document.start : document.end], document.line - 1
    start = _line_start(text, document.line)
    skipped = 0
    if (bare := _BARE_START.match(text, start)) is not None:
        start, skipped = bare.end(), 1
    following = _NEXT_DOCUMENT.search(text, start + 1)
    # The reader's first document may begin on the very line of its mark: `--- {…}`.
    return text[start : following.start() if following else len(text)], document.line - 1 + skipped


def held_by(config_map: Mapping[str, Any]) -> Iterator[tuple[str, str, int]]:
    """The configurations in a ConfigMap, under whatever key: key, text, lines of the value that come before it."""
    data = config_map.get("data")
    for key, value in data.items() if isinstance(data, Mapping) else ():
        if not isinstance(value, str) or len(value) > _LIMITS.bytes:
            continue
        if key == POLICY_KEY or _WORDS.search(value):
            yield from ((key, *slice_of(value, document)) for document in _configurations(key, value))


def _configurations(key: str, text: str) -> Iterator[Document]:
    try:
        for document in documents(text, _LIMITS):
            if is_configuration(document.value) or (key == POLICY_KEY and is_bare_policy(document.value)):
                yield document
    except (YAMLError, JSONError, LimitError):
        return  # something else that has the word in it


def _line_start(text: str, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = text.index("\n", at) + 1
    return at
