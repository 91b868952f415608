"""A `resourceVersion`: the number of the record that wrote the object, plus the object's place in that record.

The offset _FIRST makes version 1 too old in a new cluster, as in a real one. A record may write many objects, and a
connection may break between any two of them. So each has its own version, at which a watch can resume. Places are
hashes of the objects' names and need no storage.
"""

import zlib

from kube_apiserver.errors import ApiError, bad_request
from kube_objects import go_numbers

_FIRST = 1_000
# Objects have even places. The odd version before a Pod's deletion is for its last update.
_PLACES = 1_000_000_000


def cluster_version(seq: int) -> int:
    """Return the version of a cluster with this last record. It is less than all versions of the next record."""
    return (_FIRST + seq + 1) * _PLACES


def object_version(seq: int, kind: str, key: str) -> int:
    """Return the version of an object that this record wrote."""
    place = zlib.crc32(f"{kind} {key}".encode()) % (_PLACES // 2 - 1) + 1
    return (_FIRST + seq) * _PLACES + 2 * place


def seq_of(version: int) -> int:
    """Return the number of the record of a version, or a negative number before the first one.

    For the version of a whole cluster, it is the first record after it.
    """
    return version // _PLACES - _FIRST


def parse(written: str) -> int:
    """Return the version in a client's request, 0 for none. Raise ApiError 500 if it is invalid."""
    try:
        return go_numbers.parse_uint(written or "0")
    except go_numbers.GoNumberError as wrong:
        raise ApiError(500, "", _unreadable(written, wrong)) from wrong


def parse_of_list(written: str) -> int:
    """Return the version in a list request, 0 for none. Raise ApiError 400 if it is invalid."""
    try:
        return go_numbers.parse_uint(written or "0")
    except go_numbers.GoNumberError as wrong:
        raise bad_request(f"invalid resource version: {_unreadable(written, wrong)}") from wrong


def _unreadable(written: str, wrong: go_numbers.GoNumberError) -> str:
    return f'resourceVersion: Invalid value: "{written[:60]}": {wrong}'
