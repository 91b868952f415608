"""Encoding of responses as JSON or YAML, in the format of an API server.

JSON is as Go's encoder writes it. YAML has sorted keys, and strings in the quotes of upstream's library.
Sources: apimachinery/pkg/runtime/serializer/json, sigs.k8s.io/yaml, goyaml.v2 encode.go.
"""

import json
from typing import Any, ClassVar

import yaml

from kube_objects.text.go import json_text
from kube_objects.text.yaml_scalars import STR_TAG, tag_of

YAML = "application/yaml"
MEDIA_TYPES = ("application/json", "application/*", "*/*", "*", YAML)
MOST_YAML_BYTES = 4 << 20
"""The most bytes of JSON that are converted to YAML, which takes a second per megabyte."""
_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
_INDENTED = json.JSONEncoder(indent=2, ensure_ascii=False).encode


def compact_json(value: Any) -> str:
    return json_text(_COMPACT(value))


def indented_json(value: Any) -> str:
    return json_text(_INDENTED(value))


def wants_yaml(accept: str) -> bool:
    """Return True if YAML is the first supported media type of an Accept header."""
    media = (each.partition(";")[0].strip() for each in accept[:2000].split(","))
    return next((each for each in media if each in MEDIA_TYPES), "") == YAML


_Base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def _represent_text(dumper: Any, text: str) -> yaml.ScalarNode:
    is_plain = tag_of(text) == STR_TAG
    style = "|" if "\n" in text else None if is_plain else '"'
    node: yaml.ScalarNode = dumper.represent_scalar(STR_TAG, text, style=style)
    return node


class _Dumper(_Base):  # type: ignore[misc]
    """A dumper with upstream's quotes and without anchors."""

    yaml_representers: ClassVar[dict[type, Any]] = {**_Base.yaml_representers, str: _represent_text}

    def ignore_aliases(self, data: Any) -> bool:
        return True


def as_yaml(value: Any) -> str:
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=True, allow_unicode=True)
    return text
