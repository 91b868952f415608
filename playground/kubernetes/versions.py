"""A `resourceVersion` is the number of the record that wrote the object, and a bit: a server's first ones are its own.

So version 1, which clients ask for to see whether a server forgets, is too old for a new cluster as for a real one.
"""

import re

from kubernetes_api.errors import ApiError

_FIRST = 1_000


def of(seq: int) -> str:
    return str(_FIRST + seq)


def seq_of(version: int) -> int:
    """The record's number; negative for a version from before the first one."""
    return version - _FIRST


def parse(written: str) -> int:
    """A version that a client gives, 0 for none; ApiError."""
    if not re.fullmatch(r"\d{0,18}", written):
        detail = f'resourceVersion: Invalid value: "{written[:60]}": strconv.ParseUint: parsing "{written[:60]}"'
        raise ApiError(500, "", f"{detail}: invalid syntax")
    return int(written or 0)
