"""The JSON of a body, within bounds, and which of its fields are written twice. Source: sigs.k8s.io/json."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import errors
from kube_apiserver.writes import decoding
from kube_objects.text import yaml_values
from kube_objects.text.errors import LimitError, YAMLError
from kube_objects.text.limits import Limits

Pairs = Sequence[tuple[str, Any]]

MAX_DEPTH = 100
MAX_VALUES = 500_000
"""Of a body that is YAML, in which a few anchors may stand for many."""
_MOST = 100


# Escapes of a JSON text, of which the second group is half a surrogate pair.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


class Fields(dict[str, Any]):
    """A body that is an object: the last of what is written twice, and what that is."""

    twice: Sequence[str] = ()


class Items(list[Any]):
    """A body that is a list, as a JSON patch is."""

    twice: Sequence[str] = ()


def read_json(body: bytes, kind: str = "", start: str = "") -> Any:
    """A body's JSON, within bounds; ApiError, whose text has a `start`. `kind` is what it should be, "" for a patch."""
    repeated: dict[int, Pairs] = {}

    def read(pairs: Pairs) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            # In the order in which a field was written last.
            found.clear()
            for name, value in pairs:
                found.pop(name, None)
                found[name] = value
            repeated[id(found)] = pairs
            # While it is remembered by its id, it must live.
            alive.append(found)
        return found

    alive: list[dict[str, Any]] = []
    try:
        found = json.loads(_decoded(body), object_pairs_hook=read)
    except (ValueError, RecursionError) as broken:
        raise errors.bad_request(start + decoding.go_error(body, broken, kind)) from broken
    if kind and not isinstance(found, dict) and found is not None:
        raise errors.bad_request(decoding.no_object(body, found, kind))
    if _depth(found, 0) > MAX_DEPTH:
        raise errors.bad_request(f"the object provided is nested deeper than {MAX_DEPTH} levels")
    return _with_twice(found, repeated) if repeated else found


def _decoded(body: bytes) -> str:
    """Return a JSON text in which U+FFFD replaces what is no character. Source: encoding/json unquoteBytes."""
    text = body.decode("utf-8", "replace")
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape[1] else escape[0], text)


def read_yaml(body: bytes, kind: str = "") -> Any:
    """The first document of a body that is YAML, within the same bounds; ApiError. What it has twice is not told."""
    limits = Limits(bytes=len(body), depth=MAX_DEPTH, values=MAX_VALUES, documents=1)
    try:
        found = next((each.value for each in yaml_values.read_yaml(body.decode(), limits)), None)
    except UnicodeDecodeError as broken:
        raise errors.bad_request(decoding.unrecognized(body, f"yaml: {broken.reason}", kind)) from broken
    except YAMLError as broken:
        raise errors.bad_request(decoding.unrecognized(body, str(broken), kind)) from broken
    except LimitError as broken:
        raise errors.bad_request(f"the object provided is {broken.rule}") from broken
    if kind and not isinstance(found, dict) and found is not None:
        raise errors.bad_request(decoding.no_object(body, found, kind))
    return _sorted({} if found is None else found)


def _sorted(value: Any) -> Any:
    """As upstream makes JSON of it."""
    if isinstance(value, list):
        return [_sorted(each) for each in value]
    return {key: _sorted(value[key]) for key in sorted(value)} if isinstance(value, dict) else value


def twice(body: Any) -> Sequence[str]:
    """Paths of the fields that are written twice in a body as `read_json` made it."""
    return body.twice if isinstance(body, Fields | Items) else ()


def _with_twice(found: Any, repeated: Mapping[int, Pairs]) -> Any:
    paths: dict[str, None] = {}
    for path in _twice(found, repeated, "", 0):
        paths[path] = None
        if len(paths) == _MOST:
            break
    whole = Fields(found) if isinstance(found, dict) else Items(found)
    whole.twice = tuple(paths)
    return whole


def _twice(value: Any, repeated: Mapping[int, Pairs], path: str, level: int) -> Iterator[str]:
    """In the order of the text, also in what is written over."""
    if level > MAX_DEPTH:
        return
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from _twice(each, repeated, f"{path}[{number}]", level + 1)
    elif isinstance(value, dict):
        seen = set[str]()
        for name, each in repeated.get(id(value), value.items()):
            at = f"{path}.{name}" if path else name
            if name in seen:
                yield at
            seen.add(name)
            yield from _twice(each, repeated, at, level + 1)


def _depth(value: Any, level: int) -> int:
    if level > MAX_DEPTH or not isinstance(value, dict | list):
        return level
    items = value.values() if isinstance(value, dict) else value
    return max((_depth(item, level + 1) for item in items), default=level)
