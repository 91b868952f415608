"""YAML or JSON: the two ways to read a text, as plain values or as a tree that knows how everything was written.

Plain values are for objects, of which there are many; they come document by document. The tree is for configurations
and policies, whose errors are upstream's to the letter. Both have the same limits, scalars and errors.
"""

from collections.abc import Iterator

from scheduler_core.text.document import Document
from scheduler_core.text.errors import TextError
from scheduler_core.text.json_node import parse_json
from scheduler_core.text.json_values import read_json
from scheduler_core.text.limits import Limits
from scheduler_core.text.node import Node
from scheduler_core.text.yaml_node import Source, read_source
from scheduler_core.text.yaml_values import read_yaml

# Go's unicode.IsSpace.
_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def is_json(text: str) -> bool:
    """Whether upstream would take the text for JSON. Source: apimachinery/pkg/util/yaml hasJSONPrefix."""
    return text.lstrip(_SPACES).startswith("{")


def documents(text: str, limits: Limits) -> Iterator[Document]:
    """The documents of a text. Raises TextError where it comes upon what cannot be read."""
    return read_json(text, limits) if is_json(text) else read_yaml(text, limits)


def source(text: str, limits: Limits) -> Source:
    """The first document of a text, as it was written. Raises TextError."""
    return Source(parse_json(text, limits)) if is_json(text) else read_source(text, limits)


def node_or_none(text: str, limits: Limits) -> Node | None:
    """The first document of a text, None if it cannot be read."""
    if len(text) > limits.bytes:
        return None
    try:
        return source(text, limits).root
    except TextError:
        return None
