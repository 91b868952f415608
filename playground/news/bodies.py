"""A record's JSON, in full for the store and in brief for the stream, from one look at it."""

import json
import marshal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playground import limits
from playground.news.frames import brief_of

# Steps whose text is kept, and how long what is told of one may be for that.
MOST_KNOWN = 4096
LONGEST_KNOWN = 256
_NO_STEPS = '"steps":[]'
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_known: dict[tuple[str, str, str] | bytes, str] = {}


@dataclass(frozen=True, slots=True)
class Body:
    """`text` is the record as its bytes are defined: docs/trace_format.md."""

    data: Mapping[str, Any]
    text: str
    # What stands before and behind a cycle's steps; "" twice for a record of another kind.
    _before: str = ""
    _behind: str = ""

    @property
    def brief(self) -> str:
        """See `brief_of`."""
        long = any(len(self.data.get(name, ())) > limits.BRIEF_LIST for name in ("moves", "events", "writes"))
        if long or not self._behind.startswith(","):
            return brief_of(self.data)
        return self._before + self._behind[1:]


def canonical(data: Mapping[str, Any]) -> str:
    """A record, or anything else, as the bytes of a record are defined."""
    return _encode(data)


def body_of(data: Mapping[str, Any]) -> Body:
    """Its text is that of `canonical`; steps that were seen before are not written anew."""
    cycle = data.get("cycle")
    if cycle is None:
        return Body(data, _encode(data))
    # A quote within a text is written as \", so that this is found nowhere else.
    before, found, behind = _encode({**data, "cycle": {**cycle, "steps": []}}).partition(_NO_STEPS)
    if not found:
        return Body(data, _encode(data))
    return Body(data, f'{before}"steps":[{_steps(cycle["steps"])}]{behind}', before, behind)


def _steps(steps: Sequence[Mapping[str, Any]]) -> str:
    """Most steps say what many others said: there are some hundred different ones in a run of thousands of pods."""
    texts = []
    for step in steps:
        plugin = step.get("plugin")
        if plugin is None:
            # It names the node that was chosen, and maybe many that were as good.
            texts.append(_encode(step))
            continue
        key = (step["point"], plugin, step["code"]) if len(step) == 3 else _key(step)
        text = _known.get(key)
        if text is None:
            text = _encode(step)
            if len(text) <= LONGEST_KNOWN:
                _remember(key, text)
        texts.append(text)
    return ",".join(texts)


def _key(step: Any) -> bytes:
    """The step in a form that is told from others as their texts are: 1, 1.0 and True are three things."""
    try:
        return marshal.dumps(step, 2)
    except ValueError:
        return b""


def _remember(key: tuple[str, str, str] | bytes, text: str) -> None:
    if not key:
        return
    if len(_known) >= MOST_KNOWN:
        _known.clear()
    _known[key] = text
