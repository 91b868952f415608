"""A JSON value as it was written: order, numbers as text, and the line of everything."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from kube_objects.text.go import json_string


@dataclass(slots=True)
class TextNode:
    """A value in a JSON or YAML text. `kind` is object, array, string, number, bool or null; lines count from 1.

    `scalar` holds the text of a string, the literal of a number, "true" or "false" of a bool.
    `span` is the range of a value in the source, if that was JSON.
    """

    kind: str
    line: int
    scalar: str = ""
    entries: "list[Entry]" = field(default_factory=list)
    items: "list[TextNode]" = field(default_factory=list)
    span: tuple[int, int] | None = None


@dataclass(slots=True)
class Entry:
    key: str
    line: int
    value: TextNode


def null_node(line: int = 1) -> TextNode:
    return TextNode("null", line)


def sorted_keys(node: TextNode) -> TextNode:
    """Return the value with the keys of every object in order, as Go writes a map."""
    entries = [Entry(e.key, e.line, sorted_keys(e.value)) for e in sorted(node.entries, key=lambda entry: entry.key)]
    return replace(node, entries=entries, items=[sorted_keys(item) for item in node.items])


def compact(node: TextNode) -> str:
    """Return the value as encoding/json writes it without spaces."""
    match node.kind:
        case "object":
            return "{" + ",".join(f"{json_string(e.key)}:{compact(e.value)}" for e in node.entries) + "}"
        case "array":
            return "[" + ",".join(compact(item) for item in node.items) + "]"
        case "string":
            return json_string(node.scalar)
        case "null":
            return "null"
    return node.scalar


def locate(root: TextNode, path: str) -> int | None:
    """Return the line of a field path such as `profiles[0].plugins.score`, or of its nearest existing parent."""
    node, line = root, None
    for step in _steps(path):
        following: TextNode | None = None
        if isinstance(step, int):
            if node.kind == "array" and step < len(node.items):
                following = node.items[step]
                line = following.line
        else:
            entry = next((entry for entry in reversed(node.entries) if entry.key == step), None)
            if entry is not None:
                following, line = entry.value, entry.line
        if following is None:
            break
        node = following
    return line


def _steps(path: str) -> Iterator[str | int]:
    for part in path.replace("[", ".[").split("."):
        if part.startswith("[") and part[1:-1].isdigit():
            yield int(part[1:-1])
        elif part:
            yield part
