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
    """What hashes in names are made of."""

    def of_template(self, template: Mapping[str, Any], collisions: int | None = None) -> str:
        """Of a pod template, as `pod-template-hash` has it."""

    def of_revision(self, data: Mapping[str, Any], collisions: int) -> str:
        """Of what a ControllerRevision of a StatefulSet holds."""


class Upstream:
    """A real cluster's, as long as the template is as an API server stores it, with its defaults."""

    def of_template(self, template: Mapping[str, Any], collisions: int | None = None) -> str:
        return _of(go_dump.dump(template).encode(), collisions)

    def of_revision(self, data: Mapping[str, Any], collisions: int) -> str:
        """Source: HashControllerRevision."""
        written = json_text(json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
        return safe_encode(str(fnv32(f"{written}{collisions}".encode())))


class Plain:
    """Of the JSON: of the same form, not the same value. Clusters of before have these, and go on with them."""

    def of_template(self, template: Mapping[str, Any], collisions: int | None = None) -> str:
        return _of(json.dumps(template, sort_keys=True, separators=(",", ":")).encode(), collisions)

    def of_revision(self, data: Mapping[str, Any], collisions: int) -> str:
        template = {name: value for name, value in data["spec"]["template"].items() if name != "$patch"}
        return self.of_template({"statefulSet": template}, collisions)


def _of(data: bytes, collisions: int | None) -> str:
    """Source: ComputeHash."""
    if collisions is not None:
        data += collisions.to_bytes(4, "little") + bytes(4)
    return safe_encode(str(fnv32a(data)))


UPSTREAM, PLAIN = "upstream", "plain"
HASHES: Mapping[str, Hashes] = {UPSTREAM: Upstream(), PLAIN: Plain()}
