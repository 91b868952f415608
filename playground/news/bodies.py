"""Records as JSON: full for the store and brief for the stream, from one encoding."""

import json
import marshal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playground import limits
from playground.news.frames import LONG_OF_CYCLE, brief_of

# Limits of the cached JSON texts of steps: their number, and the length of each.
MOST_KNOWN = 4096
LONGEST_KNOWN = 256
_NO_STEPS = '"steps":[]'
_NO_TIES = '"ties":[]'
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_known: dict[bytes, str] = {}
# Steps without data are dicts that all attempts share. The cache key is the dict's id, so the cache must hold the dict.
_shared: dict[int, tuple[Mapping[str, Any], str]] = {}


@dataclass(frozen=True, slots=True)
class Body:
    """A record and its JSON. `text` has the bytes that docs/reference/commands-and-trace.md defines."""

    data: Mapping[str, Any]
    text: str
    # The text before and after the part that a brief record omits; both "" for other kinds of records.
    _before: str = ""
    _behind: str = ""

    @property
    def brief(self) -> str:
        """Return the record's short form, see `brief_of`."""
        long = any(len(self.data.get(name, ())) > limits.BRIEF_LIST for name in ("moves", "events", "writes"))
        if long or not self._behind.startswith(","):
            return brief_of(self.data)
        return self._before + self._behind[1:]


def canonical(data: Mapping[str, Any]) -> str:
    """Return the JSON of a record or other data, with the bytes that are defined for records."""
    return _encode(data)


def body_of(data: Mapping[str, Any]) -> Body:
    """Return the record with the text of `canonical`, using the cached texts of its steps and of its ties."""
    cycle = data.get("cycle")
    if cycle is None:
        return Body(data, _encode(data))
    short = {name: value for name, value in cycle.items() if name not in LONG_OF_CYCLE}
    # Quotes within strings are escaped, so this text occurs only here.
    before, mark, behind = _encode({**data, "cycle": {**short, "steps": []}}).partition(_NO_STEPS)
    if not mark:
        return Body(data, _encode(data))
    ties = _Ties(cycle.get("ties"))
    known = _shared.get
    steps = ",".join([found[1] if (found := known(id(step))) else _step(step, ties) for step in cycle["steps"]])
    beside = "" if ties.names is None else f',"ties":{ties.text}'
    return Body(data, f'{before}"steps":[{steps}]{beside}{behind}', before, behind)


class _Ties:
    """The Nodes that tied for the best score, which a cycle and its SelectHost step both list."""

    def __init__(self, names: Sequence[str] | None) -> None:
        self.names = names
        self.text = "" if names is None else _names(names)


def _names(names: Sequence[str]) -> str:
    """Return the JSON of a list of names, fast if no character of them needs an escape."""
    whole = "".join(names)
    is_plain = names and len(_encode(whole)) == len(whole) + 2
    return '["' + '","'.join(names) + '"]' if is_plain else _encode(names)


def _step(step: Mapping[str, Any], ties: _Ties) -> str:
    """Return the JSON of a step, from the cache if possible, because most steps of a run repeat."""
    if "data" not in step and "reasons" not in step:
        text = _encode(step)
        _make_room(_shared)
        _shared[id(step)] = step, text
        return text
    return _saying_more(step) if "plugin" in step else _choice(step, ties)


def _saying_more(step: Mapping[str, Any]) -> str:
    """Return the JSON of a plugin's step that has data."""
    key = _key(step)
    text = _known.get(key)
    if text is None:
        text = _encode(step)
        if key and len(text) <= LONGEST_KNOWN:
            _make_room(_known)
            _known[key] = text
    return text


def _choice(step: Mapping[str, Any], ties: _Ties) -> str:
    """Return the JSON of a step without a plugin; it may list the ties."""
    data = step.get("data")
    if data is None or ties.names is None or data.get("ties") != ties.names:
        return _encode(step)
    before, found, behind = _encode({**step, "data": {**data, "ties": []}}).partition(_NO_TIES)
    return f'{before}"ties":{ties.text}{behind}' if found else _encode(step)


def _key(step: Any) -> bytes:
    """Return a cache key that distinguishes equal values with different JSON, such as 1, 1.0 and True."""
    try:
        return marshal.dumps(step, 2)
    except ValueError:
        return b""


def _make_room(texts: dict[Any, Any]) -> None:
    if len(texts) >= MOST_KNOWN:
        texts.clear()
