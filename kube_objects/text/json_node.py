"""JSON text → Node, with the errors of Go's encoding/json. Source: Go's encoding/json scanner."""

import json
import re
from bisect import bisect_right

from kube_objects.text.errors import JSONError, too_deep, too_many
from kube_objects.text.go import quote
from kube_objects.text.limits import Limits
from kube_objects.text.node import Entry, TextNode

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LITERALS = {"t": "true", "f": "false", "n": "null"}
_KINDS = {"t": "bool", "f": "bool", "n": "null"}


def parse_json(text: str, limits: Limits) -> TextNode:
    """Return the value of a JSON text. Raises JSONError, LimitError."""
    return _JSONParser(text, limits).document()


def parse_first_json(text: str, limits: Limits) -> TextNode:
    """Return the first value of a text, whatever follows it. Raises JSONError, LimitError."""
    return _JSONParser(text, limits).value(1)


class _JSONParser:
    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.at = 0
        self.values = 0
        self.newlines = [match.start() for match in re.finditer("\n", text)]

    def document(self) -> TextNode:
        node = self.value(1)
        self.space()
        if self.at < len(self.text):
            raise self.invalid("after top-level value")
        return node

    def line(self) -> int:
        return bisect_right(self.newlines, self.at - 1) + 1

    def space(self) -> str:
        """Skip spaces; the next character, "" at the end."""
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.text[self.at : self.at + 1]

    def invalid(self, context: str) -> JSONError:
        if self.at >= len(self.text):
            return JSONError("unexpected end of JSON input", self.line(), at_end=True)
        # Go reads bytes: of a character beyond ASCII it shows the first one.
        char = chr(self.text[self.at].encode("utf-8", "replace")[0])
        shown = {"'": r"'\''", '"': "'\"'"}.get(char, f"'{quote(char)[1:-1]}'")
        return JSONError(f"invalid character {shown} {context}", self.line())

    def value(self, depth: int) -> TextNode:
        char = self.space()
        self.values += 1
        if depth > self.limits.depth:
            raise too_deep(self.limits.depth, self.line())
        if self.values > self.limits.values:
            raise too_many(self.limits.values, self.line())
        node = TextNode("null", self.line())
        start = self.at
        if char == "{":
            self.object(node, depth)
        elif char == "[":
            self.array(node, depth)
        elif char == '"':
            node.kind, node.scalar = "string", self.string()
        elif char in _LITERALS:
            node.kind, node.scalar = _KINDS[char], self.literal(_LITERALS[char])
        elif char == "-" or (char.isascii() and char.isdigit()):
            node.kind, node.scalar = "number", self.number()
        else:
            raise self.invalid("looking for beginning of value")
        node.span = (start, self.at)
        return node

    def object(self, node: TextNode, depth: int) -> None:
        node.kind = "object"
        self.at += 1
        if self.space() == "}":
            self.at += 1
            return
        while True:
            if self.space() != '"':
                raise self.invalid("looking for beginning of object key string")
            line = self.line()
            key = self.string()
            if self.space() != ":":
                raise self.invalid("after object key")
            self.at += 1
            node.entries.append(Entry(key, line, self.value(depth + 1)))
            char = self.space()
            if char not in (",", "}"):
                raise self.invalid("after object key:value pair")
            self.at += 1
            if char == "}":
                return

    def array(self, node: TextNode, depth: int) -> None:
        node.kind = "array"
        self.at += 1
        if self.space() == "]":
            self.at += 1
            return
        while True:
            node.items.append(self.value(depth + 1))
            char = self.space()
            if char not in (",", "]"):
                raise self.invalid("after array element")
            self.at += 1
            if char == "]":
                return

    def string(self) -> str:
        match = _STRING.match(self.text, self.at)
        assert match is not None  # the caller saw the quote
        start, self.at = self.at, match.end()
        char = self.text[self.at : self.at + 1]
        if char != '"':
            if char == "\\":
                self.bad_escape()
            raise self.invalid("in string literal")
        self.at += 1
        text: str = json.loads(self.text[start : self.at])
        return _SURROGATE.sub("\ufffd", text)

    def bad_escape(self) -> None:
        self.at += 1
        if self.text[self.at : self.at + 1] != "u":
            raise self.invalid("in string escape code")
        self.at += 1
        while re.match("[0-9a-fA-F]", self.text[self.at : self.at + 1]):
            self.at += 1
        raise self.invalid(r"in \u hexadecimal character escape")

    def number(self) -> str:
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            self.at += 1
            raise self.invalid("in numeric literal")
        self.at = match.end()
        following = self.text[self.at : self.at + 1]
        if following == "." and not set(match.group()) & set(".eE"):
            self.at += 1
            raise self.invalid("after decimal point in numeric literal")
        if following in ("e", "E") and not set(match.group()) & set("eE"):
            self.at += 1
            if self.text[self.at : self.at + 1] in ("+", "-"):
                self.at += 1
            raise self.invalid("in exponent of numeric literal")
        return match.group()

    def literal(self, word: str) -> str:
        for expected in word[1:]:
            self.at += 1
            if self.text[self.at : self.at + 1] != expected:
                raise self.invalid(f"in literal {word} (expecting {quote(expected)[1:-1]!r})")
        self.at += 1
        return word
