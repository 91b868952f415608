"""The WebSocket messages of docs/reference/http-api.md, and the short form of records."""

import json
from collections.abc import Mapping
from typing import Any

from playground import limits


def group(cluster_id: int) -> str:
    """Return the channel layer's group of the pages that watch a cluster."""
    return f"cluster.{cluster_id}"


def class_group(class_id: int) -> str:
    """Return the channel layer's group of the pages in a class."""
    return f"class.{class_id}"


# The fields that a brief record of an attempt omits.
LONG_OF_CYCLE = ("steps", "ties")


def brief(body: str) -> str:
    """Return a record's JSON without steps and ties; long lists become their lengths in `omitted`."""
    return brief_of(json.loads(body))


def brief_of(data: Mapping[str, Any]) -> str:
    """Return the same for a parsed record."""
    record = dict(data)
    lengths = {}
    for name in ("moves", "events", "writes"):
        if len(record.get(name, ())) > limits.BRIEF_LIST:
            lengths[name] = len(record.pop(name))
    if lengths:
        record["omitted"] = lengths
    if "cycle" in record:
        record["cycle"] = {name: value for name, value in record["cycle"].items() if name not in LONG_OF_CYCLE}
    return json.dumps(record, sort_keys=True, separators=(",", ":"))


def records(first: int, bodies: list[str], *, is_brief: bool, matrix: str = "") -> str:
    """Return a `records` message of consecutive records; `matrix` is JSON of the newest cycle's, or ""."""
    last = first + len(bodies) - 1
    mark = ',"brief":true' if is_brief else ""
    beside = f',"matrix":{matrix}' if matrix else ""
    return f'{{"type":"records","from":{first},"to":{last}{mark},"records":[{",".join(bodies)}]{beside}}}'


def gap(first: int, last: int) -> str:
    """Return a `gap` message: the server doesn't send these records."""
    return json.dumps({"type": "gap", "from": first, "to": last})


def hello(state: str, last: int) -> str:
    """Return the first message; `state` is JSON."""
    return f'{{"type":"hello","last":{last},"state":{state}}}'


def state(state: str) -> str:
    """Return a `state` message; `state` is JSON."""
    return f'{{"type":"state","state":{state}}}'
