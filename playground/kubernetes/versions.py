"""A `resourceVersion` is the number of the record that wrote the object, a bit, and the object's place in that record.

So version 1, which clients ask for to see whether a server forgets, is too old for a new cluster as for a real one.
A record may write many objects, and a connection may break between any two of them: each has a version of its own, by
which a watch goes on right behind it. Places follow from the objects' names, so nothing has to be kept for them.
"""

import zlib

from kube_apiserver.errors import ApiError, bad_request
from kube_objects import go_numbers

_FIRST = 1_000
# Even ones are taken: what a server writes right before the end of a pod lies between two.
_PLACES = 1_000_000_000


def after(seq: int) -> int:
    """The version of a cluster when this was its last record: ahead of all that the next one writes."""
    return (_FIRST + seq + 1) * _PLACES


def of(seq: int, kind: str, key: str) -> int:
    """The version of an object that this record wrote."""
    place = zlib.crc32(f"{kind} {key}".encode()) % (_PLACES // 2 - 1) + 1
    return (_FIRST + seq) * _PLACES + 2 * place


def seq_of(version: int) -> int:
    """The record in which it lies, all of which is older for a version of a whole cluster; negative for one from before
    the first.
    """
    return version // _PLACES - _FIRST


def parse(written: str) -> int:
    """A version that a client gives, 0 for none; ApiError."""
    try:
        return go_numbers.parse_uint(written or "0")
    except go_numbers.GoNumberError as wrong:
        raise ApiError(500, "", _unreadable(written, wrong)) from wrong


def parse_of_list(written: str) -> int:
    """The same, of what a client wants to list."""
    try:
        return go_numbers.parse_uint(written or "0")
    except go_numbers.GoNumberError as wrong:
        raise bad_request(f"invalid resource version: {_unreadable(written, wrong)}") from wrong


def _unreadable(written: str, wrong: go_numbers.GoNumberError) -> str:
    return f'resourceVersion: Invalid value: "{written[:60]}": {wrong}'
