"""Hashes that become part of names.

Source: pkg/controller ComputeHash, pkg/controller/history HashControllerRevision.
"""

import json
from collections.abc import Mapping
from typing import Any, Protocol

from kube_controllers import go_dump
from kube_objects.text.go import json_text

# Source: apimachinery/pkg/util/rand: no vowels, no digits that look like letters.
LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_PRIME, _OFFSET, _WIDTH = 0x01000193, 0x811C9DC5, 0xFFFFFFFF
_LONG_PRIME, _LONG_OFFSET, _LONG_WIDTH = (1 << 88) + 0x13B, 0x6C62272E07BB014262B821756295C58D, (1 << 128) - 1


def fnv32a(data: bytes) -> int:
    value = _OFFSET
    for byte in data:
        value = ((value ^ byte) * _PRIME) & _WIDTH
    return value


def fnv32(data: bytes) -> int:
    value = _OFFSET
    for byte in data:
        value = ((value * _PRIME) & _WIDTH) ^ byte
    return value


def fnv128a(data: bytes) -> int:
    value = _LONG_OFFSET
    for byte in data:
        value = ((value ^ byte) * _LONG_PRIME) & _LONG_WIDTH
    return value


def safe_encode(text: str) -> str:
    """Source: rand.SafeEncodeString."""
    return "".join(LETTERS[ord(letter) % len(LETTERS)] for letter in text)


class Hashes(Protocol):
    """A way to compute the hashes in names."""

    def hash_template(self, template: Mapping[str, Any], collisions: int | None = None) -> str:
        """Return the hash of a Pod template, as in the label `pod-template-hash`."""

    def hash_revision(self, data: Mapping[str, Any], collisions: int) -> str:
        """Return the hash of a ControllerRevision's data."""


class UpstreamHashes:
    """The hashes of a real cluster, for templates with all defaults."""

    def hash_template(self, template: Mapping[str, Any], collisions: int | None = None) -> str:
        return _hash_bytes(go_dump.dump(template).encode(), collisions)

    def hash_revision(self, data: Mapping[str, Any], collisions: int) -> str:
        """Source: HashControllerRevision."""
        written = json_text(json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
        return safe_encode(str(fnv32(f"{written}{collisions}".encode())))


class JsonHashes:
    """Hashes of the JSON text, with the form but not the value of real ones. Old recorded clusters use them."""

    def hash_template(self, template: Mapping[str, Any], collisions: int | None = None) -> str:
        return _hash_bytes(json.dumps(template, sort_keys=True, separators=(",", ":")).encode(), collisions)

    def hash_revision(self, data: Mapping[str, Any], collisions: int) -> str:
        template = {name: value for name, value in data["spec"]["template"].items() if name != "$patch"}
        return self.hash_template({"statefulSet": template}, collisions)


def _hash_bytes(data: bytes, collisions: int | None) -> str:
    """Return the encoded hash of the data and the collision count. Source: ComputeHash."""
    if collisions is not None:
        data += collisions.to_bytes(4, "little") + bytes(4)
    return safe_encode(str(fnv32a(data)))


UPSTREAM, PLAIN = "upstream", "plain"
HASHES: Mapping[str, Hashes] = {UPSTREAM: UpstreamHashes(), PLAIN: JsonHashes()}
