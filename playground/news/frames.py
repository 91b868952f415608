"""The frames of the stream, see docs/api.md; and the short form of a record."""

import json
from collections.abc import Mapping
from typing import Any

from playground import limits


def group(cluster_id: int) -> str:
    """The channel layer's group of those who watch a cluster."""
    return f"cluster.{cluster_id}"


def class_group(class_id: int) -> str:
    """The channel layer's group of those who are in a class."""
    return f"class.{class_id}"


# What a brief record of an attempt leaves out: how it went, and the hundreds of nodes that may have been as good.
LONG_OF_CYCLE = ("steps", "ties")


def brief(body: str) -> str:
    """A record without its steps and ties; of its long lists only the lengths remain, in `omitted`."""
    return brief_of(json.loads(body))


def brief_of(data: Mapping[str, Any]) -> str:
    """The same, of a record that need not be read first."""
    record = dict(data)
    omitted = {}
    for name in ("moves", "events", "writes"):
        if len(record.get(name, ())) > limits.BRIEF_LIST:
            omitted[name] = len(record.pop(name))
    if omitted:
        record["omitted"] = omitted
    if "cycle" in record:
        record["cycle"] = {name: value for name, value in record["cycle"].items() if name not in LONG_OF_CYCLE}
    return json.dumps(record, sort_keys=True, separators=(",", ":"))


def records(first: int, bodies: list[str], *, is_brief: bool, matrix: str = "") -> str:
    """A `records` frame of consecutive records; `matrix` is the JSON of the newest cycle's, if it comes with them."""
    last = first + len(bodies) - 1
    mark = ',"brief":true' if is_brief else ""
    beside = f',"matrix":{matrix}' if matrix else ""
    return f'{{"type":"records","from":{first},"to":{last}{mark},"records":[{",".join(bodies)}]{beside}}}'


def gap(first: int, last: int) -> str:
    """A `gap` frame: these numbers are not sent."""
    return json.dumps({"type": "gap", "from": first, "to": last})


def hello(state: str, last: int) -> str:
    """The first frame; `state` is JSON."""
    return f'{{"type":"hello","last":{last},"state":{state}}}'


def state(state: str) -> str:
    """A `state` frame; `state` is JSON."""
    return f'{{"type":"state","state":{state}}}'
