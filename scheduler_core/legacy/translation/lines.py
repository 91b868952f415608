"""Line-by-line explanation of a conversion: each value of the old text, its replacement, and the reason."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kube_objects.sentences import joined, say
from kube_objects.text.node import TextNode, compact


@dataclass(frozen=True, slots=True)
class Note:
    """An explanation.

    `became` is the current equivalent, "" if there is none; `removed_in` is the release that removed it.
    """

    became: str
    explanation: str
    removed_in: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One value of the old text, or an implicit setting if `path` is "".

    `value` is as written; `line` counts from 1.
    """

    path: str
    became: str
    explanation: str
    value: str = ""
    line: int | None = None
    removed_in: str = ""


Notes = dict[str, Note]

SAME = "the same"
UNCHANGED = Note(SAME, joined("; ", say("has not changed"), say("what is today's default is left out")))


def implicit_line(note: Note) -> Line:
    """Return a line for something that the old program did by default."""
    return Line("", note.became, note.explanation, removed_in=note.removed_in)


def explain_lines(root: TextNode, notes: Mapping[str, Note], offset: int = 0, prefix: str = "") -> list[Line]:
    """Return a line for every value under `root`, with the note of the longest path in `notes` that leads to it.

    `offset` is the number of lines before the text, `prefix` the path of the text itself.
    """
    lines = []
    for path, node in iter_leaves(root):
        note = _note_of_nearest_path(path, notes)
        value = node.scalar if node.kind == "string" else compact(node)
        number = node.line + offset
        lines.append(Line(f"{prefix}{path}", note.became, note.explanation, value, number, note.removed_in))
    return sorted(lines, key=lambda line: line.line or 0)


def iter_leaves(node: TextNode, path: str = "") -> Iterator[tuple[str, TextNode]]:
    """Return (path, value) of every scalar and every empty list or object."""
    if node.entries:
        for entry in node.entries:
            yield from iter_leaves(entry.value, f"{path}.{entry.key}" if path else entry.key)
    elif node.items:
        for index, item in enumerate(node.items):
            yield from iter_leaves(item, f"{path}[{index}]")
    else:
        yield path, node


def _note_of_nearest_path(path: str, notes: Mapping[str, Note]) -> Note:
    while path:
        if path in notes:
            return notes[path]
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return notes.get("", UNCHANGED)
