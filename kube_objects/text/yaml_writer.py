"""Conversion of plain values to YAML that kubectl, kube-scheduler and Python read alike.

Some of them read unquoted `08`, `1e3`, `0o17`, `y` and others as numbers or booleans, so these are quoted.
"""

import re
from typing import Any, ClassVar

import yaml

from kube_objects.text.yaml_scalars import STR_TAG, tag_of

# libyaml writes ten times faster; it comes with PyYAML's wheels, not with every build of it.
_Base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# YAML 1.2's octal numbers, which v3 of Go's library takes for numbers and v2 does not.
_OCTAL = re.compile(r"[-+]?0o[0-7_]+")


class Block(str):
    """A multi-line text that is written literally, after a `|`."""


def _represent_block(dumper: Any, text: Block) -> yaml.ScalarNode:
    node: yaml.ScalarNode = dumper.represent_scalar(STR_TAG, str(text), style="|")
    return node


def _represent_text(dumper: Any, text: str) -> yaml.ScalarNode:
    node: yaml.ScalarNode = dumper.represent_scalar(STR_TAG, text, style=None if _is_text_to_all(text) else "'")
    return node


def _is_text_to_all(text: str) -> bool:
    """Return whether Go reads the text as a string without quotes. PyYAML checks its own rules."""
    return tag_of(text) == STR_TAG and not _OCTAL.fullmatch(text)


class _Dumper(_Base):  # type: ignore[misc]
    """A YAML dumper that quotes ambiguous strings."""

    yaml_representers: ClassVar[dict[type, Any]] = {
        **_Base.yaml_representers,
        str: _represent_text,
        Block: _represent_block,
    }


def dump_yaml(data: Any) -> str:
    """Return JSON data as YAML text."""
    text: str = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    return text
