"""YAML text → plain values, one document after the other, within limits.

Scalars mean what they mean to kubectl (YAML 1.1 with the corners of its library: `on` is true, `010` is eight), times
stay text, mapping keys become strings, an anchor may be used again but not blow the text up.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from kube_objects.sentences import say
from kube_objects.text.document import Document
from kube_objects.text.errors import YAMLError, too_deep, too_many
from kube_objects.text.limits import Limits
from kube_objects.text.yaml_events import yaml_events
from kube_objects.text.yaml_scalars import MERGE_TAG, ResolveError, resolve

_MISSING = object()
_MERGE = object()
_CACHED_SCALARS = 65536


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not come yet."""

    value: Any
    anchor: str | None
    before: int  # values counted before it
    is_list: bool
    key: Any = _MISSING
    height: int = 1
    merged: list[dict[str, Any]] = field(default_factory=list)


def read_yaml(text: str, limits: Limits) -> Iterator[Document]:
    """Yield the documents of a text, empty ones as None. Raises YAMLError, LimitError when it reaches the error."""
    try:
        yield from _Reader(text, limits).documents()
    except RecursionError:  # of the parser itself, before a level is reported
        raise too_deep(limits.depth) from None


class _Reader:
    def __init__(self, text: str, limits: Limits) -> None:
        self.events = yaml_events(text)
        self.limits = limits
        self.values = 0
        self.duplicates = 0
        self.scalars: dict[str, Any] = {}

    def documents(self) -> Iterator[Document]:
        for event in self.events:
            line, before = event.start_mark.line + 1, self.duplicates
            if type(event) is DocumentStartEvent:
                yield Document(self.document(), line, self.duplicates > before)

    def document(self) -> Any:
        limits = self.limits
        anchors: dict[str, tuple[Any, int, int]] = {}  # value, how many values it is, how deep it goes
        stack: list[_Open] = []
        for event in self.events:
            kind = type(event)
            anchor, before, height = None, self.values, 0
            if kind is ScalarEvent:
                value = self.scalar(event)
                anchor = event.anchor
                self.values += 1
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                is_list = kind is SequenceStartEvent
                stack.append(_Open([] if is_list else {}, event.anchor, before, is_list))
                self.values += 1
                if len(stack) > limits.depth:
                    raise too_deep(limits.depth, event.start_mark.line + 1)
                continue
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                closed = stack.pop()
                for source in closed.merged:
                    for key, inherited in source.items():
                        closed.value.setdefault(key, inherited)
                value, anchor, before, height = closed.value, closed.anchor, closed.before, closed.height
            elif kind is AliasEvent:
                if event.anchor not in anchors:
                    raise YAMLError(
                        say("unknown anchor '{anchor}' referenced", anchor=event.anchor), event.start_mark.line + 1
                    )
                value, size, height = anchors[event.anchor]
                self.values += size
                if len(stack) + height > limits.depth:
                    raise too_deep(limits.depth, event.start_mark.line + 1)
            else:
                break
            if self.values > limits.values:
                raise too_many(limits.values, event.start_mark.line + 1)
            if anchor is not None:
                anchors[anchor] = (value if value is not _MERGE else "<<", self.values - before, height)
            if not stack:
                return value if value is not _MERGE else "<<"
            self.put(stack[-1], value, height, event)
        raise YAMLError(say("is not valid YAML: it ends within a document"), None)

    def scalar(self, event: Any) -> Any:
        if event.tag is None and not event.implicit[0]:
            return event.value
        text: str = event.value
        if event.tag is None:
            value = self.scalars.get(text, _MISSING)
            if value is _MISSING:
                value = _MERGE if text == "<<" else _finite(resolve("", text), event)
                if len(self.scalars) < _CACHED_SCALARS:
                    self.scalars[text] = value
            return value
        if event.tag == MERGE_TAG:
            return _MERGE
        try:
            return _finite(resolve(event.tag, text), event)
        except ResolveError as error:
            raise YAMLError(str(error), event.start_mark.line + 1) from None

    def put(self, into: _Open, value: Any, height: int, event: Any) -> None:
        """Add a finished value to the list or mapping that it stands in."""
        if height >= into.height:
            into.height = height + 1
        if into.is_list:
            into.value.append(value if value is not _MERGE else "<<")
        elif into.key is _MISSING:
            into.key = value if type(value) is str or value is _MERGE else _key(value, event)
        else:
            key, into.key = into.key, _MISSING
            if key is _MERGE:
                into.merged += _merge_sources(value, event)
                return
            self.duplicates += key in into.value
            into.value[key] = value if value is not _MERGE else "<<"


def _finite(value: Any, event: Any) -> Any:
    """Go's reader turns YAML into JSON, which has neither infinity nor NaN."""
    if type(value) is float and not math.isfinite(value):
        raise YAMLError(
            say("{value} is a number that JSON does not have", value=event.value), event.start_mark.line + 1
        )
    return value


def _key(value: Any, event: Any) -> str:
    """Return a key in JSON's spelling."""
    line = event.start_mark.line + 1
    if value is None:
        raise YAMLError(say("a key may not be null"), line)
    if isinstance(value, dict | list):
        raise YAMLError(say("a key may not be a list or mapping"), line)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _merge_sources(value: Any, event: Any) -> list[dict[str, Any]]:
    sources = value if isinstance(value, list) else [value]
    if not all(isinstance(source, dict) for source in sources):
        raise YAMLError(say("map merge requires map or sequence of maps as the value"), event.start_mark.line + 1)
    return sources
