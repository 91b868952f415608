"""A record's JSON, in full for the store and in brief for the stream, from one look at it."""

import json
import marshal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playground import limits
from playground.news.frames import LONG_OF_CYCLE, brief_of

# Steps whose text is kept, and how long what is told of one may be for that.
MOST_KNOWN = 4096
LONGEST_KNOWN = 256
_NO_STEPS = '"steps":[]'
_NO_TIES = '"ties":[]'
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_known: dict[bytes, str] = {}
# Steps that say no more than how they ended are one dict for all attempts: each is known by its id, and kept for that.
_shared: dict[int, tuple[Mapping[str, Any], str]] = {}


@dataclass(frozen=True, slots=True)
class Body:
    """`text` is the record as its bytes are defined: docs/trace_format.md."""

    data: Mapping[str, Any]
    text: str
    # What stands before and behind what a brief record leaves out; "" twice for a record of another kind.
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
    """Its text is that of `canonical`; steps that were seen before are not written anew, and names of nodes once."""
    cycle = data.get("cycle")
    if cycle is None:
        return Body(data, _encode(data))
    short = {name: value for name, value in cycle.items() if name not in LONG_OF_CYCLE}
    # A quote within a text is written as \", so that this is found nowhere else.
    before, mark, behind = _encode({**data, "cycle": {**short, "steps": []}}).partition(_NO_STEPS)
    if not mark:
        return Body(data, _encode(data))
    ties = _Ties(cycle.get("ties"))
    known = _shared.get
    steps = ",".join([found[1] if (found := known(id(step))) else _step(step, ties) for step in cycle["steps"]])
    beside = "" if ties.names is None else f',"ties":{ties.text}'
    return Body(data, f'{before}"steps":[{steps}]{beside}{behind}', before, behind)


class _Ties:
    """The nodes that were as good as the one chosen, in a cycle and in the step that chose: often hundreds."""

    def __init__(self, names: Sequence[str] | None) -> None:
        self.names = names
        self.text = "" if names is None else _names(names)


def _names(names: Sequence[str]) -> str:
    """The JSON of a list of names: in those of nodes nothing is written otherwise than it is, which takes more room."""
    whole = "".join(names)
    is_plain = names and len(_encode(whole)) == len(whole) + 2
    return '["' + '","'.join(names) + '"]' if is_plain else _encode(names)


def _step(step: Mapping[str, Any], ties: _Ties) -> str:
    """A step not known by its id. Most say what others said: a run of thousands of pods has some hundred of them."""
    if "data" not in step and "reasons" not in step:
        text = _encode(step)
        _make_room(_shared)
        _shared[id(step)] = step, text
        return text
    return _saying_more(step) if "plugin" in step else _choice(step, ties)


def _saying_more(step: Mapping[str, Any]) -> str:
    """A step in which a plugin says something."""
    key = _key(step)
    text = _known.get(key)
    if text is None:
        text = _encode(step)
        if key and len(text) <= LONGEST_KNOWN:
            _make_room(_known)
            _known[key] = text
    return text


def _choice(step: Mapping[str, Any], ties: _Ties) -> str:
    """A step that is no plugin's: it may name the node that was chosen, and those that were as good."""
    data = step.get("data")
    if data is None or ties.names is None or data.get("ties") != ties.names:
        return _encode(step)
    before, found, behind = _encode({**step, "data": {**data, "ties": []}}).partition(_NO_TIES)
    return f'{before}"ties":{ties.text}{behind}' if found else _encode(step)


def _key(step: Any) -> bytes:
    """The step in a form that is told from others as their texts are: 1, 1.0 and True are three things."""
    try:
        return marshal.dumps(step, 2)
    except ValueError:
        return b""


def _make_room(texts: dict[Any, Any]) -> None:
    if len(texts) >= MOST_KNOWN:
        texts.clear()
