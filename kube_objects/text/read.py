"""YAML or JSON: the two ways to read a text, as plain values or as a tree that knows how everything was written.

Plain values are for objects, of which there are many; they come document by document. The tree is for configurations
and policies, whose errors are upstream's to the letter. Both have the same limits, scalars and errors.
"""

import re
from collections.abc import Iterator

from kube_objects.text.document import Document, Part
from kube_objects.text.errors import JSONError, TextError, YAMLError
from kube_objects.text.json_node import parse_json
from kube_objects.text.json_values import read_json
from kube_objects.text.limits import Limits
from kube_objects.text.node import TextNode
from kube_objects.text.yaml_node import Source, read_source
from kube_objects.text.yaml_values import read_yaml

# Go's unicode.IsSpace.
_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

# A text that begins so was meant as JSON, and not as a flow mapping of YAML.
_MEANT_AS_JSON = re.compile(r'\s*+(?:\{\s*+["}]|[\]},])')


def is_json(text: str) -> bool:
    """Return whether upstream parses the text as JSON. Source: apimachinery/pkg/util/yaml hasJSONPrefix."""
    return text.lstrip(_SPACES).startswith("{")


def documents(text: str, limits: Limits) -> Iterator[Document]:
    """Yield the documents of a text, as kubectl reads them: JSON values, and YAML from the first that is no JSON.

    Raises TextError where it comes upon what cannot be read. Source: apimachinery/pkg/util/yaml YAMLOrJSONDecoder.
    """
    return _read_json_then_yaml(text, limits) if is_json(text) else read_yaml(text, limits)


def parts_of(text: str, limits: Limits) -> list[Part]:
    """Return the stretches of one format of a text. Raises TextError."""
    whole = Part(0, len(text), 0, False, 1)
    parts = (document.part for document in documents(text, limits) if document.part is not None)
    return list(dict.fromkeys(parts)) or [whole]


def _read_json_then_yaml(text: str, limits: Limits) -> Iterator[Document]:
    try:
        yield from read_json(text, limits)
    except JSONError as error:
        # A text that ends too early is no YAML either.
        if error.start is None or error.at_end:
            raise
        yield from _read_yaml_from(text, error, error.start, limits)


def _read_yaml_from(text: str, json_error: JSONError, start: int, limits: Limits) -> Iterator[Document]:
    """Yield the documents from `start` on as YAML. Raises `json_error` if the first was meant as JSON."""
    part = Part(start, len(text), text.count("\n", 0, start), False, json_error.documents + 1)
    is_first = True
    try:
        for document in read_yaml(text[start:], limits):
            document.line += part.lines_before
            document.part = part
            yield document
            is_first = False
    except TextError as error:
        if is_first and isinstance(error, YAMLError) and _MEANT_AS_JSON.match(text, start):
            raise json_error from None
        error.line = error.line and error.line + part.lines_before
        raise


def source(text: str, limits: Limits) -> Source:
    """Return the first document of a text, as written. Raises TextError."""
    return Source(parse_json(text, limits)) if is_json(text) else read_source(text, limits)


def node_or_none(text: str, limits: Limits) -> TextNode | None:
    """Return the first document of a text, None if it can't be read."""
    if len(text) > limits.bytes:
        return None
    try:
        return source(text, limits).root
    except TextError:
        return None
