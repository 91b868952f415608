"""The lines of paths in a text, found by a second pass that runs only when there is a problem to report."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from kube_objects.text.document import Part
from kube_objects.text.errors import YAMLError
from kube_objects.text.limits import Limits
from kube_objects.text.paths import child, enclosing
from kube_objects.text.yaml_events import yaml_events

_START, _OPEN_MAPPING, _OPEN_LIST, _CLOSE, _SCALAR = "start", "{", "[", "}", "scalar"
_JSON_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|[{}\[\]]|[^\s{}\[\],:"]+')

# (what it is, what it says, its line from 1)
Token = tuple[str, str, int]


@dataclass(slots=True)
class Places:
    """`lines`: (document, path) → line of the path, or of the nearest thing around it that is there.

    `duplicates`: (document, path, line) of every key that its mapping has twice. `scalars`: (document, path) → the
    text of a scalar that stands there, without quotes.
    """

    lines: dict[tuple[int, str], int] = field(default_factory=dict)
    duplicates: list[tuple[int, str, int]] = field(default_factory=list)
    scalars: dict[tuple[int, str], str] = field(default_factory=dict)


@dataclass(slots=True)
class _Level:
    """A list or mapping that is open; `path` is None where nothing below is wanted."""

    path: str | None
    is_list: bool
    index: int = 0
    key: str | None = None
    keys: set[str] = field(default_factory=set)

    def done(self) -> None:
        """Mark the current item as complete."""
        self.index += 1
        self.key = None


def locate(text: str, is_json: bool, wanted: Mapping[int, Collection[str]], limits: Limits) -> Places:
    """Find the wanted paths of each document (numbered from 1), and the keys given twice.

    `wanted` names every document that is to be looked at. The search ends where the text is too deep or too much.
    """
    last = max(wanted, default=0)
    prefixes = {number: {prefix for path in paths for prefix in enclosing(path)} for number, paths in wanted.items()}
    lines: dict[tuple[int, str], int] = {}
    places = Places()
    number = 0
    stack: list[_Level] = []
    tokens = _json_tokens(text) if is_json else _yaml_tokens(text)
    for kind, scalar, line in islice(tokens, 2 * limits.values):
        level = stack[-1] if stack else None
        if kind == _START or (is_json and level is None):
            number += 1
        if number > last or len(stack) > limits.depth:
            break
        if kind == _START or (kind == _CLOSE and level is None):
            continue
        if kind == _CLOSE:
            stack.pop()
            if stack:
                stack[-1].done()
            continue
        if level is not None and not level.is_list and level.key is None:
            level.key = scalar
            if scalar in level.keys and scalar != "<<":
                places.duplicates.append((number, _whole_path(stack), line))
            level.keys.add(scalar)
            if (path := _wanted_below(level, prefixes.get(number, ()))) is not None:
                lines[number, path] = line
            continue
        path = "" if level is None else _wanted_below(level, prefixes.get(number, ()))
        if path is not None:
            lines.setdefault((number, path), line)
            if kind == _SCALAR and path in wanted.get(number, ()):
                places.scalars[number, path] = scalar
        if kind != _SCALAR:
            stack.append(_Level(path, kind == _OPEN_LIST))
        elif level is not None:
            level.done()
    for number, paths in wanted.items():
        for path in paths:
            line = next((lines[number, prefix] for prefix in enclosing(path) if (number, prefix) in lines), 0)
            if line:
                places.lines[number, path] = line
    return places


def locate_in_parts(text: str, parts: Sequence[Part], wanted: Mapping[int, Collection[str]], limits: Limits) -> Places:
    """Return what `locate` finds in a text of several formats; documents and lines are those of the whole text."""
    places = Places()
    inside: dict[int, dict[int, Collection[str]]] = {}
    firsts = [part.first for part in parts]
    for number, paths in wanted.items():
        index = max(bisect_right(firsts, number) - 1, 0)
        inside.setdefault(index, {})[number - firsts[index] + 1] = paths
    for index, wanted_inside in sorted(inside.items()):
        part = parts[index]
        part_places = locate(text[part.start : part.end], part.is_json, wanted_inside, limits)
        for (number, path), line in part_places.lines.items():
            places.lines[number + part.first - 1, path] = line + part.lines_before
        for (number, path), scalar in part_places.scalars.items():
            places.scalars[number + part.first - 1, path] = scalar
        for number, path, line in part_places.duplicates:
            places.duplicates.append((number + part.first - 1, path, line + part.lines_before))
    return places


def _wanted_below(level: _Level, prefixes: Collection[str]) -> str | None:
    if level.path is None:
        return None
    path = f"{level.path}[{level.index}]" if level.is_list else child(level.path, level.key)
    return path if path in prefixes else None


def _whole_path(stack: list[_Level]) -> str:
    path = ""
    for level in stack:
        path = f"{path}[{level.index}]" if level.is_list else child(path, level.key)
    return path


def _yaml_tokens(text: str) -> Iterator[Token]:
    anchored: dict[str, str] = {}
    try:
        for event in yaml_events(text):
            kind = type(event)
            line = event.start_mark.line + 1
            if kind is ScalarEvent:
                if event.anchor is not None:
                    anchored[event.anchor] = event.value
                yield _SCALAR, event.value, line
            elif kind is MappingStartEvent:
                yield _OPEN_MAPPING, "", line
            elif kind is SequenceStartEvent:
                yield _OPEN_LIST, "", line
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                yield _CLOSE, "", line
            elif kind is AliasEvent:
                yield _SCALAR, anchored.get(event.anchor, ""), line
            elif kind is DocumentStartEvent:
                yield _START, "", line
    except YAMLError:
        return  # reported by the reader


def _json_tokens(text: str) -> Iterator[Token]:
    line, seen = 1, 0
    for match in _JSON_TOKEN.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        mark = match.group()
        if mark == "{":
            yield _OPEN_MAPPING, "", line
        elif mark == "[":
            yield _OPEN_LIST, "", line
        elif mark in ("}", "]"):
            yield _CLOSE, "", line
        else:
            yield _SCALAR, match.group(1) or mark, line
