"""YAML in the format of an API server: sorted keys, and strings in the quotes of upstream's library.

Source: sigs.k8s.io/yaml, goyaml.v2 encode.go.
"""

from typing import Any, ClassVar

import yaml

from kube_objects.text.yaml_scalars import STR_TAG, tag_of

CONTENT_TYPE = "application/yaml"
MOST_BYTES = 4 << 20
"""The most bytes of JSON that are converted to YAML, which takes a second per megabyte."""
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


def written(value: Any) -> str:
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=True, allow_unicode=True)
    return text
