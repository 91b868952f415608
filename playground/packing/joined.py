"""Some records, or matrices, packed as one: they have most in common, so that each takes a third of the room."""

import json
from collections.abc import Sequence
from itertools import accumulate, pairwise

from playground.packing import pack, pack_bytes, pack_many, unpack_bytes


def join_texts(texts: Sequence[str]) -> bytes:
    """One or more, in none of which a line ends."""
    return pack(texts[0]) if len(texts) == 1 else pack_many("\n".join(texts))


def split_texts(text: str) -> list[str]:
    """What was joined, of the text that is unpacked already."""
    return text.split("\n")


def join_plain(parts: Sequence[bytes]) -> bytes:
    """One alone is packed as it is; before many stand their lengths, as a list. None begins as such a list does."""
    head = b"" if len(parts) == 1 else json.dumps(list(map(len, parts))).encode() + b"\n"
    return pack_bytes(head + b"".join(parts))


def split_plain(packed: bytes | memoryview) -> list[bytes]:
    """Return the parts that `join_plain` joined."""
    plain = unpack_bytes(packed)
    if plain[:1] != b"[":
        return [plain]
    head, parts = plain.split(b"\n", 1)
    return [parts[begin:end] for begin, end in pairwise(accumulate(json.loads(head), initial=0))]
