"""YAML as an API server writes it: keys in order, texts in the quotes that upstream's library gives them.

Source: sigs.k8s.io/yaml, goyaml.v2 encode.go.
"""

from typing import Any, ClassVar

import yaml

from kube_objects.text.yaml_scalars import STR_TAG, tag_of

CONTENT_TYPE = "application/yaml"
MOST_BYTES = 4 << 20
"""Of the JSON that is written as YAML: that takes a second for each megabyte."""
_Base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def _represent_text(dumper: Any, text: str) -> yaml.ScalarNode:
    is_plain = tag_of(text) == STR_TAG
    style = "|" if "\n" in text else None if is_plain else '"'
    node: yaml.ScalarNode = dumper.represent_scalar(STR_TAG, text, style=style)
    return node


class _Dumper(_Base):  # type: ignore[misc]
    """With upstream's quotes, and without anchors."""

    yaml_representers: ClassVar[dict[type, Any]] = {**_Base.yaml_representers, str: _represent_text}

    def ignore_aliases(self, data: Any) -> bool:
        return True


def written(value: Any) -> str:
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=True, allow_unicode=True)
    return text
