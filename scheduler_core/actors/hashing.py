"""Hashes that become part of names. Source: ComputeHash, pkg/controller/history HashControllerRevision.

Upstream hashes a dump of Go structs, which nothing else can reproduce; ours are of the same form, over the JSON.
"""

import json
from typing import Any

# Source: apimachinery/pkg/util/rand: no vowels, no digits that look like letters.
LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_PRIME, _OFFSET, _WIDTH = 0x01000193, 0x811C9DC5, 0xFFFFFFFF
_LONG_PRIME, _LONG_OFFSET, _LONG_WIDTH = (1 << 88) + 0x13B, 0x6C62272E07BB014262B821756295C58D, (1 << 128) - 1


def fnv32a(data: bytes) -> int:
    value = _OFFSET
    for byte in data:
        value = ((value ^ byte) * _PRIME) & _WIDTH
    return value


def fnv128a(data: bytes) -> int:
    value = _LONG_OFFSET
    for byte in data:
        value = ((value ^ byte) * _LONG_PRIME) & _LONG_WIDTH
    return value


def safe_encode(text: str) -> str:
    """Source: rand.SafeEncodeString."""
    return "".join(LETTERS[ord(letter) % len(LETTERS)] for letter in text)


def template_hash(template: Any, collisions: int | None = None) -> str:
    """Of a pod template, as `pod-template-hash` has it."""
    data = json.dumps(template, sort_keys=True, separators=(",", ":")).encode()
    if collisions is not None:
        data += collisions.to_bytes(4, "little") + bytes(4)
    return safe_encode(str(fnv32a(data)))
