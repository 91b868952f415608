"""Several records or matrices packed as one text, which takes less space because they are similar."""

import json
from collections.abc import Sequence
from itertools import accumulate, pairwise

from playground.packing import pack, pack_bytes, pack_texts, unpack_bytes


def join_texts(texts: Sequence[str]) -> bytes:
    """Pack one or more texts without newlines."""
    return pack(texts[0]) if len(texts) == 1 else pack_texts("\n".join(texts))


def split_texts(text: str) -> list[str]:
    """Return the texts that `join_texts` joined, from the unpacked text."""
    return text.split("\n")


def join_plain(parts: Sequence[bytes]) -> bytes:
    """Pack parts into one. Several parts are preceded by their lengths as a list, with which no part begins."""
    head = b"" if len(parts) == 1 else json.dumps(list(map(len, parts))).encode() + b"\n"
    return pack_bytes(head + b"".join(parts))


def split_plain(packed: bytes | memoryview) -> list[bytes]:
    """Return the parts that `join_plain` joined."""
    plain = unpack_bytes(packed)
    if plain[:1] != b"[":
        return [plain]
    head, parts = plain.split(b"\n", 1)
    return [parts[begin:end] for begin, end in pairwise(accumulate(json.loads(head), initial=0))]
