"""YAML text → a tree of nodes with anchors resolved, within limits; errors as upstream's YAML library words them.

PyYAML brings libyaml along, which upstream's library is a translation of, so the texts agree. Where PyYAML was built
without it, its Python parser is used: it accepts the same documents but words syntax errors differently.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from scheduler_core.config.limits import MAX_DEPTH, MAX_VALUES, LimitError

_Parser: Any = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader


class YAMLSyntaxError(ValueError):
    """The text is upstream's, `yaml: ` included."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(f"yaml: {message}")
        self.line = line


@dataclass(slots=True, eq=False)
class YAMLNode:
    """`kind` is scalar, sequence, mapping or alias; `tag` "" if none was written; `plain` if unquoted and untagged.

    `children` are the items, or keys and values in turn; of an alias the one node that it stands for.
    """

    kind: str
    line: int
    tag: str = ""
    plain: bool = False
    value: str = ""
    children: "list[YAMLNode]" = field(default_factory=list)


def parse_yaml(text: str) -> YAMLNode | None:
    """The first document of a text, None if there is none. Raises YAMLSyntaxError, LimitError."""
    return _Composer(_events(text)).document()


def _events(text: str) -> Iterator[Any]:
    try:
        parser = _Parser(text)
        while (event := parser.get_event()) is not None:
            yield event
    except yaml.reader.ReaderError as error:
        raise YAMLSyntaxError(str(error.reason)) from None
    except yaml.MarkedYAMLError as error:
        raise YAMLSyntaxError(_worded(error), _line(error)) from None


def _line(error: yaml.MarkedYAMLError) -> int | None:
    mark = error.problem_mark or error.context_mark
    return None if mark is None else mark.line + 1


def _worded(error: yaml.MarkedYAMLError) -> str:
    """Upstream counts lines from 0, except in errors of the scanner, and leaves a line 0 out."""
    line = 0
    if error.problem_mark is not None and error.problem_mark.line:
        line = error.problem_mark.line + isinstance(error, yaml.scanner.ScannerError)
    elif error.context_mark is not None:
        line = error.context_mark.line
    return (f"line {line}: " if line else "") + (error.problem or "unknown problem parsing YAML content")


class _Composer:
    def __init__(self, events: Iterator[Any]) -> None:
        self.events = events
        self.anchors: dict[str, YAMLNode] = {}
        self.values = 0

    def document(self) -> YAMLNode | None:
        for event in self.events:
            if isinstance(event, yaml.StreamEndEvent):
                return None
            if isinstance(event, yaml.DocumentStartEvent):
                node = self.node(next(self.events), 1)
                next(self.events)  # the end of the document, which may hold a syntax error
                return node
        return None

    def node(self, event: Any, depth: int) -> YAMLNode:
        line = event.start_mark.line + 1
        self.values += 1
        if depth > MAX_DEPTH:
            raise LimitError(f"nested more than {MAX_DEPTH} levels deep", line)
        if self.values > MAX_VALUES:
            raise LimitError(f"more than {MAX_VALUES} values", line)
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise YAMLSyntaxError(f"unknown anchor '{event.anchor}' referenced", line)
            return YAMLNode("alias", line, value=event.anchor, children=[self.anchors[event.anchor]])
        if isinstance(event, yaml.ScalarEvent):
            node = YAMLNode("scalar", line, event.tag or "", event.implicit[0], event.value)
            self.anchor(event, node)
            return node
        mapping = isinstance(event, yaml.MappingStartEvent)
        node = YAMLNode("mapping" if mapping else "sequence", line, event.tag or "")
        self.anchor(event, node)
        end = yaml.MappingEndEvent if mapping else yaml.SequenceEndEvent
        while not isinstance(event := next(self.events), end):
            node.children.append(self.node(event, depth + 1))
        return node

    def anchor(self, event: Any, node: YAMLNode) -> None:
        if event.anchor is not None:
            self.anchors[event.anchor] = node
